// expect: does-not-compile
// Defines calls of the runtime itself: a wait that waits for nothing.
#include "lab.h"

extern "C" cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    (void)data_host;
    (void)data_device;
    (void)num_entries;
    (void)num_iters;
    (void)streams;
    (void)num_streams;
}
