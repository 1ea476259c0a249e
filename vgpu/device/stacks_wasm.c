/*
 * stacks_wasm.c: stacks.c where no page can be guarded: what lies below a stack
 * is known to nobody else, and an access there is found by its call-back.
 */
#include "stacks.h"

#include <stdint.h>
#include <stdlib.h>

/* From one allocation, so that an address is found at once. */
#define PER_SLAB  64
#define MAX_SLABS 256

static char *slabs[MAX_SLABS];
static int num_slabs;
static int num_left; /* in the last one */
static char *given[MAX_SLABS * PER_SLAB];
static size_t num_given;

char *vgpu_stack_take(void)
{
    if (num_given)
        return given[--num_given];
    if (!num_left) {
        if (num_slabs == MAX_SLABS ||
            !(slabs[num_slabs] =
                  aligned_alloc(65536, (size_t)PER_SLAB * STACK_PITCH_BYTES)))
            return NULL;
        num_slabs++;
        num_left = PER_SLAB;
    }
    num_left--;
    return slabs[num_slabs - 1] + STACK_GUARD_BYTES +
           (size_t)num_left * STACK_PITCH_BYTES;
}

void vgpu_stack_give(char *stack)
{
    given[num_given++] = stack;
}

int vgpu_stack_contains(const void *address)
{
    for (int i = 0; i < num_slabs; i++) {
        const size_t at = (uintptr_t)address - (uintptr_t)slabs[i];

        if (at < (size_t)PER_SLAB * STACK_PITCH_BYTES)
            return at % STACK_PITCH_BYTES < STACK_GUARD_BYTES ? 2 : 1;
    }
    return 0;
}
