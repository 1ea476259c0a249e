/*
 * node_params.c: parameters of nodes: asked for, and changed, in a graph or in
 * an executable one.
 *
 * A change makes the pattern that adding such a node makes, with the same
 * checks, and puts it in the place of the old one. Launches that are under way
 * have copies of that.
 *
 * Source: manual, "Graph Management".
 */
#include "copy.h"
#include "graph.h"

#include <string.h>

/* One call about a node, from its checks to its end. */
struct about {
    struct vgpu_call call;
    struct vgpu_node *node;
    bool fixed; /* of an executable graph: not all may change */
    cudaError_t error;
};

/* @exec  NULL where the call has no executable graph among its arguments */
static void begin(struct about *a, const char *name, uint64_t pc,
                  const cudaGraphExec_t *exec, cudaGraphNode_t handle,
                  enum cudaGraphNodeType type)
{
    a->error = vgpu_call_begin(&a->call, name, pc, VGPU_CALL_CONTEXT);
    a->fixed = exec;
    a->node =
        exec ? vgpu_exec_node(*exec, handle, type) : vgpu_node_find(handle);
    if (!a->error && (!a->node || a->node->type != type))
        a->error = cudaErrorInvalidValue;
}

/* What a call cannot do without. */
static bool given(struct about *a, const void *params)
{
    if (!a->error && !params)
        a->error = cudaErrorInvalidValue;
    return !a->error;
}

static cudaError_t end(struct about *a)
{
    return vgpu_call_end(&a->call, a->error, vgpu_rt.host->host_call_ns);
}

/* Takes over @op, which a call that failed has none of. */
static cudaError_t replace(struct about *a, struct vgpu_op *op)
{
    if (a->error) {
        vgpu_op_unref(op);
    } else {
        vgpu_op_unref(a->node->op);
        a->node->op = op;
    }
    return end(a);
}

/* Of a node in a graph, and of the one that was made of it in an executable
 * graph.
 * @set  takes the parameters, and ends the call */
#define SET_PARAMS(kind, type, set)                                            \
    cudaError_t cudaGraph##kind##NodeSetParams(cudaGraphNode_t node,           \
                                               const struct type *params)      \
    {                                                                          \
        struct about a;                                                        \
                                                                               \
        begin(&a, "cudaGraph" #kind "NodeSetParams", VGPU_PC, NULL, node,      \
              cudaGraphNodeType##kind);                                        \
        return set(&a, params);                                                \
    }                                                                          \
                                                                               \
    cudaError_t cudaGraphExec##kind##NodeSetParams(                            \
        cudaGraphExec_t exec, cudaGraphNode_t node, const struct type *params) \
    {                                                                          \
        struct about a;                                                        \
                                                                               \
        begin(&a, "cudaGraphExec" #kind "NodeSetParams", VGPU_PC, &exec, node, \
              cudaGraphNodeType##kind);                                        \
        return set(&a, params);                                                \
    }

/* ---- kernels --------------------------------------------------------------
 */

/* The arguments are the node's own, until it is changed or destroyed. */
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *params)
{
    struct about a;

    begin(&a, "cudaGraphKernelNodeGetParams", VGPU_PC, NULL, node,
          cudaGraphNodeTypeKernel);
    if (given(&a, params))
        *params = a.node->params;
    return end(&a);
}

static cudaError_t set_kernel(struct about *a,
                              const struct cudaKernelNodeParams *params)
{
    struct vgpu_op *op = NULL;
    cudaError_t error;

    if (given(a, params))
        a->error = vgpu_node_kernel_op(params, &op, a->call.pc);
    error = replace(a, op);
    if (!error) {
        a->node->params = *params;
        vgpu_node_keep(a->node, (const void *const *)params->kernelParams);
    }
    return error;
}

SET_PARAMS(Kernel, cudaKernelNodeParams, set_kernel)

/* ---- copies ---------------------------------------------------------------
 */

