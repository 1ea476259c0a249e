/* gpus.cu: More than one GPU. Each one takes its part of the array, in streams
 * of its own. How much faster are two, and what do they have to share? */
/* run: VGPU_COUNT=2 */
#include <stdio.h>

#include "check.h"
#include "helper.h"

#define STREAMS   2    // slider 1 2 4 8: streams of each GPU
#define ENTRIES   1024 // slider 64 256 1024: thousands of entries
#define ROUNDS    96   // slider 12 48 96 192: rounds of the kernel
#define THREADS   256
#define MOST_GPUS 16

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

struct gpu {
    unsigned *data;
    cudaStream_t streams[STREAMS];
};

static int num_gpus, part; // part: what one stream of one GPU takes
static struct gpu gpus[MOST_GPUS];
static unsigned *host;

static void take(int g)
{
    CHECK(cudaSetDevice(g));
    CHECK(cudaMalloc(&gpus[g].data, STREAMS * part * sizeof *host));
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&gpus[g].streams[s]));
}

static void queue(int g, int s)
{
    const int n = ENTRIES * 1000, lower = (g * STREAMS + s) * part;
    const int width = lower + part < n ? part : n - lower;
    const cudaStream_t stream = gpus[g].streams[s];
    unsigned *const data = gpus[g].data + s * part;

    if (width <= 0)
        return;
    CHECK(cudaSetDevice(g));
    CHECK(cudaMemcpyAsync(data, host + lower, width * sizeof *host,
                          cudaMemcpyHostToDevice, stream));
    stir<<<(unsigned)sdiv(width, 8 * THREADS), THREADS, 0, stream>>>(data,
                                                                     width);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host + lower, data, width * sizeof *host,
                          cudaMemcpyDeviceToHost, stream));
}

static void give_back(int g)
{
    CHECK(cudaSetDevice(g));
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamDestroy(gpus[g].streams[s]));
    CHECK(cudaFree(gpus[g].data));
}

/* GPUs in the inner loop: each has its first part before any has its second,
 * so that all of them start early. */
int main(void)
{
    struct host_timer timer;

    CHECK(cudaGetDeviceCount(&num_gpus));
    if (num_gpus > MOST_GPUS)
        num_gpus = MOST_GPUS;
    part = (int)sdiv(ENTRIES * 1000, num_gpus * STREAMS);
    CHECK(cudaMallocHost(&host, ENTRIES * 1000 * sizeof *host));
    for (int i = 0; i < ENTRIES * 1000; i++)
        host[i] = i;
    for (int g = 0; g < num_gpus; g++)
        take(g);

    host_timer_start(&timer);
    for (int s = 0; s < STREAMS; s++)
        for (int g = 0; g < num_gpus; g++)
            queue(g, s);
    for (int g = 0; g < num_gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceSynchronize());
    }
    printf("%d GPUs, %d streams each: %.3f ms\n", num_gpus, STREAMS,
           host_timer_stop(&timer));

    for (int g = 0; g < num_gpus; g++)
        give_back(g);
    CHECK(cudaFreeHost(host));
    return 0;
}
