/*
 * warp.c: operations of the lanes of a warp: shuffles, votes, matches.
 *
 * Lanes run one after the other, so a warp's operation is a meeting: each lane
 * that comes leaves its value and waits, and the last one works out all
 * results. Lanes that come to the same operation with the same mask form a
 * group; a warp may have several groups at once, as diverged lanes do on a GPU
 * since Volta.
 *
 * A lane that has ended is not waited for: CUDA asks only those lanes of a mask
 * to come that have not exited. A mask without the caller's own lane ends the
 * kernel.
 *
 * Source: guide, "Warp Vote Functions", "Warp Match Functions", "Warp Reduce
 * Functions", "Warp Shuffle Functions".
 */
#include "arith.h"
#include "block.h"

#include <stdio.h>
#include <string.h>

#include "stacks.h"
#include "vgpu_check.h"

#define ALL_LANES 0xffffffffu

const char *vgpu_warp_op_name(enum vgpu_warp_op op)
{
    static const char *const names[] = {
        [VGPU_WARP_SYNC] = "__syncwarp",
        [VGPU_WARP_ACTIVE] = "__activemask",
        [VGPU_WARP_STEP] = "a volatile variable",
        [VGPU_WARP_BALLOT] = "a warp vote",
        [VGPU_WARP_SHFL] = "a warp shuffle",
        [VGPU_WARP_MATCH_ANY] = "__match_any_sync",
        [VGPU_WARP_MATCH_ALL] = "__match_all_sync",
        [VGPU_WARP_ADD] = "__reduce_add_sync",
        [VGPU_WARP_MIN_U] = "__reduce_min_sync",
        [VGPU_WARP_MIN_S] = "__reduce_min_sync",
        [VGPU_WARP_MAX_U] = "__reduce_max_sync",
        [VGPU_WARP_MAX_S] = "__reduce_max_sync",
        [VGPU_WARP_AND] = "__reduce_and_sync",
        [VGPU_WARP_OR] = "__reduce_or_sync",
        [VGPU_WARP_XOR] = "__reduce_xor_sync",
        [VGPU_WARP_LOAD] = "load_matrix_sync",
        [VGPU_WARP_STORE] = "store_matrix_sync",
        [VGPU_WARP_MMA] = "mma_sync",
    };

    return names[op];
}

/* Lanes that the last warp of a block does not have count as ended. */
void vgpu_warps_begin(struct vgpu_block *block)
{
    uint32_t num_warps = (uint32_t)div_up(block->num_threads, WARP_LANES);
    uint32_t in_last = block->num_threads % WARP_LANES;
    uint32_t i;

    for (i = 0; i < num_warps; i++) {
        block->warps[i].ended = 0;
        block->warps[i].num_groups = 0;
        block->warps[i].groups[0].arrived = 0;
    }
    if (in_last)
        block->warps[num_warps - 1].ended = ALL_LANES << in_last;
}

/* ---- results ------------------------------------------------------------- */

