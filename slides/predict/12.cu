/* 12.cu: eight chunks on two GPUs, four streams each. What does the wait at the
 * end of the outer loop cost? */
/* run: VGPU_COUNT=2 */
#include <stdint.h>

#include "check.h"

#define NUM_GPUS    2
#define NUM_STREAMS 4
#define CHUNK       32

static uint64_t *host, *device[NUM_GPUS];
static cudaStream_t streams[NUM_GPUS][NUM_STREAMS];

__global__ void twice(uint64_t *data)
{
    data[threadIdx.x] *= 2;
}

static void chunk(uint64_t *from, uint64_t *on_gpu, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(on_gpu, from, CHUNK * sizeof(*from),
                          cudaMemcpyHostToDevice, stream));
    twice<<<1, CHUNK, 0, stream>>>(on_gpu);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(from, on_gpu, CHUNK * sizeof(*from),
                          cudaMemcpyDeviceToHost, stream));
}

static void work(void)
{
    for (int gpu = 0; gpu < NUM_GPUS; gpu++) {
        CHECK(cudaSetDevice(gpu));
        for (int s = 0; s < NUM_STREAMS; s++)
            chunk(host + (gpu * NUM_STREAMS + s) * CHUNK,
                  device[gpu] + s * CHUNK, streams[gpu][s]);
        CHECK(cudaDeviceSynchronize());
    }
}

int main(void)
{
    const size_t part = NUM_STREAMS * CHUNK;

    CHECK(cudaMallocHost(&host, NUM_GPUS * part * sizeof(*host)));
    for (size_t i = 0; i < NUM_GPUS * part; i++)
        host[i] = i;
    for (int gpu = 0; gpu < NUM_GPUS; gpu++) {
        CHECK(cudaSetDevice(gpu));
        CHECK(cudaMalloc(&device[gpu], part * sizeof(*host)));
        for (int s = 0; s < NUM_STREAMS; s++)
            CHECK(cudaStreamCreate(&streams[gpu][s]));
    }
    work();
    for (int gpu = 0; gpu < NUM_GPUS; gpu++) {
        for (int s = 0; s < NUM_STREAMS; s++)
            CHECK(cudaStreamDestroy(streams[gpu][s]));
        CHECK(cudaFree(device[gpu]));
    }
    CHECK(cudaFreeHost(host));
    return 0;
}
