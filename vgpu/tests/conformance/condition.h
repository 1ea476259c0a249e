/*
 * condition.h: nodes for the programs about conditional nodes
 */
#ifndef CONDITION_H
#define CONDITION_H

#include "fact.h"

/* Sets a condition to a value of memory, by one thread. */
static __global__ void set_from(cudaGraphConditionalHandle handle,
                                const int *value)
{
    cudaGraphSetConditional(handle, (unsigned)*value);
}

static __global__ void add(int *to, int amount)
{
    *to += amount;
}

/* One less; goes on while anything is left. */
static __global__ void count_down(int *left, cudaGraphConditionalHandle handle)
{
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

static inline cudaGraphNode_t kernel_node(cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          void *function, void **arguments)
{
    struct cudaGraphNodeParams params = {};
    cudaGraphNode_t node;

    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = function;
    params.kernel.gridDim = params.kernel.blockDim = dim3(1, 1, 1);
    params.kernel.kernelParams = arguments;
    MUST(cudaGraphAddNode(&node, graph, after, NULL, after ? 1 : 0, &params));
    return node;
}

static inline cudaGraphNode_t
add_node(cudaGraph_t graph, const cudaGraphNode_t *after, int *to, int amount)
{
    void *arguments[] = {&to, &amount};

    return kernel_node(graph, after, (void *)add, arguments);
}

static inline cudaGraphNode_t set_node(cudaGraph_t graph,
                                       const cudaGraphNode_t *after,
                                       cudaGraphConditionalHandle handle,
                                       const int *value)
{
    void *arguments[] = {&handle, &value};

    return kernel_node(graph, after, (void *)set_from, arguments);
}

static inline cudaGraphNode_t count_down_node(cudaGraph_t graph,
                                              const cudaGraphNode_t *after,
                                              int *left,
                                              cudaGraphConditionalHandle handle)
{
    void *arguments[] = {&left, &handle};

    return kernel_node(graph, after, (void *)count_down, arguments);
}

/* @bodies: out, @size graphs. */
static inline cudaError_t
try_conditional(cudaGraphNode_t *node, cudaGraph_t graph,
                const cudaGraphNode_t *after, cudaGraphConditionalHandle handle,
                enum cudaGraphConditionalNodeType type, unsigned size,
                cudaGraph_t **bodies)
{
    struct cudaGraphNodeParams params = {};
    cudaError_t error;

    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    error = cudaGraphAddNode(node, graph, after, NULL, after ? 1 : 0, &params);
    *bodies = params.conditional.phGraph_out;
    return error;
}

static inline cudaGraphNode_t
conditional_node(cudaGraph_t graph, const cudaGraphNode_t *after,
                 cudaGraphConditionalHandle handle,
                 enum cudaGraphConditionalNodeType type, unsigned size,
                 cudaGraph_t **bodies)
{
    cudaGraphNode_t node;

    MUST(try_conditional(&node, graph, after, handle, type, size, bodies));
    return node;
}

static inline int read_int(const int *device)
{
    int value;

    MUST(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static inline void write_int(int *device, int value)
{
    MUST(cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice));
}

#endif
