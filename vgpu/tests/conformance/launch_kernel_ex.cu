/*
 * launch_kernel_ex.cu: cudaLaunchKernelExC launches with a configuration
 * structure and optional attributes.
 * Source: Runtime API, Execution Control, cudaLaunchKernelExC.
 */
#include "fact.h"

static __global__ void sum(int *result, int a, int b)
{
    atomicAdd(result, a + b);
}

int main(void)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    cudaStream_t s;
    int *result = NULL;
    int a = 2;
    int b = 3;
    int back = 0;
    void *args[] = {&result, &a, &b};

    fact_warm_up();
    MUST(cudaStreamCreate(&s));
    MUST(cudaMalloc((void **)&result, sizeof(int)));
    MUST(cudaMemset(result, 0, sizeof(int)));
    MUST(cudaDeviceSynchronize());
    config.gridDim = dim3(2);
    config.blockDim = dim3(4);
    config.stream = s;
    fact_error("no_attributes.error",
               cudaLaunchKernelExC(&config, (const void *)sum, args));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(&back, result, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("no_attributes.value", back);

    attribute.id = cudaLaunchAttributePriority;
    attribute.val.priority = 0;
    config.attrs = &attribute;
    config.numAttrs = 1;
    fact_error("priority.error",
               cudaLaunchKernelExC(&config, (const void *)sum, args));
    fact_error("by_template.error",
               cudaLaunchKernelEx(&config, sum, result, 10, 20));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(&back, result, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("all_launches.value", back);

    config.blockDim = dim3(1025);
    fact_error("block_too_large.error",
               cudaLaunchKernelExC(&config, (const void *)sum, args));
    fact_last("block_too_large.latched");
    config.blockDim = dim3(1);
    fact_error("null_function.error", cudaLaunchKernelExC(&config, NULL, args));
    fact_last("null_function.latched");
    return 0;
}
