/* 01.cu: three copies and a kernel, each in a stream of its own. How many of
 * them run in the first unit, and when is all done? */
#include "check.h"

#define BYTES 1024

enum { IN_A, IN_B, BACK, KERNEL, NUM_STREAMS };

__global__ void number(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

static void work(int *host[], int *device[], cudaStream_t *stream)
{
    CHECK(cudaMemcpyAsync(device[IN_A], host[IN_A], BYTES,
                          cudaMemcpyHostToDevice, stream[IN_A]));
    CHECK(cudaMemcpyAsync(device[IN_B], host[IN_B], BYTES,
                          cudaMemcpyHostToDevice, stream[IN_B]));
    CHECK(cudaMemcpyAsync(host[BACK], device[BACK], BYTES,
                          cudaMemcpyDeviceToHost, stream[BACK]));
    number<<<1, 256, 0, stream[KERNEL]>>>(device[KERNEL]);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    int *host[NUM_STREAMS], *device[NUM_STREAMS];
    cudaStream_t stream[NUM_STREAMS];

    for (int s = 0; s < NUM_STREAMS; s++) {
        CHECK(cudaMallocHost(&host[s], BYTES));
        CHECK(cudaMalloc(&device[s], BYTES));
        CHECK(cudaStreamCreate(&stream[s]));
        for (int i = 0; i < BYTES / (int)sizeof(int); i++)
            host[s][i] = i;
    }
    work(host, device, stream);
    for (int s = 0; s < NUM_STREAMS; s++) {
        CHECK(cudaStreamDestroy(stream[s]));
        CHECK(cudaFree(device[s]));
        CHECK(cudaFreeHost(host[s]));
    }
    return 0;
}
