// What nvcc takes, though clang's front end would not, or not with these headers.
#include <cassert>
#include <cmath>
#include <complex>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <mma.h>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace cg = cooperative_groups;
const int width = 4;
static const float scale = 2.5f;
constexpr double half_of = 0.5;
constexpr int square(int x) { return x * x; }
template <int N> struct row { int v[N]; };
struct point { int x, y; };
struct copied {
    int v;
    __host__ __device__ copied(int x) : v(x) {}
    copied(const copied &other) : v(other.v) { std::printf("copied\n"); }
    ~copied() {}
};
__device__ int counter;
__constant__ float factors[4];
__managed__ int shared_with_host;
__host__ int on_host() { return 3; }
__host__ __device__ int either(int x)
{
#ifdef __CUDA_ARCH__
    return x;
#else
    return x + on_host();
#endif
}
__device__ int on_device(int x) { return x; }

__global__ void __launch_bounds__(128) k(int *p, point at, copied c)
{
    extern __shared__ int room[];
    __shared__ float tile[square(2)];
    row<square(3)> r;
    constexpr int n = square(2);
    int bounds[square(2)] = {n, sizeof(square(3))};
    const unsigned lane = threadIdx.x % warpSize;

    static_assert(square(2) == 4);
    r.v[0] = width + (int)(scale * half_of) + bounds[0] + at.x + c.v;
    room[0] = either(r.v[0]) + on_device(3);
    tile[0] = factors[0] + std::sqrt(2.0f) + pow(2.0, 3) + std::abs(-1) + abs(-3) +
              fmaxf(1, 2) + max(1, 2) + min(3u, 4u) + std::fma(1.f, 2.f, 3.f) +
              __expf(1) + __fdividef(1, 2) + rsqrtf(4) + __half2float(__float2half(1));
    p[0] = std::move(r.v[0]) + counter + (int)tile[0] + __popc(lane);
    int *list = new int[3];
    delete[] list;
    list = (int *)malloc(12);
    memcpy(p, p + 1, 4);
    memset(p, 0, 4);
    free(list);
    new (&at) point{1, 2};
    assert(p != nullptr);
    printf("%d\n", p[0]);
    auto twice = [](int x) { return x + x; };
    p[1] = twice(atomicAdd(&counter, 1)) + shared_with_host;
    cg::this_thread_block().sync();
    __syncthreads();
}

template <class F> __global__ void apply(F f, int *p) { p[0] = f(p[0]); }

int main()
{
    int *p, (*f)(int) = on_device;
    std::vector<int> v(square(2));

    cudaMalloc(&p, 256);
    cudaMemcpyToSymbol(counter, v.data(), sizeof counter);
    k<<<1, 32, 64>>>(p, point{1, 2}, copied(3));
    apply<<<1, 1>>>([=] __device__(int x) { return x + 1; }, p);
    shared_with_host = either(3);
    return f == nullptr;
}
