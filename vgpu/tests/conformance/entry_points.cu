/*
 * entry_points.cu: the driver's calls by their names: which are found, at which
 * version, and when two questions have one answer.
 * Source: Runtime API, cudaGetDriverEntryPointByVersion; details observed.
 */
#include "fact.h"

static void *ask(const char *name, unsigned version, unsigned long long flags)
{
    cudaDriverEntryPointQueryResult result;
    void *found = NULL;

    MUST(cudaGetDriverEntryPointByVersion(name, &found, version, flags,
                                          &result));
    return found;
}

static void tell(const char *name, unsigned version, unsigned long long flags)
{
    cudaDriverEntryPointQueryResult result = (cudaDriverEntryPointQueryResult)9;
    void *found = &result;
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &found, version, flags, &result);

    fact("%s.%u.%llu=%d %d %s", name ? name : "null", version, flags,
         (int)error, (int)result,
         !found             ? "none"
         : found == &result ? "kept"
                            : "found");
    cudaGetLastError();
}

static void same(const char *key, const char *name, unsigned one, unsigned two,
                 unsigned long long flags, unsigned long long other)
{
    fact_yes(key, ask(name, one, flags) == ask(name, two, other));
}

int main(void)
{
    static const char *const names[] = {"cuInit",
                                        "cuMemAlloc_v2",
                                        "cumemalloc",
                                        "cudaMalloc",
                                        "",
                                        "cuLaunchKernel",
                                        "cuMemcpyAsync_ptsz",
                                        "cuNoSuchCall",
                                        "cuGetProcAddress",
                                        "cuMemcpyBatchAsync"};
    static const unsigned versions[] = {0,     1000,  2000,  3010, 3020,
                                        10000, 12000, 13000, 99999};
    int (*count)(int *);
    int devices = 0, more = 0;

    for (const char *name : names)
        tell(name, 13000, cudaEnableDefault);
    for (unsigned version : versions)
        tell("cuMemAlloc", version, cudaEnableDefault);
    tell("cuGraphInstantiate", 9000, cudaEnableDefault);
    tell("cuStreamBeginCapture", 9000, cudaEnableDefault);
    tell("cuInit", 13000, 3);
    tell("cuNoSuchCall", 12000, cudaEnableDefault);
    fact_last("not_found.latched");

    same("cuMemAlloc.2000_is_13000", "cuMemAlloc", 2000, 13000, 0, 0);
    same("cuMemAlloc.3020_is_13000", "cuMemAlloc", 3020, 13000, 0, 0);
    same("cuMemAlloc.legacy_is_per_thread", "cuMemAlloc", 13000, 13000, 1, 2);
    same("cuMemcpyAsync.legacy_is_per_thread", "cuMemcpyAsync", 13000, 13000, 1,
         2);
    same("cuMemcpyAsync.default_is_legacy", "cuMemcpyAsync", 13000, 13000, 0,
         1);
    same("cuEventQuery.legacy_is_per_thread", "cuEventQuery", 13000, 13000, 1,
         2);
    same("cuStreamBeginCapture.10000_is_13000", "cuStreamBeginCapture", 10000,
         13000, 0, 0);
    same("cuGraphInstantiate.11000_is_12000", "cuGraphInstantiate", 11000,
         12000, 0, 0);
    same("cuGraphInstantiate.10000_is_11000", "cuGraphInstantiate", 10000,
         11000, 0, 0);

    MUST(cudaFree(0));
    count = (int (*)(int *))ask("cuDeviceGetCount", 13000, cudaEnableDefault);
    MUST(cudaGetDeviceCount(&devices));
    fact_int("called", count(&more));
    fact_yes("called.same_count", more == devices);
    return 0;
}
