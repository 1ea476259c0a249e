/*
 * overloads.h: C++ overloads of API calls that take any pointer type, any
 * kernel or any device variable.
 *
 * Each is kept out of line and hands its caller's address on, so that
 * reports name the line in the program and not a line in here.
 */
#ifndef VGPU_OVERLOADS_H
#define VGPU_OVERLOADS_H

/* The next API call of this thread is made at @pc. */
extern "C" void vgpu_call_site(const void *pc);

#define VGPU_OVERLOAD static inline __attribute__((noinline, unused))
#define VGPU_SITE     vgpu_call_site(__builtin_return_address(0))

template <class T>
VGPU_OVERLOAD cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    VGPU_SITE;
    return ::cudaMalloc((void **)(void *)pointer, bytes);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaMallocPitch(T **pointer, size_t *pitch,
                                          size_t width, size_t height)
{
    VGPU_SITE;
    return ::cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaMallocHost(T **pointer, size_t bytes,
                                         unsigned int flags = 0)
{
    VGPU_SITE;
    return ::cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaHostAlloc(T **pointer, size_t bytes,
                                        unsigned int flags)
{
    VGPU_SITE;
    return ::cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaMallocManaged(
    T **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    VGPU_SITE;
    return ::cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaMallocAsync(T **pointer, size_t bytes,
                                          cudaStream_t stream)
{
    VGPU_SITE;
    return ::cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaHostGetDevicePointer(T **device, void *host,
                                                   unsigned int flags)
{
    VGPU_SITE;
    return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

VGPU_OVERLOAD cudaError_t cudaEventCreate(cudaEvent_t *event,
                                          unsigned int flags = 0)
{
    VGPU_SITE;
    return ::cudaEventCreateWithFlags(event, flags);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaMemcpyToSymbol(
    const T &symbol, const void *src, size_t bytes, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    VGPU_SITE;
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, bytes, offset,
                                kind);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaMemcpyFromSymbol(
    void *dst, const T &symbol, size_t bytes, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    VGPU_SITE;
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, bytes, offset,
                                  kind);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaMemcpyToSymbolAsync(const T &symbol,
                                                  const void *src, size_t bytes,
                                                  size_t offset,
                                                  enum cudaMemcpyKind kind,
                                                  cudaStream_t stream = 0)
{
    VGPU_SITE;
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, bytes, offset,
                                     kind, stream);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol,
                                                    size_t bytes, size_t offset,
                                                    enum cudaMemcpyKind kind,
                                                    cudaStream_t stream = 0)
{
    VGPU_SITE;
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, bytes,
                                       offset, kind, stream);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    VGPU_SITE;
    return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    VGPU_SITE;
    *bytes = sizeof(T);
    return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a,
                                                T *function)
{
    VGPU_SITE;
    return ::cudaFuncGetAttributes(a, (const void *)function);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaFuncSetAttribute(T *function,
                                               enum cudaFuncAttribute attribute,
                                               int value)
{
    VGPU_SITE;
    return ::cudaFuncSetAttribute((const void *)function, attribute, value);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaFuncSetCacheConfig(T *function,
                                                 enum cudaFuncCache config)
{
    VGPU_SITE;
    return ::cudaFuncSetCacheConfig((const void *)function, config);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, T function, int block_size, size_t shared_bytes)
{
    VGPU_SITE;
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, (const void *)function, block_size, shared_bytes);
}

template <class T>
VGPU_OVERLOAD cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function,
                                                       int block_size,
                                                       size_t shared_bytes,
                                                       unsigned int flags)
{
    VGPU_SITE;
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, (const void *)function, block_size, shared_bytes, flags);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *bytes, T *function, int blocks, int block_size)
{
    VGPU_SITE;
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(
        bytes, (const void *)function, blocks, block_size);
}

/* Block size with the most resident threads, and the grid that fills the
 * device with it. Return: cudaErrorInvalidValue for NULL results. */
template <class T>
VGPU_OVERLOAD cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, T function,
                                   size_t shared_bytes = 0, int limit = 0)
{
    VGPU_SITE;
    return vgpu_occupancy_best(min_grid, block_size, (const void *)function,
                               shared_bytes, limit);
}

template <class... P>
VGPU_OVERLOAD cudaError_t cudaLaunchKernel(void (*function)(P...), dim3 grid,
                                           dim3 block, void **args,
                                           size_t shared_bytes = 0,
                                           cudaStream_t stream = 0)
{
    VGPU_SITE;
    return ::cudaLaunchKernel((const void *)function, grid, block, args,
                              shared_bytes, stream);
}

template <class... P>
VGPU_OVERLOAD cudaError_t cudaLaunchCooperativeKernel(void (*function)(P...),
                                                      dim3 grid, dim3 block,
                                                      void **args,
                                                      size_t shared_bytes = 0,
                                                      cudaStream_t stream = 0)
{
    VGPU_SITE;
    return ::cudaLaunchCooperativeKernel((const void *)function, grid, block,
                                         args, shared_bytes, stream);
}

template <class... P, class... A>
VGPU_OVERLOAD cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*function)(P...), A &&...a)
{
    VGPU_SITE;
    const unsigned int grid[3] = {config->gridDim.x, config->gridDim.y,
                                  config->gridDim.z};
    const unsigned int block[3] = {config->blockDim.x, config->blockDim.y,
                                   config->blockDim.z};
    vgpu_config_push(grid, block, config->dynamicSmemBytes,
                     config->stream ? config->stream : VGPU_NULL_STREAM,
                     (uint64_t)(uintptr_t)__builtin_return_address(0));
    function(static_cast<A &&>(a)...);
    return cudaPeekAtLastError();
}

#undef VGPU_SITE
#undef VGPU_OVERLOAD
#endif
