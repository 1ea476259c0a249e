/*
 * exec.c: what device code asks about itself, and the states that blocks run
 * in, which are kept from one run to the next.
 */
#include "block.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_locks.h"
#include "stacks.h"
#include "walk.h"
#include "vgpu_check.h"

VGPU_OWN struct vgpu_block *vgpu_current;
VGPU_OWN uint64_t *vgpu_kernel_ops;

struct vgpu_exec_host vgpu_exec_host;
VGPU_OWN uint64_t *vgpu_host_ops;

static void host_cost(uint64_t ops)
{
    if (vgpu_host_ops && ops <= INT64_MAX) /* nobody gives work back */
        *vgpu_host_ops += ops;
}

/* The front end has every block of the program's text add what it costs: to the
 * running kernel, or to the host thread's clock. */
void vgpu_cost_add(uint64_t ops)
{
    struct vgpu_block *block = vgpu_current;

    if (!block)
        host_cost(ops);
    else if (ops <= INT64_MAX)
        block->ops += ops;
}

/* A processor's core takes about as long for an instruction of either. */
void vgpu_math_add(uint64_t slots, uint64_t doubles)
{
    struct vgpu_block *block = vgpu_current;

    if (block) {
        block->slots += slots;
        block->doubles += doubles;
    } else {
        host_cost(slots + doubles);
    }
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
    const uint64_t t = (uint64_t)block->position[block->current];
    const uint64_t words[] = {(t & 0xffff) | (t & 0xffff0000) << 16, t >> 32};
    struct uint3 index;

    /* As it is returned, in two registers: three numbers would be written one
     * by one and read as two, for which a processor waits. */
    memcpy(&index, words, sizeof index);
    return index;
}

unsigned int vgpu_thread_rank(void)
{
    return (unsigned int)vgpu_block_required("threadIdx")->current;
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

/* ---- a block's threads --------------------------------------------------- */

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
        uint32_t other = (uint32_t)(walk_random(&random) % i);
        uint16_t swapped = block->order[i - 1];

        block->order[i - 1] = block->order[other];
        block->order[other] = swapped;
    }
}

/* ---- states -------------------------------------------------------------- */

/* Making the state and its stacks takes longer than a small kernel: states
 * are kept. */
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
    free(block->line);
    vgpu_split_free(block);
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
    block->line = calloc(n + STEP_AHEAD, sizeof *block->line);
    if (block->warps && block->order && block->position && block->fibers &&
        block->threads && block->ready && block->line)
        return block;
    state_free(block);
    return NULL;
}

/* The one that was given back last: its stacks are in the caches still. */
static struct vgpu_block *state_take(void)
{
    struct vgpu_block *block;

    vgpu_lock(&idle_lock);
    block = idle;
    if (block)
        idle = block->next_free;
    vgpu_unlock(&idle_lock);
    return block ? block : state_new();
}

/* Of a grid that waits, every block has its stacks, and the next one may have
 * other blocks: none is left with what all need. */
void vgpu_block_give(struct vgpu_block *block)
{
    while (block->exec->cooperative && block->num_fibers)
        vgpu_stack_give(block->fibers[--block->num_fibers].stack);
    vgpu_lock(&idle_lock);
    block->next_free = idle;
    idle = block;
    vgpu_unlock(&idle_lock);
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
    block->watched = false;
    block->waits = false;
    block->at_grid = false;
    block->at_cluster = false;
    block->meets = false;
    block->left = false;
    block->cluster = NULL;
    block->rank = 0;
    block->at_barrier = false;
    block->num_idle = 0;
    memset(&block->looks, 0, sizeof block->looks);
    block->looks.thread = -1;
    block->unused = NULL;
    for (i = 0; i < block->num_fibers; i++) {
        block->fibers[i].next = block->unused;
        block->unused = &block->fibers[i];
    }
    block->num_waiting = 0;
    block->num_ready = 0;
    block->ready_first = 0;
    block->in_step = false;
    block->step_to = 0;
    block->barrier_arrived = 0;
    block->barrier_true = 0;
    block->trigger_most = 0;
    block->read_most = 0;
    memset(block->by_work, 0,
           (size_t)block->by_work_end * sizeof *block->by_work);
    block->by_work_end = 0;
    block->ops = 0;
    block->began_ops = 0;
    block->slots = 0;
    block->doubles = 0;
    block->pc = 0;
    block->atomics = 0;
    block->clock_last = 0;
    block->clock_waited = 0;
    block->clock_thread = -1;
    block->gang.count = 0;
    block->gang.busy = false;
    block->split = false;
    memset(&block->scheduler, 0, sizeof block->scheduler);
}

