/*
 * graph_node.c: nodes with parameters, added by hand.
 *
 * All calls that add a node do the same: check graph and dependencies, make a
 * pattern operation from the parameters, add a node that has it. A pattern is
 * made by the code that the ordinary call uses (copies, memsets, launches), so
 * that a node accepts and refuses what the call does.
 *
 * Source: manual, "Graph Management"; guide, "Creating a Graph Using Graph
 * APIs".
 */
#include "copy.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- patterns ------------------------------------------------------------ */

/* The stub is called with the arguments; its launch lands in the thread's
 * caught operation and not in a stream. */
cudaError_t vgpu_node_kernel_op(const struct cudaKernelNodeParams *params,
                                struct vgpu_op **op, uint64_t pc)
{
    const uint32_t grid[3] = {params->gridDim.x, params->gridDim.y,
                              params->gridDim.z};
    const uint32_t block[3] = {params->blockDim.x, params->blockDim.y,
                               params->blockDim.z};
    struct vgpu_stub *stub = vgpu_stub_find(params->func);
    struct vgpu_thread *thread = vgpu_thread_self();
    const struct vgpu_unasked unasked = thread->unasked;
    cudaError_t before = thread->last_error, error;

    *op = NULL;
    if (!stub)
        return vgpu_stub_missing(params->func);
    if (!params->kernelParams && params->extra)
        return cudaErrorNotSupported;
    thread->last_error = cudaSuccess;
    thread->caught = op;
    vgpu_config_push(grid, block, params->sharedMemBytes, cudaStreamLegacy, pc);
    stub->apply(params->kernelParams);
    thread->caught = NULL;
    error = thread->last_error;
    thread->last_error = before;
    thread->unasked = unasked;
    return error;
}

/* Unlike cudaMemset a node may set elements of two and four bytes. */
cudaError_t vgpu_node_memset_op(const struct cudaMemsetParams *params,
                                struct vgpu_op **out)
{
    struct vgpu_extent extent = {params->width * params->elementSize,
                                 params->height, 1};
    struct vgpu_op *op;
    cudaError_t error;

    *out = NULL;
    if (params->elementSize != 1 && params->elementSize != 2 &&
        params->elementSize != 4)
        return cudaErrorInvalidValue;
    op = vgpu_op_new(VGPU_OP_SET);
    if (!op)
        return cudaErrorMemoryAllocation;
    op->set.extent = extent;
    op->set.value = params->value;
    op->set.element = params->elementSize;
    error = vgpu_place_find(&op->set.dst, params->dst, params->pitch,
                            params->pitch * params->height, &extent);
    if (!error && !op->set.dst.memory && !op->set.dst.managed)
        error = cudaErrorInvalidValue;
    if (error)
        vgpu_op_unref(op);
    else
        *out = op;
    return error;
}

cudaError_t vgpu_node_to_symbol_op(const void *symbol, const void *src,
                                   size_t bytes, size_t offset,
                                   enum cudaMemcpyKind kind,
                                   struct vgpu_op **op)
{
    char *dst = NULL;
    const cudaError_t error = vgpu_symbol_side(symbol, bytes, offset, kind,
                                               cudaMemcpyDeviceToHost, &dst);

    return error ? error : vgpu_copy_op(dst, src, bytes, kind, op);
}

cudaError_t vgpu_node_from_symbol_op(void *dst, const void *symbol,
                                     size_t bytes, size_t offset,
                                     enum cudaMemcpyKind kind,
                                     struct vgpu_op **op)
{
    char *src = NULL;
    const cudaError_t error = vgpu_symbol_side(symbol, bytes, offset, kind,
                                               cudaMemcpyHostToDevice, &src);

    return error ? error : vgpu_copy_op(dst, src, bytes, kind, op);
}

/* Nothing of a host function can be checked before it runs. */
static cudaError_t host_op(const struct cudaHostNodeParams *params,
                           struct vgpu_op **op)
{
    if (!params->fn)
        return cudaErrorInvalidValue;
    *op = vgpu_op_new(VGPU_OP_HOST);
    if (!*op)
        return cudaErrorMemoryAllocation;
    (*op)->host.function = params->fn;
    (*op)->host.user_data = params->userData;
    return cudaSuccess;
}

