/* Nodes that copy to and from variables, parameters of nodes asked for and
 * changed in a graph and in an executable one, a graph as a picture. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

enum { N = 4 };

__device__ int numbers[N];
__constant__ int factor;

__global__ void scale()
{
    numbers[threadIdx.x] *= factor;
}

template <class T>
__global__ void add(int *to, const T more, char times)
{
    for (char i = 0; i < times; i++)
        to[threadIdx.x] += more;
}

static void count_up(void *counter)
{
    ++*(int *)counter;
}

static void says(cudaError_t error)
{
    cudaGetLastError();
    printf("%s\n", cudaGetErrorName(error));
}

static void picture(cudaGraph_t graph, unsigned flags)
{
    char path[] = "/tmp/graph_nodes.XXXXXX", line[200];
    FILE *file = fdopen(mkstemp(path), "r");

    cudaGraphDebugDotPrint(graph, path, flags);
    while (fgets(line, sizeof line, file))
        fputs(line, stdout);
    fclose(file);
    unlink(path);
}

static void launch(cudaGraphExec_t exec, const int *out)
{
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
}

/* Numbers in, a factor in, the kernel, numbers out. */
static void symbols(int *in, int *out)
{
    const cudaMemcpyKind to = cudaMemcpyHostToDevice;
    const cudaMemcpyKind from = cudaMemcpyDeviceToHost;
    static int factors[2] = {10, 100};
    cudaKernelNodeParams params = {};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t copies[2], kernel, back;

    params.func = (void *)scale;
    params.gridDim = dim3(1);
    params.blockDim = dim3(N);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNodeToSymbol(&copies[0], graph, nullptr, 0, numbers, in,
                                   sizeof(numbers), 0, to);
    cudaGraphAddMemcpyNodeToSymbol(&copies[1], graph, nullptr, 0, factor,
                                   &factors[0], sizeof(int), 0, to);
    cudaGraphAddKernelNode(&kernel, graph, copies, 2, &params);
    cudaGraphAddMemcpyNodeFromSymbol(&back, graph, &kernel, 1, out, numbers,
                                     sizeof(numbers), 0, from);
    cudaGraphInstantiate(&exec, graph, 0);
    launch(exec, out);

    says(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, copies[0], numbers, in,
                                                  8, 12, to));
    says(cudaGraphMemcpyNodeSetParamsToSymbol(copies[0], numbers, in, 8, 12,
                                              to));
    says(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, back, out, numbers, 4,
                                                    16, from));
    says(cudaGraphMemcpyNodeSetParamsFromSymbol(back, out, numbers, 4, 0, to));
    cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, copies[1], factor,
                                             &factors[1], sizeof(int), 0, to);
    cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        exec, back, out, numbers, 2 * sizeof(int), 2 * sizeof(int), from);
    launch(exec, out);
    cudaGraphExecDestroy(exec);
    cudaGraphMemcpyNodeSetParamsToSymbol(copies[0], numbers, in,
                                         2 * sizeof(int), 0, to);
    cudaGraphMemcpyNodeSetParamsFromSymbol(back, out, numbers, sizeof(numbers),
                                           0, from);
    cudaGraphInstantiate(&exec, graph, 0);
    launch(exec, out);
    cudaGraphExecDestroy(exec);
    picture(graph, cudaGraphDebugDotFlagsVerbose);
    says(cudaGraphDebugDotPrint(graph, "/no/such/folder", 0));
    cudaGraphDestroy(graph);
}

/* What a captured kernel was launched with: asked for, and one of it changed.
 */
static void arguments(int *out)
{
    cudaKernelNodeParams params, again;
    cudaStream_t stream;
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    size_t count = 1;
    short more = 30;

    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<1, N, 0, stream>>>(out, (short)20, 2);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphGetNodes(graph, &node, &count);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphKernelNodeGetParams(node, &params);
    printf("%d %d %d\n", *(int **)params.kernelParams[0] == out,
           *(short *)params.kernelParams[1], *(char *)params.kernelParams[2]);
    void *others[] = {params.kernelParams[0], &more, params.kernelParams[2]};
    params.func = (void *)add<short>;
    params.kernelParams = others;
    cudaGraphExecKernelNodeSetParams(exec, node, &params);
    launch(exec, out);
    cudaGraphKernelNodeSetParams(node, &params);
    cudaGraphKernelNodeGetParams(node, &again);
    cudaGraphKernelNodeSetParams(node, &again);
    cudaGraphClone(&clone, graph);
    cudaGraphNodeFindInClone(&node, node, clone);
    cudaGraphDestroy(graph);
    cudaGraphKernelNodeGetParams(node, &again);
    printf("%d %d\n", *(short *)again.kernelParams[1],
           again.kernelParams != others);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(clone);
    cudaStreamDestroy(stream);
}

