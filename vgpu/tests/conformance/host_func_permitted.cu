/*
 * host_func_permitted.cu: what each call returns within a host function, and
 * within a callback: most are not permitted (800), also those that ask for
 * nothing but a number.
 * Source: Runtime API, Execution Control, cudaLaunchHostFunc; observed.
 */
#include "fact.h"

static cudaStream_t stream, other;
static cudaEvent_t event;
static cudaGraph_t graph;
static cudaGraphExec_t exec;
static cudaMemPool_t pool;
static void *memory, *pinned, *out;
static char pageable[64];
static size_t number, total;
static unsigned unsigned_integer;
static int integer;
static float ms;

static void CUDART_CB nothing(void *)
{
}

static cudaError_t launch(cudaStream_t where)
{
    fact_spin<<<1, 1, 0, where>>>(1, NULL);
    return cudaGetLastError();
}

static cudaError_t pointer(void)
{
    struct cudaPointerAttributes a;

    return cudaPointerGetAttributes(&a, memory);
}

static cudaError_t properties(void)
{
    struct cudaDeviceProp p;

    return cudaGetDeviceProperties(&p, 0);
}

static cudaError_t attributes(void)
{
    struct cudaFuncAttributes a;

    return cudaFuncGetAttributes(&a, (const void *)fact_spin);
}

static cudaError_t capturing(void)
{
    enum cudaStreamCaptureStatus status;

    return cudaStreamIsCapturing(stream, &status);
}

static cudaError_t exchange(void)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;

    return cudaThreadExchangeStreamCaptureMode(&mode);
}

static cudaError_t threshold(void)
{
    unsigned long long bytes;

    return cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                                   &bytes);
}

static const struct question {
    const char *name;
    cudaError_t (*call)(void);
} questions[] = {
    {"cudaPeekAtLastError", [] { return cudaPeekAtLastError(); }},
    {"cudaGetDeviceCount", [] { return cudaGetDeviceCount(&integer); }},
    {"cudaGetDeviceCount_null", [] { return cudaGetDeviceCount(NULL); }},
    {"cudaGetDevice", [] { return cudaGetDevice(&integer); }},
    {"cudaSetDevice", [] { return cudaSetDevice(0); }},
    {"cudaDriverGetVersion", [] { return cudaDriverGetVersion(&integer); }},
    {"cudaRuntimeGetVersion", [] { return cudaRuntimeGetVersion(&integer); }},
    {"cudaGetDeviceProperties", properties},
    {"cudaDeviceGetAttribute",
     [] { return cudaDeviceGetAttribute(&integer, cudaDevAttrWarpSize, 0); }},
    {"cudaDeviceGetLimit",
     [] { return cudaDeviceGetLimit(&number, cudaLimitStackSize); }},
    {"cudaDeviceCanAccessPeer",
     [] { return cudaDeviceCanAccessPeer(&integer, 0, 99); }},
    {"cudaGetDeviceFlags",
     [] { return cudaGetDeviceFlags(&unsigned_integer); }},
    {"cudaMemGetInfo", [] { return cudaMemGetInfo(&number, &total); }},
    {"cudaPointerGetAttributes", pointer},
    {"cudaHostGetDevicePointer",
     [] { return cudaHostGetDevicePointer(&out, pinned, 0); }},
    {"cudaFuncGetAttributes", attributes},
    {"cudaEventCreate", [] { return cudaEventCreate(&event); }},
    {"cudaEventQuery", [] { return cudaEventQuery(event); }},
    {"cudaEventRecord", [] { return cudaEventRecord(event, other); }},
    {"cudaEventElapsedTime",
     [] { return cudaEventElapsedTime(&ms, event, event); }},
    {"cudaEventSynchronize", [] { return cudaEventSynchronize(event); }},
    {"cudaEventDestroy_null", [] { return cudaEventDestroy(NULL); }},
    {"cudaStreamCreate", [] { return cudaStreamCreate(&other); }},
    {"cudaStreamGetPriority",
     [] { return cudaStreamGetPriority(stream, &integer); }},
    {"cudaStreamGetFlags",
     [] { return cudaStreamGetFlags(stream, &unsigned_integer); }},
    {"cudaStreamIsCapturing", capturing},
    {"cudaStreamWaitEvent",
     [] { return cudaStreamWaitEvent(other, event, 0); }},
    {"cudaStreamBeginCapture",
     [] {
         return cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed);
     }},
    {"cudaThreadExchangeStreamCaptureMode", exchange},
    {"cudaLaunchHostFunc",
     [] { return cudaLaunchHostFunc(other, nothing, NULL); }},
    {"launch", [] { return launch(other); }},
    {"launch_default", [] { return launch(0); }},
    {"cudaMemcpy_in_host",
     [] {
         return cudaMemcpy(pageable, pageable + 32, 32, cudaMemcpyHostToHost);
     }},
    {"cudaMemcpy_nothing",
     [] { return cudaMemcpy(memory, pageable, 0, cudaMemcpyHostToDevice); }},
    {"cudaMemcpyAsync",
     [] {
         return cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice,
                                other);
     }},
    {"cudaMemsetAsync", [] { return cudaMemsetAsync(memory, 0, 64, other); }},
    {"cudaMallocAsync", [] { return cudaMallocAsync(&out, 64, other); }},
    {"cudaMallocHost", [] { return cudaMallocHost(&out, 64); }},
    {"cudaFree_null", [] { return cudaFree(NULL); }},
    {"cudaFreeHost_null", [] { return cudaFreeHost(NULL); }},
    {"cudaDeviceGetDefaultMemPool",
     [] { return cudaDeviceGetDefaultMemPool(&pool, 0); }},
    {"cudaMemPoolGetAttribute", threshold},
    {"cudaGraphCreate", [] { return cudaGraphCreate(&graph, 0); }},
    {"cudaGraphGetNodes",
     [] { return cudaGraphGetNodes(graph, NULL, &number); }},
    {"cudaGraphInstantiate",
     [] { return cudaGraphInstantiate(&exec, graph, 0); }},
    {"cudaGraphLaunch", [] { return cudaGraphLaunch(exec, other); }},
};

enum { COUNT = sizeof questions / sizeof *questions };

static cudaError_t returned[COUNT], latched[COUNT];

static void ask(void)
{
    for (int i = 0; i < COUNT; i++) {
        cudaGetLastError();
        returned[i] = questions[i].call();
        latched[i] = cudaGetLastError();
    }
}

static void CUDART_CB in_function(void *)
{
    ask();
}

static void CUDART_CB in_callback(cudaStream_t, cudaError_t, void *)
{
    ask();
}

static void tell(const char *where)
{
    fact("%s.synchronize=%d", where, (int)cudaStreamSynchronize(stream));
    for (int i = 0; i < COUNT; i++)
        fact("%s.%s=%d,%d", where, questions[i].name, (int)returned[i],
             (int)latched[i]);
}

int main(void)
{
    alarm(10);
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&event));
    MUST(cudaEventRecord(event, other));
    MUST(cudaMalloc(&memory, 64));
    MUST(cudaMallocHost(&pinned, 64));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaDeviceSynchronize());
    MUST(cudaLaunchHostFunc(stream, in_function, NULL));
    tell("function");
    MUST(cudaStreamAddCallback(stream, in_callback, NULL, 0));
    tell("callback");
    return 0;
}
