/* 02.cu: four kernels in a row, and three clocks. What does each show? */
#include <stdio.h>

#include "check.h"
#include "helper.h"

#define WIDTH 256

static const double unit_ms = 0.001; /* of the device `unit` */

__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

static void work(int *data)
{
    struct host_timer launch, wait;
    struct event_timer events;

    event_timer_create(&events);
    for (int earlier = 0; earlier < 3; earlier++)
        fill<<<1, WIDTH>>>(data);

    host_timer_start(&launch);
    host_timer_start(&wait);
    event_timer_start(&events, 0);
    fill<<<1, WIDTH>>>(data); // the kernel that is measured
    const double launch_ms = host_timer_stop(&launch);
    const double kernel_ms = event_timer_stop(&events, 0);
    CHECK(cudaDeviceSynchronize());
    const double wait_ms = host_timer_stop(&wait);

    CHECK(cudaGetLastError());
    event_timer_destroy(&events);
    printf("host's clock, no wait:       %.0f units\n", launch_ms / unit_ms);
    printf("host's clock, wait behind:   %.0f units\n", wait_ms / unit_ms);
    printf("two events:                  %.0f unit\n", kernel_ms / unit_ms);
}

int main(void)
{
    int *data;

    CHECK(cudaMalloc(&data, WIDTH * sizeof(*data)));
    work(data);
    CHECK(cudaFree(data));
    return 0;
}
