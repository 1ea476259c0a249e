// expect: no-final-sync
// Does the work in a stream of its own and returns at once: the clock would
// stop before the work does.
#include "lab.h"

#include "check.h"
#include "cipher.h"

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    static cudaStream_t hidden;
    const size_t bytes = num_entries * sizeof(uint64_t);

    (void)streams;
    (void)num_streams;
    if (!hidden)
        CHECK(cudaStreamCreateWithFlags(&hidden, cudaStreamNonBlocking));
    if (num_entries == 0)
        return;
    CHECK(cudaMemcpyAsync(data_device, data_host, bytes, cudaMemcpyHostToDevice,
                          hidden));
    decrypt_gpu<<<decrypt_blocks(num_entries), DECRYPT_THREADS, 0, hidden>>>(
        data_device, num_entries, num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(data_host, data_device, bytes, cudaMemcpyDeviceToHost,
                          hidden));
}
