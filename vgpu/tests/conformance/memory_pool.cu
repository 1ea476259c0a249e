/*
 * memory_pool.cu: every device has a default pool; pools have attributes and
 * can be made, used and destroyed.
 * Source: Runtime API, Stream Ordered Memory Allocator.
 */
#include "fact.h"

static unsigned long long get(cudaMemPool_t pool, enum cudaMemPoolAttr which)
{
    unsigned long long value = 0;

    MUST(cudaMemPoolGetAttribute(pool, which, &value));
    return value;
}

static void own_pool(void)
{
    struct cudaMemPoolProps properties;
    cudaMemPool_t pool;
    cudaStream_t s;
    void *memory = NULL;

    memset(&properties, 0, sizeof(properties));
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    MUST(cudaStreamCreate(&s));
    fact_error("create.error", cudaMemPoolCreate(&pool, &properties));
    fact_error("malloc_from_pool.error",
               cudaMallocFromPoolAsync(&memory, 4096, pool, s));
    fact_error("free.error", cudaFreeAsync(memory, s));
    MUST(cudaStreamSynchronize(s));
    fact_error("destroy.error", cudaMemPoolDestroy(pool));
    properties.location.id = 99;
    fact_error("create_on_device_99.error",
               cudaMemPoolCreate(&pool, &properties));
    fact_last("create_on_device_99.latched");
}

int main(void)
{
    cudaMemPool_t pool = NULL;
    cudaMemPool_t current = NULL;
    unsigned long long threshold = 1 << 20;
    void *memory = NULL;

    fact_error("default_pool.error", cudaDeviceGetDefaultMemPool(&pool, 0));
    fact_error("current_pool.error", cudaDeviceGetMemPool(&current, 0));
    fact_yes("current_is_default", pool == current);
    fact_int("release_threshold",
             (long long)get(pool, cudaMemPoolAttrReleaseThreshold));
    fact_int("used_at_first",
             (long long)get(pool, cudaMemPoolAttrUsedMemCurrent));
    MUST(cudaMallocAsync(&memory, 1 << 16, 0));
    fact_yes("used_at_least_the_size",
             get(pool, cudaMemPoolAttrUsedMemCurrent) >= 1 << 16);
    fact_yes("reserved_not_below_used",
             get(pool, cudaMemPoolAttrReservedMemCurrent) >=
                 get(pool, cudaMemPoolAttrUsedMemCurrent));
    MUST(cudaFreeAsync(memory, 0));
    MUST(cudaStreamSynchronize(0));
    fact_int("used_after_free",
             (long long)get(pool, cudaMemPoolAttrUsedMemCurrent));
    fact_yes("used_high_at_least_the_size",
             get(pool, cudaMemPoolAttrUsedMemHigh) >= 1 << 16);
    fact_error("set_threshold.error",
               cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                                       &threshold));
    fact_int("threshold_read_back",
             (long long)get(pool, cudaMemPoolAttrReleaseThreshold));
    fact_error("trim.error", cudaMemPoolTrimTo(pool, 0));
    fact_int("reserved_after_trim",
             (long long)get(pool, cudaMemPoolAttrReservedMemCurrent));
    fact_error("set_current_again.error", cudaDeviceSetMemPool(0, pool));
    fact_error("default_pool_of_device_99.error",
               cudaDeviceGetDefaultMemPool(&current, 99));
    fact_last("default_pool_of_device_99.latched");
    own_pool();
    return 0;
}
