// Lanes of a warp keep step at volatile memory, as on a GPU; and kernels
// whose blocks run in their order, most of them without call-backs.
#include <stdio.h>

__device__ void sum_warp(volatile float *values, unsigned t)
{
    values[t] += values[t + 32];
    values[t] += values[t + 16];
    values[t] += values[t + 8];
    values[t] += values[t + 4];
    values[t] += values[t + 2];
    values[t] += values[t + 1];
}
__global__ void sum(const float *in, float *out)
{
    extern __shared__ float values[];
    const unsigned t = threadIdx.x;

    values[t] = in[blockIdx.x * blockDim.x + t];
    for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
        __syncthreads();
        if (t < half)
            values[t] += values[t + half];
    }
    __syncthreads();
    if (t < 32)
        sum_warp(values, t);
    if (t == 0)
        out[blockIdx.x] = values[0];
}

// The same in device memory.
__global__ void sum_in_place(float *values, float *out)
{
    float *const mine = values + blockIdx.x * blockDim.x;
    const unsigned t = threadIdx.x;

    for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
        if (t < half)
            mine[t] += mine[t + half];
        __syncthreads();
    }
    if (t < 32)
        sum_warp(mine, t);
    if (t == 0)
        out[blockIdx.x] = mine[0];
}

// Lanes that have no part in a step do not hold up the others.
__global__ void prefix(int *numbers)
{
    __shared__ volatile int values[64];
    const int t = threadIdx.x, lane = t % 32;

    values[t] = numbers[t];
    for (int by = 1; by < 32; by *= 2)
        if (lane >= by)
            values[t] = values[t] + values[t - by];
    numbers[t] = values[t];
    if (t == 40)
        values[0] = 7;
    __syncthreads();
    if (t == 63)
        numbers[t] = values[0];
}

__global__ void count(unsigned *counts, float *total, int *guard)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd(&counts[i % 7], 1u);
    atomicAdd(total, 0.1f * i);
    if (threadIdx.x == 0) {
        while (atomicCAS(guard, 0, 1))
            ;
        counts[7]++;
        __threadfence();
        atomicExch(guard, 0);
    }
    if (i % 20000 == 0)
        printf("thread %u\n", i);
}
__global__ void beyond(unsigned *counts)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd(&counts[i < 30000 ? 0 : 1u << 30], 1u);
}

int main()
{
    float *in, *out, *total, *values, sums[16];
    int *numbers, *guard;
    unsigned *counts;

    cudaMallocManaged(&in, 16 * 256 * sizeof *in);
    cudaMallocManaged(&out, 16 * sizeof *out);
    cudaMallocManaged(&numbers, 64 * sizeof *numbers);
    cudaMallocManaged(&counts, 8 * sizeof *counts);
    cudaMallocManaged(&total, sizeof *total);
    cudaMallocManaged(&guard, sizeof *guard);
    for (int i = 0; i < 16 * 256; i++)
        in[i] = i % 256;
    for (int i = 0; i < 64; i++)
        numbers[i] = 1;
    cudaMemset(counts, 0, 8 * sizeof *counts);
    *total = 0;
    *guard = 0;
    cudaMalloc(&values, 17 * 256 * sizeof *values);
    cudaMemcpy(values, in, 16 * 256 * sizeof *in, cudaMemcpyDefault);
    sum_in_place<<<16, 256>>>(values, values + 16 * 256);
    cudaMemcpy(sums, values + 16 * 256, sizeof sums, cudaMemcpyDefault);
    sum<<<16, 256, 256 * sizeof *in>>>(in, out);
    prefix<<<1, 64>>>(numbers);
    count<<<400, 256>>>(counts, total, guard);
    cudaDeviceSynchronize();
    printf("%.0f %.0f\n", out[0], out[15]);
    sum_in_place<<<16, 256>>>(in, out);
    cudaDeviceSynchronize();
    printf("%.0f %.0f %.0f %.0f\n", sums[0], sums[15], out[0], out[15]);
    printf("%d %d %d\n", numbers[31], numbers[62], numbers[63]);
    printf("%u %u %u %.9g\n", counts[0], counts[6], counts[7], *total);
    beyond<<<400, 256>>>(counts);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
