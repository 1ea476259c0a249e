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

static cudaError_t refuse(const struct vgpu_memory *other)
{
    if (other->kind == VGPU_MEM_REGISTERED)
        return vgpu_because(cudaErrorHostMemoryAlreadyRegistered,
                            "some of these bytes were registered at %s, among "
                            "%s, and are still registered",
                            vgpu_at(other->pc), vgpu_amount(other->bytes));
    return vgpu_because(cudaErrorInvalidValue,
                        "some of these bytes are CUDA's own: %s",
                        vgpu_memory_words(other->base));
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
        return vgpu_because(cudaErrorInvalidValue,
                            flags & ~known
                                ? "flags has a bit that is no flag of it"
                                : "there are no such bytes");
    if ((bytes - 1) >> 30 >= MOST_GIB)
        return cudaErrorMemoryAllocation;
    other = find_within(at, at + bytes);
    if (other)
        return refuse(other);
    if (!vgpu_pages_allow(at, at + bytes, !(flags & cudaHostRegisterReadOnly)))
        return vgpu_because(cudaErrorInvalidValue,
                            "the program may not use all of these bytes, or "
                            "not write them");
    memory = vgpu_memory_register(pointer, bytes, call->pc);
    if (!memory)
        return cudaErrorMemoryAllocation;
    memory->flags = flags;
    memory->device = call->thread->device;
    call->thread->order.memory = memory->id;
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
        return memory ? vgpu_because(cudaErrorHostMemoryNotRegistered,
                                     "it was given back at %s",
                                     vgpu_at(memory->free_pc))
                      : vgpu_because(cudaErrorHostMemoryNotRegistered,
                                     "it is not registered");
    if (memory->kind != VGPU_MEM_REGISTERED || memory->base != pointer)
        return vgpu_because(cudaErrorInvalidValue,
                            memory->kind == VGPU_MEM_REGISTERED
                                ? "only the address that was registered can "
                                  "be unregistered"
                                : "it is not registered, but CUDA's own");
    error = vgpu_memory_drain(call, memory);
    if (error)
        return error;
    call->cost_ns += vgpu_memory_per_mib(memory->bytes, ns_per_mib);
    call->thread->order.memory = memory->id;
    vgpu_memory_free(memory, call->pc);
    return cudaSuccess;
}
