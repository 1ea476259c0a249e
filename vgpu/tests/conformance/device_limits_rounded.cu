/*
 * device_limits_rounded.cu: what a driver makes of a limit: some are rounded
 * up, some are taken as they are, some are there no more; and which are as at
 * first after a reset. Source: Runtime API, Device Management,
 * cudaDeviceSetLimit; observed.
 */
#include "fact.h"

static void show(const char *when)
{
    for (int limit = 0; limit < 8; limit++) {
        size_t value = 0;
        const cudaError_t error =
            cudaDeviceGetLimit(&value, (enum cudaLimit)limit);

        cudaGetLastError();
        fact("%s.%d=%d, %zu", when, limit, (int)error, value);
    }
}

static void set(enum cudaLimit limit, size_t value)
{
    const cudaError_t error = cudaDeviceSetLimit(limit, value);
    size_t now = 0;

    cudaGetLastError();
    cudaDeviceGetLimit(&now, limit);
    cudaGetLastError();
    fact("set.%d.to_%zu=%d, then %zu", (int)limit, value, (int)error, now);
}

int main(void)
{
    const size_t mib = 1 << 20;

    show("first");
    for (size_t v : {0, 1, 16, 100, 1023, 1025, 65537, 262144, 600000})
        set(cudaLimitStackSize, v);
    for (size_t v : {0, 1, 100000, 524289, 1048576, 1500000, 3000000, 9000000})
        set(cudaLimitPrintfFifoSize, v);
    for (size_t v : {(size_t)0, (size_t)1, 4 * mib, 4 * mib + 1, 5 * mib,
                     7 * mib, 8 * mib + 1, 9 * mib, 33 * mib, 100 * mib + 1})
        set(cudaLimitMallocHeapSize, v);
    set(cudaLimitDevRuntimeSyncDepth, 2);
    for (size_t v : {0, 1, 100, 4096, 1000000})
        set(cudaLimitDevRuntimePendingLaunchCount, v);
    for (size_t v : {0, 1, 31, 64, 100, 128, 129, 1000})
        set(cudaLimitMaxL2FetchGranularity, v);
    for (size_t v :
         {0, 1, 3932160, 3932161, 10000000, 39321600, 39321601, 100000000})
        set(cudaLimitPersistingL2CacheSize, v);
    set((enum cudaLimit)7, 1);
    MUST(cudaDeviceReset());
    show("after_reset");
    return 0;
}