struct vgpu_block *vgpu_block_take(const struct vgpu_exec *exec,
                                   struct vgpu_exec_result *result,
                                   uint64_t random, uint64_t launch)
{
    struct vgpu_block *block = state_take();

    if (!block)
        return NULL;
    state_prepare(block, exec, result);
    if (vgpu_shared_begin_launch(&block->shared, exec->dynamic_shared_bytes)) {
        vgpu_block_give(block);
        return NULL;
    }
    order_threads(block, random);
    block->plain_order = !random;
    block->warps_used = true;
    block->run = exec->body->run;
    block->launch = launch;
    return block;
}

bool vgpu_exec_active(void)
{
    return vgpu_current;
}

/* The checker asks before it takes an address for a pointer to host memory. */
bool vgpu_exec_owns(const void *address)
{
    const struct vgpu_block *block = vgpu_current;
    const struct vgpu_block *const owner =
        block ? vgpu_cluster_owner(block, address) : NULL;

    if (owner && (uintptr_t)address - (uintptr_t)owner->shared.base >=
                     vgpu_shared_bytes())
        vgpu_guard_met(address);
    return owner || vgpu_stack_contains(address) == 1 ||
           vgpu_symbols_contain(address);
}

/* ---- the clock ----------------------------------------------------------- */

#define CLOCK_READ_OPS 32
#define CLOCK_STEP_OPS (UINT64_C(1) << 20) /* a loop may not wait at all */

static uint64_t begin_ticks(const struct vgpu_exec *exec)
{
    return exec->base_ns ? (uint64_t)((double)exec->base_ns / exec->ns_per_tick)
                         : 0;
}

uint64_t vgpu_clock_read(uint64_t own_ops)
{
    struct vgpu_block *block = vgpu_current;
    uint64_t now, step;

    if (!block)
        return 0;
    now = block->ops - block->began_ops + own_ops;
    /* A loop that does nothing but read the clock waits for a time to come:
     * take it there in steps that grow with what it has waited. */
    if (now - block->clock_last > 2 * CLOCK_READ_OPS ||
        block->current != block->clock_thread)
        block->clock_waited = 0;
    step = CLOCK_READ_OPS + block->clock_waited / 64;
    if (step > CLOCK_STEP_OPS)
        step = CLOCK_STEP_OPS;
    block->clock_waited += step;
    block->ops += step;
    block->clock_last = now + step;
    block->clock_thread = block->current;
    if (now + step > block->read_most)
        block->read_most = now + step;
    return (uint64_t)((double)(now + step) * block->exec->ticks_per_op) +
           begin_ticks(block->exec);
}

/* In steps, as a GPU's; the day on which every run begins (host_timers.c). */
#define TIMER_NS UINT64_C(32)
#define EPOCH_NS UINT64_C(1767225600000000000)

unsigned long long vgpu_global_ns(uint64_t own_ops)
{
    const struct vgpu_block *block = vgpu_current;
    double ns;

    if (!block)
        return 0;
    ns = (double)vgpu_clock_read(own_ops) * block->exec->ns_per_tick;
    return EPOCH_NS + (uint64_t)ns / TIMER_NS * TIMER_NS;
}

unsigned int vgpu_sm_count(void)
{
    return vgpu_current ? vgpu_current->exec->sms : 1;
}
