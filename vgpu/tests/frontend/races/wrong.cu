/*
 * Kernels whose threads race. A report's second line is that of a comment
 * "race", and what it says behind that is in the report.
 */
#include <cstdio>
#include <cuda_runtime.h>

#define BLOCK 64

__global__ void no_barrier(const float *in, float *out)
{
    __shared__ float copy[BLOCK];

    copy[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = copy[BLOCK - 1 - threadIdx.x]; // race __shared__ copy (256 bytes); seen
}

/* What the first half reads in one round is overwritten in the next. */
__global__ void one_barrier_less(const int *in, int *out)
{
    extern __shared__ int mine[];
    int sum = 0;

    for (int round = 0; round < 4; round++) {
        mine[threadIdx.x] = in[threadIdx.x] + round; // race extern memory (256
        __syncthreads();
        sum += mine[BLOCK - 1 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

/* As it was done when all lanes of a warp went in step. */
__global__ void in_step(const float *in, float *out)
{
    __shared__ volatile float sums[BLOCK];
    int t = threadIdx.x;

    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        sums[t] = sums[t] + sums[t + 32];
        sums[t] = sums[t] + sums[t + 16]; // race help    __syncwarp() between
    }
    if (t == 0)
        *out = sums[0];
}

__global__ void count_plainly(const int *in, int *out)
{
    if (in[threadIdx.x] >= 0)
        *out = *out + 1; // race help    an atomic (atomicAdd) at
}

__device__ int total;

__global__ void sum_of_blocks(const int *in)
{
    if (threadIdx.x == 0)
        total += in[blockIdx.x] + 1; // race the variable total (4 bytes)
}

/* Without the fence the parts may come after the count. */
__global__ void no_fence(const float *in, float *parts, float *out, int *done)
{
    if (threadIdx.x)
        return;
    parts[blockIdx.x] = in[blockIdx.x];
    if (atomicAdd(done, 1) == (int)gridDim.x - 1)
        for (unsigned int i = 0; i < gridDim.x; i++)
            *out += parts[i]; // race help    __threadfence() after
}

__device__ volatile int ready[4];
__device__ int value[4];

__global__ void chain_without_fence()
{
    int b = gridDim.x - 1 - blockIdx.x;

    if (b > 0) {
        while (!ready[b - 1])
            ;
        value[b] = value[b - 1] + 1; // race help    __threadfence() after
    } else {
        value[b] = 1;
    }
    ready[b] = 1;
}

__global__ void read_too_early(const int *in, int *out)
{
    __shared__ int bins[8];

    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] % 8], 1);
    if (threadIdx.x < 8)
        out[threadIdx.x] = bins[threadIdx.x]; // race help    __syncthreads() between
}

int main()
{
    float *in, *out;
    int *n, *done;

    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMalloc(&n, 4096);
    cudaMalloc(&done, 4096);
    cudaMemset(in, 0x3f, 4096);
    cudaMemset(out, 0, 4096);
    cudaMemset(n, 0, 4096);
    cudaMemset(done, 0, 4096);
    no_barrier<<<1, BLOCK>>>(in, out);
    one_barrier_less<<<1, BLOCK, BLOCK * sizeof(int)>>>(n, done);
    in_step<<<1, BLOCK>>>(in, out);
    count_plainly<<<1, BLOCK>>>(n, done);
    sum_of_blocks<<<4, BLOCK>>>(n);
    cudaMemset(done, 0, 4096);
    no_fence<<<4, BLOCK>>>(in, out + 8, out, done);
    chain_without_fence<<<4, 1>>>();
    read_too_early<<<1, BLOCK>>>(n, done);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    cudaFree(n);
    cudaFree(done);
    return 0;
}
