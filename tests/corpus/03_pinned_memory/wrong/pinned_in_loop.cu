// expect: pinned-in-loop
// Registers and unregisters for every batch.
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

    for (uint64_t b = 0; b < num_batches; b++) {
        batch_fill(buffer, num_entries, b);
        CHECK(cudaHostRegister(buffer, bytes, cudaHostRegisterDefault));
        CHECK(cudaMemcpyAsync(data_device + b * num_entries, buffer, bytes,
                              cudaMemcpyHostToDevice, 0));
        host_work(b);

        // The next batch must not overwrite what the copy still reads.
        CHECK(cudaStreamSynchronize(0));
        CHECK(cudaHostUnregister(buffer));
    }
}

void upload_double_buffered(uint64_t *data_device, uint64_t *const *buffers,
                            uint64_t num_entries, uint64_t num_batches)
{
    (void)data_device, (void)buffers, (void)num_entries, (void)num_batches;
}
