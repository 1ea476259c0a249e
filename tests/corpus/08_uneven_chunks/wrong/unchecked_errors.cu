// expect: width-underflow cuda-error
// As unsigned_underflow, and nobody looks at the errors.
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    // Rounded up, so that num_streams chunks reach the last entry.
    const uint64_t chunk = sdiv(num_entries, num_streams);

    for (uint64_t s = 0; s < num_streams; s++) {
        const uint64_t lower = s * chunk;

        const uint64_t upper = min(lower + chunk, num_entries);
        const uint64_t width = upper - lower;

        // The stream keeps these three in order. Nothing orders them with
        // the other streams' chunks, and that is what lets them overlap.
        cudaMemcpyAsync(data_device + lower, data_host + lower,
                        width * sizeof(uint64_t), cudaMemcpyHostToDevice,
                        streams[s]);
        decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, streams[s]>>>(
            data_device + lower, width, num_iters);
        cudaMemcpyAsync(data_host + lower, data_device + lower,
                        width * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                        streams[s]);
    }

    // So far everything is only queued, and the caller reads data_host next.
    cudaDeviceSynchronize();
}
