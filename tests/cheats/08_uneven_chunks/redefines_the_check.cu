// expect: none
// Makes CHECK accept everything, renames what the driver calls, and leaves
// the rest out.
#include "lab.h"

#include "check.h"
#include "cipher.h"

#undef CHECK
#define CHECK(call)                   (void)(call)
#define cudaStreamSynchronize(stream) cudaSuccess
#define cudaGetLastError()            cudaSuccess

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    CHECK(cudaMemcpyAsync(data_device, data_host, num_entries,
                          cudaMemcpyDefault, streams[num_streams]));
    decrypt_gpu<<<0, 0, 0, streams[0]>>>(data_device, num_entries, num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(streams[0]));
}
