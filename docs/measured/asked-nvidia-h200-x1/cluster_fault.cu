/* cluster_fault.cu: see README.md. */
// What goes wrong in a cluster: an exited block's memory, a rank that is not
// there, a barrier without a wait. Each in a child.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) exited(int *o)
{
    __shared__ int v;
    cg::cluster_group c = cg::this_cluster();
    v = 5;
    c.sync();
    if (c.block_rank() == 1)
        return;
    long long t = clock64();
    while (clock64() - t < 20000000) {
    }
    o[0] = *c.map_shared_rank(&v, 1);
}
__global__ void __cluster_dims__(2, 1, 1) rank9(int *o)
{
    __shared__ int v;
    cg::cluster_group c = cg::this_cluster();
    v = 5;
    c.sync();
    o[0] = *c.map_shared_rank(&v, 9);
    c.sync();
}
__global__ void __cluster_dims__(2, 1, 1) one_leaves(int *o)
{
    cg::cluster_group c = cg::this_cluster();
    if (c.block_rank() == 1)
        return;
    c.sync();
    o[0] = 7;
}
__global__ void __cluster_dims__(2, 1, 1) arrive_exit(int *o)
{
    cg::cluster_group c = cg::this_cluster();
    c.barrier_arrive();
    if (c.block_rank() == 1)
        return;
    c.barrier_wait();
    o[0] = 8;
}
__global__ void __cluster_dims__(2, 1, 1) trap1(int *o)
{
    cg::cluster_group c = cg::this_cluster();
    if (c.block_rank() == 1)
        __trap();
    c.sync();
    o[0] = 9;
}
__global__ void no_cluster(int *o)
{
    __shared__ int v;
    cg::cluster_group c = cg::this_cluster();
    v = 5;
    c.sync();
    o[0] = *c.map_shared_rank(&v, 0) + 10 * c.num_blocks();
}
__global__ void no_cluster1(int *o)
{
    __shared__ int v;
    cg::cluster_group c = cg::this_cluster();
    v = 5;
    c.sync();
    o[0] = *c.map_shared_rank(&v, 1);
}
__global__ void dep(int *o)
{
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    o[0] = 3;
}
static void go(const char *n, void (*k)(int *), int g)
{
    fflush(stdout);
    if (!fork()) {
        int *d, h = -1;
        cudaMalloc(&d, 4);
        cudaMemset(d, 0, 4);
        k<<<g, 32>>>(d);
        int l = cudaGetLastError();
        int s = cudaDeviceSynchronize();
        int m = cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
        printf("%s: launch=%d sync=%d copy=%d value=%d\n", n, l, s, m, h);
        fflush(stdout);
        _exit(0);
    }
    int st;
    wait(&st);
}
int main()
{
    go("exited", exited, 2);
    go("rank9", rank9, 2);
    go("one_leaves", one_leaves, 2);
    go("arrive_exit", arrive_exit, 2);
    go("trap1", trap1, 2);
    go("no_cluster", no_cluster, 2);
    go("no_cluster rank 1", no_cluster1, 2);
    go("dep alone", dep, 1);
    return 0;
}
