/*
 * contrast.cu: what two kernels gain from running together, where arithmetic
 * is the limit and where the memory is. Not graded. On a GPU, from the
 * project's folder:
 *
 *     nvcc -O2 -arch=native -Icommon labs/10_kernel_concurrency/contrast.cu \
 *         common/helper.cu -o build/contrast && build/contrast
 *
 * On the virtual one: build/bin/vgpucc in place of nvcc. The memory of one is
 * small: build/contrast 18 takes 2^18 entries for each kernel in place of 2^26.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cipher_entry.h"
#include "helper.h"

enum { THREADS = 256, ROUNDS = 256, RUNS = 5 };

/* Many operations for each entry. */
__global__ void decrypt_gpu(uint64_t *data, uint64_t num_entries)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = thread; i < num_entries; i += stride)
        data[i] = decrypt_entry(data[i], ROUNDS);
}

/* One operation for each entry, which is read and written. */
__global__ void increase_gpu(uint64_t *data, uint64_t num_entries)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = thread; i < num_entries; i += stride)
        data[i] += 1;
}

typedef void kernel_fn(uint64_t *data, uint64_t num_entries);

struct pair {
    kernel_fn *kernel;
    uint64_t *data; /* for both kernels */
    uint64_t num_entries;
    cudaStream_t streams[2];
};

/* Two kernels of so many blocks, in one stream or in two. */
static double pair_ms(const struct pair *pair, int blocks, bool together)
{
    struct host_timer timer;
    double best_ms = 1e30;

    for (int run = 0; run < RUNS; run++) {
        CHECK(cudaDeviceSynchronize());
        host_timer_start(&timer);
        for (int k = 0; k < 2; k++) {
            pair->kernel<<<blocks, THREADS, 0,
                           pair->streams[together ? k : 0]>>>(
                pair->data + (uint64_t)k * pair->num_entries,
                pair->num_entries);
            CHECK(cudaGetLastError());
        }
        CHECK(cudaDeviceSynchronize());
        best_ms = min(best_ms, host_timer_stop(&timer));
    }
    return best_ms;
}

static void show(const char *name, const struct pair *pair)
{
    int num_sms, per_sm;

    CHECK(cudaDeviceGetAttribute(&num_sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, pair->kernel,
                                                        THREADS, 0));
    const int grids[] = {num_sms / 4, num_sms / 2, num_sms,
                         num_sms * per_sm / 2, num_sms * per_sm};

    for (int blocks : grids) {
        const double serial_ms = pair_ms(pair, blocks, false);
        const double both_ms = pair_ms(pair, blocks, true);

        printf("%-12s %6d %9.3f ms %9.3f ms %7.2fx\n", name, blocks, serial_ms,
               both_ms, serial_ms / both_ms);
    }
}

int main(int argc, char **argv)
{
    const int power = argc > 1 ? atoi(argv[1]) : 26;
    struct pair pair;

    pair.num_entries = (uint64_t)1 << min(max(power, 10), 30);
    CHECK(cudaMalloc(&pair.data, 2 * pair.num_entries * sizeof(uint64_t)));
    CHECK(cudaMemset(pair.data, 0, 2 * pair.num_entries * sizeof(uint64_t)));
    for (int k = 0; k < 2; k++)
        CHECK(cudaStreamCreate(&pair.streams[k]));
    printf("%-12s %6s %12s %12s %8s\n", "kernel", "blocks", "one by one",
           "together", "gain");
    pair.kernel = decrypt_gpu;
    show("arithmetic", &pair);
    pair.kernel = increase_gpu;
    show("memory", &pair);
    for (int k = 0; k < 2; k++)
        CHECK(cudaStreamDestroy(pair.streams[k]));
    CHECK(cudaFree(pair.data));
    return 0;
}
