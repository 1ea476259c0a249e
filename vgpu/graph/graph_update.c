/*
 * graph_update.c: an executable graph is changed to be like another graph, of
 * the same shape.
 *
 * Source: manual, "Graph Management", cudaGraphExecUpdate; observed
 * (conformance: graph_update_results).
 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- what one node may become --------------------------------------------
 */

static bool same_device(const struct vgpu_place *a, const struct vgpu_place *b)
{
    return !a->device || !b->device || a->where == b->where;
}

static bool is_flat(const struct vgpu_extent *e)
{
    return e->rows == 1 && e->slices == 1;
}

static bool same_extent(const struct vgpu_extent *a,
                        const struct vgpu_extent *b)
{
    return a->width == b->width && a->rows == b->rows && a->slices == b->slices;
}

static bool same_place(const struct vgpu_place *a, const struct vgpu_place *b)
{
    return a->base == b->base && a->pitch == b->pitch;
}

/* The direction stays what the caller has said it is, and one row may become
 * any other one; of several rows nothing may change. */
static bool copy_may_become(const struct vgpu_op *old,
                            const struct vgpu_op *fresh)
{
    if (old->copy.kind != fresh->copy.kind)
        return false;
    if (is_flat(&old->copy.extent) && is_flat(&fresh->copy.extent))
        return same_device(&old->copy.dst, &fresh->copy.dst) &&
               same_device(&old->copy.src, &fresh->copy.src);
    return same_extent(&old->copy.extent, &fresh->copy.extent) &&
           same_place(&old->copy.dst, &fresh->copy.dst) &&
           same_place(&old->copy.src, &fresh->copy.src);
}

/* One row may become any other one; several stay as they are but for where they
 * are and what they are set to. */
static bool set_may_become(const struct vgpu_op *old,
                           const struct vgpu_op *fresh)
{
    if (!same_device(&old->set.dst, &fresh->set.dst))
        return false;
    if (is_flat(&old->set.extent) && is_flat(&fresh->set.extent))
        return true;
    return same_extent(&old->set.extent, &fresh->set.extent) &&
           old->set.element == fresh->set.element &&
           old->set.dst.pitch == fresh->set.dst.pitch;
}

bool vgpu_op_may_become(const struct vgpu_op *old, const struct vgpu_op *fresh)
{
    if (old->kind == VGPU_OP_COPY)
        return copy_may_become(old, fresh);
    return old->kind != VGPU_OP_SET || set_may_become(old, fresh);
}

/* ---- what a graph may become ---------------------------------------------
 */

/* Why not, and the nodes of the new graph that show it, or NULL. */
struct verdict {
    enum cudaGraphExecUpdateResult result;
    struct vgpu_node *node, *from;
};

static bool refuse(struct verdict *v, enum cudaGraphExecUpdateResult result,
                   struct vgpu_node *node, struct vgpu_node *from)
{
    *v = (struct verdict){result, node, from};
    return false;
}

/*
 * Which node of the old graph each of the new one stands for, by its place, or
 * NULL. Nodes behind which nothing comes are paired in the order in which they
 * were added, the last ones first; and from there on the nodes that paired ones
 * come after, in the order of the edges (manual, cudaGraphExecUpdate).
 */
struct pairing {
    const struct vgpu_graph *old;
    struct vgpu_graph *fresh;
    struct vgpu_node **pairs;
    struct verdict *verdict;
};

static bool pair(struct pairing *p, struct vgpu_node *a, struct vgpu_node *b)
{
    const enum cudaGraphExecUpdateResult other =
        cudaGraphExecUpdateErrorTopologyChanged;

    p->pairs[b->index] = a;
    if (a->type != b->type)
        return refuse(p->verdict, cudaGraphExecUpdateErrorNodeTypeChanged, b,
                      NULL);
    if (a->dep_count != b->dep_count || a->branch != b->branch ||
        a->inner_count != b->inner_count)
        return refuse(p->verdict, other, b, NULL);
    for (size_t d = 0; d < b->dep_count; d++) {
        struct vgpu_node *const known = p->pairs[b->deps[d]->index];

        if (memcmp(&a->edges[d], &b->edges[d], sizeof *a->edges) ||
            (known && known != a->deps[d]))
            return refuse(p->verdict, other, b, b->deps[d]);
        if (!known && !pair(p, a->deps[d], b->deps[d]))
            return false;
    }
    return true;
}

