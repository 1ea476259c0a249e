/*
 * device_reset_settings.cu: what a reset leaves of what a program had set:
 * flags, preferences, what a kernel was allowed, the last error, pools,
 * priorities. Source: Runtime API, Device Management, cudaDeviceReset;
 * observed.
 */
#include "fact.h"

static __global__ void use_shared(int *out)
{
    extern __shared__ int words[];

    words[0] = 1;
    if (out)
        *out = words[0];
}

int main(void)
{
    struct cudaFuncAttributes a;
    cudaLaunchAttributeValue value;
    cudaMemPool_t pool;
    enum cudaFuncCache cache = cudaFuncCachePreferNone;
    unsigned long long threshold = 1 << 20;
    unsigned flags = 99;
    int priority = 99, device = -1;
    void *host;

    fact_error("reset_first_of_all", cudaDeviceReset());
    MUST(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    MUST(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    MUST(cudaFuncSetAttribute((const void *)use_shared,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              100000));
    memset(&value, 0, sizeof value);
    value.priority = -2;
    MUST(cudaStreamSetAttribute(0, cudaLaunchAttributePriority, &value));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                                 &threshold));
    MUST(cudaMallocHost(&host, 4096));
    fact_error("before.error", cudaFree((void *)0x10));
    fact_error("reset", cudaDeviceReset());
    fact_last("last_error");
    MUST(cudaGetDeviceFlags(&flags));
    fact_int("flags", flags);
    MUST(cudaDeviceGetCacheConfig(&cache));
    fact_int("cache", cache);
    MUST(cudaFuncGetAttributes(&a, (const void *)use_shared));
    fact_int("allowed_shared", a.maxDynamicSharedSizeBytes);
    use_shared<<<1, 1, 60000>>>(NULL);
    fact_last("launch_as_allowed_before");
    MUST(cudaStreamGetPriority(0, &priority));
    fact_int("priority_of_default_stream", priority);
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                                 &threshold));
    fact_int("threshold", (long long)threshold);
    fact_error("free_host", cudaFreeHost(host));
    fact_last("free_host.latched");
    MUST(cudaGetDevice(&device));
    fact_int("device", device);
    return 0;
}
