/* lab.cu: page-locked memory, new and existing. */
#include "lab.h"

#include <stdlib.h>

#include "check.h"

uint64_t *buffer_new(uint64_t num_entries)
{
    uint64_t *buffer;

    // solution>
    CHECK(cudaMallocHost(&buffer, num_entries * sizeof(uint64_t)));
    //| // TODO 1: the system may move this memory at any time, so the copy
    //| // engine cannot read it. Take memory that stays where it is.
    //| buffer = (uint64_t *)malloc(num_entries * sizeof(uint64_t));
    // <solution
    return buffer;
}

void buffer_free(uint64_t *buffer)
{
    // solution>
    CHECK(cudaFreeHost(buffer));
    //| // TODO 2: memory goes back to where it came from.
    //| free(buffer);
    // <solution
}

void upload_batches(uint64_t *data_device, uint64_t *buffer,
                    uint64_t num_entries, uint64_t num_batches)
{
    const size_t bytes = num_entries * sizeof(uint64_t);

    // solution>
    // Once for all batches: pinning costs more than a copy does.
    CHECK(cudaHostRegister(buffer, bytes, cudaHostRegisterDefault));
    //| // TODO 3: this memory came from malloc, and its owner keeps it. Pin it
    //| // where it is.
    // <solution

    for (uint64_t b = 0; b < num_batches; b++) {
        batch_fill(buffer, num_entries, b);

        // solution>
        CHECK(cudaMemcpyAsync(data_device + b * num_entries, buffer, bytes,
                              cudaMemcpyHostToDevice, 0));
        host_work(b);

        // The next batch must not overwrite what the copy still reads.
        CHECK(cudaStreamSynchronize(0));
        //| // TODO 4: this holds the host until the copy is done. Let the host
        //| // do its work while the copy runs. When may the buffer be filled
        //| // again?
        //| CHECK(cudaMemcpy(data_device + b * num_entries, buffer, bytes,
        //|                  cudaMemcpyHostToDevice));
        //| host_work(b);
        // <solution
    }
    // solution>

    // The owner will call free, which must find ordinary memory.
    CHECK(cudaHostUnregister(buffer));
    //|
    //| // TODO 3: and leave the memory as you found it.
    // <solution
}

void upload_double_buffered(uint64_t *data_device, uint64_t *const *buffers,
                            uint64_t num_entries, uint64_t num_batches)
{
    const size_t bytes = num_entries * sizeof(uint64_t);

    for (uint64_t b = 0; b < num_batches; b++) {
        // solution>
        uint64_t *const buffer = buffers[b % 2];

        // The copy of the batch before runs meanwhile, from the other buffer.
        batch_fill(buffer, num_entries, b);
        // It must be done before that buffer is filled in the next round.
        CHECK(cudaStreamSynchronize(0));
        CHECK(cudaMemcpyAsync(data_device + b * num_entries, buffer, bytes,
                              cudaMemcpyHostToDevice, 0));
        //| // TODO 5: filling and copying take turns, because there is one
        //| // buffer. Fill one while the other is copied. When may the host
        //| // fill the first one again?
        //| uint64_t *const buffer = buffers[0];
        //|
        //| batch_fill(buffer, num_entries, b);
        //| CHECK(cudaMemcpyAsync(data_device + b * num_entries, buffer, bytes,
        //|                       cudaMemcpyHostToDevice, 0));
        //| CHECK(cudaStreamSynchronize(0));
        // <solution
    }
    // solution>
    CHECK(cudaStreamSynchronize(0));
    // <solution
}
