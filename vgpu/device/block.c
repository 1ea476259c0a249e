/*
 * block.c: the threads of one block: fibers, barriers, starting and ending.
 *
 * One host thread runs them all, so what two threads do is never at the same
 * time and a run is the same every time. A thread runs until it waits or ends;
 * only then another one is chosen. See block.h for what a fiber is.
 */
#include "block.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stacks.h"
#include "vgpu_check.h"
#include "vgpu/calls.h"

#define STEP_NONE UINT32_MAX /* before the first */

/* ---- fibers -------------------------------------------------------------- */

/* A fiber's life: run threads until none is left to start. */
static void fiber_main(void *arg);

/* Stacks begin at different places, or all would want the same cache lines.
 * Makes a barrier of 1024 threads 15% faster. Each has its own, so that it
 * touches the same pages whoever has it. */
#define STACK_SHIFT 320

/* Return: NULL without memory. */
static struct fiber *fiber_new(struct vgpu_block *block)
{
    struct fiber *fiber = block->unused;
    size_t shift;

    if (fiber) {
        block->unused = fiber->next;
    } else {
        char *stack;

        if (block->num_fibers == BLOCK_MAX_THREADS)
            return NULL;
        stack = vgpu_stack_take();
        if (!stack)
            return NULL;
        fiber = &block->fibers[block->num_fibers++];
        fiber->stack = stack;
    }
    shift =
        (uintptr_t)fiber->stack / STACK_PITCH_BYTES * STACK_SHIFT % (16 * 1024);
    context_make(&fiber->context, fiber->stack, STACK_BYTES - shift, fiber_main,
                 block);
    return fiber;
}

/* In step: the next one begins or goes on. Return: NULL where all have ended,
 * or without memory. */
static struct fiber *step_next(struct vgpu_block *block)
{
    const uint32_t step = ++block->step;

    if (step == block->num_threads) {
        block->in_step = false;
        block->step_to = 0;
        block->num_ended = step;
        return NULL;
    }
    if (step == block->num_started) {
        block->line[step] = fiber_new(block);
        block->in_step = block->line[step];
        return block->line[step];
    }
    block->current = block->order[step];
    return block->line[step];
}

/* Choose what runs next: a thread that waited, a thread that has not started
 * yet (on a new fiber), or the scheduler. */
static inline struct context *pick_next(struct vgpu_block *block)
{
    struct fiber *fiber = NULL;

    if (block->in_step)
        fiber = step_next(block);
    else if (block->num_ready)
        fiber = vgpu_ready_pop(block);
    else if (block->num_started < block->num_threads)
        fiber = fiber_new(block);
    block->fiber = fiber;
    return fiber ? &fiber->context : &block->scheduler;
}

/* A fiber runs the loop over threads until none is left to start. A thread that
 * waits in the middle takes its fiber with it; the loop then goes on in a new
 * one. An ended fiber's stack is free for the next. */
static void fiber_main(void *arg)
{
    struct vgpu_block *block = arg;

    for (;;) {
        struct fiber *fiber = block->fiber;

        block->current = -1;
        block->run(block->exec->closure, block);
        fiber->next = block->unused;
        block->unused = fiber;
        context_end(&fiber->context, pick_next(block));
    }
}

static void mark_waiting(struct vgpu_block *block, enum thread_state state)
{
    struct thread *thread = &block->threads[block->current];

    if (block->split) {
        fprintf(stderr, "vgpu: a thread waits in a kernel that was split\n");
        abort();
    }
    vgpu_block_noted(block);
    if (state != THREAD_WAITS_FLAG)
        vgpu_wait_note(block, thread);
    thread->fiber = block->fiber;
    thread->state = state;
    block->num_waiting++;
}

/* Run others until the current thread, marked as waiting, is chosen. */
static void leave(struct vgpu_block *block)
{
    struct fiber *fiber = block->fiber;
    struct context *next = pick_next(block);

    if (next != &fiber->context)
        context_switch(&fiber->context, next);
}

void vgpu_thread_wait(struct vgpu_block *block, enum thread_state state)
{
    mark_waiting(block, state);
    leave(block);
}

