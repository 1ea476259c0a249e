/* 04_hazard.cu: a copy in one stream, and a kernel in another that reads what
 * was copied. Nothing orders the two. */
/* status: 86 */
#include "check.h"

#define WIDTH 256

static const size_t bytes = WIDTH * sizeof(int);

__global__ void add_one(int *data)
{
    data[threadIdx.x] += 1;
}

static void work(int *host, int *device, cudaStream_t s1, cudaStream_t s2)
{
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, s1));
    add_one<<<1, WIDTH, 0, s2>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    int *host, *device;
    cudaStream_t s1, s2;

    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaStreamCreate(&s1));
    CHECK(cudaStreamCreate(&s2));
    for (int i = 0; i < WIDTH; i++)
        host[i] = i;
    work(host, device, s1, s2);
    CHECK(cudaStreamDestroy(s1));
    CHECK(cudaStreamDestroy(s2));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
