/*
 * graph_update.c: an executable graph is changed to be like another graph, of
 * the same shape.
 *
 * Source: manual, "Graph Management", cudaGraphExecUpdate; observed
 * (conformance: graph_update_results).
 */
#include "graph.h"

#include <string.h>

/* ---- what one node may become --------------------------------------------
 */

static bool same_side(const struct vgpu_place *a, const struct vgpu_place *b)
{
    if (a->managed || b->managed)
        return true;
    return a->device == b->device && (!a->device || a->where == b->where);
}

static bool is_flat(const struct vgpu_op *op)
{
    return op->copy.extent.rows == 1 && op->copy.extent.slices == 1;
}

/* In an executable graph both copies must be of one row, and each side stays
 * with the device, or the host, that it is with (manual,
 * cudaGraphExecMemcpyNodeSetParams). */
static bool copy_may_become(const struct vgpu_op *old,
                            const struct vgpu_op *fresh)
{
    return is_flat(old) && is_flat(fresh) &&
           same_side(&old->copy.dst, &fresh->copy.dst) &&
           same_side(&old->copy.src, &fresh->copy.src);
}

/* Of one row all may change but the side; of several rows nothing but place and
 * value. */
static bool set_may_become(const struct vgpu_op *old,
                           const struct vgpu_op *fresh)
{
    const bool flat = old->set.extent.rows == 1 && fresh->set.extent.rows == 1;

    return same_side(&old->set.dst, &fresh->set.dst) &&
           (flat || (old->set.extent.rows == fresh->set.extent.rows &&
                     old->set.extent.width == fresh->set.extent.width &&
                     old->set.dst.pitch == fresh->set.dst.pitch));
}

bool vgpu_op_may_become(const struct vgpu_op *old, const struct vgpu_op *fresh)
{
    if (old->kind == VGPU_OP_COPY)
        return copy_may_become(old, fresh);
    return old->kind != VGPU_OP_SET || set_may_become(old, fresh);
}

/* ---- what a graph may become ---------------------------------------------
 */

/* Why not, and the node of the new graph that shows it, or NULL. */
struct verdict {
    enum cudaGraphExecUpdateResult result;
    struct vgpu_node *node;
};

static bool refuse(struct verdict *v, enum cudaGraphExecUpdateResult result,
                   struct vgpu_node *node)
{
    *v = (struct verdict){result, node};
    return false;
}

static bool same_edges(const struct vgpu_node *a, const struct vgpu_node *b)
{
    if (a->dep_count != b->dep_count)
        return false;
    for (size_t d = 0; d < a->dep_count; d++)
        if (a->deps[d]->index != b->deps[d]->index)
            return false;
    return !a->dep_count ||
           !memcmp(a->edges, b->edges, a->dep_count * sizeof *a->edges);
}

static bool compare(const struct vgpu_graph *old,
                    const struct vgpu_graph *fresh, struct verdict *v);

static bool compare_node(const struct vgpu_node *a, struct vgpu_node *b,
                         struct verdict *v)
{
    struct verdict inner;

    if (!same_edges(a, b))
        return refuse(v, cudaGraphExecUpdateErrorTopologyChanged, b);
    if (a->type != b->type)
        return refuse(v, cudaGraphExecUpdateErrorNodeTypeChanged, b);
    if (a->branch != b->branch || a->inner_count != b->inner_count)
        return refuse(v, cudaGraphExecUpdateErrorTopologyChanged, b);
    if (a->op && !vgpu_op_may_become(a->op, b->op))
        return refuse(v, cudaGraphExecUpdateErrorParametersChanged, b);
    for (unsigned k = 0; k < a->inner_count; k++)
        if (!compare(a->inner[k], b->inner[k], &inner))
            return refuse(v, cudaGraphExecUpdateErrorTopologyChanged, b);
    return true;
}

/* An update may change parameters and nothing else. Nodes are matched by the
 * order in which they were added: CUDA promises to match graphs that were built
 * in the same way, which a repeated capture is, and no more. */
static bool compare(const struct vgpu_graph *old,
                    const struct vgpu_graph *fresh, struct verdict *v)
{
    if (old->count != fresh->count)
        return refuse(v, cudaGraphExecUpdateErrorTopologyChanged, NULL);
    for (size_t i = 0; i < old->count; i++)
        if (!compare_node(old->nodes[i], fresh->nodes[i], v))
            return false;
    *v = (struct verdict){cudaGraphExecUpdateSuccess, NULL};
    return true;
}

/* A copy of @fresh in the place of @old, which is freed: handles stay the old
 * ones. False without memory, and nothing is changed then. */
static bool replace_graph(struct vgpu_graph **old,
                          const struct vgpu_graph *fresh)
{
    struct vgpu_graph *copy = vgpu_graph_copy(fresh);

    if (!copy)
        return false;
    if (!vgpu_graph_seats(copy)) {
        vgpu_graph_free(copy);
        return false;
    }
    for (size_t i = 0; i < copy->count; i++)
        copy->nodes[i]->original = (*old)->nodes[i]->original;
    copy->owner = (*old)->owner;
    vgpu_graph_free(*old);
    *old = copy;
    return true;
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
    if (!compare(node->inner[0], fresh, &verdict))
        return cudaErrorGraphExecUpdateFailure;
    return replace_graph(&node->inner[0], fresh) ? cudaSuccess
                                                 : cudaErrorMemoryAllocation;
}

/* All or nothing: the new nodes are compared first and copied whole, so that a
 * refused update leaves the executable graph as it was. */
API(cudaGraphExecUpdate, cudaGraphExec_t handle, cudaGraph_t graph,
    cudaGraphExecUpdateResultInfo *result)
{
    struct vgpu_graph **old = vgpu_exec_graph(handle);
    struct vgpu_graph *fresh = vgpu_graph_find(graph);
    struct verdict verdict;

    if (!old || !fresh || !result)
        return cudaErrorInvalidValue;
    memset(result, 0, sizeof *result);
    if (compare(*old, fresh, &verdict))
        return replace_graph(old, fresh) ? cudaSuccess
                                         : cudaErrorMemoryAllocation;
    result->result = verdict.result;
    result->errorNode = (cudaGraphNode_t)verdict.node;
    return cudaErrorGraphExecUpdateFailure;
}
