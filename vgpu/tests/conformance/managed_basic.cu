/*
 * managed_basic.cu: managed memory has one pointer for host and device; each
 * sees the other's writes after a synchronisation.
 * Source: programming guide, Unified Memory; Runtime API, cudaMallocManaged.
 */
#include "fact.h"

__managed__ int total = 3;

static __global__ void add(int *values, int n)
{
    for (int i = 0; i < n; i++)
        values[i] += total;
    total = 100;
}

int main(void)
{
    int *values;
    void *other = (void *)1;
    int back = 0;

    fact_int("managed_variable_at_start", total);
    fact_error("malloc.error",
               cudaMallocManaged((void **)&values, 64 * sizeof(int),
                                 cudaMemAttachGlobal));
    for (int i = 0; i < 64; i++)
        values[i] = i;
    total = 7;
    add<<<1, 1>>>(values, 64);
    fact_error("synchronize.error", cudaDeviceSynchronize());
    fact_int("value_after_kernel", values[10]);
    fact_int("managed_variable_after_kernel", total);
    fact_error("memset.error", cudaMemset(values, 0, 64 * sizeof(int)));
    MUST(cudaDeviceSynchronize());
    fact_int("value_after_memset", values[10]);
    values[0] = 77;
    fact_error("copy_default.error",
               cudaMemcpy(&back, values, sizeof(int), cudaMemcpyDefault));
    fact_int("copied_value", back);
    fact_error("free.error", cudaFree(values));
    fact_error("attach_host.error",
               cudaMallocManaged(&other, 64, cudaMemAttachHost));
    fact_error("attach_host_free.error", cudaFree(other));
    other = (void *)1;
    fact_error("bytes_0.error",
               cudaMallocManaged(&other, 0, cudaMemAttachGlobal));
    fact_last("bytes_0.latched");
    fact_error("flags_0.error", cudaMallocManaged(&other, 64, 0));
    fact_last("flags_0.latched");
    fact_error(
        "flags_both.error",
        cudaMallocManaged(&other, 64, cudaMemAttachGlobal | cudaMemAttachHost));
    fact_last("flags_both.latched");
    fact_error("symbol_copy.error",
               cudaMemcpyFromSymbol(&back, total, sizeof(int)));
    fact_int("symbol_copy.value", back);
    return 0;
}
