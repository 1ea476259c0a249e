#include "parts.cuh"

__device__ float scaled(int i)
{
    return scale[i] * 10;
}

__device__ void box::add(int k)
{
    n += k;
}

__global__ void other_kernel(int *x)
{
    x[0] += 1000 + own + plus_own(1) + once;
    counter++;
    managed++;
}

void run_two(int *x)
{
    static_kernel<<<1, 1>>>(x);
    inline_kernel<<<1, 1>>>(x);
    template_kernel<int><<<1, 32>>>(x);
    other_kernel<<<1, 1>>>(x);
}
