/*
 * kernel_node_attributes.cu: a kernel node's attributes are asked for, set, and
 * copied from node to node.
 * Source: Runtime API, cudaGraphKernelNodeSetAttribute,
 * cudaGraphKernelNodeCopyAttributes.
 */
#include "fact.h"

static cudaGraphNode_t kernel_node(cudaGraph_t graph)
{
    int *place = NULL, value = 0;
    void *arguments[] = {&place, &value};
    cudaKernelNodeParams params = {};
    cudaGraphNode_t node;

    params.func = (void *)fact_store;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    return node;
}

static int priority(cudaGraphNode_t node)
{
    cudaLaunchAttributeValue value;

    memset(&value, 0, sizeof value);
    MUST(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority,
                                         &value));
    return value.priority;
}

static void get(const char *key, cudaGraphNode_t node, cudaLaunchAttributeID id)
{
    cudaLaunchAttributeValue value;

    memset(&value, 0, sizeof value);
    fact("%s.get=%s", key,
         cudaGetErrorName(cudaGraphKernelNodeGetAttribute(node, id, &value)));
    cudaGetLastError();
}

static void set(const char *key, cudaGraphNode_t node, cudaLaunchAttributeID id,
                int to)
{
    cudaLaunchAttributeValue value;

    memset(&value, 0, sizeof value);
    value.priority = to; /* a union's first four bytes, of each of them */
    fact("%s.set_%d=%s", key, to,
         cudaGetErrorName(cudaGraphKernelNodeSetAttribute(node, id, &value)));
    cudaGetLastError();
}

static void window(cudaGraphNode_t node)
{
    cudaLaunchAttributeValue value;
    int *memory;

    MUST(cudaMalloc((void **)&memory, 4096));
    memset(&value, 0, sizeof value);
    value.accessPolicyWindow.base_ptr = memory;
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitRatio = 1.0f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    fact_error("window.set",
               cudaGraphKernelNodeSetAttribute(
                   node, cudaLaunchAttributeAccessPolicyWindow, &value));
    memset(&value, 0, sizeof value);
    MUST(cudaGraphKernelNodeGetAttribute(
        node, cudaLaunchAttributeAccessPolicyWindow, &value));
    fact_int("window.num_bytes", (long long)value.accessPolicyWindow.num_bytes);
    fact_yes("window.same_base", value.accessPolicyWindow.base_ptr == memory);
}

static void all(void)
{
    cudaGraph_t graph, clone;
    cudaGraphNode_t a, b, found;
    int least, greatest;

    fact_warm_up();
    MUST(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    MUST(cudaGraphCreate(&graph, 0));
    a = kernel_node(graph);
    b = kernel_node(graph);
    fact_int("priority.first", priority(a));
    set("priority", a, cudaLaunchAttributePriority, greatest);
    fact_int("priority.then", priority(a) - greatest);
    set("priority", a, cudaLaunchAttributePriority, -100);
    fact_int("priority.clamped", priority(a) - greatest);
    set("priority", a, cudaLaunchAttributePriority, 7);
    fact_int("priority.after_7", priority(a));
    set("priority", a, cudaLaunchAttributePriority, -2);
    fact_error("copy", cudaGraphKernelNodeCopyAttributes(b, a));
    fact_int("priority.copied", priority(b));
    fact_error("copy_to_itself", cudaGraphKernelNodeCopyAttributes(b, b));
    cudaGetLastError();
    MUST(cudaGraphClone(&clone, graph));
    MUST(cudaGraphNodeFindInClone(&found, a, clone));
    fact_int("priority.cloned", priority(found));
    get("cooperative", a, cudaLaunchAttributeCooperative);
    set("cooperative", a, cudaLaunchAttributeCooperative, 1);
    get("window", a, cudaLaunchAttributeAccessPolicyWindow);
    window(a);
    get("policy", a, cudaLaunchAttributeSynchronizationPolicy);
    set("policy", a, cudaLaunchAttributeSynchronizationPolicy, 1);
    get("ignore", a, cudaLaunchAttributeIgnore);
    set("ignore", a, cudaLaunchAttributeIgnore, 0);
    get("99", a, (cudaLaunchAttributeID)99);
}

static void other_nodes(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t kernel, empty;

    fact_warm_up();
    MUST(cudaGraphCreate(&graph, 0));
    kernel = kernel_node(graph);
    MUST(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    get("empty_node", empty, cudaLaunchAttributePriority);
    set("empty_node", empty, cudaLaunchAttributePriority, 0);
    fact_error("empty_node.copy",
               cudaGraphKernelNodeCopyAttributes(kernel, empty));
    cudaGetLastError();
}

static void null_node(void)
{
    cudaLaunchAttributeValue value;

    fact_warm_up();
    fact_error("null_node.get", cudaGraphKernelNodeGetAttribute(
                                    NULL, cudaLaunchAttributePriority, &value));
}

int main(void)
{
    fact_in_child("all", all);
    fact_in_child("other_nodes", other_nodes);
    fact_in_child("null_node", null_node);
    return 0;
}
