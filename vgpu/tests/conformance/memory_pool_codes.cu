/*
 * memory_pool_codes.cu: what pools and their memory refuse, and what happens to
 * memory whose pool is destroyed.
 * Source: reference, Stream Ordered Memory Allocator; observed.
 */
#include "fact.h"

static cudaMemPool_t pool;
static cudaStream_t s;

static void pools(void)
{
    struct cudaMemPoolProps properties;
    cudaMemPool_t own = NULL, current = NULL;
    unsigned long long value = 0;

    memset(&properties, 0, sizeof properties);
    properties.location.type = cudaMemLocationTypeDevice;
    fact_error("create.type_invalid", cudaMemPoolCreate(&own, &properties));
    properties.allocType = cudaMemAllocationTypePinned;
    fact_error("create.no_result", cudaMemPoolCreate(NULL, &properties));
    fact_error("create.no_properties", cudaMemPoolCreate(&own, NULL));
    properties.location.id = -1;
    fact_error("create.device_minus_1", cudaMemPoolCreate(&own, &properties));
    fact_error("destroy.default", cudaMemPoolDestroy(pool));
    fact_error("destroy.null", cudaMemPoolDestroy(NULL));
    fact_error("trim.null", cudaMemPoolTrimTo(NULL, 0));
    fact_error("trim.to_all", cudaMemPoolTrimTo(pool, ~(size_t)0));
    fact_error(
        "attribute.no_pool",
        cudaMemPoolGetAttribute(NULL, cudaMemPoolAttrUsedMemCurrent, &value));
    fact_error(
        "attribute.no_value",
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, NULL));
    fact_error("attribute.0",
               cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)0, &value));
    fact_error("attribute.99",
               cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)99, &value));
    fact_error("current.null", cudaDeviceSetMemPool(0, NULL));
    fact_error("current.device_99", cudaDeviceSetMemPool(99, pool));
    fact_error("ask_current.no_result", cudaDeviceGetMemPool(NULL, 0));
    fact_error("ask_current.device_99", cudaDeviceGetMemPool(&current, 99));
    fact_error("ask_default.no_result", cudaDeviceGetDefaultMemPool(NULL, 0));
    cudaGetLastError();
}

static void policies(void)
{
    for (int value = 0; value < 4; value++) {
        int given = value, seen = 99;
        cudaError_t error = cudaMemPoolSetAttribute(
            pool, cudaMemPoolReuseAllowOpportunistic, &given);

        MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic,
                                     &seen));
        fact("policy_set_to_%d=%d,%d", value, (int)error, seen);
    }
}

static void access(void)
{
    static const int flags[] = {0, 1, 2, 3, 7};
    struct cudaMemAccessDesc given;
    struct cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
    enum cudaMemAccessFlags seen;

    memset(&given, 0, sizeof given);
    given.location = place;
    for (int i = 0; i < 5; i++) {
        given.flags = (enum cudaMemAccessFlags)flags[i];
        fact("own_device.flags_%d=%d", flags[i],
             (int)cudaMemPoolSetAccess(pool, &given, 1));
    }
    given.flags = cudaMemAccessFlagsProtReadWrite;
    fact_error("access.none_given", cudaMemPoolSetAccess(pool, &given, 0));
    fact_error("access.no_pool", cudaMemPoolSetAccess(NULL, &given, 1));
    given.location.id = 99;
    fact_error("access.device_99", cudaMemPoolSetAccess(pool, &given, 1));
    given.location.type = cudaMemLocationTypeHost;
    given.location.id = 0;
    fact_error("access.host", cudaMemPoolSetAccess(pool, &given, 1));
    given.location.type = (enum cudaMemLocationType)0;
    fact_error("access.nowhere", cudaMemPoolSetAccess(pool, &given, 1));
    fact_error("ask_access.no_pool", cudaMemPoolGetAccess(&seen, NULL, &place));
    place.id = 99;
    fact_error("ask_access.device_99",
               cudaMemPoolGetAccess(&seen, pool, &place));
    place.type = cudaMemLocationTypeHost;
    place.id = 0;
    fact_error("ask_access.host", cudaMemPoolGetAccess(&seen, pool, &place));
    cudaGetLastError();
}

static void frees(void)
{
    char *memory = NULL;
    void *other = NULL;

    MUST(cudaMallocAsync((void **)&memory, 4096, s));
    fact_error("free_async.inside", cudaFreeAsync(memory + 16, s));
    fact_error("free.inside", cudaFree(memory + 16));
    MUST(cudaFreeAsync(memory, s));
    fact_error("free.after_free_async", cudaFree(memory));
    MUST(cudaStreamSynchronize(s));
    fact_error("free.after_the_wait", cudaFree(memory));
    fact_error("free_async.after_the_wait", cudaFreeAsync(memory, s));
    MUST(cudaMallocHost(&other, 64));
    fact_error("free_async.pinned", cudaFreeAsync(other, s));
    MUST(cudaFreeHost(other));
    fact_error("from_pool.null", cudaMallocFromPoolAsync(&other, 16, NULL, s));
    fact_error("from_pool.no_result",
               cudaMallocFromPoolAsync(NULL, 16, pool, s));
    other = &other;
    fact_error("from_pool.0_bytes",
               cudaMallocFromPoolAsync(&other, 0, pool, s));
    fact_yes("from_pool.0_bytes.null", other == NULL);
    other = &other;
    fact_error("too_much", cudaMallocAsync(&other, (size_t)1 << 50, s));
    fact_yes("too_much.null", other == NULL);
    cudaGetLastError();
}

/* With something still taken from it. */
static void destroyed(void)
{
    struct cudaMemPoolProps properties;
    struct cudaPointerAttributes a;
    cudaMemPool_t own, current = NULL;
    void *memory = NULL;

    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    MUST(cudaMemPoolCreate(&own, &properties));
    MUST(cudaDeviceSetMemPool(0, own));
    MUST(cudaMallocAsync(&memory, 1 << 20, s));
    fact_error("destroyed.destroy", cudaMemPoolDestroy(own));
    MUST(cudaDeviceGetMemPool(&current, 0));
    fact_yes("destroyed.current_is_default", current == pool);
    fact_error("destroyed.use", cudaMemsetAsync(memory, 1, 1 << 20, s));
    fact_error("destroyed.wait", cudaStreamSynchronize(s));
    MUST(cudaPointerGetAttributes(&a, memory));
    fact_int("destroyed.type", a.type);
    fact_error("destroyed.free", cudaFreeAsync(memory, s));
    fact_error("destroyed.wait_again", cudaStreamSynchronize(s));
}

int main(void)
{
    fact_warm_up();
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    pools();
    policies();
    access();
    frees();
    destroyed();
    return 0;
}
