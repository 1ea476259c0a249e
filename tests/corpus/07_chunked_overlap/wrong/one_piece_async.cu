// expect: one-piece
// One asynchronous piece in one stream.
#include "lab.h"

#include "check.h"
#include "cipher.h"

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

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    CHECK(cudaMemcpyAsync(data_device, data_host,
                          num_entries * sizeof(uint64_t),
                          cudaMemcpyHostToDevice, streams[0]));
    decrypt_gpu<<<decrypt_blocks(num_entries), DECRYPT_THREADS, 0,
                  streams[0]>>>(data_device, num_entries, num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(data_host, data_device,
                          num_entries * sizeof(uint64_t),
                          cudaMemcpyDeviceToHost, streams[0]));

    // Not in the loop: there, each chunk would wait for the one before it.
    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamSynchronize(streams[s]));
}
