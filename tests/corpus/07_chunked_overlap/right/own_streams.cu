// expect: passed
// Streams of its own, which wait for no default stream.
#include "lab.h"

#include <stdlib.h>

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
    (void)streams;
    const uint64_t chunk = num_entries / num_streams;

    cudaStream_t *own = (cudaStream_t *)malloc(num_streams * sizeof *own);

    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamCreateWithFlags(&own[s], cudaStreamNonBlocking));
    for (uint64_t s = 0; s < num_streams; s++) {
        const uint64_t lower = s * chunk;

        // The stream keeps these three in order. Nothing orders them with
        // the other streams' chunks, and that is what lets them overlap.
        CHECK(cudaMemcpyAsync(data_device + lower, data_host + lower,
                              chunk * sizeof(uint64_t), cudaMemcpyHostToDevice,
                              own[s]));
        decrypt_gpu<<<decrypt_blocks(chunk), DECRYPT_THREADS, 0, own[s]>>>(
            data_device + lower, chunk, num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(data_host + lower, data_device + lower,
                              chunk * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                              own[s]));
    }

    // Not in the loop: there, each chunk would wait for the one before it.
    for (uint64_t s = 0; s < num_streams; s++) {
        CHECK(cudaStreamSynchronize(own[s]));
        CHECK(cudaStreamDestroy(own[s]));
    }
    free(own);
}