/* ---- adding -------------------------------------------------------------- */

/* One call that adds a node, from its checks to its end. */
struct adding {
    struct vgpu_call call;
    struct vgpu_graph *graph;
    cudaGraphNode_t *out;
    const cudaGraphNode_t *deps;
    size_t count;
    cudaError_t error;
};

/* A dependency may be named once only, and must be of the same graph. */
static void add_begin(struct adding *a, const char *name, uint64_t pc,
                      cudaGraphNode_t *out, cudaGraph_t graph,
                      const cudaGraphNode_t *deps, size_t count)
{
    a->error = vgpu_call_begin(&a->call, name, pc, VGPU_CALL_CONTEXT);
    a->graph = vgpu_graph_find(graph);
    a->out = out;
    a->deps = deps;
    a->count = count;
    if (a->error)
        return;
    if (!a->graph || !out || (count && !deps))
        a->error = cudaErrorInvalidValue;
    for (size_t i = 0; !a->error && i < count; i++) {
        struct vgpu_node *before = vgpu_node_find(deps[i]);

        if (!before || before->graph != a->graph)
            a->error = cudaErrorInvalidValue;
        for (size_t j = 0; j < i; j++)
            if (deps[j] == deps[i])
                a->error = cudaErrorInvalidValue;
    }
}

/* Takes over @op. Return: the node, or NULL with a->error set. */
static struct vgpu_node *add_node(struct adding *a, enum cudaGraphNodeType type,
                                  struct vgpu_op *op)
{
    struct vgpu_node *node = NULL;

    if (!a->error) {
        node = vgpu_node_new(a->graph, type, op, a->call.pc);
        if (!node)
            a->error = cudaErrorMemoryAllocation;
    }
    if (!node) {
        vgpu_op_unref(op);
        return NULL;
    }
    for (size_t i = 0; i < a->count && !a->error; i++)
        a->error = vgpu_node_after(node, vgpu_node_find(a->deps[i]));
    *a->out = (cudaGraphNode_t)node;
    return node;
}

/* Building a graph costs the host an ordinary call for each node; nothing of it
 * reaches a device. */
static cudaError_t add_end(struct adding *a)
{
    return vgpu_call_end(&a->call, a->error, vgpu_rt.host->host_call_ns);
}

