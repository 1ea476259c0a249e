/*
 * graph_memory_left.cu: memory that a graph's launch makes and does not free,
 * and what cannot be done with a graph that has memory nodes.
 * Source: guide, Graph Memory Nodes; reference, cudaGraphAddMemAllocNode,
 * cudaGraphInstantiate; observed.
 */
#include "fact.h"

static cudaStream_t s;

static cudaError_t make(cudaGraph_t graph, int type, int place, int id,
                        cudaGraphNode_t *node, void **memory)
{
    struct cudaMemAllocNodeParams params;
    cudaError_t error;

    memset(&params, 0, sizeof params);
    params.poolProps.allocType = (enum cudaMemAllocationType)type;
    params.poolProps.location.type = (enum cudaMemLocationType)place;
    params.poolProps.location.id = id;
    params.bytesize = 1 << 20;
    error = cudaGraphAddMemAllocNode(node, graph, NULL, 0, &params);
    cudaGetLastError();
    *memory = params.dptr;
    return error;
}

static void say(const char *key, cudaError_t error)
{
    fact("%s=%d", key, (int)error);
    cudaGetLastError();
}

static void left(void)
{
    cudaGraph_t graph, frees, clone;
    cudaGraphNode_t node;
    cudaGraphExec_t exec, other, freeing;
    void *memory;

    MUST(cudaGraphCreate(&graph, 0));
    MUST(make(graph, 1, 1, 0, &node, &memory));
    say("free.before_any_launch", cudaFree(memory));
    say("free_async.before_any_launch", cudaFreeAsync(memory, s));
    say("instantiate", cudaGraphInstantiate(&exec, graph, 0));
    say("instantiate.again", cudaGraphInstantiate(&other, graph, 0));
    say("clone", cudaGraphClone(&clone, graph));
    say("launch", cudaGraphLaunch(exec, s));
    say("launch.again", cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    say("free_async", cudaFreeAsync(memory, s));
    say("free_async.again", cudaFreeAsync(memory, s));
    say("launch.after_free_async", cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    say("free", cudaFree(memory));
    say("free.again", cudaFree(memory));
    say("launch.after_free", cudaGraphLaunch(exec, s));
    MUST(cudaGraphCreate(&frees, 0));
    say("free_node.in_another_graph",
        cudaGraphAddMemFreeNode(&node, frees, NULL, 0, memory));
    say("free_node.in_another_graph.again",
        cudaGraphAddMemFreeNode(&node, frees, NULL, 0, memory));
    say("another_graph.instantiate", cudaGraphInstantiate(&freeing, frees, 0));
    say("another_graph.launch", cudaGraphLaunch(freeing, s));
    say("another_graph.launch_again", cudaGraphLaunch(freeing, s));
    MUST(cudaStreamSynchronize(s));
    say("launch.after_another_graph", cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaGraphExecDestroy(exec));
    say("auto_free.instantiate",
        cudaGraphInstantiate(&exec, graph,
                             cudaGraphInstantiateFlagAutoFreeOnLaunch));
    say("auto_free.launch", cudaGraphLaunch(exec, s));
    say("auto_free.launch_again", cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaGraphExecDestroy(exec));
    say("graph_destroyed", cudaGraphDestroy(graph));
    say("graph_destroyed.free", cudaFree(memory));
}

static void structure(void)
{
    cudaGraph_t graph, parent;
    cudaGraphNode_t first, second, child;
    cudaGraphExec_t exec, other;
    cudaGraphExecUpdateResultInfo result;
    void *memory;

    MUST(cudaGraphCreate(&graph, 0));
    MUST(make(graph, 1, 1, 0, &first, &memory));
    say("free_node.no_address",
        cudaGraphAddMemFreeNode(&second, graph, &first, 1, NULL));
    say("free_node.inside", cudaGraphAddMemFreeNode(&second, graph, &first, 1,
                                                    (char *)memory + 64));
    say("free_node",
        cudaGraphAddMemFreeNode(&second, graph, &first, 1, memory));
    say("free_node.again",
        cudaGraphAddMemFreeNode(&child, graph, &first, 1, memory));
    MUST(cudaGraphCreate(&parent, 0));
    say("as_child", cudaGraphAddChildGraphNode(&child, parent, NULL, 0, graph));
    MUST(cudaGraphDestroy(parent));
    say("destroy_node", cudaGraphDestroyNode(second));
    say("remove_edge",
        cudaGraphRemoveDependencies(graph, &first, &second, NULL, 1));
    say("freeing.instantiate", cudaGraphInstantiate(&exec, graph, 0));
    say("freeing.instantiate_again", cudaGraphInstantiate(&other, graph, 0));
    say("freeing.clone", cudaGraphClone(&parent, graph));
    memset(&result, 0, sizeof result);
    say("freeing.update", cudaGraphExecUpdate(exec, graph, &result));
    fact_int("freeing.update.result", result.result);
    MUST(cudaGraphExecDestroy(exec));
    say("freeing.instantiate_after_destroy",
        cudaGraphInstantiate(&exec, graph, 0));
}

static void kinds(void)
{
    static const int kinds[][3] = {{1, 1, 0},  {0, 1, 0}, {2, 1, 0}, {1, 0, 0},
                                   {1, 1, 99}, {1, 2, 0}, {1, 3, 0}};
    cudaGraph_t graph;
    cudaGraphNode_t node;
    void *memory;

    MUST(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 7; i++)
        fact("node.type_%d.place_%d.id_%d=%d", kinds[i][0], kinds[i][1],
             kinds[i][2],
             (int)make(graph, kinds[i][0], kinds[i][1], kinds[i][2], &node,
                       &memory));
}

static void captured(void)
{
    cudaGraph_t graph;
    void *memory = NULL, *none = &graph;

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    say("capture.take", cudaMallocAsync(&memory, 1 << 20, s));
    say("capture.take_0", cudaMallocAsync(&none, 0, s));
    fact_yes("capture.take_0.null", none == NULL);
    say("capture.free", cudaFreeAsync(memory, s));
    say("capture.end", cudaStreamEndCapture(s, &graph));
    MUST(cudaMallocAsync(&memory, 1 << 20, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    say("capture.free_of_a_pool's", cudaFreeAsync(memory, s));
    say("capture.end_then", cudaStreamEndCapture(s, &graph));
}

int main(void)
{
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    left();
    structure();
    kinds();
    captured();
    return 0;
}
