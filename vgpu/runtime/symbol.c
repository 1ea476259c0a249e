/* symbol.c: variables of devices, found by the address that the linker gave. */
#include "copy.h"

cudaError_t vgpu_symbol_find(const void *symbol, size_t *bytes, size_t offset,
                             char **address)
{
    const int current = vgpu_thread_self()->device;
    struct vgpu_memory *memory;
    const void *at;
    size_t size;

    if (!vgpu_symbols_contain(symbol))
        return cudaErrorInvalidSymbol;
    if (!vgpu_variable_find(symbol, &at, &size))
        size = 0;
    else if (at != symbol)
        return cudaErrorInvalidSymbol;
    else if (offset > size || *bytes > size - offset)
        return cudaErrorInvalidValue;
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
        return cudaErrorInvalidMemcpyDirection;
    *side = address + offset;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    struct vgpu_call call;
    size_t size = 0;
    char *address = NULL;
    cudaError_t error = vgpu_call_begin(&call, "cudaGetSymbolAddress", VGPU_PC,
                                        VGPU_CALL_CONTEXT);

    if (!error && !pointer)
        error = cudaErrorInvalidValue;
    if (!error)
        error = vgpu_symbol_find(symbol, &size, 0, &address);
    if (!error)
        *pointer = address;
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    struct vgpu_call call;
    size_t size = 0;
    char *address = NULL;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaGetSymbolSize", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !bytes)
        error = cudaErrorInvalidValue;
    if (!error)
        error = vgpu_symbol_find(symbol, &size, 0, &address);
    if (!error && size)
        *bytes = size;
    return vgpu_call_end(&call, error, 0);
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

VGPU_TWINS(cudaMemcpyToSymbol, _ptds,
           (const void *symbol, const void *src, size_t bytes, size_t offset,
            enum cudaMemcpyKind kind),
           to_symbol(NOW(cudaMemcpyToSymbol), symbol, src, bytes, offset))

VGPU_TWINS(cudaMemcpyFromSymbol, _ptds,
           (void *dst, const void *symbol, size_t bytes, size_t offset,
            enum cudaMemcpyKind kind),
           from_symbol(NOW(cudaMemcpyFromSymbol), dst, symbol, bytes, offset))

VGPU_TWINS(cudaMemcpyToSymbolAsync, _ptsz,
           (const void *symbol, const void *src, size_t bytes, size_t offset,
            enum cudaMemcpyKind kind, cudaStream_t stream),
           to_symbol(ASYNC(cudaMemcpyToSymbolAsync), symbol, src, bytes,
                     offset))

VGPU_TWINS(cudaMemcpyFromSymbolAsync, _ptsz,
           (void *dst, const void *symbol, size_t bytes, size_t offset,
            enum cudaMemcpyKind kind, cudaStream_t stream),
           from_symbol(ASYNC(cudaMemcpyFromSymbolAsync), dst, symbol, bytes,
                       offset))
