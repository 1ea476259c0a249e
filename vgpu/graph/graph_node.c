/*
 * graph_node.c: nodes of graphs: added by hand, their parameters asked for, and
 * changed, in a graph or in an executable one.
 *
 * A kind of node is a row of `kinds`: how a pattern operation is made from its
 * parameters, and what the node itself takes from them. A pattern is made by
 * the code that the ordinary call uses (copies, memsets, launches), so that a
 * node accepts and refuses what the call does. A change puts a new one in the
 * place of the old one: launches that are under way have copies of that.
 *
 * Source: manual, "Graph Management"; guide, "Creating a Graph Using Graph
 * APIs".
 */
#include "copy.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* A node that is to be added, or changed. */
struct change {
    struct vgpu_call *call;
    struct vgpu_graph *graph; /* NULL: changed */
    struct vgpu_node *node;   /* NULL: added */
    bool fixed;               /* of an executable graph: not all may change */
    const void *params;       /* never NULL; of which type, the kind says */
    struct vgpu_node *const *deps; /* of a node that is added */
    size_t dep_count;
    struct vgpu_op *op; /* made */
};
typedef cudaError_t make(struct change *c);

/* ---- kernels --------------------------------------------------------------
 */

/* The stub is called with the arguments; its launch lands in the thread's
 * caught operation and not in a stream. */
static cudaError_t make_kernel(struct change *c)
{
    const struct cudaKernelNodeParams *params = c->params;
    const uint32_t grid[3] = {params->gridDim.x, params->gridDim.y,
                              params->gridDim.z};
    const uint32_t block[3] = {params->blockDim.x, params->blockDim.y,
                               params->blockDim.z};
    struct vgpu_stub *stub = vgpu_stub_find(params->func);
    struct vgpu_thread *thread = vgpu_thread_self();
    const struct vgpu_unasked unasked = thread->unasked;
    cudaError_t before = thread->last_error, error;

    if (!stub)
        return vgpu_stub_missing(params->func);
    if (!params->kernelParams && params->extra)
        return vgpu_because(cudaErrorNotSupported,
                            "the virtual GPU takes kernelParams, and no extra");
    thread->last_error = cudaSuccess;
    thread->caught = &c->op;
    vgpu_config_push(grid, block, params->sharedMemBytes, cudaStreamLegacy,
                     c->call->pc);
    vgpu_stub_apply(stub, params->kernelParams);
    thread->caught = NULL;
    error = thread->last_error;
    thread->last_error = before;
    thread->unasked = unasked;
    return error;
}

/* The parameters are kept as well as the pattern: they can be asked for. */
static cudaError_t take_kernel(struct vgpu_node *node, const void *params)
{
    node->params = *(const struct cudaKernelNodeParams *)params;
    vgpu_node_keep(node, (const void *const *)node->params.kernelParams);
    return cudaSuccess;
}

/* ---- copies and memsets ---------------------------------------------------
 */

static cudaError_t becomes_other(void)
{
    return vgpu_invalid("in an executable graph a copy or memset keeps its "
                        "direction and its device, and of several rows the "
                        "shape");
}

/* In an executable graph not all may change. */
static cudaError_t check_copy(const struct change *c, cudaError_t error)
{
    if (!error && c->fixed && !vgpu_op_may_become(c->node->op, c->op))
        error = becomes_other();
    return error;
}

static cudaError_t make_copy(struct change *c)
{
    return check_copy(c, vgpu_copy_op_3d(c->params, &c->op));
}

/* A copy as the calls for one row describe it; one side may be a symbol. */
struct row {
    void *dst;
    const void *src;
    size_t bytes, offset;
    enum cudaMemcpyKind kind;
};

static cudaError_t make_1D(struct change *c)
{
    const struct row *p = c->params;

    return check_copy(c,
                      vgpu_copy_op(p->dst, p->src, p->bytes, p->kind, &c->op));
}

static cudaError_t make_ToSymbol(struct change *c)
{
    const struct row *p = c->params;
    char *dst = NULL;
    const cudaError_t error = vgpu_symbol_side(
        p->dst, p->bytes, p->offset, p->kind, cudaMemcpyDeviceToHost, &dst);

    return check_copy(
        c,
        error ? error : vgpu_copy_op(dst, p->src, p->bytes, p->kind, &c->op));
}

