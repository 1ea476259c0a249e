// expect: passed
// One function for a chunk, called for each.
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

static void queue_chunk(uint64_t *host, uint64_t *device, uint64_t width,
                        uint64_t num_iters, cudaStream_t stream)
{
    const size_t bytes = width * sizeof(uint64_t);

    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, stream>>>(
        device, width, num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
}

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    const uint64_t chunk = sdiv(num_entries, num_streams);

    for (uint64_t s = 0; s < num_streams; s++) {
        const uint64_t lower = s * chunk;

        if (lower < num_entries)
            queue_chunk(data_host + lower, data_device + lower,
                        min(chunk, num_entries - lower), num_iters, streams[s]);
    }

    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamSynchronize(streams[s]));
}
