/*
 * implicit_sync_more.cu: which further calls keep the host waiting for a kernel
 * in a non-blocking stream (N), a blocking one (B), or for a host function.
 * Source: observed; programming guide, "Implicit Synchronization".
 */
#include "fact.h"

enum { SIZE = 64 << 10 };

static cudaStream_t n, b, idle;
static char *memory, *pinned, *pageable;

static void copies(const char *where, cudaStream_t busy)
{
    char key[64];

#define COPY(name, ...)                                                        \
    snprintf(key, sizeof key, "%s.%s_busy", name, where);                      \
    FACT_WAITS(key, busy, __VA_ARGS__)
    COPY("cudaMemcpy_device_to_device",
         cudaMemcpy(memory, memory + SIZE, SIZE, cudaMemcpyDeviceToDevice));
    COPY("cudaMemcpy_pinned_to_device",
         cudaMemcpy(memory, pinned, SIZE, cudaMemcpyHostToDevice));
    COPY("cudaMemcpy_pageable_to_device",
         cudaMemcpy(memory, pageable, 64, cudaMemcpyHostToDevice));
    COPY("cudaMemcpy_to_pinned",
         cudaMemcpy(pinned, memory, SIZE, cudaMemcpyDeviceToHost));
    COPY("cudaMemcpy_in_host",
         cudaMemcpy(pageable, pageable + 64, 64, cudaMemcpyHostToHost));
    COPY("cudaMemcpy_nothing",
         cudaMemcpy(memory, pageable, 0, cudaMemcpyHostToDevice));
    COPY("cudaMemset", cudaMemset(memory, 0, SIZE));
    COPY("cudaMemset_pinned", cudaMemset(pinned, 0, 64));
    COPY("cudaMemcpy2D_device_to_device",
         cudaMemcpy2D(memory, 64, memory + SIZE, 64, 64, 4,
                      cudaMemcpyDeviceToDevice));
}

static void limits(const char *where, cudaStream_t busy)
{
    static size_t more;
    char key[64];

    more++;
    COPY("stack_size", cudaDeviceSetLimit(cudaLimitStackSize, 2048 * more));
    COPY("stack_size_again",
         cudaDeviceSetLimit(cudaLimitStackSize, 2048 * more));
    COPY("heap_size", cudaDeviceSetLimit(cudaLimitMallocHeapSize, more << 24));
    COPY("printf_size",
         cudaDeviceSetLimit(cudaLimitPrintfFifoSize, more << 23));
    COPY("cudaFuncSetCacheConfig",
         cudaFuncSetCacheConfig((const void *)fact_spin,
                                cudaFuncCachePreferShared));
    COPY("cudaDeviceSetCacheConfig",
         cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    COPY("cudaSetDeviceFlags", cudaSetDeviceFlags(0));
    COPY("cudaCtxResetPersistingL2Cache", cudaCtxResetPersistingL2Cache());
}

static void graphs(const char *where, cudaStream_t busy)
{
    cudaGraphExec_t exec = NULL;
    cudaGraphNode_t node;
    cudaGraph_t graph;
    char key[64];

    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    COPY("cudaGraphInstantiate", cudaGraphInstantiate(&exec, graph, 0));
    COPY("cudaGraphUpload", cudaGraphUpload(exec, idle));
    COPY("cudaGraphLaunch", cudaGraphLaunch(exec, idle));
    COPY("cudaGraphExecDestroy", cudaGraphExecDestroy(exec));
    COPY("cudaDeviceGraphMemTrim", cudaDeviceGraphMemTrim(0));
    MUST(cudaGraphDestroy(graph));
}

static void pools(const char *where, cudaStream_t busy)
{
    cudaMemPoolProps props = {};
    cudaMemPool_t own, pool;
    void *taken = NULL;
    char key[64];

    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    COPY("cudaMallocAsync", cudaMallocAsync(&taken, 48 << 20, idle));
    COPY("cudaFreeAsync", cudaFreeAsync(taken, idle));
    COPY("cudaMemPoolTrimTo", cudaMemPoolTrimTo(pool, 0));
    COPY("cudaMemPoolCreate", cudaMemPoolCreate(&own, &props));
    COPY("cudaMemPoolDestroy", cudaMemPoolDestroy(own));
}

static void CUDART_CB sleep_long(void *)
{
    usleep(FACT_SLOW_MS * 1000);
}

/* Behind a host function instead of a kernel. */
static void behind(const char *name, cudaError_t (*call)(void))
{
    cudaError_t error;

    MUST(cudaDeviceSynchronize());
    MUST(cudaLaunchHostFunc(n, sleep_long, NULL));
    error = call();
    fact("%s.function=%d,%s", name, (int)error,
         cudaStreamQuery(n) == cudaErrorNotReady ? "no" : "yes");
    cudaGetLastError();
}

static void *made;

static void functions(void)
{
    behind("cudaMalloc", [] { return cudaMalloc(&made, 16 << 20); });
    behind("cudaFree", [] { return cudaFree(made); });
    behind("cudaMallocHost", [] { return cudaMallocHost(&made, 64); });
    behind("cudaFreeHost", [] { return cudaFreeHost(made); });
    behind("cudaMemset", [] { return cudaMemset(memory, 0, 64); });
    behind("cudaStreamDestroy", [] { return cudaStreamDestroy(idle); });
    behind("cudaStreamCreate", [] {
        return cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking);
    });
}

int main(void)
{
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    MUST(cudaStreamCreate(&b));
    MUST(cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking));
    MUST(cudaMalloc((void **)&memory, 2 * SIZE));
    MUST(cudaMallocHost((void **)&pinned, SIZE));
    pageable = (char *)calloc(1, SIZE);
    copies("N", n);
    copies("B", b);
    limits("N", n);
    graphs("N", n);
    graphs("B", b);
    pools("N", n);
    functions();
    free(pageable);
    return 0;
}
