/*
 * share.c: blocks of a kernel whose order shows nowhere, on all cores.
 *
 * The first of them have run before, one after the other, with call-backs
 * (grid.c). What these tell is what the first block in the walk's order has to
 * tell.
 */
#include "grid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "own_locks.h"
#include "team.h"
#include "vgpu_check.h"

/* So much takes longer than to wake another thread. */
#define THREAD_OPS (UINT64_C(1) << 18)

struct share {
    struct vgpu_exec_run *run;
    atomic_uint_least64_t next; /* of the walk */
    uint64_t chunk;
    struct later *laters;         /* of each chunk, or NULL */
    pthread_mutex_t lock;         /* for what follows, and the run's sums */
    atomic_uint_least64_t failed; /* the first that did, or none */
    uint64_t warned;
    struct vgpu_exec_result result; /* of the one that failed */
    char warning[sizeof((struct vgpu_exec_result *)0)->warning];
};

/* What is told is what the first block in the walk's order has to tell: those
 * before it have all been begun, and come to their ends. */
static void share_note(struct share *share, uint64_t i, int end,
                       struct vgpu_exec_result *result)
{
    if (end == 0 && !result->warning[0])
        return;
    vgpu_lock(&share->lock);
    if (result->warning[0] && i < share->warned) {
        share->warned = i;
        memcpy(share->warning, result->warning, sizeof share->warning);
    }
    if (end && i < atomic_load(&share->failed)) {
        atomic_store(&share->failed, i);
        share->result = *result;
    }
    vgpu_unlock(&share->lock);
}

/* Return: -1 after a block that ends the kernel. */
static int share_chunk(struct share *share, struct vgpu_block *block,
                       uint64_t from, uint64_t to, uint64_t *told)
{
    struct vgpu_exec_run *run = share->run;

    for (uint64_t i = from; i < to; i++) {
        const uint64_t at = walk_at(&run->walk, i);
        int end;

        if (run->spread.count && spread_place(&run->spread, at) < run->seen)
            continue;
        block->result->warning[0] = '\0';
        vgpu_grid_place(block, at);
        end = vgpu_grid_enter(block);
        vgpu_grid_progress(run, block, i, told);
        share_note(share, i, end, block->result);
        if (end)
            return -1;
    }
    return 0;
}

/* One thread's part: chunks, as long as there are some. */
static void share_work(void *arg, bool is_caller)
{
    struct share *share = arg;
    struct vgpu_exec_run *run = share->run;
    struct vgpu_exec_result result = {.status = VGPU_EXEC_OK};
    struct fault_guard *guard = is_caller ? NULL : vgpu_fault_guard_begin();
    struct vgpu_block *block =
        is_caller || guard ? vgpu_grid_state(run, &result) : NULL;
    uint64_t told = 0;
    int end = block ? 0 : -1;

    vgpu_check_unwatched_begin(run->exec->device);
    if (block)
        block->run = run->exec->body->unwatched;
    while (!end) {
        uint64_t from = atomic_fetch_add(&share->next, share->chunk);
        uint64_t to = from + share->chunk;

        if (from >= run->walk.count || from >= atomic_load(&share->failed))
            break;
        if (share->laters)
            vgpu_later = &share->laters[(from - run->done) / share->chunk];
        end = share_chunk(share, block, from,
                          to < run->walk.count ? to : run->walk.count,
                          is_caller ? &told : NULL);
    }
    vgpu_later = NULL;
    vgpu_check_unwatched_end();
    vgpu_lock(&share->lock);
    if (block)
        vgpu_grid_leave(run, block);
    vgpu_unlock(&share->lock);
    vgpu_fault_guard_end(guard);
}

/* The block that ended the kernel again, now watched: what it did wrong is then
 * told as it always is. Its memory is nobody's any more, so that it does no
 * harm to do it twice. */
void vgpu_grid_again(struct vgpu_exec_run *run, uint64_t at,
                     struct vgpu_exec_result *result, bool counts)
{
    const struct vgpu_exec_result before = *result;
    struct vgpu_block *block = vgpu_grid_state(run, result);
    int end = 0;

    if (block) {
        vgpu_grid_place(block, at);
        end = vgpu_grid_go(run, block);
        if (counts)
            vgpu_grid_leave(run, block);
        else
            vgpu_block_give(block);
    }
    if (end >= 0)
        *result = before;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Operations that are left, if the other blocks are as those seen. */
static uint64_t left_work(const struct vgpu_exec_run *run)
{
    return (run->ops + run->slots) / run->seen * (run->walk.count - run->seen);
}

static uint64_t num_chunks(const struct share *share)
{
    return (share->run->walk.count - share->run->done) / share->chunk + 1;
}

static bool share_laters(struct share *share, struct vgpu_exec_result *result)
{
    share->laters = calloc(num_chunks(share), sizeof *share->laters);
    if (!share->laters)
        vgpu_grid_fail(result, VGPU_EXEC_NO_MEMORY, "no memory for atomics");
    return share->laters;
}

/* Blocks at once have kept their atomics: make them, in the blocks' order. */
static void sum_up(struct share *share)
{
    const uint64_t count = num_chunks(share);

    if (atomic_load(&share->failed) == share->run->walk.count)
        for (uint64_t i = 0; share->laters && i < count; i++)
            vgpu_later_make(&share->laters[i]);
    vgpu_later_free(share->laters, count);
}

/* Return: -1 when the kernel is over. */
int vgpu_grid_at_once(struct vgpu_exec_run *run,
                      struct vgpu_exec_result *result)
{
    const struct vgpu_exec_run before = *run;
    const uint64_t left = run->walk.count;
    struct share share = {.run = run, .warned = left};
    uint64_t threads = (uint64_t)vgpu_team_size();

    atomic_init(&share.next, run->done);
    atomic_init(&share.failed, left);
    share.chunk = lesser(left / (threads * 16) + 1, 256);
    threads = lesser(threads, left / share.chunk + 1);
    threads = lesser(threads, left_work(run) / THREAD_OPS + 1);
    if (run->sums && !share_laters(&share, result))
        return -1;
    pthread_mutex_init(&share.lock, NULL);
    vgpu_team_work((int)threads, share_work, &share);
    pthread_mutex_destroy(&share.lock);
    sum_up(&share);
    run->done = run->walk.count;
    if (!result->warning[0] && share.warned < left)
        memcpy(result->warning, share.warning, sizeof result->warning);
    if (atomic_load(&share.next) < left && atomic_load(&share.failed) == left) {
        vgpu_grid_fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
        return -1;
    }
    if (atomic_load(&share.failed) == left)
        return 0;
    /* How far the others came is up to the processor. */
    run->ops = before.ops;
    run->slots = before.slots;
    run->doubles = before.doubles;
    *result = share.result;
    vgpu_grid_again(run, walk_at(&run->walk, atomic_load(&share.failed)),
                    result, false);
    return -1;
}
