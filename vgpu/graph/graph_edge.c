/*
 * graph_edge.c: edges: added, removed, asked about.
 *
 * Each node has its predecessors, and with each what the edge is like. An edge
 * of type "programmatic" lets a kernel begin before the one it comes after has
 * ended. Differs: here it begins behind its end, as with an ordinary edge.
 *
 * Source: manual, "Graph Management", cudaGraphEdgeData; observed
 * (conformance: graph_edge_data).
 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

static const cudaGraphEdgeData ordinary;

static bool same_edge(const cudaGraphEdgeData *a, const cudaGraphEdgeData *b)
{
    return !memcmp(a, b, sizeof *a);
}

/* Only kernels have ports other than 0, at which they let others go on before
 * they have ended; and only kernels can be let go early. That a kernel has
 * begun can let anything go. */
cudaError_t vgpu_edge_check(const struct vgpu_node *node,
                            const struct vgpu_node *before,
                            const cudaGraphEdgeData *edge)
{
    static const cudaGraphEdgeData begun = {
        .from_port = cudaGraphKernelNodePortLaunchCompletion};

    if (!edge || same_edge(edge, &ordinary) ||
        (same_edge(edge, &begun) && before->type == cudaGraphNodeTypeKernel))
        return cudaSuccess;
    if (edge->type != cudaGraphDependencyTypeProgrammatic || edge->to_port ||
        !edge->from_port ||
        edge->from_port > cudaGraphKernelNodePortLaunchCompletion ||
        before->type != cudaGraphNodeTypeKernel ||
        node->type != cudaGraphNodeTypeKernel)
        return vgpu_invalid("an edge that is not an ordinary one is a "
                            "programmatic one between two kernels, from a port "
                            "of theirs");
    return cudaSuccess;
}

/* Return: its place among the predecessors, or their number. */
static size_t find_edge(const struct vgpu_node *node,
                        const struct vgpu_node *before)
{
    size_t i = 0;

    while (i < node->dep_count && node->deps[i] != before)
        i++;
    return i;
}

static bool has_edge(const struct vgpu_node *node,
                     const struct vgpu_node *before)
{
    return find_edge(node, before) < node->dep_count;
}

/* One by one: a node has few predecessors, and a capture adds them as they come
 * up. */
cudaError_t vgpu_node_after(struct vgpu_node *node, struct vgpu_node *before,
                            const cudaGraphEdgeData *edge)
{
    const size_t count = node->dep_count;

    if (has_edge(node, before))
        return cudaSuccess;
    if (!VGPU_GROW(node->deps, count, NULL) ||
        !VGPU_GROW(node->edges, count, NULL))
        return cudaErrorMemoryAllocation;
    node->deps[count] = before;
    node->edges[count] = edge ? *edge : ordinary;
    node->dep_count++;
    return cudaSuccess;
}

/* The order of those left stays: cudaGraphExecUpdate compares predecessors
 * place by place. */
bool vgpu_node_part(struct vgpu_node *node, const struct vgpu_node *before,
                    const cudaGraphEdgeData *edge)
{
    const size_t i = find_edge(node, before);
    size_t behind;

    if (i == node->dep_count || (edge && !same_edge(edge, &node->edges[i])))
        return false;
    behind = --node->dep_count - i;
    memmove(&node->deps[i], &node->deps[i + 1], behind * sizeof *node->deps);
    memmove(&node->edges[i], &node->edges[i + 1], behind * sizeof *node->edges);
    return true;
}

bool vgpu_edges_copy(struct vgpu_node *to, const struct vgpu_node *from)
{
    for (size_t i = 0; i < from->dep_count; i++)
        if (vgpu_node_after(to, to->graph->nodes[from->deps[i]->index],
                            &from->edges[i]))
            return false;
    return true;
}

