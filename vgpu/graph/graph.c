/*
 * graph.c: graphs and their nodes: made, asked about, cloned, destroyed.
 *
 * A graph is an array of nodes in the order in which they were added, and each
 * node has its predecessors. No node has a list of its successors: they are
 * asked for seldom, and two lists of one edge would have to agree.
 *
 * A node's operation is a pattern. It is never enqueued itself; each launch
 * makes a copy of it (vgpu_op_copy), since an operation runs once and a graph
 * as often as it is launched.
 *
 * Source: programming guide, "CUDA Graphs"; manual, "Graph Management".
 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* Handles are addresses; only those in the set of live ones are followed
 * (handle.c). */
struct vgpu_graph *vgpu_graph_find(cudaGraph_t handle)
{
    if (vgpu_handle_find(handle) != VGPU_HANDLE_GRAPH)
        return NULL;
    return (struct vgpu_graph *)handle;
}

struct vgpu_node *vgpu_node_find(cudaGraphNode_t handle)
{
    if (vgpu_handle_find(handle) != VGPU_HANDLE_NODE)
        return NULL;
    return (struct vgpu_node *)handle;
}

struct vgpu_graph *vgpu_graph_new(void)
{
    struct vgpu_graph *graph = calloc(1, sizeof *graph);

    if (graph && vgpu_handle_add(graph, VGPU_HANDLE_GRAPH)) {
        free(graph);
        return NULL;
    }
    return graph;
}

/* Its edges are the graph's business: cudaGraphDestroyNode has them dropped
 * before. */
void vgpu_node_free(struct vgpu_node *node)
{
    vgpu_handle_remove(node);
    vgpu_op_unref(node->op);
    vgpu_host_side_unref(node->host_side);
    for (unsigned i = 0; i < node->inner_count; i++)
        if (node->inner[i])
            vgpu_graph_free(node->inner[i]);
    free(node->inner);
    free(node->arguments);
    free(node->deps);
    free(node->edges);
    free(node);
}

void vgpu_node_keep(struct vgpu_node *node, const void *const *arguments)
{
    enum { ALIGN = 16 }; /* of any parameter */
    const struct vgpu_body *body = node->op->kernel.exec.body;
    size_t at = round_up(body->num_sizes * sizeof *arguments, ALIGN);
    size_t bytes = at;
    void **kept = NULL;

    if (!body->num_sizes)
        return;
    for (size_t i = 0; i < body->num_sizes; i++)
        bytes += round_up(body->sizes[i], ALIGN);
    if (arguments)
        kept = malloc(bytes);
    for (size_t i = 0; kept && i < body->num_sizes; i++) {
        kept[i] = memcpy((char *)kept + at, arguments[i], body->sizes[i]);
        at += round_up(body->sizes[i], ALIGN);
    }
    free(node->arguments);
    node->arguments = node->params.kernelParams = kept;
}

/* A launch whose conditions are not decided yet holds its graph: the bodies
 * are enqueued from it. */
void vgpu_graph_free(struct vgpu_graph *graph)
{
    vgpu_handle_remove(graph);
    if (graph->refs) {
        graph->refs--;
        return;
    }
    for (size_t i = 0; i < graph->count; i++)
        vgpu_node_free(graph->nodes[i]);
    for (size_t i = 0; i < graph->seat_count; i++)
        vgpu_stream_retire(graph->seats[i].stream);
    vgpu_graph_let_go(graph);
    free(graph->seats);
    free(graph->conditions);
    free(graph->nodes);
    free(graph);
}

bool vgpu_node_hold(struct vgpu_node *node, unsigned count)
{
    node->inner = calloc(count, sizeof(struct vgpu_graph *));
    node->inner_count = node->inner ? count : 0;
    return node->inner;
}

bool vgpu_node_put(struct vgpu_node *node, unsigned i,
                   const struct vgpu_graph *graph)
{
    node->inner[i] = vgpu_graph_copy(graph);
    if (node->inner[i])
        node->inner[i]->owner = node;
    return node->inner[i];
}

/* The array of nodes grows before the node is in it, and a node that cannot be
 * known by its handle is not added: a graph is never left half changed. */
struct vgpu_node *vgpu_node_new(struct vgpu_graph *graph,
                                enum cudaGraphNodeType type, struct vgpu_op *op,
                                uint64_t pc)
{
    struct vgpu_node *node = calloc(1, sizeof *node);

    if (!node || !VGPU_GROW(graph->nodes, graph->count, &graph->room) ||
        vgpu_handle_add(node, VGPU_HANDLE_NODE)) {
        free(node);
        return NULL;
    }
    node->kept.domain_map.remote = 1;
    node->type = type;
    node->graph = graph;
    node->op = op;
    node->pc = pc;
    node->device = vgpu_thread_self()->device;
    node->index = graph->count;
    graph->nodes[graph->count++] = node;
    return node;
}

