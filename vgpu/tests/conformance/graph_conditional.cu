/*
 * graph_conditional.cu: IF with and without an else, WHILE, SWITCH, nested:
 * what runs at which value, which order it has, and what a default value does.
 * Source: programming guide, "Conditional Graph Nodes".
 */
#include "condition.h"

static int *value;   /* what the condition is set to */
static int *counted; /* what the bodies add up */

static void launch(const char *key, cudaGraphExec_t exec, int with)
{
    write_int(value, with);
    write_int(counted, 0);
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    fact("%s.with_%d=%d", key, with, read_int(counted));
}

static cudaGraphConditionalHandle make_handle(cudaGraph_t graph, unsigned first,
                                              unsigned flags)
{
    cudaGraphConditionalHandle handle;

    MUST(cudaGraphConditionalHandleCreate(&handle, graph, first, flags));
    return handle;
}

/* A body for each value adds 1, 100, ...; what comes after adds 10000. */
static void selects(const char *key, enum cudaGraphConditionalNodeType type,
                    unsigned size, int values)
{
    enum cudaGraphNodeType made;
    cudaGraphConditionalHandle handle;
    cudaGraph_t graph, *bodies;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    size_t count = 0;
    int amount = 1;

    MUST(cudaGraphCreate(&graph, 0));
    handle = make_handle(graph, 0, 0);
    node = set_node(graph, NULL, handle, value);
    node = conditional_node(graph, &node, handle, type, size, &bodies);
    MUST(cudaGraphNodeGetType(node, &made));
    for (unsigned i = 0; i < size; i++, amount *= 100)
        add_node(bodies[i], NULL, counted, amount);
    add_node(graph, &node, counted, 1000000);
    MUST(cudaGraphGetNodes(graph, NULL, &count));
    fact("%s.type=%d", key, (int)made);
    fact("%s.nodes=%d", key, (int)count);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int with = 0; with < values; with++)
        launch(key, exec, with);
    launch(key, exec, 0);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

/* The body runs as often as there is something left; it is set in the body. */
static void loops(void)
{
    cudaGraphConditionalHandle handle;
    cudaGraph_t graph, *bodies;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;

    MUST(cudaGraphCreate(&graph, 0));
    handle = make_handle(graph, 1, cudaGraphCondAssignDefault);
    node = conditional_node(graph, NULL, handle, cudaGraphCondTypeWhile, 1,
                            &bodies);
    add_node(graph, &node, counted, 1000000);
    node = add_node(bodies[0], NULL, counted, 1);
    count_down_node(bodies[0], &node, value, handle);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch("while", exec, 1);
    launch("while", exec, 7);
    launch("while", exec, 200);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

/* Nothing sets it: the default counts anew at each launch. */
static void defaults(unsigned first)
{
    cudaGraphConditionalHandle handle;
    cudaGraph_t graph, *bodies;
    cudaGraphExec_t exec;
    char key[32];

    snprintf(key, sizeof key, "default_%u", first);
    MUST(cudaGraphCreate(&graph, 0));
    handle = make_handle(graph, first, cudaGraphCondAssignDefault);
    conditional_node(graph, NULL, handle, cudaGraphCondTypeIf, 1, &bodies);
    add_node(bodies[0], NULL, counted, 1);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch(key, exec, 0);
    launch(key, exec, 0);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

/* A WHILE whose body has an IF, a copy, a memset, a child graph. */
static void nested(void)
{
    cudaGraphConditionalHandle again, odd;
    cudaGraph_t graph, child, *bodies, *inner;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaMemsetParams set;
    int *scratch;

    MUST(cudaMalloc((void **)&scratch, 64));
    MUST(cudaMemset(scratch, 0, 64));
    memset(&set, 0, sizeof set);
    set.dst = scratch + 1;
    set.value = 1;
    set.elementSize = 4;
    set.width = set.height = 1;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&child, 0));
    add_node(child, NULL, counted, 100);
    again = make_handle(graph, 1, cudaGraphCondAssignDefault);
    conditional_node(graph, NULL, again, cudaGraphCondTypeWhile, 1, &bodies);
    odd = make_handle(bodies[0], 0, 0);
    MUST(cudaGraphAddMemcpyNode1D(&node, bodies[0], NULL, 0, scratch, value, 4,
                                  cudaMemcpyDeviceToDevice));
    MUST(cudaGraphAddMemsetNode(&node, bodies[0], &node, 1, &set));
    MUST(cudaGraphAddEmptyNode(&node, bodies[0], &node, 1));
    node = set_node(bodies[0], &node, odd, scratch + 1);
    node =
        conditional_node(bodies[0], &node, odd, cudaGraphCondTypeIf, 1, &inner);
    add_node(inner[0], NULL, counted, 1);
    MUST(cudaGraphAddChildGraphNode(&node, bodies[0], &node, 1, child));
    count_down_node(bodies[0], &node, value, again);
    fact_error("nested.instantiate", cudaGraphInstantiate(&exec, graph, 0));
    launch("nested", exec, 5);
    fact_int("nested.copied", read_int(scratch));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphDestroy(child));
    MUST(cudaFree(scratch));
}

int main(void)
{
    fact_warm_up();
    MUST(cudaMalloc((void **)&value, 4));
    MUST(cudaMalloc((void **)&counted, 4));
    selects("if", cudaGraphCondTypeIf, 1, 3);
    selects("if_else", cudaGraphCondTypeIf, 2, 3);
    selects("switch", cudaGraphCondTypeSwitch, 3, 5);
    loops();
    defaults(0);
    defaults(1);
    nested();
    return 0;
}