/* Marks what was looked at, so that every node is looked at once. */
static bool search(const struct vgpu_node *node, const struct vgpu_node *wanted,
                   bool *seen)
{
    if (node == wanted)
        return true;
    if (seen[node->index])
        return false;
    seen[node->index] = true;
    for (size_t i = 0; i < node->dep_count; i++)
        if (search(node->deps[i], wanted, seen))
            return true;
    return false;
}

/* Along any path of edges. Without memory the answer is no, and a capture then
 * ends with an error instead of a graph that lacks an order. */
bool vgpu_node_depends_on(const struct vgpu_node *node,
                          const struct vgpu_node *before)
{
    bool *seen = calloc(node->graph->count, sizeof *seen);
    bool found;

    if (!seen)
        return false;
    found = search(node, before, seen);
    free(seen);
    return found;
}

/* ---- questions ------------------------------------------------------------
 */

void vgpu_hand_out(cudaGraphNode_t *out, const size_t *count, size_t at,
                   struct vgpu_node *node)
{
    if (out && at < *count)
        out[at] = (cudaGraphNode_t)node;
}

void vgpu_close_list(cudaGraphNode_t *out, size_t *count, size_t total)
{
    for (size_t i = total; out && i < *count; i++)
        out[i] = NULL;
    if (!out || *count > total)
        *count = total;
}

/* Who asks for edges without room for what they are like must not take one for
 * an ordinary one. */
static void tell_edge(cudaGraphEdgeData *out, const size_t *count, size_t at,
                      const cudaGraphEdgeData *edge, bool *lost)
{
    if (out && at < *count)
        out[at] = *edge;
    *lost |= !out && !same_edge(edge, &ordinary);
}

cudaError_t vgpu_check_room(const void *nodes, const cudaGraphEdgeData *edges,
                            const size_t *count)
{
    if (count && (nodes ? *count > 0 : !edges))
        return cudaSuccess;
    return !count  ? cudaErrorInvalidValue
           : nodes ? vgpu_invalid("there is room for nodes, and *count is 0")
                   : vgpu_invalid("what edges are like is told with their "
                                  "nodes, for which there is no room");
}

static cudaError_t answer(const void *nodes, bool lost)
{
    return nodes && lost
               ? vgpu_because(cudaErrorLossyQuery,
                              "there are edges that are not ordinary ones, and "
                              "edges is NULL")
               : cudaSuccess;
}

API(cudaGraphGetEdges, cudaGraph_t handle, cudaGraphNode_t *from,
    cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count)
{
    struct vgpu_graph *graph = vgpu_graph_find(handle);
    size_t found = 0;
    bool lost = false;
    cudaError_t error;

    if (graph && count && !from != !to)
        return vgpu_invalid("only one of from and to is NULL");
    error = graph ? vgpu_check_room(from, edges, count) : cudaErrorInvalidValue;
    if (error)
        return error;
    for (size_t i = 0; i < graph->count; i++) {
        struct vgpu_node *node = graph->nodes[i];

        for (size_t d = 0; d < node->dep_count; d++, found++) {
            vgpu_hand_out(from, count, found, node->deps[d]);
            vgpu_hand_out(to, count, found, node);
            tell_edge(edges, count, found, &node->edges[d], &lost);
        }
    }
    if (!from || *count > found)
        *count = found;
    return answer(from, lost);
}

API(cudaGraphNodeGetDependencies, cudaGraphNode_t handle,
    cudaGraphNode_t *dependencies, cudaGraphEdgeData *edges, size_t *count)
{
    struct vgpu_node *node = vgpu_node_find(handle);
    bool lost = false;
    cudaError_t error;

    error = node ? vgpu_check_room(dependencies, edges, count)
                 : cudaErrorInvalidValue;
    if (error)
        return error;
    for (size_t i = 0; i < node->dep_count; i++) {
        vgpu_hand_out(dependencies, count, i, node->deps[i]);
        tell_edge(edges, count, i, &node->edges[i], &lost);
    }
    vgpu_close_list(dependencies, count, node->dep_count);
    return answer(dependencies, lost);
}

