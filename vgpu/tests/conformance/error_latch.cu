/*
 * error_latch.cu: a failed call is remembered until cudaGetLastError; a
 * success does not clear it, peeking does not either, a newer error replaces
 * it, and cudaErrorNotReady is not remembered.
 * Source: Runtime API, Error Handling; programming guide, Error Checking.
 */
#include "fact.h"

int main(void)
{
    cudaStream_t stream;
    cudaEvent_t event;
    void *memory = NULL;

    fact_warm_up();
    fact_last("at_first");
    fact_error("peek_at_first", cudaPeekAtLastError());

    fact_error("bad_device", cudaSetDevice(99));
    fact_error("success_after", cudaMalloc(&memory, 64));
    fact_error("peek_1", cudaPeekAtLastError());
    fact_error("peek_2", cudaPeekAtLastError());
    fact_last("get_1");
    fact_last("get_2");

    fact_error("first_of_two", cudaSetDevice(99));
    fact_error("second_of_two", cudaEventRecord(NULL, 0));
    fact_last("latest_wins");
    fact_last("and_is_cleared");

    fact_store<<<1, 2048>>>(NULL, 0);
    fact_error("launch_error_by_peek", cudaPeekAtLastError());
    fact_error("sync_does_not_return_it", cudaDeviceSynchronize());
    fact_last("launch_error_still_latched");
    fact_last("launch_error_cleared");

    MUST(cudaStreamCreate(&stream));
    MUST(cudaEventCreate(&event));
    fact_slow(stream);
    MUST(cudaEventRecord(event, stream));
    fact_error("busy_stream_query.not_ready", cudaStreamQuery(stream));
    fact_last("busy_stream_query.latched");
    fact_error("busy_event_query.not_ready", cudaEventQuery(event));
    fact_last("busy_event_query.latched");
    MUST(cudaDeviceSynchronize());
    MUST(cudaFree(memory));
    return 0;
}
