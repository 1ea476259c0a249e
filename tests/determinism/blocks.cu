/*
 * blocks.cu: kernels of many blocks that the virtual GPU may run on all cores,
 * and some that it may not: results and times are the same on one core, on
 * several, and where every access is looked at.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { N = 1 << 20, SIDE = 256, TILE = 16, THREADS = 256 };

__device__ float scale = 3;

__device__ float twice(float x)
{
    return 2 * x;
}

/* A loop of plain numbers: threads may wait for each other (device/gang.c). */
__device__ uint32_t mixed(uint32_t x, uint32_t rounds)
{
    for (uint32_t r = 0; r < rounds; r++)
        x = x * 1664525u + 1013904223u;
    return x;
}

struct pair {
    float a, b;
    __device__ pair operator+(const pair &other) const
    {
        return {a + other.a, b + other.b};
    }
};

__global__ void saxpy(float *y, const float *x, float a, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        y[i] = a * twice(x[i]) + y[i] * scale;
}

__global__ void mix(uint32_t *data, uint32_t n, uint32_t rounds)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        data[i] = mixed(data[i], rounds);
}

__global__ void add_pairs(pair *data, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        data[i] = data[i] + data[(i * 17) % n / 2 * 2 == i ? i : n];
}

template <int T>
__global__ void multiply(float *c, const float *a, const float *b, int n)
{
    __shared__ float s[T][T], t[T][T];
    const int row = (int)(blockIdx.y * T + threadIdx.y);
    const int column = (int)(blockIdx.x * T + threadIdx.x);
    float sum = 0;

    for (int k = 0; k < n; k += T) {
        s[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < T; i++)
            sum += s[threadIdx.y][i] * t[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void sum_warps(float *sums, const float *x)
{
    float sum = x[blockIdx.x * blockDim.x + threadIdx.x];

    for (int by = 16; by; by /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, by);
    if (threadIdx.x % 32 == 0)
        sums[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = sum;
}

/* Blocks do unlike amounts of work and touch unlike amounts of memory. */
__global__ void triangle(float *y, const float *x)
{
    float sum = 0;

    for (unsigned i = threadIdx.x; i < blockIdx.x * 16; i += blockDim.x)
        sum += x[i];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* In the order of the blocks, so on one core. */
__global__ void count(unsigned *counter, unsigned *order)
{
    if (threadIdx.x == 0)
        order[atomicAdd(counter, 1u)] = blockIdx.x;
}

template <class T>
static T *device_new(size_t n)
{
    T *host = (T *)malloc(n * sizeof(T)), *made;

    for (size_t i = 0; i < n * sizeof(T) / 4; i++)
        ((float *)host)[i] = (float)(i % 1021);
    CHECK(cudaMalloc(&made, n * sizeof(T)));
    CHECK(cudaMemcpy(made, host, n * sizeof(T), cudaMemcpyHostToDevice));
    free(host);
    return made;
}

/* The bytes at @from, as one number. */
static void show(const char *name, const void *from, size_t bytes)
{
    uint32_t *host = (uint32_t *)malloc(bytes), sum = 0;

    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bytes / 4; i++)
        sum = (sum ^ host[i]) * 16777619u;
    printf("%-10s %08x\n", name, sum);
    free(host);
}

int main(void)
{
    float *x = device_new<float>(N), *y = device_new<float>(N + 100);
    uint32_t *data = device_new<uint32_t>(N);
    pair *pairs = device_new<pair>(N / 4 + 1);
    const dim3 tiles(SIDE / TILE, SIDE / TILE), tile(TILE, TILE);
    unsigned *counter = device_new<unsigned>(1), *order;

    saxpy<<<(N + 100 + THREADS) / THREADS, THREADS>>>(y, x, 2, N - 3);
    show("saxpy", y, N * sizeof(float));
    saxpy<<<9, 100>>>(y, x, 2, 850);
    show("small", y, N * sizeof(float));
    mix<<<64, THREADS>>>(data, N, 100);
    show("mix", data, N * sizeof(uint32_t));
    add_pairs<<<N / 4 / THREADS, THREADS>>>(pairs, N / 4);
    show("pairs", pairs, N / 4 * sizeof(pair));
    multiply<TILE><<<tiles, tile>>>(y, x, x + SIDE * SIDE, SIDE);
    show("multiply", y, SIDE * SIDE * sizeof(float));
    sum_warps<<<N / THREADS, THREADS>>>(y, x);
    show("warps", y, N / 32 * sizeof(float));
    triangle<<<1024, 64>>>(y, x);
    show("triangle", y, 1024 * 64 * sizeof(float));
    CHECK(cudaMemset(counter, 0, sizeof(unsigned)));
    CHECK(cudaMalloc(&order, 5000 * sizeof(unsigned)));
    count<<<5000, 32>>>(counter, order);
    show("count", order, 5000 * sizeof(unsigned));
    return 0;
}
