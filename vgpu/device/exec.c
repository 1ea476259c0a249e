/*
 * exec.c: a kernel's run: its blocks in some order, what device code asks about
 * itself, and the state that is kept from one run to the next.
 *
 * Blocks run one after the other, whatever the profile's SMs could hold at
 * once: CUDA promises no order among them and no progress of one while another
 * waits (programming guide, "Thread Hierarchy"), and how long they take
 * together is the time model's question. A seed shuffles blocks and threads, so
 * that a kernel that relies on their order can be shown to.
 */
#include "block.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks.h"
#include "vgpu_check.h"

_Thread_local struct vgpu_block *vgpu_current;
_Thread_local uint64_t *vgpu_kernel_ops;

/* The runtime's; without one, host operations cost nothing. */
void vgpu_host_cost(uint64_t ops);
__attribute__((weak)) void vgpu_host_cost(uint64_t ops)
{
    (void)ops;
}

/* The front end has every block of the program's text add what it costs: to the
 * running kernel, or to the host thread's clock. */
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

/* Reached only past the front end's checks, through a pointer to a function,
 * say; there is no answer to give. */
struct vgpu_block *vgpu_block_required(const char *what)
{
    if (!vgpu_current) {
        fprintf(stderr, "vgpu: %s is for device code, called by host code\n",
                what);
        abort();
    }
    return vgpu_current;
}

/* @thread: -1 for the block alone, where no thread is known to be at fault. */
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

/* A function of the runtime's, and so not instrumented: the arguments of a
 * kernel are no memory of the program's. */
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

/* ---- a grid -------------------------------------------------------------- */

/* SplitMix64: the same sequence on every machine, which rand() is not. */
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

/* A step without a common divisor with the count visits every number once: no
 * array of a million blocks is shuffled. */
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

/* Shuffled by Fisher and Yates. Positions are not: who is at which place of the
 * warp is the language's business, only who runs first is free. */
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

/* The positions of a block's threads and their order are the same for all
 * blocks of a grid, so they are worked out once. */
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
    block->warps_used = true;
    for (i = 0; i < walk.count; i++) {
        block->geometry.block_index =
            (struct uint3){(unsigned int)(at % grid[0]),
                           (unsigned int)(at / grid[0] % grid[1]),
                           (unsigned int)(at / grid[0] / grid[1])};
        if (vgpu_block_run(block))
            return;
        at += walk.step;
        if (at >= walk.count)
            at -= walk.count;
    }
}

/* ---- runs ---------------------------------------------------------------- */

/* Making the state and its stacks takes longer than a small kernel: states
 * are kept. There is more than one only where kernels of several threads
 * overlap. */
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

/* For the largest block that there is, so that any kernel can have any idle
 * state. */
static struct vgpu_block *state_new(void)
{
    struct vgpu_block *block = calloc(1, sizeof *block);
    size_t n = BLOCK_MAX_THREADS;

    if (!block)
        return NULL;
    block->warps = calloc(BLOCK_MAX_WARPS, sizeof *block->warps);
    block->order = calloc(n, sizeof *block->order);
    block->position = calloc(n, sizeof *block->position);
    block->fibers = calloc(n, sizeof *block->fibers);
    block->threads = calloc(n, sizeof *block->threads);
    block->ready = calloc(n, sizeof *block->ready);
    if (block->warps && block->order && block->position && block->fibers &&
        block->threads && block->ready)
        return block;
    state_free(block);
    return NULL;
}

/* The one that was given back last: its stacks are in the caches still. */
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

/* Whatever the last run left behind, even one that was ended in the middle of a
 * block: all fibers are unused, nobody waits. */
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
    block->stopped = false;
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
    memset(&block->scheduler, 0, sizeof block->scheduler);
}

static enum vgpu_exec_status fail(struct vgpu_exec_result *result,
                                  enum vgpu_exec_status status,
                                  const char *message)
{
    result->status = status;
    snprintf(result->message, sizeof result->message, "%s", message);
    return status;
}

/* Put "lab.cu:12: " before the message where the place is known. */
static void add_place(struct vgpu_exec_result *result)
{
    char message[sizeof result->message];
    const char *file = NULL;
    int line = result->pc ? vgpu_line_find(result->pc, &file) : 0;

    if (!line || !file)
        return;
    memcpy(message, result->message, sizeof message);
    snprintf(result->message, sizeof result->message, "%.100s:%d: %.140s", file,
             line, message);
}

/* Step by step: three numbers of 32 bits would overflow one of 64. */
static bool block_fits(const uint32_t block[3])
{
    uint64_t threads = (uint64_t)block[0] * block[1];

    return threads && threads <= BLOCK_MAX_THREADS && block[2] &&
           block[2] <= BLOCK_MAX_THREADS &&
           threads * block[2] <= BLOCK_MAX_THREADS;
}

/* A kernel may end in the middle by a jump to the scheduler's stack (trap.c),
 * so everything that must be undone is undone here and not on the way. */
enum vgpu_exec_status vgpu_exec_run(const struct vgpu_exec *exec,
                                    struct vgpu_exec_result *result)
{
    struct vgpu_block *block;
    struct fault_guard *guard;

    memset(result, 0, sizeof *result);
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
        vgpu_kernel_ops = &block->ops;
        grid_run(block);
        vgpu_kernel_ops = NULL;
        vgpu_current = NULL;
    }
    vgpu_fault_guard_end(guard);
    add_place(result);
    result->ops = block->ops;
    state_give(block);
    return result->status;
}

bool vgpu_exec_active(void)
{
    return vgpu_current;
}

/* The checker asks before it takes an address for a pointer to host memory. */
bool vgpu_exec_owns(const void *address)
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
