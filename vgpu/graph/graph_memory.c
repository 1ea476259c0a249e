/*
 * graph_memory.c: memory that nodes of graphs make and free.
 *
 * Each allocation node has an address from the moment it is made; one that
 * comes after a node that frees has that one's, if it is large enough. There is
 * memory under the addresses from a graph's first launch on, in pieces as those
 * of pools (runtime/pool_room.c), and it stays there for the next launch.
 * Graphs that are launched one after the other share it. A trim gives back what
 * no launch works with and what no allocation holds that its graph did not
 * free.
 *
 * Source: guide, "Graph Memory Nodes"; observed on an H200,
 * tests/conformance/graph_memory_pieces.cu.
 */
#include "capture.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* Under the addresses of @exec, the last to have it. */
struct piece {
    const void *exec;         /* NULL: destroyed */
    struct vgpu_op *last;     /* the end of its launch */
    struct vgpu_memory *kept; /* what it may have left unfreed, or NULL */
};

static struct under {
    struct piece *pieces;
    size_t count, high, used_high;
} unders[VGPU_MAX_DEVICES];

/* ---- what a graph has ---------------------------------------------------- */

static bool is_memory(const struct vgpu_node *node)
{
    return node->type == cudaGraphNodeTypeMemAlloc ||
           node->type == cudaGraphNodeTypeMemFree;
}

bool vgpu_graph_has_memory(const struct vgpu_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct vgpu_node *const node = graph->nodes[i];

        if (is_memory(node))
            return true;
        for (unsigned k = 0; k < node->inner_count; k++)
            if (vgpu_graph_has_memory(node->inner[k]))
                return true;
    }
    return false;
}

/* Has @graph a node of this type for @memory, among the first @count? */
static bool has_node(const struct vgpu_graph *graph, size_t count,
                     enum cudaGraphNodeType type,
                     const struct vgpu_memory *memory)
{
    for (size_t i = 0; i < count; i++)
        if (graph->nodes[i]->type == type &&
            graph->nodes[i]->op->memory == memory)
            return true;
    return false;
}

static bool comes_after(struct vgpu_node *const *deps, size_t count,
                        const struct vgpu_node *node)
{
    for (size_t i = 0; i < count; i++)
        if (deps[i] == node || vgpu_node_depends_on(deps[i], node))
            return true;
    return false;
}

/* The last node of @graph that takes or frees it; NULL: none does. */
static const struct vgpu_node *last_node(const struct vgpu_graph *graph,
                                         const struct vgpu_memory *memory)
{
    const struct vgpu_node *last = NULL;

    for (size_t i = 0; i < graph->count; i++)
        if (is_memory(graph->nodes[i]) && graph->nodes[i]->op->memory == memory)
            last = graph->nodes[i];
    return last;
}

bool vgpu_graph_memory_freed(const struct vgpu_graph *graph,
                             const struct vgpu_memory *memory)
{
    const struct vgpu_node *const last = last_node(graph, memory);

    return last && last->type == cudaGraphNodeTypeMemFree;
}

struct vgpu_memory *vgpu_graph_memory_again(const struct vgpu_graph *graph,
                                            struct vgpu_node *const *deps,
                                            size_t count, int device,
                                            size_t bytes)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct vgpu_node *const node = graph->nodes[i];

        if (node->type == cudaGraphNodeTypeMemFree &&
            node->op->memory->device == device &&
            node->op->memory->bytes >= bytes &&
            last_node(graph, node->op->memory) == node &&
            has_node(graph, i, cudaGraphNodeTypeMemAlloc, node->op->memory) &&
            comes_after(deps, count, node))
            return node->op->memory;
    }
    return NULL;
}

/* Pieces of @device that all its addresses lie on. */
static size_t pieces_of(const struct vgpu_graph *graph, int device)
{
    const uint64_t piece = vgpu_pool_piece_bytes(device);
    uint64_t bytes = 0;

    for (size_t i = 0; i < graph->count; i++) {
        const struct vgpu_node *const node = graph->nodes[i];

        if (node->type == cudaGraphNodeTypeMemAlloc &&
            node->op->memory->device == device &&
            !has_node(graph, i, node->type, node->op->memory))
            bytes += round_up(node->op->memory->bytes, 512);
    }
    return piece ? (size_t)((bytes + piece - 1) / piece) : 0;
}

/* ---- launches ------------------------------------------------------------ */

