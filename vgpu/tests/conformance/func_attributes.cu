/*
 * func_attributes.cu: what the runtime knows of a kernel, and that launch
 * bounds are limits.
 * Source: Runtime API, Execution Control, cudaFuncGetAttributes.
 */
#include "fact.h"

static __global__ void __launch_bounds__(128) bounded(int *result)
{
    atomicAdd(result, 1);
}

static __global__ void with_shared(int *result)
{
    __shared__ int table[256];

    table[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    result[threadIdx.x] = table[255 - threadIdx.x];
}

static int not_a_kernel;

int main(void)
{
    struct cudaFuncAttributes a;
    struct cudaDeviceProp p;
    int *result;
    int back[256];

    MUST(cudaGetDeviceProperties(&p, 0));
    MUST(cudaMalloc((void **)&result, sizeof(back)));
    MUST(cudaMemset(result, 0, sizeof(back)));
    memset(&a, 0, sizeof(a));
    fact_error("get.error",
               cudaFuncGetAttributes(&a, (const void *)with_shared));
    fact_int("static_shared_bytes", (long long)a.sharedSizeBytes);
    fact_int("max_threads_per_block", a.maxThreadsPerBlock);
    fact_yes("uses_registers", a.numRegs > 0);
    fact_yes("binary_version_matches_device",
             a.binaryVersion <= 10 * p.major + p.minor);
    fact_int("max_dynamic_shared_bytes", a.maxDynamicSharedSizeBytes);
    MUST(cudaFuncGetAttributes(&a, (const void *)bounded));
    fact_int("bounded.max_threads_per_block", a.maxThreadsPerBlock);
    fact_int("bounded.static_shared_bytes", (long long)a.sharedSizeBytes);

    bounded<<<1, 128>>>(result);
    fact_error("bounded.launch_128", cudaGetLastError());
    bounded<<<1, 256>>>(result);
    fact_error("bounded.launch_256", cudaGetLastError());
    MUST(cudaMemcpy(back, result, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("bounded.threads_that_ran", back[0]);
    with_shared<<<1, 256>>>(result);
    MUST(cudaMemcpy(back, result, sizeof(back), cudaMemcpyDeviceToHost));
    fact("shared_values=%d %d", back[0], back[255]);
    with_shared<<<1, 256, 48 << 10>>>(result);
    fact_error("static_plus_dynamic_above_48_kib", cudaGetLastError());

    fact_error("null_function.error",
               cudaFuncGetAttributes(&a, (const void *)NULL));
    fact_last("null_function.latched");
    fact_error("not_a_kernel.invalid_device_function",
               cudaFuncGetAttributes(&a, (const void *)&not_a_kernel));
    fact_last("not_a_kernel.latched");
    return 0;
}
