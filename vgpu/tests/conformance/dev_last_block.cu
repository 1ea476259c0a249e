/*
 * dev_last_block.cu: a memory fence and an atomic counter let the last block
 * add what all blocks wrote.
 * Source: programming guide, Memory Fence Functions.
 */
#include "fact.h"

__device__ unsigned int finished;

static __global__ void sum_all(const int *values, int n, int *partial,
                               int *total)
{
    __shared__ int sum;
    __shared__ bool is_last;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n;
         i += (int)(gridDim.x * blockDim.x))
        atomicAdd(&sum, values[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        volatile int *parts = partial;
        int all = 0;

        for (unsigned int b = 0; b < gridDim.x; b++)
            all += parts[b];
        *total = all;
    }
}

int main(void)
{
    const int n = 5000;
    int host[5000];
    int *values, *partial, *total;
    int result = 0;
    unsigned int counter = 99;

    for (int i = 0; i < n; i++)
        host[i] = i % 17;
    MUST(cudaMalloc((void **)&values, sizeof(host)));
    MUST(cudaMalloc((void **)&partial, 16 * sizeof(int)));
    MUST(cudaMalloc((void **)&total, sizeof(int)));
    MUST(cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice));
    for (int run = 0; run < 2; run++) {
        MUST(cudaMemset(total, 0, sizeof(int)));
        sum_all<<<16, 64>>>(values, n, partial, total);
        MUST(cudaMemcpy(&result, total, 4, cudaMemcpyDeviceToHost));
        fact("run_%d.total=%d", run, result);
    }
    MUST(cudaMemcpyFromSymbol(&counter, finished, sizeof(counter)));
    fact_int("counter_wrapped_to", counter);
    return 0;
}
