/* symbol.c: variables of devices, found by the address that the linker gave. */
#include "copy.h"

/* Its size is known of one that the linker names; else the bytes are the
 * caller's own affair. */
cudaError_t vgpu_symbol_find(const void *symbol, size_t *bytes, size_t offset,
                             char **address)
{
    const int current = vgpu_thread_self()->device;
    struct vgpu_memory *memory;
    const void *at;
    size_t size;

    if (!vgpu_symbols_contain(symbol))
        return vgpu_because(cudaErrorInvalidSymbol,
                            "it is no __device__, __constant__ or __managed__ "
                            "variable");
    if (!vgpu_variable_find(symbol, &at, &size))
        size = 0;
    else if (at != symbol)
        return vgpu_because(cudaErrorInvalidSymbol,
                            "it is an address within a variable");
    else if (offset > size || *bytes > size - offset)
        return vgpu_because(
            cudaErrorInvalidValue, "%s from byte %zu on are too many for %s",
            vgpu_amount(*bytes), offset, vgpu_memory_words(symbol));
    *bytes = size;
    *address = (char *)(uintptr_t)symbol;
    memory = vgpu_symbols_memory(symbol, current);
    if (memory) {
        *address += (char *)memory->base - (char *)memory->owner;
        for (int d = 0; d < vgpu_rt.device_count; d++)
            if (vgpu_rt.devices[d].peers >> current & 1)
                memory->peers |= 1ull << d;
    }
    return cudaSuccess;
}

/* The direction is known but for the other side, host or device. */
cudaError_t vgpu_symbol_side(const void *symbol, size_t bytes, size_t offset,
                             enum cudaMemcpyKind kind,
                             enum cudaMemcpyKind wrong, char **side)
{
    char *address = NULL;
    const cudaError_t error =
        vgpu_symbol_find(symbol, &bytes, offset, &address);

    if (error)
        return error;
    if (kind == wrong || kind == cudaMemcpyHostToHost)
        return vgpu_because(cudaErrorInvalidMemcpyDirection,
                            "a variable of a device is on the host by the "
                            "stated direction");
    *side = address + offset;
    return cudaSuccess;
}

API(cudaGetSymbolAddress, void **pointer, const void *symbol)
{
    size_t size = 0;
    char *address = NULL;
    cudaError_t error;

    if (!pointer)
        return cudaErrorInvalidValue;
    error = vgpu_symbol_find(symbol, &size, 0, &address);
    if (!error)
        *pointer = address;
    return error;
}

API(cudaGetSymbolSize, size_t *bytes, const void *symbol)
{
    size_t size = 0;
    char *address = NULL;
    cudaError_t error;

    if (!bytes)
        return cudaErrorInvalidValue;
    error = vgpu_symbol_find(symbol, &size, 0, &address);
    if (!error && size)
        *bytes = size;
    return error;
}

/* ---- copies ---------------------------------------------------------------
 */

static cudaError_t to_symbol(struct vgpu_manner m, const void *symbol,
                             const void *src, size_t bytes, size_t offset)
{
    char *dst = NULL;
    const cudaError_t error = vgpu_symbol_side(symbol, bytes, offset, m.kind,
                                               cudaMemcpyDeviceToHost, &dst);

    return error ? vgpu_copy_refuse(m, error)
                 : vgpu_copy_flat(m, dst, src, bytes);
}

static cudaError_t from_symbol(struct vgpu_manner m, void *dst,
                               const void *symbol, size_t bytes, size_t offset)
{
    char *src = NULL;
    const cudaError_t error = vgpu_symbol_side(symbol, bytes, offset, m.kind,
                                               cudaMemcpyHostToDevice, &src);

    return error ? vgpu_copy_refuse(m, error)
                 : vgpu_copy_flat(m, dst, src, bytes);
}

API(cudaMemcpyToSymbol, const void *symbol, const void *src, size_t bytes,
    size_t offset, enum cudaMemcpyKind kind)
{
    return to_symbol(NOW(kind), symbol, src, bytes, offset);
}

API(cudaMemcpyFromSymbol, void *dst, const void *symbol, size_t bytes,
    size_t offset, enum cudaMemcpyKind kind)
{
    return from_symbol(NOW(kind), dst, symbol, bytes, offset);
}

API(cudaMemcpyToSymbolAsync, const void *symbol, const void *src, size_t bytes,
    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return to_symbol(ASYNC(kind), symbol, src, bytes, offset);
}

API(cudaMemcpyFromSymbolAsync, void *dst, const void *symbol, size_t bytes,
    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return from_symbol(ASYNC(kind), dst, symbol, bytes, offset);
}
