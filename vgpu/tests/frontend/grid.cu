/*
 * Grids that cannot go on, or whose blocks race. Which one is the argument; the
 * line that is told has its number, and behind it what is told.
 */
#include <cooperative_groups.h>
#include <stdio.h>
#include <stdlib.h>

namespace cg = cooperative_groups;

__global__ void without_a_block(int *n)
{
    if (blockIdx.x == 2)
        return;
    cg::this_grid().sync(); // 0: 3 blocks wait at grid.sync() for block (2,0,0), which ended without it, and the host waits for the kernel: without_a_block
    *n = 1;
}

__global__ void at_two_barriers(int *n)
{
    if (threadIdx.x < 40)
        cg::this_grid().sync();
    else
        __syncthreads(); // 1: came to __syncthreads while others wait at grid.sync()
    *n = 1;
}

__global__ void without_threads(int *n)
{
    if (threadIdx.x >= 5)
        return;
    cg::this_grid().sync();
    n[0] = 3;
}

__global__ void too_late(int *n)
{
    n[blockIdx.x * 64 + threadIdx.x] = 3;
    n[256 + threadIdx.x] = n[(blockIdx.x * 64 + threadIdx.x + 64) % 256]; // 4: read by thread
    cg::this_grid().sync();
    n[0] = 3;
}

__global__ void without_first(int *n)
{
    if (blockIdx.x == 1 && threadIdx.x == 0)
        return;
    cg::this_grid().sync(); // 6: 4 blocks wait at grid.sync() for block (1,0,0), whose thread (0,0,0) ended without it, and the host waits for the kernel: without_first
    *n = 1;
}

/* Two grids of which an H200 runs 264 blocks at once. */
#define SHARED (100 * 1024)

__global__ void at_each_other(volatile int *n, int mine)
{
    extern __shared__ char room[];

    if (blockIdx.x == 0 && threadIdx.x == 0) {
        n[mine] = 1;
        while (!n[1 - mine])
            continue;
    }
    cg::this_grid().sync();
    room[threadIdx.x] = 0;
}

__global__ void at_one_count(int *n, int all)
{
    if (threadIdx.x == 0) {
        atomicAdd(n, 1);
        while (atomicAdd(n, 0) < all) // 8: 133 blocks 131 run at once beside those of other kernels that wait
            continue;
    }
    __syncthreads();
}

static int two(int which, int *n)
{
    const int blocks = which == 9 ? 132 : 133;
    cudaStream_t stream[2];

    cudaMemset(n, 0, 2 * sizeof *n);
    cudaFuncSetAttribute(at_each_other, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    cudaFuncSetAttribute(at_one_count, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    for (int i = 0; i < 2; i++)
        cudaStreamCreate(&stream[i]);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++) {
        void *args[] = {&n, &i};

        if (which == 8)
            at_one_count<<<blocks, 32, SHARED, stream[i]>>>(n, 2 * blocks);
        else
            cudaLaunchCooperativeKernel(at_each_other, blocks, 32, args, SHARED, stream[i]);
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())); // 7: all 133 blocks of the cooperative kernel at_each_other
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(stream[i]);
    cudaFree(n);
    return 0;
}

__global__ void as_usual(int *n)
{
    cg::sync(cg::this_grid()); // 5: grid.sync() in a kernel that was not launched by cudaLaunchCooperativeKernel
    *n = 1;
}

int main(int argc, char **argv)
{
    static void (*const kernels[])(int *) = {without_a_block, at_two_barriers,
                                             without_threads, as_usual,
                                             too_late, NULL,
                                             without_first};
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    const dim3 grid = which == 3 ? 264 : 4, block = which == 3 ? 1024 : 64;
    int *n, result = 0;
    void *args[] = {&n};

    cudaMalloc(&n, 512 * sizeof *n);
    if (which > 6)
        return two(which, n);
    if (which == 5)
        as_usual<<<4, 64>>>(n);
    else
        cudaLaunchCooperativeKernel(kernels[which], grid, block, args); // told
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaMemcpy(&result, n, sizeof result, cudaMemcpyDeviceToHost);
    printf(" %d\n", result);
    cudaFree(n);
    return 0;
}
