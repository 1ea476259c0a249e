/*
 * grid.c: the blocks of a kernel, in some order.
 *
 * CUDA promises none (programming guide, "Thread Hierarchy"), and how long
 * blocks take together is the time model's question. So they run one after the
 * other, whatever the profile's SMs could hold at once. A block that waits for
 * a flag (spin.c) or at the grid's barrier is left where it is, and others go
 * on. A seed shuffles blocks and threads, so that a kernel that relies on their
 * order can be shown to.
 *
 * Of a kernel that need not be watched (frontend/speed/unwatched.c) some blocks
 * come first and stand for all: what they touch says what all touch, in
 * whatever way the others run, so that times do not depend on it. With reports
 * the others run as any; without, by a body that has no call-backs, on all
 * cores.
 */
#include "block.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "team.h"
#include "vgpu_check.h"
#include "walk.h"

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
    uint64_t done;                /* of the walk */
    uint64_t ops, slots, doubles; /* of states that were given back */
    bool moved;
    bool watched; /* the checker looks for races in it */
    uint64_t num_waiting;
    uint64_t num_at_grid; /* ... of them at the grid's barrier */
    struct vgpu_block *waiting, **last_waiting;
    uint64_t num_ended;
    struct uint3 first_ended;
};

/* After so much work, a millisecond or more, who asks is told of it. */
#define PROGRESS_OPS (UINT64_C(1) << 20)

/* As many blocks as that wait and still let others begin; all of a cooperative
 * launch, which a GPU has at once. */
#define MAX_WAITING 256

/* Blocks that stand for all do so much together, a few milliseconds of the
 * processor's, or are such a part of them. And they are so many, since it is
 * from how their number doubles that one tells what more of them would touch.
 */
#define SPREAD_OPS   (UINT64_C(1) << 18)
#define SPREAD_PART  16
#define SPREAD_COUNT 4
/* So many atomics are kept at most, of 24 bytes. */
#define SUMS_MOST (UINT64_C(1) << 23)
/* So much takes longer than to wake another thread. */
#define THREAD_OPS (UINT64_C(1) << 18)

static struct vgpu_block *run_state(struct vgpu_exec_run *run,
                                    struct vgpu_exec_result *result)
{
    return vgpu_block_take(run->exec, result, run->random, run->launch);
}

static void run_leave(struct vgpu_exec_run *run, struct vgpu_block *block)
{
    run->ops += block->ops;
    run->slots += block->slots;
    run->doubles += block->doubles;
    vgpu_block_give(block);
}

/* @told  the block's operations the last time; NULL: another thread tells */
static void progress(const struct vgpu_exec_run *run,
                     const struct vgpu_block *block, uint64_t done,
                     uint64_t *told)
{
    const uint64_t work = block->ops + block->slots;

    if (!told || !vgpu_exec_host.progress || work - *told < PROGRESS_OPS)
        return;
    *told = work;
    vgpu_exec_host.progress(run->exec,
                            done < run->walk.count ? done : run->walk.count,
                            run->walk.count);
}

static void run_keep(struct vgpu_exec_run *run, struct vgpu_block *block)
{
    block->next_free = NULL;
    *run->last_waiting = block;
    run->last_waiting = &block->next_free;
    run->num_waiting++;
    run->num_at_grid += block->at_grid;
}

/* The checker hears of the block that goes on from now on. */
static void watch(struct vgpu_block *block)
{
    const struct uint3 *at = &block->geometry.block_index;
    const struct uint3 *grid = &block->geometry.grid_dim;
    const struct vgpu_race_place place = {
        &block->current, (uintptr_t)block->shared.base, vgpu_shared_bytes(),
        at->x + grid->x * (at->y + (uint64_t)grid->y * at->z)};

    block->watched = vgpu_race_enter(&block->race, &place, !block->waits);
}

static void place_block(struct vgpu_block *block, uint64_t at)
{
    const uint32_t *grid = block->exec->grid;

    block->geometry.block_index = (struct uint3){
        (unsigned int)(at % grid[0]), (unsigned int)(at / grid[0] % grid[1]),
        (unsigned int)(at / grid[0] / grid[1])};
}

