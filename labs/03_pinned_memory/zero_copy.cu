/*
 * zero_copy.cu: a kernel that works on the host's memory over the link, against
 * copy, kernel, copy back. Not graded. On a GPU, from the project's folder:
 *
 *     nvcc -O2 -arch=native -Icommon labs/03_pinned_memory/zero_copy.cu \
 *         common/helper.cu -o build/zero_copy && build/zero_copy
 *
 * On the virtual one: build/bin/vgpucc in place of nvcc, and a smaller array:
 * build/zero_copy 18 takes 2^18 entries in place of 2^25.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "helper.h"

enum { THREADS = 256, RUNS = 3 };

struct array {
    uint64_t *host;   /* pinned, and mapped: the device has an address for it */
    uint64_t *mapped; /* that address */
    uint64_t *device; /* memory of the device */
    uint64_t num_entries;
};

/* Each entry is read and written once. */
__global__ void increase_gpu(uint64_t *data, uint64_t num_entries)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < num_entries)
        data[i] += 1;
}

static void increase(uint64_t *data, uint64_t num_entries, int passes)
{
    for (int p = 0; p < passes; p++) {
        increase_gpu<<<(unsigned)sdiv(num_entries, THREADS), THREADS>>>(
            data, num_entries);
        CHECK(cudaGetLastError());
    }
}

static void by_copies(const struct array *array, int passes)
{
    const size_t bytes = array->num_entries * sizeof(uint64_t);

    CHECK(cudaMemcpyAsync(array->device, array->host, bytes,
                          cudaMemcpyHostToDevice, 0));
    increase(array->device, array->num_entries, passes);
    CHECK(cudaMemcpyAsync(array->host, array->device, bytes,
                          cudaMemcpyDeviceToHost, 0));
    CHECK(cudaStreamSynchronize(0));
}

static void by_zero_copy(const struct array *array, int passes)
{
    increase(array->mapped, array->num_entries, passes);
    // There is no copy back to wait for, but a kernel that writes.
    CHECK(cudaStreamSynchronize(0));
}

typedef void way_fn(const struct array *array, int passes);

static double best_ms(way_fn *way, const struct array *array, int passes)
{
    struct host_timer timer;
    double best = 1e30;

    for (int run = 0; run < RUNS; run++) {
        host_timer_start(&timer);
        way(array, passes);
        best = min(best, host_timer_stop(&timer));
    }
    return best;
}

int main(int argc, char **argv)
{
    const int power = argc > 1 ? atoi(argv[1]) : 25;
    struct array array;
    size_t bytes;

    array.num_entries = (uint64_t)1 << min(max(power, 10), 30);
    bytes = array.num_entries * sizeof(uint64_t);
    CHECK(cudaHostAlloc(&array.host, bytes, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&array.mapped, array.host, 0));
    CHECK(cudaMalloc(&array.device, bytes));
    for (uint64_t i = 0; i < array.num_entries; i++)
        array.host[i] = i;
    printf("kernels   copies and kernels   zero-copy\n");
    for (int passes = 1; passes <= 8; passes *= 2) {
        const double copies_ms = best_ms(by_copies, &array, passes);

        printf("%7d %17.3f ms %8.3f ms\n", passes, copies_ms,
               best_ms(by_zero_copy, &array, passes));
    }
    CHECK(cudaFree(array.device));
    CHECK(cudaFreeHost(array.host));
    return 0;
}
