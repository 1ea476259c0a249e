/* overlap.cu: Copies and kernels at the same time. An array goes in, through a
 * kernel and back, in chunks that are dealt out to streams. How many chunks
 * are worth it, and how many streams do they need? */
#include <stdio.h>

#include "check.h"
#include "helper.h"

#define STREAMS       4    // slider 1 2 3 4 8 16: streams
#define CHUNKS        8    // slider 1 2 4 8 16 32 64: chunks
#define ENTRIES       1024 // slider 64 256 1024 4096: thousands of entries
#define ROUNDS        96   // slider 12 24 48 96 192 384: rounds of the kernel
#define BREADTH_FIRST 0    // slider 0 1: all copies in first
#define THREADS       256

__global__ void stir(unsigned *data, int n)
{
    const int stride = gridDim.x * blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned x = data[i];

        for (int round = 0; round < ROUNDS; round++)
            x = x * 1664525u + 1013904223u;
        data[i] = x;
    }
}

static unsigned *host, *device;
static cudaStream_t streams[STREAMS];

enum step { IN, KERNEL, BACK };

static void queue(int chunk, enum step step)
{
    const int n = ENTRIES * 1000, each = (int)sdiv(n, CHUNKS);
    const int lower = chunk * each;
    const int width = lower + each < n ? each : n - lower;
    const cudaStream_t stream = streams[chunk % STREAMS];
    const size_t bytes = width * sizeof *host;

    if (width <= 0)
        return;
    if (step == IN)
        CHECK(cudaMemcpyAsync(device + lower, host + lower, bytes,
                              cudaMemcpyHostToDevice, stream));
    if (step == KERNEL) {
        stir<<<(unsigned)sdiv(width, 8 * THREADS), THREADS, 0, stream>>>(
            device + lower, width);
        CHECK(cudaGetLastError());
    }
    if (step == BACK)
        CHECK(cudaMemcpyAsync(host + lower, device + lower, bytes,
                              cudaMemcpyDeviceToHost, stream));
}

static void queue_all(void)
{
#if BREADTH_FIRST
    for (int step = IN; step <= BACK; step++)
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            queue(chunk, (enum step)step);
#else
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        for (int step = IN; step <= BACK; step++)
            queue(chunk, (enum step)step);
#endif
}

int main(void)
{
    const size_t bytes = ENTRIES * 1000 * sizeof *host;
    struct host_timer timer;

    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, bytes));
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    for (int i = 0; i < ENTRIES * 1000; i++)
        host[i] = i;

    host_timer_start(&timer);
    queue_all();
    CHECK(cudaDeviceSynchronize());
    printf("%d chunks in %d streams: %.3f ms\n", CHUNKS, STREAMS,
           host_timer_stop(&timer));

    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
