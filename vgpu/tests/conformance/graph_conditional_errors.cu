/*
 * graph_conditional_errors.cu: what a conditional node and its handle must be,
 * what may be in a body and who says that it may not: the call that adds it, or
 * cudaGraphInstantiate. What may crash runs in processes of its own.
 * Source: programming guide, "Conditional Graph Nodes"; Runtime API,
 * cudaGraphConditionalHandleCreate, cudaConditionalNodeParams.
 */
#include "condition.h"

static cudaGraph_t graph, *bodies;
static cudaGraphConditionalHandle handle;
static cudaGraphNode_t node;
static int *memory;

static void prepare(void)
{
    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, 64));
    MUST(cudaMemset(memory, 0, 64));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphConditionalHandleCreate(&handle, graph, 1,
                                          cudaGraphCondAssignDefault));
}

static void instantiate(const char *key)
{
    cudaGraphInstantiateParams params;
    cudaGraphExec_t exec;

    memset(&params, 0, sizeof params);
    fact("%s.instantiate=%s", key,
         cudaGetErrorName(cudaGraphInstantiate(&exec, graph, 0)));
    cudaGetLastError();
    cudaGraphInstantiateWithParams(&exec, graph, &params);
    fact("%s.result=%d", key, (int)params.result_out);
    cudaGetLastError();
}

static void handles(void)
{
    cudaGraphConditionalHandle made;

    prepare();
    fact_error("handle.null_graph",
               cudaGraphConditionalHandleCreate(&made, NULL, 0, 0));
    fact_error("handle.flags_2",
               cudaGraphConditionalHandleCreate(&made, graph, 0, 2));
    fact_last("handle.latched");
    fact_error("handle.default_without_flag",
               cudaGraphConditionalHandleCreate(&made, graph, 5, 0));
}

static void null_handle(void)
{
    prepare();
    fact_error("null_handle.error",
               cudaGraphConditionalHandleCreate(NULL, graph, 0, 0));
}

static void unused(void)
{
    prepare();
    add_node(graph, NULL, memory, 1);
    instantiate("unused_handle");
}

static void one_size(const char *key, enum cudaGraphConditionalNodeType type,
                     unsigned size)
{
    cudaGraphConditionalHandle own;

    MUST(cudaGraphConditionalHandleCreate(&own, graph, 0, 0));
    fact("%s.size_%u=%s", key, size,
         cudaGetErrorName(
             try_conditional(&node, graph, NULL, own, type, size, &bodies)));
    cudaGetLastError();
}

static void sizes(void)
{
    prepare();
    one_size("if", cudaGraphCondTypeIf, 0);
    one_size("if", cudaGraphCondTypeIf, 1);
    one_size("if", cudaGraphCondTypeIf, 2);
    one_size("if", cudaGraphCondTypeIf, 3);
    one_size("while", cudaGraphCondTypeWhile, 0);
    one_size("while", cudaGraphCondTypeWhile, 1);
    one_size("while", cudaGraphCondTypeWhile, 2);
    one_size("switch", cudaGraphCondTypeSwitch, 0);
    one_size("switch", cudaGraphCondTypeSwitch, 1);
    one_size("switch", cudaGraphCondTypeSwitch, 9);
    one_size("type_7", (enum cudaGraphConditionalNodeType)7, 1);
}

static void same_handle(void)
{
    prepare();
    fact_error("same_handle.first",
               try_conditional(&node, graph, NULL, handle, cudaGraphCondTypeIf,
                               1, &bodies));
    fact_error("same_handle.second",
               try_conditional(&node, graph, NULL, handle, cudaGraphCondTypeIf,
                               1, &bodies));
}

static void strange_handle(void)
{
    cudaGraph_t other;

    prepare();
    MUST(cudaGraphCreate(&other, 0));
    fact_error("other_graphs_handle.add",
               try_conditional(&node, other, NULL, handle, cudaGraphCondTypeIf,
                               1, &bodies));
}

static void zero_handle(void)
{
    prepare();
    fact_error("zero_handle.add",
               try_conditional(&node, graph, NULL, 0, cudaGraphCondTypeIf, 1,
                               &bodies));
}

/* The outer graph's handle in a node of a body: "or one of its children". */
static void handle_of_the_outer(void)
{
    cudaGraphConditionalHandle outer;
    cudaGraph_t *inner;

    prepare();
    MUST(cudaGraphConditionalHandleCreate(&outer, graph, 1,
                                          cudaGraphCondAssignDefault));
    node =
        conditional_node(graph, NULL, handle, cudaGraphCondTypeIf, 1, &bodies);
    fact_error("outer_handle.add",
               try_conditional(&node, bodies[0], NULL, outer,
                               cudaGraphCondTypeIf, 1, &inner));
    instantiate("outer_handle");
}

/* What a body may hold. */
static void in_body(const char *key, cudaError_t error)
{
    fact("%s.add=%s", key, cudaGetErrorName(error));
    cudaGetLastError();
    instantiate(key);
}

static void begin_body(void)
{
    prepare();
    node =
        conditional_node(graph, NULL, handle, cudaGraphCondTypeIf, 1, &bodies);
}

static void body_empty(void)
{
    begin_body();
    instantiate("empty_body");
}

static void does_nothing(void *arg)
{
    (void)arg;
}

