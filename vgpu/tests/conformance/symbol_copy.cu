/*
 * symbol_copy.cu: device and constant variables are read and written by
 * name, with an offset; a host variable is error 13.
 * Source: Runtime API, Memory Management, cudaMemcpyToSymbol.
 */
#include "fact.h"

__device__ int numbers[4] = {10, 20, 30, 40};
__constant__ float scale = 2.5f;
__device__ long long zeroed;
static int on_host;

static __global__ void use(float *result)
{
    numbers[1] += 1;
    *result = scale * (float)numbers[0];
}

static void round_trip(void)
{
    int back[4] = {0};
    int values[2] = {7, 8};
    float *result;
    float seen = 0.0f;
    float new_scale = 4.0f;
    long long zero = -1;

    MUST(cudaMalloc((void **)&result, sizeof(float)));
    fact_error("from.error", cudaMemcpyFromSymbol(back, numbers, 16));
    fact_int("initial_value", back[3]);
    MUST(cudaMemcpyFromSymbol(&zero, zeroed, sizeof(zero)));
    fact_int("zero_initialised", zero);
    MUST(cudaMemcpyFromSymbol(&seen, scale, sizeof(seen)));
    fact("constant_initial_value=%g", (double)seen);
    fact_error("to_with_offset.error",
               cudaMemcpyToSymbol(numbers, values, 8, 8));
    fact_error("to_constant.error",
               cudaMemcpyToSymbol(scale, &new_scale, sizeof(float)));
    use<<<1, 1>>>(result);
    MUST(cudaMemcpy(&seen, result, sizeof(float), cudaMemcpyDeviceToHost));
    fact("kernel_sees_new_constant=%g", (double)seen);
    MUST(cudaMemcpyFromSymbol(back, numbers, 16));
    fact("values_after=%d %d %d %d", back[0], back[1], back[2], back[3]);
    MUST(cudaMemcpyFromSymbol(back, numbers, 4, 12));
    fact_int("from_with_offset", back[0]);
    fact_error("to_async.error",
               cudaMemcpyToSymbolAsync(numbers, values, 4, 0,
                                       cudaMemcpyHostToDevice, 0));
    fact_error("from_async.error",
               cudaMemcpyFromSymbolAsync(back, numbers, 4, 0,
                                         cudaMemcpyDeviceToHost, 0));
    MUST(cudaStreamSynchronize(0));
    fact_int("async_round_trip", back[0]);
}

static void address_and_size(void)
{
    void *address = NULL;
    size_t size = 0;
    int back = 0;

    fact_error("address.error", cudaGetSymbolAddress(&address, numbers));
    fact_error("size.error", cudaGetSymbolSize(&size, numbers));
    fact_int("size", (long long)size);
    MUST(cudaGetSymbolSize(&size, scale));
    fact_int("size_of_constant", (long long)size);
    MUST(cudaMemcpy(&back, (int *)address + 2, 4, cudaMemcpyDeviceToHost));
    fact_int("copy_by_address", back);
    fact_error("address_of_constant.error",
               cudaGetSymbolAddress(&address, scale));
}

static void errors(void)
{
    int value = 0;
    size_t size = 0;
    void *address = NULL;

    fact_error("to_host_variable.invalid_symbol",
               cudaMemcpyToSymbol(on_host, &value, 4));
    fact_last("to_host_variable.latched");
    fact_error("size_of_host_variable.invalid_symbol",
               cudaGetSymbolSize(&size, on_host));
    fact_last("size_of_host_variable.latched");
    fact_error("address_of_host_variable.invalid_symbol",
               cudaGetSymbolAddress(&address, on_host));
    fact_last("address_of_host_variable.latched");
    fact_error("offset_at_end.error",
               cudaMemcpyToSymbol(numbers, &value, 4, 16));
    fact_last("offset_at_end.latched");
    fact_error("wrong_kind.error", cudaMemcpyToSymbol(numbers, &value, 4, 0,
                                                      cudaMemcpyDeviceToHost));
    fact_last("wrong_kind.latched");
    fact_error("count_0.error", cudaMemcpyToSymbol(numbers, &value, 0));
}

int main(void)
{
    round_trip();
    address_and_size();
    errors();
    return 0;
}
