/*
 * capture_info.cu: a capturing stream tells its status, id, graph and what
 * its next node will depend on.
 * Source: Runtime API, Stream Management, cudaStreamGetCaptureInfo.
 */
#include "fact.h"

int main(void)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t *dependencies = NULL;
    unsigned long long id = 0;
    unsigned long long id_again = 0;
    cudaGraph_t graph = NULL;
    cudaGraph_t made = NULL;
    cudaStream_t s;
    size_t count = 99;
    int *device;

    fact_warm_up();
    MUST(cudaMalloc((void **)&device, 64));
    MUST(cudaStreamCreate(&s));
    fact_error("idle.error", cudaStreamGetCaptureInfo(s, &status));
    fact_int("idle.status", status);
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_error("empty.error",
               cudaStreamGetCaptureInfo(s, &status, &id, &graph, &dependencies,
                                        NULL, &count));
    fact_int("empty.status", status);
    fact_int("empty.dependencies", (long long)count);
    fact_yes("id_is_not_0", id != 0);
    fact_store<<<1, 1, 0, s>>>(device, 1);
    MUST(cudaStreamGetCaptureInfo(s, &status, &id_again, &graph, &dependencies,
                                  NULL, &count));
    fact_int("one_kernel.dependencies", (long long)count);
    fact_yes("id_is_stable", id == id_again);
    fact_error("drop_dependencies.error",
               cudaStreamUpdateCaptureDependencies(
                   s, NULL, NULL, 0, cudaStreamSetCaptureDependencies));
    fact_store<<<1, 1, 0, s>>>(device + 1, 1);
    MUST(cudaStreamEndCapture(s, &made));
    fact_yes("same_graph_at_end", graph == made);
    MUST(cudaGraphGetRootNodes(made, NULL, &count));
    fact_int("roots_after_dropping_dependencies", (long long)count);
    MUST(cudaStreamGetCaptureInfo(s, &status));
    fact_int("after_end.status", status);
    fact_error("legacy_stream.error", cudaStreamIsCapturing(0, &status));
    fact_int("legacy_stream.status", status);
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_error("legacy_stream_while_capturing.error",
               cudaStreamIsCapturing(0, &status));
    fact_last("legacy_stream_while_capturing.latched");
    fact_error("end.error", cudaStreamEndCapture(s, &made));
    return 0;
}
