/*
 * graph_conditional_again.cu: a graph with a conditional node has one
 * executable graph at a time and cannot be launched in a capture; a handle has
 * no node any more when that is gone; a failed capture into a body ends the
 * body; an inner condition has its default at the launch, not in each round.
 * Source: observed; programming guide, "Conditional Graph Nodes".
 */
#include "condition.h"

static cudaGraph_t graph, *bodies;
static cudaGraphConditionalHandle handle;
static cudaStream_t stream;
static int *memory;

static void prepare(void)
{
    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, 64));
    MUST(cudaMemset(memory, 0, 64));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphConditionalHandleCreate(&handle, graph, 1,
                                          cudaGraphCondAssignDefault));
    conditional_node(graph, NULL, handle, cudaGraphCondTypeIf, 1, &bodies);
}

static void second(void)
{
    cudaGraphInstantiateParams params;
    cudaGraphExec_t first, again;

    prepare();
    add_node(bodies[0], NULL, memory, 1);
    memset(&params, 0, sizeof params);
    MUST(cudaGraphInstantiateWithParams(&first, graph, &params));
    fact_int("first.result", params.result_out);
    fact_error("second.instantiate", cudaGraphInstantiate(&again, graph, 0));
    cudaGetLastError();
    MUST(cudaGraphExecDestroy(first));
    fact_error("second.after_destroy", cudaGraphInstantiate(&again, graph, 0));
    fact_error("second.launch", cudaGraphLaunch(again, stream));
    MUST(cudaDeviceSynchronize());
    fact_int("second.counted", read_int(memory));
}

static void launched_in_a_capture(void)
{
    cudaGraphExec_t exec;
    cudaGraph_t captured = NULL;

    prepare();
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    fact_error("in_capture.launch", cudaGraphLaunch(exec, stream));
    cudaGetLastError();
    fact_error("in_capture.end", cudaStreamEndCapture(stream, &captured));
}

/* The body outlives a capture into it that fails? */
static void failed_capture(void)
{
    cudaGraph_t out = NULL;
    size_t count = 99;

    prepare();
    MUST(cudaStreamBeginCaptureToGraph(stream, bodies[0], NULL, NULL, 0,
                                       cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, stream>>>(memory, 1);
    fact_error("failed.synchronize", cudaStreamSynchronize(stream));
    fact_error("failed.end", cudaStreamEndCapture(stream, &out));
    cudaGetLastError();
    fact_error("failed.get_nodes", cudaGraphGetNodes(bodies[0], NULL, &count));
    fact_int("failed.nodes", (long long)count);
}

/* The body goes with its node. */
static void node_gone(void)
{
    cudaGraphNode_t node;
    size_t count = 1;

    prepare();
    MUST(cudaGraphGetNodes(graph, &node, &count));
    MUST(cudaGraphDestroyNode(node));
    fact_error("gone.instantiate_with_its_handle",
               cudaGraphInstantiate((cudaGraphExec_t *)&node, graph, 0));
}

/* An inner condition whose default is 1 is set to 0 in the first round. */
static void inner_default(void)
{
    cudaGraphConditionalHandle outer, inner;
    cudaGraph_t whole, *round, *within;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    int *zero = memory + 2, *left = memory + 1;

    prepare();
    zero = memory + 2;
    left = memory + 1;
    write_int(left, 4);
    MUST(cudaGraphCreate(&whole, 0));
    MUST(cudaGraphConditionalHandleCreate(&outer, whole, 1,
                                          cudaGraphCondAssignDefault));
    conditional_node(whole, NULL, outer, cudaGraphCondTypeWhile, 1, &round);
    MUST(cudaGraphConditionalHandleCreate(&inner, round[0], 1,
                                          cudaGraphCondAssignDefault));
    node = conditional_node(round[0], NULL, inner, cudaGraphCondTypeIf, 1,
                            &within);
    add_node(within[0], NULL, memory, 1);
    node = set_node(round[0], &node, inner, zero);
    count_down_node(round[0], &node, left, outer);
    MUST(cudaGraphInstantiate(&exec, whole, 0));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaDeviceSynchronize());
    fact_int("inner_default.ran", read_int(memory));
    write_int(memory, 0);
    write_int(left, 4);
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaDeviceSynchronize());
    fact_int("inner_default.ran_again", read_int(memory));
}

int main(void)
{
    fact_in_child("second", second);
    fact_in_child("in_capture", launched_in_a_capture);
    fact_in_child("inner_default", inner_default);
    fact_in_child("gone", node_gone);
    fact_in_child("failed", failed_capture);
    return 0;
}
