/*
 * func_set_attribute.cu: more than 48 KiB of dynamic shared memory must be
 * allowed for a kernel first; values out of range are refused.
 * Source: Runtime API, Execution Control, cudaFuncSetAttribute.
 */
#include "fact.h"

extern __shared__ int words[];

static __global__ void use_last(int *result, int count)
{
    words[count - 1] = 77;
    *result = words[count - 1];
}

static const enum cudaFuncAttribute shared_size =
    cudaFuncAttributeMaxDynamicSharedMemorySize;
static const enum cudaFuncAttribute carveout =
    cudaFuncAttributePreferredSharedMemoryCarveout;

static cudaError_t set(enum cudaFuncAttribute which, int value)
{
    return cudaFuncSetAttribute((const void *)use_last, which, value);
}

int main(void)
{
    struct cudaFuncAttributes a;
    struct cudaDeviceProp p;
    const int size = 64 << 10;
    int *result;
    int back = 0;

    MUST(cudaGetDeviceProperties(&p, 0));
    MUST(cudaMalloc((void **)&result, sizeof(int)));
    use_last<<<1, 1, size>>>(result, size / 4);
    fact_error("launch_64_kib_before.error", cudaGetLastError());
    fact_error("allow_64_kib.error", set(shared_size, size));
    MUST(cudaFuncGetAttributes(&a, (const void *)use_last));
    fact_int("allowed_read_back", a.maxDynamicSharedSizeBytes);
    use_last<<<1, 1, size>>>(result, size / 4);
    fact_error("launch_64_kib_after.error", cudaGetLastError());
    MUST(cudaMemcpy(&back, result, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("launch_64_kib_after.value", back);
    use_last<<<1, 1, size + 16>>>(result, size / 4);
    fact_error("launch_above_allowed.error", cudaGetLastError());
    fact_error("allow_optin_maximum.error",
               set(shared_size, (int)p.sharedMemPerBlockOptin));
    fact_error("allow_too_much.error",
               set(shared_size, (int)p.sharedMemPerBlockOptin + 1));
    fact_last("allow_too_much.latched");
    fact_error("allow_negative.error", set(shared_size, -1));
    fact_last("allow_negative.latched");
    fact_error("carveout_default.error", set(carveout, -1));
    fact_error("carveout_100.error", set(carveout, 100));
    fact_error("carveout_101.error", set(carveout, 101));
    fact_last("carveout_101.latched");
    fact_error("unknown_attribute.error", set((enum cudaFuncAttribute)999, 1));
    fact_last("unknown_attribute.latched");
    fact_error("null_function.error",
               cudaFuncSetAttribute((const void *)NULL, shared_size, 0));
    fact_last("null_function.latched");
    return 0;
}
