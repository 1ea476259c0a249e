/*
 * 05_accident.cu: four workers in four streams, and behind each a note to a
 * log: in the default stream, or, with an argument, in a stream of its own.
 */
#include <stdint.h>

#include "check.h"
#include "cipher_entry.h"

#define NUM_WORKERS 4
#define THREADS     64
#define ROUNDS      40000

__global__ void worker(uint64_t *data)
{
    data[threadIdx.x] = decrypt_entry(threadIdx.x, ROUNDS);
}

__global__ void note(int *count)
{
    *count += 1;
}

static void launch_all(uint64_t **data, const int *name, int *log,
                       const cudaStream_t *streams, cudaStream_t log_stream)
{
    for (int w = 0; w < NUM_WORKERS; w++) {
        worker<<<1, THREADS, 0, streams[w]>>>(data[w]);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(log, name, sizeof(int), cudaMemcpyHostToDevice,
                              log_stream));
        note<<<1, 1, 0, log_stream>>>(log);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **)
{
    cudaStream_t streams[NUM_WORKERS + 1];
    uint64_t *data[NUM_WORKERS];
    int *log, *name;

    for (int w = 0; w < NUM_WORKERS; w++)
        CHECK(cudaMalloc(&data[w], THREADS * sizeof(uint64_t)));
    CHECK(cudaMalloc(&log, sizeof(int)));
    CHECK(cudaMallocHost(&name, sizeof(int)));
    *name = 0;
    for (int s = 0; s <= NUM_WORKERS; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    launch_all(data, name, log, streams, argc > 1 ? streams[NUM_WORKERS] : 0);
    for (int s = 0; s <= NUM_WORKERS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    for (int w = 0; w < NUM_WORKERS; w++)
        CHECK(cudaFree(data[w]));
    CHECK(cudaFree(log));
    CHECK(cudaFreeHost(name));
    return 0;
}
