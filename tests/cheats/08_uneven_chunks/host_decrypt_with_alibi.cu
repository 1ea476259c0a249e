// expect: host-decrypt
// Decrypts on the host, copies that to the device and back, and launches a
// kernel for no entries so that the trace has one.
#include "lab.h"

#include "check.h"
#include "cipher.h"

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    const size_t bytes = num_entries * sizeof(uint64_t);

    decrypt_host(data_host, num_entries, num_iters);
    for (uint64_t s = 0; s < num_streams; s++)
        decrypt_gpu<<<1, 1, 0, streams[s]>>>(data_device, 0, num_iters);
    CHECK(cudaMemcpyAsync(data_device, data_host, bytes, cudaMemcpyHostToDevice,
                          streams[0]));
    CHECK(cudaMemcpyAsync(data_host, data_device, bytes, cudaMemcpyDeviceToHost,
                          streams[0]));
    CHECK(cudaDeviceSynchronize());
}
