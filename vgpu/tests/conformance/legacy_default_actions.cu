/*
 * legacy_default_actions.cu: which actions in the legacy default stream wait
 * for blocking streams: kernels, memsets, copies, event records and waits.
 * Source: Runtime API, Stream synchronization behavior; observed.
 */
#include "fact.h"

static cudaEvent_t slow_done, mark;
static cudaStream_t b1, b2, n;
static int *memory, *pinned;

static void begin(cudaStream_t busy)
{
    MUST(cudaDeviceSynchronize());
    fact_slow(busy);
    MUST(cudaEventRecord(slow_done, busy));
}

/* Is the slow kernel done once the default stream's action is? */
static void end(const char *key)
{
    MUST(cudaEventRecord(mark, 0));
    MUST(cudaEventSynchronize(mark));
    fact("%s.waits=%s", key, fact_is_done(slow_done));
}

/* Is the slow kernel done once later work in another stream is? */
static void end_in(const char *key, cudaStream_t other)
{
    fact_store<<<1, 1, 0, other>>>(memory, 4);
    MUST(cudaEventRecord(mark, other));
    MUST(cudaEventSynchronize(mark));
    fact("%s.waits=%s", key, fact_is_done(slow_done));
}

int main(void)
{
    cudaEvent_t never, early;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, 64));
    MUST(cudaMallocHost((void **)&pinned, 64));
    MUST(cudaEventCreateWithFlags(&slow_done, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&never, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&early, cudaEventDisableTiming));
    MUST(cudaStreamCreate(&b1));
    MUST(cudaStreamCreate(&b2));
    MUST(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));

    begin(b1);
    end("event_record_alone");
    begin(b1);
    MUST(cudaMemsetAsync(memory, 0, 64, 0));
    end("memset_async");
    begin(b1);
    MUST(cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice, 0));
    end("copy_async");
    begin(n);
    MUST(cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice, 0));
    end("copy_async_with_nonblocking_busy");

    begin(b1);
    MUST(cudaEventRecord(early, 0));
    end_in("event_record_orders_blocking_streams", b2);
    begin(b1);
    MUST(cudaStreamWaitEvent(0, never, 0));
    end_in("wait_on_never_recorded_orders_blocking_streams", b2);
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(early, n));
    MUST(cudaDeviceSynchronize());
    begin(b1);
    MUST(cudaStreamWaitEvent(0, early, 0));
    end_in("wait_on_complete_event_orders_blocking_streams", b2);
    begin(n);
    MUST(cudaStreamWaitEvent(0, slow_done, 0));
    end_in("wait_holds_blocking_stream", b2);
    begin(b1);
    fact_error("query_of_default_with_blocking_busy", cudaStreamQuery(0));
    end_in("query_orders_blocking_streams", b2);
    begin(b1);
    end_in("no_default_action_at_all", b2);
    MUST(cudaDeviceSynchronize());
    return 0;
}
