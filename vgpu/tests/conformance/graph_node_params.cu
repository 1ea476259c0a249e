/*
 * graph_node_params.cu: nodes copy to and from variables, within their bounds;
 * parameters of nodes can be asked for and changed, in a graph and in an
 * executable graph, where neither side of a copy may change its device.
 * Source: Runtime API, Graph Management, cudaGraphAddMemcpyNodeToSymbol,
 * cudaGraphExecMemcpyNodeSetParams, cudaGraphExecChildGraphNodeSetParams.
 */
#include "fact.h"

__device__ int numbers[4];

static cudaStream_t s;
static int calls[2];

static void count(void *counter)
{
    ++*(int *)counter;
}

/* What is refused leaves the node as it was. */
static void error(const char *key, cudaError_t error)
{
    fact_error(key, error);
    cudaGetLastError();
}

static void launch(const char *key, cudaGraphExec_t exec, const int *out)
{
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    fact("%s=%d %d %d %d", key, out[0], out[1], out[2], out[3]);
}

static void symbols(int *in, int *out)
{
    const cudaMemcpyKind to = cudaMemcpyHostToDevice;
    const cudaMemcpyKind from = cudaMemcpyDeviceToHost;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second, other;

    MUST(cudaGraphCreate(&graph, 0));
    fact_error("add_to_symbol",
               cudaGraphAddMemcpyNodeToSymbol(&first, graph, NULL, 0, numbers,
                                              in, 16, 0, to));
    fact_error("add_from_symbol",
               cudaGraphAddMemcpyNodeFromSymbol(&second, graph, &first, 1, out,
                                                numbers, 16, 0, from));
    error("add_to_symbol.too_many",
          cudaGraphAddMemcpyNodeToSymbol(&other, graph, NULL, 0, numbers, in,
                                         20, 0, to));
    error("add_to_symbol.offset",
          cudaGraphAddMemcpyNodeToSymbol(&other, graph, NULL, 0, numbers, in, 8,
                                         12, to));
    error("add_from_symbol.offset",
          cudaGraphAddMemcpyNodeFromSymbol(&other, graph, NULL, 0, out, numbers,
                                           4, 16, from));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch("symbols", exec, out);
    fact_error("exec_set_to_symbol", cudaGraphExecMemcpyNodeSetParamsToSymbol(
                                         exec, first, numbers, in, 8, 8, to));
    error("exec_set_to_symbol.offset",
          cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, first, numbers, in, 8,
                                                   12, to));
    launch("exec_changed", exec, out);
    fact_error("exec_set_from_symbol",
               cudaGraphExecMemcpyNodeSetParamsFromSymbol(
                   exec, second, out, numbers, 4, 12, from));
    launch("exec_changed_both", exec, out);
    fact_error("set_to_symbol", cudaGraphMemcpyNodeSetParamsToSymbol(
                                    first, numbers, in, 4, 4, to));
    fact_error("set_from_symbol", cudaGraphMemcpyNodeSetParamsFromSymbol(
                                      second, out, numbers, 16, 0, from));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch("graph_changed", exec, out);
}

static void others(int *out)
{
    struct cudaMemsetParams set = {};
    struct cudaHostNodeParams host = {count, &calls[0]};
    struct cudaMemcpy3DParms copy = {};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t n[3];
    unsigned long long flags = 99;
    int *device;

    MUST(cudaMalloc((void **)&device, 64));
    set.dst = device;
    set.value = 7;
    set.elementSize = 4;
    set.width = 4;
    set.height = 1;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemsetNode(&n[0], graph, NULL, 0, &set));
    MUST(cudaGraphAddMemcpyNode1D(&n[1], graph, &n[0], 1, out, device, 16,
                                  cudaMemcpyDeviceToHost));
    MUST(cudaGraphAddHostNode(&n[2], graph, &n[1], 1, &host));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    fact_error("exec_flags.error", cudaGraphExecGetFlags(exec, &flags));
    fact_int("exec_flags", (long long)flags);
    launch("others", exec, out);

    memset(&set, 0, sizeof(set));
    memset(&host, 0, sizeof(host));
    fact_error("get_memset", cudaGraphMemsetNodeGetParams(n[0], &set));
    fact("get_memset.value_element_width=%u %u %zu", set.value, set.elementSize,
         set.width);
    fact_error("get_copy", cudaGraphMemcpyNodeGetParams(n[1], &copy));
    fact_int("get_copy.width", (long long)copy.extent.width);
    fact_error("get_host", cudaGraphHostNodeGetParams(n[2], &host));
    fact_yes("get_host.same", host.fn == count && host.userData == &calls[0]);
    error("get_of_another_type", cudaGraphMemsetNodeGetParams(n[1], &set));

    set.value = 8;
    host.userData = &calls[1];
    fact_error("exec_set_memset",
               cudaGraphExecMemsetNodeSetParams(exec, n[0], &set));
    fact_error("exec_set_host",
               cudaGraphExecHostNodeSetParams(exec, n[2], &host));
    fact_error("exec_set_copy",
               cudaGraphExecMemcpyNodeSetParams1D(exec, n[1], out, device, 4,
                                                  cudaMemcpyDeviceToHost));
    launch("others_changed", exec, out);
    error("exec_set_copy.other_way",
          cudaGraphExecMemcpyNodeSetParams1D(exec, n[1], device, out, 4,
                                             cudaMemcpyHostToDevice));
    fact("calls=%d %d", calls[0], calls[1]);
}

static cudaGraph_t hosts(int *counter, int nodes)
{
    struct cudaHostNodeParams host = {count, counter};
    cudaGraphNode_t node;
    cudaGraph_t graph;

    MUST(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < nodes; i++)
        MUST(cudaGraphAddHostNode(&node, graph, NULL, 0, &host));
    return graph;
}

static void children(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;

    calls[0] = calls[1] = 0;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, hosts(calls, 2)));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    error("exec_set_child.other_shape", cudaGraphExecChildGraphNodeSetParams(
                                            exec, node, hosts(&calls[1], 3)));
    fact_error("exec_set_child", cudaGraphExecChildGraphNodeSetParams(
                                     exec, node, hosts(&calls[1], 2)));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    fact("child_calls=%d %d", calls[0], calls[1]);
}

static void events(void)
{
    cudaEvent_t event[2];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    float ms;

    MUST(cudaEventCreate(&event[0]));
    MUST(cudaEventCreate(&event[1]));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, event[0]));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    fact_error("exec_set_record",
               cudaGraphExecEventRecordNodeSetEvent(exec, node, event[1]));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    error("first_event", cudaEventElapsedTime(&ms, event[0], event[0]));
    error("second_event", cudaEventElapsedTime(&ms, event[1], event[1]));
    error("set_wait_of_a_record", cudaGraphEventWaitNodeSetEvent(node, *event));
    error("dot.no_path", cudaGraphDebugDotPrint(graph, NULL, 0));
    fact_error("dot", cudaGraphDebugDotPrint(graph, "/dev/null", 0));
}

int main(void)
{
    int *in, *out;

    MUST(cudaMallocHost((void **)&in, 16));
    MUST(cudaMallocHost((void **)&out, 16));
    MUST(cudaStreamCreate(&s));
    for (int i = 0; i < 4; i++) {
        in[i] = i + 1;
        out[i] = 0;
    }
    symbols(in, out);
    others(out);
    children();
    events();
    return 0;
}
