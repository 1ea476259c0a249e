/*
 * graph_exec.c: instantiated graphs: made, launched, destroyed.
 *
 * A launch puts one operation per node into streams of the graph's own, each
 * after its predecessors and nothing else, between two marks in the stream
 * that it was launched into. Launches of the same graph follow each other.
 */
#include "capture.h"
#include "copy.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define UPLOAD      ((unsigned long long)cudaGraphInstantiateFlagUpload)
#define FROM_DEVICE ((unsigned long long)cudaGraphInstantiateFlagDeviceLaunch)
#define AUTO_FREE   ((unsigned long long)cudaGraphInstantiateFlagAutoFreeOnLaunch)
#define BY_NODE     ((unsigned long long)cudaGraphInstantiateFlagUseNodePriority)
#define ALL_FLAGS   (AUTO_FREE | UPLOAD | FROM_DEVICE | BY_NODE)

struct vgpu_graph_exec {
    struct vgpu_graph *graph;     /* a copy; nodes know their originals */
    struct vgpu_stream **streams; /* one per node that needs its own */
    size_t stream_count;
    struct vgpu_op *last; /* end of the latest launch */
    unsigned long long flags;
    cudaGraph_t origin; /* may be gone */
};

static struct vgpu_graph_exec *exec_find(cudaGraphExec_t handle)
{
    if (vgpu_handle_find(handle) != VGPU_HANDLE_GRAPH_EXEC)
        return NULL;
    return (struct vgpu_graph_exec *)handle;
}

struct vgpu_graph **vgpu_exec_graph(cudaGraphExec_t handle)
{
    struct vgpu_graph_exec *exec = exec_find(handle);

    return exec ? &exec->graph : NULL;
}

/* ---- order --------------------------------------------------------------- */

/* Nodes in an order that respects every edge: repeated sweeps over what is
 * left, smallest index first. Return: how many could be placed. */
static size_t sort_nodes(const struct vgpu_graph *graph,
                         struct vgpu_node **order)
{
    bool *placed = calloc(graph->count + 1, sizeof *placed);
    size_t count = 0;
    bool progress = placed;

    while (progress) {
        progress = false;
        for (size_t i = 0; i < graph->count; i++) {
            struct vgpu_node *node = graph->nodes[i];
            bool ready = !placed[i];

            for (size_t d = 0; ready && d < node->dep_count; d++)
                ready = placed[node->deps[d]->index];
            if (!ready)
                continue;
            placed[i] = true;
            order[count++] = node;
            progress = true;
        }
    }
    free(placed);
    return count;
}

/* Whoever is in a circle, or behind one, is never placed. Child graphs have
 * edges of their own, none across. */
static bool is_acyclic(const struct vgpu_graph *graph)
{
    struct vgpu_node **order = calloc(graph->count + 1, sizeof *order);
    size_t placed = order ? sort_nodes(graph, order) : 0;

    free(order);
    if (placed != graph->count)
        return false;
    for (size_t i = 0; i < graph->count; i++)
        for (unsigned k = 0; k < graph->nodes[i]->inner_count; k++)
            if (!is_acyclic(graph->nodes[i]->inner[k]))
                return false;
    return true;
}

/* ---- launching ------------------------------------------------------------
 */

/* A node always gets the same stream: its device never changes. */
struct vgpu_stream *vgpu_launch_stream(struct vgpu_launching *l, int device)
{
    struct vgpu_graph_exec *exec = l->exec;

    if (l->next_stream < exec->stream_count)
        return exec->streams[l->next_stream++];
    if (!VGPU_GROW(exec->streams, exec->stream_count, NULL))
        return NULL;
    exec->streams[exec->stream_count] =
        vgpu_stream_make_inner(&vgpu_rt.devices[device]);
    if (!exec->streams[exec->stream_count])
        return NULL;
    exec->stream_count++;
    return exec->streams[l->next_stream++];
}

enum vgpu_does vgpu_node_does(const struct vgpu_node *node)
{
    switch (node->type) {
    case cudaGraphNodeTypeKernel:
        return VGPU_DOES_kernel;
    case cudaGraphNodeTypeMemcpy:
        return VGPU_DOES_copy;
    case cudaGraphNodeTypeMemset:
        return VGPU_DOES_memset;
    case cudaGraphNodeTypeHost:
        return VGPU_DOES_hostfn;
    default:
        return VGPU_DOES_mark;
    }
}