/* The parameters are kept as well as the pattern: they can be asked for. */
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const struct cudaKernelNodeParams *params)
{
    struct adding a;
    struct vgpu_op *op = NULL;
    struct vgpu_node *made;

    add_begin(&a, "cudaGraphAddKernelNode", VGPU_PC, node, graph, dependencies,
              count);
    if (!a.error && !params)
        a.error = cudaErrorInvalidValue;
    if (!a.error)
        a.error = vgpu_node_kernel_op(params, &op, a.call.pc);
    made = add_node(&a, cudaGraphNodeTypeKernel, op);
    if (made) {
        made->params = *params;
        vgpu_node_keep(made, (const void *const *)params->kernelParams);
    }
    return add_end(&a);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const struct cudaMemsetParams *params)
{
    struct adding a;
    struct vgpu_op *op = NULL;

    add_begin(&a, "cudaGraphAddMemsetNode", VGPU_PC, node, graph, dependencies,
              count);
    if (!a.error)
        a.error =
            params ? vgpu_node_memset_op(params, &op) : cudaErrorInvalidValue;
    add_node(&a, cudaGraphNodeTypeMemset, op);
    return add_end(&a);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const struct cudaMemcpy3DParms *params)
{
    struct adding a;
    struct vgpu_op *op = NULL;

    add_begin(&a, "cudaGraphAddMemcpyNode", VGPU_PC, node, graph, dependencies,
              count);
    if (!a.error)
        a.error = params ? vgpu_copy_op_3d(params, &op) : cudaErrorInvalidValue;
    add_node(&a, cudaGraphNodeTypeMemcpy, op);
    return add_end(&a);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies,
                                     size_t count, void *dst, const void *src,
                                     size_t bytes, enum cudaMemcpyKind kind)
{
    struct adding a;
    struct vgpu_op *op = NULL;

    add_begin(&a, "cudaGraphAddMemcpyNode1D", VGPU_PC, node, graph,
              dependencies, count);
    if (!a.error)
        a.error = vgpu_copy_op(dst, src, bytes, kind, &op);
    add_node(&a, cudaGraphNodeTypeMemcpy, op);
    return add_end(&a);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(
    cudaGraphNode_t *node, cudaGraph_t graph,
    const cudaGraphNode_t *dependencies, size_t count, const void *symbol,
    const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    struct adding a;
    struct vgpu_op *op = NULL;

    add_begin(&a, "cudaGraphAddMemcpyNodeToSymbol", VGPU_PC, node, graph,
              dependencies, count);
    if (!a.error)
        a.error = vgpu_node_to_symbol_op(symbol, src, bytes, offset, kind, &op);
    add_node(&a, cudaGraphNodeTypeMemcpy, op);
    return add_end(&a);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *node, cudaGraph_t graph,
    const cudaGraphNode_t *dependencies, size_t count, void *dst,
    const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    struct adding a;
    struct vgpu_op *op = NULL;

    add_begin(&a, "cudaGraphAddMemcpyNodeFromSymbol", VGPU_PC, node, graph,
              dependencies, count);
    if (!a.error)
        a.error =
            vgpu_node_from_symbol_op(dst, symbol, bytes, offset, kind, &op);
    add_node(&a, cudaGraphNodeTypeMemcpy, op);
    return add_end(&a);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies,
                                 size_t count,
                                 const struct cudaHostNodeParams *params)
{
    struct adding a;
    struct vgpu_op *op = NULL;

    add_begin(&a, "cudaGraphAddHostNode", VGPU_PC, node, graph, dependencies,
              count);
    if (!a.error)
        a.error = params ? host_op(params, &op) : cudaErrorInvalidValue;
    add_node(&a, cudaGraphNodeTypeHost, op);
    return add_end(&a);
}

/* Nothing but a place in the order: many before it, many behind, and so fewer
 * edges. */
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies,
                                  size_t count)
{
    struct adding a;

    add_begin(&a, "cudaGraphAddEmptyNode", VGPU_PC, node, graph, dependencies,
              count);
    add_node(&a, cudaGraphNodeTypeEmpty, NULL);
    return add_end(&a);
}

/* The child is copied: later changes of the original do not reach it. */
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies,
                                       size_t count, cudaGraph_t child)
{
    struct adding a;
    struct vgpu_graph *inner = vgpu_graph_find(child);
    struct vgpu_node *made;

    add_begin(&a, "cudaGraphAddChildGraphNode", VGPU_PC, node, graph,
              dependencies, count);
    if (!a.error && (!inner || inner == a.graph))
        a.error = cudaErrorInvalidValue;
    if (!a.error && vgpu_graph_branches(inner))
        a.error = cudaErrorNotSupported;
    made = add_node(&a, cudaGraphNodeTypeGraph, NULL);
    if (made) {
        if (!vgpu_node_hold(made, 1) || !vgpu_node_put(made, 0, inner))
            a.error = cudaErrorMemoryAllocation;
    }
    return add_end(&a);
}

/* The event is looked up again at each launch: destroyed meanwhile, it orders
 * nothing. */
