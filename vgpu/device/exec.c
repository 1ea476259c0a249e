/* exec.c: runs the blocks and threads of a kernel; barriers. */
#include "block.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks.h"
#include "vgpu/calls.h"
#include "vgpu_check.h"

_Thread_local struct vgpu_block *vgpu_current;

/* The runtime's; without one, host operations cost nothing. */
void vgpu_host_cost(uint64_t ops);
__attribute__((weak)) void vgpu_host_cost(uint64_t ops)
{
    (void)ops;
}

void vgpu_cost_add(uint64_t ops)
{
    struct vgpu_block *block = vgpu_current;

    if (ops > INT64_MAX)
        return; /* nobody gives work back */
    if (block)
        block->ops += ops;
    else
        vgpu_host_cost(ops);
}

struct vgpu_block *vgpu_block_required(const char *what)
{
    if (!vgpu_current) {
        fprintf(stderr, "vgpu: %s is for device code, called by host code\n",
                what);
        abort();
    }
    return vgpu_current;
}

char *vgpu_thread_name(const struct vgpu_block *block, int thread, char *text,
                       size_t size)
{
    const struct uint3 *b = &block->geometry.block_index;
    int64_t t;

    if (thread < 0) {
        snprintf(text, size, "block (%u,%u,%u)", b->x, b->y, b->z);
        return text;
    }
    t = block->position[thread];
    snprintf(text, size, "block (%u,%u,%u), thread (%d,%d,%d)", b->x, b->y,
             b->z, (int)(t & 0xffff), (int)(t >> 16 & 0xffff), (int)(t >> 32));
    return text;
}

/* ---- who am I ------------------------------------------------------------ */

void vgpu_block_geometry(const struct vgpu_block *block,
                         struct vgpu_geometry *geometry)
{
    *geometry = block->geometry;
}

void vgpu_closure_read(void *to, const void *closure, size_t bytes)
{
    memcpy(to, closure, bytes);
}

struct uint3 vgpu_thread_index(void)
{
    struct vgpu_block *block = vgpu_block_required("threadIdx");
    int64_t t = block->position[block->current];

    return (struct uint3){(unsigned int)(t & 0xffff),
                          (unsigned int)(t >> 16 & 0xffff),
                          (unsigned int)(t >> 32)};
}

struct uint3 vgpu_block_index(void)
{
    return vgpu_block_required("blockIdx")->geometry.block_index;
}

struct uint3 vgpu_block_extent(void)
{
    return vgpu_block_required("blockDim")->geometry.block_dim;
}

struct uint3 vgpu_grid_extent(void)
{
    return vgpu_block_required("gridDim")->geometry.grid_dim;
}

/* ---- fibers -------------------------------------------------------------- */

/* A fiber's life: run threads until none is left to start. */
static void fiber_main(void *arg);

/* Stacks begin at different places, or all would want the same cache lines.
 * Makes a barrier of 1024 threads 15% faster. */
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
    shift = (size_t)(fiber - block->fibers) * STACK_SHIFT % (16 * 1024);
    context_make(&fiber->context, fiber->stack, STACK_BYTES - shift, fiber_main,
                 block);
    return fiber;
}

static struct thread *ready_pop(struct vgpu_block *block)
{
    uint32_t thread = block->ready[block->ready_first];

    block->ready_first++;
    if (block->ready_first == block->num_threads)
        block->ready_first = 0;
    block->num_ready--;
    block->current = (int)thread;
    return &block->threads[thread];
}

/* Choose what runs next: a thread that waited, a thread that has not started
 * yet (on a new fiber), or the scheduler. */
static struct context *pick_next(struct vgpu_block *block)
{
    struct fiber *fiber = NULL;

    if (block->num_ready)
        fiber = ready_pop(block)->fiber;
    else if (block->num_started < block->num_threads)
        fiber = fiber_new(block);
    block->fiber = fiber;
    return fiber ? &fiber->context : &block->scheduler;
}

static void fiber_main(void *arg)
{
    struct vgpu_block *block = arg;
    struct fiber *fiber = block->fiber;

    block->current = -1;
    block->exec->run(block->exec->closure, block);
    fiber->next = block->unused;
    block->unused = fiber;
    context_switch(&fiber->context, pick_next(block));
    abort();
}

