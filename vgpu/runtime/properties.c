/*
 * properties.c: what a device reports of itself.
 *
 * Facts come from the device's profile. What every device of a generation has
 * follows from its compute capability, by the CUDA C++ Programming Guide's
 * table of them; what neither knows is what an H200 with CUDA 13 says, or
 * nothing.
 *
 * Source: manual, "Device Management", cudaDeviceProp and cudaDeviceAttr.
 */
#include "array.h"
#include "pool.h"

#include <stdio.h>
#include <string.h>

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

/* Two of a kind, at most of three. */
static void fill_extent(int *to, int count, int width, int height, int depth)
{
    const int extent[] = {width, height, depth};

    for (int i = 0; i < count; i++)
        to[i] = extent[i];
}

static void fill_textures(struct cudaDeviceProp *p)
{
    const int line = VGPU_ARRAY_WIDTH, layer = VGPU_ARRAY_LAYERED,
              layers = VGPU_ARRAY_LAYERS, box = VGPU_ARRAY_BOX;

    p->textureAlignment = VGPU_TEXTURE_ALIGN;
    p->texturePitchAlignment = VGPU_TEXTURE_PITCH_ALIGN;
    p->surfaceAlignment = VGPU_TEXTURE_ALIGN;
    p->maxTexture1D = line;
    p->maxTexture1DMipmap = layer;
    fill_extent(p->maxTexture2D, 2, line, VGPU_ARRAY_HEIGHT, 0);
    fill_extent(p->maxTexture2DMipmap, 2, layer, layer, 0);
    fill_extent(p->maxTexture2DLinear, 3, line, VGPU_PITCH2D_HEIGHT,
                VGPU_PITCH2D_PITCH);
    fill_extent(p->maxTexture2DGather, 2, layer, layer, 0);
    fill_extent(p->maxTexture3D, 3, box, box, box);
    fill_extent(p->maxTexture3DAlt, 3, box / 2, box / 2, layer);
    p->maxTextureCubemap = layer;
    fill_extent(p->maxTexture1DLayered, 2, layer, layers, 0);
    fill_extent(p->maxTexture2DLayered, 3, layer, layer, layers);
    fill_extent(p->maxTextureCubemapLayered, 2, layer, VGPU_CUBE_LAYERS, 0);
    p->maxSurface1D = VGPU_SURFACE_LINE;
    fill_extent(p->maxSurface2D, 2, line, VGPU_ARRAY_HEIGHT, 0);
    fill_extent(p->maxSurface3D, 3, box, box, box);
    fill_extent(p->maxSurface1DLayered, 2, layer, layers, 0);
    fill_extent(p->maxSurface2DLayered, 3, layer, layer, layers);
    p->maxSurfaceCubemap = layer;
    fill_extent(p->maxSurfaceCubemapLayered, 2, layer, VGPU_CUBE_LAYERS, 0);
}

/* ---- by compute capability ----------------------------------------------- */

static bool since(const struct vgpu_profile *p, int major, int minor)
{
    return p->compute_major > major ||
           (p->compute_major == major && p->compute_minor >= minor);
}

/* Of Windows' display driver model. */
static bool is_wddm(const struct vgpu_profile *p)
{
    return p->batch_commands > 0;
}

size_t vgpu_access_window_bytes(const struct vgpu_profile *p)
{
    return since(p, 8, 0) ? (size_t)128 << 20 : 0;
}

int vgpu_sync_domain_count(const struct vgpu_profile *p)
{
    return since(p, 9, 0) ? 4 : 1;
}

bool vgpu_moves_pages(const struct vgpu_profile *p)
{
    return since(p, 6, 0) && !is_wddm(p);
}

/* What came with a generation of devices, and under Windows' display driver
 * model not at all. Kernels and the host at managed memory at once: since
 * Pascal, whose pages move on demand, and on Linux. */
