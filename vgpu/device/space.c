/*
 * space.c: what device code can tell of an address: in which space it is, and
 * where in shared memory.
 *
 * Every address here is one of the program's process, so spaces are where
 * things are: a block's shared memory, a thread's stack, all else. In shared
 * memory a variable has the place that it would have without the fences behind
 * the others (shared.c), behind what the driver keeps for itself.
 *
 * Source: guide, "Address Space Predicate Functions", "Address Space Conversion
 * Functions"; PTX ISA, "Special Registers".
 */
#include "block.h"

#include "stacks.h"
#include "vgpu_check.h"

/* Every function here that is not static is for programs. */
#pragma GCC visibility push(default)

unsigned int vgpu_is_shared(const void *address);
unsigned int vgpu_is_local(const void *address);
unsigned int vgpu_is_global(const void *address);
size_t vgpu_to_shared(const void *address);
void *vgpu_from_shared(size_t place);

/* The block's own: that of its cluster's other blocks is in no space that a
 * kernel can ask for. */
static bool in_shared(const void *address)
{
    return vgpu_current &&
           vgpu_shared_contains(&vgpu_current->shared, address, NULL);
}

static bool in_cluster(const void *address)
{
    return vgpu_current && vgpu_cluster_owner(vgpu_current, address);
}

static bool in_local(const void *address)
{
    return vgpu_stack_contains(address) == 1;
}

unsigned int vgpu_is_shared(const void *address)
{
    return in_shared(address);
}

unsigned int vgpu_is_local(const void *address)
{
    return in_local(address);
}

unsigned int vgpu_is_global(const void *address)
{
    return !in_cluster(address) && !in_local(address);
}

static size_t up(size_t at, size_t align)
{
    return (at + align - 1) & ~(align - 1);
}

/* Without fences, each variable behind the one before. */
static size_t place_of(const struct shared_memory *shared, int variable)
{
    size_t place = 0;

    for (int i = 0; i <= variable; i++) {
        place = up(place, shared->variables[i].align);
        if (i < variable)
            place += shared->variables[i].bytes;
    }
    return place;
}

static size_t reserved(void)
{
    return vgpu_current->exec->capability >= 80 ? 1024 : 0;
}

static size_t dynamic_place(const struct shared_memory *shared)
{
    const int last = shared->num_variables - 1;

    return last < 0
               ? 0
               : up(place_of(shared, last) + shared->variables[last].bytes, 16);
}

size_t vgpu_to_shared(const void *address)
{
    const struct shared_memory *shared = &vgpu_current->shared;
    const size_t at = (size_t)((uintptr_t)address - (uintptr_t)shared->base);
    const size_t in_dynamic =
        (size_t)((uintptr_t)address - (uintptr_t)shared->dynamic);

    for (int i = 0; i < shared->num_variables; i++) {
        const struct shared_variable *v = &shared->variables[i];

        if (at - v->offset < v->bytes)
            return reserved() + place_of(shared, i) + (at - v->offset);
    }
    return reserved() + dynamic_place(shared) + in_dynamic;
}

void *vgpu_from_shared(size_t place)
{
    const struct shared_memory *shared = &vgpu_current->shared;
    const size_t at = place - reserved();

    for (int i = 0; i < shared->num_variables; i++) {
        const struct shared_variable *v = &shared->variables[i];

        if (at - place_of(shared, i) < v->bytes)
            return shared->base + v->offset + (at - place_of(shared, i));
    }
    return shared->dynamic + (at - dynamic_place(shared));
}

unsigned int vgpu_dynamic_bytes(void)
{
    return vgpu_current ? (unsigned)vgpu_current->exec->dynamic_shared_bytes
                        : 0;
}

/* What the block has of its SM, in whole units, ... */
unsigned int vgpu_shared_total(void)
{
    if (!vgpu_current)
        return 0;
    return (unsigned)up(dynamic_place(&vgpu_current->shared) +
                            vgpu_current->exec->dynamic_shared_bytes,
                        128);
}

/* ... and to the last byte, with the driver's part. */
unsigned int vgpu_shared_sum(void)
{
    if (!vgpu_current)
        return 0;
    return (unsigned)(reserved() + dynamic_place(&vgpu_current->shared) +
                      vgpu_current->exec->dynamic_shared_bytes);
}

unsigned long long vgpu_grid_number(void)
{
    return vgpu_current ? vgpu_current->launch : 0;
}

unsigned int vgpu_warp_slots(void)
{
    return vgpu_current ? vgpu_current->exec->warps_per_sm : 1;
}

#pragma GCC visibility pop