static cudaError_t make_FromSymbol(struct change *c)
{
    const struct row *p = c->params;
    char *src = NULL;
    const cudaError_t error = vgpu_symbol_side(
        p->src, p->bytes, p->offset, p->kind, cudaMemcpyHostToDevice, &src);

    return check_copy(
        c,
        error ? error : vgpu_copy_op(p->dst, src, p->bytes, p->kind, &c->op));
}

static bool is_of_host_pool(const void *pointer)
{
    const struct vgpu_memory *const memory = vgpu_memory_find(pointer);

    return memory && vgpu_memory_of_host_pool(memory);
}

/* Unlike cudaMemset a node may set elements of two and four bytes. */
static cudaError_t make_memset(struct change *c)
{
    const struct cudaMemsetParams *params = c->params;
    struct vgpu_extent extent = {params->width * params->elementSize,
                                 params->height, 1};
    struct vgpu_op *op;
    cudaError_t error;

    if (params->elementSize != 1 && params->elementSize != 2 &&
        params->elementSize != 4)
        return vgpu_invalid("elementSize is 1, 2 or 4, and not %u",
                            params->elementSize);
    if (!params->width || !params->height)
        return vgpu_invalid("width or height is 0");
    if ((uintptr_t)params->dst % params->elementSize ||
        (params->height > 1 && params->pitch < extent.width))
        return vgpu_invalid(params->height > 1 && params->pitch < extent.width
                                ? "rows of %zu bytes do not begin %zu bytes "
                                  "apart"
                                : "the address is no multiple of an element",
                            extent.width, params->pitch);
    if (is_of_host_pool(params->dst))
        return vgpu_invalid("no memset reaches memory of a host's pool");
    op = vgpu_op_new(VGPU_OP_SET);
    if (!op)
        return cudaErrorMemoryAllocation;
    op->set.extent = extent;
    op->set.value = params->value;
    op->set.element = params->elementSize;
    error = vgpu_place_find(&op->set.dst, params->dst, params->pitch,
                            params->pitch * params->height, &extent);
    if (!error && !op->set.dst.memory && !op->set.dst.managed)
        error = vgpu_invalid("a device cannot write there: it is %s",
                             vgpu_memory_words(params->dst));
    if (!error && c->fixed && !vgpu_op_may_become(c->node->op, op))
        error = becomes_other();
    if (error)
        vgpu_op_unref(op);
    else
        c->op = op;
    return error;
}

/* ---- host functions, events, child graphs ---------------------------------
 */

/* Nothing of a host function can be checked before it runs. */
static cudaError_t make_host(struct change *c)
{
    const struct cudaHostNodeParams *params = c->params;

    if (!params->fn)
        return vgpu_invalid("fn is NULL");
    c->op = vgpu_op_new(VGPU_OP_HOST);
    if (!c->op)
        return cudaErrorMemoryAllocation;
    c->op->host.function = params->fn;
    c->op->host.user_data = params->userData;
    return cudaSuccess;
}

/* The event is looked up again at each launch: destroyed meanwhile, it orders
 * nothing. */
static cudaError_t make_event(struct change *c)
{
    return vgpu_event_find(*(const cudaEvent_t *)c->params)
               ? cudaSuccess
               : vgpu_invalid("there is no such event");
}

static cudaError_t take_event(struct vgpu_node *node, const void *params)
{
    node->event = *(const cudaEvent_t *)params;
    return cudaSuccess;
}

static cudaError_t make_child(struct change *c)
{
    const struct vgpu_graph *child =
        vgpu_graph_find(*(const cudaGraph_t *)c->params);

    if (!child || child == c->graph)
        return vgpu_invalid(child ? "a graph is no child of itself"
                                  : "there is no such graph for a child");
    return vgpu_graph_branches(child) || vgpu_graph_has_memory(child)
               ? vgpu_because(cudaErrorNotSupported,
                              "the child has a conditional node, or one of "
                              "memory")
               : cudaSuccess;
}

