/* 03.cu: two jobs in two streams, from pageable memory. When are both done? The
 * checker is off: it would only warn of the pageable memory. */
/* run: VGPU_CHECK=0 */
#include <stdlib.h>

#include "check.h"

#define BYTES 131072

__global__ void add_one(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void run_job(int *host, int *device, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
    add_one<<<128, 256, 0, stream>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream));
}

static void work(int *host[2], int *device[2], cudaStream_t *stream)
{
    run_job(host[0], device[0], stream[0]);
    run_job(host[1], device[1], stream[1]);
    CHECK(cudaStreamSynchronize(stream[0]));
    CHECK(cudaStreamSynchronize(stream[1]));
}

int main(void)
{
    int *host[2], *device[2];
    cudaStream_t stream[2];

    for (int i = 0; i < 2; i++) {
        host[i] = (int *)malloc(BYTES);
        CHECK(cudaMalloc(&device[i], BYTES));
        CHECK(cudaStreamCreate(&stream[i]));
        for (int k = 0; k < BYTES / (int)sizeof(int); k++)
            host[i][k] = k;
    }
    work(host, device, stream);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamDestroy(stream[i]));
        CHECK(cudaFree(device[i]));
        free(host[i]);
    }
    return 0;
}
