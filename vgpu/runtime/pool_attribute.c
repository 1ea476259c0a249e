/*
 * pool_attribute.c: what a pool of memory is asked and told: how much it holds
 * and has held, how much it keeps, what it may give to whom, and which other
 * devices may use it. What follows from that is in pool.c.
 *
 * Source: guide, "Stream Ordered Memory Allocator".
 */
#include "pool.h"

/* A current value cannot be set, a high-water mark only be set back. */
static cudaError_t pool_bytes(void *value, bool set, uint64_t now,
                              uint64_t *high)
{
    if (set && !high)
        return cudaErrorInvalidValue;
    if (set)
        *high = now;
    else
        *(uint64_t *)value = high ? *high : now;
    return cudaSuccess;
}

/* Source: manual, cudaMemPoolAttr. */
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
        return pool_bytes(value, set, pool->reserved, NULL);
    case cudaMemPoolAttrUsedMemCurrent:
        return pool_bytes(value, set, pool->used, NULL);
    case cudaMemPoolAttrReservedMemHigh:
        return pool_bytes(value, set, pool->reserved, &pool->reserved_high);
    case cudaMemPoolAttrUsedMemHigh:
        return pool_bytes(value, set, pool->used, &pool->used_high);
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
        error = pool_attribute(vgpu_pool_find(pool), attr, value, false);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attr, void *value)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaMemPoolSetAttribute",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error)
        error = pool_attribute(vgpu_pool_find(pool), attr, value, true);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    struct vgpu_call call;
    bool gave = false;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaMemPoolTrimTo", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !vgpu_pool_find(pool))
        error = cudaErrorInvalidValue;
    if (!error)
        gave = vgpu_pool_trim(vgpu_pool_find(pool), bytes);
    return vgpu_call_end(&call, error,
                         gave ? vgpu_rt.host->host_free_ns
                              : vgpu_rt.host->host_call_ns);
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
    struct pool *pool = vgpu_pool_find(handle);
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
    struct pool *pool = vgpu_pool_find(handle);
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