const char *vgpu_node_name(const struct vgpu_node *node)
{
    switch (node->type) {
    case cudaGraphNodeTypeKernel:
        return "kernel of a graph";
    case cudaGraphNodeTypeMemcpy:
        return "copy of a graph";
    case cudaGraphNodeTypeMemset:
        return "memset of a graph";
    case cudaGraphNodeTypeHost:
        return "host function of a graph";
    case cudaGraphNodeTypeConditional:
        return "condition of a graph";
    default:
        return "node of a graph";
    }
}

/* Into a stream of the launch's own; within a body, into that which was chosen
 * for its @seat when the graph was launched. */
static cudaError_t enqueue(struct vgpu_launching *l, struct vgpu_op *op,
                           int device, size_t seat, const char *what,
                           uint64_t pc)
{
    struct vgpu_stream *stream;
    struct vgpu_call call;

    if (!l->call)
        return vgpu_run_enqueue(l->run, seat, op);
    stream = vgpu_launch_stream(l, device);
    call = *l->call;
    if (pc)
        call.pc = pc;
    return stream ? vgpu_op_enqueue(op, stream, what, &call)
                  : cudaErrorMemoryAllocation;
}

/* A disabled node, an event or an empty one is a mark. */
static struct vgpu_op *make_op(const struct vgpu_node *node)
{
    struct vgpu_op *op;

    if (node->type == cudaGraphNodeTypeConditional)
        return vgpu_op_new(VGPU_OP_BRANCH);
    op = node->op && !node->disabled ? vgpu_op_copy(node->op)
                                     : vgpu_op_new(VGPU_OP_MARK);
    if (op && op->kind == VGPU_OP_KERNEL)
        op->kernel.exec.device = node->device;
    return op;
}

/* The graph within the node, which begins with @op: what comes after the node
 * comes after its end. */
static cudaError_t launch_inner(struct vgpu_launching *l,
                                struct vgpu_node *node, struct vgpu_op **op)
{
    struct vgpu_op *end = NULL;
    cudaError_t error;

    if (node->type == cudaGraphNodeTypeConditional)
        error = vgpu_launch_branch(l, node, *op, &end);
    else
        error = vgpu_launch_graph(l, node->inner[0], node->device, *op, &end);
    vgpu_op_unref(*op);
    *op = end;
    return error;
}

/* A copy to pageable memory holds the host until it has ended, as it does
 * without a graph, and one from host to host (observed: graph_pageable). */
static bool holds_host(const struct vgpu_op *op)
{
    return op->kind == VGPU_OP_COPY && op->copy.way == VGPU_TIME_D2H &&
           (op->copy.pageable ||
            (!op->copy.src.device && !op->copy.src.managed));
}

static cudaError_t hold_host(struct vgpu_launching *l, struct vgpu_op *op)
{
    if (!l->call || !holds_host(op))
        return cudaSuccess;
    if (!VGPU_GROW(l->held, l->held_count, NULL))
        return cudaErrorMemoryAllocation;
    l->held[l->held_count++] = vgpu_op_ref(op);
    return cudaSuccess;
}

/* The bytes are there then; that somebody may rely on it is nowhere said. */
static cudaError_t wait_for_held(struct vgpu_launching *l, cudaError_t error)
{
    for (size_t i = 0; i < l->held_count; i++) {
        if (!error) {
            vgpu_op_run(l->held[i]);
            error = vgpu_wait_op(l->call->thread, l->held[i], false);
        }
        vgpu_op_unref(l->held[i]);
    }
    free(l->held);
    return error;
}

/* The operation of one node, after those of its predecessors. */
static cudaError_t launch_node(struct vgpu_launching *l, struct vgpu_node *node,
                               struct vgpu_op *begin, struct vgpu_op **ops)
{
    struct vgpu_event *event = vgpu_event_find(node->event);
    struct vgpu_op *op = make_op(node);
    cudaError_t error = cudaSuccess;

