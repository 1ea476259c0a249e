/*
 * memory_pool_streams.cu: whom a pool gives memory to that one stream took and
 * another freed, while the work before the free still runs. Counted in pieces
 * of 64 MiB that are held once another one has been taken: 1, it was reused.
 * Source: guide, Stream Ordered Memory Allocator, reuse policies.
 */
#include "fact.h"

#define PIECE ((size_t)64 << 20)

static cudaMemPool_t pool;
static cudaStream_t a, b, c;
static cudaEvent_t event;

static void fact_held(const char *key)
{
    unsigned long long held = 0;

    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent,
                                 &held));
    fact_int(key, (long long)((held + PIECE / 2) / PIECE));
}

/* @later waits for what @first has by now. */
static void order(cudaStream_t first, cudaStream_t later)
{
    MUST(cudaEventRecord(event, first));
    MUST(cudaStreamWaitEvent(later, event, 0));
}

static void *take(cudaStream_t stream)
{
    void *memory = NULL;

    MUST(cudaMallocAsync(&memory, PIECE, stream));
    return memory;
}

/* Take in @stream, tell what is held by then, and empty the pool. */
static void take_and_tell(const char *key, cudaStream_t stream)
{
    void *memory = take(stream);

    fact_held(key);
    MUST(cudaFreeAsync(memory, stream));
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemPoolTrimTo(pool, 0));
}

/* Taken in @taker, used in @user by slow work, freed in @freer, in order. */
static void use(cudaStream_t taker, cudaStream_t user, cudaStream_t freer)
{
    void *memory = take(taker);

    if (user != taker)
        order(taker, user);
    fact_slow_ms(user, FACT_SLOW_MS);
    if (freer != user)
        order(user, freer);
    MUST(cudaFreeAsync(memory, freer));
}

/* Two pieces side by side, freed by b one after the other; a waits for the
 * first free, or for both. */
static void use_two(bool for_both)
{
    void *first = take(a), *second = take(a);

    order(a, b);
    fact_slow_ms(b, FACT_SLOW_MS);
    MUST(cudaFreeAsync(first, b));
    order(b, a);
    MUST(cudaFreeAsync(second, b));
    if (for_both)
        order(b, a);
}

int main(void)
{
    unsigned long long all = ~0ull;

    fact_warm_up();
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    MUST(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    fact_rounds_per_ms();
    use(a, a, a);
    order(a, b);
    take_and_tell("a_took_and_freed.b_waits.b_takes", b);
    use(a, b, b);
    take_and_tell("a_took_b_freed.b_takes", b);
    use(a, b, b);
    order(b, a);
    take_and_tell("a_took_b_freed.a_waits.a_takes", a);
    use(a, b, b);
    order(b, c);
    take_and_tell("a_took_b_freed.c_waits.c_takes", c);
    use(a, b, a);
    take_and_tell("b_used_a_freed.a_takes", a);
    use(a, b, a);
    order(a, c);
    take_and_tell("b_used_a_freed.c_waits.c_takes", c);
    use(a, a, b);
    take_and_tell("a_used_b_freed.b_takes", b);
    use(a, a, b);
    order(b, a);
    take_and_tell("a_used_b_freed.a_waits.a_takes", a);
    use(a, b, c);
    order(c, a);
    take_and_tell("b_used_c_freed.a_waits.a_takes", a);
    use(a, a, a);
    order(a, b);
    order(b, c);
    take_and_tell("a_took_and_freed.c_waits_by_way_of_b.c_takes", c);
    use(b, b, b);
    order(b, a);
    order(a, a);
    take_and_tell("b_took_and_freed.a_waits.a_takes", a);
    use_two(false);
    take_and_tell("two_side_by_side.first_waited_for.a_takes", a);
    use_two(true);
    take_and_tell("two_side_by_side.both_waited_for.a_takes", a);
    return 0;
}
