/*
 * capture_spoiled.cu: what calls return in a capture that an earlier call has
 * invalidated, also in streams that it would fork to or has forked to.
 * Source: programming guide, Invalidation.
 */
#include "fact.h"

static cudaStream_t s, forked, other;
static cudaEvent_t before, joined, after;
static int *device;

static void spoil(void)
{
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(before, s));
    MUST(cudaStreamWaitEvent(forked, before, 0));
    fact_store<<<1, 1, 0, forked>>>(device, 1);
    MUST(cudaGetLastError());
    MUST(cudaEventRecord(joined, forked));
    cudaStreamSynchronize(s);
    cudaGetLastError();
}

static void end(void)
{
    cudaGraph_t graph = NULL;

    cudaStreamEndCapture(s, &graph);
    cudaGetLastError();
}

static void status(const char *name, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

    MUST(cudaStreamIsCapturing(stream, &status));
    fact("%s.status=%d", name, (int)status);
}

int main(void)
{
    int value = 0;

    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&forked, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&before));
    MUST(cudaEventCreate(&joined));
    MUST(cudaEventCreate(&after));
    MUST(cudaMalloc(&device, sizeof *device));

    spoil();
    status("origin", s);
    status("forked", forked);
    fact_store<<<1, 1, 0, s>>>(device, 1);
    fact_error("launch.error", cudaGetLastError());
    fact_store<<<1, 1, 0, forked>>>(device, 1);
    fact_error("launch_in_the_forked.error", cudaGetLastError());
    fact_error("copy.error", cudaMemcpyAsync(&value, device, sizeof value,
                                             cudaMemcpyDeviceToHost, s));
    fact_error("record.error", cudaEventRecord(after, s));
    fact_error("record_in_the_forked.error", cudaEventRecord(after, forked));
    fact_error("wait_in_the_origin.error", cudaStreamWaitEvent(s, joined, 0));
    fact_error("wait_in_the_forked.error",
               cudaStreamWaitEvent(forked, before, 0));
    fact_error("fork_to_another.error", cudaStreamWaitEvent(other, before, 0));
    status("another", other);
    fact_error("query_of_its_event.error", cudaEventQuery(before));
    end();
    status("origin_at_the_end", s);
    status("forked_at_the_end", forked);
    fact_error("fork_at_the_end.error", cudaStreamWaitEvent(other, before, 0));
    cudaGetLastError();
    fact_error("query_at_the_end.error", cudaEventQuery(before));
    cudaGetLastError();
    fact_error("launch_at_the_end.error",
               (fact_store<<<1, 1, 0, s>>>(device, 2), cudaGetLastError()));
    MUST(cudaStreamSynchronize(s));
    return 0;
}
