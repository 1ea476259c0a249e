/* run_b.cu: eight chunks in four streams. Of each chunk, the even entries are
 * counted as well. */
#include <cuda_profiler_api.h>

#include "check.h"
#include "cipher.h"

#define CHUNKS  8
#define STREAMS 4
#define WIDTH   32768 /* entries of a chunk */
#define BYTES   (WIDTH * sizeof(uint64_t))
#define ROUNDS  250

struct memory {
    uint64_t *data; /* of the host */
    uint64_t *device;
    unsigned *even; /* of the device: how many there are in each chunk */
};

__global__ void count_even_gpu(const uint64_t *data, unsigned *even)
{
    for (unsigned i = threadIdx.x; i < WIDTH; i += blockDim.x)
        if (data[i] % 2 == 0)
            atomicAdd(even, 1u);
}

static void memory_take(struct memory *memory)
{
    CHECK(cudaMallocHost(&memory->data, CHUNKS * BYTES));
    CHECK(cudaMalloc(&memory->device, CHUNKS * BYTES));
    CHECK(cudaMalloc(&memory->even, CHUNKS * sizeof(unsigned)));
    for (int i = 0; i < CHUNKS * WIDTH; i++)
        memory->data[i] = (uint64_t)i;
}

static void memory_give_back(struct memory *memory)
{
    CHECK(cudaFree(memory->even));
    CHECK(cudaFree(memory->device));
    CHECK(cudaFreeHost(memory->data));
}

static void queue_chunk(const struct memory *memory, int c, cudaStream_t stream)
{
    uint64_t *const host = memory->data + c * WIDTH;
    uint64_t *const device = memory->device + c * WIDTH;

    CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
    decrypt_gpu<<<decrypt_blocks(WIDTH), DECRYPT_THREADS, 0, stream>>>(
        device, WIDTH, ROUNDS);
    CHECK(cudaGetLastError());
    count_even_gpu<<<1, 64>>>(device, memory->even + c);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream));
}

int main(void)
{
    cudaStream_t streams[STREAMS];
    struct memory memory;

    memory_take(&memory);
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    CHECK(cudaProfilerStart());
    CHECK(cudaMemset(memory.even, 0, CHUNKS * sizeof(unsigned)));
    for (int c = 0; c < CHUNKS; c++)
        queue_chunk(&memory, c, streams[c % STREAMS]);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaProfilerStop());
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    memory_give_back(&memory);
    return 0;
}