/* Does it leave memory behind that it makes, maybe where it freed some? */
static bool leaves_live(const struct vgpu_graph *graph,
                        const struct vgpu_node *node)
{
    return node->type == cudaGraphNodeTypeMemAlloc &&
           last_node(graph, node->op->memory) == node;
}

/* Or free some that it does not make? */
static bool frees_other(const struct vgpu_graph *graph,
                        const struct vgpu_node *node)
{
    return node->type == cudaGraphNodeTypeMemFree &&
           !has_node(graph, graph->count, cudaGraphNodeTypeMemAlloc,
                     node->op->memory);
}

/* What the last launch left must have been freed, or be freed by this one's
 * beginning. */
static cudaError_t check_live(const struct vgpu_graph *graph, bool frees)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct vgpu_node *const node = graph->nodes[i];
        const bool live =
            is_memory(node) && (node->op->memory->flags & VGPU_MEMORY_LIVE);

        if (leaves_live(graph, node) && live && !frees)
            return vgpu_because(
                cudaErrorInvalidValue,
                "memory of the node made at %s is there since the last launch, "
                "and nothing has freed it: cudaFreeAsync, or "
                "cudaGraphInstantiateFlagAutoFreeOnLaunch",
                vgpu_at(node->pc));
        if (frees_other(graph, node) && !live)
            return vgpu_because(cudaErrorInvalidValue,
                                "the node made at %s frees memory that is not "
                                "there: no launch has made it since it was "
                                "freed",
                                vgpu_at(node->pc));
    }
    return cudaSuccess;
}

static bool is_over(const struct piece *piece)
{
    return !piece->last || vgpu_time_done(vgpu_rt.time, piece->last->time_id,
                                          vgpu_thread_self()->now_ns);
}

static bool is_mine(const struct piece *piece, const void *exec,
                    const struct vgpu_stream *stream)
{
    if (piece->exec == exec)
        return true;
    if (piece->kept && (piece->kept->flags & VGPU_MEMORY_LIVE))
        return false;
    return is_over(piece) || piece->last->time_stream == stream->time_stream ||
           vgpu_agent_knows(stream->agent, piece->last->check);
}

/* One more piece of @device, if it has as much. */
static cudaError_t piece_new(int device)
{
    const uint64_t bytes = vgpu_pool_piece_bytes(device);
    struct vgpu_device *const d = &vgpu_rt.devices[device];
    struct under *const under = &unders[device];

    if (bytes > vgpu_device_bytes(d->profile) - d->used_bytes)
        return cudaErrorMemoryAllocation;
    if (!VGPU_GROW(under->pieces, under->count, NULL))
        return cudaErrorMemoryAllocation;
    under->pieces[under->count++] = (struct piece){NULL, NULL, NULL};
    d->used_bytes += bytes;
    if (under->count > under->high)
        under->high = under->count;
    return cudaSuccess;
}

/* Its own first, then what others have used before. */
static cudaError_t put_under(const struct vgpu_graph *graph, const void *exec,
                             const struct vgpu_stream *stream, int device,
                             struct vgpu_memory *kept)
{
    struct under *const under = &unders[device];
    size_t lacking = pieces_of(graph, device);
    cudaError_t error = cudaSuccess;

    for (int own = 1; own >= 0; own--)
        for (size_t i = 0; i < under->count && lacking; i++) {
            struct piece *const piece = &under->pieces[i];

            if ((piece->exec == exec) != own || !is_mine(piece, exec, stream))
                continue;
            piece->exec = exec;
            piece->kept = kept;
            lacking--;
        }
    for (; lacking && !error; lacking--) {
        error = piece_new(device);
        if (!error)
            under->pieces[under->count - 1].exec = exec;
        if (!error)
            under->pieces[under->count - 1].kept = kept;
    }
    if (under->count > under->used_high)
        under->used_high = under->count;
    return error;
}

cudaError_t vgpu_graph_memory_begin(const struct vgpu_graph *graph,
                                    const void *exec,
                                    const struct vgpu_stream *stream,
                                    bool frees)
{
    struct vgpu_memory *kept = NULL;
    cudaError_t error = check_live(graph, frees);

    for (size_t i = 0; i < graph->count && !kept; i++)
        if (leaves_live(graph, graph->nodes[i]))
            kept = graph->nodes[i]->op->memory;
    for (int d = 0; d < vgpu_rt.device_count && !error; d++)
        error = put_under(graph, exec, stream, d, kept);
    return error;
}