void vgpu_thread_yield(struct vgpu_block *block, enum thread_state state)
{
    mark_waiting(block, state);
    vgpu_thread_ready(block, (uint32_t)block->current);
    leave(block);
}

/* A thread that has not begun yet, before those that wait for flags. */
static void start_another(struct vgpu_block *block)
{
    struct fiber *mine = block->fiber;
    struct fiber *fiber = fiber_new(block);

    if (!fiber) {
        vgpu_thread_yield(block, THREAD_WAITS_FLAG);
        return;
    }
    mark_waiting(block, THREAD_WAITS_FLAG);
    vgpu_thread_ready(block, (uint32_t)block->current);
    block->fiber = fiber;
    context_switch(&mine->context, &fiber->context);
}

/*
 * Once every other thread that can go on has had a turn, and was in vain too,
 * the block waits: the scheduler's caller gets the turn, and gives it back by
 * vgpu_block_run.
 */
void vgpu_thread_spins(struct vgpu_block *block)
{
    if (block->split)
        return;
    vgpu_block_note(block);
    if (block->num_started < block->num_threads) {
        start_another(block);
    } else if (block->looks.in_vain++ <= block->num_ready) {
        vgpu_thread_yield(block, THREAD_WAITS_FLAG);
    } else if (vgpu_gang_finish(block) || vgpu_warps_settle(block)) {
        block->looks.in_vain = 0; /* those that go on may change something */
        vgpu_thread_yield(block, THREAD_WAITS_FLAG);
    } else {
        block->waits = true;
        context_switch(&block->fiber->context, &block->scheduler);
    }
}

/* The ring has room for every thread, so it cannot run over. */
static inline void ready_put(struct vgpu_block *block, uint32_t thread)
{
    uint32_t at = block->ready_first + block->num_ready;

    if (at >= block->num_threads)
        at -= block->num_threads;
    block->ready[at] = (uint16_t)thread;
    block->threads[thread].state = THREAD_RUNS;
    block->num_ready++;
    block->num_waiting--;
}

void vgpu_thread_ready(struct vgpu_block *block, uint32_t thread)
{
    ready_put(block, thread);
}

void vgpu_lanes_ready(struct vgpu_block *block, uint32_t base,
                      unsigned int lanes)
{
    for (; lanes; lanes &= lanes - 1)
        ready_put(block, base + (uint32_t)__builtin_ctz(lanes));
}

/* ---- barriers ------------------------------------------------------------ */

static const char *barrier_name(enum vgpu_barrier kind)
{
    static const char *const names[] = {
        "__syncthreads",    "__syncthreads_count", "__syncthreads_and",
        "__syncthreads_or", "grid.sync()",         "cluster.sync()",
    };

    return names[kind];
}

/* Source: guide, "Synchronization Functions". */
static uint64_t barrier_result(const struct vgpu_block *block)
{
    switch (block->barrier_kind) {
    case VGPU_BARRIER_COUNT:
        return block->barrier_true;
    case VGPU_BARRIER_AND:
        return block->barrier_true == block->barrier_arrived;
    case VGPU_BARRIER_OR:
        return block->barrier_true != 0;
    default:
        return 0;
    }
}

/* CUDA promises that a barrier waits for the threads that have not ended, and
 * also says that all of a block must come to it. Both hold: go on, but say
 * so, once. */
static void warn_of_ended(struct vgpu_block *block)
{
    struct vgpu_exec_result *result = block->result;
    uint32_t thread = 0;
    char name[96];

    if (result->warning[0])
        return;
    while (
        !(block->warps[thread / WARP_LANES].ended >> thread % WARP_LANES & 1))
        thread++;
    snprintf(result->warning, sizeof result->warning,
             "%s ended before a %s that other threads of its block came to",
             vgpu_thread_name(block, (int)thread, name, sizeof name),
             barrier_name(block->barrier_kind));
}

/* In step, and all are there: the first goes on, and behind the last one the
 * first comes again. */
static void step_open(struct vgpu_block *block)
{
    block->step = STEP_NONE;
    block->step_to = block->num_threads;
    for (uint32_t i = 0; i < STEP_AHEAD; i++)
        block->line[block->num_threads + i] =
            block->line[i % block->num_threads];
}