static unsigned int reduce_two(enum vgpu_warp_op op, unsigned int a,
                               unsigned int b)
{
    switch (op) {
    case VGPU_WARP_ADD:
        return a + b;
    case VGPU_WARP_MIN_U:
        return a < b ? a : b;
    case VGPU_WARP_MIN_S:
        return (int)a < (int)b ? a : b;
    case VGPU_WARP_MAX_U:
        return a > b ? a : b;
    case VGPU_WARP_MAX_S:
        return (int)a > (int)b ? a : b;
    case VGPU_WARP_AND:
        return a & b;
    case VGPU_WARP_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static unsigned int reduce(const struct thread *lanes,
                           const struct warp_group *group)
{
    unsigned int left = group->arrived;
    unsigned int result = (unsigned int)lanes[__builtin_ctz(left)].value;

    for (left &= left - 1; left; left &= left - 1)
        result = reduce_two(group->op, result,
                            (unsigned int)lanes[__builtin_ctz(left)].value);
    return result;
}

/* The lanes of @group whose value is @value, or is not 0 if @any. */
static unsigned int lanes_with(const struct thread *lanes,
                               const struct warp_group *group, uint64_t value,
                               bool any)
{
    unsigned int found = 0;
    unsigned int left;

    for (left = group->arrived; left; left &= left - 1) {
        int lane = __builtin_ctz(left);

        if (any ? lanes[lane].value != 0 : lanes[lane].value == value)
            found |= 1u << lane;
    }
    return found;
}

/* What every lane gets, where all get the same. */
static uint64_t result_of_all(const struct thread *lanes,
                              const struct warp_group *group)
{
    uint64_t first = lanes[__builtin_ctz(group->arrived)].value;

    switch (group->op) {
    case VGPU_WARP_SYNC:
    case VGPU_WARP_STEP:
        return 0;
    case VGPU_WARP_ACTIVE:
        return group->arrived;
    case VGPU_WARP_BALLOT:
        return lanes_with(lanes, group, 0, true);
    case VGPU_WARP_MATCH_ALL:
        return lanes_with(lanes, group, first, false) == group->arrived
                   ? group->mask
                   : 0;
    default:
        return reduce(lanes, group);
    }
}

/* A shuffle from a lane that is not in the group is undefined in CUDA: it gives
 * a value that is easy to recognise and never right by chance. */
static void shuffle(struct thread *lanes, unsigned int arrived)
{
    for (unsigned int left = arrived; left; left &= left - 1) {
        struct thread *lane = &lanes[__builtin_ctz(left)];

        lane->result = arrived >> lane->operand & 1 ? lanes[lane->operand].value
                                                    : NO_VALUE;
    }
}

static void match(struct thread *lanes, const struct warp_group *group)
{
    for (unsigned int left = group->arrived; left; left &= left - 1) {
        struct thread *lane = &lanes[__builtin_ctz(left)];

        lane->result = lanes_with(lanes, group, lane->value, false);
    }
}

static void set_results(struct thread *lanes, const struct warp_group *group)
{
    uint64_t all;

    if (group->op == VGPU_WARP_SHFL) {
        shuffle(lanes, group->arrived);
    } else if (group->op == VGPU_WARP_MATCH_ANY) {
        match(lanes, group);
    } else {
        all = result_of_all(lanes, group);
        for (unsigned int left = group->arrived; left; left &= left - 1)
            lanes[__builtin_ctz(left)].result = all;
    }
}

/* ---- groups -------------------------------------------------------------- */

static bool group_complete(const struct warp *warp,
                           const struct warp_group *group)
{
    return ((group->arrived | warp->ended) & group->mask) == group->mask;
}

/* Give all lanes of a group their result and let them go on, but for the one
 * that came last and has not waited, @own (or 0). */
static void group_finish(struct vgpu_block *block, uint32_t warp_index,
                         int index, unsigned int own)
{
    struct warp *warp = &block->warps[warp_index];
    struct warp_group *group = &warp->groups[index];
    uint32_t base = warp_index * WARP_LANES;
    unsigned int left;

    if (group->op >= VGPU_WARP_LOAD)
        vgpu_matrix_meet(block, base, group);
    else
        set_results(&block->threads[base], group);
    if (block->watched && group->op == VGPU_WARP_SYNC)
        vgpu_race_warp(warp_index, group->arrived);
    vgpu_lanes_ready(block, base, group->arrived & ~own);
    warp->num_groups--;
    if (index == warp->num_groups) {
        group->arrived = 0;
        return;
    }
    *group = warp->groups[warp->num_groups];
    for (left = group->arrived; left; left &= left - 1)
        block->threads[base + (uint32_t)__builtin_ctz(left)].group = index;
}

/* Not more groups than lanes: each has at least one that waits in it. */
static int group_find(struct warp *warp, enum vgpu_warp_op op,
                      unsigned int mask)
{
    int i;

    for (i = 0; i < warp->num_groups; i++)
        if (warp->groups[i].op == op && warp->groups[i].mask == mask)
            return i;
    warp->groups[i] = (struct warp_group){op, mask, 0};
    warp->num_groups++;
    return i;
}

/* From the last group down, since a group that finishes is replaced by the
 * last. */
void vgpu_warp_lane_ended(struct vgpu_block *block, uint32_t thread)
{
    uint32_t warp_index = thread / WARP_LANES;
    struct warp *warp = &block->warps[warp_index];
    int i;

    for (i = warp->num_groups - 1; i >= 0; i--)
        if (group_complete(warp, &warp->groups[i]))
            group_finish(block, warp_index, i, 0);
}

/* Has it no mask to wait for? */
static bool is_open(enum vgpu_warp_op op)
{
    return op == VGPU_WARP_ACTIVE || op == VGPU_WARP_STEP;
}

/* Who is active shows only when nobody in the block can come any more. */
bool vgpu_warps_settle(struct vgpu_block *block)
{
    uint32_t num_warps = (uint32_t)div_up(block->num_threads, WARP_LANES);
    bool settled = false;
    uint32_t w;
    int i;

    for (w = 0; w < num_warps; w++) {
        struct warp *warp = &block->warps[w];

        for (i = warp->num_groups - 1; i >= 0; i--) {
            if (is_open(warp->groups[i].op)) {
                group_finish(block, w, i, 0);
                settled = true;
            }
        }
    }
    return settled;
}

/* A function of its own, so that the text takes no room on each waiting
 * thread's stack. */
static __attribute__((noinline, noreturn)) void
end_by_mask(enum vgpu_warp_op op, unsigned int mask, uint32_t lane, uint64_t pc)
{
    char text[128];

    snprintf(text, sizeof text,
             "the mask 0x%08x of %s does not hold the caller's own lane %u",
             mask, vgpu_warp_op_name(op), lane);
    vgpu_exec_abort_at(VGPU_EXEC_DIVERGENT_BARRIER, pc, text);
}

/* With @value to give. */
static inline void group_join(struct warp_group *group, uint32_t self,
                              struct thread *thread, uint64_t value,
                              unsigned int operand)
{
    group->arrived |= 1u << self % WARP_LANES;
    thread->value = value;
    thread->operand = operand % WARP_LANES;
}

static __attribute__((noinline)) uint64_t
combine(enum vgpu_warp_op op, unsigned int mask, uint64_t value,
        unsigned int operand, uint64_t pc)
{
    struct vgpu_block *block = vgpu_block_required(vgpu_warp_op_name(op));
    const uint32_t self = (uint32_t)block->current;
    const unsigned int own = 1u << self % WARP_LANES;
    struct thread *thread = &block->threads[self];
    struct warp *warp = &block->warps[self / WARP_LANES];

    vgpu_block_note(block);
    if (is_open(op))
        mask = ALL_LANES;
    if (!(mask & own))
        end_by_mask(op, mask, self % WARP_LANES, pc);
    thread->group = group_find(warp, op, mask);
    group_join(&warp->groups[thread->group], self, thread, value, operand);
    if (group_complete(warp, &warp->groups[thread->group]))
        group_finish(block, self / WARP_LANES, thread->group, own);
    else
        vgpu_thread_wait(block, THREAD_WAITS_WARP);
    return thread->result;
}

/* Most often all lanes of a warp come to the same operation as the last time,
 * and so wait in one group, and who waits hands on to one that is ready. */
uint64_t vgpu_warp_combine(enum vgpu_warp_op op, unsigned int mask,
                           uint64_t value, unsigned int operand, uint64_t pc)
{
    struct vgpu_block *block = vgpu_current;
    const uint32_t self = block ? (uint32_t)block->current : 0;
    const unsigned int own = 1u << self % WARP_LANES;
    struct warp *warp;
    struct thread *thread;

    if (!block || !block->num_ready)
        return combine(op, mask, value, operand, pc);
    warp = &block->warps[self / WARP_LANES];
    if (warp->num_groups > 1 || warp->groups->op != op ||
        warp->groups->mask != mask || !(mask & own) ||
        !(mask & ~(warp->groups->arrived | warp->ended | own)))
        return combine(op, mask, value, operand, pc);
    thread = &block->threads[self];
    thread->group = 0;
    warp->num_groups = 1;
    group_join(warp->groups, self, thread, value, operand);
    vgpu_thread_hand_on(block, thread, THREAD_WAITS_WARP);
    return thread->result;
}

/*
 * Much code of the time before __syncwarp relies on lanes running in step: the
 * last rounds of a reduction in volatile memory, shared or not. CUDA does not
 * promise it any more, but GPUs still do it, so lanes write such a variable
 * together, and when all have written, they read. What is on a thread's stack
 * is its own.
 */
void vgpu_exec_step(const volatile void *at, bool writes)
{
    struct vgpu_block *block = vgpu_current;
    struct thread *thread;

    if (!block || block->current < 0 || vgpu_stack_contains((void *)at))
        return;
    thread = &block->threads[block->current];
    if (writes || thread->wrote)
        vgpu_warp_combine(VGPU_WARP_STEP, 0, 0, 0, 0);
    thread->wrote = writes;
    block->steps |= writes;
}

unsigned int vgpu_warp_lane(void)
{
    return (unsigned int)vgpu_block_required("a warp function")->current %
           WARP_LANES;
}
