/* 07.cu: four chunks in four streams, and the kernel's stream is forgotten.
 * When is the last chunk back? */
#include "check.h"

#define NUM_CHUNKS 4
#define WIDTH      256

__global__ void decrypt(int *data)
{
    data[threadIdx.x] ^= 42;
}

static void run_chunk(int *host, int *device, cudaStream_t stream)
{
    const size_t bytes = WIDTH * sizeof(int);

    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    decrypt<<<1, WIDTH>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
}

int main(void)
{
    int *host, *device;
    cudaStream_t streams[NUM_CHUNKS];

    CHECK(cudaMallocHost(&host, NUM_CHUNKS * WIDTH * sizeof(int)));
    CHECK(cudaMalloc(&device, NUM_CHUNKS * WIDTH * sizeof(int)));
    for (int i = 0; i < NUM_CHUNKS * WIDTH; i++)
        host[i] = i;
    for (int c = 0; c < NUM_CHUNKS; c++)
        CHECK(cudaStreamCreate(&streams[c]));
    for (int c = 0; c < NUM_CHUNKS; c++)
        run_chunk(host + c * WIDTH, device + c * WIDTH, streams[c]);
    for (int c = 0; c < NUM_CHUNKS; c++)
        CHECK(cudaStreamSynchronize(streams[c]));
    for (int i = 0; i < NUM_CHUNKS * WIDTH; i++)
        if (host[i] != (i ^ 42))
            return 1;
    for (int c = 0; c < NUM_CHUNKS; c++)
        CHECK(cudaStreamDestroy(streams[c]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
