/* order.cu: The order of issue. The same kernels, two in each stream, queued
 * stream by stream or in turn. A device with a single hardware queue, such as
 * the Tesla C2050, cannot look past the first that has to wait. Which order
 * suits it, and does the K20 care? */
/* run: VGPU_DEVICE=c2050 */
#include <stdio.h>

#include "check.h"
#include "helper.h"

#define IN_TURN 0  // slider 0 1: in turn
#define STREAMS 4  // slider 1 2 4 8: streams
#define ROUNDS  64 // slider 16 64 256: rounds of a kernel
#define THREADS 128

__global__ void stir(unsigned *data)
{
    unsigned x = data[threadIdx.x];

    for (int round = 0; round < ROUNDS * 100; round++)
        x = x * 1664525u + 1013904223u;
    data[threadIdx.x] = x;
}

static unsigned *device;
static cudaStream_t streams[STREAMS];

static void queue(int s)
{
    stir<<<1, THREADS, 0, streams[s]>>>(device + s * THREADS);
    CHECK(cudaGetLastError());
}

int main(void)
{
    struct host_timer timer;

    CHECK(cudaMalloc(&device, STREAMS * THREADS * sizeof *device));
    CHECK(cudaMemset(device, 0, STREAMS * THREADS * sizeof *device));
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    CHECK(cudaDeviceSynchronize());

    host_timer_start(&timer);
#if IN_TURN
    for (int k = 0; k < 2; k++)
        for (int s = 0; s < STREAMS; s++)
            queue(s);
#else
    for (int s = 0; s < STREAMS; s++)
        for (int k = 0; k < 2; k++)
            queue(s);
#endif
    CHECK(cudaDeviceSynchronize());
    printf("%d kernels in %d streams: %.3f ms\n", 2 * STREAMS, STREAMS,
           host_timer_stop(&timer));

    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaFree(device));
    return 0;
}
