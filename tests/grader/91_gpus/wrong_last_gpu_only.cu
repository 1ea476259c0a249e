// expect: not-waited
#include "check.h"
#include "cipher.h"
#include "helper.h"
#include "lab.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void decrypt_chunk(uint64_t *host, uint64_t *device, uint64_t width,
                          uint64_t num_iters, cudaStream_t stream)
{
    const size_t bytes = width * sizeof(uint64_t);

    if (width == 0)
        return;
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, stream>>>(
        device, width, num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
}

void decrypt_on_all(uint64_t *data_host, uint64_t *const *data_gpu,
                    uint64_t num_entries, uint64_t num_iters,
                    cudaStream_t *const *streams, uint64_t num_gpus,
                    uint64_t num_streams)
{
    const uint64_t chunk = sdiv(num_entries, num_gpus * num_streams);
    const uint64_t part = chunk * num_streams;

    for (uint64_t g = 0; g < num_gpus; g++) {
        CHECK(cudaSetDevice((int)g));
        for (uint64_t s = 0; s < num_streams; s++) {
            const uint64_t on_gpu = s * chunk;
            const uint64_t lower = smaller(g * part + on_gpu, num_entries);
            const uint64_t upper = smaller(lower + chunk, num_entries);

            decrypt_chunk(data_host + lower, data_gpu[g] + on_gpu,
                          upper - lower, num_iters, streams[g][s]);
        }
    }
    for (uint64_t g = num_gpus - 1; g < num_gpus; g++)
        for (uint64_t s = 0; s < num_streams; s++)
            CHECK(cudaStreamSynchronize(streams[g][s]));
    CHECK(cudaSetDevice(0));
}
