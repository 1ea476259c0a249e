/*
 * dev_grid_stride.cu: a grid-stride loop covers any length once with any
 * grid, ugly lengths included.
 * Source: programming guide, Thread Hierarchy.
 */
#include "fact.h"

static __global__ void increment(int *values, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += stride)
        values[i] += 1;
}

static void cover(size_t n, unsigned int grid, unsigned int block)
{
    int *host = (int *)calloc(n + 1, sizeof(int));
    int *device;
    size_t once = 0;

    MUST(cudaMalloc((void **)&device, (n + 1) * sizeof(int)));
    MUST(cudaMemset(device, 0, (n + 1) * sizeof(int)));
    increment<<<grid, block>>>(device, n);
    MUST(cudaMemcpy(host, device, (n + 1) * sizeof(int),
                    cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        once += host[i] == 1;
    fact("length_%zu_grid_%u_block_%u.covered_once=%zu", n, grid, block, once);
    fact("length_%zu_grid_%u_block_%u.untouched_behind=%s", n, grid, block,
         host[n] == 0 ? "yes" : "no");
    MUST(cudaFree(device));
    free(host);
}

int main(void)
{
    cover(0, 1, 32);
    cover(1, 4, 64);
    cover(1000, 3, 128);
    cover(1009, 7, 33);
    cover(65537, 32, 256);
    return 0;
}