/* The child is copied: later changes of the original do not reach it. */
static cudaError_t take_child(struct vgpu_node *node, const void *params)
{
    const struct vgpu_graph *child =
        vgpu_graph_find(*(const cudaGraph_t *)params);

    return vgpu_node_hold(node, 1) && vgpu_node_put(node, 0, child)
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

/* ---- memory ---------------------------------------------------------------
 */

/* The memory is there at once: its address is part of the answer, and nodes
 * that use it are made before any launch. */
static cudaError_t make_alloc(struct change *c)
{
    const struct cudaMemAllocNodeParams *params = c->params;
    const struct cudaMemLocation *at = &params->poolProps.location;
    struct vgpu_memory *again;

    if (!params->bytesize ||
        params->poolProps.allocType == cudaMemAllocationTypeInvalid)
        return vgpu_invalid(params->bytesize ? "poolProps.allocType is not set"
                                             : "bytesize is 0");
    if (params->poolProps.handleTypes || at->type == cudaMemLocationTypeHost ||
        at->type == cudaMemLocationTypeHostNuma)
        return vgpu_because(cudaErrorNotSupported,
                            "a graph's memory is a device's, and has no "
                            "handles");
    if (at->type != cudaMemLocationTypeDevice || !vgpu_device_exists(at->id))
        return vgpu_invalid("poolProps.location is no device that there is");
    again = vgpu_graph_memory_again(c->graph, c->deps, c->dep_count, at->id,
                                    params->bytesize);
    return vgpu_pool_graph_alloc(at->id, params->bytesize, again, c->graph,
                                 c->call->pc, &c->op);
}

/* Only a graph's memory is freed by a graph, and once. */
static cudaError_t make_free(struct change *c)
{
    const struct vgpu_memory *const memory =
        vgpu_memory_find(*(void *const *)c->params);

    if (memory && vgpu_graph_memory_freed(c->graph, memory))
        return vgpu_invalid("another node of the graph frees it already");
    return vgpu_pool_graph_free(*(void *const *)c->params, &c->op);
}

static cudaError_t take_memory(struct vgpu_node *node, const void *params)
{
    (void)params;
    node->device = node->op->memory->device;
    return cudaSuccess;
}

static cudaError_t make_conditional(struct change *c)
{
    return vgpu_condition_check(c->graph, c->params);
}

static cudaError_t take_conditional(struct vgpu_node *node, const void *params)
{
    return vgpu_condition_take(node, params);
}

/* ---- the kinds ------------------------------------------------------------
 */

struct kind {
    const char *add, *set, *set_exec; /* the calls that it has for itself */
    size_t params;                    /* in struct cudaGraphNodeParams */
    make *make;                       /* NULL: it has no parameters */
    cudaError_t (*take)(struct vgpu_node *node, const void *params);
};

#define KIND(type, add, set, set_exec, member, ...)                            \
    [cudaGraphNodeType##type] = {add, set, set_exec,                           \
                                 offsetof(struct cudaGraphNodeParams, member), \
                                 __VA_ARGS__}
#define ONCE(type, word, member, ...) /* no call changes it */                 \
    KIND(type, "cudaGraphAdd" word "Node", NULL, NULL, member, __VA_ARGS__)
#define MANY(type, word, what, member, ...)                                    \
    KIND(type, "cudaGraphAdd" word "Node", "cudaGraph" word "Node" what,       \
         "cudaGraphExec" word "Node" what, member, __VA_ARGS__)

static const struct kind kinds[cudaGraphNodeTypeCount + 1] = {
    MANY(Kernel, "Kernel", "SetParams", kernel, make_kernel, take_kernel),
    MANY(Memcpy, "Memcpy", "SetParams", memcpy.copyParams, make_copy, NULL),
    MANY(Memset, "Memset", "SetParams", memset, make_memset, NULL),
    MANY(Host, "Host", "SetParams", host, make_host, NULL),
    MANY(WaitEvent, "EventWait", "SetEvent", eventWait.event, make_event,
         take_event),
    MANY(EventRecord, "EventRecord", "SetEvent", eventRecord.event, make_event,
         take_event),
    ONCE(Empty, "Empty", reserved1, NULL, NULL),
    ONCE(Graph, "ChildGraph", graph.graph, make_child, take_child),
    ONCE(MemAlloc, "MemAlloc", alloc, make_alloc, take_memory),
    ONCE(MemFree, "MemFree", free.dptr, make_free, take_memory),
    ONCE(Conditional, "", conditional, make_conditional, take_conditional),
};

/* Where a node goes. */
struct seat {
    cudaGraphNode_t *out;
    cudaGraph_t graph;
    const cudaGraphNode_t *deps;
    size_t count;
    const cudaGraphEdgeData *edges; /* or NULL */
};

/* A dependency may be named once only, and must be of the same graph. */
static cudaError_t check_seat(const struct seat *seat,
                              const struct vgpu_graph *graph)
{
    if (!graph || !seat->out || (seat->count && !seat->deps))
        return graph && seat->out ? vgpu_invalid("there are no dependencies, "
                                                 "and count is %zu",
                                                 seat->count)
                                  : cudaErrorInvalidValue;
    for (size_t i = 0; i < seat->count; i++) {
        const struct vgpu_node *before = vgpu_node_find(seat->deps[i]);

        if (!before || before->graph != graph)
            return vgpu_invalid("dependency %zu is no node of this graph", i);
        for (size_t j = 0; j < i; j++)
            if (seat->deps[j] == seat->deps[i])
                return vgpu_invalid("dependencies %zu and %zu are the same", j,
                                    i);
    }
    return cudaSuccess;
}

/* Building a graph costs the host an ordinary call for each node; nothing of it
 * reaches a device.
 * @make  makes the pattern, or NULL for a node that has none */
static cudaError_t add(struct vgpu_call *call, const struct seat *seat,
                       enum cudaGraphNodeType type, make *make,
                       const void *params)
{
    struct change c = {.call = call,
                       .graph = vgpu_graph_find(seat->graph),
                       .params = params,
                       .deps = (struct vgpu_node *const *)seat->deps,
                       .dep_count = seat->count};
    struct vgpu_node *node = NULL;
    cudaError_t error = check_seat(seat, c.graph);

    if (!error && make)
        error = params ? make(&c) : cudaErrorInvalidValue;
    if (!error) {
        node = vgpu_node_new(c.graph, type, c.op, call->pc);
        error = node ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (!node) {
        vgpu_op_unref(c.op);
        return error;
    }
    for (size_t i = 0; i < seat->count && !error; i++) {
        struct vgpu_node *before = vgpu_node_find(seat->deps[i]);
        const cudaGraphEdgeData *edge = seat->edges ? &seat->edges[i] : NULL;

        error = vgpu_edge_check(node, before, edge);
        if (!error)
            error = vgpu_node_after(node, before, edge);
    }
    *seat->out = (cudaGraphNode_t)node;
    vgpu_host_side_begin(node);
    if (!error && kinds[type].take)
        error = kinds[type].take(node, params);
    return error;
}

/* @exec  NULL where the call has no executable graph among its arguments */
static struct vgpu_node *find(const cudaGraphExec_t *exec,
                              cudaGraphNode_t handle,
                              enum cudaGraphNodeType type)
{
    struct vgpu_node *node =
        exec ? vgpu_exec_node(*exec, handle, type) : vgpu_node_find(handle);

    return node && node->type == type ? node : NULL;
}

static cudaError_t other_node(const cudaGraphExec_t *exec,
                              cudaGraphNode_t handle)
{
    return exec && vgpu_node_find(handle)
               ? vgpu_invalid("the executable graph has no such node of this "
                              "type: it is told by that of the graph that was "
                              "instantiated")
               : vgpu_node_other(vgpu_node_find(handle));
}

static cudaError_t change(struct vgpu_call *call, const cudaGraphExec_t *exec,
                          cudaGraphNode_t handle, enum cudaGraphNodeType type,
                          make *make, const void *params)
{
    struct change c = {.call = call,
                       .node = find(exec, handle, type),
                       .fixed = exec,
                       .params = params};
    cudaError_t error = c.node && params ? make(&c)
                        : c.node         ? cudaErrorInvalidValue
                                         : other_node(exec, handle);

    if (error) {
        vgpu_op_unref(c.op);
        return error;
    }
    if (c.op) {
        vgpu_op_unref(c.node->op);
        c.node->op = c.op;
        vgpu_host_side_unref(c.node->host_side);
        c.node->host_side = NULL;
        vgpu_host_side_begin(c.node);
    }
    return kinds[type].take ? kinds[type].take(c.node, params) : cudaSuccess;
}

/* ---- the calls of each kind -----------------------------------------------
 */

/* Adds a node. @params: where its parameters are */
#define NEW(word, make, type, params, ...)                                     \
    API(cudaGraphAdd##word, cudaGraphNode_t *node, cudaGraph_t graph,          \
        const cudaGraphNode_t *deps, size_t count, ##__VA_ARGS__)              \
    {                                                                          \
        return add(call, &(struct seat){node, graph, deps, count, NULL},       \
                   cudaGraphNodeType##type, make, params);                     \
    }
/* Changes a node in a graph, and the one that was made of it in an executable
 * graph. */
#define CHANGE(word, make, type, params, ...)                                  \
    API(cudaGraph##word, cudaGraphNode_t node, __VA_ARGS__)                    \
    {                                                                          \
        return change(call, NULL, node, cudaGraphNodeType##type, make,         \
                      params);                                                 \
    }                                                                          \
    API(cudaGraphExec##word, cudaGraphExec_t exec, cudaGraphNode_t node,       \
        __VA_ARGS__)                                                           \
    {                                                                          \
        return change(call, &exec, node, cudaGraphNodeType##type, make,        \
                      params);                                                 \
    }
#define BOTH(word, make, type)                                                 \
    NEW(word##Node, make, word, params, const struct type *params)             \
    CHANGE(word##NodeSetParams, make, word, params, const struct type *params)
#define COPY(word, dst, src, offset, ...)                                      \
    NEW(MemcpyNode##word, make_##word, Memcpy,                                 \
        (&(struct row){dst, src, bytes, offset, kind}), __VA_ARGS__,           \
        enum cudaMemcpyKind kind)                                              \
    CHANGE(MemcpyNodeSetParams##word, make_##word, Memcpy,                     \
           (&(struct row){dst, src, bytes, offset, kind}), __VA_ARGS__,        \
           enum cudaMemcpyKind kind)

BOTH(Kernel, make_kernel, cudaKernelNodeParams)
BOTH(Memcpy, make_copy, cudaMemcpy3DParms)
COPY(1D, dst, src, 0, void *dst, const void *src, size_t bytes)
COPY(ToSymbol, (void *)(uintptr_t)symbol, src, offset, const void *symbol,
     const void *src, size_t bytes, size_t offset)
COPY(FromSymbol, dst, symbol, offset, void *dst, const void *symbol,
     size_t bytes, size_t offset)
BOTH(Memset, make_memset, cudaMemsetParams)
BOTH(Host, make_host, cudaHostNodeParams)
/* Nothing but a place in the order: many before it, many behind, and so fewer
 * edges. */
NEW(EmptyNode, NULL, Empty, NULL)
NEW(ChildGraphNode, make_child, Graph, &child, cudaGraph_t child)
NEW(EventRecordNode, make_event, EventRecord, &event, cudaEvent_t event)
CHANGE(EventRecordNodeSetEvent, make_event, EventRecord, &event,
       cudaEvent_t event)
NEW(EventWaitNode, make_event, WaitEvent, &event, cudaEvent_t event)
CHANGE(EventWaitNodeSetEvent, make_event, WaitEvent, &event, cudaEvent_t event)
NEW(MemFreeNode, make_free, MemFree, &memory, void *memory)

API(cudaGraphAddMemAllocNode, cudaGraphNode_t *node, cudaGraph_t graph,
    const cudaGraphNode_t *deps, size_t count,
    struct cudaMemAllocNodeParams *params)
{
    cudaError_t error =
        add(call, &(struct seat){node, graph, deps, count, NULL},
            cudaGraphNodeTypeMemAlloc, make_alloc, params);

    if (!error)
        params->dptr = vgpu_node_find(*node)->op->memory->base;
    return error;
}

/* ---- questions ------------------------------------------------------------
 */

/* The arguments are the node's own, until it is changed or destroyed. */
API(cudaGraphKernelNodeGetParams, cudaGraphNode_t handle,
    struct cudaKernelNodeParams *params)
{
    const struct vgpu_node *node = find(NULL, handle, cudaGraphNodeTypeKernel);

    if (!node || !params)
        return node ? cudaErrorInvalidValue : other_node(NULL, handle);
    *params = node->params;
    return cudaSuccess;
}

/* The same copy, whichever call has described it: positions are part of the
 * pointers, and the direction is that of the bytes. */
API(cudaGraphMemcpyNodeGetParams, cudaGraphNode_t handle,
    struct cudaMemcpy3DParms *params)
{
    static const enum cudaMemcpyKind directions[2][2] = {
        {cudaMemcpyHostToHost, cudaMemcpyHostToDevice},
        {cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice}};
    const struct vgpu_node *node = find(NULL, handle, cudaGraphNodeTypeMemcpy);
    const struct vgpu_place *dst, *src;
    const struct vgpu_extent *e;

    if (!node || !params)
        return node ? cudaErrorInvalidValue : other_node(NULL, handle);
    dst = &node->op->copy.dst;
    src = &node->op->copy.src;
    e = &node->op->copy.extent;
    memset(params, 0, sizeof *params);
    params->dstPtr = (struct cudaPitchedPtr){dst->base, dst->pitch, e->width,
                                             dst->slice / dst->pitch};
    params->srcPtr = (struct cudaPitchedPtr){src->base, src->pitch, e->width,
                                             src->slice / src->pitch};
    params->extent = (struct cudaExtent){e->width, e->rows, e->slices};
    params->kind = directions[src->device][dst->device];
    return cudaSuccess;
}

API(cudaGraphMemsetNodeGetParams, cudaGraphNode_t handle,
    struct cudaMemsetParams *params)
{
    const struct vgpu_node *node = find(NULL, handle, cudaGraphNodeTypeMemset);
    const struct vgpu_op *op = node ? node->op : NULL;

    if (!op || !params)
        return op ? cudaErrorInvalidValue : other_node(NULL, handle);
    memset(params, 0, sizeof *params);
    params->dst = op->set.dst.base;
    params->pitch = op->set.dst.pitch;
    params->value = op->set.value;
    params->elementSize = op->set.element;
    params->width = op->set.extent.width / op->set.element;
    params->height = op->set.extent.rows;
    return cudaSuccess;
}

API(cudaGraphHostNodeGetParams, cudaGraphNode_t handle,
    struct cudaHostNodeParams *params)
{
    const struct vgpu_node *node = find(NULL, handle, cudaGraphNodeTypeHost);

    if (!node || !params)
        return node ? cudaErrorInvalidValue : other_node(NULL, handle);
    params->fn = node->op->host.function;
    params->userData = node->op->host.user_data;
    return cudaSuccess;
}

/* ---- any node -------------------------------------------------------------
 */

/* The last row is that of what is no type. */
static const struct kind *kind_of(const struct cudaGraphNodeParams *p)
{
    return &kinds[p && (unsigned)p->type < cudaGraphNodeTypeCount
                      ? p->type
                      : cudaGraphNodeTypeCount];
}

/* The call that a type has for itself, made from the same place. The array of a
 * conditional node's bodies is the node's. */
API(cudaGraphAddNode, cudaGraphNode_t *node, cudaGraph_t graph,
    const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t count,
    struct cudaGraphNodeParams *p)
{
    const struct kind *kind = kind_of(p);
    const struct seat seat = {node, graph, deps, count, edges};
    const bool moved = p && p->type == cudaGraphNodeTypeGraph &&
                       p->graph.ownership != cudaGraphChildGraphOwnershipClone;
    cudaError_t error;

    if (!kind->add || moved) {
        vgpu_call_late(call, VGPU_CALL_PLAIN);
        return vgpu_call_refuse(call,
                                moved ? "a child graph is always copied here"
                                      : "not a type of node");
    }
    call->name = kind->add;
    error = vgpu_call_late(call, VGPU_CALL_CONTEXT);
    if (!error)
        error = add(call, &seat, p->type, kind->make, (char *)p + kind->params);
    if (!error && p->type == cudaGraphNodeTypeMemAlloc)
        p->alloc.dptr = vgpu_node_find(*node)->op->memory->base;
    if (!error && p->type == cudaGraphNodeTypeConditional)
        p->conditional.phGraph_out =
            (cudaGraph_t *)vgpu_node_find(*node)->inner;
    return error;
}

/* Memory nodes are as they were made, and so are conditional ones. */
static cudaError_t set_params(struct vgpu_call *call,
                              const cudaGraphExec_t *exec, cudaGraphNode_t node,
                              const struct cudaGraphNodeParams *p)
{
    const struct kind *kind = kind_of(p);
    cudaError_t error;

    if (kind->set)
        call->name = exec ? kind->set_exec : kind->set;
    error = vgpu_call_late(call, VGPU_CALL_CONTEXT);
    if (!kind->set)
        call->cost_ns = 0;
    if (error)
        return error;
    if (!kind->set)
        return p ? vgpu_because(p->type == cudaGraphNodeTypeConditional
                                    ? cudaErrorNotSupported
                                    : cudaErrorInvalidValue,
                                "a node of this type stays as it was made")
                 : cudaErrorInvalidValue;
    return change(call, exec, node, p->type, kind->make,
                  (const char *)p + kind->params);
}

API(cudaGraphNodeSetParams, cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
    return set_params(call, NULL, node, p);
}

API(cudaGraphExecNodeSetParams, cudaGraphExec_t exec, cudaGraphNode_t node,
    struct cudaGraphNodeParams *p)
{
    if (p && p->type == cudaGraphNodeTypeGraph) {
        call->name = "cudaGraphExecChildGraphNodeSetParams";
        vgpu_call_late(call, VGPU_CALL_PLAIN);
        return vgpu_do_cudaGraphExecChildGraphNodeSetParams(call, exec, node,
                                                            p->graph.graph);
    }
    return set_params(call, &exec, node, p);
}