/* Return: what vgpu_block_run returns. */
static int block_enter(struct vgpu_block *block)
{
    int end;

    vgpu_current = block;
    vgpu_kernel_ops = &block->ops;
    end = vgpu_block_run(block);
    vgpu_kernel_ops = NULL;
    vgpu_current = NULL;
    return end;
}

static int block_go(struct vgpu_exec_run *run, struct vgpu_block *block)
{
    const bool calm = vgpu_block_is_calm(block);
    int end;

    block->moved = false;
    if (run->watched)
        watch(block);
    if (calm)
        vgpu_check_unwatched_begin(run->exec->device);
    end = block_enter(block);
    if (calm)
        vgpu_check_unwatched_end();
    run->moved = run->moved || block->moved || end <= 0;
    if (end == 0 && !run->num_ended++)
        run->first_ended = block->geometry.block_index;
    return end;
}

/* Have all blocks come to the grid's barrier? Those that have ended are waited
 * for: on a GPU for ever. */
static bool grid_meets(const struct vgpu_exec_run *run)
{
    return run->num_at_grid == run->walk.count;
}

/* Blocks that wait, each once, but for those at the grid's barrier before all
 * are there. Return: -1 when the kernel is over. */
static int go_on_waiting(struct vgpu_exec_run *run,
                         struct vgpu_exec_result *result)
{
    struct vgpu_block *block = run->waiting, *next;
    const bool meets = grid_meets(run);
    int end = 0;

    if (meets && run->watched)
        vgpu_race_grid();
    run->waiting = NULL;
    run->last_waiting = &run->waiting;
    run->num_waiting = 0;
    run->num_at_grid = 0;
    for (; block; block = next) {
        next = block->next_free;
        block->result = result;
        if (end >= 0)
            end = block->at_grid && !meets ? 1 : block_go(run, block);
        if (end > 0)
            run_keep(run, block);
        else
            run_leave(run, block);
    }
    return end;
}

/* ---- blocks that stand for all ------------------------------------------- */

static uint64_t num_blocks(const struct vgpu_exec *exec)
{
    return (uint64_t)exec->grid[0] * exec->grid[1] * exec->grid[2];
}

/* A block has come to its end: are there enough? */
static void spread_note(struct vgpu_exec_run *run,
                        const struct vgpu_block *block)
{
    const uint64_t seen = run->seen, count = num_blocks(run->exec);
    const uint64_t work = run->ops + run->slots + block->ops + block->slots;

    if (seen == count) {
        run->spreading = false;
        vgpu_check_part_end(0); /* all were seen */
        return;
    }
    if (seen & (seen - 1) || seen < SPREAD_COUNT / 2)
        return;
    vgpu_check_part(seen);
    if (seen < SPREAD_COUNT || seen > count / 2 ||
        (work < SPREAD_OPS && seen < count / SPREAD_PART))
        return;
    run->spreading = false;
    run->calm = run->in_order && !vgpu_check_reports();
    run->sums = run->calm && run->exec->body->ordered == VGPU_BODY_SUMS &&
                vgpu_team_size() > 1 &&
                block->atomics / seen < SUMS_MOST / count;
    vgpu_check_part_end(count);
}

/* The next block that has not begun. Return: false where all have. */
static bool next_block(struct vgpu_exec_run *run, uint64_t *at)
{
    if (run->spreading && run->in_order) {
        run->seen++;
    } else if (run->spreading) {
        *at = spread_at(&run->spread, run->seen++);
        return true;
    }
    while (run->done < run->walk.count) {
        *at = walk_at(&run->walk, run->done++);
        if (!run->spread.count || spread_place(&run->spread, *at) >= run->seen)
            return true;
    }
    return false;
}

