/*
 * graph_explicit.cu: a graph made node by node: memset, kernel, copy, host
 * function and an empty node.
 * Source: Runtime API, Graph Management.
 */
#include "fact.h"

static __global__ void add(int *value, int amount)
{
    *value += amount;
}

static int host_calls;

static void CUDART_CB count_call(void *data)
{
    host_calls += *(int *)data;
}

static int *device, *pinned;
static int step = 2;

static void build(cudaGraph_t graph)
{
    struct cudaMemsetParams set = {};
    struct cudaKernelNodeParams kernel = {};
    struct cudaHostNodeParams host = {};
    cudaGraphNode_t nodes[5];
    int amount = 7;
    void *args[] = {&device, &amount};

    set.dst = device;
    set.value = 1;
    set.elementSize = 4;
    set.width = 1;
    set.height = 1;
    fact_error("add_memset.error",
               cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &set));
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(1);
    kernel.kernelParams = args;
    fact_error("add_kernel.error",
               cudaGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &kernel));
    amount = 1000;
    fact_error("add_copy.error",
               cudaGraphAddMemcpyNode1D(&nodes[2], graph, &nodes[1], 1, pinned,
                                        device, sizeof(int),
                                        cudaMemcpyDeviceToHost));
    host.fn = count_call;
    host.userData = &step;
    fact_error("add_host.error",
               cudaGraphAddHostNode(&nodes[3], graph, &nodes[2], 1, &host));
    fact_error("add_empty.error",
               cudaGraphAddEmptyNode(&nodes[4], graph, &nodes[2], 2));
}

static void bad_nodes(cudaGraph_t graph)
{
    struct cudaKernelNodeParams kernel = {};
    cudaGraphNode_t node = NULL;
    int amount = 1;
    void *args[] = {&device, &amount};

    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(2048);
    kernel.kernelParams = args;
    fact_error("add_kernel_block_too_large.error",
               cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    cudaGetLastError();
    /* An address that is no kernel is not tried: CUDA 13.0 crashes. */
}

int main(void)
{
    cudaGraph_t graph, bad;
    cudaGraphExec_t exec;
    cudaStream_t s;
    size_t count = 0;

    MUST(cudaMalloc((void **)&device, 64));
    MUST(cudaMallocHost((void **)&pinned, 64));
    MUST(cudaStreamCreate(&s));
    fact_error("create.error", cudaGraphCreate(&graph, 0));
    build(graph);
    MUST(cudaGraphGetNodes(graph, NULL, &count));
    fact_int("nodes", (long long)count);
    MUST(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    fact_int("edges", (long long)count);
    fact_error("instantiate.error", cudaGraphInstantiate(&exec, graph, 0));
    pinned[0] = 0;
    fact_error("launch.error", cudaGraphLaunch(exec, s));
    fact_error("synchronize.error", cudaStreamSynchronize(s));
    fact_int("value", pinned[0]);
    fact_int("host_calls", host_calls);
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("value_after_second_launch", pinned[0]);
    fact_int("host_calls_after_second_launch", host_calls);
    MUST(cudaGraphCreate(&bad, 0));
    bad_nodes(bad);
    fact_error("create_with_flags_1.error", cudaGraphCreate(&bad, 1));
    fact_last("create_with_flags_1.latched");
    fact_error("exec_destroy.error", cudaGraphExecDestroy(exec));
    fact_error("destroy.error", cudaGraphDestroy(graph));
    return 0;
}