/* The same copy, whichever call has described it: positions are part of the
 * pointers, and the direction is that of the bytes. */
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemcpy3DParms *params)
{
    static const enum cudaMemcpyKind kinds[2][2] = {
        {cudaMemcpyHostToHost, cudaMemcpyHostToDevice},
        {cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice}};
    struct about a;

    begin(&a, "cudaGraphMemcpyNodeGetParams", VGPU_PC, NULL, node,
          cudaGraphNodeTypeMemcpy);
    if (given(&a, params)) {
        const struct vgpu_place *dst = &a.node->op->copy.dst;
        const struct vgpu_place *src = &a.node->op->copy.src;
        const struct vgpu_extent *extent = &a.node->op->copy.extent;

        memset(params, 0, sizeof *params);
        params->dstPtr = (struct cudaPitchedPtr){
            dst->base, dst->pitch, extent->width, dst->slice / dst->pitch};
        params->srcPtr = (struct cudaPitchedPtr){
            src->base, src->pitch, extent->width, src->slice / src->pitch};
        params->extent =
            (struct cudaExtent){extent->width, extent->rows, extent->slices};
        params->kind = kinds[src->device][dst->device];
    }
    return end(&a);
}

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
static cudaError_t replace_copy(struct about *a, struct vgpu_op *op)
{
    const struct vgpu_op *old = a->error ? NULL : a->node->op;

    if (!a->error && a->fixed &&
        (!is_flat(old) || !is_flat(op) ||
         !same_side(&old->copy.dst, &op->copy.dst) ||
         !same_side(&old->copy.src, &op->copy.src)))
        a->error = cudaErrorInvalidValue;
    return replace(a, op);
}

/* Each way to describe a copy, for a graph and for an executable one.
 * @make  an expression that makes the pattern @op and has the error */
#define SET_COPY(name, parameters, exec, make)                                 \
    cudaError_t name parameters                                                \
    {                                                                          \
        struct about a;                                                        \
        struct vgpu_op *op = NULL;                                             \
                                                                               \
        begin(&a, #name, VGPU_PC, exec, node, cudaGraphNodeTypeMemcpy);        \
        if (!a.error)                                                          \
            a.error = make;                                                    \
        return replace_copy(&a, op);                                           \
    }

SET_COPY(cudaGraphMemcpyNodeSetParams,
         (cudaGraphNode_t node, const struct cudaMemcpy3DParms *params), NULL,
         params ? vgpu_copy_op_3d(params, &op) : cudaErrorInvalidValue)

SET_COPY(cudaGraphExecMemcpyNodeSetParams,
         (cudaGraphExec_t exec, cudaGraphNode_t node,
          const struct cudaMemcpy3DParms *params),
         &exec, params ? vgpu_copy_op_3d(params, &op) : cudaErrorInvalidValue)

SET_COPY(cudaGraphMemcpyNodeSetParams1D,
         (cudaGraphNode_t node, void *dst, const void *src, size_t bytes,
          enum cudaMemcpyKind kind),
         NULL, vgpu_copy_op(dst, src, bytes, kind, &op))

SET_COPY(cudaGraphExecMemcpyNodeSetParams1D,
         (cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
          const void *src, size_t bytes, enum cudaMemcpyKind kind),
         &exec, vgpu_copy_op(dst, src, bytes, kind, &op))

SET_COPY(cudaGraphMemcpyNodeSetParamsToSymbol,
         (cudaGraphNode_t node, const void *symbol, const void *src,
          size_t bytes, size_t offset, enum cudaMemcpyKind kind),
         NULL, vgpu_node_to_symbol_op(symbol, src, bytes, offset, kind, &op))

SET_COPY(cudaGraphExecMemcpyNodeSetParamsToSymbol,
         (cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
          const void *src, size_t bytes, size_t offset,
          enum cudaMemcpyKind kind),
         &exec, vgpu_node_to_symbol_op(symbol, src, bytes, offset, kind, &op))

SET_COPY(cudaGraphMemcpyNodeSetParamsFromSymbol,
         (cudaGraphNode_t node, void *dst, const void *symbol, size_t bytes,
          size_t offset, enum cudaMemcpyKind kind),
         NULL, vgpu_node_from_symbol_op(dst, symbol, bytes, offset, kind, &op))

SET_COPY(cudaGraphExecMemcpyNodeSetParamsFromSymbol,
         (cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
          const void *symbol, size_t bytes, size_t offset,
          enum cudaMemcpyKind kind),
         &exec, vgpu_node_from_symbol_op(dst, symbol, bytes, offset, kind, &op))

/* ---- memsets --------------------------------------------------------------
 */

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemsetParams *params)
{
    struct about a;

    begin(&a, "cudaGraphMemsetNodeGetParams", VGPU_PC, NULL, node,
          cudaGraphNodeTypeMemset);
    if (given(&a, params)) {
        const struct vgpu_op *op = a.node->op;

        memset(params, 0, sizeof *params);
        params->dst = op->set.dst.base;
        params->pitch = op->set.dst.pitch;
        params->value = op->set.value;
        params->elementSize = op->set.element;
        params->width = op->set.extent.width / op->set.element;
        params->height = op->set.extent.rows;
    }
    return end(&a);
}

