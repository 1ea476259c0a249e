/*
 * managed_prefetch.cu: prefetching and advice change where managed pages
 * are, never what they hold; both refuse memory that is not managed.
 * Source: Runtime API, Memory Management, cudaMemPrefetchAsync.
 */
#include "fact.h"

static __global__ void increment(int *values, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        values[i] += 1;
}

int main(void)
{
    const int n = 1 << 16;
    const size_t size = (size_t)n * sizeof(int);
    struct cudaMemLocation device = {};
    struct cudaMemLocation host = {};
    int *values, *plain_device;
    int last = -9;

    device.type = cudaMemLocationTypeDevice;
    device.id = 0;
    host.type = cudaMemLocationTypeHost;
    MUST(cudaMallocManaged((void **)&values, size, cudaMemAttachGlobal));
    MUST(cudaMalloc((void **)&plain_device, size));
    for (int i = 0; i < n; i++)
        values[i] = i;
    fact_error(
        "advise_preferred_location.error",
        cudaMemAdvise(values, size, cudaMemAdviseSetPreferredLocation, device));
    fact_error("advise_read_mostly.error",
               cudaMemAdvise(values, size, cudaMemAdviseSetReadMostly, device));
    fact_error(
        "unset_read_mostly.error",
        cudaMemAdvise(values, size, cudaMemAdviseUnsetReadMostly, device));
    fact_error("prefetch_to_device.error",
               cudaMemPrefetchAsync(values, size, device, 0, 0));
    increment<<<n / 256, 256>>>(values, n);
    fact_error("prefetch_to_host.error",
               cudaMemPrefetchAsync(values, size, host, 0, 0));
    fact_error("synchronize.error", cudaDeviceSynchronize());
    fact_int("value", values[n - 1]);
    fact_error("last_location.error",
               cudaMemRangeGetAttribute(
                   &last, sizeof(last),
                   cudaMemRangeAttributeLastPrefetchLocation, values, size));
    fact_int("last_prefetch_location", last);
    fact_error("prefetch_with_flags.error",
               cudaMemPrefetchAsync(values, size, device, 1, 0));
    fact_last("prefetch_with_flags.latched");
    fact_error("prefetch_of_device_memory.error",
               cudaMemPrefetchAsync(plain_device, size, device, 0, 0));
    fact_last("prefetch_of_device_memory.latched");
    device.id = 99;
    fact_error("prefetch_to_device_99.error",
               cudaMemPrefetchAsync(values, size, device, 0, 0));
    fact_last("prefetch_to_device_99.latched");
    return 0;
}
