/*
 * limits.c: what a program may set of a device and ask for again, and what a
 * device begins with.
 *
 * Limits change nothing here but the size of the heap: the stack of device code
 * is this machine's. What a driver makes of a number is as an H200 answered,
 * with CUDA 13.0 (tests/conformance/device_limits_rounded.cu).
 *
 * Source: manual, "Device Management", cudaDeviceSetLimit.
 */
#include "rt.h"

#include <string.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

/* Of a device's L2 cache, so many parts can be set aside for lines that stay.
 */
enum { L2_PARTS = 16, L2_PARTS_FIRST = 3, L2_PARTS_MOST = 10 };
/* What of printf waits to be written, for each SM. */
#define FIFO_OF_SM   (64 * KIB)
#define FIFO_MOST    (2048 * MIB)
#define STACK_MOST   (511 * KIB)
#define PENDING_MOST 599186

/* What is larger than any number comes to 0, as there. */
static size_t up(size_t value, size_t unit)
{
    return unit ? (value + unit - 1) / unit * unit : value;
}

static size_t l2_part(const struct vgpu_profile *p)
{
    return p->compute_major >= 8 ? (size_t)p->l2_bytes / L2_PARTS : 0;
}

/* Ten of the parts at most. */
size_t vgpu_persisting_bytes(const struct vgpu_profile *p)
{
    return L2_PARTS_MOST * l2_part(p);
}

/* The driver's, which the runtime API has no name for: shared memory of a block
 * with a graphics library, whether there is one, and what then. */
enum { SHARED_SIZE = 7, GRAPHICS, GRAPHICS_FALLBACK, LIMITS };

/* Kernels that launch kernels: from 3.5 on; and wait for them, before 9.0. */
static cudaError_t refused(const struct vgpu_profile *p, int which)
{
    const int64_t capability = 10 * p->compute_major + p->compute_minor;
    int64_t from = 20, to = INT64_MAX;

    switch (which) {
    case cudaLimitDevRuntimeSyncDepth:
        from = 35;
        to = 90;
        break;
    case cudaLimitDevRuntimePendingLaunchCount:
        from = 35;
        break;
    case cudaLimitMaxL2FetchGranularity:
    case cudaLimitPersistingL2CacheSize:
        from = 80;
        break;
    case GRAPHICS_FALLBACK:
        to = 0;
    }
    if (which < 0 || which >= LIMITS)
        return vgpu_because(cudaErrorInvalidValue, "there is no such limit");
    return capability >= from && capability < to
               ? cudaSuccess
               : vgpu_because(cudaErrorUnsupportedLimit,
                              "devices of compute capability %d.%d have no "
                              "such limit",
                              (int)p->compute_major, (int)p->compute_minor);
}

/* What a kernel has used has its size; only a reset lets go of it. */
static bool is_in_use(const struct vgpu_device *device, int which)
{
    if (which != cudaLimitPrintfFifoSize && which != cudaLimitMallocHeapSize)
        return false;
    vgpu_wait_work();
    return which == cudaLimitPrintfFifoSize ? vgpu_exec_printed(device->index)
                                            : vgpu_heap_used(device->index);
}

static bool fits(const struct vgpu_device *device, int which, size_t value)
{
    switch (which) {
    case cudaLimitStackSize:
        return value <= STACK_MOST;
    case cudaLimitMaxL2FetchGranularity:
        return value <= 128;
    case cudaLimitPersistingL2CacheSize:
        return value <= vgpu_persisting_bytes(device->profile);
    default:
        return !is_in_use(device, which);
    }
}

static size_t most_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What becomes of @value, where it was @now. A stack is made anew where it has
 * another size; else the number alone is noted. */
static size_t rounded(const struct vgpu_profile *p, int which, size_t value,
                      size_t now)
{
    switch (which) {
    case cudaLimitStackSize:
        return up(value, 16) == up(now, 16) ? value : up(value, 16);
    case cudaLimitPrintfFifoSize:
        return least_of(up(most_of(value, 512 * KIB), 256), FIFO_MOST);
    case cudaLimitMallocHeapSize:
        return up(most_of(value, 4 * MIB), 64 * KIB);
    case cudaLimitDevRuntimePendingLaunchCount:
        return least_of(most_of(value, 32), PENDING_MOST);
    case cudaLimitPersistingL2CacheSize:
        return up(value, l2_part(p));
    default:
        return value;
    }
}

void vgpu_device_settings_begin(struct vgpu_device *device)
{
    const struct vgpu_profile *const p = device->profile;
    size_t *const limits = device->limits;

    limits[cudaLimitStackSize] = 1 * KIB;
    limits[cudaLimitPrintfFifoSize] = (size_t)p->sms * FIFO_OF_SM;
    limits[cudaLimitMallocHeapSize] = 8 * MIB;
    limits[cudaLimitDevRuntimeSyncDepth] = 2;
    limits[cudaLimitDevRuntimePendingLaunchCount] = 2048;
    limits[cudaLimitMaxL2FetchGranularity] = 64;
    limits[cudaLimitPersistingL2CacheSize] = L2_PARTS_FIRST * l2_part(p);
    limits[SHARED_SIZE] = (size_t)vgpu_shared_optin_bytes(p);
    vgpu_exec_printed_reset(device->index);
    vgpu_heap_reset(device->index);
    device->flags = 0;
    device->cache_config = cudaFuncCachePreferNone;
}

/* What kernels use cannot be made anew beneath them (observed:
 * implicit_sync_more): a stack of another size, and the cache's share. */
static bool makes_anew(int which, size_t value, size_t now)
{
    return (which == cudaLimitStackSize && up(value, 16) != up(now, 16)) ||
           which == cudaLimitPersistingL2CacheSize;
}

API(cudaDeviceGetLimit, size_t *value, enum cudaLimit which)
{
    const struct vgpu_device *const device = vgpu_device_current();
    cudaError_t error =
        value ? refused(device->profile, (int)which) : cudaErrorInvalidValue;

    if (!error)
        *value = device->limits[which];
    return error;
}

API(cudaDeviceSetLimit, enum cudaLimit which, size_t value)
{
    struct vgpu_device *const device = vgpu_device_current();
    cudaError_t error = refused(device->profile, (int)which);
    size_t *limit;

    if (error)
        return error;
    if ((int)which >= SHARED_SIZE)
        return vgpu_because(cudaErrorNotPermitted,
                            "this limit can be asked for and not set");
    if (!fits(device, (int)which, value))
        return vgpu_because(cudaErrorInvalidValue,
                            is_in_use(device, (int)which)
                                ? "a kernel has used it already: set it before "
                                  "the first one that does"
                                : "it is more than the device can have");
    limit = &device->limits[which];
    value = rounded(device->profile, (int)which, value, *limit);
    if (makes_anew((int)which, value, *limit))
        vgpu_wait_drain(call->thread, device);
    *limit = value;
    if (which == cudaLimitMallocHeapSize)
        vgpu_heap_limit(device->index, *limit);
    return cudaSuccess;
}
