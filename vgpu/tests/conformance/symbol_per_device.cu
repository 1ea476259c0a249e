// gpus: 2
/*
 * symbol_per_device.cu: a device variable exists once per device, each with
 * the initial value, and a name means the current device's copy.
 * Source: Runtime API, cudaMemcpyToSymbol; programming guide, Multi-Device.
 */
#include "fact.h"

__device__ int number = 5;
__constant__ int factor = 2;

static __global__ void multiply(void)
{
    number *= factor;
}

int main(void)
{
    void *address[2];
    int back = 0;
    int value = 50;

    fact_need_gpus(2);
    MUST(cudaSetDevice(0));
    MUST(cudaMemcpyToSymbol(number, &value, sizeof(int)));
    MUST(cudaGetSymbolAddress(&address[0], number));
    MUST(cudaSetDevice(1));
    MUST(cudaMemcpyFromSymbol(&back, number, sizeof(int)));
    fact_int("device_1_keeps_initial_value", back);
    MUST(cudaGetSymbolAddress(&address[1], number));
    fact_yes("addresses_differ", address[0] != address[1]);
    multiply<<<1, 1>>>();
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpyFromSymbol(&back, number, sizeof(int)));
    fact_int("device_1_after_kernel", back);
    MUST(cudaSetDevice(0));
    MUST(cudaMemcpyFromSymbol(&back, number, sizeof(int)));
    fact_int("device_0_unchanged_by_kernel_on_1", back);
    value = 3;
    MUST(cudaMemcpyToSymbol(factor, &value, sizeof(int)));
    multiply<<<1, 1>>>();
    MUST(cudaMemcpyFromSymbol(&back, number, sizeof(int)));
    fact_int("device_0_after_kernel", back);
    MUST(cudaMemcpy(&back, address[1], sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("device_1_read_by_address_from_0", back);
    return 0;
}