/* What a kernel was called with is in its closure and is cloned, since each
 * operation frees its own; all else of a pattern are values. The device stays:
 * a node runs where it was made, whichever stream the graph is launched in. */
struct vgpu_op *vgpu_op_copy(const struct vgpu_op *pattern)
{
    struct vgpu_op *op = vgpu_op_new(pattern->kind);

    if (!op)
        return NULL;
    op->pc = pattern->pc;
    op->device = pattern->device;
    switch (pattern->kind) {
    case VGPU_OP_COPY:
        op->copy = pattern->copy;
        break;
    case VGPU_OP_SET:
        op->set = pattern->set;
        break;
    case VGPU_OP_KERNEL:
        op->kernel = pattern->kernel;
        op->kernel.exec.closure =
            pattern->kernel.exec.body->clone(pattern->kernel.exec.closure);
        break;
    case VGPU_OP_HOST:
        op->host = pattern->host;
        break;
    default:
        op->memory = pattern->memory;
        break;
    }
    return op;
}

/* Without its edges: those can be made when all of the copy's nodes are
 * there. */
static struct vgpu_node *copy_node(struct vgpu_graph *to,
                                   const struct vgpu_node *from)
{
    struct vgpu_op *op = from->op ? vgpu_op_copy(from->op) : NULL;
    struct vgpu_node *node = vgpu_node_new(to, from->type, op, from->pc);

    if (!node)
        return NULL;
    node->event = from->event;
    node->original = from;
    node->host_side = vgpu_host_side_ref(from->host_side);
    node->page = from->page;
    node->params = from->params;
    node->kept = from->kept;
    node->priority = from->priority;
    if (from->arguments)
        vgpu_node_keep(node, (const void *const *)from->arguments);
    node->device = from->device;
    node->disabled = from->disabled;
    node->condition = from->condition;
    node->branch = from->branch;
    if (from->inner && !vgpu_node_hold(node, from->inner_count))
        return NULL;
    for (unsigned i = 0; i < from->inner_count; i++)
        if (!vgpu_node_put(node, i, from->inner[i]))
            return NULL;
    return node;
}

static bool copy_conditions(struct vgpu_graph *to,
                            const struct vgpu_graph *from)
{
    const size_t bytes = from->condition_count * sizeof *from->conditions;

    if (!bytes)
        return true;
    to->conditions = malloc(bytes);
    if (!to->conditions)
        return false;
    memcpy(to->conditions, from->conditions, bytes);
    to->condition_count = from->condition_count;
    return true;
}

/* Nodes keep their places in the array, so that an edge of the copy is found by
 * its ends' indices. */
struct vgpu_graph *vgpu_graph_copy(const struct vgpu_graph *graph)
{
    struct vgpu_graph *copy = vgpu_graph_new();
    bool ok = copy && copy_conditions(copy, graph) &&
              vgpu_graph_hold_same(copy, graph);

    for (size_t i = 0; ok && i < graph->count; i++)
        ok = copy_node(copy, graph->nodes[i]);
    for (size_t i = 0; ok && i < graph->count; i++)
        ok = vgpu_edges_copy(copy->nodes[i], graph->nodes[i]);
    if (!ok && copy) {
        vgpu_graph_free(copy);
        return NULL;
    }
    return copy;
}

/* ---- the calls ----------------------------------------------------------- */

/* Nothing here needs a context: a graph can be built before any device is
 * used. */
