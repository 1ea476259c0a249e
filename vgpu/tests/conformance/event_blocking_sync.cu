/*
 * event_blocking_sync.cu: an event made with cudaEventBlockingSync is waited
 * for like any other; the flag changes only how the host waits.
 * Source: Runtime API, Event Management.
 */
#include "fact.h"

static void wait_for(const char *name, unsigned int flags, cudaStream_t s)
{
    cudaEvent_t event;

    MUST(cudaEventCreateWithFlags(&event, flags));
    fact_slow_ms(s, 20);
    MUST(cudaEventRecord(event, s));
    fact("%s.done_at_once=%s", name, fact_is_done(event));
    fact("%s.synchronize=%d", name, (int)cudaEventSynchronize(event));
    fact("%s.done_after=%s", name, fact_is_done(event));
    fact("%s.again=%d", name, (int)cudaEventSynchronize(event));
    MUST(cudaEventDestroy(event));
}

int main(void)
{
    cudaStream_t s;

    fact_warm_up();
    MUST(cudaStreamCreate(&s));
    wait_for("default", cudaEventDefault, s);
    wait_for("blocking", cudaEventBlockingSync, s);
    wait_for("blocking_untimed", cudaEventBlockingSync | cudaEventDisableTiming,
             s);
    return 0;
}
