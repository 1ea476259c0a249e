// expect: passed
// Batches in pairs, a stream for each of the two; asks until a copy is done.
/* lab.cu: page-locked memory, new and existing. */
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
    cudaStream_t stream;
    cudaError_t state;

    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaHostRegister(buffer, bytes, cudaHostRegisterPortable));
    for (uint64_t b = 0; b < num_batches; b++) {
        batch_fill(buffer, num_entries, b);
        CHECK(cudaMemcpyAsync(data_device, buffer, bytes,
                              cudaMemcpyHostToDevice, stream));
        data_device += num_entries;
        host_work(b);
        while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady)
            ;
        CHECK(state);
    }
    CHECK(cudaHostUnregister(buffer));
    CHECK(cudaStreamDestroy(stream));
}

void upload_double_buffered(uint64_t *data_device, uint64_t *const *buffers,
                            uint64_t num_entries, uint64_t num_batches)
{
    const size_t bytes = num_entries * sizeof(uint64_t);
    cudaStream_t streams[2];

    for (int i = 0; i < 2; i++)
        CHECK(cudaStreamCreate(&streams[i]));
    for (uint64_t pair = 0; pair < num_batches; pair += 2)
        for (uint64_t b = pair; b < min(pair + 2, num_batches); b++) {
            const cudaStream_t stream = streams[b - pair];

            CHECK(cudaStreamSynchronize(stream));
            batch_fill(buffers[b - pair], num_entries, b);
            CHECK(cudaMemcpyAsync(&data_device[b * num_entries],
                                  buffers[b - pair], bytes, cudaMemcpyDefault,
                                  stream));
        }
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
}