static cudaError_t set_memset(struct about *a,
                              const struct cudaMemsetParams *params)
{
    struct vgpu_op *op = NULL;

    if (given(a, params))
        a->error = vgpu_node_memset_op(params, &op);
    return replace(a, op);
}

SET_PARAMS(Memset, cudaMemsetParams, set_memset)

/* ---- host functions -------------------------------------------------------
 */

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       struct cudaHostNodeParams *params)
{
    struct about a;

    begin(&a, "cudaGraphHostNodeGetParams", VGPU_PC, NULL, node,
          cudaGraphNodeTypeHost);
    if (given(&a, params)) {
        params->fn = a.node->op->host.function;
        params->userData = a.node->op->host.user_data;
    }
    return end(&a);
}

static cudaError_t set_host(struct about *a,
                            const struct cudaHostNodeParams *params)
{
    if (given(a, params) && !params->fn)
        a->error = cudaErrorInvalidValue;
    if (!a->error) {
        a->node->op->host.function = params->fn;
        a->node->op->host.user_data = params->userData;
    }
    return end(a);
}

SET_PARAMS(Host, cudaHostNodeParams, set_host)

/* ---- events ---------------------------------------------------------------
 */

static cudaError_t set_event(struct about *a, cudaEvent_t event)
{
    if (!a->error && !vgpu_event_find(event))
        a->error = cudaErrorInvalidValue;
    if (!a->error)
        a->node->event = event;
    return end(a);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node,
                                             cudaEvent_t event)
{
    struct about a;

    begin(&a, "cudaGraphEventRecordNodeSetEvent", VGPU_PC, NULL, node,
          cudaGraphNodeTypeEventRecord);
    return set_event(&a, event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node,
                                           cudaEvent_t event)
{
    struct about a;

    begin(&a, "cudaGraphEventWaitNodeSetEvent", VGPU_PC, NULL, node,
          cudaGraphNodeTypeWaitEvent);
    return set_event(&a, event);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec,
                                                 cudaGraphNode_t node,
                                                 cudaEvent_t event)
{
    struct about a;

    begin(&a, "cudaGraphExecEventRecordNodeSetEvent", VGPU_PC, &exec, node,
          cudaGraphNodeTypeEventRecord);
    return set_event(&a, event);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec,
                                               cudaGraphNode_t node,
                                               cudaEvent_t event)
{
    struct about a;

    begin(&a, "cudaGraphExecEventWaitNodeSetEvent", VGPU_PC, &exec, node,
          cudaGraphNodeTypeWaitEvent);
    return set_event(&a, event);
}

/* ---- attributes of kernels ------------------------------------------------
 */

static int clamp_priority(int priority)
{
    if (priority > vgpu_stream_least_priority())
        return vgpu_stream_least_priority();
    if (priority < vgpu_stream_greatest_priority())
        return vgpu_stream_greatest_priority();
    return priority;
}

static cudaError_t get_attribute(const struct vgpu_node *node,
                                 cudaLaunchAttributeID which,
                                 cudaLaunchAttributeValue *value)
{
    memset(value, 0, sizeof *value);
    if (which == cudaLaunchAttributePriority)
        value->priority = node->priority;
    else if (which == cudaLaunchAttributeCooperative)
        value->cooperative = node->op->kernel.exec.cooperative;
    else if (which == cudaLaunchAttributeAccessPolicyWindow)
        value->accessPolicyWindow = node->window;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t set_attribute(struct vgpu_node *node,
                                 cudaLaunchAttributeID which,
                                 const cudaLaunchAttributeValue *value)
{
    if (which == cudaLaunchAttributePriority)
        node->priority = clamp_priority(value->priority);
    else if (which == cudaLaunchAttributeCooperative)
        node->op->kernel.exec.cooperative = value->cooperative;
    else if (which == cudaLaunchAttributeAccessPolicyWindow)
        node->window = value->accessPolicyWindow;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static struct vgpu_node *find_kernel(cudaGraphNode_t handle)
{
    struct vgpu_node *node = vgpu_node_find(handle);

    return node && node->type == cudaGraphNodeTypeKernel ? node : NULL;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle,
                                            cudaLaunchAttributeID which,
                                            cudaLaunchAttributeValue *value)
{
    struct vgpu_call call;
    struct vgpu_node *node;
    cudaError_t error = vgpu_call_begin(
        &call, "cudaGraphKernelNodeGetAttribute", VGPU_PC, VGPU_CALL_PLAIN);

    node = find_kernel(handle);
    if (!error)
        error = node && value ? get_attribute(node, which, value)
                              : cudaErrorInvalidValue;
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle,
                                cudaLaunchAttributeID which,
                                const cudaLaunchAttributeValue *value)
{
    struct vgpu_call call;
    struct vgpu_node *node;
    cudaError_t error = vgpu_call_begin(
        &call, "cudaGraphKernelNodeSetAttribute", VGPU_PC, VGPU_CALL_PLAIN);

    node = find_kernel(handle);
    if (!error)
        error = node && value ? set_attribute(node, which, value)
                              : cudaErrorInvalidValue;
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to,
                                              cudaGraphNode_t from)
{
    struct vgpu_call call;
    struct vgpu_node *source, *target;
    cudaError_t error = vgpu_call_begin(
        &call, "cudaGraphKernelNodeCopyAttributes", VGPU_PC, VGPU_CALL_PLAIN);

    source = find_kernel(from);
    target = find_kernel(to);
    if (!error && (!source || !target))
        error = cudaErrorInvalidValue;
    if (!error) {
        target->window = source->window;
        target->priority = source->priority;
        target->op->kernel.exec.cooperative =
            source->op->kernel.exec.cooperative;
    }
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* ---- any node -------------------------------------------------------------
 */

/* Memory nodes are as they were made, and so are conditional ones. */
static cudaError_t refuse_type(const char *name,
                               const struct cudaGraphNodeParams *p, uint64_t pc)
{
    const bool conditional = p && p->type == cudaGraphNodeTypeConditional;
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, name, pc, VGPU_CALL_CONTEXT);

    if (!error)
        error = conditional ? cudaErrorNotSupported : cudaErrorInvalidValue;
    return vgpu_call_end(&call, error, 0);
}

/* The call that a type has for itself, made from the same place. */
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                   struct cudaGraphNodeParams *p)
{
    const uint64_t pc = VGPU_PC;

    vgpu_thread_self()->site_pc = pc;
    switch (p ? p->type : cudaGraphNodeTypeEmpty) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphKernelNodeSetParams(node, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphMemsetNodeSetParams(node, &p->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphHostNodeSetParams(node, &p->host);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphEventWaitNodeSetEvent(node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphEventRecordNodeSetEvent(node, p->eventRecord.event);
    default:
        return refuse_type("cudaGraphNodeSetParams", p, pc);
    }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec,
                                       cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *p)
{
    const uint64_t pc = VGPU_PC;

    vgpu_thread_self()->site_pc = pc;
    switch (p ? p->type : cudaGraphNodeTypeEmpty) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphExecKernelNodeSetParams(exec, node, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphExecMemcpyNodeSetParams(exec, node,
                                                &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphExecMemsetNodeSetParams(exec, node, &p->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphExecHostNodeSetParams(exec, node, &p->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphExecEventWaitNodeSetEvent(exec, node,
                                                  p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphExecEventRecordNodeSetEvent(exec, node,
                                                    p->eventRecord.event);
    default:
        return refuse_type("cudaGraphExecNodeSetParams", p, pc);
    }
}
