/*
 * capture_calls.cu: what a call that is not captured itself does to a capture
 * that is under way, in each of its modes, from the thread that began it and
 * from another one: its code, the capture's status afterwards (1: goes on, 2:
 * spoilt), what cudaStreamEndCapture returns.
 * Source: Runtime API, Stream Management, cudaStreamBeginCapture; programming
 * guide, "Prohibited and Unhandled Operations"; observed.
 */
#include "fact.h"
#include <pthread.h>

static cudaStream_t capturing, other, spare;
static cudaEvent_t event, spare_event;
static cudaGraph_t graph, spare_graph;
static cudaGraphExec_t exec, spare_exec;
static void *memory, *spare_memory, *pinned, *spare_pinned, *registered;
static void *asynchronous, *out;
static char pageable[64];
static size_t number, total;
static int integer;

static void CUDART_CB nothing(void *)
{
}

static void CUDART_CB nothing_else(cudaStream_t, cudaError_t, void *)
{
}

static cudaError_t launch(cudaStream_t stream)
{
    fact_spin<<<1, 1, 0, stream>>>(1, NULL);
    return cudaGetLastError();
}

static cudaError_t attributes(void)
{
    struct cudaFuncAttributes a;

    return cudaFuncGetAttributes(&a, (const void *)fact_spin);
}

static cudaError_t properties(void)
{
    struct cudaDeviceProp p;

    return cudaGetDeviceProperties(&p, 0);
}

static cudaError_t update(void)
{
    cudaGraphExecUpdateResultInfo info;

    return cudaGraphExecUpdate(exec, graph, &info);
}

/* Nobody destroys it again. */
template <typename handle>
static cudaError_t gone(cudaError_t (*destroy)(handle), handle *what)
{
    const cudaError_t error = *what ? destroy(*what) : cudaSuccess;

    if (!error)
        *what = NULL;
    return error;
}

/* What each call needs is made anew before it. */
static void make(void)
{
    cudaGraphNode_t node;

    MUST(cudaMalloc(&memory, 64));
    MUST(cudaMalloc(&spare_memory, 64));
    MUST(cudaMallocHost(&pinned, 64));
    MUST(cudaMallocHost(&spare_pinned, 64));
    MUST(cudaMallocAsync(&asynchronous, 64, other));
    MUST(cudaStreamCreateWithFlags(&spare, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&spare_event));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&spare_graph, 0));
    MUST(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphInstantiate(&spare_exec, graph, 0));
    registered = aligned_alloc(4096, 4096);
    memset(registered, 0, 4096);
    MUST(cudaHostRegister(registered, 4096, 0));
    MUST(cudaEventRecord(event, other));
    MUST(cudaStreamSynchronize(other));
}

/* Some of it is gone already. */
static void unmake(void)
{
    cudaDeviceSynchronize();
    cudaFree(memory);
    cudaFree(spare_memory);
    cudaFreeHost(pinned);
    cudaFreeHost(spare_pinned);
    cudaFreeAsync(asynchronous, other);
    gone(cudaStreamDestroy, &spare);
    gone(cudaEventDestroy, &event);
    gone(cudaEventDestroy, &spare_event);
    gone(cudaGraphExecDestroy, &exec);
    gone(cudaGraphExecDestroy, &spare_exec);
    gone(cudaGraphDestroy, &graph);
    gone(cudaGraphDestroy, &spare_graph);
    cudaHostUnregister(registered);
    free(registered);
    cudaGetLastError();
}