static void body_host(void)
{
    cudaHostNodeParams params = {does_nothing, NULL};

    begin_body();
    in_body("host_function",
            cudaGraphAddHostNode(&node, bodies[0], NULL, 0, &params));
}

static void body_event(void)
{
    cudaEvent_t event;

    begin_body();
    MUST(cudaEventCreate(&event));
    in_body("event_record",
            cudaGraphAddEventRecordNode(&node, bodies[0], NULL, 0, event));
}

static void body_event_wait(void)
{
    cudaEvent_t event;

    begin_body();
    MUST(cudaEventCreate(&event));
    in_body("event_wait",
            cudaGraphAddEventWaitNode(&node, bodies[0], NULL, 0, event));
}

static void body_alloc(void)
{
    struct cudaMemAllocNodeParams params;

    begin_body();
    memset(&params, 0, sizeof params);
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = 1024;
    in_body("alloc",
            cudaGraphAddMemAllocNode(&node, bodies[0], NULL, 0, &params));
}

static void body_child_with_host(void)
{
    cudaHostNodeParams params = {does_nothing, NULL};
    cudaGraph_t child;

    begin_body();
    MUST(cudaGraphCreate(&child, 0));
    MUST(cudaGraphAddHostNode(&node, child, NULL, 0, &params));
    in_body("child_with_host",
            cudaGraphAddChildGraphNode(&node, bodies[0], NULL, 0, child));
}

static void copy_from(const char *key, const void *host, size_t bytes)
{
    begin_body();
    in_body(key, cudaGraphAddMemcpyNode1D(&node, bodies[0], NULL, 0, memory,
                                          host, bytes, cudaMemcpyDefault));
}

static void body_copy_pageable(void)
{
    static int host[4];

    copy_from("copy_pageable", host, sizeof host);
}

static void body_copy_pinned(void)
{
    int *host;

    MUST(cudaMallocHost((void **)&host, 64));
    memset(host, 0, 64);
    copy_from("copy_pinned", host, 16);
}

static void body_copy_device(void)
{
    begin_body();
    in_body("copy_device",
            cudaGraphAddMemcpyNode1D(&node, bodies[0], NULL, 0, memory,
                                     memory + 8, 16, cudaMemcpyDefault));
}

static void bodies_belong_to_the_node(void)
{
    begin_body();
    fact_error("body.destroy", cudaGraphDestroy(bodies[0]));
    cudaGetLastError();
    fact_error("node.destroy", cudaGraphDestroyNode(node));
}

/* A body is a child of the graph: copies of the graph have copies of it. */
static void copies(void)
{
    cudaGraph_t clone = NULL, outer;
    cudaGraphNode_t added;
    size_t count = 0;

    begin_body();
    add_node(bodies[0], NULL, memory, 1);
    MUST(cudaGraphCreate(&outer, 0));
    fact_error("as_child.add",
               cudaGraphAddChildGraphNode(&added, outer, NULL, 0, graph));
    cudaGetLastError();
    fact_error("clone", cudaGraphClone(&clone, graph));
    if (clone)
        cudaGraphGetNodes(clone, NULL, &count);
    fact_int("clone.nodes", (long long)count);
}

static void updates(void)
{
    cudaGraphConditionalHandle second;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphExec_t exec;
    cudaGraph_t other, *others;

    begin_body();
    add_node(bodies[0], NULL, memory, 1);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphCreate(&other, 0));
    MUST(cudaGraphConditionalHandleCreate(&second, other, 1,
                                          cudaGraphCondAssignDefault));
    conditional_node(other, NULL, second, cudaGraphCondTypeIf, 1, &others);
    add_node(others[0], NULL, memory, 10);
    memset(&info, 0, sizeof info);
    fact_error("update.body", cudaGraphExecUpdate(exec, other, &info));
    fact_int("update.body.result", info.result);
    cudaGetLastError();
    fact_error("update.launch", cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    fact_int("update.counted", read_int(memory));
    add_node(others[0], NULL, memory, 100);
    memset(&info, 0, sizeof info);
    fact_error("update.longer", cudaGraphExecUpdate(exec, other, &info));
    fact_int("update.longer.result", info.result);
}

static void set_params(void)
{
    struct cudaGraphNodeParams params = {};

    begin_body();
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    fact_error("set_params", cudaGraphNodeSetParams(node, &params));
}

int main(void)
{
    fact_in_child("handles", handles);
    fact_in_child("null_handle", null_handle);
    fact_in_child("unused", unused);
    fact_in_child("sizes", sizes);
    fact_in_child("same_handle", same_handle);
    fact_in_child("strange_handle", strange_handle);
    fact_in_child("zero_handle", zero_handle);
    fact_in_child("outer_handle", handle_of_the_outer);
    fact_in_child("body_empty", body_empty);
    fact_in_child("body_host", body_host);
    fact_in_child("body_event", body_event);
    fact_in_child("body_event_wait", body_event_wait);
    fact_in_child("body_alloc", body_alloc);
    fact_in_child("body_child_with_host", body_child_with_host);
    fact_in_child("body_copy_pageable", body_copy_pageable);
    fact_in_child("body_copy_pinned", body_copy_pinned);
    fact_in_child("body_copy_device", body_copy_device);
    fact_in_child("bodies_belong", bodies_belong_to_the_node);
    fact_in_child("copies", copies);
    fact_in_child("updates", updates);
    fact_in_child("set_params", set_params);
    return 0;
}
