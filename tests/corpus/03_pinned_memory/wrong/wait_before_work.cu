// expect: wait-before-work
// Waits for the copy before the host's work.
#include "lab.h"

#include <stdlib.h>

#include "check.h"

uint64_t *buffer_new(uint64_t num_entries)
{
    uint64_t *buffer;

    CHECK(cudaMallocHost(&buffer, num_entries * sizeof(uint64_t)));
    return buffer;
}

void buffer_free(uint64_t *buffer)
{
    CHECK(cudaFreeHost(buffer));
}

void upload_batches(uint64_t *data_device, uint64_t *buffer,
                    uint64_t num_entries, uint64_t num_batches)
{
    const size_t bytes = num_entries * sizeof(uint64_t);

    // Once for all batches: pinning costs more than a copy does.
    CHECK(cudaHostRegister(buffer, bytes, cudaHostRegisterDefault));

    for (uint64_t b = 0; b < num_batches; b++) {
        batch_fill(buffer, num_entries, b);

        CHECK(cudaMemcpyAsync(data_device + b * num_entries, buffer, bytes,
                              cudaMemcpyHostToDevice, 0));
        CHECK(cudaStreamSynchronize(0));
        host_work(b);
    }

    // The owner will call free, which must find ordinary memory.
    CHECK(cudaHostUnregister(buffer));
}
