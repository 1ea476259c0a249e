/*
 * spin.c: threads of a kernel that wait for a flag.
 *
 * Threads run one after the other, so one that reads a flag in a loop would do
 * so for ever. A thread that has looked at the same things so many times, and
 * seen nothing new, gives its turn to the others of its block; when all of them
 * do, the block waits and the next one begins; and when all blocks have, the
 * kernel waits (exec.c) until whoever runs it comes back. What is counted are
 * reads, so a run is the same every time.
 */
#include "block.h"

#include <string.h>

#include "vgpu/kernel.h"

#define IDLE_READS 512
#define READ_OPS   3 /* a loop around a read, to be taken back */

static uint64_t value_of(const volatile void *at, size_t bytes)
{
    uint64_t value = 0;

    if (bytes == 4)
        return *(const volatile uint32_t *)at;
    memcpy(&value, (const void *)(uintptr_t)at,
           bytes < sizeof value ? bytes : sizeof value);
    return value;
}

/* Is it nothing new to the thread that runs? */
static bool is_seen(struct vgpu_block *block, const volatile void *at,
                    size_t bytes)
{
    struct flag_looks *const looks = &block->looks;
    const uint64_t value = value_of(at, bytes);
    unsigned i = 0;

    looks->thread = block->current;
    while (i < FLAG_LOOKS &&
           (looks->at[i] != at || looks->by[i] != block->current))
        i++;
    if (i == FLAG_LOOKS)
        i = looks->next++ % FLAG_LOOKS;
    else if (looks->value[i] == value)
        return true;
    looks->by[i] = block->current;
    looks->at[i] = at;
    looks->value[i] = value;
    return false;
}

/* Does the running thread wait together with others? Whether what it looks at
 * changes anything, the loop tells. */
static bool counts_as_idle(const struct vgpu_block *block)
{
    return block->num_idle &&
           block->threads[block->current].idle.epoch == block->epoch;
}

/* What the loop cost while nothing happened is no work. A thread that comes
 * back from its turn looks twice before it gives it away again. */
void vgpu_exec_look(const volatile void *at, size_t bytes, uint64_t pc)
{
    struct vgpu_block *block = vgpu_current;
    struct flag_looks *const looks = &block->looks;
    struct flag_looks mine;
    uint64_t spent;

    looks->reads++;
    if (!is_seen(block, at, bytes)) {
        looks->idle = 0;
        looks->in_vain = 0;
        block->moved = block->moved || !counts_as_idle(block);
        return;
    }
    if (++looks->idle < IDLE_READS)
        return;
    spent = READ_OPS * (uint64_t)looks->idle;
    block->ops -= spent < block->ops ? spent : block->ops;
    looks->pc = pc;
    mine = *looks;
    vgpu_thread_spins(block);
    mine.in_vain = looks->in_vain;
    mine.idle = IDLE_READS - 2;
    *looks = mine;
}

/* All threads wait in vain: the scheduler's caller gets the turn, and then each
 * of them has to look again. */
static void give_way(struct vgpu_block *block)
{
    block->waits = true;
    context_switch(&block->fiber->context, &block->scheduler);
    block->rounds = 0;
}

/* A loop with barriers or votes. That all of its threads go round in it is seen
 * at the barrier (block.c), and where there is none, here. */
static void idle_with_others(struct vgpu_block *block, struct idle_loop *idle,
                             enum vgpu_idle_waits waits)
{
    vgpu_block_note(block);
    if (!counts_as_idle(block)) {
        idle->epoch = block->epoch;
        block->num_idle++;
    }
    block->looks.thread = block->current;
    if (waits != VGPU_IDLE_VOTES)
        return;
    if (block->num_started < block->num_threads)
        vgpu_thread_spins(block); /* another warp begins */
    else if (vgpu_block_is_idle(block) && ++block->rounds > block->num_idle)
        give_way(block);
}

static void idle_alone(struct vgpu_block *block, struct idle_loop *idle)
{
    vgpu_thread_spins(block);
    idle->rounds = IDLE_READS - 2;
    idle->reads = block->looks.reads;
}

/* Return: whether the thread did nothing but to go round since the last time,
 * and nothing was new. */
static bool is_idle_round(const struct vgpu_block *block,
                          const struct idle_loop *idle, bool same,
                          enum vgpu_idle_waits waits)
{
    return same && (waits || idle->reads == block->looks.reads);
}

/* A round like the one before has cost what a round does since. Anything else
 * is news, unless flags were looked at meanwhile, which tell themselves; in a
 * loop with barriers they cannot, since other threads run between.
 * Nothing is volatile here, so that a compiler need not read it again: this
 * call has it do so. */
void vgpu_idle(uint64_t ops, unsigned step, enum vgpu_idle_waits waits)
{
    struct vgpu_block *const block = vgpu_current;
    const uint64_t pc = (uint64_t)(uintptr_t)VGPU_CALLER();
    struct idle_loop *idle;
    bool same;

    if (!block) {
        if (vgpu_exec_host.idle)
            vgpu_exec_host.idle(ops, step, pc, waits == VGPU_IDLE_ROUNDS);
        return;
    }
    idle = &block->threads[block->current].idle;
    same = idle->pc == pc && ops - idle->ops == step;
    if (!same && (waits || idle->reads == block->looks.reads)) {
        block->looks.in_vain = 0;
        vgpu_block_news(block);
    }
    idle->rounds =
        is_idle_round(block, idle, same, waits) ? idle->rounds + 1 : 0;
    if (!same || idle->before < idle->waited) /* the last to come goes on */
        idle->before = same ? idle->waited : 0;
    idle->waited = 0;
    idle->reads = block->looks.reads;
    idle->ops = ops;
    idle->pc = pc;
    if (idle->rounds < IDLE_READS)
        return;
    block->looks.pc = pc;
    if (waits)
        idle_with_others(block, idle, waits);
    else
        idle_alone(block, idle);
}

void vgpu_idle_end(uint64_t ops)
{
    struct vgpu_block *const block = vgpu_current;

    if (block)
        block->threads[block->current].idle.ops = ops;
    else if (vgpu_exec_host.idle_end)
        vgpu_exec_host.idle_end(ops);
}