/* No flags are defined as yet; the manual says "must be 0". */
API(cudaGraphCreate, cudaGraph_t *graph, unsigned int flags)
{
    if (!graph || flags)
        return graph ? vgpu_invalid("flags is not 0") : cudaErrorInvalidValue;
    *graph = (cudaGraph_t)vgpu_graph_new();
    vgpu_handle_made(*graph, call->pc);
    return *graph ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* A child graph belongs to its node, and one that a capture is filling to the
 * capture. */
API(cudaGraphDestroy, cudaGraph_t handle)
{
    struct vgpu_graph *graph = vgpu_graph_find(handle);

    if (!graph || graph->owner)
        return graph ? vgpu_invalid("it is the graph of a node, and goes with "
                                    "that")
                     : cudaErrorInvalidValue;
    if (graph->capturing)
        return vgpu_because(cudaErrorIllegalState,
                            "a capture that is under way fills it");
    vgpu_handle_ended(handle, call->pc);
    vgpu_graph_free(graph);
    return cudaSuccess;
}

API(cudaGraphClone, cudaGraph_t *clone, cudaGraph_t original)
{
    struct vgpu_graph *graph = vgpu_graph_find(original);

    if (!clone || !graph)
        return cudaErrorInvalidValue;
    if (vgpu_graph_branches(graph) || vgpu_graph_has_memory(graph))
        return vgpu_because(cudaErrorNotSupported,
                            "it has a conditional node, or one of memory");
    if (graph->owner && graph->owner->type == cudaGraphNodeTypeConditional)
        return vgpu_because(cudaErrorNotSupported,
                            "it is the body of a conditional node");
    *clone = (cudaGraph_t)vgpu_graph_copy(graph);
    vgpu_handle_made(*clone, call->pc);
    return *clone ? cudaSuccess : cudaErrorMemoryAllocation;
}

API(cudaGraphNodeFindInClone, cudaGraphNode_t *node, cudaGraphNode_t original,
    cudaGraph_t clone)
{
    struct vgpu_graph *graph = vgpu_graph_find(clone);

    for (size_t i = 0; node && graph && i < graph->count; i++)
        if (graph->nodes[i]->original == (struct vgpu_node *)original) {
            *node = (cudaGraphNode_t)graph->nodes[i];
            return cudaSuccess;
        }
    return node && graph ? vgpu_invalid("the graph is no clone of the node's")
                         : cudaErrorInvalidValue;
}

API(cudaGraphGetNodes, cudaGraph_t handle, cudaGraphNode_t *nodes,
    size_t *count)
{
    struct vgpu_graph *graph = vgpu_graph_find(handle);
    const cudaError_t error =
        graph ? vgpu_check_room(nodes, NULL, count) : cudaErrorInvalidValue;

    if (error)
        return error;
    for (size_t i = 0; i < graph->count; i++)
        vgpu_hand_out(nodes, count, i, graph->nodes[i]);
    vgpu_close_list(nodes, count, graph->count);
    return cudaSuccess;
}

API(cudaGraphGetRootNodes, cudaGraph_t handle, cudaGraphNode_t *nodes,
    size_t *count)
{
    struct vgpu_graph *graph = vgpu_graph_find(handle);
    const cudaError_t error =
        graph ? vgpu_check_room(nodes, NULL, count) : cudaErrorInvalidValue;
    size_t found = 0;

    if (error)
        return error;
    for (size_t i = 0; i < graph->count; i++)
        if (!graph->nodes[i]->dep_count)
            vgpu_hand_out(nodes, count, found++, graph->nodes[i]);
    vgpu_close_list(nodes, count, found);
    return cudaSuccess;
}

cudaError_t vgpu_node_other(const struct vgpu_node *node)
{
    return node ? vgpu_invalid("the node made at %s (%s) is of another type",
                               vgpu_at(node->pc), vgpu_node_name(node))
                : cudaErrorInvalidValue;
}

API(cudaGraphNodeGetType, cudaGraphNode_t handle, enum cudaGraphNodeType *type)
{
    struct vgpu_node *node = vgpu_node_find(handle);

    if (!node || !type)
        return cudaErrorInvalidValue;
    *type = node->type;
    return cudaSuccess;
}

/* Its edges go with it, and the nodes behind it move up, since a node's index
 * is its place in the array. */
API(cudaGraphDestroyNode, cudaGraphNode_t handle)
{
    struct vgpu_node *node = vgpu_node_find(handle);
    struct vgpu_graph *graph;

    if (!node || node->graph->capturing)
        return node
                   ? vgpu_invalid("a capture that is under way fills its graph")
                   : cudaErrorInvalidValue;
    graph = node->graph;
    if (vgpu_graph_has_memory(graph))
        return vgpu_because(cudaErrorNotSupported,
                            "of a graph with nodes of memory none can go");
    for (size_t i = 0; i < graph->count; i++)
        vgpu_node_part(graph->nodes[i], node, NULL);
    graph->count--;
    for (size_t i = node->index; i < graph->count; i++) {
        graph->nodes[i] = graph->nodes[i + 1];
        graph->nodes[i]->index = i;
    }
    vgpu_handle_ended(handle, call->pc);
    vgpu_node_free(node);
    return cudaSuccess;
}

/* Not a copy: the caller may look at and change the graph that the node has,
 * and may not destroy it. */
API(cudaGraphChildGraphNodeGetGraph, cudaGraphNode_t handle, cudaGraph_t *graph)
{
    struct vgpu_node *node = vgpu_node_find(handle);

    if (!node || !graph || node->type != cudaGraphNodeTypeGraph)
        return vgpu_node_other(node);
    *graph = (cudaGraph_t)node->inner[0];
    return cudaSuccess;
}

/* Record and wait nodes both have an event; asking one by the other's call is
 * an error, as in CUDA. */
static cudaError_t get_event(cudaGraphNode_t handle,
                             enum cudaGraphNodeType type, cudaEvent_t *event)
{
    struct vgpu_node *node = vgpu_node_find(handle);

    if (!node || !event || node->type != type)
        return vgpu_node_other(node);
    *event = node->event;
    return cudaSuccess;
}

API(cudaGraphEventRecordNodeGetEvent, cudaGraphNode_t node, cudaEvent_t *event)
{
    return get_event(node, cudaGraphNodeTypeEventRecord, event);
}

API(cudaGraphEventWaitNodeGetEvent, cudaGraphNode_t node, cudaEvent_t *event)
{
    return get_event(node, cudaGraphNodeTypeWaitEvent, event);
}
