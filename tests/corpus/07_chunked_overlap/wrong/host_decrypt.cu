// expect: host-decrypt
// Decrypted by the host: right, but no kernel ran.
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
    (void)data_device;
    (void)streams;
    (void)num_streams;
    decrypt_host(data_host, num_entries, num_iters);
}
