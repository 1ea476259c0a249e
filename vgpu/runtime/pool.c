/*
 * pool.c: stream-ordered allocation. The memory may be used by work that is
 * ordered after the allocation and before the free; the checker sees both as
 * writes to the whole range.
 *
 * The address is given out at the call, as CUDA does, and the bytes are taken
 * then: a pool here keeps nothing back and reuses nothing, so that attributes
 * about reuse are kept to be asked for and change nothing else. The free takes
 * effect when the operation is done for real; until then the memory is marked
 * and a second free is refused.
 *
 * Source: guide, "Stream Ordered Memory Allocator".
 */
#include "rt.h"

#include <stdlib.h>

/* Counts only: the bytes are the arena's (memory.c), so that a pool that is
 * destroyed leaves no memory without an owner. */
struct pool {
    int device;
    bool own;       /* made by cudaMemPoolCreate */
    uint64_t most;  /* bytes; 0: as many as the device has */
    uint64_t peers; /* bit d: device d may use its memory, too */
    uint64_t release_threshold;
    uint64_t used;
    uint64_t used_high;
    int no_reuse[4];
    struct pool *next;
};

/* A device has a default pool from the start and a current one, which is the
 * default until cudaDeviceSetMemPool. */
static struct pool defaults[VGPU_MAX_DEVICES];
static struct pool *created;
static struct pool *current[VGPU_MAX_DEVICES];

static struct pool *current_pool(int device)
{
    defaults[device].device = device;
    return current[device] ? current[device] : &defaults[device];
}

/* Handles are addresses: one that is in no list is refused and not followed. */
static struct pool *pool_find(cudaMemPool_t handle)
{
    for (int i = 0; i < vgpu_rt.device_count; i++)
        if ((struct pool *)handle == &defaults[i])
            return &defaults[i];
    for (struct pool *p = created; p; p = p->next)
        if ((struct pool *)handle == p)
            return p;
    return NULL;
}

/* By the handle, since the pool may have been destroyed before its memory was
 * freed: then nobody counts any more. */
void vgpu_pool_forget(struct vgpu_memory *memory)
{
    struct pool *pool = pool_find((cudaMemPool_t)memory->owner);

    if (pool)
        pool->used -= memory->bytes;
}

/* The operation is the allocation's or the free's place in its stream's order;
 * whoever touches the memory must be ordered after the one and before the
 * other. */
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

/* Memory of @device, if it has as much left. */
static struct vgpu_memory *take(int device, size_t bytes, uint64_t pc)
{
    struct vgpu_device *d = &vgpu_rt.devices[device];
    struct vgpu_memory *memory = NULL;

    if (bytes <= (size_t)d->profile->global_mem_bytes - d->used_bytes)
        memory = vgpu_memory_new(bytes, VGPU_MEM_DEVICE, device, pc);
    if (memory)
        d->used_bytes += bytes;
    return memory;
}

static cudaError_t node_op(enum vgpu_op_kind kind, struct vgpu_memory *memory,
                           struct vgpu_op **op)
{
    *op = memory ? vgpu_op_new(kind) : NULL;
    if (!*op)
        return cudaErrorMemoryAllocation;
    (*op)->memory = memory;
    return cudaSuccess;
}

cudaError_t vgpu_pool_graph_alloc(int device, size_t bytes, uint64_t pc,
                                  struct vgpu_op **op)
{
    struct vgpu_memory *memory = take(device, bytes, pc);

    if (memory)
        memory->flags = VGPU_MEMORY_POOL | VGPU_MEMORY_GRAPH;
    return node_op(VGPU_OP_ALLOC, memory, op);
}

cudaError_t vgpu_pool_graph_free(const void *address, struct vgpu_op **op)
{
    struct vgpu_memory *memory = vgpu_memory_find(address);

    if (!memory || memory->base != address || !vgpu_memory_of_graph(memory))
        return cudaErrorInvalidValue;
    return node_op(VGPU_OP_FREE, memory, op);
}

/* An allocation of no bytes succeeds with NULL and leaves nothing in the
 * stream. Memory is short when the bytes given out would exceed the profile's,
 * pools of one device together with its cudaMalloc. */
