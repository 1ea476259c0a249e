/*
 * pool.c: stream-ordered allocation. The memory may be used by work that is
 * ordered after the allocation and before the free; the checker sees both as
 * writes to the whole range.
 */
#include "rt.h"

#include <string.h>

/* One default pool per device; its address is its handle. */
static struct pool {
    uint64_t release_threshold;
    uint64_t used_high;
    int reuse[4];
} pools[VGPU_MAX_DEVICES];

static struct pool *pool_find(cudaMemPool_t handle)
{
    for (int i = 0; i < vgpu_rt.device_count; i++)
        if ((struct pool *)handle == &pools[i])
            return &pools[i];
    return NULL;
}

static cudaError_t enqueue(enum vgpu_op_kind kind, struct vgpu_memory *memory,
                           struct vgpu_stream *stream, struct vgpu_call *call)
{
    struct vgpu_op *op = vgpu_op_new(kind);
    cudaError_t error;

    if (!op)
        return cudaErrorMemoryAllocation;
    op->memory = memory;
    error = vgpu_op_enqueue(op, stream,
                            kind == VGPU_OP_ALLOC ? "stream-ordered allocation"
                                                  : "stream-ordered free",
                            call);
    vgpu_op_unref(op);
    return error;
}

static cudaError_t alloc_async(struct vgpu_call *call, void **pointer,
                               size_t bytes, cudaStream_t handle)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_device *device;
    struct vgpu_memory *memory;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (!bytes)
        return cudaSuccess;
    device = &vgpu_rt.devices[stream->device];
    if (bytes > (size_t)vgpu_rt.profile.global_mem_bytes - device->used_bytes)
        return cudaErrorMemoryAllocation;
    memory = vgpu_memory_new(bytes, VGPU_MEM_DEVICE, device->index, call->pc);
    if (!memory)
        return cudaErrorMemoryAllocation;
    device->used_bytes += bytes;
    memory->owner = device;
    *pointer = memory->base;
    return enqueue(VGPU_OP_ALLOC, memory, stream, call);
}

static cudaError_t free_async(struct vgpu_call *call, void *pointer,
                              cudaStream_t handle)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_memory *memory = vgpu_memory_find(pointer);

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!pointer)
        return cudaSuccess;
    if (!memory || memory->free_pc || memory->base != pointer ||
        memory->kind != VGPU_MEM_DEVICE)
        return cudaErrorInvalidValue;
    vgpu_rt.devices[memory->device].used_bytes -= memory->bytes;
    return enqueue(VGPU_OP_FREE, memory, stream, call);
}

static cudaError_t run_alloc(void **pointer, size_t bytes, cudaStream_t stream,
                             uint64_t pc)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaMallocAsync", pc, VGPU_CALL_CONTEXT);

    if (!error)
        error = alloc_async(&call, pointer, bytes, stream);
    return vgpu_call_end(&call, error, vgpu_rt.profile.host_call_ns);
}

static cudaError_t run_free(void *pointer, cudaStream_t stream, uint64_t pc)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaFreeAsync", pc, VGPU_CALL_CONTEXT);

    if (!error)
        error = free_async(&call, pointer, stream);
    return vgpu_call_end(&call, error, vgpu_rt.profile.host_call_ns);
}

#define PTSZ(stream) ((stream) ? (stream) : cudaStreamPerThread)

cudaError_t cudaMallocAsync_ptsz(void **pointer, size_t bytes,
                                 cudaStream_t stream);
cudaError_t cudaFreeAsync_ptsz(void *pointer, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync_ptsz(const void *pointer, size_t bytes,
                                      struct cudaMemLocation location,
                                      unsigned int flags, cudaStream_t stream);

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return run_alloc(pointer, bytes, stream, VGPU_PC);
}

cudaError_t cudaMallocAsync_ptsz(void **pointer, size_t bytes,
                                 cudaStream_t stream)
{
    return run_alloc(pointer, bytes, PTSZ(stream), VGPU_PC);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return run_free(pointer, stream, VGPU_PC);
}

cudaError_t cudaFreeAsync_ptsz(void *pointer, cudaStream_t stream)
{
    return run_free(pointer, PTSZ(stream), VGPU_PC);
}

