/*
 * event_record_flags.cu: cudaEventRecordWithFlags with flags 0 is a plain
 * record; the external flag is for stream capture; others are refused.
 * Source: Runtime API, Event Management, cudaEventRecordWithFlags.
 */
#include "fact.h"

int main(void)
{
    cudaEvent_t event;
    cudaStream_t s;

    fact_warm_up();
    MUST(cudaStreamCreate(&s));
    MUST(cudaEventCreate(&event));
    fact_error("default.error",
               cudaEventRecordWithFlags(event, s, cudaEventRecordDefault));
    fact_error("default_synchronize.error", cudaEventSynchronize(event));
    fact_slow(s);
    MUST(cudaEventRecordWithFlags(event, s, cudaEventRecordDefault));
    fact_error("behind_slow_kernel.not_ready", cudaEventQuery(event));
    MUST(cudaStreamSynchronize(s));
    fact_error("external_outside_capture.error",
               cudaEventRecordWithFlags(event, s, cudaEventRecordExternal));
    fact_last("external_outside_capture.latched");
    fact_error("external_wait_outside_capture.error",
               cudaStreamWaitEvent(s, event, cudaEventWaitExternal));
    fact_last("external_wait_outside_capture.latched");
    fact_error("unknown_flags.error", cudaEventRecordWithFlags(event, s, 0x40));
    fact_last("unknown_flags.latched");
    fact_error("synchronize.error", cudaStreamSynchronize(s));
    return 0;
}
