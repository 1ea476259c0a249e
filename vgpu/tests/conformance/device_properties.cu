/*
 * device_properties.cu: cudaGetDeviceProperties fills plausible fields and
 * names its errors; cudaMemGetInfo agrees with it.
 * Source: Runtime API, Device Management; Memory Management.
 */
#include "fact.h"

int main(void)
{
    struct cudaDeviceProp p;
    size_t free_bytes = 0;
    size_t total_bytes = 0;

    memset(&p, 0, sizeof(p));
    fact_error("get.error", cudaGetDeviceProperties(&p, 0));
    fact_yes("name_is_not_empty", p.name[0] != '\0');
    fact_yes("name_is_terminated", memchr(p.name, 0, sizeof(p.name)) != NULL);
    fact_yes("has_multiprocessors", p.multiProcessorCount > 0);
    fact_yes("has_global_memory", p.totalGlobalMem > 0);
    fact_yes("has_copy_engine", p.asyncEngineCount >= 1);
    fact_yes("threads_per_sm_is_multiple_of_warp",
             p.maxThreadsPerMultiProcessor % p.warpSize == 0);
    fact_yes("block_fits_on_sm",
             p.maxThreadsPerBlock <= p.maxThreadsPerMultiProcessor);
    fact_yes("shared_optin_not_below_default",
             p.sharedMemPerBlockOptin >= p.sharedMemPerBlock);
    fact_yes("shared_of_sm_not_below_block",
             p.sharedMemPerMultiprocessor >= p.sharedMemPerBlockOptin);
    fact_yes("registers_of_sm_not_below_block",
             p.regsPerMultiprocessor >= p.regsPerBlock);
    fact_int("unified_addressing", p.unifiedAddressing);
    fact_int("concurrent_kernels", p.concurrentKernels);
    fact_int("can_map_host_memory", p.canMapHostMemory);
    fact_int("managed_memory", p.managedMemory);
    fact_int("texture_alignment", (long long)p.textureAlignment);
    fact_int("texture_pitch_alignment", (long long)p.texturePitchAlignment);

    fact_error("device_99.invalid_ordinal", cudaGetDeviceProperties(&p, 99));
    fact_error("device_negative.invalid_ordinal",
               cudaGetDeviceProperties(&p, -1));
    fact_last("device_negative.latched");

    fact_error("mem_info.error", cudaMemGetInfo(&free_bytes, &total_bytes));
    MUST(cudaGetDeviceProperties(&p, 0));
    fact_yes("free_not_above_total", free_bytes <= total_bytes);
    fact_yes("total_equals_property", total_bytes == p.totalGlobalMem);
    return 0;
}