static cudaError_t add_event(struct adding *a, enum cudaGraphNodeType type,
                             cudaEvent_t event)
{
    struct vgpu_node *made;

    if (!a->error && !vgpu_event_find(event))
        a->error = cudaErrorInvalidValue;
    made = add_node(a, type, NULL);
    if (made)
        made->event = event;
    return add_end(a);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node,
                                        cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies,
                                        size_t count, cudaEvent_t event)
{
    struct adding a;

    add_begin(&a, "cudaGraphAddEventRecordNode", VGPU_PC, node, graph,
              dependencies, count);
    return add_event(&a, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *dependencies,
                                      size_t count, cudaEvent_t event)
{
    struct adding a;

    add_begin(&a, "cudaGraphAddEventWaitNode", VGPU_PC, node, graph,
              dependencies, count);
    return add_event(&a, cudaGraphNodeTypeWaitEvent, event);
}

/* ---- memory ---------------------------------------------------------------
 */

/* The memory is there at once: its address is part of the answer, and nodes
 * that use it are made before any launch. */
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies,
                                     size_t count,
                                     struct cudaMemAllocNodeParams *params)
{
    struct adding a;
    struct vgpu_op *op = NULL;
    struct vgpu_node *made;

    add_begin(&a, "cudaGraphAddMemAllocNode", VGPU_PC, node, graph,
              dependencies, count);
    if (!a.error &&
        (!params || !params->bytesize ||
         params->poolProps.location.type != cudaMemLocationTypeDevice ||
         !vgpu_device_exists(params->poolProps.location.id)))
        a.error = cudaErrorInvalidValue;
    if (!a.error)
        a.error = vgpu_pool_graph_alloc(params->poolProps.location.id,
                                        params->bytesize, a.call.pc, &op);
    made = add_node(&a, cudaGraphNodeTypeMemAlloc, op);
    if (made) {
        made->device = op->memory->device;
        params->dptr = op->memory->base;
    }
    return add_end(&a);
}

/* Only a graph's memory is freed by a graph. */
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies,
                                    size_t count, void *memory)
{
    struct adding a;
    struct vgpu_op *op = NULL;
    struct vgpu_node *made;

    add_begin(&a, "cudaGraphAddMemFreeNode", VGPU_PC, node, graph, dependencies,
              count);
    if (!a.error)
        a.error = vgpu_pool_graph_free(memory, &op);
    made = add_node(&a, cudaGraphNodeTypeMemFree, op);
    if (made)
        made->device = op->memory->device;
    return add_end(&a);
}

/* Of the parameters only what decides something is kept. */
static cudaError_t memory_params(const char *name, uint64_t pc,
                                 cudaGraphNode_t handle,
                                 enum cudaGraphNodeType type,
                                 struct cudaMemAllocNodeParams *out)
{
    struct vgpu_call call;
    struct vgpu_node *node = vgpu_node_find(handle);
    cudaError_t error = vgpu_call_begin(&call, name, pc, VGPU_CALL_PLAIN);

    memset(out, 0, sizeof *out);
    if (!error && (!node || node->type != type))
        error = cudaErrorInvalidValue;
    if (!error) {
        out->poolProps.allocType = cudaMemAllocationTypePinned;
        out->poolProps.location.type = cudaMemLocationTypeDevice;
        out->poolProps.location.id = node->op->memory->device;
        out->bytesize = node->op->memory->bytes;
        out->dptr = node->op->memory->base;
    }
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                               struct cudaMemAllocNodeParams *params)
{
    struct cudaMemAllocNodeParams found;
    cudaError_t error = memory_params("cudaGraphMemAllocNodeGetParams", VGPU_PC,
                                      node, cudaGraphNodeTypeMemAlloc, &found);

    if (!error && params)
        *params = found;
    return error;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *memory)
{
    struct cudaMemAllocNodeParams found;
    cudaError_t error = memory_params("cudaGraphMemFreeNodeGetParams", VGPU_PC,
                                      node, cudaGraphNodeTypeMemFree, &found);

    if (!error && memory)
        *(void **)memory = found.dptr;
    return error;
}

/* ---- any node -------------------------------------------------------------
 */

static cudaGraphConditionalHandle last_handle;

/* A number, which nobody follows: kernels have it among their arguments, and a
 * launch finds its own value for it. */
