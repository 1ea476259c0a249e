/* pinned.cu: Where the host's memory is. From pageable memory a copy is slower,
 * and the host waits for it; from pinned memory it goes on at once. Who is busy
 * while the copies run? */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "helper.h"

#define PINNED  0    // slider 0 1: pinned memory
#define COPIES  4    // slider 1 2 4 8: copies
#define ENTRIES 1024 // slider 16 64 256 1024: thousands of entries a copy

static int *take(size_t bytes)
{
#if PINNED
    int *host;

    CHECK(cudaMallocHost(&host, bytes));
    return host;
#else
    return (int *)host_array(bytes, 1);
#endif
}

static void give_back(int *host)
{
#if PINNED
    CHECK(cudaFreeHost(host));
#else
    free(host);
#endif
}

int main(void)
{
    const size_t count = ENTRIES * 1000, bytes = count * sizeof(int);
    int *host = take(COPIES * bytes), *device;
    cudaStream_t streams[COPIES];
    struct host_timer timer;

    CHECK(cudaMalloc(&device, COPIES * bytes));
    for (int c = 0; c < COPIES; c++)
        CHECK(cudaStreamCreate(&streams[c]));
    for (size_t i = 0; i < COPIES * count; i++)
        host[i] = (int)i;

    host_timer_start(&timer);
    for (int c = 0; c < COPIES; c++)
        CHECK(cudaMemcpyAsync(device + c * count, host + c * count, bytes,
                              cudaMemcpyHostToDevice, streams[c]));
    printf("the host goes on after %.3f ms\n", host_timer_stop(&timer));
    CHECK(cudaDeviceSynchronize());
    printf("the copies are done after %.3f ms\n", host_timer_stop(&timer));

    for (int c = 0; c < COPIES; c++)
        CHECK(cudaStreamDestroy(streams[c]));
    CHECK(cudaFree(device));
    give_back(host);
    return 0;
}
