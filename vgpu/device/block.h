/*
 * block.h: the state of one kernel's run, shared by the files of device/.
 *
 * Reading order: vgpu_exec.h, grid.c (the blocks of a grid), exec.c, block.c
 * (threads, barriers), warp.c, matrix.c, gang.c, split.c, later.c, spin.c,
 * shared.c, trap.c, guard.c. walk.c, team.c, stacks.c, context.c, symbols.c and
 * print.c know nothing of blocks.
 *
 * A *fiber* is a stack on which the kernel's loop over threads runs. The
 * first fiber of a block runs one thread after the other. As soon as a thread
 * has to wait, its fiber stays behind with it and a new fiber takes over the
 * loop. So a kernel without barriers needs one fiber and no switches, and one
 * with barriers a fiber for each thread.
 */
#ifndef VGPU_BLOCK_H
#define VGPU_BLOCK_H

#include <stdint.h>

#include "context.h"
#include "vgpu/threads.h"
#include "vgpu_exec.h"

#define BLOCK_MAX_THREADS 1024
#define WARP_LANES        32
#define BLOCK_MAX_WARPS   (BLOCK_MAX_THREADS / WARP_LANES)
/* So many threads before one goes on its stack is fetched. */
#define STEP_AHEAD 2
/* What a shuffle from a lane that is not there gives. */
#define NO_VALUE 0xCDCDCDCDCDCDCDCDu

struct fiber {
    struct context context;
    struct fiber *next; /* in the list of unused ones */
    char *stack;
};

enum thread_state {
    THREAD_RUNS,
    THREAD_WAITS_BARRIER,
    THREAD_WAITS_WARP,
    THREAD_WAITS_GANG,
    THREAD_WAITS_FLAG, /* only to let others go on */
};

/* The last loop without effect that a thread went round in; see spin.c. */
struct idle_loop {
    unsigned rounds;
    unsigned reads;  /* of flags by its block, at the last round */
    unsigned epoch;  /* of its block's, in which the thread counts as idle */
    unsigned waited; /* times at barriers and votes in this round */
    unsigned before; /* ... and in one before, at most */
    uint64_t ops;    /* of the thread's function, after the last round */
    uint64_t pc;
};

/* A thread that has waited in this block. */
struct thread {
    struct fiber *fiber;
    enum thread_state state;
    int group;      /* WAITS_WARP: index in its warp */
    bool wrote;     /* a volatile variable, and has read none since */
    uint64_t value; /* what it gives to a warp's op */
    unsigned int operand;
    uint64_t result;
    struct idle_loop idle;
};

/* Lanes of a warp that do the same operation with the same mask. */
struct warp_group {
    enum vgpu_warp_op op;
    unsigned int mask;
    unsigned int arrived;
};

struct warp {
    unsigned int ended; /* lanes that ended or never were */
    int num_groups;     /* 0: the first says what the last one was */
    struct warp_group groups[WARP_LANES];
};

struct shared_variable {
    const void *key;
    size_t offset;
    size_t bytes, align;
};

/* Threads that wait to be done together; see gang.c. */
struct gang {
    struct vgpu_gang_site *site;
    vgpu_gang_run *run;
    int count;
    bool busy; /* ... are being done */
    uint16_t threads[VGPU_GANG];
    struct vgpu_gang_call *calls[VGPU_GANG];
    struct vgpu_gang_call call[VGPU_GANG];
};

/* What each thread of a block keeps from one barrier to the next. */
#define SPLIT_ALIGN 64
struct split_room {
    void *at;
    size_t bytes;
};

#define CLUSTER_MOST 16 /* blocks */

#define SHARED_STATIC_BYTES  (48 * 1024)
#define SHARED_FENCE_BYTES   128
#define SHARED_MAX_VARIABLES 256

/* The shared memory of the block that runs; see shared.c. */
struct shared_memory {
    char *base; /* the whole mapping; NULL: none yet */
    char *dynamic;
    size_t dynamic_bytes;
    size_t static_bytes; /* without fences */
    size_t static_end;   /* offset of the first free byte */
    int num_variables;
    struct shared_variable variables[SHARED_MAX_VARIABLES];
};

/* What the running thread looks at again and again; see spin.c. */
#define FLAG_LOOKS 16
struct flag_looks {
    const volatile void *at[FLAG_LOOKS];
    uint64_t value[FLAG_LOOKS];
    int by[FLAG_LOOKS];
    unsigned next;    /* ... to be forgotten */
    int thread;       /* the last one */
    unsigned idle;    /* reads without news */
    unsigned in_vain; /* turns given to others since there was any */
    unsigned reads;   /* all of them */
    uint64_t pc;
};