/* The first thread of a block comes to __syncthreads. */
static void step_start(struct vgpu_block *block)
{
    block->num_simple = 0;
    block->warps_used = true;
    block->num_started = 1;
    block->line[0] = block->fiber;
    block->in_step = true;
    block->step_ends = false;
    block->step = 0;
}

/* All threads wait at a __syncthreads, and none has ended. */
static void step_begin(struct vgpu_block *block)
{
    for (uint32_t i = 0; i < block->num_threads; i++) {
        struct thread *t = &block->threads[block->order[i]];

        t->result = 0;
        t->state = THREAD_RUNS;
        block->line[i] = t->fiber;
    }
    block->num_waiting = 0;
    block->barrier_arrived = 0;
    block->in_step = true;
    block->step_ends = false;
    step_open(block);
}

/* What has been left out since then. */
static void step_note(struct vgpu_block *block)
{
    uint32_t i;

    for (i = 0; i < block->step; i++) {
        const uint32_t thread = block->order[i];

        block->threads[thread].fiber = block->line[i];
        if (block->step_ends)
            block->warps[thread / WARP_LANES].ended |= 1u
                                                       << thread % WARP_LANES;
        else
            block->threads[thread].state = THREAD_WAITS_BARRIER;
    }
    if (block->step_ends)
        block->num_ended = i;
    else
        block->num_waiting = block->barrier_arrived = i;
    block->barrier_kind = VGPU_BARRIER_PLAIN;
    block->ready_first = 0;
    for (i++; i < block->num_started; i++) {
        block->threads[block->order[i]].fiber = block->line[i];
        block->ready[block->num_ready++] = block->order[i];
    }
    block->in_step = false;
    block->step_to = 0;
}

void vgpu_step_on(struct vgpu_block *block, uint64_t pc)
{
    struct fiber *mine = block->fiber;

    if (block->step + 1 == block->num_threads) {
        step_open(block);
        block->barrier_pc = pc;
        if (block->watched)
            vgpu_race_barrier();
    }
    block->fiber = step_next(block);
    context_switch(&mine->context,
                   block->fiber ? &block->fiber->context : &block->scheduler);
}

/* Everybody is there: let all go on. */
static void barrier_open(struct vgpu_block *block)
{
    uint64_t result = barrier_result(block);
    uint32_t i;

    if (block->num_ended)
        warn_of_ended(block);
    if (block->watched)
        vgpu_race_barrier();
    if (block->barrier_kind == VGPU_BARRIER_PLAIN && !block->num_ended &&
        block->num_threads > 1 && !block->num_idle) {
        step_begin(block);
        return;
    }
    for (i = 0; i < block->num_threads; i++) {
        uint32_t thread = block->order[i];
        struct thread *t = &block->threads[thread];

        t->result = result;
        if (t->state == THREAD_WAITS_BARRIER)
            vgpu_thread_ready(block, thread);
    }
    block->barrier_arrived = 0;
    block->barrier_true = 0;
}

/* All of the block are there. At a grid's or a cluster's barrier it is the
 * block now that waits: nobody is ready, and so the scheduler gets the word. So
 * it does where all would only come to the barrier again. */
static void barrier_meet(struct vgpu_block *block)
{
    const bool idle = vgpu_block_is_idle(block);

    block->at_grid = block->barrier_kind == VGPU_BARRIER_GRID;
    block->at_cluster = block->barrier_kind == VGPU_BARRIER_CLUSTER;
    block->at_barrier = !block->at_grid && !block->at_cluster && idle;
    block->waits = block->at_grid || block->at_cluster || idle;
    block->moved = block->moved || !idle;
    if (!block->waits)
        barrier_open(block);
}

static bool barrier_complete(const struct vgpu_block *block)
{
    return block->barrier_arrived + block->num_ended == block->num_threads;
}

/* Different barriers at once can never complete: a kernel whose threads come to
 * them has a defined end here instead of none. A function of its own, so that
 * the text takes no room on each waiting thread's stack. */
