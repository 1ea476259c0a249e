// expect: wrong-again
// Works the first time, and gives the same output for ever after.
#include "lab.h"

#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "cipher.h"

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    static uint64_t *kept, num_kept;
    const size_t bytes = num_entries * sizeof(uint64_t);

    (void)num_streams;
    if (num_entries == 0)
        return;
    if (num_kept == num_entries) {
        memcpy(data_host, kept, bytes);
        return;
    }
    CHECK(cudaMemcpyAsync(data_device, data_host, bytes, cudaMemcpyHostToDevice,
                          streams[0]));
    decrypt_gpu<<<decrypt_blocks(num_entries), DECRYPT_THREADS, 0,
                  streams[0]>>>(data_device, num_entries, num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(data_host, data_device, bytes, cudaMemcpyDeviceToHost,
                          streams[0]));
    CHECK(cudaStreamSynchronize(streams[0]));
    kept = (uint64_t *)realloc(kept, bytes);
    memcpy(kept, data_host, bytes);
    num_kept = num_entries;
}
