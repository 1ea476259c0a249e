// flags: --default-stream per-thread
/*
 * per_thread_capture.cu: with per-thread default streams, stream 0 can be
 * captured and asked about, which the legacy default stream cannot.
 * Source: Runtime API, Stream Management, cudaStreamBeginCapture; API
 * synchronization behavior, "Per-thread default stream".
 */
#include "fact.h"

int main(void)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
    unsigned long long id = 0;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec;
    size_t nodes = 0;
    int *device, back = 0;

    MUST(cudaMalloc((void **)&device, sizeof(int)));
    fact_error("begin",
               cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
    fact_error("is_capturing.error", cudaStreamIsCapturing(0, &status));
    fact_int("is_capturing", status);
    fact_error("info", cudaStreamGetCaptureInfo(0, &status, &id));
    fact_yes("info.has_an_id", id != 0);
    MUST(cudaMemsetAsync(device, 1, sizeof(int), 0));
    fact_error("end", cudaStreamEndCapture(0, &graph));
    MUST(cudaGraphGetNodes(graph, NULL, &nodes));
    fact_int("nodes", (long long)nodes);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    fact_error("upload", cudaGraphUpload(exec, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaMemcpy(&back, device, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("value", back);
    fact_error(
        "legacy.begin",
        cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed));
    return 0;
}