static const struct question {
    const char *name;
    cudaError_t (*call)(void);
} questions[] = {
    {"cudaMalloc", [] { return cudaMalloc(&out, 64); }},
    {"cudaMallocHost", [] { return cudaMallocHost(&out, 64); }},
    {"cudaMallocManaged", [] { return cudaMallocManaged(&out, 64); }},
    {"cudaFree", [] { return cudaFree(spare_memory); }},
    {"cudaFree_null", [] { return cudaFree(NULL); }},
    {"cudaFreeHost", [] { return cudaFreeHost(spare_pinned); }},
    {"cudaHostUnregister", [] { return cudaHostUnregister(registered); }},
    {"cudaMallocAsync_other", [] { return cudaMallocAsync(&out, 64, other); }},
    {"cudaFreeAsync_other", [] { return cudaFreeAsync(asynchronous, other); }},
    {"cudaMemcpy_to_device",
     [] { return cudaMemcpy(memory, pageable, 64, cudaMemcpyHostToDevice); }},
    {"cudaMemcpy_to_host",
     [] { return cudaMemcpy(pageable, memory, 64, cudaMemcpyDeviceToHost); }},
    {"cudaMemcpy_in_host",
     [] {
         return cudaMemcpy(pageable, pageable + 32, 32, cudaMemcpyHostToHost);
     }},
    {"cudaMemset", [] { return cudaMemset(memory, 0, 64); }},
    {"cudaMemcpyAsync_default",
     [] {
         return cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice, 0);
     }},
    {"launch_default", [] { return launch(0); }},
    {"launch_other", [] { return launch(other); }},
    {"cudaEventRecord_default", [] { return cudaEventRecord(event, 0); }},
    {"cudaEventRecord_other", [] { return cudaEventRecord(event, other); }},
    {"cudaStreamWaitEvent_default",
     [] { return cudaStreamWaitEvent(0, event, 0); }},
    {"cudaLaunchHostFunc_other",
     [] { return cudaLaunchHostFunc(other, nothing, NULL); }},
    {"cudaStreamAddCallback_other",
     [] { return cudaStreamAddCallback(other, nothing_else, NULL, 0); }},
    {"cudaStreamSynchronize_other",
     [] { return cudaStreamSynchronize(other); }},
    {"cudaStreamSynchronize_default", [] { return cudaStreamSynchronize(0); }},
    {"cudaStreamQuery_other", [] { return cudaStreamQuery(other); }},
    {"cudaStreamQuery_default", [] { return cudaStreamQuery(0); }},
    {"cudaStreamQuery_captured", [] { return cudaStreamQuery(capturing); }},
    {"cudaEventQuery", [] { return cudaEventQuery(event); }},
    {"cudaEventSynchronize", [] { return cudaEventSynchronize(event); }},
    {"cudaEventCreate", [] { return cudaEventCreate(&spare_event); }},
    {"cudaEventDestroy", [] { return gone(cudaEventDestroy, &spare_event); }},
    {"cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); }},
    {"cudaStreamCreate", [] { return cudaStreamCreate(&spare); }},
    {"cudaStreamDestroy", [] { return gone(cudaStreamDestroy, &spare); }},
    {"cudaSetDevice", [] { return cudaSetDevice(0); }},
    {"cudaGetDeviceProperties", properties},
    {"cudaMemGetInfo", [] { return cudaMemGetInfo(&number, &total); }},
    {"cudaFuncGetAttributes", attributes},
    {"cudaFuncSetCacheConfig",
     [] {
         return cudaFuncSetCacheConfig((const void *)fact_spin,
                                       cudaFuncCachePreferL1);
     }},
    {"cudaDeviceSetLimit",
     [] { return cudaDeviceSetLimit(cudaLimitStackSize, 2048); }},
    {"cudaDeviceGetLimit",
     [] { return cudaDeviceGetLimit(&number, cudaLimitStackSize); }},
    {"cudaDeviceCanAccessPeer",
     [] { return cudaDeviceCanAccessPeer(&integer, 0, 99); }},
    {"cudaGraphInstantiate",
     [] { return cudaGraphInstantiate(&spare_exec, graph, 0); }},
    {"cudaGraphUpload_other", [] { return cudaGraphUpload(exec, other); }},
    {"cudaGraphLaunch_other", [] { return cudaGraphLaunch(exec, other); }},
    {"cudaGraphLaunch_default", [] { return cudaGraphLaunch(exec, 0); }},
    {"cudaGraphExecUpdate", update},
    {"cudaGraphExecDestroy",
     [] { return gone(cudaGraphExecDestroy, &spare_exec); }},
    {"cudaGraphDestroy", [] { return gone(cudaGraphDestroy, &spare_graph); }},
    {"cudaDeviceGraphMemTrim", [] { return cudaDeviceGraphMemTrim(0); }},
};

struct answer {
    cudaError_t (*call)(void);
    cudaError_t error;
};

static void *elsewhere(void *data)
{
    struct answer *answer = (struct answer *)data;

    answer->error = answer->call();
    cudaGetLastError();
    return NULL;
}

static void ask(const struct question *q, int mode, int in_other)
{
    struct answer answer = {q->call, cudaErrorUnknown};
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t made = NULL;
    cudaError_t end;
    pthread_t thread;

    make();
    MUST(cudaStreamBeginCapture(capturing, (enum cudaStreamCaptureMode)mode));
    if (in_other) {
        pthread_create(&thread, NULL, elsewhere, &answer);
        pthread_join(thread, NULL);
    } else {
        elsewhere(&answer);
    }
    MUST(cudaStreamIsCapturing(capturing, &status));
    end = cudaStreamEndCapture(capturing, &made);
    if (made)
        cudaGraphDestroy(made);
    cudaGetLastError();
    fact("%s.mode%d.%s=%d,%d,%d", q->name, mode, in_other ? "other" : "same",
         (int)answer.error, (int)status, (int)end);
    unmake();
}

int main(void)
{
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&capturing, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (const struct question &q : questions)
        for (int mode = 0; mode < 3; mode++)
            for (int in_other = 0; in_other < 2; in_other++)
                ask(&q, mode, in_other);
    return 0;
}
