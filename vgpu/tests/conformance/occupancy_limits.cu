/*
 * occupancy_limits.cu: what the occupancy calls say of blocks that cannot be
 * launched: above the kernel's launch bounds, above the device's limit, with
 * more shared memory than was allowed.
 * Source: Runtime API, Occupancy; observed.
 */
#include "fact.h"

__global__ void __launch_bounds__(96) bounded(int *p)
{
    __shared__ int s[100];

    s[threadIdx.x] = 1;
    __syncthreads();
    if (p)
        *p = s[95 - threadIdx.x];
}

__global__ void plain(int *p)
{
    if (p)
        *p = 1;
}

static void blocks(const char *key, const void *kernel, int threads,
                   size_t shared)
{
    int count = -1;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &count, kernel, threads, shared);

    fact("%s=%d %d", key, (int)error, count);
    cudaGetLastError();
}

static void available(const char *key, const void *kernel, int count,
                      int threads)
{
    size_t bytes = 99;
    const cudaError_t error = cudaOccupancyAvailableDynamicSMemPerBlock(
        &bytes, kernel, count, threads);

    fact("%s=%d %zu", key, (int)error, bytes);
    cudaGetLastError();
}

int main(void)
{
    const void *const b = (const void *)bounded, *const p = (const void *)plain;

    MUST(cudaFree(0));
    blocks("bounded_96", b, 96, 0);
    blocks("bounded_97", b, 97, 0);
    blocks("bounded_128", b, 128, 0);
    blocks("bounded_1024", b, 1024, 0);
    blocks("plain_1024", p, 1024, 0);
    blocks("plain_1025", p, 1025, 0);
    blocks("plain_0", p, 0, 0);
    blocks("plain_negative", p, -1, 0);
    blocks("shared_49152", p, 32, 49152);
    blocks("shared_49153", p, 32, 49153);
    blocks("shared_with_static_49152", b, 32, 49152);
    MUST(cudaFuncSetAttribute(p, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              100000));
    blocks("shared_100000_allowed", p, 32, 100000);
    blocks("shared_100001", p, 32, 100001);
    available("available_1_32", p, 1, 32);
    available("available_2_1024", p, 2, 1024);
    available("available_3_1024", p, 3, 1024);
    available("available_16_32", p, 16, 32);
    available("available_32_32", p, 32, 32);
    available("available_33_32", p, 33, 32);
    available("available_0_32", p, 0, 32);
    available("available_1_0", p, 1, 0);
    available("available_1_2048", p, 1, 2048);
    available("available_bounded_1_96", b, 1, 96);
    available("available_bounded_8_96", b, 8, 96);
    return 0;
}
