/*
 * graph_edge_data.cu: what an edge may be like: ports and types are looked at,
 * and who asks for edges that are not ordinary without room for what they are
 * like gets cudaErrorLossyQuery.
 * Source: Runtime API, Graph Management, cudaGraphEdgeData; observed.
 */
#include "fact.h"

static cudaGraphNode_t add(cudaGraph_t graph, int empty)
{
    struct cudaKernelNodeParams p = {};
    unsigned long long rounds = 1, *sink = NULL;
    void *args[] = {&rounds, &sink};
    cudaGraphNode_t node;

    p.func = (void *)fact_spin;
    p.gridDim = dim3(1);
    p.blockDim = dim3(1);
    p.kernelParams = args;
    if (empty)
        MUST(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    else
        MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
    return node;
}

static cudaGraphEdgeData edge_of(int type, int from, int to)
{
    cudaGraphEdgeData edge = {};

    edge.type = (unsigned char)type;
    edge.from_port = (unsigned char)from;
    edge.to_port = (unsigned char)to;
    return edge;
}

static void ask(int type, int from, int to)
{
    static const char *const names[] = {"kernels", "from_empty", "to_empty"};
    const cudaGraphEdgeData edge = edge_of(type, from, to);

    for (int kind = 0; kind < 3; kind++) {
        cudaGraph_t graph;
        cudaGraphNode_t a, b;

        MUST(cudaGraphCreate(&graph, 0));
        a = add(graph, kind == 1);
        b = add(graph, kind == 2);
        fact("%s.type%d_from%d_to%d=%d", names[kind], type, from, to,
             (int)cudaGraphAddDependencies(graph, &a, &b, &edge, 1));
        cudaGetLastError();
        MUST(cudaGraphDestroy(graph));
    }
}

/* An edge that is not ordinary, asked for in each way. */
static void questions(cudaGraph_t graph, cudaGraphNode_t a, cudaGraphNode_t b)
{
    cudaGraphNode_t from[4], to[4];
    cudaGraphEdgeData data[4] = {};
    size_t n = 4;

    fact_error("edges.without_data",
               cudaGraphGetEdges(graph, from, to, NULL, &n));
    n = 0;
    fact_error("edges.without_room",
               cudaGraphGetEdges(graph, from, to, NULL, &n));
    fact_error("edges.number", cudaGraphGetEdges(graph, NULL, NULL, NULL, &n));
    fact_int("edges.count", (long long)n);
    n = 4;
    fact_error("edges.with_data", cudaGraphGetEdges(graph, from, to, data, &n));
    fact("edges.data=%d,%d,%d", data[0].type, data[0].from_port,
         data[0].to_port);
    n = 4;
    fact_error("dependencies.without_data",
               cudaGraphNodeGetDependencies(b, from, NULL, &n));
    n = 4;
    fact_error("dependencies.with_data",
               cudaGraphNodeGetDependencies(b, from, data, &n));
    n = 4;
    fact_error("dependents.without_data",
               cudaGraphNodeGetDependentNodes(a, to, NULL, &n));
    n = 4;
    fact_error("dependents.with_data",
               cudaGraphNodeGetDependentNodes(a, to, data, &n));
    n = 4;
    fact_error("dependents.of_the_last",
               cudaGraphNodeGetDependentNodes(b, to, NULL, &n));
    cudaGetLastError();
}

static void changes(cudaGraph_t graph, cudaGraphNode_t a, cudaGraphNode_t b)
{
    const cudaGraphEdgeData plain = {}, early = edge_of(1, 1, 0);

    fact_error("again.same",
               cudaGraphAddDependencies(graph, &a, &b, &early, 1));
    fact_error("again.ordinary",
               cudaGraphAddDependencies(graph, &a, &b, NULL, 1));
    fact_error("remove.ordinary",
               cudaGraphRemoveDependencies(graph, &a, &b, NULL, 1));
    fact_error("remove.zeros",
               cudaGraphRemoveDependencies(graph, &a, &b, &plain, 1));
    fact_error("remove.same",
               cudaGraphRemoveDependencies(graph, &a, &b, &early, 1));
    fact_error("remove.gone",
               cudaGraphRemoveDependencies(graph, &a, &b, &early, 1));
    cudaGetLastError();
}

int main(void)
{
    const cudaGraphEdgeData early = edge_of(1, 1, 0);
    cudaGraphEdgeData odd = {};
    cudaGraphNode_t a, b;
    cudaGraph_t graph;

    for (int type = 0; type < 3; type++)
        for (int from = 0; from < 4; from++)
            ask(type, from, 0);
    ask(0, 0, 1);
    ask(1, 1, 1);
    ask(0, 9, 0);
    MUST(cudaGraphCreate(&graph, 0));
    a = add(graph, 0);
    b = add(graph, 0);
    odd.reserved[0] = 1;
    fact_error("reserved", cudaGraphAddDependencies(graph, &a, &b, &odd, 1));
    MUST(cudaGraphAddDependencies(graph, &a, &b, &early, 1));
    questions(graph, a, b);
    changes(graph, a, b);
    return 0;
}
