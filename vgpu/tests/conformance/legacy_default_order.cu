/*
 * legacy_default_order.cu: work in the legacy default stream waits for all
 * earlier work of blocking streams, and their later work waits for it;
 * non-blocking streams are exempt.
 * Source: Runtime API, Stream synchronization behavior.
 */
#include "fact.h"

static cudaEvent_t slow_done, quick_done;
static int *memory;

/* Slow work in @first, then quick work in @second; wait for the quick. */
static void slow_then_quick(const char *key, cudaStream_t first,
                            cudaStream_t second)
{
    MUST(cudaDeviceSynchronize());
    fact_slow(first);
    MUST(cudaEventRecord(slow_done, first));
    fact_store<<<1, 1, 0, second>>>(memory, 1);
    MUST(cudaEventRecord(quick_done, second));
    MUST(cudaEventSynchronize(quick_done));
    fact("%s.waits=%s", key, fact_is_done(slow_done));
    MUST(cudaDeviceSynchronize());
}

int main(void)
{
    cudaStream_t b1, b2, n1, n2;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    MUST(cudaEventCreateWithFlags(&slow_done, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&quick_done, cudaEventDisableTiming));
    MUST(cudaStreamCreate(&b1));
    MUST(cudaStreamCreate(&b2));
    MUST(cudaStreamCreateWithFlags(&n1, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&n2, cudaStreamNonBlocking));

    slow_then_quick("default_after_blocking", b1, 0);
    slow_then_quick("default_after_nonblocking", n1, 0);
    slow_then_quick("blocking_after_default", 0, b1);
    slow_then_quick("nonblocking_after_default", 0, n1);
    slow_then_quick("blocking_after_blocking", b1, b2);
    slow_then_quick("nonblocking_after_nonblocking", n1, n2);
    slow_then_quick("nonblocking_after_blocking", b1, n1);
    slow_then_quick("default_after_default", 0, 0);
    slow_then_quick("same_blocking_stream", b1, b1);

    /* A default stream action between two blocking streams orders them. */
    MUST(cudaDeviceSynchronize());
    fact_slow(b1);
    MUST(cudaEventRecord(slow_done, b1));
    fact_store<<<1, 1>>>(memory, 2);
    fact_store<<<1, 1, 0, b2>>>(memory, 3);
    MUST(cudaEventRecord(quick_done, b2));
    MUST(cudaEventSynchronize(quick_done));
    fact("blocking_default_blocking.waits=%s", fact_is_done(slow_done));

    MUST(cudaDeviceSynchronize());
    fact_slow(n1);
    MUST(cudaEventRecord(slow_done, n1));
    fact_store<<<1, 1>>>(memory, 2);
    fact_store<<<1, 1, 0, n2>>>(memory, 3);
    MUST(cudaEventRecord(quick_done, n2));
    MUST(cudaEventSynchronize(quick_done));
    fact("nonblocking_default_nonblocking.waits=%s", fact_is_done(slow_done));
    MUST(cudaDeviceSynchronize());
    return 0;
}
