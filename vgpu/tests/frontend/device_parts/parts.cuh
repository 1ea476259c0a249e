// What one.cu and two.cu share: device code across files, as with -rdc=true.
#pragma once
#include <cstdio>

extern __device__ int counter;
extern __constant__ float scale[4];
extern __device__ __managed__ int managed;
extern __device__ const int limit;
static __device__ int own = 5;
static __constant__ int table[3] = {1, 2, 3};
inline __device__ int once = 4;

__device__ int twice(int a);
__device__ float scaled(int i);
__global__ void other_kernel(int *x);
void run_two(int *x);

inline __device__ int plus_own(int a)
{
    return a + own;
}

struct box {
    int n;
    __device__ void add(int k);
    __host__ __device__ int get() const { return n; }
    static __device__ int next(int a) { return a + 1; }
};

template <class T> struct holder {
    static __device__ T doubled(T a) { return a * 2; }
};

namespace ns {
extern __device__ int inner;
template <int N> __device__ int add(int a)
{
    return a + N + inner;
}
} // namespace ns

static __global__ void static_kernel(int *x)
{
    x[0] += 1;
}

inline __global__ void inline_kernel(int *x)
{
    __shared__ int s;

    s = 3;
    x[0] += 10 + s;
}

template <class T> __global__ void template_kernel(T *x)
{
    __shared__ T s[2];

    s[threadIdx.x & 1] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        x[0] += s[0] + 99;
}