/* The successors: found by asking each node of the graph for its
 * predecessors. */
API(cudaGraphNodeGetDependentNodes, cudaGraphNode_t handle,
    cudaGraphNode_t *dependents, cudaGraphEdgeData *edges, size_t *count)
{
    struct vgpu_node *node = vgpu_node_find(handle);
    size_t found = 0;
    bool lost = false;
    cudaError_t error;

    error = node ? vgpu_check_room(dependents, edges, count)
                 : cudaErrorInvalidValue;
    if (error)
        return error;
    for (size_t i = 0; i < node->graph->count; i++) {
        struct vgpu_node *other = node->graph->nodes[i];
        const size_t d = find_edge(other, node);

        if (d == other->dep_count)
            continue;
        tell_edge(edges, count, found, &other->edges[d], &lost);
        vgpu_hand_out(dependents, count, found++, other);
    }
    vgpu_close_list(dependents, count, found);
    return answer(dependents, lost);
}

/* ---- changes --------------------------------------------------------------
 */

static bool in_graph(const struct vgpu_node *node,
                     const struct vgpu_graph *graph)
{
    return node && graph && node->graph == graph;
}

static cudaError_t not_in_graph(size_t pair)
{
    return vgpu_invalid("a node of pair %zu is none of this graph", pair);
}

/* A cycle is found by cudaGraphInstantiate, not here. An edge that is there
 * already is an error. */
API(cudaGraphAddDependencies, cudaGraph_t handle, const cudaGraphNode_t *from,
    const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count)
{
    struct vgpu_graph *graph = vgpu_graph_find(handle);
    cudaError_t error = cudaSuccess;

    if (!graph || (count && (!from || !to)))
        return graph ? vgpu_invalid("from or to is NULL, and count %zu", count)
                     : cudaErrorInvalidValue;
    for (size_t i = 0; !error && i < count; i++) {
        struct vgpu_node *before = vgpu_node_find(from[i]);
        struct vgpu_node *after = vgpu_node_find(to[i]);
        const cudaGraphEdgeData *edge = edges ? &edges[i] : NULL;

        if (!in_graph(before, graph) || !in_graph(after, graph))
            error = not_in_graph(i);
        else if (before == after || has_edge(after, before))
            error = vgpu_invalid(before == after
                                     ? "a node does not depend on itself: pair "
                                       "%zu"
                                     : "the edge of pair %zu is there already",
                                 i);
        if (!error)
            error = vgpu_edge_check(after, before, edge);
        if (!error)
            error = vgpu_node_after(after, before, edge);
    }
    return error;
}

/* Pairs are taken away as they come: the ones before a pair that is not there
 * stay removed. */
API(cudaGraphRemoveDependencies, cudaGraph_t handle,
    const cudaGraphNode_t *from, const cudaGraphNode_t *to,
    const cudaGraphEdgeData *edges, size_t count)
{
    const struct vgpu_graph *graph = vgpu_graph_find(handle);

    if (!graph || (count && (!from || !to)))
        return graph ? vgpu_invalid("from or to is NULL, and count %zu", count)
                     : cudaErrorInvalidValue;
    if (vgpu_graph_has_memory(graph))
        return vgpu_because(cudaErrorNotSupported,
                            "of a graph with nodes of memory no edge can go");
    for (size_t i = 0; i < count; i++) {
        struct vgpu_node *before = vgpu_node_find(from[i]);
        struct vgpu_node *after = vgpu_node_find(to[i]);

        if (!in_graph(before, graph) || !in_graph(after, graph))
            return not_in_graph(i);
        if (!vgpu_node_part(after, before, edges ? &edges[i] : NULL))
            return vgpu_invalid("there is no such edge as that of pair %zu", i);
    }
    return cudaSuccess;
}
