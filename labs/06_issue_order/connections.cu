/*
 * connections.cu: more streams than connections, in two issue orders. Not
 * graded. On a GPU, from the project's folder:
 *
 *     nvcc -O2 -arch=native -Icommon labs/06_issue_order/connections.cu \
 *         common/helper.cu -o build/connections && build/connections
 *
 * On the virtual one: build/bin/vgpucc in place of nvcc. With a number of
 * streams and an order it runs once, for a timeline:
 *
 *     make trace PROG=build/connections ARGS="12 breadth"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cipher_entry.h"
#include "helper.h"

enum { MOST = 32, STEPS = 4, THREADS = 64, ITERS = 100000 };

static cudaStream_t streams[MOST];
static uint64_t *data;

__global__ void step_gpu(uint64_t *entries, uint64_t num_iters)
{
    entries[threadIdx.x] = decrypt_entry(entries[threadIdx.x], num_iters);
}

static void step(int s)
{
    step_gpu<<<1, THREADS, 0, streams[s]>>>(data + s * THREADS, ITERS);
    CHECK(cudaGetLastError());
}

/* All steps of a stream, then those of the next. */
static void depth_first(int num_streams)
{
    for (int s = 0; s < num_streams; s++)
        for (int k = 0; k < STEPS; k++)
            step(s);
}

/* The first step of all streams, then the second. */
static void breadth_first(int num_streams)
{
    for (int k = 0; k < STEPS; k++)
        for (int s = 0; s < num_streams; s++)
            step(s);
}

static double time_ms(void (*issue)(int), int num_streams)
{
    struct host_timer timer;

    CHECK(cudaDeviceSynchronize());
    host_timer_start(&timer);
    issue(num_streams);
    CHECK(cudaDeviceSynchronize());
    return host_timer_stop(&timer);
}

/* The first launch loads the kernel. */
static void show_all(void)
{
    depth_first(1);
    printf("streams of %d kernels   depth-first   breadth-first\n", STEPS);
    for (int n = 1; n <= MOST; n *= 2)
        printf("%20d %10.3f ms %12.3f ms\n", n, time_ms(depth_first, n),
               time_ms(breadth_first, n));
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 0;
    const size_t bytes = MOST * THREADS * sizeof *data;

    CHECK(cudaMalloc(&data, bytes));
    for (int s = 0; s < MOST; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    CHECK(cudaMemsetAsync(data, 0, bytes, streams[0]));
    if (asked < 1)
        show_all();
    else if (argc > 2 && strcmp(argv[2], "breadth") == 0)
        time_ms(breadth_first, min(asked, (int)MOST));
    else
        time_ms(depth_first, min(asked, (int)MOST));
    for (int s = 0; s < MOST; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaFree(data));
    return 0;
}