static cudaError_t alloc_async(struct vgpu_call *call, void **pointer,
                               size_t bytes, struct pool *pool,
                               cudaStream_t handle)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_memory *memory;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (!bytes)
        return cudaSuccess;
    if (!pool)
        pool = current_pool(stream->device);
    if (pool->most && !stream->capture &&
        (pool->used >= pool->most || bytes > pool->most - pool->used))
        return cudaErrorMemoryAllocation;
    memory = take(pool->device, bytes, call->pc);
    if (!memory)
        return cudaErrorMemoryAllocation;
    memory->flags = stream->capture ? VGPU_MEMORY_POOL | VGPU_MEMORY_GRAPH
                                    : VGPU_MEMORY_POOL;
    if (!stream->capture) {
        memory->owner = pool;
        memory->peers = pool->peers;
        pool->used += bytes;
        if (pool->used > pool->used_high)
            pool->used_high = pool->used;
    }
    *pointer = memory->base;
    return enqueue(VGPU_OP_ALLOC, memory, stream, call);
}

/* Memory of cudaMalloc may be freed so too. A free that is captured is not
 * pending: it happens when the graph is launched. */
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
        memory->kind != VGPU_MEM_DEVICE ||
        (memory->flags & VGPU_MEMORY_PENDING))
        return cudaErrorInvalidValue;
    if (!stream->capture && !vgpu_memory_of_graph(memory))
        memory->flags |= VGPU_MEMORY_PENDING;
    return enqueue(VGPU_OP_FREE, memory, stream, call);
}

static cudaError_t run_alloc(void **pointer, size_t bytes, struct pool *pool,
                             cudaStream_t stream, uint64_t pc)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaMallocAsync", pc, VGPU_CALL_CONTEXT);

    if (!error)
        error = alloc_async(&call, pointer, bytes, pool, stream);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

static cudaError_t run_free(void *pointer, cudaStream_t stream, uint64_t pc)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaFreeAsync", pc, VGPU_CALL_CONTEXT);

    if (!error)
        error = free_async(&call, pointer, stream);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

VGPU_TWINS(cudaMallocAsync, _ptsz,
           (void **pointer, size_t bytes, cudaStream_t stream),
           run_alloc(pointer, bytes, NULL, VGPU_STREAM(stream), VGPU_PC))

VGPU_TWINS(cudaFreeAsync, _ptsz, (void *pointer, cudaStream_t stream),
           run_free(pointer, VGPU_STREAM(stream), VGPU_PC))

/* A bad pool is told by the name of the call that was made, not by that of
 * cudaMallocAsync. */
static cudaError_t from_pool(void **pointer, size_t bytes, cudaMemPool_t pool,
                             cudaStream_t stream, uint64_t pc)
{
    struct vgpu_call call;
    struct pool *found = pool_find(pool);

    if (found)
        return run_alloc(pointer, bytes, found, stream, pc);
    vgpu_call_begin(&call, "cudaMallocFromPoolAsync", pc, VGPU_CALL_PLAIN);
    return vgpu_call_end(&call, cudaErrorInvalidValue, 0);
}

VGPU_TWINS(cudaMallocFromPoolAsync, _ptsz,
           (void **pointer, size_t bytes, cudaMemPool_t pool,
            cudaStream_t stream),
           from_pool(pointer, bytes, pool, VGPU_STREAM(stream), VGPU_PC))

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceGetDefaultMemPool",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    if (!error && !pool)
        error = cudaErrorInvalidValue;
    if (!error) {
        defaults[device].device = device;
        *pool = (cudaMemPool_t)&defaults[device];
    }
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceGetMemPool", VGPU_PC,
                                        VGPU_CALL_PLAIN);

    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    if (!error && !pool)
        error = cudaErrorInvalidValue;
    if (!error)
        *pool = (cudaMemPool_t)current_pool(device);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* A pool of another device would give out memory that the device cannot reach.
 * */
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle)
{
    struct vgpu_call call;
    struct pool *pool = pool_find(handle);
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceSetMemPool", VGPU_PC,
                                        VGPU_CALL_PLAIN);

    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    if (!error && (!pool || pool->device != device))
        error = cudaErrorInvalidValue;
    if (!error)
        current[device] = pool;
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* Only what a course uses: pinned device memory of this process. Handles to
 * share with other processes and pools of host memory are refused by name. */
