/*
 * dev_printf.cu: one thread's printf lines come out in order, at a
 * synchronising call at the latest; it returns its number of arguments.
 * Source: programming guide, Formatted Output.
 */
#include "fact.h"

static __global__ void say(int n, int *returned)
{
    for (int i = 0; i < n; i++)
        printf("device_line_%d=%d\n", i, i * i);
    *returned = printf("device_formats=%d %u %x %c %s %5.2f %lld %%\n", -1, 7u,
                       255, 'c', "text", 2.5, 1ll << 40);
    returned[1] = printf("device_plain=yes\n");
}

static __global__ void speak_once(int launch)
{
    if (threadIdx.x == 3)
        printf("device_launch_%d=thread %d\n", launch, (int)threadIdx.x);
}

int main(void)
{
    int *returned;
    int host[2] = {-9, -9};

    MUST(cudaMalloc((void **)&returned, sizeof(host)));
    say<<<1, 1>>>(5, returned);
    fact_error("synchronize.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(host, returned, sizeof(host), cudaMemcpyDeviceToHost));
    fflush(stdout);
    fact_int("returns_number_of_arguments", host[0]);
    fact_int("returns_without_arguments", host[1]);
    for (int i = 0; i < 3; i++) {
        speak_once<<<1, 8>>>(i);
        fact("printed_from_launch_%d=%d", i, (int)cudaDeviceSynchronize());
    }
    return 0;
}
