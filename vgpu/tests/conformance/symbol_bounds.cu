/*
 * symbol_bounds.cu: a copy to or from a variable by its name may not go beyond
 * it, whatever lies there; the middle of an array is no symbol; a variable's
 * own address is host memory to cudaMemcpy.
 * Source: Runtime API, Memory Management, cudaMemcpyToSymbol.
 */
#include "fact.h"

__device__ int numbers[4] = {10, 20, 30, 40}, more[4];
__constant__ float factors[8];
static int values[16];

int main(void)
{
    size_t size = 0;
    void *address = NULL;

    fact_error("to.too_many", cudaMemcpyToSymbol(numbers, values, 20));
    fact_last("to.too_many.latched");
    fact_error("to.offset_and_bytes",
               cudaMemcpyToSymbol(numbers, values, 8, 12));
    fact_last("to.offset_and_bytes.latched");
    fact_error("to.offset_beyond", cudaMemcpyToSymbol(numbers, values, 4, 64));
    fact_last("to.offset_beyond.latched");
    fact_error("to.negative_offset",
               cudaMemcpyToSymbol(numbers, values, 4, (size_t)-4));
    fact_last("to.negative_offset.latched");
    fact_error("to.constant_too_many", cudaMemcpyToSymbol(factors, values, 36));
    fact_last("to.constant_too_many.latched");
    fact_error("from.too_many", cudaMemcpyFromSymbol(values, numbers, 20));
    fact_last("from.too_many.latched");
    fact_error("to_async.too_many",
               cudaMemcpyToSymbolAsync(numbers, values, 20, 0,
                                       cudaMemcpyHostToDevice, 0));
    fact_last("to_async.too_many.latched");
    fact_error("from_async.too_many",
               cudaMemcpyFromSymbolAsync(values, numbers, 4, 16,
                                         cudaMemcpyDeviceToHost, 0));
    fact_last("from_async.too_many.latched");
    fact_error("middle.address",
               cudaGetSymbolAddress(&address, (const void *)&numbers[1]));
    fact_last("middle.address.latched");
    fact_error("middle.size",
               cudaGetSymbolSize(&size, (const void *)&numbers[1]));
    fact_last("middle.size.latched");
    fact_error("plain_copy_to_name",
               cudaMemcpy(numbers, values, 16, cudaMemcpyHostToDevice));
    fact_last("plain_copy_to_name.latched");
    fact_error("free_of_variable",
               (cudaGetSymbolAddress(&address, more), cudaFree(address)));
    fact_last("free_of_variable.latched");
    return 0;
}