/* Has it a successor? Nodes come behind one another in any order. */
static bool *find_inner(const struct vgpu_graph *graph)
{
    bool *inner = calloc(graph->count + 1, sizeof *inner);

    for (size_t i = 0; inner && i < graph->count; i++)
        for (size_t d = 0; d < graph->nodes[i]->dep_count; d++)
            inner[graph->nodes[i]->deps[d]->index] = true;
    return inner;
}

static size_t count_exits(const struct vgpu_graph *graph, const bool *inner)
{
    size_t count = 0;

    for (size_t i = 0; i < graph->count; i++)
        count += !inner[i];
    return count;
}

/* The next node before place @at behind which nothing comes. */
static struct vgpu_node *next_exit(const struct vgpu_graph *graph,
                                   const bool *inner, size_t *at)
{
    while (inner[--*at])
        ;
    return graph->nodes[*at];
}

static bool pair_exits(struct pairing *p, const bool *old_inner,
                       const bool *fresh_inner)
{
    const size_t count = count_exits(p->old, old_inner);
    const size_t wanted = count_exits(p->fresh, fresh_inner);
    size_t at = p->old->count, to = p->fresh->count;
    struct vgpu_node *node = NULL;

    for (size_t i = 0; count < wanted && i <= count; i++)
        node = next_exit(p->fresh, fresh_inner, &to);
    if (count != wanted)
        return refuse(p->verdict, cudaGraphExecUpdateErrorTopologyChanged, node,
                      NULL);
    for (size_t i = 0; i < count; i++)
        if (!pair(p, next_exit(p->old, old_inner, &at),
                  next_exit(p->fresh, fresh_inner, &to)))
            return false;
    return true;
}

static bool compare(const struct vgpu_graph *old, struct vgpu_graph *fresh,
                    struct vgpu_node **pairs, struct verdict *v);

/* Within a node the nodes of its graphs are paired anew. */
static bool compare_inner(const struct vgpu_node *a, struct vgpu_node *b,
                          struct verdict *v)
{
    for (unsigned k = 0; k < a->inner_count; k++) {
        const size_t count = b->inner[k]->count + 1;
        struct vgpu_node **pairs = calloc(count, sizeof *pairs);
        const bool same = pairs && compare(a->inner[k], b->inner[k], pairs, v);

        free(pairs);
        if (!same)
            return false;
    }
    return true;
}

static bool compare_node(const struct vgpu_node *a, struct vgpu_node *b,
                         struct verdict *v)
{
    if (a->op && !vgpu_op_may_become(a->op, b->op))
        return refuse(v, cudaGraphExecUpdateErrorParametersChanged, b, NULL);
    if (a->type == cudaGraphNodeTypeKernel &&
        a->op->kernel.exec.cooperative != b->op->kernel.exec.cooperative)
        return refuse(v, cudaGraphExecUpdateErrorAttributesChanged, b, NULL);
    return compare_inner(a, b, v);
}

/* An update may change parameters and nothing else. @pairs: room for one more
 * than @fresh has nodes. */
static bool compare(const struct vgpu_graph *old, struct vgpu_graph *fresh,
                    struct vgpu_node **pairs, struct verdict *v)
{
    struct pairing p = {old, fresh, pairs, v};
    bool *const a = find_inner(old), *const b = find_inner(fresh);
    bool same = a && b;

    *v = (struct verdict){cudaGraphExecUpdateError, NULL, NULL};
    if (old->count != fresh->count)
        same = refuse(v, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
    same = same && pair_exits(&p, a, b);
    free(a);
    free(b);
    for (size_t i = 0; same && i < fresh->count; i++)
        same = pairs[i] && compare_node(pairs[i], fresh->nodes[i], v);
    return same;
}

/* A copy of @fresh in the place of @old, which is freed: handles stay the old
 * ones. Nothing is changed without memory. */
static cudaError_t replace_graph(struct vgpu_graph **old,
                                 const struct vgpu_graph *fresh,
                                 struct vgpu_node **pairs)
{
    struct vgpu_graph *copy = vgpu_graph_copy(fresh);

