/*
 * graph_update_results.cu: what an update of an executable graph may change,
 * and which result and which node it names where it may not: the code, the
 * result, the number of the node that it names in the new graph (-1: none).
 * Source: Runtime API, Graph Management, cudaGraphExecUpdate; observed.
 */
#include "fact.h"

static char *device, *second, *pinned, *pageable;

static cudaGraph_t fresh(void)
{
    cudaGraph_t graph;

    MUST(cudaGraphCreate(&graph, 0));
    return graph;
}

static cudaGraph_t copies(void *dst, const void *src, size_t bytes)
{
    cudaGraph_t graph = fresh();
    cudaGraphNode_t node;

    MUST(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, dst, src, bytes,
                                  cudaMemcpyDefault));
    return graph;
}

static cudaGraph_t rows(char *dst, size_t pitch, size_t width, size_t height)
{
    struct cudaMemcpy3DParms p = {};
    cudaGraph_t graph = fresh();
    cudaGraphNode_t node;

    p.dstPtr = make_cudaPitchedPtr(dst, pitch, width, height);
    p.srcPtr = make_cudaPitchedPtr(pinned, pitch, width, height);
    p.extent = make_cudaExtent(width, height, 1);
    p.kind = cudaMemcpyHostToDevice;
    MUST(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
    return graph;
}

static cudaGraph_t sets(void *dst, unsigned element, size_t width,
                        size_t height, size_t pitch)
{
    struct cudaMemsetParams p = {dst, pitch, 1, element, width, height};
    cudaGraph_t graph = fresh();
    cudaGraphNode_t node;

    MUST(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &p));
    return graph;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *after,
                              size_t count)
{
    struct cudaKernelNodeParams p = {};
    cudaGraphNode_t node;
    int *place = NULL, value = 0;
    void *args[] = {&place, &value};

    place = (int *)device;
    p.func = (void *)fact_store;
    p.gridDim = dim3(1);
    p.blockDim = dim3(1);
    p.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&node, graph, after, count, &p));
    return node;
}

/* @count kernels in a row, the last one without an edge if @loose, or an empty
 * node instead of it. */
static cudaGraph_t chain(int count, int loose, int empty)
{
    cudaGraph_t graph = fresh();
    cudaGraphNode_t last = NULL;

    for (int i = 0; i < count; i++) {
        const size_t before = i > 0 && !(loose && i == count - 1);

        if (empty && i == count - 1)
            MUST(cudaGraphAddEmptyNode(&last, graph, &last, before));
        else
            last = kernel(graph, &last, before);
    }
    return graph;
}

static cudaGraph_t child(cudaGraph_t inner)
{
    cudaGraph_t graph = fresh();
    cudaGraphNode_t node;

    MUST(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, inner));
    return graph;
}

static void ask(const char *name, cudaGraph_t from, cudaGraph_t to)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaGraphNode_t nodes[8];
    size_t count = 8;
    cudaGraphExec_t exec;
    cudaError_t error;
    int at = -1;

    MUST(cudaGraphInstantiate(&exec, from, 0));
    error = cudaGraphExecUpdate(exec, to, &info);
    cudaGetLastError();
    MUST(cudaGraphGetNodes(to, nodes, &count));
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == info.errorNode)
            at = (int)i;
    fact("%s=%d,%d,%d,%s", name, (int)error, (int)info.result, at,
         info.errorFromNode ? "from" : "none");
    MUST(cudaGraphExecDestroy(exec));
}

static void shapes(void)
{
    ask("same", chain(2, 0, 0), chain(2, 0, 0));
    ask("more_nodes", chain(2, 0, 0), chain(3, 0, 0));
    ask("fewer_nodes", chain(3, 0, 0), chain(2, 0, 0));
    ask("edge_missing", chain(2, 0, 0), chain(2, 1, 0));
    ask("edge_more", chain(2, 1, 0), chain(2, 0, 0));
    ask("type", chain(2, 0, 0), chain(2, 0, 1));
    ask("type_back", chain(2, 0, 1), chain(2, 0, 0));
    ask("type_and_edge", chain(2, 0, 0), chain(2, 1, 1));
    ask("copy_for_memset", sets(device, 1, 16, 1, 0),
        copies(device, pinned, 16));
    ask("child_same", child(chain(2, 0, 0)), child(chain(2, 0, 0)));
    ask("child_edge_missing", child(chain(2, 0, 0)), child(chain(2, 1, 0)));
    ask("child_more_nodes", child(chain(2, 0, 0)), child(chain(3, 0, 0)));
    ask("child_type", child(chain(2, 0, 0)), child(chain(2, 0, 1)));
    ask("empty", fresh(), fresh());
}

static void memory(void)
{
    ask("copy_addresses", copies(device, pinned, 16),
        copies(second, pinned + 64, 16));
    ask("copy_bytes", copies(device, pinned, 16), copies(device, pinned, 64));
    ask("copy_direction", copies(device, pinned, 16),
        copies(pinned, device, 16));
    ask("copy_from_pageable", copies(device, pinned, 16),
        copies(device, pageable, 16));
    ask("copy_from_pinned", copies(device, pageable, 16),
        copies(device, pinned, 16));
    ask("copy_to_pageable", copies(pinned, device, 16),
        copies(pageable, device, 16));
    ask("copy_in_device", copies(device, pinned, 16),
        copies(device, second, 16));
    ask("copy_rows_for_one", copies(device, pinned, 16),
        rows(device, 32, 16, 4));
    ask("copy_one_for_rows", rows(device, 32, 16, 4),
        copies(device, pinned, 16));
    ask("copy_rows_same", rows(device, 32, 16, 4), rows(device, 32, 16, 4));
    ask("copy_rows_address", rows(device, 32, 16, 4), rows(second, 32, 16, 4));
    ask("copy_rows_pitch", rows(device, 32, 16, 4), rows(device, 64, 16, 4));
    ask("copy_rows_fewer", rows(device, 32, 16, 4), rows(device, 32, 16, 2));
    ask("copy_rows_narrower", rows(device, 32, 16, 4), rows(device, 32, 8, 4));
    ask("set_address", sets(device, 1, 16, 1, 0), sets(second, 1, 16, 1, 0));
    ask("set_element", sets(device, 1, 16, 1, 0), sets(device, 4, 8, 1, 0));
    ask("set_pinned", sets(device, 1, 16, 1, 0), sets(pinned, 1, 16, 1, 0));
    ask("set_rows_for_one", sets(device, 1, 16, 1, 0),
        sets(device, 1, 16, 4, 32));
    ask("set_one_for_rows", sets(device, 1, 16, 4, 32),
        sets(device, 1, 16, 1, 0));
    ask("set_rows_same", sets(device, 1, 16, 4, 32),
        sets(second, 1, 16, 4, 32));
    ask("set_rows_pitch", sets(device, 1, 16, 4, 32),
        sets(device, 1, 16, 4, 64));
    ask("set_rows_fewer", sets(device, 1, 16, 4, 32),
        sets(device, 1, 16, 2, 32));
    ask("set_rows_narrower", sets(device, 1, 16, 4, 32),
        sets(device, 1, 8, 4, 32));
    ask("set_rows_element", sets(device, 1, 16, 4, 32),
        sets(device, 4, 4, 4, 32));
}

int main(void)
{
    fact_warm_up();
    MUST(cudaMalloc((void **)&device, 4096));
    MUST(cudaMalloc((void **)&second, 4096));
    MUST(cudaMallocHost((void **)&pinned, 4096));
    pageable = (char *)calloc(1, 4096);
    shapes();
    memory();
    free(pageable);
    return 0;
}
