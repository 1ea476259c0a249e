/*
 * older.h: what releases before CUDA 13 had, for programs written for them:
 * members of cudaDeviceProp, calls under their old names, old forms of calls,
 * shuffles and votes without a mask. VGPU_CUDA=12 or =11 brings it in.
 *
 * Source: NVIDIA's release notes of CUDA 12 and 13, "Deprecated and dropped
 * features"; CUDA 11.8 Runtime API manual.
 */
#ifndef VGPU_OLDER_H
#define VGPU_OLDER_H

#if VGPU_CUDA < 13

#include "vgpu/caller.h"

#ifdef __cplusplus
extern "C" {
#endif
void vgpu_call_site(const void *pc);
#ifdef __cplusplus
}
#endif

#define VGPU_OLDER      static inline __attribute__((noinline, unused))
#define VGPU_OLDER_SITE vgpu_call_site(VGPU_CALLER())

/* The members are at the end of the structure, so that the library, which
 * knows nothing of them, fills in the others. */
VGPU_OLDER cudaError_t
cudaGetDeviceProperties_older(struct cudaDeviceProp *prop, int device)
{
    cudaError_t error;

    VGPU_OLDER_SITE;
    error = cudaGetDeviceProperties(prop, device);
    if (error)
        return error;
    cudaDeviceGetAttribute(&prop->clockRate, cudaDevAttrClockRate, device);
    cudaDeviceGetAttribute(&prop->memoryClockRate, cudaDevAttrMemoryClockRate,
                           device);
    cudaDeviceGetAttribute(&prop->deviceOverlap, cudaDevAttrGpuOverlap, device);
    cudaDeviceGetAttribute(&prop->computeMode, cudaDevAttrComputeMode, device);
    prop->kernelExecTimeoutEnabled = 0;
    prop->singleToDoublePrecisionPerfRatio = 2;
    prop->cooperativeMultiDeviceLaunch = 0;
    cudaDeviceGetAttribute(&prop->maxTexture1DLinear,
                           cudaDevAttrMaxTexture1DLinearWidth, device);
    return cudaSuccess;
}
#define cudaGetDeviceProperties    cudaGetDeviceProperties_older
#define cudaGetDeviceProperties_v2 cudaGetDeviceProperties_older

#define cudaThreadSynchronize    cudaDeviceSynchronize
#define cudaThreadExit           cudaDeviceReset
#define cudaThreadGetLimit       cudaDeviceGetLimit
#define cudaThreadSetLimit       cudaDeviceSetLimit
#define cudaThreadGetCacheConfig cudaDeviceGetCacheConfig
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig

#ifdef __cplusplus

static inline struct cudaMemLocation vgpu_older_location(int device)
{
    struct cudaMemLocation location;

    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                              : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}

/* A device's number, where CUDA 13 wants a place. */
VGPU_OLDER cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                            int device, cudaStream_t stream = 0)
{
    VGPU_OLDER_SITE;
    return cudaMemPrefetchAsync(pointer, bytes, vgpu_older_location(device), 0u,
                                stream);
}
VGPU_OLDER cudaError_t cudaMemAdvise(const void *pointer, size_t bytes,
                                     enum cudaMemoryAdvise advice, int device)
{
    VGPU_OLDER_SITE;
    return cudaMemAdvise(pointer, bytes, advice, vgpu_older_location(device));
}

/* CUDA 12 told which copy of a batch was refused, if it was one. */
VGPU_OLDER cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs,
                                            size_t *sizes, size_t count,
                                            struct cudaMemcpyAttributes *attrs,
                                            size_t *first, size_t num_attrs,
                                            size_t *failed, cudaStream_t stream)
{
    VGPU_OLDER_SITE;
    if (failed)
        *failed = SIZE_MAX;
    return cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs,
                                sizes, count, attrs, first, num_attrs, stream);
}
VGPU_OLDER cudaError_t cudaMemcpy3DBatchAsync(size_t count,
                                              struct cudaMemcpy3DBatchOp *ops,
                                              size_t *failed,
                                              unsigned long long flags,
                                              cudaStream_t stream)
{
    VGPU_OLDER_SITE;
    if (failed)
        *failed = SIZE_MAX;
    return cudaMemcpy3DBatchAsync(count, ops, flags, stream);
}

/* Without data of edges. */
VGPU_OLDER cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                                const cudaGraphNode_t *from,
                                                const cudaGraphNode_t *to,
                                                size_t count)
{
    VGPU_OLDER_SITE;
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
VGPU_OLDER cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                                   const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   size_t count)
{
    VGPU_OLDER_SITE;
    return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
VGPU_OLDER cudaError_t cudaGraphGetEdges(cudaGraph_t graph,
                                         cudaGraphNode_t *from,
                                         cudaGraphNode_t *to, size_t *count)
{
    VGPU_OLDER_SITE;
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
VGPU_OLDER cudaError_t cudaGraphNodeGetDependencies(
    cudaGraphNode_t node, cudaGraphNode_t *dependencies, size_t *count)
{
    VGPU_OLDER_SITE;
    return cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
}
VGPU_OLDER cudaError_t cudaGraphNodeGetDependentNodes(
    cudaGraphNode_t node, cudaGraphNode_t *dependents, size_t *count)
{
    VGPU_OLDER_SITE;
    return cudaGraphNodeGetDependentNodes(node, dependents, nullptr, count);
}

#if VGPU_CUDA < 12
#include "vgpu/references.h"
#endif

/* Of the lanes that are there: what GPUs before Volta did by themselves. */
#define __shfl(...)         __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...)      __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...)    __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...)     __shfl_xor_sync(__activemask(), __VA_ARGS__)
#define __any(predicate)    __any_sync(__activemask(), predicate)
#define __all(predicate)    __all_sync(__activemask(), predicate)
#define __ballot(predicate) __ballot_sync(__activemask(), predicate)

#endif
#undef VGPU_OLDER
#undef VGPU_OLDER_SITE
#endif
#endif