static __attribute__((noinline, noreturn)) void
end_by_barriers(const struct vgpu_block *block, enum vgpu_barrier kind,
                uint64_t pc)
{
    char text[128];

    snprintf(text, sizeof text, "came to %s while others wait at %s",
             barrier_name(kind), barrier_name(block->barrier_kind));
    vgpu_exec_abort_at(VGPU_EXEC_DIVERGENT_BARRIER, pc, text);
}

int vgpu_barrier_wait(enum vgpu_barrier kind, int predicate, uint64_t pc)
{
    struct vgpu_block *block = vgpu_block_required(barrier_name(kind));
    int self = block->current;

    if (kind == VGPU_BARRIER_PLAIN && block->num_simple > 1 && !self) {
        step_start(block);
        vgpu_step_on(block, pc);
        return 0;
    }
    vgpu_block_note(block);
    if (block->barrier_arrived && kind != block->barrier_kind)
        end_by_barriers(block, kind, pc);
    block->barrier_kind = kind;
    block->barrier_arrived++;
    block->barrier_true += predicate != 0;
    block->barrier_pc = pc;
    /* The last to come waits, too: threads go on in the order of starting. */
    mark_waiting(block, THREAD_WAITS_BARRIER);
    if (barrier_complete(block))
        barrier_meet(block);
    leave(block);
    return (int)block->threads[self].result;
}

/* ---- starting and ending threads ----------------------------------------- */

/* A thread that has ended takes part in no barrier any more, so its end may be
 * what others wait for. */
static void thread_end(struct vgpu_block *block, uint32_t thread)
{
    block->warps[thread / WARP_LANES].ended |= 1u << thread % WARP_LANES;
    block->num_ended++;
    block->looks.in_vain = 0;
    vgpu_block_news(block);
    if (!block->num_waiting)
        return;
    vgpu_warp_lane_ended(block, thread);
    if (block->barrier_arrived && barrier_complete(block))
        barrier_meet(block);
}

void vgpu_block_note(struct vgpu_block *block)
{
    uint32_t ended = (uint32_t)block->current;
    uint32_t i;

    if (block->in_step)
        step_note(block);
    if (!block->num_simple)
        return;
    block->num_simple = 0;
    block->warps_used = true;
    block->num_started = ended + 1;
    block->num_ended = ended;
    for (i = 0; i < ended / WARP_LANES; i++)
        block->warps[i].ended = ~0u;
    block->warps[i].ended |= (1u << ended % WARP_LANES) - 1;
}

/* Not inlined: vgpu_block_next needs no frame without it. */
static __attribute__((noinline)) int64_t next_of_some(struct vgpu_block *block)
{
    uint32_t thread;

    if (block->current >= 0 && block->in_step &&
        (!block->step || block->step_ends)) {
        block->step_ends = true;
        block->step_to = 0;
        return -1;
    }
    if (block->current >= 0) {
        vgpu_block_note(block);
        thread_end(block, (uint32_t)block->current);
    }
    block->current = -1;
    if (block->num_started == block->num_threads)
        return -1;
    thread = block->order[block->num_started++];
    block->current = (int)thread;
    return block->position[thread];
}

_Static_assert(offsetof(struct vgpu_block, current) == VGPU_BLOCK_CURRENT &&
                   offsetof(struct vgpu_block, num_simple) ==
                       VGPU_BLOCK_SIMPLE &&
                   offsetof(struct vgpu_block, position) == VGPU_BLOCK_POSITION,
               "as in vgpu/calls.h");

int64_t vgpu_block_next(struct vgpu_block *block)
{
    uint32_t thread = (uint32_t)block->current + 1;

    if (thread >= block->num_simple)
        return next_of_some(block);
    block->current = (int)thread;
    return block->position[thread];
}

/* ---- a block ------------------------------------------------------------- */

