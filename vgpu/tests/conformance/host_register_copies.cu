/*
 * host_register_copies.cu: copies to and from registered memory give the
 * same values as pageable ones; one that starts inside a registered range
 * and leaves it is refused by some drivers.
 * Source: Runtime API, cudaHostRegister; the last rule observed.
 */
#include "fact.h"

enum { PAGE = 4096 };

static __global__ void add_one(int *values, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        values[i] += 1;
}

int main(void)
{
    void *memory = NULL;
    char *device;
    int *values;

    if (posix_memalign(&memory, PAGE, 4 * PAGE))
        return 1;
    values = (int *)memory;
    MUST(cudaMalloc((void **)&device, 4 * PAGE));
    MUST(cudaHostRegister(values, 2 * PAGE, cudaHostRegisterMapped));
    for (int i = 0; i < PAGE; i++)
        values[i] = i;
    MUST(cudaMemcpyAsync(device, values, 2 * PAGE, cudaMemcpyHostToDevice, 0));
    add_one<<<2, 1024>>>((int *)device, 2 * PAGE / 4);
    MUST(cudaMemcpyAsync(values, device, 2 * PAGE, cudaMemcpyDeviceToHost, 0));
    MUST(cudaStreamSynchronize(0));
    fact_int("value_after_copies", values[100]);

    add_one<<<2, 1024>>>(values, 2 * PAGE / 4);
    fact_error("kernel_on_registered_memory.error", cudaDeviceSynchronize());
    fact_int("value_after_kernel_on_it", values[100]);

    fact_error("copy_across_the_end.error",
               cudaMemcpy(device, values, 4 * PAGE, cudaMemcpyHostToDevice));
    fact_last("copy_across_the_end.latched");
    fact_error(
        "async_copy_across_the_end.error",
        cudaMemcpyAsync(device, values, 4 * PAGE, cudaMemcpyHostToDevice, 0));
    fact_last("async_copy_across_the_end.latched");
    fact_error("synchronize.error", cudaDeviceSynchronize());
    MUST(cudaHostUnregister(values));
    fact_error("copy_after_unregister.error",
               cudaMemcpy(device, values, 4 * PAGE, cudaMemcpyHostToDevice));
    free(memory);
    return 0;
}
