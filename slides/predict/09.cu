/* 09.cu: four chunks in four streams, and a clock that knows only the first
 * stream. What does it say, and how long did it take? */
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
    decrypt<<<1, WIDTH, 0, stream>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
}

static void work(int *host, int *device, cudaStream_t *streams,
                 cudaEvent_t start, cudaEvent_t stop, cudaEvent_t end)
{
    CHECK(cudaEventRecord(start, streams[0]));
    for (int c = 0; c < NUM_CHUNKS; c++)
        run_chunk(host + c * WIDTH, device + c * WIDTH, streams[c]);
    CHECK(cudaEventRecord(stop, streams[0]));

    for (int c = 0; c < NUM_CHUNKS; c++)
        CHECK(cudaStreamSynchronize(streams[c]));
    CHECK(cudaEventRecord(end, streams[0]));
    CHECK(cudaEventSynchronize(end));
}

static int units_between(cudaEvent_t start, cudaEvent_t stop)
{
    float ms;

    CHECK(cudaEventElapsedTime(&ms, start, stop));
    return (int)(ms * 1000 + 0.5f);
}

int main(void)
{
    int *host, *device;
    cudaStream_t streams[NUM_CHUNKS];
    cudaEvent_t events[3];

    CHECK(cudaMallocHost(&host, NUM_CHUNKS * WIDTH * sizeof(int)));
    CHECK(cudaMalloc(&device, NUM_CHUNKS * WIDTH * sizeof(int)));
    for (int i = 0; i < NUM_CHUNKS * WIDTH; i++)
        host[i] = i;
    for (int c = 0; c < NUM_CHUNKS; c++)
        CHECK(cudaStreamCreate(&streams[c]));
    for (int e = 0; e < 3; e++)
        CHECK(cudaEventCreate(&events[e]));
    work(host, device, streams, events[0], events[1], events[2]);
    printf("stop, recorded in stream 0: %d units\n",
           units_between(events[0], events[1]));
    printf("end, after waiting for all: %d units\n",
           units_between(events[0], events[2]));
    for (int e = 0; e < 3; e++)
        CHECK(cudaEventDestroy(events[e]));
    for (int c = 0; c < NUM_CHUNKS; c++)
        CHECK(cudaStreamDestroy(streams[c]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
