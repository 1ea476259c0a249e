/*
 * grid.h: a kernel under way, between grid.c and share.c.
 */
#ifndef VGPU_GRID_H
#define VGPU_GRID_H

#include "block.h"
#include "walk.h"

/* A kernel under way. There is one state for its blocks, unless some wait in
 * their middle or run at once. */
struct vgpu_exec_run {
    const struct vgpu_exec *exec;
    struct walk walk;
    struct spread spread; /* of 0 blocks: none stand for all */
    bool spreading;       /* ... and more of these are to come */
    uint64_t seen;        /* of them so far */
    bool in_order;        /* they are the first, and the others follow */
    bool calm;            /* ... without call-backs */
    bool sums;            /* ... at once, and their atomics later */
    uint64_t random, launch;
    uint64_t read_most;           /* the same of the clock */
    uint32_t trigger_most;        /* of blocks that were given back */
    uint64_t by_work[65];         /* these, as there */
    uint64_t done;                /* of the walk */
    uint64_t ops, slots, doubles; /* of states that were given back */
    bool moved;
    bool watched; /* the checker looks for races in it */
    uint64_t num_waiting, most_waiting;
    uint64_t num_at_grid; /* ... of them at the grid's barrier */
    uint64_t num_held;    /* ... and those at a cluster's */
    uint32_t cluster;     /* blocks of one; the walk is of clusters */
    struct vgpu_block *waiting, **last_waiting;
    uint64_t num_ended;
    struct uint3 first_ended;
};

/* ---- grid.c ---- */

enum vgpu_exec_status vgpu_grid_fail(struct vgpu_exec_result *result,
                                     enum vgpu_exec_status status,
                                     const char *message);
/* A state for blocks of the run; NULL without memory. ... and back. */
struct vgpu_block *vgpu_grid_state(struct vgpu_exec_run *run,
                                   struct vgpu_exec_result *result);
void vgpu_grid_leave(struct vgpu_exec_run *run, struct vgpu_block *block);
/* @told  the block's operations the last time; NULL: another thread tells */
void vgpu_grid_progress(const struct vgpu_exec_run *run,
                        const struct vgpu_block *block, uint64_t done,
                        uint64_t *told);
/* The block that @block is next, by its number in the grid. */
void vgpu_grid_place(struct vgpu_block *block, uint64_t at);
/* Return: what vgpu_block_run returns. */
int vgpu_grid_enter(struct vgpu_block *block);
/* The same, and the checker hears of it. */
int vgpu_grid_go(struct vgpu_exec_run *run, struct vgpu_block *block);

/* ---- share.c ---- */

/* The block that ended the kernel again, now watched. @counts: what it does */
void vgpu_grid_again(struct vgpu_exec_run *run, uint64_t at,
                     struct vgpu_exec_result *result, bool counts);
/* All blocks that are left, on all cores. Return: -1 when the kernel is over.
 */
int vgpu_grid_at_once(struct vgpu_exec_run *run,
                      struct vgpu_exec_result *result);

#endif
