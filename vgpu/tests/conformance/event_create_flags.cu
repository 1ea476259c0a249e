/*
 * event_create_flags.cu: flags of events and what is refused; a new event
 * counts as complete.
 * Source: Runtime API, Event Management, cudaEventCreateWithFlags.
 */
#include "fact.h"

static void create(const char *name, unsigned int flags)
{
    cudaEvent_t event = NULL;
    cudaError_t error = cudaEventCreateWithFlags(&event, flags);

    fact("%s.create=%d", name, (int)error);
    fact("%s.latched=%d", name, (int)cudaGetLastError());
    if (error == cudaSuccess) {
        fact("%s.query=%d", name, (int)cudaEventQuery(event));
        fact("%s.destroy=%d", name, (int)cudaEventDestroy(event));
    }
}

int main(void)
{
    MUST(cudaFree(NULL));
    create("default", cudaEventDefault);
    create("blocking_sync", cudaEventBlockingSync);
    create("disable_timing", cudaEventDisableTiming);
    create("blocking_and_disable_timing",
           cudaEventBlockingSync | cudaEventDisableTiming);
    create("interprocess_without_disable_timing", cudaEventInterprocess);
    create("unknown_flag", 0x100);
    fact_error("create_null_result.error", cudaEventCreate(NULL));
    fact_last("create_null_result.latched");
    fact_error("destroy_null.error", cudaEventDestroy(NULL));
    fact_last("destroy_null.latched");
    fact_error("record_null.invalid_handle", cudaEventRecord(NULL, 0));
    fact_last("record_null.latched");
    fact_error("query_null.invalid_handle", cudaEventQuery(NULL));
    fact_last("query_null.latched");
    fact_error("synchronize_null.invalid_handle", cudaEventSynchronize(NULL));
    fact_last("synchronize_null.latched");
    fact_error("wait_null.invalid_handle", cudaStreamWaitEvent(0, NULL, 0));
    fact_last("wait_null.latched");
    return 0;
}