struct vgpu_block {
    /* what vgpu_block_next needs, first */
    int current;         /* the running thread, or -1 */
    uint32_t num_simple; /* see vgpu_block_note */
    int64_t *position;   /* x | y << 16 | z << 32 of each */

    uint32_t num_threads;
    uint32_t num_started;
    uint32_t num_ended;
    uint32_t num_waiting;
    struct warp *warps;
    uint16_t *order;  /* threads in the order of starting */
    bool plain_order; /* ... which is theirs */
    bool warps_used;  /* in this block */
    bool steps;       /* some of its threads have `wrote` */

    const struct vgpu_exec *exec;
    vgpu_run_fn *run; /* of its body's */
    struct vgpu_exec_result *result;
    struct vgpu_geometry geometry;
    bool stopped;                 /* the kernel was ended early */
    bool watched;                 /* the checker looks for races in it */
    struct vgpu_race_block *race; /* what that keeps for it */
    bool waits;                   /* ... in its middle: for a flag, or ... */
    bool at_grid;                 /* ... for the other blocks */
    bool at_cluster;              /* ... for those of its cluster, ... */
    bool meets;                   /* ... who have all come */
    bool left;                    /* it has ended, and others have not */
    struct vgpu_cluster *cluster; /* NULL: it is alone */
    uint32_t rank;                /* ... in that */
    bool at_barrier;              /* ... all threads, and all are idle */
    bool moved;                   /* something was new since it last did */
    struct flag_looks looks;
    uint32_t num_idle; /* threads that wait in loops with barriers: spin.c */
    uint32_t rounds;   /* ... of all threads, since all do */
    unsigned epoch;    /* ... since any of them, or another, did more */

    struct context scheduler;
    struct fiber *fiber; /* the running one */
    struct fiber *unused;
    struct fiber *fibers; /* array of num_fibers */
    uint32_t num_fibers;

    struct thread *threads;
    uint16_t *ready; /* a ring of num_threads */
    uint32_t ready_first;
    uint32_t num_ready;
    bool in_step;        /* see vgpu_block_note */
    bool step_ends;      /* ... and those before `step` have ended */
    uint32_t step;       /* ... and who runs, in the order of starting */
    uint32_t step_to;    /* ... and those before go on to a barrier, or 0 */
    struct fiber **line; /* ... and their fibers, in that order */

    enum vgpu_barrier barrier_kind;
    uint32_t barrier_arrived;
    uint32_t barrier_true; /* arrived with a true predicate */
    uint64_t barrier_pc;   /* the last to come's */

    struct shared_memory shared;
    struct gang gang;
    bool split; /* one caller does what all threads do; see split.c */
    uint64_t split_counts[3]; /* ... ops, slots and doubles before */
    struct split_room rooms[VGPU_SPLIT_ROOMS];
    uint64_t launch; /* its number */

    uint64_t began_ops;   /* when this block did; see ahead.c */
    uint64_t began_work;  /* the same with what math functions took */
    uint64_t by_work[65]; /* blocks by the length of that number, in bits */
    int by_work_end;      /* none is longer */
    bool triggered;       /* ... it lets the next kernel begin, since: */
    uint64_t trigger_ops;
    uint32_t trigger_threads; /* that had begun */
    uint32_t trigger_most;    /* of all blocks, in thousandths */
    uint64_t read_most;       /* operations at the last reading of a clock */

    uint64_t ops, slots, doubles; /* as vgpu_kernel_ops has them */
    uint64_t pc;           /* for whom a function here uses memory, or 0 */
    uint64_t atomics;      /* that were looked at */
    uint64_t clock_last;   /* the last reading */
    uint64_t clock_waited; /* by a loop that reads it */
    int clock_thread;      /* the last reader */

    struct vgpu_block *next_free; /* in the list of idle ones, or waiting */
};

/* Does it run without call-backs? */
static inline bool vgpu_block_is_calm(const struct vgpu_block *block)
{
    return block->run == block->exec->body->unwatched;
}

/* The kernel that the calling host thread runs, or NULL. */
extern VGPU_OWN struct vgpu_block *vgpu_current;

/* The same, but end the program where there is none. @what: who asks. */
struct vgpu_block *vgpu_block_required(const char *what);

/* ---- exec.c ---- */

/* "block (0,0,0), thread (1,0,0)". Return: @text. */
char *vgpu_thread_name(const struct vgpu_block *block, int thread, char *text,
                       size_t size);

/*
 * A state that blocks of a launch can run in, for the next run kept when it is
 * given back, with its fibers' stacks.
 * @random  shuffles the threads, unless it is 0
 * @launch  a number of the launch's own
 * Return: NULL without memory.
 */
