// Kernels with barriers that fail in the middle, in one block of many.
#include <assert.h>
#include <stdio.h>

__global__ void fails(int *out, int n, int by)
{
    __shared__ int part[64];
    const int t = threadIdx.x;

    part[t] = t;
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        int left = part[63 - t];

        __syncthreads();
        if (blockIdx.x == 300 && t == 17 && k == 1) {
#if FAULT == 0
            left = out[n * 64 + (1 << 30)];
#elif FAULT == 1
            assert(left > 1000);
#else
            left /= by;
#endif
        }
        part[t] += left;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = part[t];
}

int main()
{
    int *out;

    cudaMalloc(&out, 64 * 500 * 4);
    fails<<<500, 64>>>(out, 500, 0);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    return 0;
}
