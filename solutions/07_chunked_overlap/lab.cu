/* lab.cu: copy in, decrypt and copy back at the same time, chunk by chunk. */
#include "lab.h"

// solution>
//| #include <stdlib.h>
//|
// <solution
#include "check.h"
#include "cipher.h"

uint64_t *host_memory_new(uint64_t num_entries)
{
    uint64_t *memory;

    // solution>
    // A copy from pageable memory holds the host, and then the next chunk
    // is queued too late to overlap with it.
    CHECK(cudaMallocHost(&memory, num_entries * sizeof(uint64_t)));
    //| // TODO 1: from this memory no copy overlaps with anything. Take memory
    //| // that a copy engine can read by itself.
    //| memory = (uint64_t *)malloc(num_entries * sizeof(uint64_t));
    // <solution
    return memory;
}

void host_memory_free(uint64_t *memory)
{
    // solution>
    CHECK(cudaFreeHost(memory));
    //| // TODO 2: what gives memory back must match what took it.
    //| free(memory);
    // <solution
}

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    // solution>
    const uint64_t chunk = num_entries / num_streams;

    for (uint64_t s = 0; s < num_streams; s++) {
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
    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamSynchronize(streams[s]));
    //| // TODO 3: the result of this is right, but it is done in one piece. Cut
    //| // the entries into num_streams chunks of the same size, and make this
    //| // the body of a loop over the chunks. Everything in it starts at the
    //| // chunk's first entry and takes the chunk's entries, no more.
    //| (void)num_streams; // delete this line: the loop needs it
    //|
    //| // TODO 4: each of these waits for the one before it. Queue them in the
    //| // chunk's own stream instead, in a way that does not hold the host.
    //| // Nothing has waited then when the loop ends, but the caller reads
    //| // data_host as soon as this function returns: wait for all of it.
    //| (void)streams; // delete this line: the operations need it
    //| CHECK(cudaMemcpy(data_device, data_host, num_entries * sizeof(uint64_t),
    //|                  cudaMemcpyHostToDevice));
    //| decrypt_gpu<<<decrypt_blocks(num_entries), DECRYPT_THREADS>>>(
    //|     data_device, num_entries, num_iters);
    //| CHECK(cudaGetLastError());
    //| CHECK(cudaMemcpy(data_host, data_device, num_entries * sizeof(uint64_t),
    //|                  cudaMemcpyDeviceToHost));
    // <solution
}