struct vgpu_block *vgpu_block_take(const struct vgpu_exec *exec,
                                   struct vgpu_exec_result *result,
                                   uint64_t random, uint64_t launch);
void vgpu_block_give(struct vgpu_block *block);

/* ---- block.c ---- */

/* Run all threads of one block, or go on with them where they wait for a flag
 * or for the other blocks, all of which have then come.
 * Return: 0, -1 when the kernel is over, 1 when they wait (again). */
int vgpu_block_run(struct vgpu_block *block);
/* The same for a thread: nothing was new to it. */
void vgpu_thread_spins(struct vgpu_block *block);
/*
 * Most threads never wait. Until one does, threads start and end in their
 * order, those below num_simple, and only `current` says so. And most that wait
 * come to __syncthreads, all of them, one after the other. Once they have, they
 * are *in step*: until one does anything else, those before `step` have come
 * to the next one, or all of them have ended, those behind it are ready, and
 * nothing else says so.
 * Bring what depends on it up to date, and keep it so: for the rest of this
 * block, or to the next __syncthreads.
 */
void vgpu_block_note(struct vgpu_block *block);
/* The same, where it most often is up to date. */
static inline void vgpu_block_noted(struct vgpu_block *block)
{
    if (block->in_step || block->num_simple)
        vgpu_block_note(block);
}
/* In step, and none has ended: the current thread comes to __syncthreads. */
void vgpu_step_on(struct vgpu_block *block, uint64_t pc);
/* The same where another one only has to go on: kernels that have many barriers
 * spend their time here. The last thing that a function does, so that it leaves
 * nothing on the stack. */
static inline void vgpu_step_go(struct vgpu_block *block)
{
    struct fiber *const mine = block->fiber;
    const uint32_t step = ++block->step;
    struct fiber *const next = block->line[step];

    context_prefetch(&block->line[step + STEP_AHEAD]->context);
    block->current = block->order[step];
    block->fiber = next;
    context_switch(&mine->context, &next->context);
}
/* Let the current thread wait until something readies it. */
void vgpu_thread_wait(struct vgpu_block *block, enum thread_state state);
/* Let the current thread go on behind those that are ready. */
void vgpu_thread_yield(struct vgpu_block *block, enum thread_state state);
/* Something has happened: no thread counts as idle. */
static inline void vgpu_block_news(struct vgpu_block *block)
{
    block->num_idle = 0;
    block->rounds = 0;
    block->epoch++;
    block->moved = true;
}
/* @thread waits for others. In an idle loop it did so in a round before. */
static inline void vgpu_wait_note(struct vgpu_block *block,
                                  struct thread *thread)
{
    block->looks.in_vain = 0;
    if (++thread->idle.waited > thread->idle.before && block->num_idle)
        vgpu_block_news(block);
}
/* Does every thread that is left go round in vain? */
static inline bool vgpu_block_is_idle(const struct vgpu_block *block)
{
    return block->num_idle &&
           block->num_idle == block->num_threads - block->num_ended;
}
/* Choose who goes on of those that are ready. First come, first served: a
 * thread that became ready earlier goes on earlier, so that the order is the
 * same in every run. Return: its fiber. */
static inline struct fiber *vgpu_ready_pop(struct vgpu_block *block)
{
    const uint32_t thread = block->ready[block->ready_first];

    block->ready_first++;
    if (block->ready_first == block->num_threads)
        block->ready_first = 0;
    block->num_ready--;
    block->current = (int)thread;
    if (block->num_ready)
        context_prefetch(
            &block->threads[block->ready[block->ready_first]].fiber->context);
    return block->threads[thread].fiber;
}
/* vgpu_thread_wait for the current @thread where another is ready, so that
 * vgpu_block_note has nothing to do. */
static inline void vgpu_thread_hand_on(struct vgpu_block *block,
                                       struct thread *thread,
                                       enum thread_state state)
{
    struct fiber *const mine = block->fiber;

    vgpu_wait_note(block, thread);
    block->num_waiting++;
    thread->fiber = mine;
    thread->state = state;
    block->fiber = vgpu_ready_pop(block);
    context_switch_alike(&mine->context, &block->fiber->context);
}
/* A waiting thread may go on, or some of those from @base on. */
void vgpu_thread_ready(struct vgpu_block *block, uint32_t thread);
void vgpu_lanes_ready(struct vgpu_block *block, uint32_t base,
                      unsigned int lanes);

/* ---- warp.c ---- */

void vgpu_warps_begin(struct vgpu_block *block);
/* @thread has ended and others wait: does a group of its warp go on? */
void vgpu_warp_lane_ended(struct vgpu_block *block, uint32_t thread);
/* Nothing else can run: lanes that asked who is active have their answer.
 * Return: whether any went on. */
