/*
 * barriers-of-some.cu: barriers that not all threads or blocks come to. Without
 * an argument it runs each case in a process of its own and ends that after 4
 * seconds (SIGKILL frees the device): a line for each says "ends" with what
 * cudaDeviceSynchronize returned and how many threads got past the barrier, or
 * "hangs".
 * Build: nvcc -O2 -arch=native -rdc=true barriers-of-some.cu
 */
#include <cooperative_groups.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cg = cooperative_groups;

__global__ void grid_without_block(int *n)
{
    if (blockIdx.x == 1)
        return;
    cg::this_grid().sync();
    atomicAdd(n, 1);
}
__global__ void grid_without_thread_0(int *n)
{
    if (blockIdx.x == 1 && threadIdx.x == 0)
        return;
    cg::this_grid().sync();
    atomicAdd(n, 1);
}
__global__ void grid_without_thread_5(int *n)
{
    if (threadIdx.x == 5)
        return;
    cg::this_grid().sync();
    atomicAdd(n, 1);
}
__global__ void block_without_half(int *n)
{
    if (threadIdx.x >= 32)
        return;
    __syncthreads();
    atomicAdd(n, 1);
}
__global__ void block_without_lanes(int *n)
{
    if (threadIdx.x % 2)
        return;
    __syncthreads();
    atomicAdd(n, 1);
}
__global__ void grid_and_block(int *n)
{
    if (threadIdx.x < 40)
        cg::this_grid().sync();
    else
        __syncthreads();
    atomicAdd(n, 1);
}
__global__ void two_kinds(int *n)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        atomicAdd(n, __syncthreads_count(1));
    atomicAdd(n, 1);
}
__global__ void shuffle_and_block(int *n)
{
    int v = threadIdx.x;

    if (threadIdx.x < 16)
        v = __shfl_sync(~0u, v, 0);
    else
        __syncthreads();
    atomicAdd(n, 1 + 0 * v);
}
__global__ void shuffle_without_lane(int *n)
{
    int v = threadIdx.x;

    if (threadIdx.x == 31)
        return;
    v = __shfl_sync(~0u, v, 0);
    atomicAdd(n, 1 + 0 * v);
}
__global__ void loop_of_some(int *n)
{
    for (int i = 0; i < (threadIdx.x < 32 ? 2 : 3); i++)
        __syncthreads();
    atomicAdd(n, 1);
}
#if __CUDACC_VER_MAJOR__ >= 12
__global__ void __cluster_dims__(2) cluster_without_block(int *n)
{
    if (blockIdx.x == 1)
        return;
    cg::this_cluster().sync();
    atomicAdd(n, 1);
}
#else
__global__ void cluster_without_block(int *n)
{
    atomicAdd(n, -1000);
}
#endif

static const struct {
    const char *name;
    void (*kernel)(int *);
    int blocks;
    bool cooperative;
} cases[] = {
    {"grid.sync without a block", grid_without_block, 4, true},
    {"grid.sync without thread 0 of a block", grid_without_thread_0, 4, true},
    {"grid.sync without thread 5 of each", grid_without_thread_5, 4, true},
    {"__syncthreads without half", block_without_half, 1, false},
    {"__syncthreads without odd lanes", block_without_lanes, 1, false},
    {"grid.sync and __syncthreads", grid_and_block, 4, true},
    {"__syncthreads and _count", two_kinds, 1, false},
    {"__shfl_sync and __syncthreads in a warp", shuffle_and_block, 1, false},
    {"__shfl_sync without a lane", shuffle_without_lane, 1, false},
    {"two and three rounds of __syncthreads", loop_of_some, 1, false},
    {"cluster.sync without a block", cluster_without_block, 2, false},
};
enum { CASES = sizeof cases / sizeof *cases };

static int run(int which)
{
    int *n, past = -1;
    void *args[] = {&n};
    cudaError_t error;

    cudaMalloc(&n, sizeof *n);
    cudaMemset(n, 0, sizeof *n);
    error =
        cases[which].cooperative
            ? cudaLaunchCooperativeKernel((void *)cases[which].kernel,
                                          cases[which].blocks, 64, args, 0, 0)
            : cudaLaunchKernel((void *)cases[which].kernel, cases[which].blocks,
                               which == 7 || which == 8 ? 32 : 64, args, 0, 0);
    if (!error)
        error = cudaDeviceSynchronize();
    cudaMemcpy(&past, n, sizeof past, cudaMemcpyDeviceToHost);
    printf("%-42s ends %s, %d past it\n", cases[which].name,
           cudaGetErrorName(error), past);
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return run(atoi(argv[1]));
    for (int i = 0; i < CASES; i++) {
        const pid_t child = fork();
        char number[8];
        int status = 0, tenths = 0;

        snprintf(number, sizeof number, "%d", i);
        if (child == 0) {
            execl("/proc/self/exe", "barriers-of-some", number, (char *)NULL);
            _exit(1);
        }
        while (waitpid(child, &status, WNOHANG) == 0 && tenths++ < 40)
            usleep(100000);
        if (tenths >= 40) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            printf("%-42s hangs\n", cases[i].name);
            fflush(stdout);
        }
    }
    return 0;
}
