/* One of several files of a program: see two.cu, three.c and four.cpp. */
#include <cstdio>
#include "parts.h"

__device__ int in_one = 5;

static __global__ void same_name(int *x)
{
    __shared__ int s;
    s = 1;
    x[threadIdx.x] += s;
}

int main()
{
    int *x;

    cudaMallocManaged(&x, 32 * sizeof *x);
    for (int i = 0; i < 32; i++)
        x[i] = 0;
    same_name<<<1, 32>>>(x);
    two(x);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", x[0], three(3), four(4));
    cudaFree(x);
    return 0;
}