static cudaError_t pool_create(cudaMemPool_t *out,
                               const struct cudaMemPoolProps *properties)
{
    struct pool *pool;

    if (!out || !properties ||
        properties->allocType != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone ||
        properties->location.type != cudaMemLocationTypeDevice)
        return cudaErrorNotSupported;
    if (!vgpu_device_exists(properties->location.id))
        return cudaErrorInvalidValue;
    pool = calloc(1, sizeof *pool);
    if (!pool)
        return cudaErrorMemoryAllocation;
    pool->own = true;
    pool->device = properties->location.id;
    pool->most = properties->maxSize;
    pool->next = created;
    created = pool;
    *out = (cudaMemPool_t)pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
                              const struct cudaMemPoolProps *properties)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaMemPoolCreate", VGPU_PC, VGPU_CALL_CONTEXT);

    if (!error)
        error = pool_create(pool, properties);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* Memory that is still in use stays usable until it is freed. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle)
{
    struct vgpu_call call;
    struct pool *pool = pool_find(handle);
    cudaError_t error = vgpu_call_begin(&call, "cudaMemPoolDestroy", VGPU_PC,
                                        VGPU_CALL_CONTEXT);

    if (!error && (!pool || !pool->own))
        error = cudaErrorInvalidValue;
    if (!error) {
        struct pool **link = &created;

        while (*link != pool)
            link = &(*link)->next;
        *link = pool->next;
        if (current[pool->device] == pool)
            current[pool->device] = NULL;
        free(pool);
    }
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* Source: manual, cudaMemPoolAttr. Current values cannot be set, high-water
 * marks only be set back. */
static cudaError_t pool_attribute(struct pool *pool, enum cudaMemPoolAttr attr,
                                  void *value, bool set)
{
    if (!pool || !value)
        return cudaErrorInvalidValue;
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
            pool->no_reuse[attr] = !*(int *)value;
        else
            *(int *)value = !pool->no_reuse[attr];
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
        if (set)
            return cudaErrorInvalidValue;
        *(uint64_t *)value = pool->used;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (set)
            pool->used_high = pool->used;
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
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attr, void *value)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaMemPoolSetAttribute",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error)
        error = pool_attribute(pool_find(pool), attr, value, true);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaMemPoolTrimTo", VGPU_PC, VGPU_CALL_PLAIN);

    (void)bytes; /* nothing is held back */
    if (!error && !pool_find(pool))
        error = cudaErrorInvalidValue;
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* ---- other devices ------------------------------------------------------- */

/* Of what has been given out and of what will be. The pool's own device keeps
 * its access whatever is said. */
static cudaError_t grant(struct pool *pool, const struct cudaMemAccessDesc *d)
{
    const int device = d->location.id;
    const uint64_t bit = 1ull << (device & 63);

    if (d->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    if (device == pool->device)
        return d->flags == cudaMemAccessFlagsProtReadWrite
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    if (!(vgpu_rt.links[device] >> pool->device & 1))
        return cudaErrorInvalidValue;
    pool->peers = d->flags ? pool->peers | bit : pool->peers & ~bit;
    for (struct vgpu_memory *m = vgpu_memory_first(); m;
         m = vgpu_memory_next(m))
        if (m->kind == VGPU_MEM_DEVICE && m->owner == pool)
            m->peers = pool->peers;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle,
                                 const struct cudaMemAccessDesc *descriptions,
                                 size_t count)
{
    struct vgpu_call call;
    struct pool *pool = pool_find(handle);
    cudaError_t error = vgpu_call_begin(&call, "cudaMemPoolSetAccess", VGPU_PC,
                                        VGPU_CALL_CONTEXT);

    if (!error && (!pool || (count && !descriptions)))
        error = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && !error; i++)
        error = grant(pool, &descriptions[i]);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
                                 cudaMemPool_t handle,
                                 struct cudaMemLocation *location)
{
    struct vgpu_call call;
    struct pool *pool = pool_find(handle);
    cudaError_t error = vgpu_call_begin(&call, "cudaMemPoolGetAccess", VGPU_PC,
                                        VGPU_CALL_CONTEXT);

    if (!error && (!pool || !flags || !location ||
                   location->type != cudaMemLocationTypeDevice ||
                   !vgpu_device_exists(location->id)))
        error = cudaErrorInvalidValue;
    if (!error)
        *flags =
            location->id == pool->device || (pool->peers >> location->id & 1)
                ? cudaMemAccessFlagsProtReadWrite
                : cudaMemAccessFlagsProtNone;
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
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
        memory->owner =
            (void *)(intptr_t)(location.type == cudaMemLocationTypeDevice
                                   ? location.id
                                   : cudaCpuDeviceId);
        op = vgpu_op_new(VGPU_OP_MARK);
        error = op ? vgpu_op_enqueue(op, stream, "prefetch", &call)
                   : cudaErrorMemoryAllocation;
        vgpu_op_unref(op);
    }
    return vgpu_call_end(&call, error, vgpu_rt.host->host_copy_async_ns);
}

VGPU_TWINS(cudaMemPrefetchAsync, _ptsz,
           (const void *pointer, size_t bytes, struct cudaMemLocation location,
            unsigned int flags, cudaStream_t stream),
           prefetch(pointer, bytes, location, flags, VGPU_STREAM(stream),
                    VGPU_PC))