    if (!op)
        return cudaErrorMemoryAllocation;
    if (node->page)
        node->page->ran = true;
    if (l->call && !node->dep_count)
        vgpu_copy_take(op);
    vgpu_run_give(l->run, op);
    op->priority = l->priority ? *l->priority : node->priority;
    if (!node->dep_count)
        error = vgpu_op_after(op, begin);
    for (size_t d = 0; d < node->dep_count && !error; d++)
        error = vgpu_op_after(op, ops[node->deps[d]->index]);
    if (!error && node->type == cudaGraphNodeTypeWaitEvent && event)
        error = vgpu_op_after(op, event->op);
    if (!error)
        error = enqueue(l, op, node->device, node->seat, vgpu_node_name(node),
                        node->pc);
    if (!error && l->call && node->host_side)
        vgpu_host_side_look(node, op);
    if (!error)
        error = hold_host(l, op);
    if (!error && node->type == cudaGraphNodeTypeEventRecord && event)
        vgpu_event_take(event, op);
    if (!error && node->inner && !node->disabled)
        error = launch_inner(l, node, &op);
    ops[node->index] = op;
    return error;
}

/* In an order that respects the edges, so that predecessors are there before
 * those that come after them. */
cudaError_t vgpu_launch_graph(struct vgpu_launching *l,
                              struct vgpu_graph *graph, int device,
                              struct vgpu_op *begin, struct vgpu_op **end)
{
    struct vgpu_node **order = calloc(graph->count + 1, sizeof *order);
    struct vgpu_op **ops = calloc(graph->count + 1, sizeof *ops);
    size_t count = order ? sort_nodes(graph, order) : 0;
    cudaError_t error = order && ops ? cudaSuccess : cudaErrorMemoryAllocation;

    for (size_t i = 0; i < count && !error; i++)
        error = launch_node(l, order[i], begin, ops);
    if (!error && !*end)
        *end = vgpu_op_new(VGPU_OP_MARK);
    if (!error && !*end)
        error = cudaErrorMemoryAllocation;
    if (!error)
        error = vgpu_op_after(*end, begin);
    for (size_t i = 0; i < count && !error; i++)
        error = vgpu_op_after(*end, ops[i]);
    if (!error && graph->owner)
        error =
            enqueue(l, *end, device, graph->seat, "end of a child graph", 0);
    for (size_t i = 0; ops && i < graph->count; i++)
        vgpu_op_unref(ops[i]);
    free(ops);
    free(order);
    return error;
}

/* Its last launch, in another stream, is not over, and nothing else has this
 * one wait for it. */
static void tell_waits(const struct vgpu_call *call,
                       const struct vgpu_graph_exec *exec,
                       const struct vgpu_stream *stream)
{
    const struct vgpu_op *const last = exec->last;

    if (last && last->time_stream != stream->time_stream &&
        !vgpu_agent_knows(stream->agent, last->check) &&
        !vgpu_agent_knows(call->thread->agent, last->check) &&
        !vgpu_time_done(vgpu_rt.time, last->time_id, call->thread->now_ns))
        vgpu_warn(graph_waits, call->pc, .last = vgpu_at(last->pc),
                  .agent = vgpu_agent_label(stream->agent));
}

/*
 * Between two marks in the launch's stream: what was there before comes before
 * every node, and what comes later waits for all of them. One executable graph
 * does not run twice at once: its next launch waits for the last one, whichever
 * stream it is in (manual, cudaGraphLaunch).
 */
static cudaError_t launch(struct vgpu_call *call, struct vgpu_graph_exec *exec,
                          struct vgpu_stream *stream)
{
    const bool by_node = exec->flags & BY_NODE;
    struct vgpu_launching l = {.exec = exec,
                               .call = call,
                               .priority = by_node ? NULL : &stream->priority};
    struct vgpu_op *begin = vgpu_op_new(VGPU_OP_MARK), *end = NULL;
    cudaError_t error;

