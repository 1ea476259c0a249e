/* Kernels and launches made by macros, headers, #line and errors' places. */
#include <climits>
#include <cstdio>
#include "header.cuh"

DEFINE_KERNEL(add, x[i] + a) DEFINE_KERNEL(scale, x[i] * a)

#define RUN(kernel, ...)                   \
    do {                                   \
        kernel<<<1, 32>>>(x, __VA_ARGS__); \
    } while (0)
#define TWICE(a) a; a
#define EMPTY
#define GLOBAL __global__ void
#define SHARED(type, name, size) __shared__ type name[size]
#define WHERE() printf("%d\n", __LINE__)

GLOBAL EMPTY limits(int *x)
{
    SHARED(int, s, 32);
    s[threadIdx.x] = UINT_MAX > 3u ? 1 : 0;
    x[threadIdx.x] += s[threadIdx.x] + (INT_MAX == 2147483647);
}

int main()
{
    int *x;

    cudaMallocManaged(&x, 32 * sizeof *x);
    for (int i = 0; i < 32; i++) x[i] = i;
    RUN(add, 3); RUN(scale, 2);
    TWICE(RUN(add, 1));
    launch_from_header(x, 32);
    limits<<<1, UINT_MAX / UINT_MAX * 32>>>(x);
    WHERE();
#line 100
    WHERE();
    cudaDeviceSynchronize();
    printf("%d %d\n", x[0], x[31]);
    cudaFree(x);
    return 0;
}
