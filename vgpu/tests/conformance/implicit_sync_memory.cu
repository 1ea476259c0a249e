/*
 * implicit_sync_memory.cu: which allocation calls keep the host waiting for
 * a kernel in a non-blocking stream (N) or a blocking one (B). Nothing of it
 * is promised by the manual.
 * Source: observed; programming guide, Implicit Synchronization.
 */
#include "fact.h"

enum { SIZE = 64 << 10 };

static void allocate(cudaStream_t n, cudaStream_t b)
{
    void *memory[8] = {NULL};

    FACT_WAITS("cudaMalloc.N_busy", n, cudaMalloc(&memory[0], SIZE));
    FACT_WAITS("cudaMalloc.B_busy", b, cudaMalloc(&memory[1], SIZE));
    FACT_WAITS("cudaMalloc_16MiB.B_busy", b, cudaMalloc(&memory[2], 16 << 20));
    FACT_WAITS("cudaMallocHost.B_busy", b, cudaMallocHost(&memory[3], SIZE));
    FACT_WAITS("cudaHostAlloc_mapped.B_busy", b,
               cudaHostAlloc(&memory[4], SIZE, cudaHostAllocMapped));
    FACT_WAITS("cudaMallocManaged.B_busy", b,
               cudaMallocManaged(&memory[5], SIZE, cudaMemAttachGlobal));

    FACT_WAITS("cudaFree.N_busy", n, cudaFree(memory[0]));
    FACT_WAITS("cudaFree.B_busy", b, cudaFree(memory[1]));
    FACT_WAITS("cudaFree_16MiB.N_busy", n, cudaFree(memory[2]));
    FACT_WAITS("cudaFreeHost.N_busy", n, cudaFreeHost(memory[3]));
    FACT_WAITS("cudaFreeHost_mapped.B_busy", b, cudaFreeHost(memory[4]));
    FACT_WAITS("cudaFree_managed.B_busy", b, cudaFree(memory[5]));
    FACT_WAITS("cudaFree_null.B_busy", b, cudaFree(NULL));
}

static void register_memory(cudaStream_t n, cudaStream_t b)
{
    void *memory = NULL;

    if (posix_memalign(&memory, 4096, SIZE))
        exit(1);
    memset(memory, 0, SIZE);
    MUST(cudaHostRegister(memory, SIZE, cudaHostRegisterDefault));
    MUST(cudaHostUnregister(memory));
    FACT_WAITS("cudaHostRegister.B_busy", b,
               cudaHostRegister(memory, SIZE, cudaHostRegisterDefault));
    FACT_WAITS("cudaHostUnregister.B_busy", b, cudaHostUnregister(memory));
    FACT_WAITS("cudaHostRegister.N_busy", n,
               cudaHostRegister(memory, SIZE, cudaHostRegisterDefault));
    FACT_WAITS("cudaHostUnregister.N_busy", n, cudaHostUnregister(memory));
    free(memory);
}

static void stream_ordered(cudaStream_t n, cudaStream_t b)
{
    void *memory = NULL;

    MUST(cudaMallocAsync(&memory, SIZE, b));
    MUST(cudaFreeAsync(memory, b));
    MUST(cudaDeviceSynchronize());
    FACT_WAITS("cudaMallocAsync.same_stream", n,
               cudaMallocAsync(&memory, SIZE, n));
    FACT_WAITS("cudaFreeAsync.same_stream", n, cudaFreeAsync(memory, n));
    FACT_WAITS("cudaMallocAsync.other_stream", n,
               cudaMallocAsync(&memory, SIZE, b));
    FACT_WAITS("cudaFree_of_async.N_busy", n, cudaFree(memory));
}

int main(void)
{
    cudaStream_t b, n;
    void *memory = NULL;

    fact_warm_up();
    MUST(cudaStreamCreate(&b));
    MUST(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    MUST(cudaMallocHost(&memory, SIZE));
    MUST(cudaFreeHost(memory));
    MUST(cudaMallocManaged(&memory, SIZE, cudaMemAttachGlobal));
    MUST(cudaFree(memory));
    allocate(n, b);
    register_memory(n, b);
    stream_ordered(n, b);
    return 0;
}
