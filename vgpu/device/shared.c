/*
 * shared.c: the shared memory of a block.
 *
 * One mapping: static variables from the start, dynamic memory so that it
 * ends where a page begins that nothing may touch. Behind each static variable
 * lies a fence of known bytes that is looked at when the block has ended.
 */
#include "block.h"

#include <stdio.h>
#include <string.h>

#define DYNAMIC_MAX_BYTES (1024 * 1024)
#define STATIC_BYTES                                                           \
    (SHARED_STATIC_BYTES + SHARED_MAX_VARIABLES * SHARED_FENCE_BYTES * 2)
#define GUARD_BYTES (64 * 1024) /* also the largest page of a system */
#define STATIC_MAPPED_BYTES                                                    \
    ((STATIC_BYTES + GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES)
#define MAPPED_BYTES                                                           \
    ((size_t)(STATIC_MAPPED_BYTES + DYNAMIC_MAX_BYTES + GUARD_BYTES * 2))
#define UNSET 0xCD
#define FENCE 0xFE

/* Once for each block state, and kept: kernels without shared memory never pay
 * for it. */
static int map(struct shared_memory *shared)
{
    shared->base = vgpu_guarded_memory(MAPPED_BYTES, GUARD_BYTES);
    return shared->base ? 0 : -1;
}

/* Dynamic memory ends at the guard, but for what its alignment to 16 bytes
 * leaves: an index that is a few elements too large traps. */
int vgpu_shared_begin_launch(struct shared_memory *shared, size_t dynamic_bytes)
{
    size_t rounded = (dynamic_bytes + 15) & ~(size_t)15;

    if (dynamic_bytes > DYNAMIC_MAX_BYTES)
        return -1;
    if (!shared->base && map(shared))
        return -1;
    shared->dynamic = shared->base + MAPPED_BYTES - GUARD_BYTES - rounded;
    shared->dynamic_bytes = dynamic_bytes;
    shared->static_bytes = 0;
    shared->static_end = 0;
    shared->num_variables = 0;
    return 0;
}

static void variable_begin(struct shared_memory *shared,
                           const struct shared_variable *variable)
{
    char *start = shared->base + variable->offset;

    memset(start, UNSET, variable->bytes);
    memset(start + variable->bytes, FENCE, SHARED_FENCE_BYTES);
}

/* Shared memory has no defined contents at a block's start (guide, "Shared
 * Memory"): a kernel that relies on the last block's, or on zeros, is found
 * out. */
void vgpu_shared_begin_block(struct shared_memory *shared)
{
    int i;

    for (i = 0; i < shared->num_variables; i++)
        variable_begin(shared, &shared->variables[i]);
    if (shared->dynamic_bytes)
        memset(shared->dynamic, UNSET, shared->dynamic_bytes);
}

static bool fence_holds(const char *fence)
{
    int i;

    for (i = 0; i < SHARED_FENCE_BYTES; i++)
        if ((unsigned char)fence[i] != FENCE)
            return false;
    return true;
}

/* Read and write behind a variable cannot be seen as they happen, for its
 * neighbours are the block's own; a write is seen by what it leaves. */
int vgpu_shared_check(const struct shared_memory *shared)
{
    int i;

    for (i = 0; i < shared->num_variables; i++) {
        const struct shared_variable *v = &shared->variables[i];

        if (!fence_holds(shared->base + v->offset + v->bytes))
            return i;
    }
    return -1;
}

/* The guard counts as shared memory: an access to it is told as one beyond the
 * block's shared memory, by so many bytes. */
bool vgpu_shared_contains(const struct shared_memory *shared,
                          const void *address, size_t *beyond)
{
    uintptr_t at = (uintptr_t)address - (uintptr_t)shared->base;

    if (!shared->base || at >= MAPPED_BYTES)
        return false;
    if (beyond)
        *beyond = at < MAPPED_BYTES - GUARD_BYTES
                      ? 0
                      : at - (MAPPED_BYTES - GUARD_BYTES);
    return true;
}

size_t vgpu_shared_bytes(void)
{
    return MAPPED_BYTES - GUARD_BYTES;
}

/* For the checker's reports. */
const char *vgpu_exec_shared(const void *address, uintptr_t *base,
                             size_t *bytes)
{
    const struct vgpu_block *owner = vgpu_cluster_owner(vgpu_current, address);
    const struct shared_memory *shared =
        owner ? &owner->shared : &vgpu_current->shared;
    uintptr_t at = (uintptr_t)address - (uintptr_t)shared->base;

    for (int i = 0; i < shared->num_variables; i++) {
        const struct shared_variable *v = &shared->variables[i];

        if (at - v->offset < v->bytes) {
            *base = (uintptr_t)shared->base + v->offset;
            *bytes = v->bytes;
            return *(const char *const *)v->key;
        }
    }
    *base = (uintptr_t)shared->dynamic;
    *bytes = shared->dynamic_bytes;
    return "extern memory";
}

static struct shared_variable *variable_add(struct shared_memory *shared,
                                            const void *key, size_t bytes,
                                            size_t align)
{
    struct shared_variable *variable;
    size_t offset = (shared->static_end + align - 1) & ~(align - 1);

    if (shared->num_variables == SHARED_MAX_VARIABLES ||
        shared->static_bytes + bytes > SHARED_STATIC_BYTES)
        vgpu_exec_abort(VGPU_EXEC_TRAP, "more than 48 KiB of static "
                                        "__shared__ memory in one block");
    variable = &shared->variables[shared->num_variables++];
    *variable = (struct shared_variable){key, offset, bytes, align};
    shared->static_bytes += bytes;
    shared->static_end = offset + bytes + SHARED_FENCE_BYTES;
    variable_begin(shared, variable);
    return variable;
}

/* At a declaration's first use in the launch. Later blocks find it at the same
 * place, filled anew; so do all blocks of a cluster. */
static struct shared_variable *variable_new(struct vgpu_block *block,
                                            const void *key, size_t bytes,
                                            size_t align)
{
    struct vgpu_cluster *const cluster = block->cluster;

    for (uint32_t i = 0; cluster && i < cluster->count; i++)
        if (cluster->blocks[i] != block)
            variable_add(&cluster->blocks[i]->shared, key, bytes, align);
    return variable_add(&block->shared, key, bytes, align);
}

/* By the declaration's address: few in any kernel, so they are searched. */
void *vgpu_shared_find(const void *key, size_t bytes, size_t align)
{
    struct vgpu_block *const block = vgpu_block_required("__shared__");
    struct shared_memory *const shared = &block->shared;
    int i;

    for (i = 0; i < shared->num_variables; i++)
        if (shared->variables[i].key == key)
            return shared->base + shared->variables[i].offset;
    return shared->base + variable_new(block, key, bytes, align)->offset;
}

void *vgpu_shared_dynamic(void)
{
    return vgpu_block_required("extern __shared__")->shared.dynamic;
}
