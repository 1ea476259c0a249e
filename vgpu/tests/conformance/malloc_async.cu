/*
 * malloc_async.cu: stream-ordered allocation: usable in the stream's order
 * at once, freed in its order.
 * Source: Runtime API, Stream Ordered Memory Allocator.
 */
#include "fact.h"

int main(void)
{
    cudaStream_t s, other;
    cudaEvent_t ready;
    int *memory = NULL;
    void *second = NULL;
    int back = 0;

    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    fact_error("malloc.error", cudaMallocAsync((void **)&memory, 4096, s));
    fact_yes("pointer_known_at_return", memory != NULL);
    fact_store<<<1, 1, 0, s>>>(memory, 21);
    fact_error("use_in_stream.error", cudaGetLastError());
    MUST(cudaEventRecord(ready, s));
    MUST(cudaStreamWaitEvent(other, ready, 0));
    fact_store<<<1, 1, 0, other>>>(memory + 1, 22);
    MUST(cudaStreamSynchronize(other));
    MUST(cudaMemcpy(&back, memory + 1, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("use_in_other_stream_after_event", back);
    fact_error("free.error", cudaFreeAsync(memory, s));
    fact_error("synchronize.error", cudaStreamSynchronize(s));

    fact_error("malloc_0_bytes.error", cudaMallocAsync(&second, 0, s));
    fact_yes("malloc_0_bytes.pointer_is_null", second == NULL);
    cudaGetLastError();
    fact_error("malloc_null_result.error",
               cudaMallocAsync((void **)NULL, 64, s));
    fact_last("malloc_null_result.latched");
    fact_error("malloc_too_much.error",
               cudaMallocAsync(&second, (size_t)1 << 60, s));
    fact_last("malloc_too_much.latched");
    fact_error("free_null.error", cudaFreeAsync(NULL, s));
    cudaGetLastError();

    MUST(cudaMallocAsync(&second, 4096, s));
    fact_error("free_by_cudaFree.error", cudaFree(second));
    MUST(cudaMalloc(&second, 4096));
    fact_error("free_async_of_cudaMalloc.error", cudaFreeAsync(second, s));
    MUST(cudaDeviceSynchronize());
    MUST(cudaMallocAsync(&second, 4096, 0));
    fact_error("in_default_stream_free.error", cudaFreeAsync(second, 0));
    fact_error("free_twice.error", cudaFreeAsync(second, 0));
    fact_last("free_twice.latched");
    fact_error("free_stack_pointer.error", cudaFreeAsync(&back, s));
    fact_last("free_stack_pointer.latched");
    fact_error("synchronize_at_end.error", cudaDeviceSynchronize());
    return 0;
}
