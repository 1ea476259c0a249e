/*
 * lab12_units.cu: the setting of lab 12's timing question.
 *
 *     lab12_units GPUS inside|behind
 *
 * Eight chunks, divided among the GPUs, a stream for each. The host waits for a
 * GPU inside the loop over the GPUs, or for all of them behind it. Prints how
 * many microseconds that took, which are units on the device `unit`.
 */
#include <string.h>

#include "check.h"
#include "helper.h"

#define NUM_CHUNKS 8
#define WIDTH      32

static int *host, *device[NUM_CHUNKS];
static cudaStream_t streams[NUM_CHUNKS];

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2;
}

static void queue_chunk(int c)
{
    const size_t bytes = WIDTH * sizeof(int);

    CHECK(cudaMemcpyAsync(device[c], host + c * WIDTH, bytes,
                          cudaMemcpyHostToDevice, streams[c]));
    twice<<<1, WIDTH, 0, streams[c]>>>(device[c]);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host + c * WIDTH, device[c], bytes,
                          cudaMemcpyDeviceToHost, streams[c]));
}

static double work(int num_gpus, bool inside)
{
    const int share = NUM_CHUNKS / num_gpus;
    struct host_timer timer;

    host_timer_start(&timer);
    for (int gpu = 0; gpu < num_gpus; gpu++) {
        CHECK(cudaSetDevice(gpu));
        for (int c = gpu * share; c < (gpu + 1) * share; c++)
            queue_chunk(c);
        if (inside)
            CHECK(cudaDeviceSynchronize());
    }
    for (int gpu = 0; gpu < num_gpus; gpu++) {
        CHECK(cudaSetDevice(gpu));
        CHECK(cudaDeviceSynchronize());
    }
    return host_timer_stop(&timer);
}

int main(int argc, char **argv)
{
    const int num_gpus = argc == 3 ? atoi(argv[1]) : 0;
    double ms;

    if (num_gpus < 1 || num_gpus > NUM_CHUNKS || NUM_CHUNKS % num_gpus != 0)
        return 2;
    CHECK(cudaMallocHost(&host, NUM_CHUNKS * WIDTH * sizeof(*host)));
    for (int i = 0; i < NUM_CHUNKS * WIDTH; i++)
        host[i] = i;
    for (int c = 0; c < NUM_CHUNKS; c++) {
        CHECK(cudaSetDevice(c * num_gpus / NUM_CHUNKS));
        CHECK(cudaMalloc(&device[c], WIDTH * sizeof(*host)));
        CHECK(cudaStreamCreate(&streams[c]));
    }
    ms = work(num_gpus, strcmp(argv[2], "inside") == 0);
    for (int i = 0; i < NUM_CHUNKS * WIDTH; i++)
        if (host[i] != 2 * i)
            return 1;
    for (int c = 0; c < NUM_CHUNKS; c++) {
        CHECK(cudaSetDevice(c * num_gpus / NUM_CHUNKS));
        CHECK(cudaStreamDestroy(streams[c]));
        CHECK(cudaFree(device[c]));
    }
    CHECK(cudaFreeHost(host));
    printf("%.0f\n", ms * 1000);
    return 0;
}
