/* Kernels whose threads order what they share: nothing is told of any. */
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#define N     64
#define BLOCK 256
#define TILE  16

__global__ void multiply(const float *a, const float *b, float *c)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (int tile = 0; tile < N / TILE; tile++) {
        left[threadIdx.y][threadIdx.x] = a[row * N + tile * TILE + threadIdx.x];
        right[threadIdx.y][threadIdx.x] =
            b[(tile * TILE + threadIdx.y) * N + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * N + column] = sum;
}

/* One barrier a round: the two halves take turns. */
__global__ void double_buffered(const float *in, float *out)
{
    __shared__ float half[2][BLOCK];
    int t = threadIdx.x;
    float sum = 0;

    half[0][t] = in[t];
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        sum += half[round % 2][(t + 1) % BLOCK];
        half[(round + 1) % 2][t] = sum;
        __syncthreads();
    }
    out[t] = sum;
}

__global__ void reduce(const float *in, float *out)
{
    extern __shared__ float sums[];
    int t = threadIdx.x;

    sums[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int k = BLOCK / 2; k >= 1; k /= 2) {
        if (t < k)
            sums[t] += sums[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

/* The last warp alone, with __syncwarp for a barrier, and then by shuffles. */
__global__ void reduce_warp(const float *in, float *out)
{
    __shared__ volatile float sums[64];
    int t = threadIdx.x;
    float sum;

    sums[t] = in[t];
    __syncthreads();
    if (t >= 32)
        return;
    for (int k = 32; k >= 16; k /= 2) {
        float other = sums[t + k];

        __syncwarp();
        sums[t] = sums[t] + other;
        __syncwarp();
    }
    sum = sums[t];
    for (int k = 8; k >= 1; k /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, k);
    if (t == 0)
        *out = sum;
}

__global__ void scan(const int *in, int *out)
{
    __shared__ int sums[BLOCK];
    int t = threadIdx.x;

    sums[t] = in[t];
    __syncthreads();
    for (int k = 1; k < BLOCK; k *= 2) {
        int before = t >= k ? sums[t - k] : 0;

        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    out[t] = sums[t];
}

/* Bytes side by side are no race, and atomics among themselves are none. */
__global__ void histogram(const unsigned char *in, unsigned int *out)
{
    __shared__ unsigned int bins[BLOCK];
    __shared__ unsigned char copy[BLOCK];

    bins[threadIdx.x] = 0;
    copy[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];
    __syncthreads();
    atomicAdd(&bins[copy[threadIdx.x]], 1u);
    __syncthreads();
    if (bins[threadIdx.x])
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

/* The guide's way to an atomic that a device has not. */
__device__ float add_by_cas(float *address, float value)
{
    int *bits = (int *)address;
    int old = *bits, assumed;

    do {
        assumed = old;
        old = atomicCAS(bits, assumed,
                        __float_as_int(value + __int_as_float(assumed)));
    } while (old != assumed);
    return __int_as_float(old);
}

__global__ void add_all(float *sum)
{
    add_by_cas(sum, 1);
}

__device__ unsigned int done;

/* What all blocks have written is read by the one that is the last. */
__global__ void last_block(const float *in, float *parts, float *out)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        parts[blockIdx.x] = in[blockIdx.x * BLOCK];
        __threadfence();
        last = atomicAdd(&done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (unsigned int i = 0; i < gridDim.x; i++)
            *out += parts[i];
}

__device__ volatile int ready[4];
__device__ int value[4];

/* Each waits for the block behind it. */
__global__ void chain()
{
    int b = gridDim.x - 1 - blockIdx.x;

    if (b > 0) {
        while (!ready[b - 1])
            ;
        __threadfence();
    }
    value[b] = b > 0 ? value[b - 1] + 1 : 1;
    __threadfence();
    ready[b] = 1;
}

/* Many may say the same. */
__global__ void any(const int *in, int *found)
{
    if (in[blockIdx.x * BLOCK + threadIdx.x] >= 0)
        *found = 1;
}

/* A grid's barrier orders all blocks. */
__global__ void grid_in_time(const int *in, int *between, int *out)
{
    const unsigned int i = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned int other = (i + BLOCK) % (gridDim.x * BLOCK);

    for (int round = 0; round < 3; round++) {
        between[i] = in[i] + round;
        cooperative_groups::this_grid().sync();
        out[i] = between[other];
        cooperative_groups::this_grid().sync();
        out[other] += 1;
        cooperative_groups::this_grid().sync();
    }
}

int main()
{
    float *a, *b, *c;
    int *n;

    cudaMalloc(&a, N * N * sizeof *a);
    cudaMalloc(&b, N * N * sizeof *b);
    cudaMalloc(&c, N * N * sizeof *c);
    cudaMalloc(&n, N * N * sizeof *n);
    cudaMemset(a, 0, N * N * sizeof *a);
    cudaMemset(b, 0, N * N * sizeof *b);
    cudaMemset(c, 0, N * N * sizeof *c);
    cudaMemset(n, 0, N * N * sizeof *n);
    multiply<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c);
    double_buffered<<<1, BLOCK>>>(a, c);
    reduce<<<4, BLOCK, BLOCK * sizeof *a>>>(a, c);
    reduce_warp<<<1, 64>>>(a, c);
    scan<<<1, BLOCK>>>(n, n + BLOCK);
    histogram<<<8, BLOCK>>>((unsigned char *)a, (unsigned int *)n);
    add_all<<<4, BLOCK>>>(c);
    last_block<<<4, BLOCK>>>(a, b, c);
    chain<<<4, 1>>>();
    any<<<4, BLOCK>>>(n, n + 2048);
    void *args[] = {&n, &a, &b};
    cudaLaunchCooperativeKernel(grid_in_time, 4, BLOCK, args);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(n);
    return 0;
}