bool vgpu_warps_settle(struct vgpu_block *block);
/* What a waiting thread waits at, "__syncwarp". */
const char *vgpu_warp_op_name(enum vgpu_warp_op op);

/* ---- matrix.c ---- */

/* Do what the lanes of @group have come for, those from thread @base on. */
void vgpu_matrix_meet(struct vgpu_block *block, uint32_t base,
                      const struct warp_group *group);

/* ---- gang.c ---- */

/* Do what the gang waits for. Return: false where nobody waits in it. */
bool vgpu_gang_finish(struct vgpu_block *block);

/* ---- split.c ---- */

void vgpu_split_free(struct vgpu_block *block);
/* What it has counted so far. */
void vgpu_split_forget(struct vgpu_block *block);

/* ---- cluster.c ---- */

/* The blocks of a cluster, from the first one's begin to the last one's end. */
struct vgpu_cluster {
    uint64_t number; /* in the grid, from 1 */
    uint32_t count;
    uint32_t left; /* that have come to their ends */
    struct vgpu_block *blocks[CLUSTER_MOST];
    uintptr_t shared[CLUSTER_MOST]; /* where their shared memory begins */
};

/* Of how many blocks are a launch's clusters? */
uint32_t vgpu_cluster_size(const struct vgpu_exec *exec);
/* As vgpu_block_take, of all blocks of one. Return: NULL without memory. */
struct vgpu_cluster *vgpu_cluster_take(const struct vgpu_exec *exec,
                                       struct vgpu_exec_result *result,
                                       uint64_t random, uint64_t launch);
/* The place in the grid of the block @rank of the cluster @at. */
uint64_t vgpu_cluster_place(const struct vgpu_exec *exec, uint64_t at,
                            uint32_t rank);
/* @block needs its state no more; they are given back when none does. */
void vgpu_cluster_leave(struct vgpu_block *block);
/* @block waits for the others: have all come that have not ended? */
bool vgpu_cluster_meets(struct vgpu_block *block);
/* Whose shared memory is @address in? NULL: none's of the cluster's. */
struct vgpu_block *vgpu_cluster_owner(const struct vgpu_block *block,
                                      const void *address);

/* ---- ahead.c ---- */

/* A block has come to its end: when did it let the next kernel begin? */
void vgpu_trigger_note(struct vgpu_block *block);

/* ---- later.c ---- */

/* Atomics of some blocks, in their order; begins as zeros. */
struct later {
    struct later_one *ones;
    size_t count, room;
};

/* Where the calling host thread keeps atomics, or NULL: they are made. */
extern VGPU_OWN struct later *vgpu_later;

typedef void vgpu_later_fn(void *at, uint64_t value);
/* Keep one. Return: false where it has to be made now, since it is of the
 * block's own memory. */
bool vgpu_later_put(void *at, uint64_t value, vgpu_later_fn *make);
void vgpu_later_make(const struct later *later);
/* An array of @count, or NULL. */
void vgpu_later_free(struct later *laters, uint64_t count);

/* ---- shared.c ---- */

/* Return: 0, or -1 without memory. */
int vgpu_shared_begin_launch(struct shared_memory *shared,
                             size_t dynamic_bytes);
void vgpu_shared_begin_block(struct shared_memory *shared);
/* Return: the variable past whose end something was written, or -1. */
int vgpu_shared_check(const struct shared_memory *shared);
bool vgpu_shared_contains(const struct shared_memory *shared,
                          const void *address, size_t *beyond);
/* How much of it there is from its base on. */
size_t vgpu_shared_bytes(void);

/* ---- trap.c ---- */

/* The thread that runs ends the kernel. Return: who goes on. */
struct context *vgpu_block_stop(struct vgpu_block *block,
                                enum vgpu_exec_status status, uint64_t pc,
                                const char *message);
/* What is wrong with an address that a CPU would not have. */
void vgpu_describe_address(const void *address, char *text, size_t size);

/* ---- guard.c ---- */

/* Catch what a CPU does where a GPU would end the kernel. Not nested. */
struct fault_guard;
struct fault_guard *vgpu_fault_guard_begin(void);
void vgpu_fault_guard_end(struct fault_guard *guard);
/* Memory whose last @guard_bytes nobody may use; NULL without. */
void *vgpu_guarded_memory(size_t bytes, size_t guard_bytes);
/* The kernel is about to use these. */
void vgpu_guard_met(const void *address);
/* vgpu_exec_abort with a place in the program. */
void vgpu_exec_abort_at(enum vgpu_exec_status status, uint64_t pc,
                        const char *message) __attribute__((noreturn));

#endif
