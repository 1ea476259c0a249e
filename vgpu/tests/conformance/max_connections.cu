/*
 * max_connections.cu: CUDA_DEVICE_MAX_CONNECTIONS counts if the program sets it
 * before its first CUDA call: with one connection, kernels of two streams that
 * are issued depth first do not overlap but for the last and the first.
 * Source: programming guide, "CUDA Environment Variables".
 */
#include "fact.h"

static __global__ void spin(long long cycles)
{
    const long long start = clock64();

    while (clock64() - start < cycles)
        ;
}

/* Two streams with two kernels each, depth first: 4 kernels' time where a
 * stream holds up the next one, 3 where only the border overlaps, 2 where none
 * does. */
static int slots(const char *connections)
{
    cudaStream_t streams[2];
    cudaEvent_t start, end;
    float one, all;

    setenv("CUDA_DEVICE_MAX_CONNECTIONS", connections, 1);
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&end));
    for (int i = 0; i < 2; i++)
        MUST(cudaStreamCreate(&streams[i]));
    spin<<<1, 1>>>(1000);
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(start, 0));
    spin<<<1, 1>>>(20000000);
    MUST(cudaEventRecord(end, 0));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&one, start, end));
    MUST(cudaEventRecord(start, 0));
    for (int i = 0; i < 4; i++)
        spin<<<1, 1, 0, streams[i / 2]>>>(20000000);
    MUST(cudaEventRecord(end, 0));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&all, start, end));
    return (int)(all / one + 0.5f);
}

static void one(void)
{
    fact_int("one_connection.slots", slots("1"));
}

static void many(void)
{
    fact_int("eight_connections.slots", slots("8"));
}

int main(void)
{
    fact_in_child("one_connection", one);
    fact_in_child("eight_connections", many);
    return 0;
}
