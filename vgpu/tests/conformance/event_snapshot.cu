/*
 * event_snapshot.cu: an event captures what was in its stream when it was
 * recorded; recording it again replaces that.
 * Source: Runtime API, Event Management, cudaEventRecord.
 */
#include "fact.h"

int main(void)
{
    cudaEvent_t event, other;
    cudaStream_t s, t;

    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&other));

    fact_error("query_never_recorded.error", cudaEventQuery(event));
    fact_error("synchronize_never_recorded.error", cudaEventSynchronize(event));
    MUST(cudaEventRecord(event, s));
    MUST(cudaEventSynchronize(event));
    fact_slow(s);
    fact_error("later_work_does_not_count.error", cudaEventQuery(event));
    MUST(cudaEventRecord(event, s));
    fact_error("recorded_again_behind_it.not_ready", cudaEventQuery(event));
    fact_error("synchronize.error", cudaEventSynchronize(event));
    fact_error("stream_is_idle_then.error", cudaStreamQuery(s));

    fact_slow(s);
    MUST(cudaEventRecord(event, s));
    MUST(cudaEventRecord(event, t));
    fact_error("replaced_by_record_in_idle_stream.error",
               cudaEventSynchronize(event));
    fact_error("first_stream_still_busy.not_ready", cudaStreamQuery(s));
    MUST(cudaDeviceSynchronize());

    fact_slow(s);
    MUST(cudaEventRecord(event, s));
    MUST(cudaEventRecord(other, s));
    MUST(cudaEventSynchronize(other));
    fact_error("earlier_event_done_with_later.error", cudaEventQuery(event));
    return 0;
}
