/*
 * device.c: devices: how many, which is current, what they report, peers,
 * waiting for one, resetting one.
 *
 * Facts come from each device's profile; what CUDA reports and the profile does
 * not know is what an H200 with CUDA 13 says, or nothing.
 *
 * Source: manual, "Device Management".
 */
#include "array.h"
#include "capture.h"

#include <stdio.h>
#include <string.h>

API(cudaGetDeviceCount, int *count)
{
    if (!count)
        return cudaErrorInvalidValue;
    *count = vgpu_rt.device_count;
    return cudaSuccess;
}

/* Current for the calling thread only. Since CUDA 12 this makes the device's
 * context, too; here its cost comes with the first call that needs one. */
API(cudaSetDevice, int device)
{
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    call->thread->device = device;
    return cudaSuccess;
}

API(cudaGetDevice, int *device)
{
    if (!device)
        return cudaErrorInvalidValue;
    *device = call->thread->device;
    return cudaSuccess;
}

/* The flags would say how the context waits, which changes no result; the
 * context itself comes with the first call that needs one. */
API(cudaInitDevice, int device, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags;
    (void)flags;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    return cudaSuccess;
}

/* A list to choose from for threads that never call cudaSetDevice: with devices
 * that differ in nothing but speed, the first is as good as any. */
