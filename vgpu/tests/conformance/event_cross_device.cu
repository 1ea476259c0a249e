// gpus: 2
/*
 * event_cross_device.cu: an event is recorded only in streams of its own
 * device; waiting for it works from any device; elapsed time between two
 * devices' events fails.
 * Source: programming guide, Stream and Event Behavior.
 */
#include "fact.h"

int main(void)
{
    cudaStream_t s[2];
    cudaEvent_t e[2], mark;
    int *memory;
    float ms = 0.0f;

    fact_need_gpus(2);
    for (int d = 1; d >= 0; d--) {
        MUST(cudaSetDevice(d));
        fact_warm_up();
        MUST(cudaStreamCreateWithFlags(&s[d], cudaStreamNonBlocking));
        MUST(cudaEventCreate(&e[d]));
    }
    MUST(cudaSetDevice(1));
    MUST(cudaEventCreate(&mark));
    MUST(cudaMalloc((void **)&memory, sizeof(int)));

    MUST(cudaSetDevice(0));
    fact_error("record_own_device.error", cudaEventRecord(e[0], s[0]));
    fact_error("record_other_device.invalid_handle",
               cudaEventRecord(e[1], s[0]));
    fact_last("record_other_device.latched");
    fact_slow(s[0]);
    MUST(cudaEventRecord(e[0], s[0]));

    MUST(cudaSetDevice(1));
    fact_error("query_from_other_device.not_ready", cudaEventQuery(e[0]));
    fact_error("stream_wait_across.error", cudaStreamWaitEvent(s[1], e[0], 0));
    fact_store<<<1, 1, 0, s[1]>>>(memory, 1);
    MUST(cudaEventRecord(mark, s[1]));
    MUST(cudaEventSynchronize(mark));
    fact_done("stream_wait_across.waited", e[0]);
    MUST(cudaSetDevice(0));
    fact_slow(s[0]);
    MUST(cudaEventRecord(e[0], s[0]));
    MUST(cudaSetDevice(1));
    fact_error("synchronize_from_other_device.error",
               cudaEventSynchronize(e[0]));
    fact_done("synchronize_from_other_device.done", e[0]);
    MUST(cudaEventRecord(e[1], s[1]));
    MUST(cudaEventSynchronize(e[1]));
    fact_error("elapsed_across.error", cudaEventElapsedTime(&ms, e[0], e[1]));
    fact_last("elapsed_across.latched");
    fact_error("destroy_from_other_device.error", cudaEventDestroy(e[0]));
    return 0;
}
