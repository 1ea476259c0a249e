/*
 * memory_pool_free.cu: memory of a pool that is given back with cudaFree, with
 * work still under way that uses it and with none; what the pool counts then.
 * Source: programming guide, Stream-Ordered Memory Allocator.
 */
#include "fact.h"

#include <stdint.h>

static uint64_t used(void)
{
    cudaMemPool_t pool = NULL;
    uint64_t bytes = 0;

    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    return bytes;
}

int main(void)
{
    cudaStream_t s;
    void *memory = NULL, *more = NULL;

    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaMallocAsync(&memory, 1 << 16, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("used", (long long)used());
    fact_error("free.error", cudaFree(memory));
    fact_int("used_after_free", (long long)used());
    MUST(cudaStreamSynchronize(s));
    fact_int("used_after_stream", (long long)used());
    MUST(cudaDeviceSynchronize());
    fact_int("used_after_device", (long long)used());

    MUST(cudaMallocAsync(&memory, 1 << 16, s));
    fact_error("free_before_it_is_there.error", cudaFree(memory));
    fact_int("used_then", (long long)used());
    MUST(cudaStreamSynchronize(s));
    fact_int("used_then_after_stream", (long long)used());
    MUST(cudaDeviceSynchronize());
    MUST(cudaMallocAsync(&more, 1 << 16, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("used_by_the_next", (long long)used());
    fact_error("free_async.error", cudaFreeAsync(more, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("used_in_the_end", (long long)used());
    return 0;
}
