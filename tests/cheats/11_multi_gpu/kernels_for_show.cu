// expect: host-decrypt
// The host decrypts; each GPU gets a kernel that does nothing of use.
#include "check.h"
#include "cipher.h"
#include "helper.h"
#include "lab.h"

struct part part_of_gpu(uint64_t num_entries, uint64_t num_gpus, uint64_t gpu)
{
    struct part part;

    // Rounded up, so that num_gpus parts reach the last entry.
    const uint64_t most = sdiv(num_entries, num_gpus);

    // Never past the end: a difference of unsigned numbers would be huge.
    part.lower = min(gpu * most, num_entries);
    part.width = min(most, num_entries - part.lower);
    return part;
}

void memory_create(uint64_t **data_gpu, uint64_t num_entries, uint64_t num_gpus)
{
    int before;

    // The caller has a current device too, and goes on with it.
    CHECK(cudaGetDevice(&before));
    for (uint64_t g = 0; g < num_gpus; g++) {
        const struct part part = part_of_gpu(num_entries, num_gpus, g);

        // cudaMalloc knows nothing of g: it takes the current device's memory.
        CHECK(cudaSetDevice((int)g));
        CHECK(cudaMalloc(&data_gpu[g], part.width * sizeof(uint64_t)));
    }
    CHECK(cudaSetDevice(before));
}

void memory_destroy(uint64_t **data_gpu, uint64_t num_gpus)
{
    // A pointer knows its device, so the current one does not matter here.
    for (uint64_t g = 0; g < num_gpus; g++)
        CHECK(cudaFree(data_gpu[g]));
}

void decrypt_on_gpus(uint64_t *data_host, uint64_t *const *data_gpu,
                     uint64_t num_entries, uint64_t num_iters,
                     uint64_t num_gpus)
{
    int before;

    CHECK(cudaGetDevice(&before));
    decrypt_host(data_host, num_entries, num_iters);
    for (uint64_t g = 0; g < num_gpus; g++) {
        // Nothing here waits: while this GPU works, the next one gets its
        // part. Each device has a default stream of its own, and these three
        // are in that of the current one, in this order.
        CHECK(cudaSetDevice((int)g));
        decrypt_gpu<<<1, 1>>>(data_gpu[g], 0, 0);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaSetDevice(before));
}
