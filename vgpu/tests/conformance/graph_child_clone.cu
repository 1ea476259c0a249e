/*
 * graph_child_clone.cu: a graph can be a node of another, which copies it,
 * and a clone is independent of its original.
 * Source: Runtime API, Graph Management, cudaGraphAddChildGraphNode.
 */
#include "fact.h"

static int *device;

static void add_kernel(cudaGraph_t graph, int place, int value)
{
    struct cudaKernelNodeParams kernel = {};
    cudaGraphNode_t node;
    int *target = device + place;
    void *args[] = {&target, &value};

    kernel.func = (void *)fact_store;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(1);
    kernel.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
}

static void run(const char *key, cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    int back[3] = {0};

    MUST(cudaMemset(device, 0, sizeof(back)));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaMemcpy(back, device, sizeof(back), cudaMemcpyDeviceToHost));
    fact("%s=%d %d %d", key, back[0], back[1], back[2]);
    MUST(cudaGraphExecDestroy(exec));
}

int main(void)
{
    cudaGraph_t inner, outer, clone, embedded = NULL;
    cudaGraphNode_t child;
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    size_t count = 0;

    MUST(cudaMalloc((void **)&device, 64));
    MUST(cudaGraphCreate(&inner, 0));
    add_kernel(inner, 0, 1);
    MUST(cudaGraphCreate(&outer, 0));
    fact_error("add_child.error",
               cudaGraphAddChildGraphNode(&child, outer, NULL, 0, inner));
    MUST(cudaGraphNodeGetType(child, &type));
    fact_int("child_type", type);
    MUST(cudaGraphGetNodes(outer, NULL, &count));
    fact_int("nodes_of_outer", (long long)count);
    add_kernel(outer, 1, 2);
    fact_error("child_get_graph.error",
               cudaGraphChildGraphNodeGetGraph(child, &embedded));
    fact_yes("child_is_a_copy", embedded != inner);
    add_kernel(inner, 2, 3);
    run("outer_ignores_later_change_of_inner", outer);
    run("inner_has_it", inner);
    fact_error("clone.error", cudaGraphClone(&clone, inner));
    add_kernel(clone, 1, 9);
    run("clone_has_its_own_node", clone);
    run("original_has_not", inner);
    fact_error("destroy_inner.error", cudaGraphDestroy(inner));
    run("outer_outlives_inner", outer);
    return 0;
}