    if (!begin)
        return cudaErrorMemoryAllocation;
    if (vgpu_rt.checking)
        tell_waits(call, exec, stream);
    error = vgpu_graph_memory_begin(
        exec->graph, exec, stream,
        exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
    if (!error)
        error = vgpu_run_new(&l, exec->graph, &l.run);
    if (!error)
        error = vgpu_op_after(begin, exec->last);
    if (!error)
        error = vgpu_op_enqueue(begin, stream, "graph launch", call);
    if (!error)
        error = vgpu_launch_graph(&l, exec->graph, stream->device, begin, &end);
    if (!error)
        error = vgpu_op_enqueue(end, stream, "end of a graph", call);
    if (!error)
        error = vgpu_wait_launched(call, stream, end);
    if (!error) {
        vgpu_op_unref(exec->last);
        exec->last = vgpu_op_ref(end);
        vgpu_graph_memory_end(exec->graph, exec, end);
    }
    vgpu_op_unref(begin);
    vgpu_op_unref(end);
    vgpu_run_unref(l.run);
    return wait_for_held(&l, error);
}

/* No node of a graph: a capture of its stream is spoilt (observed). */
API(cudaGraphLaunch, cudaGraphExec_t handle, cudaStream_t stream_handle)
{
    struct vgpu_graph_exec *exec = exec_find(handle);
    struct vgpu_stream *stream = vgpu_stream_find(stream_handle);

    if (!exec)
        return vgpu_because(cudaErrorInvalidValue,
                            "this is no executable graph: a "
                            "cudaGraphInstantiate that fails gives none, and "
                            "cudaGraphExecDestroy ends one");
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    call->stream = stream;
    if (stream->capture)
        return vgpu_capture_no_graph(stream);
    return launch(call, exec, stream);
}

/* ---- made, changed, destroyed ----------------------------------------------
 */

/* Flags that are unknown or exclude each other are refused, and an upload where
 * no stream is named for it; what the others ask for changes nothing here. */
static cudaError_t check_flags(unsigned long long flags,
                               unsigned long long known)
{
    if (flags & ~ALL_FLAGS)
        return vgpu_invalid("flags has a bit that there is not");
    if (flags & ~known)
        return vgpu_invalid("an upload needs a stream, which "
                            "cudaGraphInstantiateWithParams is given");
    return (flags & (FROM_DEVICE | AUTO_FREE)) == (FROM_DEVICE | AUTO_FREE)
               ? vgpu_invalid("what a device launches cannot free its memory "
                              "at a launch: flags exclude each other")
               : cudaSuccess;
}

/* A snapshot: what is done to the graph afterwards does not reach the
 * executable one. Who is given *@failed is told the node, too. */
static cudaError_t instantiate(const struct vgpu_call *call,
                               cudaGraphExec_t *out, cudaGraph_t handle,
                               unsigned long long flags,
                               unsigned long long known,
                               cudaGraphInstantiateResult *result,
                               cudaGraphNode_t *failed)
{
    struct vgpu_graph *graph = vgpu_graph_find(handle);
    struct vgpu_graph_exec *exec;
    cudaError_t error;

    *result = cudaGraphInstantiateError;
    if (out && !graph)
        return vgpu_because(cudaErrorInvalidValue,
                            "this is no graph: a cudaStreamEndCapture that "
                            "fails gives none, and cudaGraphDestroy ends one");
    error = out ? check_flags(flags, known) : cudaErrorInvalidValue;
    if (error)
        return error;
    if (graph->owner)
        return vgpu_because(cudaErrorNotSupported,
                            "it is the graph of a node, and goes with the "
                            "graph that has the node");
    if (!is_acyclic(graph))
        return vgpu_because(cudaErrorInvalidValue,
                            "dependencies of the graph form a circle");
    error = vgpu_graph_check(graph, flags & FROM_DEVICE, result, failed);
    if (error)
        return error;
    if (graph->instantiated && vgpu_graph_has_memory(graph))
        return vgpu_because(cudaErrorNotSupported,
                            "of a graph that allocates or frees memory there "
                            "can be one executable graph at a time");
    exec = calloc(1, sizeof *exec);
    if (!exec)
        return cudaErrorMemoryAllocation;
    exec->flags = flags;
    exec->graph = vgpu_graph_copy(graph);
    if (!exec->graph || !vgpu_graph_seats(exec->graph) ||
        vgpu_handle_add(exec, VGPU_HANDLE_GRAPH_EXEC)) {
        free(exec);
        return cudaErrorMemoryAllocation;
    }
    exec->origin = handle;
    graph->instantiated = true;
    *out = (cudaGraphExec_t)exec;
    vgpu_handle_made(exec, call->pc);
    return cudaSuccess;
}

API(cudaGraphInstantiate, cudaGraphExec_t *exec, cudaGraph_t graph,
    unsigned long long flags)
{
    cudaGraphInstantiateResult result;
    cudaGraphNode_t failed;

    return instantiate(call, exec, graph, flags, ALL_FLAGS & ~UPLOAD, &result,
                       &failed);
}

/* The same since CUDA 12, which gave cudaGraphInstantiate its flags. */
API(cudaGraphInstantiateWithFlags, cudaGraphExec_t *exec, cudaGraph_t graph,
    unsigned long long flags)
{
    return vgpu_do_cudaGraphInstantiate(call, exec, graph, flags);
}

API(cudaGraphInstantiateWithParams, cudaGraphExec_t *exec, cudaGraph_t graph,
    cudaGraphInstantiateParams *params)
{
    if (!params)
        return cudaErrorInvalidValue;
    params->errNode_out = NULL;
    return instantiate(call, exec, graph, params->flags, ALL_FLAGS,
                       &params->result_out, &params->errNode_out);
}

/* Without those for priorities and the upload (observed). */
API(cudaGraphExecGetFlags, cudaGraphExec_t handle, unsigned long long *flags)
{
    struct vgpu_graph_exec *exec = exec_find(handle);

    if (!exec || !flags)
        return cudaErrorInvalidValue;
    *flags = exec->flags & ~(BY_NODE | UPLOAD);
    return cudaSuccess;
}

/* A launch here finds nothing left to upload: only the arguments are looked at.
 * */
API(cudaGraphUpload, cudaGraphExec_t exec, cudaStream_t stream_handle)
{
    struct vgpu_stream *stream = vgpu_stream_find(stream_handle);

    if (!exec_find(exec))
        return cudaErrorInvalidValue;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    return stream->capture ? vgpu_capture_no_graph(stream) : cudaSuccess;
}

/* Launches that are under way go on. */
API(cudaGraphExecDestroy, cudaGraphExec_t handle)
{
    struct vgpu_graph_exec *exec = exec_find(handle);
    struct vgpu_graph *graph;

    if (!exec)
        return cudaErrorInvalidValue;
    vgpu_handle_remove(exec);
    vgpu_graph_memory_forget(exec);
    if (exec->graph->held_count && exec->last)
        vgpu_op_run(exec->last); /* it may use what is held */
    graph = vgpu_graph_find(exec->origin);
    if (graph)
        graph->instantiated = false;
    vgpu_graph_free(exec->graph);
    for (size_t i = 0; i < exec->stream_count; i++)
        vgpu_stream_retire(exec->streams[i]);
    vgpu_op_unref(exec->last);
    free(exec->streams);
    vgpu_handle_ended(handle, call->pc);
    free(exec);
    return cudaSuccess;
}

/* The caller has the handle of a node of the graph that was instantiated; what
 * changes is the node made from it. */
struct vgpu_node *vgpu_exec_node(cudaGraphExec_t handle, cudaGraphNode_t node,
                                 enum cudaGraphNodeType type)
{
    struct vgpu_graph_exec *exec = exec_find(handle);

