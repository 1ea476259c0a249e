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
#define VGPU_SITE     vgpu_call_site(VGPU_CALLER())

/* The address of a stream or an event, and what the program calls it: "[]" in
 * the words stands for the subscripts, in their order. */
extern "C" void vgpu_note_name(const void *slot, const char *words, long long a,
                               long long b, long long c);

/* The program drops what the call @call returned (frontend/dropped.c). Behind a
 * comma, so that it may have returned anything. */
struct vgpu_dropped {
    const char *call;
    explicit vgpu_dropped(const char *name) : call(name)
    {
    }
};
extern "C" void vgpu_note_dropped(const char *call, cudaError_t error);

inline cudaError_t operator,(cudaError_t error, const vgpu_dropped &dropped)
{
    if (error != cudaSuccess)
        vgpu_note_dropped(dropped.call, error);
    return error;
}

template <class T>
static inline T *vgpu_named(T *slot, const char *words, long long a = 0,
                            long long b = 0, long long c = 0)
{
    vgpu_note_name(slot, words, a, b, c);
    return slot;
}

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
VGPU_OVERLOAD cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes,
                                                  cudaMemPool_t pool,
                                                  cudaStream_t stream)
{
    VGPU_SITE;
    return ::cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool,
                                     stream);
}

/* The same by its other name. */
template <class T>
VGPU_OVERLOAD cudaError_t cudaMallocAsync(T **pointer, size_t bytes,
                                          cudaMemPool_t pool,
                                          cudaStream_t stream)
{
    VGPU_SITE;
    return ::cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool,
                                     stream);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaHostGetDevicePointer(T **device, void *host,
                                                   unsigned int flags)
{
    VGPU_SITE;
    return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

template <class T>
VGPU_OVERLOAD cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t bytes = 0,
                         unsigned int flags = cudaMemAttachSingle)
{
    VGPU_SITE;
    return ::cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags);
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
VGPU_OVERLOAD cudaError_t cudaMemcpyToSymbolAsync(
    const T &symbol, const void *src, size_t bytes, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    VGPU_SITE;
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, bytes, offset,
                                     kind, stream);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaMemcpyFromSymbolAsync(
    void *dst, const T &symbol, size_t bytes, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    VGPU_SITE;
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, bytes,
                                       offset, kind, stream);
}

/* Nodes of graphs that copy to or from a variable. */
template <class T>
VGPU_OVERLOAD cudaError_t cudaGraphAddMemcpyNodeToSymbol(
    cudaGraphNode_t *node, cudaGraph_t graph,
    const cudaGraphNode_t *dependencies, size_t count, const T &symbol,
    const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    VGPU_SITE;
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, count,
                                            (const void *)&symbol, src, bytes,
                                            offset, kind);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *node, cudaGraph_t graph,
    const cudaGraphNode_t *dependencies, size_t count, void *dst,
    const T &symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    VGPU_SITE;
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, count,
                                              dst, (const void *)&symbol, bytes,
                                              offset, kind);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(
    cudaGraphNode_t node, const T &symbol, const void *src, size_t bytes,
    size_t offset, enum cudaMemcpyKind kind)
{
    VGPU_SITE;
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol,
                                                  src, bytes, offset, kind);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(
    cudaGraphNode_t node, void *dst, const T &symbol, size_t bytes,
    size_t offset, enum cudaMemcpyKind kind)
{
    VGPU_SITE;
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(
        node, dst, (const void *)&symbol, bytes, offset, kind);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol,
    const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    VGPU_SITE;
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(
        exec, node, (const void *)&symbol, src, bytes, offset, kind);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const T &symbol,
    size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    VGPU_SITE;
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        exec, node, dst, (const void *)&symbol, bytes, offset, kind);
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
VGPU_OVERLOAD cudaError_t
cudaFuncSetSharedMemConfig(T *function, enum cudaSharedMemConfig config)
{
    VGPU_SITE;
    return ::cudaFuncSetSharedMemConfig((const void *)function, config);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaFuncSetCacheConfig(T *function,
                                                 enum cudaFuncCache config)
{
    VGPU_SITE;
    return ::cudaFuncSetCacheConfig((const void *)function, config);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaOccupancyMaxActiveClusters(
    int *clusters, T *function, const cudaLaunchConfig_t *config)
{
    VGPU_SITE;
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)function,
                                            config);
}
template <class T>
VGPU_OVERLOAD cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int *size, T *function, const cudaLaunchConfig_t *config)
{
    VGPU_SITE;
    return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)function,
                                                  config);
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