/* Threads wait, and nothing can ever wake them. */
static void report_deadlock(struct vgpu_block *block)
{
    struct vgpu_exec_result *result = block->result;
    const char *barrier = NULL;
    const char *warp_op = NULL;
    uint32_t in_barrier = 0, in_warp = 0, i;
    int first = -1;
    char name[96];

    for (i = 0; i < block->num_threads; i++) {
        const struct thread *t = &block->threads[i];

        if (t->state == THREAD_WAITS_BARRIER) {
            barrier = barrier_name(block->barrier_kind);
            in_barrier++;
        } else if (t->state == THREAD_WAITS_WARP) {
            const struct warp *warp = &block->warps[i / WARP_LANES];

            if (first < 0) {
                warp_op = vgpu_warp_op_name(warp->groups[t->group].op);
                first = (int)i;
            }
            in_warp++;
        }
    }
    result->status = VGPU_EXEC_DIVERGENT_BARRIER;
    vgpu_thread_name(block, first, name, sizeof name);
    if (barrier)
        snprintf(result->message, sizeof result->message,
                 "divergent barrier: %s waits at %s with %u more, %u wait at "
                 "%s, for each other",
                 name, warp_op, in_warp - 1, in_barrier, barrier);
    else
        snprintf(result->message, sizeof result->message,
                 "divergent warp: %s waits at %s, and lanes in its mask never "
                 "come to the same one",
                 name, warp_op);
}

static void report_shared_overrun(struct vgpu_block *block)
{
    char name[96];

    block->result->status = VGPU_EXEC_ILLEGAL_ADDRESS;
    snprintf(block->result->message, sizeof block->result->message,
             "%s wrote past the end of a __shared__ variable",
             vgpu_thread_name(block, -1, name, sizeof name));
}

/* All blocks of a cooperative grid have their stacks at once. */
static void report_no_stacks(struct vgpu_block *block)
{
    struct vgpu_exec_result *result = block->result;
    const struct uint3 *grid = &block->geometry.grid_dim;

    result->status = VGPU_EXEC_NO_MEMORY;
    if (block->exec->cooperative)
        snprintf(result->message, sizeof result->message,
                 "no memory for the stacks of a grid of %" PRIu64 " blocks of "
                 "%u threads that wait for each other: launch fewer blocks, or "
                 "choose a GPU of fewer SMs (VGPU_DEVICE)",
                 (uint64_t)grid->x * grid->y * grid->z, block->num_threads);
    else
        snprintf(result->message, sizeof result->message,
                 "no memory for the stacks of a block");
}

static void block_reset(struct vgpu_block *block)
{
    vgpu_block_news(block);
    block->num_started = 0;
    block->num_ended = 0;
    block->num_simple = block->plain_order ? block->num_threads : 0;
    block->current = -1;
    if (block->num_waiting || block->barrier_arrived) {
        fprintf(stderr, "vgpu: a block ended with threads waiting\n");
        abort();
    }
    if (block->warps_used || !block->plain_order)
        vgpu_warps_begin(block);
    block->warps_used = false;
    for (uint32_t i = 0; block->steps && i < block->num_threads; i++)
        block->threads[i].wrote = false;
    block->steps = false;
    vgpu_shared_begin_block(&block->shared);
}

/* Begin, or go on in the middle. Return: whom with; NULL: whoever is ready. */
static struct context *block_begin(struct vgpu_block *block)
{
    const bool waits = block->waits;

    block->waits = false;
    if (block->at_grid || block->at_cluster || block->at_barrier) {
        block->at_grid = block->at_cluster = block->at_barrier = false;
        block->meets = false;
        barrier_open(block);
        return NULL;
    }
    if (waits)
        return &block->fiber->context;
    block_reset(block);
    return NULL;
}

/* The scheduler is this function, on the caller's own stack. It gets the word
 * back when every thread waits or has ended, and decides which of the two it
 * is. */
int vgpu_block_run(struct vgpu_block *block)
{
    struct context *again = block_begin(block);

    while (block->num_ended < block->num_threads) {
        struct context *next = again ? again : pick_next(block);

        again = NULL;
        if (next == &block->scheduler) {
            if (vgpu_gang_finish(block))
                continue;
            if (block->num_started < block->num_threads) {
                report_no_stacks(block);
                return -1;
            }
            if (vgpu_warps_settle(block))
                continue;
            report_deadlock(block);
            return -1;
        }
        context_switch(&block->scheduler, next);
        if (block->stopped)
            return -1;
        if (block->waits)
            return 1;
    }
    if (vgpu_shared_check(&block->shared) >= 0) {
        report_shared_overrun(block);
        return -1;
    }
    return 0;
}
