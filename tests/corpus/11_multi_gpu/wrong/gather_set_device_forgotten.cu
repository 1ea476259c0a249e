// expect: blocking-copy queue-of-another-gpu
// The copies back are in the queue of the last GPU, all of them, and each of
// them waits in the queue of its memory's GPU too. So the result is right.
#include "check.h"
#include "cipher.h"
#include "helper.h"
#include "lab.h"

struct part part_of_gpu(uint64_t num_entries, uint64_t num_gpus, uint64_t gpu)
{
    const uint64_t most = sdiv(num_entries, num_gpus);
    struct part part;

    part.lower = min(gpu * most, num_entries);
    part.width = min(most, num_entries - part.lower);
    return part;
}

void memory_create(uint64_t **data_gpu, uint64_t num_entries, uint64_t num_gpus)
{
    int before;

    CHECK(cudaGetDevice(&before));
    for (uint64_t g = 0; g < num_gpus; g++) {
        const struct part part = part_of_gpu(num_entries, num_gpus, g);

        CHECK(cudaSetDevice((int)g));
        CHECK(cudaMalloc(&data_gpu[g], part.width * sizeof(uint64_t)));
    }
    CHECK(cudaSetDevice(before));
}

void memory_destroy(uint64_t **data_gpu, uint64_t num_gpus)
{
    for (uint64_t g = 0; g < num_gpus; g++)
        CHECK(cudaFree(data_gpu[g]));
}

void decrypt_on_gpus(uint64_t *data_host, uint64_t *const *data_gpu,
                     uint64_t num_entries, uint64_t num_iters,
                     uint64_t num_gpus)
{
    int before;

    CHECK(cudaGetDevice(&before));
    for (uint64_t g = 0; g < num_gpus; g++) {
        const struct part part = part_of_gpu(num_entries, num_gpus, g);
        const size_t bytes = part.width * sizeof(uint64_t);

        if (part.width == 0)
            continue;
        CHECK(cudaSetDevice((int)g));
        CHECK(cudaMemcpyAsync(data_gpu[g], data_host + part.lower, bytes,
                              cudaMemcpyHostToDevice));
        decrypt_gpu<<<decrypt_blocks(part.width), DECRYPT_THREADS>>>(
            data_gpu[g], part.width, num_iters);
        CHECK(cudaGetLastError());
    }
    for (uint64_t g = 0; g < num_gpus; g++) {
        const struct part part = part_of_gpu(num_entries, num_gpus, g);

        CHECK(cudaMemcpy(data_host + part.lower, data_gpu[g],
                         part.width * sizeof(uint64_t),
                         cudaMemcpyDeviceToHost));
    }
    CHECK(cudaSetDevice(before));
}