    if (!copy)
        return cudaErrorMemoryAllocation;
    if (!vgpu_graph_seats(copy)) {
        vgpu_graph_free(copy);
        return cudaErrorMemoryAllocation;
    }
    for (size_t i = 0; i < copy->count; i++)
        copy->nodes[i]->original = pairs[i]->original;
    copy->owner = (*old)->owner;
    vgpu_graph_free(*old);
    *old = copy;
    return cudaSuccess;
}

/* What @v is about, in words for "failed with 910: ". */
static void explain(const struct vgpu_graph *old,
                    const struct vgpu_graph *fresh, const struct verdict *v)
{
    const char *what = "its dependencies are others than those of the node in "
                       "its place";

    if (v->result == cudaGraphExecUpdateErrorNodeTypeChanged)
        what = "the node in its place is of another type";
    else if (v->result == cudaGraphExecUpdateErrorParametersChanged)
        what = "of a copy or memset neither the direction nor the device may "
               "change, nor of several rows the shape";
    else if (v->result == cudaGraphExecUpdateErrorAttributesChanged)
        what = "it is cooperative, or is so no more";
    if (v->node)
        vgpu_because(
            cudaErrorGraphExecUpdateFailure,
            "the node made at %s (%s): %s; what an update cannot change "
            "asks for cudaGraphInstantiate",
            vgpu_at(v->node->pc), vgpu_node_name(v->node), what);
    else if (old->count != fresh->count)
        vgpu_because(
            cudaErrorGraphExecUpdateFailure,
            "the graph has %zu nodes, and the executable graph %zu: an "
            "update changes what nodes do, and not which there are; "
            "that asks for cudaGraphInstantiate",
            fresh->count, old->count);
}

/* All or nothing: the new nodes are compared first and copied whole, so that a
 * refused update leaves the executable graph as it was. */
static cudaError_t update(struct vgpu_graph **old, struct vgpu_graph *fresh,
                          struct verdict *v)
{
    struct vgpu_node **pairs = calloc(fresh->count + 1, sizeof *pairs);
    cudaError_t error = cudaErrorMemoryAllocation;

    if (pairs)
        error = compare(*old, fresh, pairs, v)
                    ? replace_graph(old, fresh, pairs)
                    : cudaErrorGraphExecUpdateFailure;
    free(pairs);
    if (error == cudaErrorGraphExecUpdateFailure)
        explain(*old, fresh, v);
    return error;
}

/* As an update, of the graph in one node. */
API(cudaGraphExecChildGraphNodeSetParams, cudaGraphExec_t exec,
    cudaGraphNode_t handle, cudaGraph_t child)
{
    struct vgpu_node *node =
        vgpu_exec_node(exec, handle, cudaGraphNodeTypeGraph);
    struct vgpu_graph *fresh = vgpu_graph_find(child);
    struct verdict verdict;

    if (!node || !fresh)
        return cudaErrorInvalidValue;
    return update(&node->inner[0], fresh, &verdict);
}

API(cudaGraphExecUpdate, cudaGraphExec_t handle, cudaGraph_t graph,
    cudaGraphExecUpdateResultInfo *result)
{
    struct vgpu_graph **old = vgpu_exec_graph(handle);
    struct vgpu_graph *fresh = vgpu_graph_find(graph);
    struct verdict verdict = {cudaGraphExecUpdateSuccess, NULL, NULL};
    cudaError_t error;

    if (!old || !fresh)
        return cudaErrorInvalidValue;
    error = update(old, fresh, &verdict);
    if (!result)
        return error;
    memset(result, 0, sizeof *result);
    if (error == cudaErrorGraphExecUpdateFailure) {
        result->result = verdict.result;
        result->errorNode = (cudaGraphNode_t)verdict.node;
        result->errorFromNode = (cudaGraphNode_t)verdict.from;
    }
    return error;
}
