/*
 * stream_query.cu: a query tells whether a stream is idle and never waits;
 * the legacy default stream counts as busy while it has work of its own.
 * Source: Runtime API, Stream Management, cudaStreamQuery.
 */
#include "fact.h"

int main(void)
{
    cudaStream_t blocking, free_stream;

    fact_warm_up();
    MUST(cudaStreamCreate(&blocking));
    MUST(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
    fact_error("idle.error", cudaStreamQuery(blocking));
    fact_error("idle_default.error", cudaStreamQuery(0));

    fact_slow(blocking);
    fact_error("busy.not_ready", cudaStreamQuery(blocking));
    fact_error("other_stream_while_busy.error", cudaStreamQuery(free_stream));
    MUST(cudaStreamSynchronize(blocking));
    fact_error("after_sync.error", cudaStreamQuery(blocking));

    fact_slow(0);
    fact_error("default_busy.not_ready", cudaStreamQuery(0));
    fact_error("legacy_handle_busy.not_ready",
               cudaStreamQuery(cudaStreamLegacy));
    fact_error("blocking_stream_while_default_busy.error",
               cudaStreamQuery(blocking));
    fact_error("nonblocking_while_default_busy.error",
               cudaStreamQuery(free_stream));
    MUST(cudaStreamSynchronize(0));
    fact_error("default_after_sync.error", cudaStreamQuery(0));
    fact_last("nothing_latched");

    fact_slow_ms(blocking, 10);
    while (cudaStreamQuery(blocking) == cudaErrorNotReady)
        ;
    fact_error("polled_until_done.error", cudaStreamQuery(blocking));
    return 0;
}