static cudaError_t get_pool(cudaMemPool_t *pool, int device, const char *name,
                            uint64_t pc)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, name, pc, VGPU_CALL_PLAIN);

    if (!error && !pool)
        error = cudaErrorInvalidValue;
    if (!error && (device < 0 || device >= vgpu_rt.device_count))
        error = cudaErrorInvalidDevice;
    if (!error)
        *pool = (cudaMemPool_t)&pools[device];
    return vgpu_call_end(&call, error, vgpu_rt.profile.host_call_ns);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return get_pool(pool, device, "cudaDeviceGetDefaultMemPool", VGPU_PC);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return get_pool(pool, device, "cudaDeviceGetMemPool", VGPU_PC);
}

static cudaError_t pool_attribute(struct pool *pool, enum cudaMemPoolAttr attr,
                                  void *value, bool set)
{
    struct vgpu_device *device;
    uint64_t used;

    if (!pool || !value)
        return cudaErrorInvalidValue;
    device = &vgpu_rt.devices[pool - pools];
    used = device->used_bytes;
    switch (attr) {
    case cudaMemPoolAttrReleaseThreshold:
        if (set)
            pool->release_threshold = *(uint64_t *)value;
        else
            *(uint64_t *)value = pool->release_threshold;
        return cudaSuccess;
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        if (set)
            pool->reuse[attr] = !*(int *)value;
        else
            *(int *)value = !pool->reuse[attr];
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
        if (set)
            return cudaErrorInvalidValue;
        *(uint64_t *)value = used;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (used > pool->used_high)
            pool->used_high = used;
        if (set)
            pool->used_high = used;
        else
            *(uint64_t *)value = pool->used_high;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attr, void *value)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaMemPoolGetAttribute",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error)
        error = pool_attribute(pool_find(pool), attr, value, false);
    return vgpu_call_end(&call, error, vgpu_rt.profile.host_call_ns);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attr, void *value)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaMemPoolSetAttribute",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error)
        error = pool_attribute(pool_find(pool), attr, value, true);
    return vgpu_call_end(&call, error, vgpu_rt.profile.host_call_ns);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaMemPoolTrimTo", VGPU_PC, VGPU_CALL_PLAIN);

    (void)bytes; /* nothing is held back */
    if (!error && !pool_find(pool))
        error = cudaErrorInvalidValue;
    return vgpu_call_end(&call, error, vgpu_rt.profile.host_call_ns);
}

/* Pages move, contents do not change: a place in the stream, no more. */
static cudaError_t prefetch(const void *pointer, size_t bytes,
                            struct cudaMemLocation location, unsigned flags,
                            cudaStream_t handle, uint64_t pc)
{
    struct vgpu_call call;
    struct vgpu_memory *memory;
    struct vgpu_stream *stream;
    struct vgpu_op *op;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaMemPrefetchAsync", pc, VGPU_CALL_CONTEXT);

    if (error)
        return vgpu_call_end(&call, error, 0);
    memory = vgpu_memory_find(pointer);
    stream = vgpu_stream_find(handle);
    if (!stream)
        error = cudaErrorInvalidResourceHandle;
    else if (!memory || memory->kind != VGPU_MEM_MANAGED || !bytes || flags)
        error = cudaErrorInvalidValue;
    else if (location.type == cudaMemLocationTypeDevice &&
             (location.id < 0 || location.id >= vgpu_rt.device_count))
        error = cudaErrorInvalidDevice;
    if (!error) {
        op = vgpu_op_new(VGPU_OP_MARK);
        error = op ? vgpu_op_enqueue(op, stream, "prefetch", &call)
                   : cudaErrorMemoryAllocation;
        vgpu_op_unref(op);
    }
    return vgpu_call_end(&call, error, vgpu_rt.profile.host_copy_async_ns);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                 struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    return prefetch(pointer, bytes, location, flags, stream, VGPU_PC);
}

cudaError_t cudaMemPrefetchAsync_ptsz(const void *pointer, size_t bytes,
                                      struct cudaMemLocation location,
                                      unsigned int flags, cudaStream_t stream)
{
    return prefetch(pointer, bytes, location, flags, PTSZ(stream), VGPU_PC);
}
