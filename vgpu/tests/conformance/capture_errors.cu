/*
 * capture_errors.cu: a call that would have to wait for a capturing stream
 * is an error; what it does to the capture, and what ending it returns.
 * Source: programming guide, Prohibited and Unhandled Operations.
 */
#include "fact.h"

static cudaStream_t s, other;
static cudaEvent_t event;
static int *device;

static void begin(void)
{
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_store<<<1, 1, 0, s>>>(device, 1);
    MUST(cudaGetLastError());
}

static void end(const char *name, cudaError_t error)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = NULL;
    cudaError_t ended;

    fact("%s.error=%d %s", name, (int)error, cudaGetErrorName(error));
    MUST(cudaStreamIsCapturing(s, &status));
    fact("%s.status=%d", name, (int)status);
    ended = cudaStreamEndCapture(s, &graph);
    fact("%s.end=%d %s", name, (int)ended, cudaGetErrorName(ended));
    fact("%s.graph_made=%s", name, graph ? "yes" : "no");
    if (graph)
        MUST(cudaGraphDestroy(graph));
    cudaGetLastError();
}

static void waiting_calls(void)
{
    begin();
    end("stream_synchronize", cudaStreamSynchronize(s));
    begin();
    end("stream_query", cudaStreamQuery(s));
    begin();
    end("device_synchronize", cudaDeviceSynchronize());
    begin();
    MUST(cudaEventRecord(event, s));
    end("query_of_captured_event", cudaEventQuery(event));
    begin();
    MUST(cudaEventRecord(event, s));
    end("synchronize_on_captured_event", cudaEventSynchronize(event));
}

static void default_stream_calls(void)
{
    int value = 0;

    begin();
    fact_store<<<1, 1>>>(device, 2);
    end("launch_in_legacy_stream", cudaGetLastError());
    begin();
    end("blocking_copy", cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost));
    begin();
    end("memset_in_legacy_stream", cudaMemset(device, 0, 4));
    begin();
    end("event_record_in_legacy_stream", cudaEventRecord(event, 0));
}

static void other_calls(void)
{
    void *memory = NULL;
    int count = 0;

    begin();
    end("malloc_in_global_mode", cudaMalloc(&memory, 64));
    begin();
    end("begin_again", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    begin();
    fact_store<<<1, 2048, 0, s>>>(device, 2);
    end("bad_launch_configuration", cudaGetLastError());
    begin();
    end("get_device_count", cudaGetDeviceCount(&count));
    begin();
    end("launch_in_other_stream",
        (fact_store<<<1, 1, 0, other>>>(device, 2), cudaGetLastError()));
    begin();
    end("synchronize_other_stream", cudaStreamSynchronize(other));
}

static void after_invalidation(void)
{
    cudaGraph_t graph = NULL;

    begin();
    cudaStreamSynchronize(s);
    cudaGetLastError();
    fact_store<<<1, 1, 0, s>>>(device, 2);
    fact_last("invalidated.launch");
    fact_error("invalidated.record", cudaEventRecord(event, s));
    cudaGetLastError();
    fact_error("invalidated.end", cudaStreamEndCapture(s, &graph));
    cudaGetLastError();
    fact_error("afterwards.synchronize", cudaStreamSynchronize(s));
    fact_store<<<1, 1, 0, s>>>(device, 3);
    fact_error("afterwards.launch", cudaGetLastError());
    fact_error("afterwards.synchronize_again", cudaStreamSynchronize(s));
}

int main(void)
{
    cudaGraph_t graph = NULL;

    fact_warm_up();
    MUST(cudaMalloc((void **)&device, 64));
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&event));
    waiting_calls();
    default_stream_calls();
    other_calls();
    after_invalidation();
    fact_error("end_without_begin.error", cudaStreamEndCapture(s, &graph));
    fact_last("end_without_begin.latched");
    fact_error("begin_on_legacy_stream.error",
               cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    fact_last("begin_on_legacy_stream.latched");
    fact_error("unknown_mode.error",
               cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)9));
    fact_last("unknown_mode.latched");
    return 0;
}
