// flags: --default-stream per-thread
/*
 * per_thread_default.cu: compiled for a per-thread default stream, stream 0
 * is a blocking stream of its thread: it does not wait for other streams,
 * but still synchronises with the legacy one.
 * Source: Runtime API, Stream synchronization behavior.
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

int main(void)
{
    cudaStream_t b, n;
    unsigned long long id_0 = 0;
    unsigned long long id_per_thread = 0;
    unsigned long long id_legacy = 0;
    int *pinned;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, 64));
    MUST(cudaMallocHost((void **)&pinned, 64));
    MUST(cudaEventCreateWithFlags(&slow_done, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&quick_done, cudaEventDisableTiming));
    MUST(cudaStreamCreate(&b));
    MUST(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    MUST(cudaStreamGetId(0, &id_0));
    MUST(cudaStreamGetId(cudaStreamPerThread, &id_per_thread));
    MUST(cudaStreamGetId(cudaStreamLegacy, &id_legacy));
    fact_yes("stream_0_is_per_thread", id_0 == id_per_thread);
    fact_yes("stream_0_is_legacy", id_0 == id_legacy);

    slow_then_quick("stream_0_after_blocking", b, 0);
    slow_then_quick("blocking_after_stream_0", 0, b);
    slow_then_quick("stream_0_after_nonblocking", n, 0);
    slow_then_quick("stream_0_after_legacy", cudaStreamLegacy, 0);
    slow_then_quick("legacy_after_stream_0", 0, cudaStreamLegacy);
    slow_then_quick("legacy_after_blocking", b, cudaStreamLegacy);

    FACT_WAITS("copy_to_device_small.blocking_busy", b,
               cudaMemcpy(memory, pinned, 64, cudaMemcpyHostToDevice));
    FACT_WAITS("copy_to_host_small.blocking_busy", b,
               cudaMemcpy(pinned, memory, 64, cudaMemcpyDeviceToHost));
    FACT_WAITS("copy_to_host_small.stream_0_busy", 0,
               cudaMemcpy(pinned, memory, 64, cudaMemcpyDeviceToHost));
    FACT_WAITS("stream_0_synchronize.blocking_busy", b,
               cudaStreamSynchronize(0));
    FACT_WAITS("legacy_synchronize.blocking_busy", b,
               cudaStreamSynchronize(cudaStreamLegacy));
    return 0;
}
