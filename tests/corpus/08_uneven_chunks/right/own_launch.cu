// expect: passed
// Another grid and block, and a width found by conditions.
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    // Rounded up, so that num_streams chunks reach the last entry.
    const uint64_t chunk = (num_entries + num_streams - 1) / num_streams;
    uint64_t left = num_entries;

    for (uint64_t s = 0; left > 0; s++) {
        const uint64_t lower = num_entries - left;
        const uint64_t width = left < chunk ? left : chunk;

        // The stream keeps these three in order. Nothing orders them with
        // the other streams' chunks, and that is what lets them overlap.
        CHECK(cudaMemcpyAsync(data_device + lower, data_host + lower,
                              width * sizeof(uint64_t), cudaMemcpyHostToDevice,
                              streams[s]));
        decrypt_gpu<<<128, 512, 0, streams[s]>>>(data_device + lower, width,
                                                 num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(data_host + lower, data_device + lower,
                              width * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                              streams[s]));
        left -= width;
    }

    // So far everything is only queued, and the caller reads data_host next.
    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamSynchronize(streams[s]));
}
