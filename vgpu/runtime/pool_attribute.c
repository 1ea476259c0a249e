/*
 * pool_attribute.c: what a pool of memory is asked and told: how much it holds
 * and has held, how much it keeps, what it may give to whom, and which other
 * devices may use it. What follows from that is in pool.c.
 *
 * Source: guide, "Stream Ordered Memory Allocator".
 */
#include "capture.h"
#include "pool.h"

/* A current value cannot be set, a high-water mark only be set back. */
static cudaError_t pool_bytes(void *value, bool set, uint64_t now,
                              uint64_t *high)
{
    if (set && (!high || *(uint64_t *)value))
        return vgpu_invalid(high ? "a high-water mark can be set to 0 only"
                                 : "what is there now cannot be set");
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
    if (!pool || !value || pool->imported)
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
    return vgpu_invalid("there is no attribute %d of a pool", (int)attr);
}

API(cudaMemPoolGetAttribute, cudaMemPool_t pool, enum cudaMemPoolAttr attr,
    void *value)
{
    return pool_attribute(vgpu_pool_find(pool), attr, value, false);
}

API(cudaMemPoolSetAttribute, cudaMemPool_t pool, enum cudaMemPoolAttr attr,
    void *value)
{
    const cudaError_t error = vgpu_capture_unsafe(call->thread);

    return error ? error
                 : pool_attribute(vgpu_pool_find(pool), attr, value, true);
}

API(cudaMemPoolTrimTo, cudaMemPool_t handle, size_t bytes)
{
    struct pool *pool = vgpu_pool_find(handle);

    if (!pool || pool->imported)
        return pool ? vgpu_pool_imported() : cudaErrorInvalidValue;
    if (vgpu_pool_trim(pool, bytes))
        call->cost_ns = vgpu_rt.host->host_free_ns;
    return cudaSuccess;
}

/* ---- other devices ------------------------------------------------------- */

/* Of what has been given out and of what will be. The pool's own device keeps
 * its access whatever is said. */
static cudaError_t grant(struct pool *pool, const struct cudaMemAccessDesc *d)
{
    const int device = d->location.id;
    const uint64_t bit = 1ull << (device & 63);

    if (d->flags != cudaMemAccessFlagsProtNone &&
        d->flags != cudaMemAccessFlagsProtRead &&
        d->flags != cudaMemAccessFlagsProtReadWrite)
        return vgpu_invalid("flags is none of cudaMemAccessFlags");
    if (d->location.type != cudaMemLocationTypeDevice)
        return d->location.type == cudaMemLocationTypeHost &&
                       pool->device < 0 &&
                       d->flags == cudaMemAccessFlagsProtReadWrite
                   ? cudaSuccess
                   : vgpu_because(cudaErrorNotSupported,
                                  "of a device's pool only devices can be "
                                  "given access, of the host's also the host, "
                                  "to read and write");
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    if (d->flags == cudaMemAccessFlagsProtRead)
        return vgpu_because(cudaErrorNotSupported,
                            "there is no access only to read");
    if (device == pool->device)
        return d->flags ? cudaSuccess
                        : vgpu_because(cudaErrorInvalidDevice,
                                       "device %d keeps the access to its own "
                                       "pool",
                                       device);
    if (pool->device >= 0 && !(vgpu_rt.links[device] >> pool->device & 1))
        return vgpu_invalid("device %d cannot be reached from device %d",
                            pool->device, device);
    pool->peers = d->flags ? pool->peers | bit : pool->peers & ~bit;
    for (struct vgpu_memory *m = vgpu_memory_first(); m;
         m = vgpu_memory_next(m))
        if ((m->flags & VGPU_MEMORY_POOL) && m->owner &&
            !(m->flags & VGPU_MEMORY_TAKEN) &&
            ((struct vgpu_block *)m->owner)->pool == pool)
            m->peers = pool->peers;
    return cudaSuccess;
}

API(cudaMemPoolSetAccess, cudaMemPool_t handle,
    const struct cudaMemAccessDesc *descriptions, size_t count)
{
    struct pool *pool = vgpu_pool_find(handle);
    cudaError_t error = cudaSuccess;

    if (!pool || (count && !descriptions))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count && !error; i++)
        error = grant(pool, &descriptions[i]);
    return error;
}

API(cudaMemPoolGetAccess, enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
    struct cudaMemLocation *location)
{
    struct pool *pool = vgpu_pool_find(handle);

    if (!pool || !flags || !location)
        return cudaErrorInvalidValue;
    if (location->type == cudaMemLocationTypeHost ||
        location->type == cudaMemLocationTypeHostNuma) {
        *flags = pool->device < 0 ? cudaMemAccessFlagsProtReadWrite
                                  : cudaMemAccessFlagsProtNone;
        return cudaSuccess;
    }
    if (location->type != cudaMemLocationTypeDevice ||
        !vgpu_device_exists(location->id))
        return vgpu_invalid("the location is none of a device or the host");
    *flags = location->id == pool->device || (pool->peers >> location->id & 1)
                 ? cudaMemAccessFlagsProtReadWrite
                 : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}