static void mark_waiting(struct vgpu_block *block, enum thread_state state)
{
    struct thread *thread = &block->threads[block->current];

    vgpu_block_note(block);
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

void vgpu_thread_ready(struct vgpu_block *block, uint32_t thread)
{
    uint32_t at = block->ready_first + block->num_ready;

    if (at >= block->num_threads)
        at -= block->num_threads;
    block->ready[at] = (uint16_t)thread;
    block->threads[thread].state = THREAD_RUNS;
    block->num_ready++;
    block->num_waiting--;
}

/* ---- barriers ------------------------------------------------------------ */

static const char *barrier_name(enum vgpu_barrier kind)
{
    static const char *const names[] = {
        "__syncthreads",
        "__syncthreads_count",
        "__syncthreads_and",
        "__syncthreads_or",
    };

    return names[kind];
}

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
    snprintf(result->warning, sizeof(result->warning),
             "%s ended before a %s that other threads of its block came to",
             vgpu_thread_name(block, (int)thread, name, sizeof(name)),
             barrier_name(block->barrier_kind));
}

/* Everybody is there: let all go on. */
static void barrier_open(struct vgpu_block *block)
{
    uint64_t result = barrier_result(block);
    uint32_t i;

    if (block->num_ended)
        warn_of_ended(block);
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

static int barrier_complete(const struct vgpu_block *block)
{
    return block->barrier_arrived + block->num_ended == block->num_threads;
}

int vgpu_barrier_wait(enum vgpu_barrier kind, int predicate, uint64_t pc)
{
    struct vgpu_block *block = vgpu_block_required(barrier_name(kind));
    int self = block->current;

    if (block->barrier_arrived && kind != block->barrier_kind) {
        char text[128];

        snprintf(text, sizeof(text), "came to %s while others wait at %s",
                 barrier_name(kind), barrier_name(block->barrier_kind));
        vgpu_exec_abort_at(VGPU_EXEC_DIVERGENT_BARRIER, pc, text);
    }
    block->barrier_kind = kind;
    block->barrier_arrived++;
    block->barrier_true += predicate != 0;
    /* The last to come waits, too: threads go on in the order of starting. */
    mark_waiting(block, THREAD_WAITS_BARRIER);
    if (barrier_complete(block))
        barrier_open(block);
    leave(block);
    return (int)block->threads[self].result;
}

/* ---- starting and ending threads ----------------------------------------- */

static void thread_end(struct vgpu_block *block, uint32_t thread)
{
    block->warps[thread / WARP_LANES].ended |= 1u << thread % WARP_LANES;
    block->num_ended++;
    if (!block->num_waiting)
        return;
    vgpu_warp_lane_ended(block, thread);
    if (block->barrier_arrived && barrier_complete(block))
        barrier_open(block);
}

void vgpu_block_note(struct vgpu_block *block)
{
    uint32_t ended = (uint32_t)block->current;
    uint32_t i;

    if (!block->num_simple)
        return;
    block->num_simple = 0;
    block->warps_used = 1;
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
    vgpu_thread_name(block, first, name, sizeof(name));
    if (barrier)
        snprintf(result->message, sizeof(result->message),
                 "divergent barrier: %s waits at %s with %u more, %u wait at "
                 "%s, for each other",
                 name, warp_op, in_warp - 1, in_barrier, barrier);
    else
        snprintf(result->message, sizeof(result->message),
                 "divergent warp: %s waits at %s, and lanes in its mask never "
                 "come to the same one",
                 name, warp_op);
}

static void report_shared_overrun(struct vgpu_block *block)
{
    char name[96];

    block->result->status = VGPU_EXEC_ILLEGAL_ADDRESS;
    snprintf(block->result->message, sizeof(block->result->message),
             "%s wrote past the end of a __shared__ variable",
             vgpu_thread_name(block, -1, name, sizeof(name)));
}

static void block_reset(struct vgpu_block *block)
{
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
    block->warps_used = 0;
    vgpu_shared_begin_block(&block->shared);
}

/* Run all threads of one block. Return: 0, or -1 when the kernel is over. */
static int block_run(struct vgpu_block *block)
{
    block_reset(block);
    while (block->num_ended < block->num_threads) {
        struct context *next = pick_next(block);

        if (next == &block->scheduler) {
            if (block->num_started < block->num_threads) {
                block->result->status = VGPU_EXEC_NO_MEMORY;
                snprintf(block->result->message, sizeof(block->result->message),
                         "no memory for the stacks of a block");
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
    }
    if (vgpu_shared_check(&block->shared) >= 0) {
        report_shared_overrun(block);
        return -1;
    }
    return 0;
}

/* ---- a grid -------------------------------------------------------------- */

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Every number below @count once: from @first on in steps of @step. */
struct walk {
    uint64_t count;
    uint64_t first;
    uint64_t step;
};

static struct walk walk_make(uint64_t count, uint64_t *random)
{
    struct walk walk = {count, 0, 1};

    if (*random && count > 1) {
        walk.first = random_next(random) % count;
        do {
            walk.step = 1 + random_next(random) % (count - 1);
        } while (common_divisor(walk.step, count) != 1);
    }
    return walk;
}

static void order_threads(struct vgpu_block *block, uint64_t random)
{
    const struct uint3 *dim = &block->geometry.block_dim;
    uint32_t n = block->num_threads;
    uint32_t i;

    for (i = 0; i < n; i++) {
        int64_t x = i % dim->x;
        int64_t y = i / dim->x % dim->y;
        int64_t z = i / dim->x / dim->y;

        block->position[i] = x | y << 16 | z << 32;
        block->order[i] = (uint16_t)i;
        block->threads[i].state = THREAD_RUNS;
    }
    for (i = n; random && i > 1; i--) {
        uint32_t other = (uint32_t)(random_next(&random) % i);
        uint16_t swapped = block->order[i - 1];

        block->order[i - 1] = block->order[other];
        block->order[other] = swapped;
    }
}

static void grid_run(struct vgpu_block *block)
{
    const uint32_t *grid = block->exec->grid;
    uint64_t random = block->exec->seed;
    struct walk walk =
        walk_make((uint64_t)grid[0] * grid[1] * grid[2], &random);
    uint64_t at = walk.first;
    uint64_t i;

    order_threads(block, random);
    block->plain_order = !random;
    block->warps_used = 1;
    for (i = 0; i < walk.count; i++) {
        block->geometry.block_index =
            (struct uint3){(unsigned int)(at % grid[0]),
                           (unsigned int)(at / grid[0] % grid[1]),
                           (unsigned int)(at / grid[0] / grid[1])};
        if (block_run(block))
            return;
        at += walk.step;
        if (at >= walk.count)
            at -= walk.count;
    }
}

/* ---- runs ---------------------------------------------------------------- */

static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vgpu_block *idle;

static void state_free(struct vgpu_block *block)
{
    free(block->warps);
    free(block->order);
    free(block->position);
    free(block->fibers);
    free(block->threads);
    free(block->ready);
    free(block);
}

static struct vgpu_block *state_new(void)
{
    struct vgpu_block *block = calloc(1, sizeof(*block));
    size_t n = BLOCK_MAX_THREADS;

    if (!block)
        return NULL;
    block->warps = calloc(BLOCK_MAX_WARPS, sizeof(*block->warps));
    block->order = calloc(n, sizeof(*block->order));
    block->position = calloc(n, sizeof(*block->position));
    block->fibers = calloc(n, sizeof(*block->fibers));
    block->threads = calloc(n, sizeof(*block->threads));
    block->ready = calloc(n, sizeof(*block->ready));
    if (block->warps && block->order && block->position && block->fibers &&
        block->threads && block->ready)
        return block;
    state_free(block);
    return NULL;
}

static struct vgpu_block *state_take(void)
{
    struct vgpu_block *block;

    pthread_mutex_lock(&idle_lock);
    block = idle;
    if (block)
        idle = block->next_free;
    pthread_mutex_unlock(&idle_lock);
    return block ? block : state_new();
}

/* Keep the state, with its fibers' stacks, for the next run. */
static void state_give(struct vgpu_block *block)
{
    pthread_mutex_lock(&idle_lock);
    block->next_free = idle;
    idle = block;
    pthread_mutex_unlock(&idle_lock);
}

static void state_prepare(struct vgpu_block *block,
                          const struct vgpu_exec *exec,
                          struct vgpu_exec_result *result)
{
    uint32_t i;

    block->exec = exec;
    block->result = result;
    block->geometry.block_dim =
        (struct uint3){exec->block[0], exec->block[1], exec->block[2]};
    block->geometry.grid_dim =
        (struct uint3){exec->grid[0], exec->grid[1], exec->grid[2]};
    block->num_threads = exec->block[0] * exec->block[1] * exec->block[2];
    block->stopped = 0;
    block->unused = NULL;
    for (i = 0; i < block->num_fibers; i++) {
        block->fibers[i].next = block->unused;
        block->unused = &block->fibers[i];
    }
    block->num_waiting = 0;
    block->num_ready = 0;
    block->ready_first = 0;
    block->barrier_arrived = 0;
    block->barrier_true = 0;
    block->ops = 0;
    block->clock_last = 0;
    block->clock_waited = 0;
    block->clock_thread = -1;
    memset(&block->scheduler, 0, sizeof(block->scheduler));
}

static enum vgpu_exec_status fail(struct vgpu_exec_result *result,
                                  enum vgpu_exec_status status,
                                  const char *message)
{
    result->status = status;
    snprintf(result->message, sizeof(result->message), "%s", message);
    return status;
}

/* Put "lab.cu:12: " before the message where the place is known. */
static void add_place(struct vgpu_exec_result *result)
{
    char message[sizeof(result->message)];
    const char *file = NULL;
    int line = result->pc ? vgpu_line_find(result->pc, &file) : 0;

    if (!line || !file)
        return;
    memcpy(message, result->message, sizeof(message));
    snprintf(result->message, sizeof(result->message), "%.100s:%d: %.140s",
             file, line, message);
}

static int block_fits(const uint32_t block[3])
{
    uint64_t threads = (uint64_t)block[0] * block[1];

    return threads && threads <= BLOCK_MAX_THREADS && block[2] &&
           block[2] <= BLOCK_MAX_THREADS &&
           threads * block[2] <= BLOCK_MAX_THREADS;
}

enum vgpu_exec_status vgpu_exec_run(const struct vgpu_exec *exec,
                                    struct vgpu_exec_result *result)
{
    struct vgpu_block *block;
    struct fault_guard *guard;

    memset(result, 0, sizeof(*result));
    if (vgpu_current || !block_fits(exec->block))
        return fail(result, VGPU_EXEC_TRAP,
                    vgpu_current ? "runs inside another kernel"
                                 : "impossible block");
    block = state_take();
    if (!block)
        return fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
    state_prepare(block, exec, result);
    guard = vgpu_fault_guard_begin();
    if (!guard ||
        vgpu_shared_begin_launch(&block->shared, exec->dynamic_shared_bytes)) {
        fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
    } else {
        vgpu_symbols_activate(exec->device);
        vgpu_current = block;
        grid_run(block);
        vgpu_current = NULL;
    }
    vgpu_fault_guard_end(guard);
    add_place(result);
    result->ops = block->ops;
    state_give(block);
    return result->status;
}

int vgpu_exec_active(void)
{
    return vgpu_current != NULL;
}

int vgpu_exec_owns(const void *address)
{
    const struct vgpu_block *block = vgpu_current;

    return vgpu_stack_contains(address) == 1 ||
           (block && vgpu_shared_contains(&block->shared, address, NULL)) ||
           vgpu_symbols_contain(address);
}

/* ---- the clock ----------------------------------------------------------- */

#define CLOCK_READ_OPS 32

uint64_t vgpu_clock_read(uint64_t own_ops)
{
    struct vgpu_block *block = vgpu_current;
    uint64_t now, step;

    if (!block)
        return 0;
    now = block->ops + own_ops;
    /* A loop that does nothing but read the clock waits for a time to come:
     * take it there in steps that grow with what it has waited. */
    if (now - block->clock_last > 2 * CLOCK_READ_OPS ||
        block->current != block->clock_thread)
        block->clock_waited = 0;
    step = CLOCK_READ_OPS + block->clock_waited / 16;
    block->clock_waited += step;
    block->ops += step;
    block->clock_last = now + step;
    block->clock_thread = block->current;
    return now + step;
}
