// expect: passed
// Two chunks per stream where they divide.
#include "lab.h"

#include <stdlib.h>

#include "check.h"
#include "cipher.h"

uint64_t *host_memory_new(uint64_t num_entries)
{
    uint64_t *memory;

    CHECK(cudaMallocHost(&memory, num_entries * sizeof(uint64_t)));
    return memory;
}

void host_memory_free(uint64_t *memory)
{
    CHECK(cudaFreeHost(memory));
}

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    const uint64_t num_chunks =
        num_entries % (2 * num_streams) == 0 ? 2 * num_streams : num_streams;
    const uint64_t chunk = num_entries / num_chunks;

    for (uint64_t i = 0; i < num_chunks; i++) {
        const uint64_t lower = i * chunk;
        const uint64_t s = i % num_streams;

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

    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamSynchronize(streams[s]));
}