/* A memset, a copy, a host function; then others of each. */
static void others(int *out)
{
    static int counters[2];
    cudaMemsetParams set = {};
    cudaMemcpy3DParms copy = {};
    cudaHostNodeParams host = {count_up, &counters[0]};
    cudaGraphNodeParams any = {};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t n[3];
    unsigned long long flags = 99;
    int *device;

    cudaMalloc(&device, 2 * N * sizeof(int));
    set.dst = device;
    set.value = 7;
    set.elementSize = sizeof(int);
    set.width = N;
    set.height = 1;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemsetNode(&n[0], graph, nullptr, 0, &set);
    cudaGraphAddMemcpyNode1D(&n[1], graph, &n[0], 1, out, device,
                             N * sizeof(int), cudaMemcpyDeviceToHost);
    cudaGraphAddHostNode(&n[2], graph, &n[1], 1, &host);
    cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority);
    cudaGraphExecGetFlags(exec, &flags);
    launch(exec, out);

    memset(&set, 0, sizeof set);
    memset(&host, 0, sizeof host);
    cudaGraphMemsetNodeGetParams(n[0], &set);
    cudaGraphMemcpyNodeGetParams(n[1], &copy);
    cudaGraphHostNodeGetParams(n[2], &host);
    printf("%u %u %zu, %zu %d, %d %d, %llu\n", set.value, set.elementSize,
           set.width, copy.extent.width, copy.kind, host.fn == count_up,
           host.userData == &counters[0], flags);
    set.value = 8;
    host.userData = &counters[1];
    cudaGraphExecMemsetNodeSetParams(exec, n[0], &set);
    any.type = cudaGraphNodeTypeHost;
    any.host.fn = host.fn;
    any.host.userData = host.userData;
    cudaGraphExecNodeSetParams(exec, n[2], &any);
    cudaGraphExecMemcpyNodeSetParams1D(exec, n[1], out, device, sizeof(int),
                                       cudaMemcpyDeviceToHost);
    launch(exec, out);
    says(cudaGraphExecMemcpyNodeSetParams1D(
        exec, n[1], device, out, sizeof(int), cudaMemcpyHostToDevice));
    says(cudaGraphExecMemcpyNodeSetParams(exec, n[0], &copy));
    cudaGraphExecDestroy(exec);
    set.value = 9;
    cudaGraphMemsetNodeSetParams(n[0], &set);
    any.type = cudaGraphNodeTypeMemcpy;
    any.memcpy.copyParams = copy;
    cudaGraphNodeSetParams(n[1], &any);
    cudaGraphInstantiate(&exec, graph, 0);
    launch(exec, out);
    printf("%d %d\n", counters[0], counters[1]);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaFree(device);
}

static cudaGraph_t child_of(int *counter, int nodes)
{
    cudaHostNodeParams host = {count_up, counter};
    cudaGraph_t graph;
    cudaGraphNode_t node;

    cudaGraphCreate(&graph, 0);
    for (int i = 0; i < nodes; i++)
        cudaGraphAddHostNode(&node, graph, nullptr, 0, &host);
    return graph;
}

/* A child graph of the same shape takes the place of the first one. */
static void children(void)
{
    static int counters[2];
    cudaGraph_t graph,
        child[3] = {child_of(&counters[0], 2), child_of(&counters[1], 2),
                    child_of(&counters[1], 3)};
    cudaGraphExec_t exec;
    cudaGraphNode_t node;

    cudaGraphCreate(&graph, 0);
    cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child[0]);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
    says(cudaGraphExecChildGraphNodeSetParams(exec, node, child[2]));
    says(cudaGraphExecChildGraphNodeSetParams(exec, node, child[1]));
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    printf("%d %d\n", counters[0], counters[1]);
    picture(graph, 0);
}

/* An executable graph records another event than the graph says. */
static void events(void)
{
    cudaEvent_t event[2];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, empty;

    cudaEventCreate(&event[0]);
    cudaEventCreate(&event[1]);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, event[0]);
    cudaGraphAddEmptyNode(&empty, graph, nullptr, 0);
    cudaGraphInstantiate(&exec, graph, 0);
    says(cudaGraphExecEventRecordNodeSetEvent(exec, node, event[1]));
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    float ms;
    says(cudaEventElapsedTime(&ms, event[1], event[1]));
    says(cudaEventElapsedTime(&ms, event[0], event[0]));
    says(cudaGraphExecEventRecordNodeSetEvent(exec, empty, event[0]));
    says(cudaGraphEventWaitNodeSetEvent(node, event[0]));
    cudaEventDestroy(event[0]);
    cudaEventDestroy(event[1]);
}

int main()
{
    int *in, *out;

    cudaMallocHost(&in, N * sizeof(int));
    cudaMallocHost(&out, N * sizeof(int));
    for (int i = 0; i < N; i++)
        in[i] = i + 1;
    symbols(in, out);
    others(out);
    arguments(out);
    children();
    events();
    cudaFreeHost(in);
    cudaFreeHost(out);
    return 0;
}
