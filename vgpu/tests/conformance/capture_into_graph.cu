/*
 * capture_into_graph.cu: a stream is captured into a graph that is there, after
 * nodes that are named; what cannot be captured into, and what a failed capture
 * leaves. Two captures into one graph at once crash CUDA 13.0: not tried here.
 * What may crash runs in processes of its own.
 * Source: Runtime API, Stream Management, cudaStreamBeginCaptureToGraph.
 */
#include "fact.h"

static const cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
static cudaStream_t stream;
static cudaGraph_t graph;
static cudaGraphNode_t node;
static int *memory;

static __global__ void times(int *x, int by)
{
    *x *= by;
}

static cudaGraphNode_t add_store(cudaGraph_t to, int value)
{
    void *arguments[] = {&memory, &value};
    cudaKernelNodeParams params = {};
    cudaGraphNode_t made;

    params.func = (void *)fact_store;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    MUST(cudaGraphAddKernelNode(&made, to, NULL, 0, &params));
    return made;
}

static void prepare(void)
{
    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, 64));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaGraphCreate(&graph, 0));
    node = add_store(graph, 5);
}

/* A start that is refused leaves the stream as it was. */
static void begin(const char *key, cudaGraph_t into,
                  const cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
                  size_t count)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

    fact("%s.error=%s", key,
         cudaGetErrorName(cudaStreamBeginCaptureToGraph(stream, into, after,
                                                        edges, count, mode)));
    MUST(cudaStreamIsCapturing(stream, &status));
    fact("%s.status=%d", key, (int)status);
}

static void null_graph(void)
{
    prepare();
    begin("null_graph", NULL, NULL, NULL, 0);
}

static void null_nodes(void)
{
    prepare();
    begin("null_nodes", graph, NULL, NULL, 1);
}

static void null_node(void)
{
    cudaGraphNode_t none = NULL;

    prepare();
    begin("null_node", graph, &none, NULL, 1);
}

static void strange_node(void)
{
    cudaGraph_t other;
    cudaGraphNode_t strange;

    prepare();
    MUST(cudaGraphCreate(&other, 0));
    strange = add_store(other, 6);
    begin("strange_node", graph, &strange, NULL, 1);
}

static void same_node_twice(void)
{
    cudaGraphNode_t twice[2];

    prepare();
    twice[0] = twice[1] = node;
    begin("same_node_twice", graph, twice, NULL, 2);
}

static void plain_edge(void)
{
    cudaGraphEdgeData edge;

    prepare();
    memset(&edge, 0, sizeof edge);
    begin("plain_edge", graph, &node, &edge, 1);
}

static void typed_edge(void)
{
    cudaGraphEdgeData edge;

    prepare();
    memset(&edge, 0, sizeof edge);
    edge.type = 1;
    begin("typed_edge", graph, &node, &edge, 1);
}

static void legacy(void)
{
    prepare();
    stream = cudaStreamLegacy;
    fact("legacy.error=%s", cudaGetErrorName(cudaStreamBeginCaptureToGraph(
                                stream, graph, &node, NULL, 1, mode)));
}

static void twice(void)
{
    prepare();
    begin("first", graph, &node, NULL, 1);
    fact("second.error=%s", cudaGetErrorName(cudaStreamBeginCaptureToGraph(
                                stream, graph, &node, NULL, 1, mode)));
}

static void spoiled(void)
{
    cudaGraph_t out = NULL;
    size_t count = 0;

    prepare();
    begin("spoiled.begin", graph, &node, NULL, 1);
    times<<<1, 1, 0, stream>>>(memory, 10);
    fact_error("spoiled.synchronize", cudaStreamSynchronize(stream));
    fact_error("spoiled.end", cudaStreamEndCapture(stream, &out));
    fact_yes("spoiled.out_is_null", out == NULL);
    cudaGetLastError();
    fact_error("spoiled.get_nodes", cudaGraphGetNodes(graph, NULL, &count));
    fact_int("spoiled.nodes", (long long)count);
    fact_error("spoiled.destroy", cudaGraphDestroy(graph));
}

static void destroyed_meanwhile(void)
{
    cudaGraph_t out = NULL;

    prepare();
    begin("destroyed.begin", graph, &node, NULL, 1);
    fact_error("destroyed.destroy", cudaGraphDestroy(graph));
    times<<<1, 1, 0, stream>>>(memory, 10);
    fact_error("destroyed.launch", cudaGetLastError());
    fact_error("destroyed.end", cudaStreamEndCapture(stream, &out));
}

static void right(void)
{
    cudaGraphNode_t from[4], to[4];
    cudaGraph_t out = NULL;
    cudaGraphExec_t exec;
    size_t nodes = 0, edges = 4;
    int value = 0;

    prepare();
    begin("right.begin", graph, &node, NULL, 1);
    times<<<1, 1, 0, stream>>>(memory, 10);
    fact_error("right.end", cudaStreamEndCapture(stream, &out));
    fact_yes("right.same_graph", out == graph);
    MUST(cudaGraphGetNodes(graph, NULL, &nodes));
    MUST(cudaGraphGetEdges(graph, from, to, NULL, &edges));
    fact_int("right.nodes", (long long)nodes);
    fact_int("right.edges", (long long)edges);
    fact_yes("right.from_the_named", edges == 1 && from[0] == node);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost));
    fact_int("right.value", value);
    begin("again.begin", graph, NULL, NULL, 0);
    fact_error("again.end", cudaStreamEndCapture(stream, &out));
}

int main(void)
{
    fact_in_child("right", right);
    fact_in_child("plain_edge", plain_edge);
    fact_in_child("legacy", legacy);
    fact_in_child("twice", twice);
    fact_in_child("spoiled", spoiled);
    fact_in_child("null_nodes", null_nodes);
    fact_in_child("null_node", null_node);
    fact_in_child("strange_node", strange_node);
    fact_in_child("same_node_twice", same_node_twice);
    fact_in_child("typed_edge", typed_edge);
    fact_in_child("null_graph", null_graph);
    fact_in_child("destroyed", destroyed_meanwhile);
    return 0;
}
