/*
 * limits.c: what a program may set of a device and ask for again, and what a
 * device begins with.
 *
 * Limits change nothing here but the size of the heap: the stack of device code
 * is this machine's. What a driver makes of a number is as an H200 answered,
 * with CUDA 13.0 (conformance/device_limits_rounded.cu).
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
#define FIFO_OF_SM (64 * KIB)

static size_t up(size_t value, size_t unit)
{
    const size_t most = SIZE_MAX / unit * unit;

    return !unit          ? value
           : value > most ? most
                          : (value + unit - 1) / unit * unit;
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

/* Kernels that launch kernels: from 3.5 on; and wait for them, before 9.0. */
static bool has(const struct vgpu_profile *p, enum cudaLimit which)
{
    const int64_t capability = 10 * p->compute_major + p->compute_minor;

    switch (which) {
    case cudaLimitDevRuntimeSyncDepth:
        return capability >= 35 && capability < 90;
    case cudaLimitDevRuntimePendingLaunchCount:
        return capability >= 35;
    case cudaLimitMaxL2FetchGranularity:
    case cudaLimitPersistingL2CacheSize:
        return capability >= 80;
    case cudaLimitStackSize:
    case cudaLimitPrintfFifoSize:
    case cudaLimitMallocHeapSize:
        return capability >= 20;
    }
    return false;
}

/* What becomes of @value. */
static size_t rounded(const struct vgpu_profile *p, enum cudaLimit which,
                      size_t value)
{
    switch (which) {
    case cudaLimitStackSize:
        return up(value, 16);
    case cudaLimitPrintfFifoSize:
        return up(value ? value : 1, 512 * KIB);
    case cudaLimitMallocHeapSize:
        return up(value ? value : 1, 4 * MIB);
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
    vgpu_heap_limit(device->index, limits[cudaLimitMallocHeapSize]);
    device->flags = 0;
    device->cache_config = cudaFuncCachePreferNone;
}

static cudaError_t find(enum cudaLimit which, size_t **limit)
{
    struct vgpu_device *const device = vgpu_device_current();

    if ((int)which < 0 || which > cudaLimitPersistingL2CacheSize)
        return cudaErrorInvalidValue;
    if (!has(device->profile, which))
        return cudaErrorUnsupportedLimit;
    *limit = &device->limits[which];
    return cudaSuccess;
}

API(cudaDeviceGetLimit, size_t *value, enum cudaLimit which)
{
    size_t *limit;
    cudaError_t error = value ? find(which, &limit) : cudaErrorInvalidValue;

    if (!error)
        *value = *limit;
    return error;
}

API(cudaDeviceSetLimit, enum cudaLimit which, size_t value)
{
    size_t *limit;
    cudaError_t error = find(which, &limit);

    if (error)
        return error;
    *limit = rounded(vgpu_device_current()->profile, which, value);
    if (which == cudaLimitMallocHeapSize)
        vgpu_heap_limit(vgpu_device_current()->index, *limit);
    return cudaSuccess;
}
