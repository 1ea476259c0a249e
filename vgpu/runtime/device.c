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

/* Questions about a device cost the host next to nothing, all alike. */
static cudaError_t plain_end(struct vgpu_call *call, cudaError_t error)
{
    return vgpu_call_end(call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaGetDeviceCount", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !count)
        error = cudaErrorInvalidValue;
    if (!error)
        *count = vgpu_rt.device_count;
    return plain_end(&call, error);
}

/* Current for the calling thread only. Since CUDA 12 this makes the device's
 * context, too; here its cost comes with the first call that needs one. */
cudaError_t cudaSetDevice(int device)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaSetDevice", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    if (!error)
        call.thread->device = device;
    return plain_end(&call, error);
}

cudaError_t cudaGetDevice(int *device)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaGetDevice", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !device)
        error = cudaErrorInvalidValue;
    if (!error)
        *device = call.thread->device;
    return plain_end(&call, error);
}

/* The flags would say how the context waits, which changes no result; the
 * context itself comes with the first call that needs one. */
cudaError_t cudaInitDevice(int device, unsigned int device_flags,
                           unsigned int flags)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaInitDevice", VGPU_PC, VGPU_CALL_PLAIN);

    (void)device_flags;
    (void)flags;
    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    return plain_end(&call, error);
}

/* A list to choose from for threads that never call cudaSetDevice: with devices
 * that differ in nothing but speed, the first is as good as any. */
cudaError_t cudaSetValidDevices(int *devices, int count)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaSetValidDevices", VGPU_PC, VGPU_CALL_PLAIN);

    for (int i = 0; !error && devices && i < count; i++)
        if (!vgpu_device_exists(devices[i]))
            error = cudaErrorInvalidDevice;
    return plain_end(&call, error);
}

/* Flags say how the host should wait and change no result; at most one way may
 * be asked for. */
cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    struct vgpu_call call;
    unsigned schedule;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaSetDeviceFlags", VGPU_PC, VGPU_CALL_PLAIN);

    schedule = flags & cudaDeviceScheduleMask;
    if (!error &&
        ((flags & ~(unsigned)cudaDeviceMask) || (schedule & (schedule - 1))))
        error = cudaErrorInvalidValue;
    if (!error)
        vgpu_device_current()->flags = flags;
    return plain_end(&call, error);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaGetDeviceFlags", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !flags)
        error = cudaErrorInvalidValue;
    if (!error)
        *flags = vgpu_device_current()->flags | cudaDeviceMapHost;
    return plain_end(&call, error);
}

/* All of this device's work, in all of its streams, and of no other device's:
 * to wait for one GPU and take that for all is a mistake that courses meet
 * often. */
cudaError_t cudaDeviceSynchronize(void)
{
    struct vgpu_call call;
    int64_t ns = vgpu_rt.host->host_sync_ns;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceSynchronize", VGPU_PC,
                                        VGPU_CALL_CONTEXT);

    if (!error)
        error = vgpu_capture_wait_device(vgpu_device_current());
    if (!error)
        error = vgpu_wait_device(call.thread, vgpu_device_current(), true);
    if (!error)
        ns += vgpu_pool_waited(vgpu_device_current()->index);
    vgpu_exec_flush_printf();
    return vgpu_call_end(&call, error, ns);
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

