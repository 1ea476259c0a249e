/*
 * graph_structure.cu: nodes and edges can be listed, added and removed; a
 * cycle cannot be instantiated.
 * Source: Runtime API, Graph Management, cudaGraphAddDependencies.
 */
#include "fact.h"

static void counts(const char *name, cudaGraph_t graph)
{
    size_t nodes = 0;
    size_t edges = 0;
    size_t roots = 0;

    MUST(cudaGraphGetNodes(graph, NULL, &nodes));
    MUST(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    MUST(cudaGraphGetRootNodes(graph, NULL, &roots));
    fact("%s.nodes_edges_roots=%zu %zu %zu", name, nodes, edges, roots);
}

static cudaError_t add(cudaGraph_t graph, cudaGraphNode_t from,
                       cudaGraphNode_t to)
{
    return cudaGraphAddDependencies(graph, &from, &to, NULL, 1);
}

int main(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec = NULL;
    cudaGraphNode_t n[4], found[4];
    enum cudaGraphNodeType type = cudaGraphNodeTypeKernel;
    size_t count = 4;

    MUST(cudaFree(NULL));
    MUST(cudaGraphCreate(&graph, 0));
    counts("empty", graph);
    for (int i = 0; i < 4; i++)
        MUST(cudaGraphAddEmptyNode(&n[i], graph, NULL, 0));
    counts("four_nodes", graph);
    fact_error("node_type.error", cudaGraphNodeGetType(n[0], &type));
    fact_int("node_type", type);
    fact_error("add_dependency.error", add(graph, n[0], n[1]));
    MUST(add(graph, n[0], n[2]));
    MUST(add(graph, n[1], n[3]));
    MUST(add(graph, n[2], n[3]));
    counts("diamond", graph);
    fact_error("dependencies.error",
               cudaGraphNodeGetDependencies(n[3], found, NULL, &count));
    fact_int("dependencies_of_join", (long long)count);
    count = 4;
    MUST(cudaGraphNodeGetDependentNodes(n[0], found, NULL, &count));
    fact_int("dependents_of_fork", (long long)count);
    fact_error("same_edge_again.error", add(graph, n[0], n[1]));
    cudaGetLastError();
    fact_error("diamond.instantiate", cudaGraphInstantiate(&exec, graph, 0));
    fact_error("remove_dependency.error",
               cudaGraphRemoveDependencies(graph, &n[0], &n[1], NULL, 1));
    counts("edge_removed", graph);
    fact_error("remove_it_again.error",
               cudaGraphRemoveDependencies(graph, &n[0], &n[1], NULL, 1));
    cudaGetLastError();
    fact_error("destroy_node.error", cudaGraphDestroyNode(n[3]));
    counts("node_removed", graph);
    fact_error("back_edge.error", add(graph, n[2], n[0]));
    cudaGetLastError();
    fact_error("cycle.instantiate", cudaGraphInstantiate(&exec, graph, 0));
    fact_last("cycle.latched");
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEmptyNode(&n[0], graph, NULL, 0));
    fact_error("edge_to_itself.error", add(graph, n[0], n[0]));
    cudaGetLastError();
    return 0;
}
