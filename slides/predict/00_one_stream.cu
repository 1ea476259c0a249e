/* 00_one_stream.cu: the two jobs of 00.cu in one stream: one after the
 * other. */
#include "check.h"

#define BYTES 1024

__global__ void add_one(int *data)
{
    data[threadIdx.x] += 1;
}

static void run_job(int *host, int *device, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
    add_one<<<1, 256, 0, stream>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream));
}

static void work(int *host[2], int *device[2])
{
    cudaStream_t only;

    CHECK(cudaStreamCreate(&only));
    run_job(host[0], device[0], only);
    run_job(host[1], device[1], only);
    CHECK(cudaStreamSynchronize(only));
    CHECK(cudaStreamDestroy(only));
}

int main(void)
{
    int *host[2], *device[2];

    for (int i = 0; i < 2; i++) {
        CHECK(cudaMallocHost(&host[i], BYTES));
        CHECK(cudaMalloc(&device[i], BYTES));
        for (int k = 0; k < BYTES / (int)sizeof(int); k++)
            host[i][k] = k;
    }
    work(host, device);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaFree(device[i]));
        CHECK(cudaFreeHost(host[i]));
    }
    return 0;
}
