// Kernels whose blocks may run at once although they add to the same numbers:
// what is added last, for its effect alone, is added in the order of the
// blocks. The bits are the same whatever the number of cores.
#include <stdio.h>

enum { BLOCK = 256, BLOCKS = 3000, BINS = 64 };

__device__ float total;
__device__ unsigned done;

__global__ void sum(const float *values, float *result)
{
    extern __shared__ float part[];
    const unsigned t = threadIdx.x;

    part[t] = values[blockIdx.x * blockDim.x + t];
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        atomicAdd(result, part[0]);
}

// Two kinds of atomics, those of the block's own among them.
__global__ void count(const float *values, unsigned *bins, float *shared_sum)
{
    __shared__ unsigned mine[BINS];
    __shared__ float least;

    if (threadIdx.x < BINS)
        mine[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        least = 0;
    __syncthreads();
    for (unsigned i = 0; i < 2; i++)
        atomicAdd(&mine[(unsigned)(values[threadIdx.x + i] * 977) % BINS], 1u);
    atomicAdd(&least, values[blockIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        shared_sum[blockIdx.x] = least;
    if (threadIdx.x < BINS) {
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
    }
}

template <class T>
__global__ void extent(const T *values, T *range)
{
    const T value = (T)(values[blockIdx.x * blockDim.x + threadIdx.x] * 1000);

    if (threadIdx.x % 2)
        atomicMax(range, value);
}

// These run one block after the other: the result is used, more follows, a
// loop does it again, a function does it.
__global__ void number(unsigned *place, unsigned *first)
{
    if (threadIdx.x == 0)
        place[blockIdx.x] = atomicAdd(first, 1u);
}
__global__ void last(float *sums)
{
    if (threadIdx.x)
        return;
    atomicAdd(&total, 0.1f * (blockIdx.x + 1));
    __threadfence();
    if (atomicInc(&done, gridDim.x - 1) == gridDim.x - 1)
        sums[0] = total;
}
__global__ void again(float *sums)
{
    for (int i = 0; i < 3; i++)
        if (threadIdx.x == 5) {
            sums[0] = 1;
        } else
            atomicAdd(&sums[1], 0.1f * sums[1] / (1 + blockIdx.x));
}
__device__ void add(float *sums, float by)
{
    atomicAdd(sums, by);
}
__global__ void by_function(float *sums)
{
    if (threadIdx.x == 0)
        add(sums, 0.1f * blockIdx.x);
}
__global__ void beyond(float *sums)
{
    if (threadIdx.x == 0)
        atomicAdd(&sums[blockIdx.x < 2000 ? 0 : 1u << 30], 1.0f);
}

int main()
{
    const unsigned n = BLOCK * BLOCKS;
    float *values, *sums, *shared_sums;
    unsigned *bins, *place;
    int *numbers, *range;
    double all = 0;

    cudaMallocManaged(&values, (n + 2) * sizeof *values);
    cudaMallocManaged(&numbers, n * sizeof *numbers);
    cudaMallocManaged(&sums, 4 * sizeof *sums);
    cudaMallocManaged(&shared_sums, BLOCKS * sizeof *shared_sums);
    cudaMallocManaged(&bins, BINS * sizeof *bins);
    cudaMallocManaged(&place, (BLOCKS + 1) * sizeof *place);
    cudaMallocManaged(&range, sizeof *range);
    cudaMemset(bins, 0, BINS * sizeof *bins);
    cudaMemset(place, 0, (BLOCKS + 1) * sizeof *place);
    cudaMemset(sums, 0, 4 * sizeof *sums);
    cudaMemset(range, 0, sizeof *range);
    for (unsigned i = 0; i < n + 2; i++)
        values[i] = (float)(i * 2654435761u % 1000003) / 1000;
    for (unsigned i = 0; i < n; i++)
        numbers[i] = (int)(i * 2654435761u % 1000003);
    sum<<<BLOCKS, BLOCK, BLOCK * sizeof *values>>>(values, sums);
    count<<<BLOCKS, BLOCK>>>(values, bins, shared_sums);
    extent<<<BLOCKS, BLOCK>>>(numbers, range);
    number<<<BLOCKS, BLOCK>>>(place, place + BLOCKS);
    last<<<BLOCKS, BLOCK>>>(sums + 1);
    cudaDeviceSynchronize();
    printf("%.9g %.9g\n", sums[0], sums[1]);
    for (int i = 0; i < BLOCKS; i++)
        all += shared_sums[i];
    printf("%u %u %.15g %d\n", bins[0], bins[BINS - 1], all, range[0]);
    printf("%u %u\n", place[17], place[BLOCKS - 1]);
    sums[3] = 1;
    again<<<BLOCKS, 32>>>(sums + 2);
    by_function<<<BLOCKS, BLOCK>>>(sums);
    cudaDeviceSynchronize();
    printf("%.9g %.9g %.9g\n", sums[0], sums[2], sums[3]);
    beyond<<<BLOCKS, BLOCK>>>(sums);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
