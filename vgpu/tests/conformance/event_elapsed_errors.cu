/*
 * event_elapsed_errors.cu: elapsed time needs two events with timing that
 * are recorded (else 400) and complete (else 600).
 * Source: Runtime API, Event Management, cudaEventElapsedTime.
 */
#include "fact.h"

int main(void)
{
    cudaEvent_t start, end, never, untimed;
    cudaStream_t s;
    float ms = -1.0f;

    fact_warm_up();
    MUST(cudaStreamCreate(&s));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&end));
    MUST(cudaEventCreate(&never));
    MUST(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    MUST(cudaEventRecord(start, s));
    MUST(cudaEventRecord(untimed, s));
    MUST(cudaStreamSynchronize(s));

    fact_error("end_never_recorded.invalid_handle",
               cudaEventElapsedTime(&ms, start, never));
    fact_last("end_never_recorded.latched");
    fact_error("start_never_recorded.invalid_handle",
               cudaEventElapsedTime(&ms, never, start));
    fact_last("start_never_recorded.latched");
    fact_error("timing_disabled.invalid_handle",
               cudaEventElapsedTime(&ms, start, untimed));
    fact_last("timing_disabled.latched");
    fact_error("null_event.invalid_handle",
               cudaEventElapsedTime(&ms, start, NULL));
    fact_last("null_event.latched");

    fact_slow(s);
    MUST(cudaEventRecord(end, s));
    fact_error("end_not_complete.not_ready",
               cudaEventElapsedTime(&ms, start, end));
    fact_last("end_not_complete.latched");
    MUST(cudaEventSynchronize(end));
    fact_error("both_complete.error", cudaEventElapsedTime(&ms, start, end));
    fact_yes("elapsed_is_positive", ms > 0.0f);
    fact_error("same_event.error", cudaEventElapsedTime(&ms, start, start));
    fact("same_event_ms=%g", (double)ms);
    fact_error("reversed.error", cudaEventElapsedTime(&ms, end, start));
    fact_yes("reversed_is_negative", ms < 0.0f);

    fact_slow(s);
    MUST(cudaEventRecord(start, s));
    fact_error("start_recorded_again_not_complete.not_ready",
               cudaEventElapsedTime(&ms, start, end));
    MUST(cudaDeviceSynchronize());
    return 0;
}