    for (size_t i = 0; exec && i < exec->graph->count; i++)
        if (exec->graph->nodes[i]->original == (struct vgpu_node *)node)
            return exec->graph->nodes[i]->type == type ? exec->graph->nodes[i]
                                                       : NULL;
    return NULL;
}

/* Only these three kinds may be switched off (manual, cudaGraphNodeSetEnabled).
 * */
static struct vgpu_node *switchable(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    static const enum cudaGraphNodeType types[] = {cudaGraphNodeTypeKernel,
                                                   cudaGraphNodeTypeMemcpy,
                                                   cudaGraphNodeTypeMemset};
    struct vgpu_node *found = NULL;

    for (int i = 0; i < 3 && !found; i++)
        found = vgpu_exec_node(exec, node, types[i]);
    return found;
}

static cudaError_t not_switchable(cudaGraphExec_t exec)
{
    return exec_find(exec)
               ? vgpu_invalid("it is no kernel, copy or memset of the graph "
                              "that was instantiated")
               : cudaErrorInvalidValue;
}

/* A node that is off keeps its place in the order: it becomes a mark
 * (launch_node). */
API(cudaGraphNodeSetEnabled, cudaGraphExec_t exec, cudaGraphNode_t node,
    unsigned int enabled)
{
    struct vgpu_node *found = switchable(exec, node);

    if (!found)
        return not_switchable(exec);
    found->disabled = !enabled;
    return cudaSuccess;
}

API(cudaGraphNodeGetEnabled, cudaGraphExec_t exec, cudaGraphNode_t node,
    unsigned int *enabled)
{
    struct vgpu_node *found = switchable(exec, node);

    if (!found || !enabled)
        return found ? cudaErrorInvalidValue : not_switchable(exec);
    *enabled = !found->disabled;
    return cudaSuccess;
}