API(cudaSetValidDevices, int *devices, int count)
{
    for (int i = 0; devices && i < count; i++)
        if (!vgpu_device_exists(devices[i]))
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

/* Flags say how the host should wait and change no result; at most one way may
 * be asked for. */
API(cudaSetDeviceFlags, unsigned int flags)
{
    unsigned schedule = flags & cudaDeviceScheduleMask;

    if ((flags & ~(unsigned)cudaDeviceMask) || (schedule & (schedule - 1)))
        return cudaErrorInvalidValue;
    vgpu_device_current()->flags = flags;
    return cudaSuccess;
}

API(cudaGetDeviceFlags, unsigned int *flags)
{
    if (!flags)
        return cudaErrorInvalidValue;
    *flags = vgpu_device_current()->flags | cudaDeviceMapHost;
    return cudaSuccess;
}

/* All of this device's work, in all of its streams, and of no other device's:
 * to wait for one GPU and take that for all is a mistake that courses meet
 * often. */
API(cudaDeviceSynchronize)
{
    cudaError_t error = vgpu_call_late(call, VGPU_CALL_CONTEXT);

    if (!error)
        error = vgpu_capture_wait_device(vgpu_device_current());
    if (!error)
        error = vgpu_wait_device(call->thread, vgpu_device_current(), true);
    if (!error)
        call->cost_ns += vgpu_pool_waited(vgpu_device_current()->index);
    vgpu_exec_flush_printf(); /* of what has failed, too */
    return error;
}

static void reset(struct vgpu_call *call, struct vgpu_device *device)
{
    bool dead = device->sticky != cudaSuccess;

    vgpu_wait_device(call->thread, device, true);
    vgpu_exec_flush_printf();
    vgpu_texture_reset(device->index);
    vgpu_array_reset(device->index);
    vgpu_memory_reset(device->index, call->pc);
    vgpu_symbols_reset(device->index);
    vgpu_repeat_wrote(NULL, 0);
    /* After a fault there is no new context in the same process. */
    device->sticky = dead ? cudaErrorDevicesUnavailable : cudaSuccess;
    device->peers = 0;
    device->has_context = false;
    call->thread->last_error = cudaSuccess;
}

API(cudaDeviceReset)
{
    reset(call, vgpu_device_current());
    return cudaSuccess;
}

/* ---- what a device reports ------------------------------------------------
 */

/* All; but where a size_t has 32 bits, which has no room for that, no more than
 * the addresses that all devices share allow: 512 MiB. */
size_t vgpu_device_bytes(const struct vgpu_profile *profile)
{
    const uint64_t bytes = (uint64_t)profile->global_mem_bytes;

    return bytes < SIZE_MAX >> 3 ? (size_t)bytes : SIZE_MAX >> 3;
}

/* What a program may have to keep within: it must agree with what a launch is
 * refused for (launch.c) and with where the time model places blocks. */
static void fill_limits(struct cudaDeviceProp *p,
                        const struct vgpu_profile *from)
{
    p->totalGlobalMem = vgpu_device_bytes(from);
    p->sharedMemPerBlock = (size_t)from->shared_per_block_bytes;
    p->sharedMemPerMultiprocessor = (size_t)from->shared_per_sm_bytes;
    p->sharedMemPerBlockOptin = (size_t)vgpu_shared_optin_bytes(from);
    p->regsPerBlock = (int)from->regs_per_sm;
    p->regsPerMultiprocessor = (int)from->regs_per_sm;
    p->warpSize = (int)from->warp_size;
    p->memPitch = 2147483647;
    p->maxThreadsPerBlock = (int)from->max_threads_per_block;
    p->maxThreadsDim[0] = (int)from->max_threads_per_block;
    p->maxThreadsDim[1] = (int)from->max_threads_per_block;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = 65535;
    p->maxGridSize[2] = 65535;
    p->totalConstMem = 65536;
    p->maxThreadsPerMultiProcessor = (int)from->max_threads_per_sm;
    p->maxBlocksPerMultiProcessor = (int)from->max_blocks_per_sm;
    p->multiProcessorCount = (int)from->sms;
    p->memoryBusWidth = (int)from->memory_bus_bits;
    p->l2CacheSize = (int)from->l2_bytes;
    p->major = (int)from->compute_major;
    p->minor = (int)from->compute_minor;
    p->asyncEngineCount = (int)from->copy_engines;
    p->unifiedAddressing = (int)from->unified_addressing;
    p->concurrentKernels = from->max_resident_kernels > 1;
}

static void fill_textures(struct cudaDeviceProp *p)
{
    p->textureAlignment = VGPU_TEXTURE_ALIGN;
    p->texturePitchAlignment = VGPU_TEXTURE_PITCH_ALIGN;
    p->surfaceAlignment = VGPU_TEXTURE_ALIGN;
    p->maxTexture1D = VGPU_ARRAY_WIDTH;
    p->maxTexture2D[0] = VGPU_ARRAY_WIDTH;
    p->maxTexture2D[1] = VGPU_ARRAY_HEIGHT;
    p->maxTexture2DLinear[0] = VGPU_ARRAY_WIDTH;
    p->maxTexture2DLinear[1] = VGPU_PITCH2D_HEIGHT;
    p->maxTexture2DLinear[2] = VGPU_PITCH2D_PITCH;
    p->maxTexture1DLayered[0] = VGPU_ARRAY_LAYERED;
    p->maxTexture1DLayered[1] = VGPU_ARRAY_LAYERS;
    p->maxTexture2DLayered[0] = VGPU_ARRAY_LAYERED;
    p->maxTexture2DLayered[1] = VGPU_ARRAY_LAYERED;
    p->maxTexture2DLayered[2] = VGPU_ARRAY_LAYERS;
    p->maxSurface1D = VGPU_SURFACE_LINE;
    p->maxSurface2D[0] = VGPU_ARRAY_WIDTH;
    p->maxSurface2D[1] = VGPU_ARRAY_HEIGHT;
    for (int d = 0; d < 3; d++)
        p->maxTexture3D[d] = p->maxSurface3D[d] = VGPU_ARRAY_BOX;
}

/* What the devices of all profiles can do is 1. */
static void fill_properties(struct cudaDeviceProp *p, int device)
{
    const struct vgpu_profile *from = vgpu_rt.devices[device].profile;

    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", from->name);
    fill_limits(p, from);
    vgpu_environment_uuid(vgpu_rt.devices[device].place, p->uuid.bytes);
    fill_textures(p);
    p->canMapHostMemory = 1;
    p->pciBusID = vgpu_rt.devices[device].place + 1;
    p->streamPrioritiesSupported = 1;
    p->globalL1CacheSupported = 1;
    p->localL1CacheSupported = 1;
    p->managedMemory = 1;
    p->concurrentManagedAccess = 1;
    p->computePreemptionSupported = 1;
    p->canUseHostPointerForRegisteredMem = 1;
    p->hostRegisterSupported = 1;
    p->memoryPoolsSupported = vgpu_pool_exists(device);
    p->cooperativeLaunch = from->compute_major >= 6;
}

API(cudaGetDeviceProperties, struct cudaDeviceProp *prop, int device)
{
    if (!prop)
        return cudaErrorInvalidValue;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    call->asked = device;
    fill_properties(prop, device);
    return cudaSuccess;
}

API(cudaChooseDevice, int *device, const struct cudaDeviceProp *prop)
{
    if (!device || !prop)
        return cudaErrorInvalidValue;
    *device = 0; /* what is asked for are wishes */
    return cudaSuccess;
}

/* Attributes that are a field of the properties, by offset. */
struct field {
    enum cudaDeviceAttr attr;
    size_t offset;
    bool is_size;
};

#define INT(attr, member)                                                      \
    {                                                                          \
        attr, offsetof(struct cudaDeviceProp, member), false                   \
    }
#define SIZE(attr, member)                                                     \
    {                                                                          \
        attr, offsetof(struct cudaDeviceProp, member), true                    \
    }

static const struct field fields[] = {
    INT(cudaDevAttrMaxThreadsPerBlock, maxThreadsPerBlock),
    INT(cudaDevAttrMaxBlockDimX, maxThreadsDim[0]),
    INT(cudaDevAttrMaxBlockDimY, maxThreadsDim[1]),
    INT(cudaDevAttrMaxBlockDimZ, maxThreadsDim[2]),
    INT(cudaDevAttrMaxGridDimX, maxGridSize[0]),
    INT(cudaDevAttrMaxGridDimY, maxGridSize[1]),
    INT(cudaDevAttrMaxGridDimZ, maxGridSize[2]),
    SIZE(cudaDevAttrMaxSharedMemoryPerBlock, sharedMemPerBlock),
    SIZE(cudaDevAttrTotalConstantMemory, totalConstMem),
    INT(cudaDevAttrWarpSize, warpSize),
    SIZE(cudaDevAttrMaxPitch, memPitch),
    INT(cudaDevAttrMaxRegistersPerBlock, regsPerBlock),
    SIZE(cudaDevAttrTextureAlignment, textureAlignment),
    SIZE(cudaDevAttrTexturePitchAlignment, texturePitchAlignment),
    SIZE(cudaDevAttrSurfaceAlignment, surfaceAlignment),
    INT(cudaDevAttrMaxTexture1DWidth, maxTexture1D),
    INT(cudaDevAttrMaxTexture2DWidth, maxTexture2D[0]),
    INT(cudaDevAttrMaxTexture2DHeight, maxTexture2D[1]),
    INT(cudaDevAttrMaxTexture3DWidth, maxTexture3D[0]),
    INT(cudaDevAttrMaxTexture3DHeight, maxTexture3D[1]),
    INT(cudaDevAttrMaxTexture3DDepth, maxTexture3D[2]),
    INT(cudaDevAttrMaxTexture2DLinearWidth, maxTexture2DLinear[0]),
    INT(cudaDevAttrMaxTexture2DLinearHeight, maxTexture2DLinear[1]),
    INT(cudaDevAttrMaxTexture2DLinearPitch, maxTexture2DLinear[2]),
    INT(cudaDevAttrMaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
    INT(cudaDevAttrMaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
    INT(cudaDevAttrMaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
    INT(cudaDevAttrMaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
    INT(cudaDevAttrMaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
    INT(cudaDevAttrMaxSurface1DWidth, maxSurface1D),
    INT(cudaDevAttrMaxSurface2DWidth, maxSurface2D[0]),
    INT(cudaDevAttrMaxSurface2DHeight, maxSurface2D[1]),
    INT(cudaDevAttrMaxSurface3DWidth, maxSurface3D[0]),
    INT(cudaDevAttrMaxSurface3DHeight, maxSurface3D[1]),
    INT(cudaDevAttrMaxSurface3DDepth, maxSurface3D[2]),
    INT(cudaDevAttrMultiProcessorCount, multiProcessorCount),
    INT(cudaDevAttrIntegrated, integrated),
    INT(cudaDevAttrCanMapHostMemory, canMapHostMemory),
    INT(cudaDevAttrConcurrentKernels, concurrentKernels),
    INT(cudaDevAttrEccEnabled, ECCEnabled),
    INT(cudaDevAttrPciBusId, pciBusID),
    INT(cudaDevAttrPciDeviceId, pciDeviceID),
    INT(cudaDevAttrPciDomainId, pciDomainID),
    INT(cudaDevAttrTccDriver, tccDriver),
    INT(cudaDevAttrGlobalMemoryBusWidth, memoryBusWidth),
    INT(cudaDevAttrL2CacheSize, l2CacheSize),
    INT(cudaDevAttrMaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    INT(cudaDevAttrAsyncEngineCount, asyncEngineCount),
    INT(cudaDevAttrUnifiedAddressing, unifiedAddressing),
    INT(cudaDevAttrComputeCapabilityMajor, major),
    INT(cudaDevAttrComputeCapabilityMinor, minor),
    INT(cudaDevAttrStreamPrioritiesSupported, streamPrioritiesSupported),
    INT(cudaDevAttrGlobalL1CacheSupported, globalL1CacheSupported),
    INT(cudaDevAttrLocalL1CacheSupported, localL1CacheSupported),
    SIZE(cudaDevAttrMaxSharedMemoryPerMultiprocessor,
         sharedMemPerMultiprocessor),
    INT(cudaDevAttrMaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    INT(cudaDevAttrManagedMemory, managedMemory),
    INT(cudaDevAttrIsMultiGpuBoard, isMultiGpuBoard),
    INT(cudaDevAttrMultiGpuBoardGroupID, multiGpuBoardGroupID),
    INT(cudaDevAttrHostNativeAtomicSupported, hostNativeAtomicSupported),
    INT(cudaDevAttrPageableMemoryAccess, pageableMemoryAccess),
    INT(cudaDevAttrConcurrentManagedAccess, concurrentManagedAccess),
    INT(cudaDevAttrComputePreemptionSupported, computePreemptionSupported),
    INT(cudaDevAttrCanUseHostPointerForRegisteredMem,
        canUseHostPointerForRegisteredMem),
    INT(cudaDevAttrCooperativeLaunch, cooperativeLaunch),
    SIZE(cudaDevAttrMaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    INT(cudaDevAttrPageableMemoryAccessUsesHostPageTables,
        pageableMemoryAccessUsesHostPageTables),
    INT(cudaDevAttrDirectManagedMemAccessFromHost,
        directManagedMemAccessFromHost),
    INT(cudaDevAttrMaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    INT(cudaDevAttrMaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    INT(cudaDevAttrMaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    SIZE(cudaDevAttrReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    INT(cudaDevAttrHostRegisterSupported, hostRegisterSupported),
    INT(cudaDevAttrMemoryPoolsSupported, memoryPoolsSupported),
    INT(cudaDevAttrGPUDirectRDMASupported, gpuDirectRDMASupported),
    INT(cudaDevAttrClusterLaunch, clusterLaunch),
    INT(cudaDevAttrIpcEventSupport, ipcEventSupported),
};

/* One source for both: an attribute is looked up in the properties wherever
 * they have it. */
static cudaError_t attribute(int *value, enum cudaDeviceAttr attr, int device)
{
    const struct vgpu_profile *const profile = vgpu_rt.devices[device].profile;
    struct cudaDeviceProp prop;

    fill_properties(&prop, device);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const char *at = (const char *)&prop + fields[i].offset;

        if (fields[i].attr != attr)
            continue;
        *value =
            fields[i].is_size ? (int)*(const size_t *)at : *(const int *)at;
        return cudaSuccess;
    }
    switch ((int)attr) {
    case cudaDevAttrClockRate:
        *value = (int)profile->clock_khz;
        return cudaSuccess;
    case cudaDevAttrMemoryClockRate:
        *value = (int)profile->memory_clock_khz;
        return cudaSuccess;
    case cudaDevAttrGpuOverlap:
        *value = profile->copy_engines > 0;
        return cudaSuccess;
    case cudaDevAttrComputeMode:
        *value = (int)profile->compute_mode;
        return cudaSuccess;
    case cudaDevAttrMaxTexture1DLinearWidth:
        *value = VGPU_LINEAR_TEXELS;
        return cudaSuccess;
    }
    if ((int)attr < 1 || attr > cudaDevAttrOnlyPartialHostNativeAtomicSupported)
        return cudaErrorInvalidValue;
    *value = 0; /* cubemaps and the like: none */
    return cudaSuccess;
}

API(cudaDeviceGetAttribute, int *value, enum cudaDeviceAttr attr, int device)
{
    if (!value)
        return cudaErrorInvalidValue;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    call->asked = device;
    return attribute(value, attr, device);
}

/* Limits are kept to be asked for, but for that of the heap. The stack of
 * device code is this machine's. */
static cudaError_t limit(size_t *out, enum cudaLimit limit, const size_t *in)
{
    if ((int)limit < 0 || limit > cudaLimitPersistingL2CacheSize)
        return cudaErrorInvalidValue;
    if (out)
        *out = vgpu_device_current()->limits[limit];
    if (in)
        vgpu_device_current()->limits[limit] = *in;
    if (in && limit == cudaLimitMallocHeapSize)
        vgpu_heap_limit(vgpu_device_current()->index, *in);
    return cudaSuccess;
}

API(cudaDeviceGetLimit, size_t *value, enum cudaLimit which)
{
    return value ? limit(value, which, NULL) : cudaErrorInvalidValue;
}

API(cudaDeviceSetLimit, enum cudaLimit which, size_t value)
{
    return limit(NULL, which, &value);
}

API(cudaDeviceGetCacheConfig, enum cudaFuncCache *config)
{
    if (!config)
        return cudaErrorInvalidValue;
    *config = vgpu_device_current()->cache_config;
    return cudaSuccess;
}

API(cudaDeviceSetCacheConfig, enum cudaFuncCache config)
{
    /* A preference, changes no result. */
    vgpu_device_current()->cache_config = config;
    return cudaSuccess;
}

/* Made up, one bus per device, and unique: enough to tell devices apart. */
API(cudaDeviceGetPCIBusId, char *id, int len, int device)
{
    if (!id || len < 13)
        return cudaErrorInvalidValue;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    snprintf(id, (size_t)len, "0000:%02x:00.0",
             (unsigned)vgpu_rt.devices[device].place + 1u);
    return cudaSuccess;
}

/* Reads what cudaDeviceGetPCIBusId made: the bus is the device's place in the
 * machine and one. */
API(cudaDeviceGetByPCIBusId, int *device, const char *id)
{
    unsigned bus;

    if (!device || !id)
        return cudaErrorInvalidValue;
    if (sscanf(id, "%*x:%x:", &bus) != 1)
        return cudaErrorInvalidDevice;
    for (int d = 0; d < vgpu_rt.device_count; d++)
        if (vgpu_rt.devices[d].place == (int)bus - 1) {
            *device = d;
            return cudaSuccess;
        }
    return cudaErrorInvalidDevice;
}

/* Driver and runtime are one program here, and so are their versions. */
API(cudaRuntimeGetVersion, int *out)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = CUDART_VERSION;
    return cudaSuccess;
}

API(cudaDriverGetVersion, int *out)
{
    return vgpu_do_cudaRuntimeGetVersion(call, out);
}

/* What a timeline shows and a grader times lies between start and stop. */
API(cudaProfilerStart)
{
    vgpu_trace_mark("start", call->thread->now_ns);
    return cudaSuccess;
}

API(cudaProfilerStop)
{
    vgpu_trace_mark("stop", call->thread->now_ns);
    return cudaSuccess;
}
