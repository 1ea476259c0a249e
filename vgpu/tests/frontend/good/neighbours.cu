// Numbers that lie side by side, written one after the other at an address that
// is a multiple of their own size only: a compiler may make one access of two.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void doubles(double *p, double a, double b)
{
    p[1] = a + 1;
    p[2] = b + 1;
    p[3] = a * b;
    p[4] = p[1] + p[2];
}

__global__ void pairs(double2 *p, double a, double b)
{
    p[0].y = a * 2;
    p[1].x = b * 2;
    p[1].y = a * b;
    p[2].x = a;
}

__global__ void floats(float *p, float a)
{
    for (int i = 0; i < 8; i++)
        p[2 + i] = a * i;
}

int main()
{
    double *p;

    cudaMallocManaged(&p, 8 * sizeof *p);
    cudaMemset(p, 0, 8 * sizeof *p);
    doubles<<<1, 1>>>(p, 1, 2);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%g %g %g %g\n", p[1], p[2], p[3], p[4]);
    pairs<<<1, 1>>>((double2 *)p, 1, 3);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%g %g %g %g\n", p[1], p[2], p[3], p[4]);
    floats<<<1, 1>>>((float *)p, 3);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%g %g\n", ((float *)p)[2], ((float *)p)[9]);
    cudaFree(p);
    return 0;
}
