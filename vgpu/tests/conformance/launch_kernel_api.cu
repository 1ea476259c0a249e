/*
 * launch_kernel_api.cu: cudaLaunchKernel does what <<<>>> does and returns
 * the error; an address that is no kernel's is error 98.
 * Source: Runtime API, Execution Control, cudaLaunchKernel.
 */
#include "fact.h"

static __global__ void affine(int *values, int n, int factor, int offset)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        values[i] = factor * i + offset;
}

static int not_a_kernel;

int main(void)
{
    cudaStream_t s;
    int *values = NULL;
    int n = 100;
    int factor = 3;
    int offset = 7;
    int back[2] = {0, 0};
    void *args[] = {&values, &n, &factor, &offset};

    fact_warm_up();
    MUST(cudaStreamCreate(&s));
    MUST(cudaMalloc((void **)&values, 128 * sizeof(int)));
    MUST(cudaMemset(values, 0, 128 * sizeof(int)));
    fact_error("launch.error", cudaLaunchKernel((const void *)affine, dim3(4),
                                                dim3(32), args, 0, s));
    /* Arguments were taken at the call. */
    factor = 1000;
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(back, values + 99, 8, cudaMemcpyDeviceToHost));
    fact("values=%d %d", back[0], back[1]);

    fact_slow_ms(s, 10);
    offset = 1;
    factor = 2;
    fact_error(
        "launch_in_busy_stream.error",
        cudaLaunchKernel((const void *)affine, dim3(4), dim3(32), args, 0, s));
    offset = 5000;
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(back, values + 99, 4, cudaMemcpyDeviceToHost));
    fact_int("argument_changed_after_the_call.value", back[0]);

    fact_error("block_too_large.error",
               cudaLaunchKernel((const void *)affine, dim3(1), dim3(2048), args,
                                0, s));
    fact_last("block_too_large.latched");
    fact_error("grid_0.error", cudaLaunchKernel((const void *)affine, dim3(0),
                                                dim3(1), args, 0, s));
    fact_last("grid_0.latched");
    fact_error(
        "null_function.error",
        cudaLaunchKernel((const void *)NULL, dim3(1), dim3(1), args, 0, s));
    fact_last("null_function.latched");
    fact_error("not_a_kernel.invalid_device_function",
               cudaLaunchKernel((const void *)&not_a_kernel, dim3(1), dim3(1),
                                args, 0, s));
    fact_last("not_a_kernel.latched");
    fact_error("synchronize.error", cudaStreamSynchronize(s));
    return 0;
}
