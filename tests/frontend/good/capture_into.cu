/* A capture into a graph that is there: after the nodes that are named, twice,
 * in two streams at once; what is refused; what a failed one leaves. */
#include <cstdio>

__global__ void times(int *x, int by)
{
    *x *= by;
}

__global__ void plus(int *x, int more)
{
    *x += more;
}

static void says(cudaError_t error)
{
    cudaGetLastError();
    printf("%s\n", cudaGetErrorName(error));
}

static size_t nodes(cudaGraph_t graph)
{
    size_t count = 0;

    cudaGraphGetNodes(graph, nullptr, &count);
    return count;
}

static int run(cudaGraph_t graph, int *x)
{
    cudaGraphExec_t exec;
    int host = 5;

    cudaMemcpy(x, &host, sizeof host, cudaMemcpyHostToDevice);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
    cudaGraphExecDestroy(exec);
    return host;
}

static void add_plus(cudaGraphNode_t *node, cudaGraph_t graph, int *x, int more)
{
    cudaKernelNodeParams params = {};
    void *arguments[] = {&x, &more};

    params.func = (void *)plus;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    cudaGraphAddKernelNode(node, graph, nullptr, 0, &params);
}

/* (5 + 1) * 10 and 5 + 2, in a graph of four nodes; each stream's work comes
 * after the one node that was named. */
static void two_at_once(cudaStream_t a, cudaStream_t b, int *x)
{
    cudaGraph_t graph, out = nullptr;
    cudaGraphNode_t node[2], from[2], to[2];
    size_t count = 2;
    int y = 5;

    cudaGraphCreate(&graph, 0);
    add_plus(&node[0], graph, x, 1);
    add_plus(&node[1], graph, x + 1, 2);
    cudaStreamBeginCaptureToGraph(a, graph, &node[0], nullptr, 1,
                                  cudaStreamCaptureModeRelaxed);
    cudaStreamBeginCaptureToGraph(b, graph, &node[1], nullptr, 1,
                                  cudaStreamCaptureModeRelaxed);
    times<<<1, 1, 0, a>>>(x, 10);
    times<<<1, 1, 0, b>>>(x + 1, 100);
    says(cudaGraphDestroy(graph));
    cudaStreamEndCapture(a, &out);
    says(cudaGraphDestroy(graph));
    printf("%d ", out == graph);
    cudaStreamEndCapture(b, &out);
    cudaGraphGetEdges(graph, from, to, nullptr, &count);
    printf("%d, %zu nodes, %zu edges, from the right ones: %d\n", out == graph,
           nodes(graph), count, from[0] == node[0] && from[1] == node[1]);
    cudaMemcpy(x + 1, &y, sizeof y, cudaMemcpyHostToDevice);
    printf("%d ", run(graph, x));
    cudaMemcpy(&y, x + 1, sizeof y, cudaMemcpyDeviceToHost);
    printf("%d\n", y);
    cudaGraphDestroy(graph);
}

static void refused(cudaStream_t a, int *x)
{
    const cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaGraphEdgeData edge = {0, 0, 1};
    cudaGraph_t graph, other, out;
    cudaGraphNode_t node, strange;

    cudaGraphCreate(&graph, 0);
    cudaGraphCreate(&other, 0);
    add_plus(&node, graph, x, 1);
    add_plus(&strange, other, x, 1);
    says(cudaStreamBeginCaptureToGraph(a, nullptr, nullptr, nullptr, 0, mode));
    says(cudaStreamBeginCaptureToGraph(a, graph, nullptr, nullptr, 1, mode));
    says(cudaStreamBeginCaptureToGraph(a, graph, &strange, nullptr, 1, mode));
    says(cudaStreamBeginCaptureToGraph(a, graph, &node, &edge, 1, mode));
    says(cudaStreamBeginCaptureToGraph(cudaStreamLegacy, graph, &node, nullptr,
                                       1, mode));
    cudaStreamBeginCaptureToGraph(a, graph, &node, nullptr, 1, mode);
    says(cudaStreamBeginCaptureToGraph(a, graph, &node, nullptr, 1, mode));
    plus<<<1, 1, 0, a>>>(x, 30);
    says(cudaStreamSynchronize(a)); /* spoils it */
    says(cudaStreamEndCapture(a, &out));
    printf("%d, the graph is there: %d\n", out == nullptr, nodes(graph) > 0);
    says(cudaGraphDestroy(graph));
    cudaGraphDestroy(other);
}

int main()
{
    cudaStream_t a, b;
    int *x;

    cudaMalloc(&x, 2 * sizeof(int));
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    two_at_once(a, b, x);
    refused(a, x);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(x);
    return 0;
}
