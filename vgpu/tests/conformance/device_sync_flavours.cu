/*
 * device_sync_flavours.cu: a stream sync waits for one stream, an event sync
 * for what was recorded, a device sync for everything.
 * Source: Runtime API, Stream, Event and Device Management.
 */
#include "fact.h"

int main(void)
{
    cudaStream_t a, b;
    cudaEvent_t a_done, b_done;

    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&a_done));
    MUST(cudaEventCreate(&b_done));
    fact_error("device_sync_idle.error", cudaDeviceSynchronize());
    fact_error("stream_sync_idle.error", cudaStreamSynchronize(a));
    fact_error("null_stream_sync_idle.error", cudaStreamSynchronize(0));

    fact_slow_ms(a, 20);
    MUST(cudaEventRecord(a_done, a));
    fact_slow_ms(b, 100);
    MUST(cudaEventRecord(b_done, b));
    fact_done("a_done_at_once", a_done);
    fact_error("stream_sync_a.error", cudaStreamSynchronize(a));
    fact_done("a_done_after_stream_sync_a", a_done);
    fact_done("b_done_after_stream_sync_a", b_done);
    fact_error("device_sync.error", cudaDeviceSynchronize());
    fact_done("b_done_after_device_sync", b_done);

    fact_slow_ms(a, 20);
    MUST(cudaEventRecord(a_done, a));
    fact_slow_ms(a, 100);
    MUST(cudaEventRecord(b_done, a));
    fact_error("event_sync.error", cudaEventSynchronize(a_done));
    fact_done("recorded_done_after_event_sync", a_done);
    fact_done("later_done_after_event_sync", b_done);
    fact_error("stream_query_then.not_ready", cudaStreamQuery(a));
    MUST(cudaDeviceSynchronize());
    fact_error("stream_query_after_device_sync", cudaStreamQuery(a));

    fact_slow(a);
    MUST(cudaEventRecord(a_done, a));
    fact_error("null_stream_sync_with_nonblocking_busy.error",
               cudaStreamSynchronize(0));
    fact_done("nonblocking_done_after_null_stream_sync", a_done);
    MUST(cudaDeviceSynchronize());
    return 0;
}
