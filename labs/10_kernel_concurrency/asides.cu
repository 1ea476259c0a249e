/*
 * asides.cu: what unrolling, launch bounds and __restrict__ do to a kernel.
 * Not graded. On a GPU, from the project's folder:
 *
 *     nvcc -O2 -arch=native -Icommon labs/10_kernel_concurrency/asides.cu \
 *         common/helper.cu -o build/asides && build/asides
 */
#include <stdio.h>

#include "check.h"
#include "cipher_entry.h"
#include "helper.h"

enum { THREADS = 256, ITERS = 256, RUNS = 5, MOST = 48 };
#define ENTRIES ((uint64_t)1 << 24)

/* ---- registers ----------------------------------------------------------- */

/*
 * Decrypt entries, @many of them at a time in each thread. With a constant for
 * @many, all loops over it are unrolled, and all entries stay in registers.
 */
static __device__ __forceinline__ void
decrypt_many(uint64_t *data, uint64_t num_entries, const int many)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    uint32_t left[MOST], right[MOST];

    for (uint64_t i = thread; i < num_entries; i += many * stride) {
#pragma unroll
        for (int k = 0; k < many; k++) {
            const uint64_t at = i + k * stride;
            const uint64_t entry = at < num_entries ? data[at] : 0;

            left[k] = (uint32_t)(entry >> 32);
            right[k] = (uint32_t)entry;
        }
        for (uint64_t round = ITERS; round > 0; round--) {
#pragma unroll
            for (int k = 0; k < many; k++) {
                const uint32_t swap = right[k] ^ cipher_mix(left[k], round - 1);

                right[k] = left[k];
                left[k] = swap;
            }
        }
#pragma unroll
        for (int k = 0; k < many; k++)
            if (i + k * stride < num_entries)
                data[i + k * stride] = (uint64_t)left[k] << 32 | right[k];
    }
}

__global__ void one_gpu(uint64_t *data, uint64_t num_entries)
{
    decrypt_many(data, num_entries, 1);
}

__global__ void four_gpu(uint64_t *data, uint64_t num_entries)
{
    decrypt_many(data, num_entries, 4);
}

__global__ void sixteen_gpu(uint64_t *data, uint64_t num_entries)
{
    decrypt_many(data, num_entries, 16);
}

__global__ void many_gpu(uint64_t *data, uint64_t num_entries)
{
    decrypt_many(data, num_entries, MOST);
}

__global__ void __launch_bounds__(THREADS)
    many_bound_gpu(uint64_t *data, uint64_t num_entries)
{
    decrypt_many(data, num_entries, MOST);
}

__global__ void __launch_bounds__(THREADS, 4)
    many_crowded_gpu(uint64_t *data, uint64_t num_entries)
{
    decrypt_many(data, num_entries, MOST);
}

static const struct variant {
    const char *name;
    void (*kernel)(uint64_t *data, uint64_t num_entries);
} variants[] = {
    {"1 entry at a time", one_gpu},
    {"4 entries", four_gpu},
    {"16 entries", sixteen_gpu},
    {"48 entries", many_gpu},
    {"48, __launch_bounds__(256)", many_bound_gpu},
    {"48, __launch_bounds__(256, 4)", many_crowded_gpu},
};

static void show_variant(const struct variant *variant, uint64_t *data)
{
    struct cudaFuncAttributes attributes;
    struct event_timer timer;
    int num_sms, blocks_per_sm;
    double best_ms = 1e30;

    CHECK(cudaFuncGetAttributes(&attributes, variant->kernel));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks_per_sm, variant->kernel, THREADS, 0));
    CHECK(cudaDeviceGetAttribute(&num_sms, cudaDevAttrMultiProcessorCount, 0));
    event_timer_create(&timer);
    for (int run = 0; run < RUNS; run++) {
        event_timer_start(&timer, 0);
        variant->kernel<<<num_sms * blocks_per_sm, THREADS>>>(data, ENTRIES);
        CHECK(cudaGetLastError());
        best_ms = min(best_ms, event_timer_stop(&timer, 0));
    }
    event_timer_destroy(&timer);
    printf("%-30s %9d %11zu %13d %8.3f\n", variant->name, attributes.numRegs,
           attributes.localSizeBytes, blocks_per_sm, best_ms);
}

/* ---- pointers that may be the same --------------------------------------- */

/* @key may be a part of @sum, so it has to be read again after each write. */
__global__ void plain_gpu(uint64_t *sum, uint64_t *mix, const uint64_t *data,
                          const uint64_t *key)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    sum[i] = data[i] + key[0];
    mix[i] = data[i] ^ key[0];
}

__global__ void restrict_gpu(uint64_t *__restrict__ sum,
                             uint64_t *__restrict__ mix,
                             const uint64_t *__restrict__ data,
                             const uint64_t *__restrict__ key)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    sum[i] = data[i] + key[0];
    mix[i] = data[i] ^ key[0];
}

int main(void)
{
    uint64_t *data;

    CHECK(cudaMalloc(&data, ENTRIES * sizeof(uint64_t)));
    CHECK(cudaMemset(data, 0, ENTRIES * sizeof(uint64_t)));
    printf("%-30s %9s %11s %13s %8s\n", "kernel", "registers", "local bytes",
           "blocks per SM", "ms");
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        show_variant(&variants[v], data);
    CHECK(cudaFree(data));
    return 0;
}
