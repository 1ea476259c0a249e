/*
 * memory_pool_again.cu: whose memory an allocation has: the address of what was
 * freed before it in its stream, at once; in another stream where an event
 * orders it after the free, or where the free is over.
 * Source: guide, Stream Ordered Memory Allocator, reuse policies; observed.
 */
#include "fact.h"

#define PIECE ((size_t)32 << 20)

static cudaMemPool_t pool;
static cudaStream_t a, b;
static cudaEvent_t event;

static void *take(size_t bytes, cudaStream_t stream)
{
    void *memory = NULL;

    MUST(cudaMallocAsync(&memory, bytes, stream));
    return memory;
}

static void empty(void)
{
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemPoolTrimTo(pool, 0));
}

static void allow(int follow, int opportunistic, int internal)
{
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseFollowEventDependencies,
                                 &follow));
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic,
                                 &opportunistic));
    MUST(cudaMemPoolSetAttribute(
        pool, cudaMemPoolReuseAllowInternalDependencies, &internal));
}

static void *leave_busy(size_t bytes)
{
    void *memory = take(bytes, a);

    fact_slow_ms(a, FACT_SLOW_MS);
    MUST(cudaFreeAsync(memory, a));
    MUST(cudaEventRecord(event, a));
    return memory;
}

static void same(const char *key, const void *was, cudaStream_t stream)
{
    void *memory = take(PIECE, stream);

    fact_yes(key, memory == was);
    MUST(cudaFreeAsync(memory, stream));
    empty();
}

static void ordered(void)
{
    void *was = leave_busy(PIECE);

    same("same_stream", was, a);
    was = leave_busy(PIECE);
    same("other_stream", was, b);
    was = leave_busy(PIECE);
    MUST(cudaStreamWaitEvent(b, event, 0));
    same("other_stream_after_event", was, b);
    allow(0, 0, 0);
    was = leave_busy(PIECE);
    MUST(cudaStreamWaitEvent(b, event, 0));
    same("no_policy.other_stream_after_event", was, b);
    was = leave_busy(PIECE);
    same("no_policy.same_stream", was, a);
}

/* The free is over when the other stream takes. */
static void over(const char *key, int opportunistic)
{
    void *was;

    allow(1, opportunistic, 0);
    was = leave_busy(PIECE);
    MUST(cudaStreamSynchronize(a));
    printf("%s.", key);
    same("stream_waited_for", was, b);
    was = leave_busy(PIECE);
    MUST(cudaDeviceSynchronize());
    printf("%s.", key);
    same("device_waited_for", was, b);
    was = leave_busy(PIECE);
    MUST(cudaEventSynchronize(event));
    printf("%s.", key);
    same("event_waited_for", was, b);
    was = leave_busy(PIECE);
    while (cudaStreamQuery(a) == cudaErrorNotReady)
        continue;
    printf("%s.", key);
    same("stream_asked", was, b);
}

static void cut_and_joined(void)
{
    void *was = leave_busy(PIECE);
    char *first = (char *)take(PIECE / 2, a), *second;

    second = (char *)take(PIECE / 2, a);
    fact_yes("first_half_begins_there", first == was);
    fact_yes("second_half_is_behind", second == first + PIECE / 2);
    MUST(cudaFreeAsync(first, a));
    MUST(cudaFreeAsync(second, a));
    same("joined_halves", was, a);
}

/* Free blocks of two sizes: which one is taken? */
static void best_fit(void)
{
    char *memory[6];

    for (int i = 0; i < 6; i++)
        memory[i] = (char *)take((i == 1 ? 4 : 2) * PIECE / 32, a);
    MUST(cudaFreeAsync(memory[1], a));
    MUST(cudaFreeAsync(memory[4], a));
    MUST(cudaStreamSynchronize(a));
    char *taken = (char *)take(2 * PIECE / 32, a);

    fact_yes("of_a_large_and_a_fitting_one.the_fitting", taken == memory[4]);
    fact_yes("of_a_large_and_a_fitting_one.the_large", taken == memory[1]);
    MUST(cudaFreeAsync(taken, a));
    for (int i = 0; i < 6; i++)
        if (i != 1 && i != 4)
            MUST(cudaFreeAsync(memory[i], a));
    empty();
}

static void by_free(void)
{
    void *was = take(PIECE, a);

    MUST(cudaStreamSynchronize(a));
    MUST(cudaFree(was));
    MUST(cudaDeviceSynchronize());
    same("freed_by_cudaFree", was, a);
}

int main(void)
{
    unsigned long long all = ~0ull;

    fact_warm_up();
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    MUST(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    fact_rounds_per_ms();
    ordered();
    over("opportunistic", 1);
    over("not_opportunistic", 0);
    cut_and_joined();
    best_fit();
    by_free();
    return 0;
}