static cudaError_t make_handle(struct vgpu_graph *graph,
                               cudaGraphConditionalHandle *handle,
                               unsigned value, unsigned flags)
{
    struct vgpu_condition *grown;

    if (!graph || !handle || (flags & ~(unsigned)cudaGraphCondAssignDefault))
        return cudaErrorInvalidValue;
    grown = realloc(graph->conditions,
                    (graph->condition_count + 1) * sizeof *grown);
    if (!grown)
        return cudaErrorMemoryAllocation;
    graph->conditions = grown;
    *handle = ++last_handle;
    grown[graph->condition_count++] =
        (struct vgpu_condition){last_handle, value, flags};
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle,
                                             cudaGraph_t graph,
                                             unsigned int value,
                                             unsigned int flags)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(
        &call, "cudaGraphConditionalHandleCreate", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error)
        error = make_handle(vgpu_graph_find(graph), handle, value, flags);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* A handle is of the graph that has the node, or of one that this is within,
 * and for one node. */
static const struct vgpu_condition *
find_condition(const struct vgpu_graph *graph,
               cudaGraphConditionalHandle handle)
{
    for (; graph; graph = graph->owner ? graph->owner->graph : NULL)
        for (size_t i = 0; i < graph->condition_count; i++)
            if (graph->conditions[i].handle == handle)
                return vgpu_graph_uses(graph, handle) ? NULL
                                                      : &graph->conditions[i];
    return NULL;
}

static cudaError_t check_conditional(const struct cudaConditionalNodeParams *p,
                                     const struct vgpu_condition *condition)
{
    const unsigned most = p->type == cudaGraphCondTypeIf      ? 2
                          : p->type == cudaGraphCondTypeWhile ? 1
                                                              : ~0u;

    if ((unsigned)p->type > cudaGraphCondTypeSwitch || !p->size ||
        p->size > most || !condition)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* The bodies are empty graphs for the caller to fill. The array of them is the
 * node's. */
static cudaError_t add_conditional(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t count,
                                   struct cudaConditionalNodeParams *p,
                                   uint64_t pc)
{
    struct adding a;
    const struct vgpu_condition *condition = NULL;
    struct vgpu_node *made;

    add_begin(&a, "cudaGraphAddNode", pc, node, graph, deps, count);
    if (!a.error) {
        condition = find_condition(a.graph, p->handle);
        a.error = check_conditional(p, condition);
    }
    made = add_node(&a, cudaGraphNodeTypeConditional, NULL);
    if (!made)
        return add_end(&a);
    made->condition = *condition;
    made->branch = p->type;
    if (!vgpu_node_hold(made, p->size))
        a.error = cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < made->inner_count && !a.error; i++) {
        made->inner[i] = vgpu_graph_new();
        if (made->inner[i])
            made->inner[i]->owner = made;
        else
            a.error = cudaErrorMemoryAllocation;
    }
    p->phGraph_out = (cudaGraph_t *)made->inner;
    return add_end(&a);
}

/* The call that a type has for itself, made from the same place. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *deps,
                             const cudaGraphEdgeData *edges, size_t count,
                             struct cudaGraphNodeParams *p)
{
    const uint64_t pc = VGPU_PC;

    (void)edges; /* ordinary ones only */
    vgpu_thread_self()->site_pc = pc;
    switch (p ? p->type : cudaGraphNodeTypeCount) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphAddKernelNode(node, graph, deps, count, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, deps, count,
                                      &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(node, graph, deps, count, &p->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(node, graph, deps, count, &p->host);
    case cudaGraphNodeTypeGraph:
        if (p->graph.ownership != cudaGraphChildGraphOwnershipClone)
            return vgpu_call_refuse("cudaGraphAddNode",
                                    "a child graph is always copied here", pc);
        return cudaGraphAddChildGraphNode(node, graph, deps, count,
                                          p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(node, graph, deps, count);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, deps, count,
                                         p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, deps, count,
                                           p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        return cudaGraphAddMemAllocNode(node, graph, deps, count, &p->alloc);
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(node, graph, deps, count, p->free.dptr);
    case cudaGraphNodeTypeConditional:
        return add_conditional(node, graph, deps, count, &p->conditional, pc);
    default:
        return vgpu_call_refuse("cudaGraphAddNode", "not a type of node", pc);
    }
}
