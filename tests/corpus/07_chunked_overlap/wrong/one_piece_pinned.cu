// expect: blocking-copy one-piece
// Only the memory is changed: still one step after another.
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
    (void)streams;
    (void)num_streams;
    CHECK(cudaMemcpy(data_device, data_host, num_entries * sizeof(uint64_t),
                     cudaMemcpyHostToDevice));
    decrypt_gpu<<<decrypt_blocks(num_entries), DECRYPT_THREADS>>>(
        data_device, num_entries, num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(data_host, data_device, num_entries * sizeof(uint64_t),
                     cudaMemcpyDeviceToHost));
}
