/* 08.cu: 10 entries for 7 streams. Which streams get work, and when is the
 * last result back? */
#include <stdint.h>

#include "check.h"
#include "helper.h"

#define NUM_STREAMS 7

static const uint64_t num_entries = 10;

__global__ void twice(uint64_t *data, uint64_t width)
{
    if (threadIdx.x < width)
        data[threadIdx.x] *= 2;
}

static void work(uint64_t *host, uint64_t *device, cudaStream_t *streams)
{
    const uint64_t chunk = sdiv(num_entries, NUM_STREAMS);
    for (uint64_t s = 0; s < NUM_STREAMS; s++) {
        const uint64_t lower = s * chunk;
        if (lower >= num_entries)
            break;
        const uint64_t width = min(lower + chunk, num_entries) - lower;
        CHECK(cudaMemcpyAsync(device + lower, host + lower, width * 8,
                              cudaMemcpyHostToDevice, streams[s]));
        twice<<<1, 32, 0, streams[s]>>>(device + lower, width);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(host + lower, device + lower, width * 8,
                              cudaMemcpyDeviceToHost, streams[s]));
    }
    CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    uint64_t *host, *device;
    cudaStream_t streams[NUM_STREAMS];

    CHECK(cudaMallocHost(&host, num_entries * sizeof(*host)));
    CHECK(cudaMalloc(&device, num_entries * sizeof(*device)));
    for (uint64_t i = 0; i < num_entries; i++)
        host[i] = i;
    for (int s = 0; s < NUM_STREAMS; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    work(host, device, streams);
    for (int s = 0; s < NUM_STREAMS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
