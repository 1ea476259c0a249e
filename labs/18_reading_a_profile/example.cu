/* example.cu: six chunks in three streams. Something is wrong with the copy
 * back; with an argument it is not. */
#include <cuda_profiler_api.h>

#include "check.h"
#include "cipher.h"

#define CHUNKS  6
#define STREAMS 3
#define WIDTH   32768 /* entries of a chunk */
#define BYTES   (WIDTH * sizeof(uint64_t))
#define ROUNDS  250

static void queue_chunk(uint64_t *host, uint64_t *device, cudaStream_t stream,
                        bool blocking)
{
    CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
    decrypt_gpu<<<decrypt_blocks(WIDTH), DECRYPT_THREADS, 0, stream>>>(
        device, WIDTH, ROUNDS);
    CHECK(cudaGetLastError());
    if (blocking)
        CHECK(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
    else
        CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost,
                              stream));
}

int main(int argc, char **)
{
    cudaStream_t streams[STREAMS];
    uint64_t *host, *device;

    CHECK(cudaMallocHost(&host, CHUNKS * BYTES));
    CHECK(cudaMalloc(&device, CHUNKS * BYTES));
    for (int i = 0; i < CHUNKS * WIDTH; i++)
        host[i] = (uint64_t)i;
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    CHECK(cudaProfilerStart());
    for (int c = 0; c < CHUNKS; c++)
        queue_chunk(host + c * WIDTH, device + c * WIDTH, streams[c % STREAMS],
                    argc == 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaProfilerStop());
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
