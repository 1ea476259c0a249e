/*
 * cluster_codes.cu: which thread block clusters a launch may have: the grid
 * must be a multiple of them; eight blocks, or sixteen where the kernel allows
 * it; a kernel's own __cluster_dims__ must be the launch's.
 * Source: programming guide, "Thread Block Clusters"; Runtime API, Execution
 * Control, cudaLaunchKernelExC, cudaFuncSetAttribute.
 */
#include "fact.h"

static __global__ void count(int *blocks)
{
    if (!threadIdx.x)
        atomicAdd(blocks, 1);
}

static __global__ void __cluster_dims__(2, 1, 1) pairs(int *blocks)
{
    if (!threadIdx.x)
        atomicAdd(blocks, 1);
}

static __global__ void __cluster_dims__(2, 2, 1) squares(int *blocks)
{
    if (!threadIdx.x)
        atomicAdd(blocks, 1);
}

static __global__ void __cluster_dims__(16, 1, 1) wide(int *blocks)
{
    if (!threadIdx.x)
        atomicAdd(blocks, 1);
}

static int *blocks;

static cudaError_t launch(const void *kernel, dim3 grid, dim3 cluster,
                          int threads)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    void *args[] = {&blocks};
    cudaError_t error;

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.gridDim = grid;
    config.blockDim = dim3((unsigned)threads);
    config.attrs = &attribute;
    config.numAttrs = cluster.x + cluster.y + cluster.z ? 1 : 0;
    error = cudaLaunchKernelExC(&config, kernel, args);
    cudaGetLastError();
    MUST(cudaDeviceSynchronize());
    return error;
}

static void by_size(void)
{
    const dim3 sizes[] = {dim3(1, 1, 1), dim3(2, 1, 1), dim3(3, 1, 1),
                          dim3(5, 1, 1), dim3(7, 1, 1), dim3(8, 1, 1),
                          dim3(9, 1, 1), dim3(2, 2, 2), dim3(1, 8, 1),
                          dim3(1, 1, 8), dim3(4, 4, 1), dim3(32, 1, 1)};

    for (const dim3 &s : sizes) {
        char key[64];

        snprintf(key, sizeof key, "of_%u_%u_%u.error", s.x, s.y, s.z);
        fact_error(key, launch((const void *)count,
                               dim3(s.x * 2, s.y * 2, s.z * 2), s, 32));
    }
    fact_error("grid_16_of_3.error",
               launch((const void *)count, dim3(16), dim3(3), 32));
    fact_error("grid_7_of_2.error",
               launch((const void *)count, dim3(7), dim3(2), 32));
    fact_error("grid_y_3_of_2.error",
               launch((const void *)count, dim3(4, 3), dim3(2, 2), 32));
    fact_error("threads_1025.error",
               launch((const void *)count, dim3(4), dim3(2), 1025));
    fact_error("x_is_0.error",
               launch((const void *)count, dim3(4), dim3(0, 1, 1), 32));
}

static void by_kernel(void)
{
    const void *kernel = (const void *)pairs;

    pairs<<<4, 32>>>(blocks);
    fact_error("pairs.plain_4.error", cudaGetLastError());
    pairs<<<3, 32>>>(blocks);
    fact_error("pairs.plain_3.error", cudaGetLastError());
    fact_error("pairs.given_2.error", launch(kernel, dim3(8), dim3(2), 32));
    fact_error("pairs.given_4.error", launch(kernel, dim3(8), dim3(4), 32));
    fact_error("pairs.given_1.error", launch(kernel, dim3(8), dim3(1), 32));
    fact_error("pairs.not_given.error",
               launch(kernel, dim3(8), dim3(0, 0, 0), 32));
    squares<<<dim3(4, 2), 32>>>(blocks);
    fact_error("squares.plain_4_2.error", cudaGetLastError());
    squares<<<dim3(4, 3), 32>>>(blocks);
    fact_error("squares.plain_4_3.error", cudaGetLastError());
    wide<<<16, 32>>>(blocks);
    fact_error("wide.error", cudaGetLastError());
    MUST(cudaFuncSetAttribute(
        (const void *)wide, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    wide<<<16, 32>>>(blocks);
    fact_error("wide.allowed.error", cudaGetLastError());
    MUST(cudaDeviceSynchronize());
}

static void attributes(const char *name, const void *kernel)
{
    struct cudaFuncAttributes a;

    MUST(cudaFuncGetAttributes(&a, kernel));
    fact("%s.attributes=must %d, %d x %d x %d, policy %d, wide %d", name,
         a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
         a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
         a.nonPortableClusterSizeAllowed);
}

static void set(enum cudaFuncAttribute which, int value)
{
    const cudaError_t error =
        cudaFuncSetAttribute((const void *)count, which, value);

    cudaGetLastError();
    fact("set.%d.to_%d=%d", (int)which, value, (int)error);
}

int main(void)
{
    int ran = -1;

    MUST(cudaMalloc((void **)&blocks, sizeof(int)));
    MUST(cudaMemset(blocks, 0, sizeof(int)));
    by_size();
    MUST(cudaMemcpy(&ran, blocks, sizeof(int), cudaMemcpyDefault));
    fact_int("blocks_that_ran", ran);
    by_kernel();
    attributes("count", (const void *)count);
    attributes("pairs", (const void *)pairs);
    attributes("squares", (const void *)squares);
    attributes("wide", (const void *)wide);
    set(cudaFuncAttributeNonPortableClusterSizeAllowed, 2);
    set(cudaFuncAttributeNonPortableClusterSizeAllowed, -1);
    set(cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (int size = 9; size <= 17; size++) {
        char key[64];

        snprintf(key, sizeof key, "allowed.of_%d.error", size);
        fact_error(key, launch((const void *)count, dim3((unsigned)size * 2),
                               dim3((unsigned)size), 32));
    }
    for (int policy = -1; policy < 4; policy++)
        set(cudaFuncAttributeClusterSchedulingPolicyPreference, policy);
    attributes("count.then", (const void *)count);
    set(cudaFuncAttributeClusterDimMustBeSet, 1);
    set(cudaFuncAttributeRequiredClusterWidth, 4);
    set(cudaFuncAttributeRequiredClusterHeight, 1);
    set(cudaFuncAttributeRequiredClusterDepth, 1);
    attributes("count.last", (const void *)count);
    return 0;
}
