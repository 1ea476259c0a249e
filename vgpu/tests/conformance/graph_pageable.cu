/*
 * graph_pageable.cu: the launch of a graph that copies to pageable host memory
 * holds the host, that of one with other copies does not; and when a graph's
 * copy reads pageable memory.
 * Source: observed.
 */
#include "fact.h"

static cudaStream_t stream;
static char *device, *pinned, *pageable;

static cudaGraphNode_t slow_node(cudaGraph_t graph)
{
    unsigned long long rounds = fact_rounds_per_ms() * FACT_SLOW_MS;
    struct cudaKernelNodeParams p = {};
    unsigned long long *sink = NULL;
    void *args[] = {&rounds, &sink};
    cudaGraphNode_t node;

    p.func = (void *)fact_spin;
    p.gridDim = dim3(1);
    p.blockDim = dim3(1);
    p.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
    return node;
}

enum place { BEHIND, BEFORE_IT, AFTER_IT };

/* A copy and a slow kernel: behind the kernel in the stream, or in one graph
 * with it. */
static void ask(const char *name, void *dst, const void *src, size_t bytes,
                enum place place)
{
    static const char *const names[] = {"kernel_before_the_graph",
                                        "kernel_before_it", "kernel_after_it"};
    cudaGraphNode_t copy, kernel = NULL;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaError_t error;

    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, dst, src, bytes,
                                  cudaMemcpyDefault));
    if (place != BEHIND)
        kernel = slow_node(graph);
    if (place == BEFORE_IT)
        MUST(cudaGraphAddDependencies(graph, &kernel, &copy, NULL, 1));
    if (place == AFTER_IT)
        MUST(cudaGraphAddDependencies(graph, &copy, &kernel, NULL, 1));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphUpload(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    if (place == BEHIND)
        fact_slow(stream);
    error = cudaGraphLaunch(exec, stream);
    fact("%s.%s=%d,%s", name, names[place], (int)error,
         cudaStreamQuery(stream) == cudaErrorNotReady ? "runs" : "over");
    cudaGetLastError();
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

static void each(enum place place)
{
    ask("to_pageable", pageable, device, 64, place);
    ask("to_pageable_256K", pageable, device, 256 << 10, place);
    ask("to_pinned", pinned, device, 64, place);
    ask("from_pageable", device, pageable, 64, place);
    ask("from_pageable_256K", device, pageable, 256 << 10, place);
    ask("from_pinned", device, pinned, 64, place);
}

static void source(size_t bytes)
{
    cudaGraphExec_t exec;
    cudaGraphNode_t copy;
    cudaGraph_t graph;
    char value = 0;

    pageable[0] = 1;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, device, pageable,
                                  bytes, cudaMemcpyHostToDevice));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    fact_slow(stream);
    MUST(cudaGraphLaunch(exec, stream));
    pageable[0] = 2;
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(&value, device, 1, cudaMemcpyDeviceToHost));
    fact("source_of_%zu.read=%s", bytes,
         value == 1 ? "at the launch" : "in its turn");
}

static void captured(void)
{
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fact_error(
        "captured.copy",
        cudaMemcpyAsync(pageable, device, 64, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    fact_slow(stream);
    MUST(cudaGraphLaunch(exec, stream));
    fact_yes("captured.launch_waits",
             cudaStreamQuery(stream) != cudaErrorNotReady);
    MUST(cudaStreamSynchronize(stream));
}

int main(void)
{
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaMalloc((void **)&device, 1 << 20));
    MUST(cudaMemset(device, 3, 1 << 20));
    MUST(cudaMallocHost((void **)&pinned, 1 << 20));
    pageable = (char *)calloc(1, 1 << 20);
    MUST(cudaDeviceSynchronize());
    each(BEHIND);
    each(BEFORE_IT);
    each(AFTER_IT);
    source(64);
    source(256 << 10);
    captured();
    return 0;
}