/* As before, with a size of shared memory for each size of a block. */
template <class T, class F>
VGPU_OVERLOAD cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *min_grid, int *block_size, T function, F shared_bytes, int limit = 0)
{
    cudaError_t error = cudaSuccess;
    int best = 0;
    int sms = 0, device = 0, most = 0;

    VGPU_SITE;
    if (!min_grid || !block_size)
        return vgpu_occupancy_best(min_grid, block_size, (const void *)function,
                                   0, limit);
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device);
    if (limit > 0 && limit < most)
        most = limit;
    *min_grid = *block_size = 0;
    for (int size = most; size > 0; size = (size - 1) / 32 * 32) {
        int blocks = 0;

        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, (const void *)function, size, shared_bytes(size));
        if (error)
            return error;
        if (blocks * size > best) {
            best = blocks * size;
            *block_size = size;
            *min_grid = blocks * sms;
        }
    }
    return error;
}

/* The form of CUDA 11, which later ones keep: the log stays empty. */
VGPU_OVERLOAD cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec,
                                               cudaGraph_t graph,
                                               cudaGraphNode_t *error_node,
                                               char *log, size_t log_bytes)
{
    VGPU_SITE;
    if (error_node)
        *error_node = nullptr;
    if (log && log_bytes)
        log[0] = '\0';
    return ::cudaGraphInstantiate(exec, graph, 0);
}

/* The same for an update: the one node and its result. */
VGPU_OVERLOAD cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec,
                                              cudaGraph_t graph,
                                              cudaGraphNode_t *error_node,
                                              cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error;

    VGPU_SITE;
    error = ::cudaGraphExecUpdate(exec, graph, &info);
    if (error_node)
        *error_node = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}

/* A kernel, or its address as void *. */
template <class T>
VGPU_OVERLOAD cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block,
                                           void **args, size_t shared_bytes = 0,
                                           cudaStream_t stream = 0)
{
    VGPU_SITE;
    return ::cudaLaunchKernel((const void *)function, grid, block, args,
                              shared_bytes, stream);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid,
                                                      dim3 block, void **args,
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
    const uint64_t pc = (uint64_t)(uintptr_t)VGPU_CALLER();
    vgpu_call_site((const void *)(uintptr_t)pc);
    const int error = vgpu_config_push_all(
        config, config->stream ? config->stream : VGPU_NULL_STREAM, pc);
    if (error)
        return (cudaError_t)error;
    function(static_cast<A &&>(a)...);
    return cudaPeekAtLastError();
}

/* Arguments are taken as they are: nothing says what the kernel wants. */
template <class... A>
VGPU_OVERLOAD cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             const cudaKernel_t kernel,
                                             A &&...a)
{
    void *args[] = {(void *)__builtin_addressof(a)..., nullptr};

    VGPU_SITE;
    return ::cudaLaunchKernelExC(config, (const void *)kernel, args);
}

#define VGPU_OF_FUNCTION(call, handle)                                         \
    template <class T>                                                         \
    VGPU_OVERLOAD cudaError_t call(handle *out, const T *function)             \
    {                                                                          \
        VGPU_SITE;                                                             \
        return ::call(out, (const void *)function);                            \
    }
VGPU_OF_FUNCTION(cudaGetKernel, cudaKernel_t)
VGPU_OF_FUNCTION(cudaGetFuncBySymbol, cudaFunction_t)
VGPU_OF_FUNCTION(cudaFuncGetName, const char *)
#undef VGPU_OF_FUNCTION

template <class T>
VGPU_OVERLOAD cudaError_t cudaLibraryGetGlobal(T **at, size_t *bytes,
                                               cudaLibrary_t library,
                                               const char *name)
{
    VGPU_SITE;
    return ::cudaLibraryGetGlobal((void **)(void *)at, bytes, library, name);
}

template <class T>
VGPU_OVERLOAD cudaError_t cudaLibraryGetManaged(T **at, size_t *bytes,
                                                cudaLibrary_t library,
                                                const char *name)
{
    VGPU_SITE;
    return ::cudaLibraryGetManaged((void **)(void *)at, bytes, library, name);
}

#include "vgpu/batches.h"

#undef VGPU_SYMBOL
#undef VGPU_SITE
#undef VGPU_OVERLOAD
#endif
