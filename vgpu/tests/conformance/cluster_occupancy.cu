/*
 * cluster_occupancy.cu: how large a cluster may be, and how many are on the
 * device at once. Source: Runtime API, Occupancy,
 * cudaOccupancyMaxActiveClusters, cudaOccupancyMaxPotentialClusterSize.
 */
#include "fact.h"

static __global__ void small(int *out)
{
    if (out)
        *out = 1;
}

static __global__ void __cluster_dims__(4, 1, 1) fours(int *out)
{
    if (out)
        *out = 1;
}

static cudaLaunchConfig_t config;
static cudaLaunchAttribute attribute;

static void active(int threads, unsigned size)
{
    int clusters = -1;
    cudaError_t error;

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    config.gridDim = dim3(size * 4);
    config.blockDim = dim3((unsigned)threads);
    error = cudaOccupancyMaxActiveClusters(&clusters, small, &config);
    cudaGetLastError();
    fact("active.%d_threads.of_%u=%d, %d", threads, size, (int)error, clusters);
}

static void potential(const char *name, int threads, size_t shared)
{
    int size = -1;
    cudaError_t error;

    config.attrs = NULL;
    config.numAttrs = 0;
    config.gridDim = dim3(64);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared;
    error = cudaOccupancyMaxPotentialClusterSize(&size, small, &config);
    cudaGetLastError();
    fact("potential.%s.%d_threads.%zu_bytes=%d, %d", name, threads, shared,
         (int)error, size);
    config.dynamicSmemBytes = 0;
}

int main(void)
{
    const int threads[] = {32, 128, 256, 512, 1024};
    int clusters = -1;

    for (int t : threads)
        for (unsigned size = 1; size <= 8; size *= 2)
            active(t, size);
    active(1024, 9);
    active(1024, 3);
    active(1024, 6);
    potential("portable", 32, 0);
    potential("portable", 1024, 0);
    MUST(cudaFuncSetAttribute((const void *)small,
                              cudaFuncAttributeNonPortableClusterSizeAllowed,
                              1));
    active(128, 16);
    active(1024, 12);
    active(1024, 16);
    potential("wide", 32, 0);
    potential("wide", 1024, 0);
    MUST(cudaFuncSetAttribute((const void *)small,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              200000));
    potential("wide", 128, 200000);
    config.attrs = NULL;
    config.numAttrs = 0;
    config.gridDim = dim3(16);
    config.blockDim = dim3(128);
    fact_error("none_given.error",
               cudaOccupancyMaxActiveClusters(&clusters, small, &config));
    cudaGetLastError();
    fact_error("own.error",
               cudaOccupancyMaxActiveClusters(&clusters, fours, &config));
    cudaGetLastError();
    fact_int("own", clusters);
    fact_error("null_result.error",
               cudaOccupancyMaxActiveClusters(NULL, small, &config));
    fact_last("null_result.latched");
    return 0;
}