static void fill_abilities(struct cudaDeviceProp *p,
                           const struct vgpu_profile *from)
{
    const bool linux_only = !is_wddm(from);

    p->canMapHostMemory = 1;
    p->hostRegisterSupported = 1;
    p->hostRegisterReadOnlySupported = 1;
    p->globalL1CacheSupported = since(from, 2, 0);
    p->localL1CacheSupported = since(from, 2, 0);
    p->managedMemory = since(from, 3, 0);
    p->streamPrioritiesSupported = since(from, 3, 5);
    p->concurrentManagedAccess = vgpu_moves_pages(from);
    p->computePreemptionSupported = since(from, 6, 0);
    p->canUseHostPointerForRegisteredMem = since(from, 6, 0) && linux_only;
    p->cooperativeLaunch = since(from, 6, 0);
    p->ipcEventSupported = since(from, 2, 0) && linux_only;
    p->sparseCudaArraySupported = since(from, 7, 0);
    p->timelineSemaphoreInteropSupported = since(from, 6, 0);
    p->deferredMappingCudaArraySupported = since(from, 7, 0);
    p->clusterLaunch = since(from, 9, 0);
    p->unifiedFunctionPointers = since(from, 7, 5);
    p->hostRegisterReadOnlySupported = since(from, 8, 0);
    p->gpuDirectRDMASupported = since(from, 3, 5) && linux_only;
    p->gpuDirectRDMAFlushWritesOptions = (unsigned)p->gpuDirectRDMASupported;
    p->gpuDirectRDMAWritesOrdering = since(from, 8, 0) ? 100 : 0;
}

enum {
    HANDLE_FILE = 1, /* cudaMemHandleTypePosixFileDescriptor, ... */
    HANDLE_WIN32 = 2,
    HANDLE_FABRIC = 8,
    RESERVED_SHARED = 1024, /* the driver's part of each block */
};

static void fill_others(struct cudaDeviceProp *p,
                        const struct vgpu_profile *from)
{
    if (p->memoryPoolsSupported && is_wddm(from))
        p->memoryPoolSupportedHandleTypes = HANDLE_WIN32;
    else if (p->memoryPoolsSupported)
        p->memoryPoolSupportedHandleTypes =
            HANDLE_FILE | (since(from, 9, 0) ? HANDLE_FABRIC : 0);
    p->reservedSharedMemPerBlock = since(from, 8, 0) ? RESERVED_SHARED : 0;
    p->persistingL2CacheMaxSize = (int)vgpu_persisting_bytes(from);
    p->accessPolicyMaxWindowSize = (int)vgpu_access_window_bytes(from);
    p->ECCEnabled = (int)from->ecc;
    p->deviceNumaId = -1;
    p->gpuPciDeviceID = (unsigned)from->pci_device_id;
    p->gpuPciSubsystemID = (unsigned)from->pci_subsystem_id;
}

