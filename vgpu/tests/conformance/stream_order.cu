/*
 * stream_order.cu: operations of one stream run in the order of issue,
 * whatever their kind.
 * Source: programming guide, Streams.
 */
#include "fact.h"

static __global__ void add_one(int *value)
{
    *value += 1;
}

static __global__ void times_two(int *value)
{
    *value *= 2;
}

int main(void)
{
    cudaStream_t s;
    int *device, *pinned;

    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaMalloc((void **)&device, sizeof(int)));
    MUST(cudaMallocHost((void **)&pinned, 4 * sizeof(int)));
    pinned[0] = 5;
    pinned[1] = pinned[2] = pinned[3] = 0;

    add_one<<<1, 1, 0, s>>>(device);
    times_two<<<1, 1, 0, s>>>(device);
    MUST(cudaStreamSynchronize(s));

    fact_slow_ms(s, 10);
    MUST(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, s));
    add_one<<<1, 1, 0, s>>>(device);
    MUST(cudaMemcpyAsync(pinned + 1, device, 4, cudaMemcpyDeviceToHost, s));
    times_two<<<1, 1, 0, s>>>(device);
    MUST(cudaMemcpyAsync(pinned + 2, device, 4, cudaMemcpyDeviceToHost, s));
    MUST(cudaMemsetAsync(device, 0, 4, s));
    add_one<<<1, 1, 0, s>>>(device);
    MUST(cudaMemcpyAsync(pinned + 3, device, 4, cudaMemcpyDeviceToHost, s));
    fact_error("still_running.not_ready", cudaStreamQuery(s));
    MUST(cudaStreamSynchronize(s));
    fact("values=%d %d %d", pinned[1], pinned[2], pinned[3]);

    /* A full queue makes the host wait; it loses nothing. */
    MUST(cudaMemsetAsync(device, 0, 4, s));
    for (int i = 0; i < 2000; i++)
        add_one<<<1, 1, 0, s>>>(device);
    MUST(cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("more_launches_than_the_queue_holds", pinned[0]);
    return 0;
}
