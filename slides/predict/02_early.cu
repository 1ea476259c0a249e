/* 02_early.cu: the host adds up what the copy has not brought yet. */
/* status: 86 */
#include <stdio.h>

#include "check.h"

#define WIDTH 256

static const size_t bytes = WIDTH * sizeof(int);

__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

static int work(int *host, int *device)
{
    int sum = 0;

    fill<<<1, WIDTH>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, 0));
    for (int i = 0; i < WIDTH; i++)
        sum += host[i];
    CHECK(cudaDeviceSynchronize());
    return sum;
}

int main(void)
{
    int *host, *device;

    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, bytes));
    for (int i = 0; i < WIDTH; i++)
        host[i] = 0;
    printf("sum: %d, right is 32640\n", work(host, device));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
