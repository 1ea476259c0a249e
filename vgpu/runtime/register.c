/*
 * register.c: memory of the program's own that is page-locked while it is
 * registered (cudaHostRegister).
 *
 * A device may write it, unless the flags say that it only reads; so its pages
 * must be there and allow that.
 *
 * Source: manual, "Memory Management"; observed,
 * tests/conformance/host_register_pages.cu.
 */
#include "rt.h"

/* More than that no host has. */
#define MOST_GIB 1024

/* Known memory that has an address from [@at, @end): of those that are
 * registered any, else any other; NULL: none. */
static const struct vgpu_memory *find_within(uintptr_t at, uintptr_t end)
{
    const struct vgpu_memory *found = NULL;

    for (struct vgpu_memory *m = vgpu_memory_first(); m;
         m = vgpu_memory_next(m)) {
        const uintptr_t base = (uintptr_t)m->base;

        if (base >= end || at >= base + m->bytes)
            continue;
        if (!found || m->kind == VGPU_MEM_REGISTERED)
            found = m;
    }
    return found;
}

/* None is a device's I/O memory here. */
API(cudaHostRegister, void *pointer, size_t bytes, unsigned int flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                           cudaHostRegisterReadOnly;
    const uintptr_t at = (uintptr_t)pointer;
    const struct vgpu_memory *other;
    struct vgpu_memory *memory;

    call->cost_ns =
        vgpu_memory_per_mib(bytes, vgpu_rt.host->host_register_ns_per_mib);
    if (!pointer || !bytes || bytes > UINTPTR_MAX - at || (flags & ~known))
        return cudaErrorInvalidValue;
    if ((bytes - 1) >> 30 >= MOST_GIB)
        return cudaErrorMemoryAllocation;
    other = find_within(at, at + bytes);
    if (other)
        return other->kind == VGPU_MEM_REGISTERED
                   ? cudaErrorHostMemoryAlreadyRegistered
                   : cudaErrorInvalidValue;
    if (!vgpu_pages_allow(at, at + bytes, !(flags & cudaHostRegisterReadOnly)))
        return cudaErrorInvalidValue;
    memory = vgpu_memory_register(pointer, bytes, call->pc);
    if (!memory)
        return cudaErrorMemoryAllocation;
    memory->flags = flags;
    memory->device = call->thread->device;
    return cudaSuccess;
}

/* Waits like a free, and is no safer to rely on. */
API(cudaHostUnregister, void *pointer)
{
    const int64_t ns_per_mib = vgpu_rt.host->host_unregister_ns_per_mib;
    struct vgpu_memory *memory = vgpu_memory_find(pointer);
    cudaError_t error;

    if (!pointer)
        return cudaErrorInvalidValue;
    if (!memory || memory->free_pc)
        return cudaErrorHostMemoryNotRegistered;
    if (memory->kind != VGPU_MEM_REGISTERED || memory->base != pointer)
        return cudaErrorInvalidValue;
    error = vgpu_memory_drain(call, memory);
    if (error)
        return error;
    call->cost_ns += vgpu_memory_per_mib(memory->bytes, ns_per_mib);
    vgpu_memory_free(memory, call->pc);
    return cudaSuccess;
}
