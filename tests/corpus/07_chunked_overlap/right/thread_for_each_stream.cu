// expect: passed
// A host thread for each stream: 64 of them where there are 64 streams.
#include "lab.h"

#include <thread>
#include <vector>

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
    const uint64_t chunk = num_entries / num_streams;
    std::vector<std::thread> threads;

    for (uint64_t s = 0; s < num_streams; s++)
        threads.emplace_back([=] {
            uint64_t *const host = data_host + s * chunk;
            uint64_t *const device = data_device + s * chunk;

            CHECK(cudaMemcpyAsync(device, host, chunk * sizeof(uint64_t),
                                  cudaMemcpyHostToDevice, streams[s]));
            decrypt_gpu<<<decrypt_blocks(chunk), DECRYPT_THREADS, 0,
                          streams[s]>>>(device, chunk, num_iters);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpyAsync(host, device, chunk * sizeof(uint64_t),
                                  cudaMemcpyDeviceToHost, streams[s]));
            CHECK(cudaStreamSynchronize(streams[s]));
        });
    for (std::thread &thread : threads)
        thread.join();
}