void vgpu_graph_memory_end(const struct vgpu_graph *graph, const void *exec,
                           struct vgpu_op *end)
{
    for (int d = 0; d < vgpu_rt.device_count; d++)
        for (size_t i = 0; i < unders[d].count; i++) {
            struct piece *const piece = &unders[d].pieces[i];

            if (piece->exec != exec)
                continue;
            vgpu_op_unref(piece->last);
            piece->last = vgpu_op_ref(end);
        }
    for (size_t i = 0; i < graph->count; i++) {
        const struct vgpu_node *const node = graph->nodes[i];

        if (leaves_live(graph, node))
            node->op->memory->flags |= VGPU_MEMORY_LIVE;
        if (frees_other(graph, node))
            node->op->memory->flags &= ~VGPU_MEMORY_LIVE;
    }
}

void vgpu_graph_memory_forget(const void *exec)
{
    for (int d = 0; d < vgpu_rt.device_count; d++)
        for (size_t i = 0; i < unders[d].count; i++)
            if (unders[d].pieces[i].exec == exec)
                unders[d].pieces[i].exec = NULL;
}

/* ---- questions ------------------------------------------------------------
 */

/* @all  whatever works with it */
static void trim(int device, bool all)
{
    struct under *const under = &unders[device];
    size_t kept = 0;

    for (size_t i = 0; i < under->count; i++) {
        struct piece *const piece = &under->pieces[i];
        const bool live =
            piece->kept && (piece->kept->flags & VGPU_MEMORY_LIVE);

        if (!all && (live || !is_over(piece))) {
            under->pieces[kept++] = *piece;
            continue;
        }
        vgpu_op_unref(piece->last);
        vgpu_rt.devices[device].used_bytes -= vgpu_pool_piece_bytes(device);
    }
    under->count = kept;
}

void vgpu_graph_memory_reset(int device)
{
    trim(device, true);
    unders[device].high = unders[device].used_high = 0;
}

API(cudaDeviceGraphMemTrim, int device)
{
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    trim(device, false);
    return cudaSuccess;
}

static cudaError_t no_attribute(void)
{
    return vgpu_invalid("it is no attribute that can be asked for, or set");
}

/* What is reserved counts as used, until a trim. */
API(cudaDeviceGetGraphMemAttribute, int device,
    enum cudaGraphMemAttributeType which, void *value)
{
    const struct under *under;
    size_t pieces;

    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    if (!value || (unsigned)which > cudaGraphMemAttrReservedMemHigh)
        return value ? no_attribute() : vgpu_invalid("value is NULL");
    under = &unders[device];
    pieces = which == cudaGraphMemAttrUsedMemHigh       ? under->used_high
             : which == cudaGraphMemAttrReservedMemHigh ? under->high
                                                        : under->count;
    *(uint64_t *)value = pieces * vgpu_pool_piece_bytes(device);
    return cudaSuccess;
}

/* Only a high-water mark may be set, and only to 0; it is the present value. */
API(cudaDeviceSetGraphMemAttribute, int device,
    enum cudaGraphMemAttributeType which, void *value)
{
    struct under *under;

    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    under = &unders[device];
    if (!value || *(uint64_t *)value)
        return vgpu_invalid(value ? "a high-water mark can be set to 0 only"
                                  : "value is NULL");
    if (which == cudaGraphMemAttrUsedMemHigh)
        under->used_high = under->count;
    else if (which == cudaGraphMemAttrReservedMemHigh)
        under->high = under->count;
    else
        return no_attribute();
    return cudaSuccess;
}

/* Of the parameters only what decides something is kept. */
API(cudaGraphMemAllocNodeGetParams, cudaGraphNode_t handle,
    struct cudaMemAllocNodeParams *params)
{
    const struct vgpu_node *node = vgpu_node_find(handle);

    if (!node || node->type != cudaGraphNodeTypeMemAlloc)
        return vgpu_node_other(node);
    if (!params)
        return cudaSuccess;
    memset(params, 0, sizeof *params);
    params->poolProps.allocType = cudaMemAllocationTypePinned;
    params->poolProps.location.type = cudaMemLocationTypeDevice;
    params->poolProps.location.id = node->op->memory->device;
    params->bytesize = node->op->memory->bytes;
    params->dptr = node->op->memory->base;
    return cudaSuccess;
}

API(cudaGraphMemFreeNodeGetParams, cudaGraphNode_t handle, void *memory)
{
    const struct vgpu_node *node = vgpu_node_find(handle);

    if (!node || node->type != cudaGraphNodeTypeMemFree)
        return vgpu_node_other(node);
    if (memory)
        *(void **)memory = node->op->memory->base;
    return cudaSuccess;
}
