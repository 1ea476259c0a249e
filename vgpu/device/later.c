/*
 * later.c: atomics that are made when all blocks of a kernel have run.
 *
 * A sum of floating-point numbers depends on their order, so blocks that add to
 * one cannot run at once. But where adding is the last thing that a thread
 * does, and nobody uses what atomicAdd returns (frontend/speed/sums.c), no
 * thread of the kernel may rely on seeing the sum: no barrier comes behind it.
 * So blocks run at once, what they would add is kept, and then added in their
 * order. The sums have the same bits as if each block had waited for the one
 * before.
 */
#include "block.h"

#include <stdlib.h>

#include "grow.h"
#include "stacks.h"

struct later_one {
    void *at;
    uint64_t value;
    vgpu_later_fn *make;
};

VGPU_OWN struct later *vgpu_later;

bool vgpu_later_put(void *at, uint64_t value, vgpu_later_fn *make)
{
    struct later *const later = vgpu_later;

    if (vgpu_shared_contains(&vgpu_current->shared, at, NULL) ||
        vgpu_stack_contains(at))
        return false;
    if (!VGPU_GROW(later->ones, later->count, &later->room))
        vgpu_exec_abort(VGPU_EXEC_NO_MEMORY, "no memory for atomics");
    later->ones[later->count++] = (struct later_one){at, value, make};
    return true;
}

void vgpu_later_make(const struct later *later)
{
    for (size_t i = 0; i < later->count; i++)
        later->ones[i].make(later->ones[i].at, later->ones[i].value);
}

void vgpu_later_free(struct later *laters, uint64_t count)
{
    for (uint64_t i = 0; laters && i < count; i++)
        free(laters[i].ones);
    free(laters);
}
