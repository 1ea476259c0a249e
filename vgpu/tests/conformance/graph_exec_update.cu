/*
 * graph_exec_update.cu: an instantiated graph can get new parameters, by
 * node or from a whole graph of the same shape; another shape is error 910.
 * Source: Runtime API, Graph Management, cudaGraphExecUpdate.
 */
#include "fact.h"

static int *device;
static cudaStream_t s;

static void add_store(cudaGraphNode_t *node, cudaGraph_t graph,
                      const cudaGraphNode_t *after, int place, int value)
{
    struct cudaKernelNodeParams kernel = {};
    int *target = device + place;
    void *args[] = {&target, &value};

    kernel.func = (void *)fact_store;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(1);
    kernel.kernelParams = args;
    MUST(cudaGraphAddKernelNode(node, graph, after, after ? 1 : 0, &kernel));
}

static int launch(cudaGraphExec_t exec)
{
    int back = -1;

    MUST(cudaMemset(device, 0, 64));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(&back, device, sizeof(int), cudaMemcpyDeviceToHost));
    return back;
}

static void by_node(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    struct cudaKernelNodeParams kernel = {};
    unsigned int enabled = 99;
    int value = 20;
    void *args[] = {&device, &value};

    fact_error("get_params.error", cudaGraphKernelNodeGetParams(node, &kernel));
    fact_int("get_params.grid_x", kernel.gridDim.x);
    kernel.kernelParams = args;
    fact_error("exec_set_params.error",
               cudaGraphExecKernelNodeSetParams(exec, node, &kernel));
    fact_int("exec_set_params.value", launch(exec));
    fact_error("disable.error", cudaGraphNodeSetEnabled(exec, node, 0));
    MUST(cudaGraphNodeGetEnabled(exec, node, &enabled));
    fact_int("disable.enabled", enabled);
    fact_int("disable.value", launch(exec));
    MUST(cudaGraphNodeSetEnabled(exec, node, 1));
    fact_int("enable.value", launch(exec));
}

static void by_graph(cudaGraphExec_t exec)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaGraphNode_t first, second;
    cudaGraph_t same, other;

    MUST(cudaGraphCreate(&same, 0));
    add_store(&first, same, NULL, 0, 30);
    fact_error("update.error", cudaGraphExecUpdate(exec, same, &info));
    fact_int("update.result", info.result);
    fact_int("update.value", launch(exec));
    MUST(cudaGraphCreate(&other, 0));
    add_store(&first, other, NULL, 0, 40);
    add_store(&second, other, &first, 0, 50);
    fact_error("update_other_shape.error",
               cudaGraphExecUpdate(exec, other, &info));
    fact_last("update_other_shape.latched");
    fact_yes("update_other_shape.result_names_a_reason",
             info.result != cudaGraphExecUpdateSuccess);
    fact_int("update_other_shape.value_kept", launch(exec));
}

int main(void)
{
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaGraph_t graph;

    MUST(cudaMalloc((void **)&device, 64));
    MUST(cudaStreamCreate(&s));
    MUST(cudaGraphCreate(&graph, 0));
    add_store(&node, graph, NULL, 0, 10);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    fact_int("first_value", launch(exec));
    by_node(exec, node);
    by_graph(exec);
    return 0;
}