/* ---- the others, several at once ----------------------------------------- */

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
    pthread_mutex_lock(&share->lock);
    if (result->warning[0] && i < share->warned) {
        share->warned = i;
        memcpy(share->warning, result->warning, sizeof share->warning);
    }
    if (end && i < atomic_load(&share->failed)) {
        atomic_store(&share->failed, i);
        share->result = *result;
    }
    pthread_mutex_unlock(&share->lock);
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
        place_block(block, at);
        end = block_enter(block);
        progress(run, block, i, told);
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
        is_caller || guard ? run_state(run, &result) : NULL;
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
    pthread_mutex_lock(&share->lock);
    if (block)
        run_leave(run, block);
    pthread_mutex_unlock(&share->lock);
    vgpu_fault_guard_end(guard);
}

/* The block that ended the kernel again, now watched: what it did wrong is then
 * told as it always is. Its memory is nobody's any more, so that it does no
 * harm to do it twice. */
static void tell_again(struct vgpu_exec_run *run, uint64_t at,
                       struct vgpu_exec_result *result)
{
    const struct vgpu_exec_result before = *result;
    struct vgpu_block *block = run_state(run, result);
    int end = 0;

    if (block) {
        place_block(block, at);
        end = block_go(run, block);
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
        fail(result, VGPU_EXEC_NO_MEMORY, "no memory for atomics");
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
static int go_unwatched(struct vgpu_exec_run *run,
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
        fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
        return -1;
    }
    if (atomic_load(&share.failed) == left)
        return 0;
    /* How far the others came is up to the processor. */
    run->ops = before.ops;
    run->slots = before.slots;
    run->doubles = before.doubles;
    *result = share.result;
    tell_again(run, walk_at(&run->walk, atomic_load(&share.failed)), result);
    return -1;
}

/* May the blocks that are left run as they like? */
static bool is_free(const struct vgpu_exec_run *run)
{
    const bool some = run->sums ? run->done < run->walk.count
                                : run->seen < run->spread.count && !run->done;

    return some && !run->spreading && !run->num_waiting &&
           !vgpu_check_reports();
}

/* ---- one after the other ------------------------------------------------- */

/* Blocks that have not begun. Return: -1 when the kernel is over. */
static int go_on_walk(struct vgpu_exec_run *run,
                      struct vgpu_exec_result *result)
{
    struct vgpu_block *block = NULL;
    uint64_t at, told = 0;
    int end = 0;

    while (end >= 0 &&
           (run->num_waiting < MAX_WAITING || run->exec->cooperative) &&
           !is_free(run) && next_block(run, &at)) {
        if (!block)
            block = run_state(run, result);
        if (!block) {
            fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
            return -1;
        }
        place_block(block, at);
        if (run->calm)
            block->run = run->exec->body->unwatched;
        end = block_go(run, block);
        progress(run, block, run->done, &told);
        if (end < 0 && vgpu_block_is_calm(block) &&
            result->status == VGPU_EXEC_ILLEGAL_ADDRESS)
            tell_again(run, at, result);
        if (end > 0) {
            run_keep(run, block);
            block = NULL;
        } else if (run->spreading && end == 0) {
            spread_note(run, block);
        }
    }
    if (block)
        run_leave(run, block);
    return end >= 0 && is_free(run) ? go_unwatched(run, result) : end;
}

/* No block moves any more, and some wait at the grid's barrier alone. */
static void fail_divergent(struct vgpu_exec_run *run,
                           struct vgpu_exec_result *result)
{
    const struct uint3 *ended = &run->first_ended;

    fail(result, VGPU_EXEC_DIVERGENT_BARRIER, "");
    result->pc = run->waiting->barrier_pc;
    snprintf(result->message, sizeof result->message,
             "divergent barrier: block (%u,%u,%u) ended before a grid.sync() "
             "that others came to (%" PRIu64 " ended, %" PRIu64 " wait)",
             ended->x, ended->y, ended->z, run->num_ended, run->num_at_grid);
}

static void fail_waits(struct vgpu_exec_run *run,
                       struct vgpu_exec_result *result)
{
    struct vgpu_block *block = run->waiting;
    char name[96];

