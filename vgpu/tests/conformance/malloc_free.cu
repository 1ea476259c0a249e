/*
 * malloc_free.cu: what cudaMalloc and cudaFree return at their edges.
 * Source: Runtime API, Memory Management, cudaMalloc, cudaFree.
 */
#include "fact.h"

static void allocate(void)
{
    void *memory = (void *)1;
    void *other = NULL;

    fact_error("malloc_null_result.error", cudaMalloc((void **)NULL, 16));
    fact_last("malloc_null_result.latched");
    fact_error("malloc_0_bytes.error", cudaMalloc(&memory, 0));
    fact_yes("malloc_0_bytes.pointer_is_null", memory == NULL);
    fact_error("free_of_0_bytes.error", cudaFree(memory));
    fact_error("malloc_1_byte.error", cudaMalloc(&memory, 1));
    fact_error("malloc_second_byte.error", cudaMalloc(&other, 1));
    fact_yes("aligned_to_256", (uintptr_t)memory % 256 == 0);
    fact_yes("second_aligned_to_256", (uintptr_t)other % 256 == 0);
    fact_yes("addresses_differ", memory != other);
    fact_error("free.error", cudaFree(memory));
    fact_error("free_second.error", cudaFree(other));
    memory = (void *)1;
    fact_error("malloc_too_much.out_of_memory",
               cudaMalloc(&memory, (size_t)1 << 60));
    fact_last("malloc_too_much.latched");
    fact_error("malloc_all_ones.error", cudaMalloc(&memory, SIZE_MAX));
    fact_last("malloc_all_ones.latched");
    fact_error("malloc_after_failure.error", cudaMalloc(&other, 64));
    MUST(cudaFree(other));
}

static void release(void)
{
    char *memory = NULL;
    void *pinned = NULL;
    int on_stack = 0;

    fact_error("free_null.error", cudaFree(NULL));
    MUST(cudaMalloc((void **)&memory, 4096));
    fact_error("free_interior.error", cudaFree(memory + 256));
    fact_last("free_interior.latched");
    fact_error("free_once.error", cudaFree(memory));
    fact_error("free_twice.error", cudaFree(memory));
    fact_last("free_twice.latched");
    fact_error("free_stack_pointer.error", cudaFree(&on_stack));
    fact_last("free_stack_pointer.latched");
    fact_error("free_wild_pointer.error", cudaFree((void *)4096));
    fact_last("free_wild_pointer.latched");
    MUST(cudaMallocHost(&pinned, 4096));
    fact_error("free_of_pinned_pointer.error", cudaFree(pinned));
    fact_last("free_of_pinned_pointer.latched");
    fact_error("free_host_of_pinned_pointer.error", cudaFreeHost(pinned));
}

static void measure(void)
{
    const size_t size = (size_t)64 << 20;
    size_t before = 0;
    size_t after = 0;
    size_t total = 0;
    void *memory = NULL;

    MUST(cudaMemGetInfo(&before, &total));
    MUST(cudaMalloc(&memory, size));
    MUST(cudaMemGetInfo(&after, &total));
    fact_yes("free_memory_drops_by_at_least_the_size",
             before >= after && before - after >= size);
    MUST(cudaFree(memory));
    MUST(cudaMemGetInfo(&after, &total));
    fact_yes("free_memory_returns", after >= before);
}

int main(void)
{
    MUST(cudaFree(NULL));
    allocate();
    release();
    measure();
    return 0;
}
