/*
 * graph_memory.cu: a graph's memory is made and freed by its nodes. Its address
 * is known when the node is made, and stays the same in each launch. Only
 * memory of a graph is freed by a node. Source: programming guide, "Graph
 * Memory Nodes"; Runtime API, Graph Management.
 */
#include "fact.h"

static __global__ void fill(int *p, int value)
{
    p[threadIdx.x] = value + (int)threadIdx.x;
}

static __global__ void add(int *to, const int *from)
{
    to[threadIdx.x] += from[threadIdx.x];
}

enum { N = 64, BYTES = N * sizeof(int) };

static cudaGraphNode_t kernel_node(cudaGraph_t graph, cudaGraphNode_t after,
                                   void *function, void **arguments)
{
    struct cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    cudaGraphNode_t node;

    params.kernel.func = function;
    params.kernel.gridDim = dim3(1, 1, 1);
    params.kernel.blockDim = dim3(N, 1, 1);
    params.kernel.kernelParams = arguments;
    MUST(cudaGraphAddNode(&node, graph, &after, NULL, 1, &params));
    return node;
}

static void launch(cudaGraph_t graph, const int *out, const char *key)
{
    cudaGraphExec_t exec;
    int seen[N];

    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaMemcpy(seen, out, BYTES, cudaMemcpyDeviceToHost));
    fact("%s=%d %d", key, seen[0], seen[N - 1]);
    MUST(cudaGraphExecDestroy(exec));
}

static void by_hand(int *out)
{
    struct cudaMemAllocNodeParams params, back;
    cudaGraph_t graph;
    cudaGraphNode_t alloc, node, release;
    enum cudaGraphNodeType type;
    int value = 5;
    void *freed = NULL;

    memset(&params, 0, sizeof params);
    memset(&back, 0, sizeof back);
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.poolProps.location.id = 0;
    params.bytesize = BYTES;
    MUST(cudaMemset(out, 0, BYTES));
    MUST(cudaGraphCreate(&graph, 0));
    fact_error("alloc.error",
               cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    fact_yes("address_is_known", params.dptr != NULL);
    MUST(cudaGraphNodeGetType(alloc, &type));
    fact_int("alloc.type", type);
    fact_error("alloc_params.error",
               cudaGraphMemAllocNodeGetParams(alloc, &back));
    fact_yes("alloc_params.same",
             back.dptr == params.dptr && back.bytesize == BYTES);

    void *fill_arguments[] = {&params.dptr, &value};
    void *add_arguments[] = {&out, &params.dptr};

    node = kernel_node(graph, alloc, (void *)fill, fill_arguments);
    node = kernel_node(graph, node, (void *)add, add_arguments);
    fact_error("free.error",
               cudaGraphAddMemFreeNode(&release, graph, &node, 1, params.dptr));
    fact_error("free_params.error",
               cudaGraphMemFreeNodeGetParams(release, &freed));
    fact_yes("free_params.same", freed == params.dptr);
    launch(graph, out, "launched_twice");
    MUST(cudaGraphDestroy(graph));
}

static void captured(int *out)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    int *scratch;

    MUST(cudaMemset(out, 0, BYTES));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(cudaMallocAsync((void **)&scratch, BYTES, stream));
    fill<<<1, N, 0, stream>>>(scratch, 7);
    add<<<1, N, 0, stream>>>(out, scratch);
    MUST(cudaFreeAsync(scratch, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    launch(graph, out, "captured_launched_twice");
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
}

static void errors(int *out)
{
    struct cudaMemAllocNodeParams params;
    cudaGraph_t graph;
    cudaGraphNode_t node;

    memset(&params, 0, sizeof params);
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    MUST(cudaGraphCreate(&graph, 0));
    fact_error("alloc_0_bytes.error",
               cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    fact_last("alloc_0_bytes.latched");
    fact_error("free_of_cudaMalloc.error",
               cudaGraphAddMemFreeNode(&node, graph, NULL, 0, out));
    fact_last("free_of_cudaMalloc.latched");
    fact_error("trim.error", cudaDeviceGraphMemTrim(0));
    fact_error("trim_99.error", cudaDeviceGraphMemTrim(99));
    fact_last("trim_99.latched");
    MUST(cudaGraphDestroy(graph));
}

int main(void)
{
    int *out;

    MUST(cudaMalloc((void **)&out, BYTES));
    by_hand(out);
    captured(out);
    errors(out);
    MUST(cudaFree(out));
    return 0;
}
