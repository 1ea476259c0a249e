/* run_a.cu: eight chunks in four streams. The input is kept, so the results go
 * to memory of their own. */
#include <stdlib.h>

#include <cuda_profiler_api.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

#define CHUNKS  8
#define STREAMS 4
#define WIDTH   32768 /* entries of a chunk */
#define BYTES   (WIDTH * sizeof(uint64_t))
#define ROUNDS  250

struct memory {
    uint64_t *input, *results; /* of the host */
    uint64_t *device;
};

static void memory_take(struct memory *memory)
{
    CHECK(cudaMallocHost(&memory->input, CHUNKS * BYTES));
    memory->results = (uint64_t *)host_array(CHUNKS * WIDTH, sizeof(uint64_t));
    CHECK(cudaMalloc(&memory->device, CHUNKS * BYTES));
    for (int i = 0; i < CHUNKS * WIDTH; i++)
        memory->input[i] = (uint64_t)i;
}

static void memory_give_back(struct memory *memory)
{
    CHECK(cudaFree(memory->device));
    free(memory->results);
    CHECK(cudaFreeHost(memory->input));
}

static void queue_chunk(const struct memory *memory, int c, cudaStream_t stream)
{
    uint64_t *const device = memory->device + c * WIDTH;

    CHECK(cudaMemcpyAsync(device, memory->input + c * WIDTH, BYTES,
                          cudaMemcpyHostToDevice, stream));
    decrypt_gpu<<<decrypt_blocks(WIDTH), DECRYPT_THREADS, 0, stream>>>(
        device, WIDTH, ROUNDS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(memory->results + c * WIDTH, device, BYTES,
                          cudaMemcpyDeviceToHost, stream));
}

int main(void)
{
    cudaStream_t streams[STREAMS];
    struct memory memory;

    memory_take(&memory);
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    CHECK(cudaProfilerStart());
    for (int c = 0; c < CHUNKS; c++)
        queue_chunk(&memory, c, streams[c % STREAMS]);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaProfilerStop());
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    memory_give_back(&memory);
    return 0;
}
