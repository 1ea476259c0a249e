// Variables of devices are known to the checker: who uses them at the same time
// as whom, and who goes past the end of one. tests/frontend/run.sh names the
// lines.
#include <cstdio>

__device__ int counts[4], next_to[3];
__constant__ float factors[8];

__global__ void count()
{
    counts[threadIdx.x]++;
}

__global__ void fill(int n)
{
    for (int i = 0; i < n; i++)
        next_to[i] = i;
}

__global__ void scale(float *x)
{
    *x *= factors[3];
}

__global__ void through(int *p)
{
    p[threadIdx.x] += 10;
}

__managed__ int total;

__global__ void sum()
{
    total += counts[threadIdx.x];
}

int main()
{
    const float values[8] = {0, 1, 2, 3};
    cudaStream_t a, b;
    float *x;
    int seen[4];
    void *address;

    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaMalloc(&x, sizeof *x);
    count<<<1, 4, 0, a>>>();
    count<<<1, 4, 0, b>>>();
    cudaDeviceSynchronize();

    count<<<1, 2, 0, a>>>();
    cudaMemcpyToSymbolAsync(counts, values, 8, 8, cudaMemcpyHostToDevice, b);
    cudaDeviceSynchronize();

    scale<<<1, 1, 0, a>>>(x);
    cudaMemcpyToSymbolAsync(factors, values, sizeof values, 0,
                            cudaMemcpyHostToDevice, b);
    cudaDeviceSynchronize();

    fill<<<1, 1, 0, a>>>(3);
    fill<<<1, 1, 0, a>>>(4);
    cudaGetSymbolAddress(&address, counts);
    through<<<1, 4, 0, a>>>((int *)address);
    count<<<1, 4, 0, a>>>();
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(seen, counts, sizeof seen);
    printf("%d %d %d\n", seen[0], seen[1], cudaFree(address));
    cudaGetLastError();
    sum<<<1, 4, 0, a>>>();
    seen[0] = total;
    cudaDeviceSynchronize();
    printf("%d\n", total);
    cudaFree(x);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    return 0;
}
