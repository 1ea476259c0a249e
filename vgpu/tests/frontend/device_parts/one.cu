#include "parts.cuh"

__device__ int counter = 7;
__constant__ float scale[4] = {1, 2, 3, 4};
__device__ __managed__ int managed = 11;
extern __device__ const int limit = 77;
namespace ns {
__device__ int inner = 100;
}

__device__ int twice(int a)
{
    counter += a;
    return 2 * a;
}

__global__ void main_kernel(int *x)
{
    box b = {1};

    x[0] = twice(x[0]) + (int)scaled(2) + own + limit + ns::add<3>(1) +
           holder<int>::doubled(2) + table[2] + once;
    b.add(4);
    x[0] += b.get() + box::next(1);
    managed++;
}

static int fetch(const int *device)
{
    int x;

    cudaMemcpy(&x, device, sizeof x, cudaMemcpyDeviceToHost);
    return x;
}

int main()
{
    const float s[4] = {10, 20, 30, 40};
    int *device, x = 3, fifty = 50;
    cudaFuncAttributes at;

    cudaMalloc(&device, sizeof x);
    cudaMemcpy(device, &x, sizeof x, cudaMemcpyHostToDevice);
    main_kernel<<<1, 1>>>(device);
    printf("%d\n", fetch(device));
    static_kernel<<<1, 1>>>(device);
    inline_kernel<<<1, 1>>>(device);
    template_kernel<int><<<1, 32>>>(device);
    other_kernel<<<1, 1>>>(device);
    run_two(device);
    printf("%d\n", fetch(device));
    cudaMemcpyToSymbol(scale, s, sizeof s);
    cudaMemcpyToSymbol(own, &fifty, sizeof fifty);
    main_kernel<<<1, 1>>>(device);
    run_two(device);
    cudaMemcpyFromSymbol(&x, counter, sizeof x);
    printf("%d %d %d\n", fetch(device), x, managed);
    puts(cudaGetErrorString(cudaGetLastError()));
    return cudaFuncGetAttributes(&at, template_kernel<int>) ||
           cudaFuncGetAttributes(&at, inline_kernel) ||
           cudaFuncGetAttributes(&at, other_kernel);
}
