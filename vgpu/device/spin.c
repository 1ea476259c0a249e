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
        block->moved = true;
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

/* A round like the one before has cost what a round does since. Anything else
 * is news, unless flags were looked at meanwhile, which tell themselves.
 * Nothing is volatile here, so that a compiler need not read it again: this
 * call has it do so. */
void vgpu_idle(uint64_t ops, unsigned step)
{
    struct vgpu_block *const block = vgpu_current;
    const uint64_t pc = (uint64_t)(uintptr_t)VGPU_CALLER();
    struct idle_loop *idle;
    unsigned rounds = 0;

    if (!block)
        return;
    idle = &block->threads[block->current].idle;
    if (idle->pc == pc && ops - idle->ops == step) {
        rounds = idle->reads == block->looks.reads ? idle->rounds + 1 : 0;
    } else if (idle->reads == block->looks.reads) {
        block->looks.in_vain = 0;
        block->moved = true;
    }
    if (rounds >= IDLE_READS) {
        block->looks.pc = pc;
        vgpu_thread_spins(block);
        rounds = IDLE_READS - 2;
    }
    *idle = (struct idle_loop){rounds, block->looks.reads, ops, pc};
}
