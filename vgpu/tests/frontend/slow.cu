// A kernel that takes a processor long: run.sh ends it.
#include <cuda_runtime.h>

__global__ void slow(float *x, int rounds)
{
    float sum = 0;

    for (int i = 0; i < rounds; i++)
        sum += sinf(sum + i);
    x[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    float *x;

    cudaMalloc(&x, 4096 * 64 * sizeof *x);
    slow<<<4096, 64>>>(x, 10);
    slow<<<4096, 64>>>(x, 50000);
    return cudaDeviceSynchronize();
}
