// What nvcc takes and a rewriter stumbles over: a launch of a grid alone, the names of
// CUDA's variables for other things, `void` by another name, references, tiles that
// are deduced.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;
using nothing = void;
typedef void no_value;

__global__ nothing by_using(int *p)
{
    p[0] += blockDim.x;
}
__global__ no_value by_typedef(int *p)
{
    p[0] += gridDim.x;
}
#ifdef __VGPU__ // nvcc takes it, too, with a warning
constexpr
#endif
    __global__ void constant(int *p)
{
    p[0] += 1;
}
__nv_pure__ __device__ int three()
{
    return 3;
}
__global__ void __block_size__((4, 1, 1)) sized(int *p)
{
    p[threadIdx.x] = three();
}
__global__ void named(int *p, int gridDim)
{
    int threadIdx = 40;

    p[1] = threadIdx + gridDim + blockIdx.x;
    p[3] = 7;
}
__device__ int local_names(int blockDim)
{
    int threadIdx = blockDim;

    return threadIdx + blockIdx.x;
}
__global__ void inner(int *p)
{
    p[2] = threadIdx.x;
    {
        dim3 blockDim(3);

        p[2] += blockDim.x + local_names(5);
    }
}
__global__ void refers(int &r, const int (&a)[2])
{
    r += a[1];
}
template <unsigned int N, class Parent>
__device__ int sum(cg::thread_block_tile<N, Parent> tile, int value)
{
    for (int d = N / 2; d; d /= 2)
        value += tile.shfl_down(value, d);
    return value;
}
__global__ void tiles(int *p)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int all = sum(tile, 1);

    if (threadIdx.x == 0)
        p[4] = all;
}
__managed__ int managed = 5, pair[2] = {1, 20};

int main()
{
    int *p, h[5];

    cudaMalloc(&p, sizeof h);
    cudaMemset(p, 0, sizeof h);
    sized<<<1, 4>>>(p);
    by_using<<<2>>>(p);
    by_typedef<<<3>>>(p);
    constant<<<1, 1>>>(p);
    named<<<1>>>(p, 2);
    inner<<<1>>>(p);
    refers<<<1, 1>>>(managed, pair);
    tiles<<<1, 8>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %d, %d\n", h[0], h[1], h[2], h[3], h[4], managed);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
