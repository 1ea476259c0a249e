/*
 * device_attributes.cu: an attribute equals the field of the same meaning in
 * cudaDeviceProp; some limits are the same on every device since Volta.
 * Source: Runtime API, Device Management, cudaDeviceGetAttribute.
 */
#include "fact.h"

static int attribute(enum cudaDeviceAttr which)
{
    int value = -1;

    MUST(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void same(const char *what, enum cudaDeviceAttr which, long long field)
{
    fact("%s.equals_property=%s", what,
         attribute(which) == field ? "yes" : "no");
}

static void compare_with_properties(const struct cudaDeviceProp *p)
{
    same("max_threads_per_block", cudaDevAttrMaxThreadsPerBlock,
         p->maxThreadsPerBlock);
    same("max_block_x", cudaDevAttrMaxBlockDimX, p->maxThreadsDim[0]);
    same("max_block_y", cudaDevAttrMaxBlockDimY, p->maxThreadsDim[1]);
    same("max_block_z", cudaDevAttrMaxBlockDimZ, p->maxThreadsDim[2]);
    same("max_grid_x", cudaDevAttrMaxGridDimX, p->maxGridSize[0]);
    same("max_grid_y", cudaDevAttrMaxGridDimY, p->maxGridSize[1]);
    same("max_grid_z", cudaDevAttrMaxGridDimZ, p->maxGridSize[2]);
    same("shared_per_block", cudaDevAttrMaxSharedMemoryPerBlock,
         (long long)p->sharedMemPerBlock);
    same("shared_per_block_optin", cudaDevAttrMaxSharedMemoryPerBlockOptin,
         (long long)p->sharedMemPerBlockOptin);
    same("shared_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor,
         (long long)p->sharedMemPerMultiprocessor);
    same("constant_memory", cudaDevAttrTotalConstantMemory,
         (long long)p->totalConstMem);
    same("warp_size", cudaDevAttrWarpSize, p->warpSize);
    same("registers_per_block", cudaDevAttrMaxRegistersPerBlock,
         p->regsPerBlock);
    same("registers_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor,
         p->regsPerMultiprocessor);
    same("sm_count", cudaDevAttrMultiProcessorCount, p->multiProcessorCount);
    same("threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor,
         p->maxThreadsPerMultiProcessor);
    same("blocks_per_sm", cudaDevAttrMaxBlocksPerMultiprocessor,
         p->maxBlocksPerMultiProcessor);
    same("capability_major", cudaDevAttrComputeCapabilityMajor, p->major);
    same("capability_minor", cudaDevAttrComputeCapabilityMinor, p->minor);
    same("copy_engines", cudaDevAttrAsyncEngineCount, p->asyncEngineCount);
    same("l2_size", cudaDevAttrL2CacheSize, p->l2CacheSize);
    same("bus_width", cudaDevAttrGlobalMemoryBusWidth, p->memoryBusWidth);
    same("integrated", cudaDevAttrIntegrated, p->integrated);
    same("ecc", cudaDevAttrEccEnabled, p->ECCEnabled);
    same("pci_bus", cudaDevAttrPciBusId, p->pciBusID);
    same("pci_device", cudaDevAttrPciDeviceId, p->pciDeviceID);
    same("pci_domain", cudaDevAttrPciDomainId, p->pciDomainID);
    same("texture_pitch_alignment", cudaDevAttrTexturePitchAlignment,
         (long long)p->texturePitchAlignment);
}

static void state_common_limits(void)
{
    fact_int("warp_size", attribute(cudaDevAttrWarpSize));
    fact_int("max_threads_per_block", attribute(cudaDevAttrMaxThreadsPerBlock));
    fact_int("max_block_z", attribute(cudaDevAttrMaxBlockDimZ));
    fact_int("max_grid_x", attribute(cudaDevAttrMaxGridDimX));
    fact_int("max_grid_y", attribute(cudaDevAttrMaxGridDimY));
    fact_int("constant_memory_bytes",
             attribute(cudaDevAttrTotalConstantMemory));
    fact_int("shared_per_block_bytes",
             attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    fact_int("concurrent_kernels", attribute(cudaDevAttrConcurrentKernels));
    fact_int("unified_addressing", attribute(cudaDevAttrUnifiedAddressing));
    fact_int("can_map_host_memory", attribute(cudaDevAttrCanMapHostMemory));
    fact_int("managed_memory", attribute(cudaDevAttrManagedMemory));
    fact_int("stream_priorities",
             attribute(cudaDevAttrStreamPrioritiesSupported));
    fact_int("memory_pools", attribute(cudaDevAttrMemoryPoolsSupported));
    fact_int("cooperative_launch", attribute(cudaDevAttrCooperativeLaunch));
    fact_int("compute_preemption",
             attribute(cudaDevAttrComputePreemptionSupported));
    fact_int("host_register", attribute(cudaDevAttrHostRegisterSupported));
    fact_yes("clock_rate_is_positive", attribute(cudaDevAttrClockRate) > 0);
}

int main(void)
{
    struct cudaDeviceProp properties;
    int value = -1;

    MUST(cudaGetDeviceProperties(&properties, 0));
    compare_with_properties(&properties);
    state_common_limits();

    fact_error("null_result.error",
               cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    fact_error("device_99.invalid_ordinal",
               cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
    fact_error("unknown_attribute.error",
               cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)99999, 0));
    return 0;
}
