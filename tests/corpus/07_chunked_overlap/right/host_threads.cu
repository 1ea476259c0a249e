// expect: passed
// Four host threads queue the chunks, and wait for them.
#include "lab.h"

#include <pthread.h>

#include "check.h"
#include "cipher.h"

#define NUM_PARTS 4

uint64_t *host_memory_new(uint64_t num_entries)
{
    uint64_t *memory;

    // A copy from pageable memory holds the host, and then the next chunk
    // is queued too late to overlap with it.
    CHECK(cudaMallocHost(&memory, num_entries * sizeof(uint64_t)));
    return memory;
}

void host_memory_free(uint64_t *memory)
{
    CHECK(cudaFreeHost(memory));
}

struct part {
    pthread_t thread;
    uint64_t *data_host, *data_device;
    uint64_t chunk, num_iters, first, num_streams;
    const cudaStream_t *streams;
};

static void *part_run(void *argument)
{
    const struct part *part = (const struct part *)argument;
    uint64_t *const data_host = part->data_host;
    uint64_t *const data_device = part->data_device;
    const cudaStream_t *const streams = part->streams;
    const uint64_t chunk = part->chunk, num_iters = part->num_iters;

    for (uint64_t s = part->first; s < part->num_streams; s += NUM_PARTS) {
        const uint64_t lower = s * chunk;

        // The stream keeps these three in order. Nothing orders them with
        // the other streams' chunks, and that is what lets them overlap.
        CHECK(cudaMemcpyAsync(data_device + lower, data_host + lower,
                              chunk * sizeof(uint64_t), cudaMemcpyHostToDevice,
                              streams[s]));
        decrypt_gpu<<<decrypt_blocks(chunk), DECRYPT_THREADS, 0, streams[s]>>>(
            data_device + lower, chunk, num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(data_host + lower, data_device + lower,
                              chunk * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                              streams[s]));
    }

    // Not in the loop: there, each chunk would wait for the one before it.
    for (uint64_t s = part->first; s < part->num_streams; s += NUM_PARTS)
        CHECK(cudaStreamSynchronize(streams[s]));
    return NULL;
}

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    struct part parts[NUM_PARTS];

    for (uint64_t i = 0; i < NUM_PARTS; i++) {
        parts[i].data_host = data_host;
        parts[i].data_device = data_device;
        parts[i].chunk = num_entries / num_streams;
        parts[i].num_iters = num_iters;
        parts[i].streams = streams;
        parts[i].first = i;
        parts[i].num_streams = num_streams;
        pthread_create(&parts[i].thread, NULL, part_run, &parts[i]);
    }
    for (uint64_t i = 0; i < NUM_PARTS; i++)
        pthread_join(parts[i].thread, NULL);
}
