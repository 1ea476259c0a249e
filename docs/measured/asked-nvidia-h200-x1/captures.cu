/* captures.cu: see README.md. */
#include "../asked_calls.h"
// Which calls spoil a capture, in which mode, from which thread: code, status
// after, what EndCapture says.
static cudaStream_t n, b,
    o; // capturing: n non-blocking, b blocking; o other non-blocking idle
static void *mem, *pin, *reg, *asy, *man;
static cudaEvent_t ev, ev2;
static cudaGraph_t gr;
static cudaGraphExec_t gx;
static cudaStream_t st;
static char hostbuf[4096];
static void CUDART_CB hf(void *)
{
}
static void CUDART_CB cb(cudaStream_t, cudaError_t, void *)
{
}
struct Q {
    const char *name;
    std::function<cudaError_t()> call;
};
static cudaArray_t arr;
static void prep()
{
    MUST(cudaMalloc(&mem, 4096));
    MUST(cudaMallocHost(&pin, 4096));
    MUST(cudaMallocAsync(&asy, 4096, o));
    MUST(cudaStreamSynchronize(o));
    MUST(cudaMallocManaged(&man, 4096));
    MUST(cudaEventCreate(&ev));
    MUST(cudaEventCreate(&ev2));
    MUST(cudaEventRecord(ev, o));
    MUST(cudaEventRecord(ev2, o));
    MUST(cudaStreamSynchronize(o));
    MUST(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
    reg = aligned_alloc(4096, 8192);
    memset(reg, 0, 8192);
    MUST(cudaHostRegister(reg, 4096, 0));
    MUST(cudaGraphCreate(&gr, 0));
    cudaGraphNode_t e;
    MUST(cudaGraphAddEmptyNode(&e, gr, nullptr, 0));
    MUST(cudaGraphInstantiate(&gx, gr, 0));
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    MUST(cudaMallocArray(&arr, &d, 16, 16));
}
static void clean()
{ // whatever is still there
    (void)cudaGetLastError();
    cudaDeviceSynchronize();
    cudaFree(mem);
    cudaFreeHost(pin);
    cudaFreeAsync(asy, o);
    cudaFree(man);
    if (ev)
        cudaEventDestroy(ev);
    cudaEventDestroy(ev2);
    if (st)
        cudaStreamDestroy(st);
    cudaHostUnregister(reg);
    (void)cudaGetLastError();
    cudaHostUnregister((char *)reg + 4096);
    free(reg);
    if (gx)
        cudaGraphExecDestroy(gx);
    if (gr)
        cudaGraphDestroy(gr);
    if (arr)
        cudaFreeArray(arr);
    (void)cudaGetLastError();
}
static std::vector<Q> qs()
{
    static void *p, *q;
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
    static cudaMemPool_t pool;
    static cudaMemPoolProps pp;
    static cudaArray_t ar;
    static unsigned long long id;
    memset(&pp, 0, sizeof pp);
    pp.allocType = cudaMemAllocationTypePinned;
    pp.location.type = cudaMemLocationTypeDevice;
    return {
        {"none", [] { return cudaSuccess; }},
        {"cudaMalloc", [] { return cudaMalloc(&p, 4096); }},
        {"cudaMallocPitch", [] { return cudaMallocPitch(&p, &a, 64, 4); }},
        {"cudaMalloc3D",
         [] {
             cudaPitchedPtr z;
             return cudaMalloc3D(&z, make_cudaExtent(64, 4, 4));
         }},
        {"cudaMallocArray",
         [] {
             cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
             return cudaMallocArray(&ar, &d, 16, 16);
         }},
        {"cudaMallocHost", [] { return cudaMallocHost(&p, 4096); }},
        {"cudaHostAlloc", [] { return cudaHostAlloc(&p, 4096, 0); }},
        {"cudaMallocManaged", [] { return cudaMallocManaged(&p, 4096); }},
        {"cudaFree", [] { return cudaFree(mem); }},
        {"cudaFree_null", [] { return cudaFree(nullptr); }},
        {"cudaFreeHost", [] { return cudaFreeHost(pin); }},
        {"cudaFree_managed", [] { return cudaFree(man); }},
        {"cudaFreeArray",
         [] {
             cudaError_t r = cudaFreeArray(arr);
             if (!r)
                 arr = nullptr;
             return r;
         }},
        {"cudaHostRegister",
         [] { return cudaHostRegister((char *)reg + 4096, 4096, 0); }},
        {"cudaHostUnregister", [] { return cudaHostUnregister(reg); }},
        {"cudaMallocAsync_other_stream",
         [] { return cudaMallocAsync(&p, 4096, o); }},
        {"cudaFreeAsync_other_stream", [] { return cudaFreeAsync(asy, o); }},
        {"cudaMallocAsync_null", [] { return cudaMallocAsync(&p, 4096, 0); }},
        {"cudaMemcpy_pinned_h2d",
         [] { return cudaMemcpy(mem, pin, 64, cudaMemcpyHostToDevice); }},
        {"cudaMemcpy_pageable_h2d",
         [] { return cudaMemcpy(mem, hostbuf, 64, cudaMemcpyHostToDevice); }},
        {"cudaMemcpy_d2h",
         [] { return cudaMemcpy(hostbuf, mem, 64, cudaMemcpyDeviceToHost); }},
        {"cudaMemcpy_d2d",
         [] {
             return cudaMemcpy(mem, (char *)mem + 64, 64,
                               cudaMemcpyDeviceToDevice);
         }},
        {"cudaMemcpy_h2h",
         [] {
             return cudaMemcpy(hostbuf, hostbuf + 64, 64, cudaMemcpyHostToHost);
         }},
        {"cudaMemcpy_0",
         [] { return cudaMemcpy(mem, hostbuf, 0, cudaMemcpyHostToDevice); }},
        {"cudaMemcpyToSymbolless_2D",
         [] {
             return cudaMemcpy2D(mem, 64, hostbuf, 64, 64, 2,
                                 cudaMemcpyHostToDevice);
         }},
        {"cudaMemset", [] { return cudaMemset(mem, 0, 64); }},
        {"cudaMemset2D", [] { return cudaMemset2D(mem, 64, 0, 64, 2); }},
        {"cudaMemcpyAsync_null",
         [] {
             return cudaMemcpyAsync(mem, pin, 64, cudaMemcpyHostToDevice, 0);
         }},
        {"cudaMemsetAsync_null", [] { return cudaMemsetAsync(mem, 0, 64, 0); }},
        {"launch_null",
         [] {
             nop<<<1, 1>>>();
             return cudaGetLastError();
         }},
        {"cudaMemcpyAsync_other_pageable",
         [] {
             return cudaMemcpyAsync(mem, hostbuf, 64, cudaMemcpyHostToDevice,
                                    o);
         }},
        {"launch_other",
         [] {
             nop<<<1, 1, 0, o>>>();
             return cudaGetLastError();
         }},
        {"from_here", [] { return cudaSuccess; }},
        {"cudaEventRecord_null", [] { return cudaEventRecord(ev, 0); }},
        {"cudaEventRecord_other", [] { return cudaEventRecord(ev, o); }},
        {"cudaStreamWaitEvent_null",
         [] { return cudaStreamWaitEvent(0, ev, 0); }},
        {"cudaStreamWaitEvent_other",
         [] { return cudaStreamWaitEvent(o, ev, 0); }},
        {"cudaStreamWaitEvent_captured_outside_event",
         [] { return cudaStreamWaitEvent(n, ev, 0); }},
        {"cudaLaunchHostFunc_null",
         [] { return cudaLaunchHostFunc(0, hf, 0); }},
        {"cudaLaunchHostFunc_other",
         [] { return cudaLaunchHostFunc(o, hf, 0); }},
        {"cudaStreamAddCallback_null",
         [] { return cudaStreamAddCallback(0, cb, 0, 0); }},
        {"cudaStreamAddCallback_other",
         [] { return cudaStreamAddCallback(o, cb, 0, 0); }},
        {"cudaStreamAddCallback_captured",
         [] { return cudaStreamAddCallback(n, cb, 0, 0); }},
        {"cudaStreamSynchronize_null", [] { return cudaStreamSynchronize(0); }},
        {"cudaStreamSynchronize_other",
         [] { return cudaStreamSynchronize(o); }},
        {"cudaStreamSynchronize_captured",
         [] { return cudaStreamSynchronize(n); }},
        {"cudaStreamQuery_null", [] { return cudaStreamQuery(0); }},
        {"cudaStreamQuery_other", [] { return cudaStreamQuery(o); }},
        {"cudaStreamQuery_captured", [] { return cudaStreamQuery(n); }},
        {"cudaEventQuery", [] { return cudaEventQuery(ev); }},
        {"cudaEventSynchronize", [] { return cudaEventSynchronize(ev); }},
        {"cudaEventElapsedTime",
         [] { return cudaEventElapsedTime(&ms, ev, ev2); }},
        {"cudaEventCreate", [] { return cudaEventCreate(&e); }},
        {"cudaEventDestroy",
         [] {
             cudaError_t r = cudaEventDestroy(ev);
             if (!r)
                 ev = nullptr;
             return r;
         }},
        {"cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); }},
        {"cudaStreamCreate", [] { return cudaStreamCreate(&s); }},
        {"cudaStreamCreateWithFlags",
         [] { return cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }},
        {"cudaStreamCreateWithPriority",
         [] { return cudaStreamCreateWithPriority(&s, 0, -1); }},
        {"cudaStreamDestroy_other",
         [] {
             cudaError_t r = cudaStreamDestroy(st);
             if (!r)
                 st = nullptr;
             return r;
         }},
        {"cudaStreamGetPriority_captured",
         [] { return cudaStreamGetPriority(n, &i); }},
        {"cudaStreamGetFlags_captured",
         [] { return cudaStreamGetFlags(n, &u); }},
        {"cudaStreamGetId_captured", [] { return cudaStreamGetId(n, &id); }},
        {"cudaStreamSetAttribute_captured",
         [] {
             cudaStreamAttrValue v;
             memset(&v, 0, sizeof v);
             return cudaStreamSetAttribute(n, cudaStreamAttributePriority, &v);
         }},
        {"cudaStreamBeginCapture_again",
         [] {
             return cudaStreamBeginCapture(n, cudaStreamCaptureModeRelaxed);
         }},
        {"cudaStreamAttachMemAsync_captured",
         [] {
             return cudaStreamAttachMemAsync(n, man, 0, cudaMemAttachSingle);
         }},
        {"cudaStreamAttachMemAsync_other",
         [] {
             return cudaStreamAttachMemAsync(o, man, 0, cudaMemAttachGlobal);
         }},
        {"cudaMemPrefetchAsync_captured",
         [] {
             cudaMemLocation l;
             memset(&l, 0, sizeof l);
             l.type = cudaMemLocationTypeDevice;
             return cudaMemPrefetchAsync(man, 4096, l, 0, n);
         }},
        {"cudaMemPrefetchAsync_other",
         [] {
             cudaMemLocation l;
             memset(&l, 0, sizeof l);
             l.type = cudaMemLocationTypeDevice;
             return cudaMemPrefetchAsync(man, 4096, l, 0, o);
         }},
        {"cudaMemAdvise",
         [] {
             cudaMemLocation l;
             memset(&l, 0, sizeof l);
             l.type = cudaMemLocationTypeDevice;
             return cudaMemAdvise(man, 4096, cudaMemAdviseSetReadMostly, l);
         }},
        {"cudaSetDevice", [] { return cudaSetDevice(0); }},
        {"cudaGetDevice", [] { return cudaGetDevice(&i); }},
        {"cudaGetDeviceProperties",
         [] { return cudaGetDeviceProperties(&pr, 0); }},
        {"cudaDeviceGetAttribute",
         [] { return cudaDeviceGetAttribute(&i, cudaDevAttrClockRate, 0); }},
        {"cudaMemGetInfo", [] { return cudaMemGetInfo(&a, &c); }},
        {"cudaPointerGetAttributes",
         [] { return cudaPointerGetAttributes(&pa, mem); }},
        {"cudaHostGetDevicePointer",
         [] { return cudaHostGetDevicePointer(&q, pin, 0); }},
        {"cudaFuncGetAttributes",
         [] { return cudaFuncGetAttributes(&fa, (const void *)nop); }},
        {"cudaFuncSetAttribute",
         [] {
             return cudaFuncSetAttribute(
                 (const void *)nop, cudaFuncAttributeMaxDynamicSharedMemorySize,
                 1024);
         }},
        {"cudaFuncSetCacheConfig",
         [] {
             return cudaFuncSetCacheConfig((const void *)nop,
                                           cudaFuncCachePreferL1);
         }},
        {"cudaOccupancy",
         [] {
             return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, nop, 128,
                                                                  0);
         }},
        {"cudaDeviceSetLimit",
         [] { return cudaDeviceSetLimit(cudaLimitStackSize, 2048); }},
        {"cudaDeviceGetLimit",
         [] { return cudaDeviceGetLimit(&a, cudaLimitStackSize); }},
        {"cudaDeviceSetCacheConfig",
         [] { return cudaDeviceSetCacheConfig(cudaFuncCachePreferL1); }},
        {"cudaSetDeviceFlags",
         [] { return cudaSetDeviceFlags(cudaDeviceScheduleAuto); }},
        {"cudaDeviceCanAccessPeer",
         [] { return cudaDeviceCanAccessPeer(&i, 0, 1); }},
        {"cudaDeviceEnablePeerAccess",
         [] { return cudaDeviceEnablePeerAccess(1, 0); }},
        {"cudaDeviceDisablePeerAccess",
         [] { return cudaDeviceDisablePeerAccess(1); }},
        {"cudaMemcpyPeerAsync_other",
         [] {
             return cudaMemcpyPeerAsync(mem, 0, (char *)mem + 64, 0, 64, o);
         }},
        {"cudaMemcpyPeer",
         [] { return cudaMemcpyPeer(mem, 0, (char *)mem + 64, 0, 64); }},
        {"cudaGraphCreate", [] { return cudaGraphCreate(&g, 0); }},
        {"cudaGraphInstantiate",
         [] { return cudaGraphInstantiate(&x, gr, 0); }},
        {"cudaGraphUpload_other", [] { return cudaGraphUpload(gx, o); }},
        {"cudaGraphLaunch_other", [] { return cudaGraphLaunch(gx, o); }},
        {"cudaGraphLaunch_null", [] { return cudaGraphLaunch(gx, 0); }},
        {"cudaGraphLaunch_captured", [] { return cudaGraphLaunch(gx, n); }},
        {"cudaGraphUpload_captured", [] { return cudaGraphUpload(gx, n); }},
        {"cudaGraphExecDestroy",
         [] {
             cudaError_t r = cudaGraphExecDestroy(gx);
             if (!r)
                 gx = nullptr;
             return r;
         }},
        {"cudaGraphExecUpdate",
         [] {
             cudaGraphExecUpdateResultInfo r;
             return cudaGraphExecUpdate(gx, gr, &r);
         }},
        {"cudaGraphDestroy",
         [] {
             cudaError_t r = cudaGraphDestroy(gr);
             if (!r)
                 gr = nullptr;
             return r;
         }},
        {"cudaGraphClone", [] { return cudaGraphClone(&g, gr); }},
        {"cudaDeviceGraphMemTrim", [] { return cudaDeviceGraphMemTrim(0); }},
        {"cudaMemPoolCreate", [] { return cudaMemPoolCreate(&pool, &pp); }},
        {"cudaMemPoolTrimTo",
         [] {
             cudaMemPool_t z;
             cudaDeviceGetDefaultMemPool(&z, 0);
             return cudaMemPoolTrimTo(z, 0);
         }},
        {"cudaMemPoolSetAttribute",
         [] {
             cudaMemPool_t z;
             cudaDeviceGetDefaultMemPool(&z, 0);
             unsigned long long t = 0;
             return cudaMemPoolSetAttribute(z, cudaMemPoolAttrReleaseThreshold,
                                            &t);
         }},
        {"bad_launch_captured",
         [] {
             nop<<<0, 1, 0, n>>>();
             return cudaGetLastError();
         }},
        {"bad_copy_captured",
         [] {
             return cudaMemcpyAsync(nullptr, pin, 64, cudaMemcpyHostToDevice,
                                    n);
         }},
        {"bad_kind_captured",
         [] { return cudaMemcpyAsync(mem, pin, 64, (cudaMemcpyKind)9, n); }},
        {"bad_event_captured",
         [] { return cudaEventRecord((cudaEvent_t) nullptr, n); }},
        {"pageable_h2d_captured",
         [] {
             return cudaMemcpyAsync(mem, hostbuf, 64, cudaMemcpyHostToDevice,
                                    n);
         }},
        {"pageable_d2h_captured",
         [] {
             return cudaMemcpyAsync(hostbuf, mem, 64, cudaMemcpyDeviceToHost,
                                    n);
         }},
        {"zero_copy_captured",
         [] {
             return cudaMemcpyAsync(mem, pin, 0, cudaMemcpyHostToDevice, n);
         }},
        {"cudaMallocAsync_captured", [] { return cudaMallocAsync(&p, 64, n); }},
        {"cudaFreeAsync_outside_memory_captured",
         [] { return cudaFreeAsync(asy, n); }},
        {"cudaFreeAsync_plain_memory_captured",
         [] { return cudaFreeAsync(mem, n); }},
        {"cudaIpcGetMemHandle",
         [] {
             cudaIpcMemHandle_t h;
             return cudaIpcGetMemHandle(&h, mem);
         }},
        {"cudaCtxResetPersistingL2Cache",
         [] { return cudaCtxResetPersistingL2Cache(); }},
        {"cudaInitDevice", [] { return cudaInitDevice(0, 0, 0); }},
        {"cudaEventCreate_ipc",
         [] {
             return cudaEventCreateWithFlags(&e, cudaEventInterprocess |
                                                     cudaEventDisableTiming);
         }},
        {"cudaCreateTextureObject",
         [] {
             cudaResourceDesc r;
             memset(&r, 0, sizeof r);
             r.resType = cudaResourceTypeArray;
             r.res.array.array = arr;
             cudaTextureDesc t;
             memset(&t, 0, sizeof t);
             cudaTextureObject_t z;
             return cudaCreateTextureObject(&z, &r, &t, nullptr);
         }},
        {"cudaStreamDestroy_captured_last",
         [] { return cudaStreamDestroy(n); }},
    };
}
static void ask(const Q &q, cudaStream_t s, const char *kind, int mode,
                bool other)
{
    prep();
    cudaError_t e = cudaErrorUnknown;
    cudaStreamCaptureStatus st2 = (cudaStreamCaptureStatus)9;
    cudaGraph_t g = nullptr;
    MUST(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
    auto body = [&] {
        (void)cudaGetLastError();
        e = q.call();
        (void)cudaGetLastError();
    };
    if (other) {
        std::thread t(body);
        t.join();
    } else
        body();
    cudaError_t i = cudaStreamIsCapturing(s, &st2);
    (void)cudaGetLastError();
    cudaError_t end = cudaStreamEndCapture(s, &g);
    (void)cudaGetLastError();
    size_t nodes = 0;
    if (g) {
        cudaGraphGetNodes(g, nullptr, &nodes);
        cudaGraphDestroy(g);
    }
    P("%s.%s.mode%d.%s=%d,%d,%d,%zu%s", q.name, kind, mode,
      other ? "other" : "same", (int)e, (int)st2, (int)end, nodes,
      i ? " (status call failed)" : "");
    clean();
}
int main()
{
    alarm(9);
    MUST(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    MUST(cudaStreamCreate(&b));
    MUST(cudaStreamCreateWithFlags(&o, cudaStreamNonBlocking));
    warm();
    prep();
    clean();
    prep();
    clean();
    bool on = false;
    for (const Q &q : qs()) {
        on = on || !strcmp(q.name, "from_here");
        if (!on || strstr(q.name, "Synchronize_captured"))
            continue;
        std::string name = q.name;
        bool cap = name.find("captured") != std::string::npos ||
                   name == "cudaStreamBeginCapture_again";
        for (int m = 0; m < 3; m++)
            for (int t = 0; t < 2; t++) {
                if (name == "cudaStreamDestroy_captured_last" && (m || t))
                    continue;
                ask(q, n, "N", m, t);
            }
        if (!cap && (strstr(q.name, "null") || strstr(q.name, "Device")))
            for (int m = 0; m < 3; m += 2)
                ask(q, b, "B", m, 0);
    }
    return 0;
}