    while (block->at_grid && block->next_free)
        block = block->next_free;
    fail(result, VGPU_EXEC_WAITS, "");
    result->pc = block->looks.pc;
    vgpu_thread_name(block, block->looks.thread, name, sizeof name);
    snprintf(result->message, sizeof result->message, "%s waits for a flag",
             name);
}

/* Blocks may wait for each other, so as long as one moves all are tried. */
static void run_go(struct vgpu_exec_run *run, struct vgpu_exec_result *result)
{
    int end = 0;
    bool moved = false;

    do {
        run->moved = false;
        end = go_on_waiting(run, result);
        if (end >= 0)
            end = go_on_walk(run, result);
        moved = moved || run->moved;
    } while (end >= 0 && run->waiting && run->moved);
    run->moved = moved;
    if (end < 0 || !run->waiting)
        return;
    if (run->num_at_grid == run->num_waiting && !grid_meets(run))
        fail_divergent(run, result);
    else
        fail_waits(run, result);
}

static void run_end(struct vgpu_exec_run *run)
{
    struct vgpu_block *next;

    for (struct vgpu_block *block = run->waiting; block; block = next) {
        next = block->next_free;
        run_leave(run, block);
    }
    run->waiting = NULL;
    if (run->watched)
        vgpu_race_end();
}

static void run_begin(struct vgpu_exec_run *run, const struct vgpu_exec *exec)
{
    static atomic_uint_least64_t launches;
    const uint64_t blocks = num_blocks(exec);

    memset(run, 0, sizeof *run);
    run->exec = exec;
    run->random = exec->seed;
    run->walk = exec->sample && exec->sample < blocks
                    ? walk_sample(blocks, exec->sample)
                    : walk_make(blocks, &run->random);
    if (exec->body->unwatched && !exec->cooperative &&
        run->walk.count == blocks && blocks >= SPREAD_LEAST &&
        blocks <= SPREAD_MOST) {
        run->in_order = exec->body->ordered;
        if (!run->in_order)
            run->spread = spread_make(blocks);
        run->spreading = true;
    }
    run->launch = atomic_fetch_add(&launches, 1) + 1;
    run->watched = vgpu_race_begin(exec->grid, exec->block);
}

/* A kernel may end in the middle by a jump to the scheduler's stack (trap.c),
 * so everything that must be undone is undone here and not on the way. A kernel
 * that waits keeps the states of its blocks, with their stacks. */
enum vgpu_exec_status vgpu_exec_go(const struct vgpu_exec *exec,
                                   struct vgpu_exec_run **kept,
                                   struct vgpu_exec_result *result, bool *moved)
{
    struct vgpu_exec_run own, *run = *kept ? *kept : &own;
    struct fault_guard *guard;

    memset(result, 0, sizeof *result);
    if (vgpu_current || !block_fits(exec->block))
        return fail(result, VGPU_EXEC_TRAP,
                    vgpu_current ? "runs inside another kernel"
                                 : "impossible block");
    if (run == &own)
        run_begin(run, exec);
    guard = vgpu_fault_guard_begin();
    if (guard) {
        vgpu_symbols_activate(exec->device);
        run_go(run, result);
        vgpu_symbols_done();
    } else {
        fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
    }
    vgpu_fault_guard_end(guard);
    *moved = run->moved;
    if (result->status == VGPU_EXEC_WAITS && run == &own) {
        *kept = malloc(sizeof own);
        if (*kept) {
            **kept = own;
            run = *kept;
        } else {
            fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
        }
    }
    if (result->status == VGPU_EXEC_WAITS)
        return result->status;
    run_end(run);
    add_place(result);
    result->ops = run->ops;
    result->slots = run->slots;
    result->doubles = run->doubles;
    if (run == *kept)
        free(run);
    *kept = NULL;
    return result->status;
}

enum vgpu_exec_status vgpu_exec_run(const struct vgpu_exec *exec,
                                    struct vgpu_exec_result *result)
{
    struct vgpu_exec_run *run = NULL;
    bool moved = true;
    enum vgpu_exec_status status;

    do {
        status = vgpu_exec_go(exec, &run, result, &moved);
    } while (status == VGPU_EXEC_WAITS && moved);
    return status;
}
