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
#include "grid.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "team.h"
#include "vgpu_check.h"

enum vgpu_exec_status vgpu_grid_fail(struct vgpu_exec_result *result,
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

/* After so much work, a millisecond or more, who asks is told of it. */
#define PROGRESS_OPS (UINT64_C(1) << 20)

/* As many blocks as that wait and still let others begin, and then more, as
 * long as a GPU has room for them and none of them moves; all of a cooperative
 * launch, which a GPU has at once. */
#define FIRST_WAITING 256

/* Blocks that stand for all do so much together, a few milliseconds of the
 * processor's, or are such a part of them. And they are so many, since it is
 * from how their number doubles that one tells what more of them would touch.
 */
#define SPREAD_OPS   (UINT64_C(1) << 18)
#define SPREAD_PART  16
#define SPREAD_COUNT 4
/* So many atomics are kept at most, of 24 bytes. */
#define SUMS_MOST (UINT64_C(1) << 23)

struct vgpu_block *vgpu_grid_state(struct vgpu_exec_run *run,
                                   struct vgpu_exec_result *result)
{
    return vgpu_block_take(run->exec, result, run->random, run->launch);
}

void vgpu_grid_leave(struct vgpu_exec_run *run, struct vgpu_block *block)
{
    run->ops += block->ops;
    run->slots += block->slots;
    run->doubles += block->doubles;
    if (block->read_most > run->read_most)
        run->read_most = block->read_most;
    if (block->trigger_most > run->trigger_most)
        run->trigger_most = block->trigger_most;
    for (int bits = 0; bits < block->by_work_end; bits++)
        run->by_work[bits] += block->by_work[bits];
    if (block->cluster)
        vgpu_cluster_leave(block);
    else
        vgpu_block_give(block);
}

/* @told  the block's operations the last time; NULL: another thread tells */
void vgpu_grid_progress(const struct vgpu_exec_run *run,
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

/* It is a block's first thread that tells the others it has come (observed:
 * barriers-of-some). Without it they wait for ever. */
static bool lacks_first(const struct vgpu_block *block)
{
    return block->warps[0].ended & 1;
}

static void run_keep(struct vgpu_exec_run *run, struct vgpu_block *block)
{
    block->next_free = NULL;
    *run->last_waiting = block;
    run->last_waiting = &block->next_free;
    run->num_waiting++;
    run->num_at_grid += block->at_grid && !lacks_first(block);
    run->num_held += block->at_grid || block->at_cluster;
}

/* The checker hears of the block that goes on from now on. */
static void watch(struct vgpu_block *block)
{
    const struct uint3 *at = &block->geometry.block_index;
    const struct uint3 *grid = &block->geometry.grid_dim;
    const struct vgpu_race_place place = {
        &block->current,
        (uintptr_t)block->shared.base,
        vgpu_shared_bytes(),
        at->x + grid->x * (at->y + (uint64_t)grid->y * at->z),
        block->cluster ? block->cluster->number : 0,
        block->cluster ? block->cluster->shared : NULL,
        block->cluster ? block->cluster->count : 0};

    block->watched = vgpu_race_enter(&block->race, &place, !block->waits);
}

static int bit_length(uint64_t n)
{
    return n ? 64 - __builtin_clzll(n) : 0;
}

/* Those that do an eighth or more of what the busiest does: the others had next
 * to nothing to do. */
static uint64_t busy_blocks(const struct vgpu_exec_run *run)
{
    int top = 64;
    uint64_t count = 0;

    while (top > 0 && !run->by_work[top])
        top--;
    for (int bits = top; bits >= 0 && bits > top - 4; bits--)
        count += run->by_work[bits];
    return count;
}

static uint64_t work_of(const struct vgpu_block *block)
{
    return block->ops + block->slots + block->doubles;
}

void vgpu_grid_place(struct vgpu_block *block, uint64_t at)
{
    const uint32_t *grid = block->exec->grid;

    block->began_ops = block->ops;
    block->began_work = work_of(block);
    block->triggered = false;
    block->geometry.block_index = (struct uint3){
        (unsigned int)(at % grid[0]), (unsigned int)(at / grid[0] % grid[1]),
        (unsigned int)(at / grid[0] / grid[1])};
}

/* Return: what vgpu_block_run returns. */
int vgpu_grid_enter(struct vgpu_block *block)
{
    int end, bits;

    vgpu_current = block;
    vgpu_kernel_ops = &block->ops;
    end = vgpu_block_run(block);
    vgpu_kernel_ops = NULL;
    vgpu_current = NULL;
    if (end)
        return end;
    vgpu_trigger_note(block);
    bits = bit_length(work_of(block) - block->began_work);
    block->by_work[bits]++;
    if (bits >= block->by_work_end)
        block->by_work_end = bits + 1;
    return 0;
}

int vgpu_grid_go(struct vgpu_exec_run *run, struct vgpu_block *block)
{
    const bool calm = vgpu_block_is_calm(block);
    int end;

    block->moved = false;
    if (run->watched)
        watch(block);
    if (calm)
        vgpu_check_unwatched_begin(run->exec->device);
    end = vgpu_grid_enter(block);
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
    return run->num_at_grid == run->walk.count * run->cluster;
}

/* Does it wait for blocks that have not come? */
static bool is_held(struct vgpu_block *block, bool grid_meets)
{
    return block->at_grid ? !grid_meets
                          : block->at_cluster && !vgpu_cluster_meets(block);
}

/* Blocks that wait, each once, but for those at a barrier before all
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
    run->num_held = 0;
    for (; block; block = next) {
        next = block->next_free;
        block->result = result;
        if (end >= 0)
            end = is_held(block, meets) ? 1 : vgpu_grid_go(run, block);
        if (end > 0)
            run_keep(run, block);
        else
            vgpu_grid_leave(run, block);
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

/* May the blocks that are left run as they like? */
static bool is_free(const struct vgpu_exec_run *run)
{
    const bool some = run->sums ? run->done < run->walk.count
                                : run->seen < run->spread.count && !run->done;

    return some && !run->spreading && !run->num_waiting &&
           !vgpu_check_reports();
}

/* ---- one after the other ------------------------------------------------- */

/* All blocks of the next cluster begin. Return: -1 when the kernel is over. */
static int cluster_go(struct vgpu_exec_run *run,
                      struct vgpu_exec_result *result)
{
    const uint64_t at = walk_at(&run->walk, run->done++);
    struct vgpu_cluster *cluster =
        vgpu_cluster_take(run->exec, result, run->random, run->launch);
    int end = 0;

    if (!cluster) {
        vgpu_grid_fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
        return -1;
    }
    cluster->number = at + 1;
    for (uint32_t i = 0; i < run->cluster; i++) {
        struct vgpu_block *const block = cluster->blocks[i];

        vgpu_grid_place(block, vgpu_cluster_place(run->exec, at, i));
        if (end >= 0)
            end = vgpu_grid_go(run, block);
        if (end > 0)
            run_keep(run, block);
        else
            vgpu_grid_leave(run, block);
    }
    return end;
}

/* Clusters that have not begun, as long as none waits: so one after the other,
 * unless they wait for flags. */
static int go_on_clusters(struct vgpu_exec_run *run,
                          struct vgpu_exec_result *result)
{
    int end = 0;

    if (run->moved && run->num_waiting && !run->exec->cooperative)
        return 0;
    while (end >= 0 && run->done < run->walk.count &&
           (run->num_waiting < run->most_waiting || run->exec->cooperative)) {
        end = cluster_go(run, result);
        if (run->num_waiting && !run->exec->cooperative)
            break;
    }
    return end;
}

/* A block that nobody watched has ended the kernel. One that was split has not
 * counted what its threads did. */
static void tell_again(struct vgpu_exec_run *run, struct vgpu_block *block,
                       uint64_t at, struct vgpu_exec_result *result)
{
    if (!vgpu_block_is_calm(block) ||
        (result->status != VGPU_EXEC_ILLEGAL_ADDRESS && !block->split))
        return;
    if (block->split)
        vgpu_split_forget(block);
    vgpu_grid_again(run, at, result, block->split);
}

/* Blocks that have not begun. Return: -1 when the kernel is over. */
static int go_on_walk(struct vgpu_exec_run *run,
                      struct vgpu_exec_result *result)
{
    struct vgpu_block *block = NULL;
    uint64_t at, told = 0;
    int end = 0;

    while (end >= 0 &&
           (run->num_waiting < run->most_waiting || run->exec->cooperative) &&
           !is_free(run) && next_block(run, &at)) {
        if (!block)
            block = vgpu_grid_state(run, result);
        if (!block) {
            vgpu_grid_fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
            return -1;
        }
        vgpu_grid_place(block, at);
        if (run->calm)
            block->run = run->exec->body->unwatched;
        end = vgpu_grid_go(run, block);
        vgpu_grid_progress(run, block, run->done, &told);
        if (end < 0)
            tell_again(run, block, at, result);
        if (end > 0) {
            run_keep(run, block);
            block = NULL;
        } else if (run->spreading && end == 0) {
            spread_note(run, block);
        }
    }
    if (block)
        vgpu_grid_leave(run, block);
    return end >= 0 && is_free(run) ? vgpu_grid_at_once(run, result) : end;
}

/* None moves. Return: whether more may begin. */
static bool make_room(struct vgpu_exec_run *run)
{
    const uint64_t room = run->exec->room;

    if (run->num_waiting < run->most_waiting || run->done >= run->walk.count ||
        run->exec->cooperative || (room && run->most_waiting >= room))
        return false;
    run->most_waiting *= 2;
    if (room && run->most_waiting > room)
        run->most_waiting = room;
    return true;
}

/* The same, and all have come: without its first thread. */
static void say_without_first(const struct vgpu_exec_run *run,
                              struct vgpu_exec_result *result)
{
    const struct vgpu_block *block = run->waiting;
    const struct uint3 *at;

    while (block->next_free && !lacks_first(block))
        block = block->next_free;
    at = &block->geometry.block_index;
    snprintf(result->message, sizeof result->message,
             "%" PRIu64 " blocks wait at grid.sync() for block (%u,%u,%u), "
             "whose thread (0,0,0) ended without it",
             run->num_held, at->x, at->y, at->z);
}

/* No block moves any more, and all wait at the grid's barrier: for one that has
 * ended, and so for ever, as on a GPU. (A cluster's does not wait for those.)
 */
static void fail_lost(struct vgpu_exec_run *run,
                      struct vgpu_exec_result *result)
{
    const struct uint3 *ended = &run->first_ended;
    char others[40] = "";

    if (run->num_ended > 1)
        snprintf(others, sizeof others, " and %" PRIu64 " more",
                 run->num_ended - 1);
    vgpu_grid_fail(result, VGPU_EXEC_WAITS, "");
    result->is_lost = true;
    result->pc = run->waiting->barrier_pc;
    if (!run->num_ended) {
        say_without_first(run, result);
        return;
    }
    snprintf(result->message, sizeof result->message,
             "%" PRIu64 " blocks wait at grid.sync() for block (%u,%u,%u)%s, "
             "which ended without it",
             run->num_held, ended->x, ended->y, ended->z, others);
}

/* Do all blocks that have not ended wait where they let the next kernel begin?
 * If so, when was that? One that has ended without a word is as late as it was.
 */
static void note_trigger(const struct vgpu_exec_run *run,
                         struct vgpu_exec_result *result)
{
    const struct vgpu_exec *exec = run->exec;
    uint64_t ops = run->trigger_most < 1000 ? 0 : run->read_most;

    result->at_trigger = exec->let_go && run->done >= run->walk.count;
    for (const struct vgpu_block *b = run->waiting; b; b = b->next_free) {
        result->at_trigger = result->at_trigger && b->triggered;
        if (b->trigger_ops > ops)
            ops = b->trigger_ops;
    }
    result->read_ns =
        (int64_t)((double)ops * exec->ticks_per_op * exec->ns_per_tick);
}

static void fail_waits(struct vgpu_exec_run *run,
                       struct vgpu_exec_result *result)
{
    struct vgpu_block *block = run->waiting;
    char name[96];

    while ((block->at_grid || block->at_cluster) && block->next_free)
        block = block->next_free;
    vgpu_grid_fail(result, VGPU_EXEC_WAITS, "");
    note_trigger(run, result);
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
            end = run->cluster > 1 ? go_on_clusters(run, result)
                                   : go_on_walk(run, result);
        moved = moved || run->moved;
    } while (end >= 0 && run->waiting && (run->moved || make_room(run)));
    run->moved = moved;
    if (end < 0 || !run->waiting)
        return;
    if (run->num_held == run->num_waiting && !grid_meets(run))
        fail_lost(run, result);
    else
        fail_waits(run, result);
}

static void run_end(struct vgpu_exec_run *run)
{
    struct vgpu_block *next;

    for (struct vgpu_block *block = run->waiting; block; block = next) {
        next = block->next_free;
        vgpu_grid_leave(run, block);
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
    run->most_waiting =
        exec->room && exec->room < FIRST_WAITING ? exec->room : FIRST_WAITING;
    run->cluster = vgpu_cluster_size(exec);
    run->walk = exec->sample && exec->sample < blocks && run->cluster == 1
                    ? walk_sample(blocks, exec->sample)
                    : walk_make(blocks / run->cluster, &run->random);
    if (exec->body->unwatched && !exec->cooperative && !exec->ahead_over &&
        !exec->let_go && run->walk.count == blocks && run->cluster == 1 &&
        blocks >= SPREAD_LEAST && blocks <= SPREAD_MOST) {
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
        return vgpu_grid_fail(result, VGPU_EXEC_TRAP,
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
        vgpu_grid_fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
    }
    vgpu_fault_guard_end(guard);
    *moved = run->moved;
    if (result->status == VGPU_EXEC_WAITS && run == &own) {
        *kept = malloc(sizeof own);
        if (*kept) {
            **kept = own;
            run = *kept;
        } else {
            vgpu_grid_fail(result, VGPU_EXEC_NO_MEMORY, "no memory");
        }
    }
    if (result->status == VGPU_EXEC_WAITS)
        return result->status;
    run_end(run);
    add_place(result);
    result->ops = run->ops;
    result->slots = run->slots;
    result->doubles = run->doubles;
    result->trigger_permille = run->trigger_most;
    result->busy_blocks = busy_blocks(run);
    result->read_ns = (int64_t)((double)run->read_most * exec->ticks_per_op *
                                exec->ns_per_tick);
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
    if (run) {
        run_end(run);
        free(run);
    }
    return status;
}
