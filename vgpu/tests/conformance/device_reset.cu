/*
 * device_reset.cu: cudaDeviceReset destroys what the process had on the
 * device; the next call makes a new context, device variables start again
 * from their initial values.
 * Source: Runtime API, Device Management, cudaDeviceReset.
 */
#include "fact.h"

__device__ int counter = 5;

int main(void)
{
    struct cudaPointerAttributes attributes;
    int changed = 9;
    int seen = -1;
    int *memory = NULL;

    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    MUST(cudaMemcpyToSymbol(counter, &changed, sizeof(int)));
    MUST(cudaMemcpyFromSymbol(&seen, counter, sizeof(int)));
    fact_int("variable_before_reset", seen);
    fact_error("reset.error", cudaDeviceReset());
    fact_error("attributes_of_old_pointer.error",
               cudaPointerGetAttributes(&attributes, memory));
    fact_int("type_of_old_pointer", attributes.type);
    fact_error("free_of_old_pointer.error", cudaFree(memory));
    fact_last("free_of_old_pointer.latched");
    MUST(cudaMemcpyFromSymbol(&seen, counter, sizeof(int)));
    fact_int("variable_after_reset", seen);
    fact_error("malloc_after_reset.error",
               cudaMalloc((void **)&memory, sizeof(int)));
    fact_store<<<1, 1>>>(memory, 11);
    fact_error("launch_after_reset.error", cudaGetLastError());
    MUST(cudaMemcpy(&seen, memory, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("value_after_reset", seen);
    fact_error("second_reset.error", cudaDeviceReset());
    fact_error("third_reset_at_once.error", cudaDeviceReset());
    fact_warm_up();
    return 0;
}
