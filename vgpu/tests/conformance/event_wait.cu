/*
 * event_wait.cu: cudaStreamWaitEvent holds back later work of one stream
 * until the record that was the latest at the call; a never recorded event
 * holds nothing back; the host does not wait.
 * Source: Runtime API, Stream Management, cudaStreamWaitEvent.
 */
#include "fact.h"

static cudaEvent_t event, slow_done, mark;
static cudaStream_t s, t, u;
static int *memory;

static void quick(const char *key, cudaStream_t stream)
{
    fact_store<<<1, 1, 0, stream>>>(memory, 1);
    MUST(cudaEventRecord(mark, stream));
    MUST(cudaEventSynchronize(mark));
    fact("%s.waits=%s", key, fact_is_done(slow_done));
    MUST(cudaDeviceSynchronize());
}

static void begin(void)
{
    MUST(cudaDeviceSynchronize());
    fact_slow(s);
    MUST(cudaEventRecord(slow_done, s));
}

int main(void)
{
    cudaEvent_t never;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&slow_done));
    MUST(cudaEventCreate(&mark));
    MUST(cudaEventCreate(&never));

    begin();
    fact_error("wait.error", cudaStreamWaitEvent(t, slow_done, 0));
    fact_done("wait.host_waited", slow_done);
    quick("waiting_stream", t);
    begin();
    MUST(cudaStreamWaitEvent(t, slow_done, 0));
    quick("other_stream", u);
    begin();
    fact_error("wait_never_recorded.error", cudaStreamWaitEvent(t, never, 0));
    quick("never_recorded", t);

    begin();
    MUST(cudaEventRecord(event, u));
    MUST(cudaStreamWaitEvent(t, event, 0));
    MUST(cudaEventRecord(event, s));
    quick("later_record_does_not_count", t);
    begin();
    MUST(cudaEventRecord(event, s));
    MUST(cudaStreamWaitEvent(t, event, 0));
    MUST(cudaEventRecord(event, u));
    quick("record_at_the_call_counts", t);
    begin();
    MUST(cudaStreamWaitEvent(t, event, 0));
    MUST(cudaEventRecord(event, s));
    quick("wait_before_record", t);
    begin();
    MUST(cudaStreamWaitEvent(s, slow_done, 0));
    quick("own_stream", s);

    begin();
    MUST(cudaStreamWaitEvent(t, slow_done, 0));
    MUST(cudaEventRecord(event, t));
    MUST(cudaStreamWaitEvent(u, event, 0));
    quick("through_two_streams", u);
    begin();
    MUST(cudaStreamWaitEvent(t, slow_done, 0));
    MUST(cudaEventDestroy(slow_done));
    MUST(cudaEventCreate(&slow_done));
    MUST(cudaEventRecord(slow_done, s));
    quick("event_destroyed_after_wait", t);
    fact_error("unknown_flags.error", cudaStreamWaitEvent(t, event, 0x10));
    fact_last("unknown_flags.latched");
    return 0;
}
