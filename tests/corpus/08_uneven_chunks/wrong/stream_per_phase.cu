// expect: hazard no-kernel no-copy-in no-copy-back
// One stream for each kind of operation, no order between them.
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    const uint64_t chunk = sdiv(num_entries, num_streams);
    const cudaStream_t in = streams[0];
    const cudaStream_t run = streams[1 % num_streams];
    const cudaStream_t out = streams[2 % num_streams];

    for (uint64_t s = 0; s < num_streams; s++) {
        const uint64_t lower = s * chunk;

        if (lower >= num_entries)
            break;

        const uint64_t upper = min(lower + chunk, num_entries);
        const uint64_t width = upper - lower;

        CHECK(cudaMemcpyAsync(data_device + lower, data_host + lower,
                              width * sizeof(uint64_t), cudaMemcpyHostToDevice,
                              in));
        decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, run>>>(
            data_device + lower, width, num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(data_host + lower, data_device + lower,
                              width * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                              out));
    }

    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamSynchronize(streams[s]));
}
