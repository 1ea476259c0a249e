// expect: host-decrypt
// Decrypts on the host: the right output, no kernel.
#include "lab.h"

#include "cipher.h"

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    (void)data_device;
    (void)streams;
    (void)num_streams;
    decrypt_host(data_host, num_entries, num_iters);
}
