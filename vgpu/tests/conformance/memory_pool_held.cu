/*
 * memory_pool_held.cu: what a pool takes from its device, whom it gives freed
 * memory to, and when it gives it back. Counted in pieces of 64 MiB.
 * Source: guide, Stream Ordered Memory Allocator; Runtime API, cudaMemPoolAttr.
 */
#include "fact.h"

#define PIECE ((size_t)64 << 20)

static cudaMemPool_t pool;
static cudaStream_t a, b;
static cudaEvent_t event;

static unsigned long long get(enum cudaMemPoolAttr which)
{
    unsigned long long value = 0;

    MUST(cudaMemPoolGetAttribute(pool, which, &value));
    return value;
}

static void set(enum cudaMemPoolAttr which, unsigned long long value)
{
    MUST(cudaMemPoolSetAttribute(pool, which, &value));
}

/* To the nearest one. */
static void fact_pieces(const char *key, enum cudaMemPoolAttr which)
{
    fact_int(key, (long long)((get(which) + PIECE / 2) / PIECE));
}

static void fact_held(const char *key)
{
    fact_pieces(key, cudaMemPoolAttrReservedMemCurrent);
}

static void empty(void)
{
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemPoolTrimTo(pool, 0));
}

/* Memory of stream a is free behind a kernel that runs. */
static void leave_busy(size_t bytes)
{
    void *memory = NULL;

    MUST(cudaMallocAsync(&memory, bytes, a));
    fact_slow_ms(a, FACT_SLOW_MS);
    MUST(cudaFreeAsync(memory, a));
}

/* What is held when @stream takes @bytes, and may use them by then. */
static void take(const char *key, size_t bytes, cudaStream_t stream)
{
    void *memory = NULL;

    MUST(cudaMallocAsync(&memory, bytes, stream));
    fact_held(key);
    MUST(cudaFreeAsync(memory, stream));
    empty();
}

static void reuse(void)
{
    int off = 0, on = 1;

    set(cudaMemPoolAttrReleaseThreshold, ~0ull);
    leave_busy(PIECE);
    fact_pieces("busy.used", cudaMemPoolAttrUsedMemCurrent);
    fact_held("busy.held");
    take("same_stream.held", PIECE, a);
    leave_busy(PIECE);
    take("other_stream.held", PIECE, b);
    leave_busy(PIECE);
    MUST(cudaEventRecord(event, a));
    MUST(cudaStreamWaitEvent(b, event, 0));
    take("other_stream_after_event.held", PIECE, b);
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseFollowEventDependencies,
                                 &off));
    leave_busy(PIECE);
    MUST(cudaEventRecord(event, a));
    MUST(cudaStreamWaitEvent(b, event, 0));
    take("not_following_events.held", PIECE, b);
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseFollowEventDependencies,
                                 &on));
}

/* Are pieces cut and joined? */
static void sizes(void)
{
    void *first = NULL, *second = NULL;

    leave_busy(2 * PIECE);
    MUST(cudaMallocAsync(&first, PIECE, a));
    MUST(cudaMallocAsync(&second, PIECE, a));
    fact_held("one_cut_in_two.held");
    MUST(cudaFreeAsync(first, a));
    MUST(cudaFreeAsync(second, a));
    take("two_joined.held", 2 * PIECE, a);
}

/* Three free pieces, and nothing that waits for them yet. */
static void leave_three(void)
{
    void *memory[3] = {NULL, NULL, NULL};

    for (int i = 0; i < 3; i++)
        MUST(cudaMallocAsync(&memory[i], PIECE, a));
    for (int i = 0; i < 3; i++)
        MUST(cudaFreeAsync(memory[i], a));
}

static void give_back(void)
{
    int host = 0;
    int *device = NULL;

    leave_three();
    MUST(cudaStreamSynchronize(a));
    fact_held("keep_all.stream_sync.held");
    MUST(cudaMemPoolTrimTo(pool, PIECE));
    fact_held("keep_all.trim_to_one.held");
    MUST(cudaMemPoolTrimTo(pool, 0));
    fact_held("keep_all.trim_to_none.held");
    leave_busy(PIECE);
    MUST(cudaMemPoolTrimTo(pool, 0));
    fact_held("keep_all.trim_while_busy.held");
    empty();

    set(cudaMemPoolAttrReleaseThreshold, PIECE);
    leave_three();
    MUST(cudaStreamSynchronize(a));
    fact_held("keep_one.stream_sync.held");
    empty();

    set(cudaMemPoolAttrReleaseThreshold, 0);
    leave_three();
    MUST(cudaEventRecord(event, a));
    while (cudaEventQuery(event) == cudaErrorNotReady)
        ;
    fact_held("keep_none.event_query.held");
    MUST(cudaEventSynchronize(event));
    fact_held("keep_none.event_sync.held");
    empty();
    leave_three();
    MUST(cudaDeviceSynchronize());
    fact_held("keep_none.device_sync.held");
    MUST(cudaMalloc(&device, sizeof *device));
    leave_three();
    MUST(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    fact_held("keep_none.copy_that_waits.held");
    empty();
    MUST(cudaFree(device));
}

/* The pool's memory is the device's that nobody else has. */
static void counted(void)
{
    size_t before, after, total;
    void *memory = NULL;

    set(cudaMemPoolAttrReleaseThreshold, ~0ull);
    MUST(cudaMemGetInfo(&before, &total));
    MUST(cudaMallocAsync(&memory, 4 * PIECE, a));
    MUST(cudaStreamSynchronize(a));
    MUST(cudaMemGetInfo(&after, &total));
    fact_int("device_lacks", (long long)((before - after) / PIECE));
    MUST(cudaFree(memory));
    fact_pieces("freed_by_cudaFree.used", cudaMemPoolAttrUsedMemCurrent);
    fact_held("freed_by_cudaFree.held");
    set(cudaMemPoolAttrReservedMemHigh, 0);
    set(cudaMemPoolAttrUsedMemHigh, 0);
    fact_pieces("high_set_back.used", cudaMemPoolAttrUsedMemHigh);
    fact_pieces("high_set_back.held", cudaMemPoolAttrReservedMemHigh);
    empty();
    MUST(cudaMemGetInfo(&after, &total));
    fact_int("device_lacks_after_trim", (long long)((before - after) / PIECE));
}

int main(void)
{
    fact_warm_up();
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    fact_rounds_per_ms();
    reuse();
    sizes();
    give_back();
    counted();
    return 0;
}
