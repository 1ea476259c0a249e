/*
 * capture_fork_join.cu: waiting for a captured event pulls a second stream
 * into the capture; it must be joined again before the end.
 * Source: programming guide, Cross-stream Dependencies and Events.
 */
#include "fact.h"

static __global__ void add(int *to, const int *a, const int *b, int constant)
{
    *to = *a + *b + constant;
}

static cudaStream_t s, t;
static cudaEvent_t fork_event, join_event;
static int *v;

static void capturing(const char *key, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

    MUST(cudaStreamIsCapturing(stream, &status));
    fact_int(key, status);
}

/* A failed capture must not disturb the next case. */
static void fresh_streams(void)
{
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
}

static void fork_and_join(void)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    size_t count = 0;
    int back[4] = {0};

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_store<<<1, 1, 0, s>>>(v, 10);
    MUST(cudaEventRecord(fork_event, s));
    capturing("second_stream_before_wait", t);
    MUST(cudaStreamWaitEvent(t, fork_event, 0));
    capturing("second_stream_after_wait", t);
    add<<<1, 1, 0, s>>>(v + 1, v, v, 1);
    add<<<1, 1, 0, t>>>(v + 2, v, v, 2);
    MUST(cudaEventRecord(join_event, t));
    MUST(cudaStreamWaitEvent(s, join_event, 0));
    add<<<1, 1, 0, s>>>(v + 3, v + 1, v + 2, 3);
    fact_error("end.error", cudaStreamEndCapture(s, &graph));
    capturing("second_stream_after_end", t);
    MUST(cudaGraphGetNodes(graph, NULL, &count));
    fact_int("nodes", (long long)count);
    MUST(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    fact_int("edges", (long long)count);
    MUST(cudaGraphGetRootNodes(graph, NULL, &count));
    fact_int("root_nodes", (long long)count);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    fact_error("launch.error", cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(back, v, sizeof(back), cudaMemcpyDeviceToHost));
    fact("values=%d %d %d %d", back[0], back[1], back[2], back[3]);
}

static void not_joined(void)
{
    cudaGraph_t graph = NULL;

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(fork_event, s));
    MUST(cudaStreamWaitEvent(t, fork_event, 0));
    add<<<1, 1, 0, t>>>(v + 2, v, v, 2);
    fact_error("not_joined.end", cudaStreamEndCapture(s, &graph));
    fact_last("not_joined.latched");
    capturing("not_joined.second_stream", t);
}

static void wrong_origin(void)
{
    cudaGraph_t graph = NULL;

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(fork_event, s));
    MUST(cudaStreamWaitEvent(t, fork_event, 0));
    MUST(cudaEventRecord(join_event, t));
    MUST(cudaStreamWaitEvent(s, join_event, 0));
    fact_error("end_in_forked_stream.error", cudaStreamEndCapture(t, &graph));
    fact_last("end_in_forked_stream.latched");
    fact_error("end_in_origin_then.error", cudaStreamEndCapture(s, &graph));
    cudaGetLastError();
}

static void merged(void)
{
    cudaGraph_t graph = NULL;

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(fork_event, s));
    fact_error("wait_across_captures.error",
               cudaStreamWaitEvent(t, fork_event, 0));
    fact_last("wait_across_captures.latched");
    fact_error("wait_across_captures.end_s", cudaStreamEndCapture(s, &graph));
    fact_error("wait_across_captures.end_t", cudaStreamEndCapture(t, &graph));
    cudaGetLastError();
}

/* An event recorded before the capture is outside it. */
static void outside_event(void)
{
    cudaGraph_t graph = NULL;

    MUST(cudaEventRecord(join_event, t));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_error("wait_for_uncaptured_event.error",
               cudaStreamWaitEvent(s, join_event, 0));
    fact_last("wait_for_uncaptured_event.latched");
    fact_error("wait_for_uncaptured_event.end",
               cudaStreamEndCapture(s, &graph));
    cudaGetLastError();
}

int main(void)
{
    fact_warm_up();
    fresh_streams();
    MUST(cudaEventCreateWithFlags(&fork_event, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&join_event, cudaEventDisableTiming));
    MUST(cudaMalloc((void **)&v, 4 * sizeof(int)));
    MUST(cudaMemset(v, 0, 4 * sizeof(int)));
    add<<<1, 1>>>(v, v, v, 0);
    MUST(cudaDeviceSynchronize());
    fork_and_join();
    fresh_streams();
    not_joined();
    fresh_streams();
    wrong_origin();
    fresh_streams();
    merged();
    fresh_streams();
    outside_event();
    return 0;
}
