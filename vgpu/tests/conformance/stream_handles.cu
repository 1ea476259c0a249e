/*
 * stream_handles.cu: the special handles cudaStreamLegacy and
 * cudaStreamPerThread name the two default streams in any compilation.
 * Source: Runtime API, Stream synchronization behavior; Data types.
 */
#include "fact.h"

static cudaEvent_t slow_done, quick_done;
static int *memory;

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

static void ask(const char *name, cudaStream_t stream)
{
    unsigned int flags = 99;
    int priority = 99;

    fact("%s.query=%d", name, (int)cudaStreamQuery(stream));
    fact("%s.synchronize=%d", name, (int)cudaStreamSynchronize(stream));
    fact("%s.get_flags=%d", name, (int)cudaStreamGetFlags(stream, &flags));
    fact("%s.flags=%u", name, flags);
    fact("%s.get_priority=%d", name,
         (int)cudaStreamGetPriority(stream, &priority));
    fact("%s.priority=%d", name, priority);
}

int main(void)
{
    unsigned long long id_0 = 0;
    unsigned long long id_legacy = 0;
    unsigned long long id_per_thread = 0;
    cudaStream_t b;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    MUST(cudaEventCreateWithFlags(&slow_done, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&quick_done, cudaEventDisableTiming));
    MUST(cudaStreamCreate(&b));
    fact_int("legacy_handle", (long long)(uintptr_t)cudaStreamLegacy);
    fact_int("per_thread_handle", (long long)(uintptr_t)cudaStreamPerThread);
    ask("legacy", cudaStreamLegacy);
    ask("per_thread", cudaStreamPerThread);
    MUST(cudaStreamGetId(0, &id_0));
    MUST(cudaStreamGetId(cudaStreamLegacy, &id_legacy));
    MUST(cudaStreamGetId(cudaStreamPerThread, &id_per_thread));
    fact_yes("stream_0_is_legacy", id_0 == id_legacy);
    fact_yes("per_thread_id_differs", id_0 != id_per_thread);

    slow_then_quick("legacy_after_0", 0, cudaStreamLegacy);
    slow_then_quick("per_thread_after_legacy", cudaStreamLegacy,
                    cudaStreamPerThread);
    slow_then_quick("legacy_after_per_thread", cudaStreamPerThread,
                    cudaStreamLegacy);
    slow_then_quick("per_thread_after_blocking", b, cudaStreamPerThread);
    slow_then_quick("blocking_after_per_thread", cudaStreamPerThread, b);
    return 0;
}
