/*
 * gang.c: threads of a block that call the same function of plain numbers wait
 * for each other, a warp's worth of them, and are done at once in vector
 * registers (vgpu/lanes.h).
 *
 * Waiting takes two switches of fibers, so it must be worth it: a launch's
 * first call of a function is done alone, and what it costs decides. Costs are
 * counted in the text's operations, so the decision is the same in every run;
 * the first call is in one of the blocks that come first (grid.c), where there
 * are such. Sites are the program's, and blocks may run at once.
 * CUDA promises no order among threads between two barriers, so it is free to
 * let a thread wait here.
 */
#include "block.h"

/* About three times what waiting takes; promises of a browser take longer. */
#ifdef __wasm__
#define WORTH_OPS 8192
#else
#define WORTH_OPS 256
#endif

/* Of smaller blocks a gang would seldom be full. */
#define WORTH_THREADS 8

static const struct vgpu_gang_answer do_it_yourself;

/* What the function calls itself must not wait: nobody could come. */
static enum vgpu_gang_outcome run(struct gang *gang, vgpu_gang_run *function,
                                  int n)
{
    enum vgpu_gang_outcome outcome;

    gang->busy = true;
    outcome = function(gang->calls, n);
    gang->busy = false;
    return outcome;
}

/* In the order of coming, so that threads go on in the order of starting. */
static void finish_some(struct vgpu_block *block, int but)
{
    struct gang *gang = &block->gang;

    if (run(gang, gang->run, gang->count) == VGPU_GANG_UNLIKE)
        __atomic_store_n(&gang->site->ops, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < gang->count; i++) {
        block->threads[gang->threads[i]].result = gang->call[i].result;
        if (gang->threads[i] != but)
            vgpu_thread_ready(block, gang->threads[i]);
    }
    gang->count = 0;
}

bool vgpu_gang_finish(struct vgpu_block *block)
{
    if (!block->gang.count)
        return false;
    finish_some(block, -1);
    return true;
}

static void call_put(struct gang *gang, int i, uint64_t a, uint64_t b,
                     uint64_t c, uint64_t d)
{
    gang->call[i] = (struct vgpu_gang_call){{a, b, c, d}, 0};
    gang->calls[i] = &gang->call[i];
}

/* Nobody waits: a gang's places are free. */
static struct vgpu_gang_answer first_of_launch(struct vgpu_block *block,
                                               struct vgpu_gang_site *site,
                                               vgpu_gang_run *function)
{
    uint64_t before = block->ops;

    run(&block->gang, function, 1);
    __atomic_store_n(&site->ops, block->ops - before, __ATOMIC_RELAXED);
    __atomic_store_n(&site->launch, block->launch, __ATOMIC_RELEASE);
    return (struct vgpu_gang_answer){block->gang.call[0].result, 1};
}

struct vgpu_gang_answer vgpu_gang_join(struct vgpu_gang_site *site,
                                       vgpu_gang_run *function, uint64_t a,
                                       uint64_t b, uint64_t c, uint64_t d)
{
    struct vgpu_block *block = vgpu_current;
    struct gang *gang;
    bool measured;
    int self;

    if (!block || block->gang.busy || block->num_threads < WORTH_THREADS)
        return do_it_yourself;
    gang = &block->gang;
    measured =
        __atomic_load_n(&site->launch, __ATOMIC_ACQUIRE) == block->launch;
    if (measured && __atomic_load_n(&site->ops, __ATOMIC_RELAXED) < WORTH_OPS)
        return do_it_yourself;
    /* A gang does one thing, and its places are needed to measure another: who
     * waits there for more of its kind has waited long enough. */
    if (gang->count && (gang->site != site || !measured))
        finish_some(block, -1);
    call_put(gang, gang->count, a, b, c, d);
    if (!measured)
        return first_of_launch(block, site, function);
    gang->site = site;
    gang->run = function;
    gang->threads[gang->count++] = (uint16_t)block->current;
    self = block->current;
    if (gang->count < VGPU_GANG) {
        vgpu_thread_wait(block, THREAD_WAITS_GANG);
    } else {
        finish_some(block, self);
        vgpu_thread_yield(block, THREAD_WAITS_GANG);
    }
    return (struct vgpu_gang_answer){block->threads[self].result, 1};
}

struct vgpu_gang_answer vgpu_gang_join_calm(struct vgpu_gang_site *site,
                                            vgpu_gang_run *function, uint64_t a)
{
    const struct vgpu_block *block = vgpu_current;

    return block && vgpu_block_is_calm(block)
               ? vgpu_gang_join(site, function, a, 0, 0, 0)
               : do_it_yourself;
}
