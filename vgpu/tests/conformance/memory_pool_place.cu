/*
 * memory_pool_place.cu: the default and the current pool of each place and kind
 * of memory, by the calls of CUDA 13.
 * Source: reference, cudaMemGetDefaultMemPool, cudaMemSetMemPool.
 */
#include "fact.h"

static void say(int place, int type)
{
    struct cudaMemLocation location = {(enum cudaMemLocationType)place, 0};
    cudaMemPool_t own = NULL, current = NULL, device = NULL;
    cudaError_t first, second;

    MUST(cudaDeviceGetDefaultMemPool(&device, 0));
    first = cudaMemGetDefaultMemPool(&own, &location,
                                     (enum cudaMemAllocationType)type);
    second = cudaMemGetMemPool(&current, &location,
                               (enum cudaMemAllocationType)type);
    cudaGetLastError();
    fact("place_%d.type_%d=%d,%d", place, type, (int)first, (int)second);
    if (!first && !second) {
        fact("place_%d.type_%d.current_is_default=%s", place, type,
             own == current ? "yes" : "no");
        fact("place_%d.type_%d.the_device's=%s", place, type,
             own == device ? "yes" : "no");
    }
}

int main(void)
{
    struct cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
    struct cudaMemPoolProps properties;
    cudaMemPool_t own, current = NULL;

    fact_warm_up();
    for (int place = 0; place < 5; place++)
        for (int type = 0; type < 4; type++)
            say(place, type);
    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = location;
    MUST(cudaMemPoolCreate(&own, &properties));
    fact_error("set",
               cudaMemSetMemPool(&location, cudaMemAllocationTypePinned, own));
    MUST(cudaDeviceGetMemPool(&current, 0));
    fact_yes("it_is_the_device's", current == own);
    fact_error("set.other_type",
               cudaMemSetMemPool(&location, cudaMemAllocationTypeManaged, own));
    location.type = cudaMemLocationTypeHost;
    fact_error("set.other_place",
               cudaMemSetMemPool(&location, cudaMemAllocationTypePinned, own));
    cudaGetLastError();
    return 0;
}
