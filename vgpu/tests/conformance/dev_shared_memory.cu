/*
 * dev_shared_memory.cu: static and dynamic shared memory belong to a block;
 * all extern arrays name the same dynamic memory.
 * Source: programming guide, Shared Memory, Execution Configuration.
 */
#include "fact.h"

extern __shared__ unsigned char dynamic_bytes[];

static __global__ void reverse(const int *from, int *to, int n)
{
    int *words = (int *)(void *)dynamic_bytes;
    int base = (int)(blockIdx.x * blockDim.x);
    int i = (int)threadIdx.x;

    words[i] = base + i < n ? from[base + i] : -1;
    __syncthreads();
    to[base + i] = words[blockDim.x - 1 - threadIdx.x];
}

static __global__ void block_sums(int *sums)
{
    __shared__ int sum;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, (int)(blockIdx.x * 100 + threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

static __global__ void two_arrays(int *out)
{
    __shared__ int numbers[64];
    __shared__ double reals[64];
    int i = (int)threadIdx.x;

    numbers[i] = i;
    reals[i] = 0.5 * i;
    __syncthreads();
    out[i] = numbers[63 - i] + (int)(2.0 * reals[i]);
}

int main(void)
{
    int host[256];
    int *a, *b;
    int right = 0;

    MUST(cudaMalloc((void **)&a, sizeof(host)));
    MUST(cudaMalloc((void **)&b, sizeof(host)));
    for (int i = 0; i < 256; i++)
        host[i] = i;
    MUST(cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice));
    reverse<<<4, 64, 64 * sizeof(int)>>>(a, b, 250);
    fact_error("dynamic.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(host, b, sizeof(host), cudaMemcpyDeviceToHost));
    fact("dynamic.values=%d %d %d %d", host[0], host[64], host[192], host[255]);
    block_sums<<<8, 32>>>(b);
    fact_error("static.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(host, b, 8 * sizeof(int), cudaMemcpyDeviceToHost));
    fact("static.block_sums=%d %d %d", host[0], host[1], host[7]);
    two_arrays<<<1, 64>>>(b);
    MUST(cudaMemcpy(host, b, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        right += host[i] == 63;
    fact_int("two_arrays.right", right);
    return 0;
}
