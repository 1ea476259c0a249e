/*
 * capture_basic.cu: between begin and end, work of a stream builds a graph
 * and does not run; launching the graph runs it, as often as wanted.
 * Source: Runtime API, Stream Management, cudaStreamBeginCapture.
 */
#include "fact.h"

static __global__ void add(int *value, int amount)
{
    *value += amount;
}

static void status(const char *key, cudaStream_t s)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

    MUST(cudaStreamIsCapturing(s, &status));
    fact_int(key, status);
}

static int value_of(const int *device)
{
    int back = -1;

    MUST(cudaMemcpy(&back, device, sizeof(int), cudaMemcpyDeviceToHost));
    return back;
}

int main(void)
{
    cudaStream_t s;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    size_t count = 99;
    int *device;

    MUST(cudaMalloc((void **)&device, sizeof(int)));
    MUST(cudaMemset(device, 0, sizeof(int)));
    MUST(cudaStreamCreate(&s));
    add<<<1, 1, 0, s>>>(device, 0);
    MUST(cudaDeviceSynchronize());

    status("status_before", s);
    fact_error("begin.error",
               cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    status("status_during", s);
    add<<<1, 1, 0, s>>>(device, 5);
    fact_error("captured_launch.error", cudaGetLastError());
    add<<<1, 1, 0, s>>>(device, 6);
    fact_error("end.error", cudaStreamEndCapture(s, &graph));
    fact_yes("end.graph_made", graph != NULL);
    status("status_after", s);
    MUST(cudaDeviceSynchronize());
    fact_int("value_after_capture", value_of(device));

    fact_error("get_nodes.error", cudaGraphGetNodes(graph, NULL, &count));
    fact_int("nodes", (long long)count);
    MUST(cudaGraphGetRootNodes(graph, NULL, &count));
    fact_int("root_nodes", (long long)count);
    MUST(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    fact_int("edges", (long long)count);

    fact_error("instantiate.error", cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaDeviceSynchronize());
    fact_int("value_after_instantiate", value_of(device));
    fact_error("launch.error", cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("value_after_launch", value_of(device));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("value_after_three_launches", value_of(device));
    fact_error("destroy_graph.error", cudaGraphDestroy(graph));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("value_after_launch_without_graph", value_of(device));
    fact_error("destroy_exec.error", cudaGraphExecDestroy(exec));

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_error("empty_capture.end", cudaStreamEndCapture(s, &graph));
    MUST(cudaGraphGetNodes(graph, NULL, &count));
    fact_int("empty_capture.nodes", (long long)count);
    fact_error("empty_capture.instantiate",
               cudaGraphInstantiate(&exec, graph, 0));
    fact_error("empty_capture.launch", cudaGraphLaunch(exec, s));
    fact_error("empty_capture.synchronize", cudaStreamSynchronize(s));
    return 0;
}