cudaError_t cudaDeviceReset(void)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaDeviceReset", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error)
        reset(&call, vgpu_device_current());
    return vgpu_call_end(&call, error, vgpu_rt.host->host_sync_ns);
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
    snprintf(p->uuid.bytes, sizeof p->uuid.bytes, "virtual-gpu-%02d", device);
    fill_textures(p);
    p->canMapHostMemory = 1;
    p->pciBusID = device + 1;
    p->streamPrioritiesSupported = 1;
    p->globalL1CacheSupported = 1;
    p->localL1CacheSupported = 1;
    p->managedMemory = 1;
    p->concurrentManagedAccess = 1;
    p->computePreemptionSupported = 1;
    p->canUseHostPointerForRegisteredMem = 1;
    p->hostRegisterSupported = 1;
    p->memoryPoolsSupported = 1;
    p->cooperativeLaunch = from->compute_major >= 6;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaGetDeviceProperties",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !prop)
        error = cudaErrorInvalidValue;
    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    if (!error) {
        call.asked = device;
        fill_properties(prop, device);
    }
    return plain_end(&call, error);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaChooseDevice", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && (!device || !prop))
        error = cudaErrorInvalidValue;
    if (!error)
        *device = 0; /* what is asked for are wishes */
    return plain_end(&call, error);
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

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
                                   int device)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceGetAttribute",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !value)
        error = cudaErrorInvalidValue;
    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    if (!error) {
        call.asked = device;
        error = attribute(value, attr, device);
    }
    return plain_end(&call, error);
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

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit which)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceGetLimit", VGPU_PC,
                                        VGPU_CALL_CONTEXT);

    if (!error)
        error = value ? limit(value, which, NULL) : cudaErrorInvalidValue;
    return plain_end(&call, error);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit which, size_t value)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceSetLimit", VGPU_PC,
                                        VGPU_CALL_CONTEXT);

    if (!error)
        error = limit(NULL, which, &value);
    return plain_end(&call, error);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceGetCacheConfig",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !config)
        error = cudaErrorInvalidValue;
    if (!error)
        *config = vgpu_device_current()->cache_config;
    return plain_end(&call, error);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceSetCacheConfig",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error) /* a preference, changes no result */
        vgpu_device_current()->cache_config = config;
    return plain_end(&call, error);
}

/* Made up, one bus per device, and unique: enough to tell devices apart. */
cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int device)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceGetPCIBusId", VGPU_PC,
                                        VGPU_CALL_PLAIN);

    if (!error && (!id || len < 13))
        error = cudaErrorInvalidValue;
    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    if (!error)
        snprintf(id, (size_t)len, "0000:%02x:00.0", (unsigned)device + 1u);
    return plain_end(&call, error);
}

/* Reads what cudaDeviceGetPCIBusId made: the bus is the device's number and
 * one. */
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    struct vgpu_call call;
    unsigned bus;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceGetByPCIBusId",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && (!device || !id))
        error = cudaErrorInvalidValue;
    if (!error &&
        (sscanf(id, "%*x:%x:", &bus) != 1 || !vgpu_device_exists((int)bus - 1)))
        error = cudaErrorInvalidDevice;
    if (!error)
        *device = (int)bus - 1;
    return plain_end(&call, error);
}

/* Driver and runtime are one program here, and so are their versions. */
static cudaError_t version(int *out, const char *name, uint64_t pc)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, name, pc, VGPU_CALL_PLAIN);

    if (!error && !out)
        error = cudaErrorInvalidValue;
    if (!error)
        *out = CUDART_VERSION;
    return plain_end(&call, error);
}

cudaError_t cudaDriverGetVersion(int *out)
{
    return version(out, "cudaDriverGetVersion", VGPU_PC);
}

cudaError_t cudaRuntimeGetVersion(int *out)
{
    return version(out, "cudaRuntimeGetVersion", VGPU_PC);
}

/* ---- the part of a run that a timeline shows ------------------------------
 */

/* What a timeline shows and a grader times lies between start and stop. */
static cudaError_t mark(const char *name, const char *what, uint64_t pc)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, name, pc, VGPU_CALL_PLAIN);

    if (!error)
        vgpu_trace_mark(what, call.thread->now_ns);
    return vgpu_call_end(&call, error, 0);
}

cudaError_t cudaProfilerStart(void)
{
    return mark("cudaProfilerStart", "start", VGPU_PC);
}

cudaError_t cudaProfilerStop(void)
{
    return mark("cudaProfilerStop", "stop", VGPU_PC);
}
