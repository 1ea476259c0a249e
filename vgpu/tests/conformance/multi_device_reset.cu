// gpus: 2
/*
 * multi_device_reset.cu: cudaDeviceReset ends only what is on the current
 * device.
 * Source: Runtime API, Device Management, cudaDeviceReset.
 */
#include "fact.h"

int main(void)
{
    struct cudaPointerAttributes a;
    int *memory[2];
    int value = 12;
    int back = 0;

    fact_need_gpus(2);
    for (int d = 0; d < 2; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaMalloc((void **)&memory[d], sizeof(int)));
        MUST(cudaMemcpy(memory[d], &value, 4, cudaMemcpyHostToDevice));
    }
    fact_error("reset_device_1.error", cudaDeviceReset());
    MUST(cudaGetDevice(&back));
    fact_int("current_after_reset", back);
    MUST(cudaPointerGetAttributes(&a, memory[1]));
    fact_int("type_of_device_1_pointer", a.type);
    MUST(cudaPointerGetAttributes(&a, memory[0]));
    fact_int("type_of_device_0_pointer", a.type);
    MUST(cudaSetDevice(0));
    fact_error("copy_from_device_0.error",
               cudaMemcpy(&back, memory[0], 4, cudaMemcpyDeviceToHost));
    fact_int("value_on_device_0", back);
    return 0;
}
