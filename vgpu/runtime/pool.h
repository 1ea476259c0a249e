/* pool.h: a pool of stream-ordered memory, for pool*.c */
#ifndef VGPU_RUNTIME_POOL_H
#define VGPU_RUNTIME_POOL_H

#include "rt.h"

/*
 * A stretch of a room's addresses: given out, or free for those who come after
 * @freed, and for everybody when that is over.
 */
struct vgpu_block {
    struct pool *pool;
    uintptr_t at;
    uint64_t bytes; /* whole units */
    uint64_t asked; /* what counts as used */
    uint64_t age;   /* when it was freed: more is later */
    bool given;
    struct vgpu_op *freed;   /* NULL: the host has waited for it */
    struct vgpu_block *next; /* by address */
};

/*
 * What a pool has of a device's memory comes in pieces, which lie in rooms: the
 * addresses stay the pool's, a piece may go back to the device or to another
 * place. What is @held of a device counts as its used bytes.
 */
struct room {
    uintptr_t base;
    uint64_t bytes;
    bool real;    /* the arena's addresses, or mere numbers */
    bool *pieces; /* which ones are there, */
    uint64_t top; /* none from here on */
    struct vgpu_block *blocks;
    struct room *next;
};

struct pool {
    int home;   /* of what place (pool_make.c) */
    int device; /* -1: the host's memory */
    bool managed;
    bool own;         /* made by cudaMemPoolCreate */
    bool gone;        /* destroyed, and something is still given out */
    bool imported;    /* of a handle: nothing is taken from it */
    unsigned handles; /* enum cudaMemAllocationHandleType, or 0 */
    int file;         /* that a handle stands for, plus 1; 0: none yet */
    uint64_t most;    /* bytes; 0: as many as the device has */
    uint64_t peers;   /* bit d: device d may use its memory, too */
    uint64_t release_threshold;
    uint64_t used, used_high;
    uint64_t late; /* of the used bytes: cudaFree freed them; until a trim */
    uint64_t reserved, reserved_high;
    struct room *rooms;
    int no_reuse[4];
    struct pool *next;
};

/* Handles are addresses: one that is in no list is refused and not followed.
 * Return: NULL for those. */
struct pool *vgpu_pool_find(cudaMemPool_t handle);
/* What an imported pool is asked for and cannot do. */
cudaError_t vgpu_pool_imported(void);
/* Bytes of a piece of @pool. */
uint64_t vgpu_pool_piece(const struct pool *pool);

/* What allocations in streams of @device come from. */
struct pool *vgpu_pool_current(int device);
/* All that have memory, one after the other; NULL: the first, and no more. */
struct pool *vgpu_pool_next(const struct pool *pool);
/* A program's own goes, with what it has. */
void vgpu_pool_remove(struct pool *pool);
/* Nothing of it is given out, and nobody can take what it has any more. */
void vgpu_pool_empty(struct pool *pool);
/* What is ready, and what cudaFree freed, goes back to the device, as long as
 * @pool has more than @keep bytes. Return: whether there was any. */
bool vgpu_pool_trim(struct pool *pool, uint64_t keep);

/* ---- pool_room.c --------------------------------------------------------- */

/*
 * A free block of @bytes for @stream, with pieces under all of it: from what
 * the pool has, else from @left bytes that the device may give.
 * @lacking  out: bytes that are not there, if that is why there is none
 * @taken    out: bytes that the device gives
 * Return: NULL without any.
 */
struct vgpu_block *vgpu_pool_take(struct pool *pool, uint64_t bytes,
                                  const struct vgpu_stream *stream,
                                  uint64_t left, uint64_t *lacking,
                                  uint64_t *taken);
/* It is free after @freed; NULL: at once. */
void vgpu_pool_give(struct vgpu_block *block, struct vgpu_op *freed);
/* Up to @bytes in pieces that are free for all go. Return: how many bytes.
 * @waited  only those whose frees the host has waited for */
uint64_t vgpu_rooms_give_back(struct pool *pool, uint64_t bytes, bool waited);
/* A call has waited for work. */
void vgpu_rooms_waited(struct pool *pool);
/* Frees of other streams that are not over: how many bytes. The oldest of them,
 * or NULL. */
uint64_t vgpu_rooms_pending(const struct pool *pool,
                            const struct vgpu_stream *stream,
                            struct vgpu_op **oldest);
/* Nothing is given out any more. */
void vgpu_rooms_free(struct pool *pool);
/* Are there pieces under all of these bytes? */
bool vgpu_rooms_hold(const struct pool *pool, uintptr_t at, uint64_t bytes);

/* ---- pool_left.c --------------------------------------------------------- */

/* @memory, in @block of a pool or NULL, is about to be freed in the order of a
 * stream. Return: NULL without memory; it goes then as any other. */
struct vgpu_left *vgpu_left_new(struct vgpu_memory *memory,
                                const struct vgpu_block *block);
/* @op frees such memory. */
void vgpu_left_begin(const struct vgpu_op *op);
/* Work was waited for, and @pool gave back what it gives: what lay there goes.
 */
void vgpu_left_settle(const struct pool *pool);
/* These addresses of a room are given out; @pool goes. */
void vgpu_left_again(uintptr_t at, uint64_t bytes);
void vgpu_left_forget(const struct pool *pool);

#endif