static void fill_properties(struct cudaDeviceProp *p, int device)
{
    const struct vgpu_profile *from = vgpu_rt.devices[device].profile;

    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", from->name);
    fill_limits(p, from);
    vgpu_environment_uuid(vgpu_rt.devices[device].place, p->uuid.bytes);
    fill_textures(p);
    p->multiGpuBoardGroupID = device;
    p->pciBusID = vgpu_rt.devices[device].place + 1;
    p->memoryPoolsSupported = vgpu_pool_exists(device);
    fill_abilities(p, from);
    fill_others(p, from);
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
    INT(cudaDevAttrSparseCudaArraySupported, sparseCudaArraySupported),
    INT(cudaDevAttrHostRegisterReadOnlySupported,
        hostRegisterReadOnlySupported),
    INT(cudaDevAttrTimelineSemaphoreInteropSupported,
        timelineSemaphoreInteropSupported),
    INT(cudaDevAttrMemoryPoolsSupported, memoryPoolsSupported),
    INT(cudaDevAttrGPUDirectRDMASupported, gpuDirectRDMASupported),
    INT(cudaDevAttrGPUDirectRDMAFlushWritesOptions,
        gpuDirectRDMAFlushWritesOptions),
    INT(cudaDevAttrGPUDirectRDMAWritesOrdering, gpuDirectRDMAWritesOrdering),
    INT(cudaDevAttrMemoryPoolSupportedHandleTypes,
        memoryPoolSupportedHandleTypes),
    INT(cudaDevAttrClusterLaunch, clusterLaunch),
    INT(cudaDevAttrDeferredMappingCudaArraySupported,
        deferredMappingCudaArraySupported),
    INT(cudaDevAttrIpcEventSupport, ipcEventSupported),
    INT(cudaDevAttrNumaConfig, deviceNumaConfig),
    INT(cudaDevAttrNumaId, deviceNumaId),
    INT(cudaDevAttrMpsEnabled, mpsEnabled),
    INT(cudaDevAttrHostNumaId, hostNumaId),
    INT(cudaDevAttrGpuPciDeviceId, gpuPciDeviceID),
    INT(cudaDevAttrGpuPciSubsystemId, gpuPciSubsystemID),
    INT(cudaDevAttrHostNumaMultinodeIpcSupported,
        hostNumaMultinodeIpcSupported),
    INT(cudaDevAttrMaxTexture1DMipmappedWidth, maxTexture1DMipmap),
    INT(cudaDevAttrMaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]),
    INT(cudaDevAttrMaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]),
    INT(cudaDevAttrMaxTexture2DGatherWidth, maxTexture2DGather[0]),
    INT(cudaDevAttrMaxTexture2DGatherHeight, maxTexture2DGather[1]),
    INT(cudaDevAttrMaxTexture3DWidthAlt, maxTexture3DAlt[0]),
    INT(cudaDevAttrMaxTexture3DHeightAlt, maxTexture3DAlt[1]),
    INT(cudaDevAttrMaxTexture3DDepthAlt, maxTexture3DAlt[2]),
    INT(cudaDevAttrMaxTextureCubemapWidth, maxTextureCubemap),
    INT(cudaDevAttrMaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0]),
    INT(cudaDevAttrMaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1]),
    INT(cudaDevAttrMaxSurface1DLayeredWidth, maxSurface1DLayered[0]),
    INT(cudaDevAttrMaxSurface1DLayeredLayers, maxSurface1DLayered[1]),
    INT(cudaDevAttrMaxSurface2DLayeredWidth, maxSurface2DLayered[0]),
    INT(cudaDevAttrMaxSurface2DLayeredHeight, maxSurface2DLayered[1]),
    INT(cudaDevAttrMaxSurface2DLayeredLayers, maxSurface2DLayered[2]),
    INT(cudaDevAttrMaxSurfaceCubemapWidth, maxSurfaceCubemap),
    INT(cudaDevAttrMaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0]),
    INT(cudaDevAttrMaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]),
};

/* The runtime API calls them reserved, or they have no field: gathers; grids
 * over several devices; virtual memory and what is compressed in it; waits on
 * memory; tensor maps; multicast; pools on the host. What an H200 has is taken
 * to be there since the generation that the driver API names. */
static int reserved(const struct vgpu_profile *p, int which)
{
    static const struct {
        int which, major;
    } since_major[] = {{44, 2},  {96, 6},  {102, 6}, {103, 6}, {107, 8},
                       {110, 8}, {122, 7}, {123, 7}, {124, 7}, {127, 9},
                       {128, 9}, {129, 8}, {132, 9}, {141, 9}, {142, 6},
                       {144, 6}, {145, 9}};

    for (size_t i = 0; i < sizeof since_major / sizeof *since_major; i++)
        if (since_major[i].which == which)
            return since(p, since_major[i].major, 0);
    return 0;
}

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
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = (int)profile->double_slots;
        return cudaSuccess;
    case cudaDevAttrMemSyncDomainCount:
        *value = vgpu_sync_domain_count(profile);
        return cudaSuccess;
    case cudaDevAttrKernelExecTimeout:
        *value = is_wddm(profile);
        return cudaSuccess;
    case cudaDevAttrMaxTexture1DLinearWidth:
        *value = VGPU_LINEAR_TEXELS;
        return cudaSuccess;
    }
    if ((int)attr < 1 || attr > cudaDevAttrOnlyPartialHostNativeAtomicSupported)
        return vgpu_invalid("there is no attribute %d of a device", (int)attr);
    *value = reserved(profile, (int)attr);
    return cudaSuccess;
}

API(cudaDeviceGetAttribute, int *value, enum cudaDeviceAttr attr, int device)
{
    const enum vgpu_call_manner manner =
        value ? VGPU_CALL_PLAIN : VGPU_CALL_INSIDE;
    /* Other calls ask this, too, and have begun. */
    const cudaError_t error =
        call->begun ? cudaSuccess : vgpu_call_late(call, manner);

    if (error || !value)
        return error ? error : cudaErrorInvalidValue;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    call->asked = device;
    return attribute(value, attr, device);
}
