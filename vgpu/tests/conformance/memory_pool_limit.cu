/*
 * memory_pool_limit.cu: a pool with a maximum size that is all taken. What is
 * freed in a stream may be taken there again; in another stream, while the work
 * before the free still runs, the pool may make that stream wait, may make the
 * host wait, or refuses, as its attributes say.
 * Source: guide, Stream Ordered Memory Allocator, reuse policies; reference,
 * cudaMemPoolProps.
 */
#include "fact.h"

#define PIECE ((size_t)64 << 20)

static cudaStream_t a, b;
static cudaEvent_t before, after;

static cudaMemPool_t make_pool(void)
{
    cudaMemPoolProps properties = {};
    cudaMemPool_t pool;

    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    properties.maxSize = 2 * PIECE;
    MUST(cudaMemPoolCreate(&pool, &properties));
    return pool;
}

static cudaError_t take(cudaMemPool_t pool, void **memory, size_t bytes,
                        cudaStream_t stream)
{
    const cudaError_t error =
        cudaMallocFromPoolAsync(memory, bytes, pool, stream);

    cudaGetLastError();
    return error;
}

/* Nothing is freed. */
static void full(void)
{
    cudaMemPool_t pool = make_pool();
    void *first, *second, *more;

    fact_error("more_than_all", take(pool, &more, 3 * PIECE, a));
    fact_error("first", take(pool, &first, PIECE, a));
    fact_error("second", take(pool, &second, PIECE, a));
    fact_error("third", take(pool, &more, PIECE, a));
    fact_error("third.other_stream", take(pool, &more, PIECE, b));
    MUST(cudaFreeAsync(first, a));
    fact_error("freed.same_stream", take(pool, &first, PIECE, a));
    MUST(cudaFreeAsync(first, a));
    MUST(cudaStreamSynchronize(a));
    fact_error("freed.waited_for.other_stream", take(pool, &first, PIECE, b));
    MUST(cudaFreeAsync(first, b));
    MUST(cudaFreeAsync(second, b));
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemPoolDestroy(pool));
}

/* One stream frees after slow work; another one takes. Who waits, if it gets
 * memory: the host in the call, or the stream? */
static void freed_late(const char *name, int internal, int opportunistic)
{
    cudaMemPool_t pool = make_pool();
    void *all, *other = NULL;
    cudaError_t error;
    int held;

    MUST(cudaMemPoolSetAttribute(
        pool, cudaMemPoolReuseAllowInternalDependencies, &internal));
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic,
                                 &opportunistic));
    MUST(take(pool, &all, 2 * PIECE, a));
    fact_slow_ms(a, FACT_SLOW_MS);
    MUST(cudaFreeAsync(all, a));
    MUST(cudaEventRecord(before, a));
    error = take(pool, &other, PIECE, b);
    held = cudaEventQuery(before) == cudaSuccess;
    cudaGetLastError();
    printf("%s.", name);
    fact_error("error", error);
    printf("%s.", name);
    fact_yes("host_waited", held);
    if (error == cudaSuccess) {
        MUST(cudaEventRecord(after, b));
        while (cudaEventQuery(after) == cudaErrorNotReady)
            continue;
        printf("%s.", name);
        fact_yes("stream_waited", cudaEventQuery(before) == cudaSuccess);
        MUST(cudaFreeAsync(other, b));
    }
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemPoolDestroy(pool));
}

int main(void)
{
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&before, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&after, cudaEventDisableTiming));
    fact_rounds_per_ms();
    full();
    freed_late("all_policies", 1, 1);
    freed_late("no_internal", 0, 1);
    freed_late("neither", 0, 0);
    return 0;
}
