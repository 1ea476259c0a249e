/*
 * func_cache_config.cu: cache preferences are hints: they are accepted, kept
 * and change no result.
 * Source: Runtime API, Execution Control, cudaFuncSetCacheConfig.
 */
#include "fact.h"

int main(void)
{
    enum cudaFuncCache config = cudaFuncCachePreferNone;
    int *memory;
    int back = 0;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    fact_error("device_get.error", cudaDeviceGetCacheConfig(&config));
    fact_error("device_set.error",
               cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    MUST(cudaDeviceGetCacheConfig(&config));
    fact_int("device_read_back", config);
    fact_error("function_set.error",
               cudaFuncSetCacheConfig((const void *)fact_store,
                                      cudaFuncCachePreferShared));
    fact_store<<<1, 1>>>(memory, 5);
    MUST(cudaMemcpy(&back, memory, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("value", back);
    fact_error(
        "function_set_null.error",
        cudaFuncSetCacheConfig((const void *)NULL, cudaFuncCachePreferL1));
    fact_last("function_set_null.latched");
    return 0;
}
