// Launches by a kernel's address: as what it is or as void *, with all
// arguments or with those that have no default.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void add(int *p, int n)
{
    *p += n;
}

template <class T>
__global__ void twice(T *p)
{
    *p *= 2;
}

int main()
{
    int *p, n = 3, grid = 1, block = 1;
    void *args[] = {&p, &n};

    cudaMallocManaged(&p, sizeof *p);
    *p = 0;
    cudaLaunchKernel(add, grid, block, args);
    cudaLaunchKernel((void *)add, grid, block, args);
    cudaLaunchKernel((const void *)add, 1, dim3(1), args, 0);
    cudaLaunchKernel((void *)add, dim3(1), dim3(1), args, 0, 0);
    cudaLaunchKernel(twice<int>, 1, 1, args);
    cudaLaunchCooperativeKernel(&add, grid, block, args);
    cudaLaunchCooperativeKernel((void *)add, grid, block, args);
    cudaLaunchCooperativeKernel((const void *)twice<int>, 1, 1, args, 0);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d\n", *p);
    cudaFree(p);
    return 0;
}
