/* host_functions.cu: see README.md. */
#include "../asked_calls.h"
// Which calls a host function may make: each call's code inside a host
// function, a stream callback, and a host node of a graph. The name is printed
// before the call: the last line names what hung.
static cudaStream_t n, o;
static void *mem, *pin, *reg, *asy;
static cudaEvent_t ev, ev2;
static cudaGraph_t gr;
static cudaGraphExec_t gx;
static cudaMemPool_t pool;
static void CUDART_CB hf(void *)
{
}
static void CUDART_CB cb2(cudaStream_t, cudaError_t, void *)
{
}
struct Q {
    const char *name;
    std::function<cudaError_t()> call;
};
static std::vector<Q> qs()
{
    static void *p;
    static size_t a, c;
    static int i;
    static unsigned u;
    static cudaEvent_t e;
    static cudaStream_t s;
    static cudaFuncAttributes fa;
    static cudaDeviceProp pr;
    static cudaPointerAttributes pa;
    static cudaGraph_t g;
    static cudaGraphExec_t x;
    static float ms;
    static char host[64], host2[64];
    static cudaGraphNode_t nd;
    static cudaStreamCaptureStatus cs;
    static unsigned long long id;
    static cudaUserObject_t uo;
    return {
        {"cudaGetLastError", [] { return cudaGetLastError(); }},
        {"cudaPeekAtLastError", [] { return cudaPeekAtLastError(); }},
        {"cudaGetErrorName",
         [] {
             return cudaGetErrorName(cudaSuccess) ? cudaSuccess
                                                  : cudaErrorUnknown;
         }},
        {"cudaGetDeviceCount", [] { return cudaGetDeviceCount(&i); }},
        {"cudaGetDevice", [] { return cudaGetDevice(&i); }},
        {"cudaSetDevice", [] { return cudaSetDevice(0); }},
        {"cudaDriverGetVersion", [] { return cudaDriverGetVersion(&i); }},
        {"cudaRuntimeGetVersion", [] { return cudaRuntimeGetVersion(&i); }},
        {"cudaGetDeviceProperties",
         [] { return cudaGetDeviceProperties(&pr, 0); }},
        {"cudaDeviceGetAttribute",
         [] { return cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 0); }},
        {"cudaDeviceGetLimit",
         [] { return cudaDeviceGetLimit(&a, cudaLimitStackSize); }},
        {"cudaDeviceSetLimit",
         [] { return cudaDeviceSetLimit(cudaLimitStackSize, 2048); }},
        {"cudaDeviceGetStreamPriorityRange",
         [] { return cudaDeviceGetStreamPriorityRange(&i, nullptr); }},
        {"cudaDeviceGetPCIBusId",
         [] {
             static char id[32];
             return cudaDeviceGetPCIBusId(id, 32, 0);
         }},
        {"cudaDeviceCanAccessPeer",
         [] { return cudaDeviceCanAccessPeer(&i, 0, 1); }},
        {"cudaGetDeviceFlags", [] { return cudaGetDeviceFlags(&u); }},
        {"cudaSetDeviceFlags", [] { return cudaSetDeviceFlags(0); }},
        {"cudaChooseDevice",
         [] {
             memset(&pr, 0, sizeof pr);
             return cudaChooseDevice(&i, &pr);
         }},
        {"cudaProfilerStart_less",
         [] {
             return cudaDeviceGetCacheConfig(nullptr) ? cudaSuccess
                                                      : cudaSuccess;
         }},
        {"cudaMemGetInfo", [] { return cudaMemGetInfo(&a, &c); }},
        {"cudaPointerGetAttributes",
         [] { return cudaPointerGetAttributes(&pa, mem); }},
        {"cudaHostGetDevicePointer",
         [] { return cudaHostGetDevicePointer(&p, pin, 0); }},
        {"cudaHostGetFlags", [] { return cudaHostGetFlags(&u, pin); }},
        {"cudaFuncGetAttributes",
         [] { return cudaFuncGetAttributes(&fa, (const void *)nop); }},
        {"cudaFuncSetAttribute",
         [] {
             return cudaFuncSetAttribute(
                 (const void *)nop, cudaFuncAttributeMaxDynamicSharedMemorySize,
                 1024);
         }},
        {"cudaOccupancy",
         [] {
             return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, nop, 128,
                                                                  0);
         }},
        {"cudaGetSymbolless_FuncSetCacheConfig",
         [] {
             return cudaFuncSetCacheConfig((const void *)nop,
                                           cudaFuncCachePreferL1);
         }},
        {"cudaEventCreate", [] { return cudaEventCreate(&e); }},
        {"cudaEventRecord_other", [] { return cudaEventRecord(ev2, o); }},
        {"cudaEventRecord_same", [] { return cudaEventRecord(ev2, n); }},
        {"cudaEventQuery", [] { return cudaEventQuery(ev); }},
        {"cudaEventElapsedTime",
         [] { return cudaEventElapsedTime(&ms, ev, ev); }},
        {"cudaEventSynchronize_done", [] { return cudaEventSynchronize(ev); }},
        {"cudaEventDestroy_null", [] { return cudaEventDestroy(nullptr); }},
        {"cudaStreamCreate", [] { return cudaStreamCreate(&s); }},
        {"cudaStreamQuery_other", [] { return cudaStreamQuery(o); }},
        {"cudaStreamQuery_same", [] { return cudaStreamQuery(n); }},
        {"cudaStreamGetPriority", [] { return cudaStreamGetPriority(n, &i); }},
        {"cudaStreamGetFlags", [] { return cudaStreamGetFlags(n, &u); }},
        {"cudaStreamGetId", [] { return cudaStreamGetId(n, &id); }},
        {"cudaStreamGetDevice", [] { return cudaStreamGetDevice(n, &i); }},
        {"cudaStreamIsCapturing", [] { return cudaStreamIsCapturing(n, &cs); }},
        {"cudaStreamWaitEvent_other",
         [] { return cudaStreamWaitEvent(o, ev, 0); }},
        {"cudaLaunchHostFunc_other",
         [] { return cudaLaunchHostFunc(o, hf, nullptr); }},
        {"cudaStreamAddCallback_other",
         [] { return cudaStreamAddCallback(o, cb2, nullptr, 0); }},
        {"cudaStreamDestroy_null", [] { return cudaStreamDestroy(nullptr); }},
        {"cudaStreamBeginCapture_other",
         [] {
             return cudaStreamBeginCapture(o, cudaStreamCaptureModeRelaxed);
         }},
        {"cudaStreamEndCapture_other",
         [] { return cudaStreamEndCapture(o, &g); }},
        {"cudaThreadExchangeStreamCaptureMode",
         [] {
             cudaStreamCaptureMode m = cudaStreamCaptureModeGlobal;
             return cudaThreadExchangeStreamCaptureMode(&m);
         }},
        {"launch_other",
         [] {
             nop<<<1, 1, 0, o>>>();
             return cudaGetLastError();
         }},
        {"launch_same",
         [] {
             nop<<<1, 1, 0, n>>>();
             return cudaGetLastError();
         }},
        {"launch_null",
         [] {
             nop<<<1, 1>>>();
             return cudaGetLastError();
         }},
        {"launch_bad",
         [] {
             nop<<<0, 1>>>();
             return cudaGetLastError();
         }},
        {"cudaMemcpyAsync_other",
         [] {
             return cudaMemcpyAsync(mem, pin, 64, cudaMemcpyHostToDevice, o);
         }},
        {"cudaMemsetAsync_other",
         [] { return cudaMemsetAsync(mem, 0, 64, o); }},
        {"cudaMemcpy_h2h",
         [] { return cudaMemcpy(host, host2, 64, cudaMemcpyHostToHost); }},
        {"cudaMemcpy_0",
         [] { return cudaMemcpy(mem, host2, 0, cudaMemcpyHostToDevice); }},
        {"cudaMemcpyAsync_0",
         [] {
             return cudaMemcpyAsync(mem, host2, 0, cudaMemcpyHostToDevice, o);
         }},
        {"cudaMallocAsync_other", [] { return cudaMallocAsync(&p, 64, o); }},
        {"cudaFreeAsync_other", [] { return cudaFreeAsync(asy, o); }},
        {"cudaMalloc", [] { return cudaMalloc(&p, 64); }},
        {"cudaMalloc_0", [] { return cudaMalloc(&p, 0); }},
        {"cudaMallocHost", [] { return cudaMallocHost(&p, 64); }},
        {"cudaFree_null", [] { return cudaFree(nullptr); }},
        {"cudaFreeHost_null", [] { return cudaFreeHost(nullptr); }},
        {"cudaHostRegister", [] { return cudaHostRegister(reg, 4096, 0); }},
        {"cudaHostUnregister", [] { return cudaHostUnregister(reg); }},
        {"cudaDeviceGetDefaultMemPool",
         [] { return cudaDeviceGetDefaultMemPool(&pool, 0); }},
        {"cudaMemPoolGetAttribute",
         [] {
             unsigned long long v;
             return pool ? cudaMemPoolGetAttribute(
                               pool, cudaMemPoolAttrReleaseThreshold, &v)
                         : cudaErrorUnknown;
         }},
        {"cudaMemPoolTrimTo",
         [] { return pool ? cudaMemPoolTrimTo(pool, 0) : cudaErrorUnknown; }},
        {"cudaGraphCreate", [] { return cudaGraphCreate(&g, 0); }},
        {"cudaGraphAddEmptyNode",
         [] { return cudaGraphAddEmptyNode(&nd, gr, nullptr, 0); }},
        {"cudaGraphInstantiate",
         [] { return cudaGraphInstantiate(&x, gr, 0); }},
        {"cudaGraphLaunch_other", [] { return cudaGraphLaunch(gx, o); }},
        {"cudaGraphGetNodes",
         [] { return cudaGraphGetNodes(gr, nullptr, &a); }},
        {"cudaGraphClone", [] { return cudaGraphClone(&g, gr); }},
        {"cudaGraphDestroy_null", [] { return cudaGraphDestroy(nullptr); }},
        {"cudaGraphExecDestroy_null",
         [] { return cudaGraphExecDestroy(nullptr); }},
        {"cudaUserObjectCreate",
         [] {
             return cudaUserObjectCreate(&uo, host, hf, 1,
                                         cudaUserObjectNoDestructorSync);
         }},
        {"cudaDeviceEnablePeerAccess",
         [] { return cudaDeviceEnablePeerAccess(1, 0); }},
        {"cudaSetDevice_1", [] { return cudaSetDevice(1); }},
        {"cudaGetDevice_after", [] { return cudaGetDevice(&i); }},
        {"null_arg_GetDeviceCount", [] { return cudaGetDeviceCount(nullptr); }},
        {"null_arg_Malloc", [] { return cudaMalloc(nullptr, 64); }},
        {"cudaInitDevice", [] { return cudaInitDevice(0, 0, 0); }},
        {"cudaStreamSynchronize_other",
         [] { return cudaStreamSynchronize(o); }},
        {"cudaStreamSynchronize_same", [] { return cudaStreamSynchronize(n); }},
        {"cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); }},
        {"cudaEventSynchronize_pending",
         [] { return cudaEventSynchronize(ev2); }},
        {"cudaFree", [] { return cudaFree(mem); }},
        {"cudaMemcpy_d2h",
         [] { return cudaMemcpy(host, mem, 64, cudaMemcpyDeviceToHost); }},
        {"cudaMemset", [] { return cudaMemset(mem, 0, 64); }},
        {"cudaFreeHost", [] { return cudaFreeHost(pin); }},
        {"cudaEventDestroy", [] { return cudaEventDestroy(ev2); }},
        {"cudaStreamDestroy_other", [] { return cudaStreamDestroy(o); }},
    };
}
static const char *kind;
static int from, to;
static std::vector<Q> every;
static void body()
{
    for (int i = from; i < to; i++) {
        (void)cudaGetLastError();
        printf("%s.%s=", kind, every[i].name);
        fflush(stdout);
        cudaError_t e = every[i].call();
        cudaError_t l = cudaGetLastError();
        printf("%d,%d\n", (int)e, (int)l);
        fflush(stdout);
    }
}
static std::thread::id inside;
static void CUDART_CB run(void *)
{
    inside = std::this_thread::get_id();
    body();
}
static void CUDART_CB runcb(cudaStream_t, cudaError_t s, void *)
{
    printf("callback.status=%d\n", (int)s);
    body();
}
static std::thread::id ids[4];
static int nid;
static void CUDART_CB who(void *)
{
    ids[nid++] = std::this_thread::get_id();
}
int main()
{
    alarm(9);
    MUST(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&o, cudaStreamNonBlocking));
    MUST(cudaMalloc(&mem, 4096));
    MUST(cudaMallocHost(&pin, 4096));
    MUST(cudaEventCreate(&ev));
    MUST(cudaEventCreate(&ev2));
    warm();
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaEventRecord(ev, o));
    MUST(cudaMallocAsync(&asy, 64, o));
    MUST(cudaStreamSynchronize(o));
    reg = aligned_alloc(4096, 4096);
    MUST(cudaGraphCreate(&gr, 0));
    cudaGraphNode_t e;
    MUST(cudaGraphAddEmptyNode(&e, gr, nullptr, 0));
    MUST(cudaGraphInstantiate(&gx, gr, 0));
    MUST(cudaLaunchHostFunc(n, who, 0));
    MUST(cudaStreamSynchronize(n));
    MUST(cudaLaunchHostFunc(o, who, 0));
    MUST(cudaStreamSynchronize(o));
    MUST(cudaLaunchHostFunc(0, who, 0));
    MUST(cudaStreamSynchronize(0));
    P("same_thread_for_two_streams=%d,%d,not_main=%d", ids[0] == ids[1],
      ids[1] == ids[2], ids[0] != std::this_thread::get_id());
    every = qs();
    from = 0;
    to = (int)every.size();
    kind = "hostfunc";
    MUST(cudaLaunchHostFunc(n, run, nullptr));
    P("hostfunc.sync=%d", (int)cudaStreamSynchronize(n));
    P("after.stream_o=%d", (int)cudaStreamQuery(o));
    P("after.mem=%d", (int)cudaMemset(mem, 0, 64));
    P("after.last=%d", (int)cudaGetLastError());
    to = 20;
    kind = "hostnode";
    cudaGraph_t hg;
    cudaGraphExec_t hx;
    cudaHostNodeParams hp;
    hp.fn = run;
    hp.userData = nullptr;
    MUST(cudaGraphCreate(&hg, 0));
    MUST(cudaGraphAddHostNode(&e, hg, nullptr, 0, &hp));
    MUST(cudaGraphInstantiate(&hx, hg, 0));
    MUST(cudaGraphLaunch(hx, n));
    P("hostnode.sync=%d", (int)cudaStreamSynchronize(n));
    to = (int)every.size() - 10;
    kind = "callback";
    MUST(cudaStreamAddCallback(n, runcb, nullptr, 0));
    P("callback.sync=%d", (int)cudaStreamSynchronize(n));
    kind = "callback_waits";
    from = to;
    to = (int)every.size() - 4;
    MUST(cudaStreamAddCallback(n, runcb, nullptr, 0));
    P("callback_waits.sync=%d", (int)cudaStreamSynchronize(n));
    return 0;
}
