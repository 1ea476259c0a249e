/*
 * corners.cu: what is rarely written down of graphs, pools, programmatic edges,
 * resets, host functions, libraries, managed memory and threads. A line
 * "NAME VALUE" for each; each section is a process of its own, under an alarm.
 */
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static cudaStream_t s, t;
static void say(const char *k, long long v)
{
    printf("%s %lld\n", k, v);
    fflush(stdout);
    (void)cudaGetLastError();
}
#define Q(k, call) say(k, (long long)(call))
#define MUST(c)                                                                \
    do {                                                                       \
        cudaError_t e_ = (c);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("must_line_%d %d\n", __LINE__, (int)e_);                    \
            fflush(stdout);                                                    \
            _exit(1);                                                          \
        }                                                                      \
    } while (0)
__global__ void spin(long long cycles)
{
    long long b = clock64();
    for (int i = 0; i < (1 << 28) && clock64() - b < cycles; i++) {
    }
}
__global__ void put(int *p, int v)
{
    if (p)
        *p = v;
}
#define MS(n) ((n)*1900000LL)
static int busy(cudaStream_t q)
{
    int b = cudaStreamQuery(q) == cudaErrorNotReady;
    (void)cudaGetLastError();
    return b;
}
static void begin()
{
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    spin<<<1, 1>>>(1);
    put<<<1, 1>>>(nullptr, 0);
    MUST(cudaDeviceSynchronize());
}
static cudaGraph_t graph()
{
    cudaGraph_t g;
    MUST(cudaGraphCreate(&g, 0));
    return g;
}
static cudaGraphNode_t kernel_node(cudaGraph_t g, long long ms)
{
    long long c = MS(ms) + 1;
    void *args[] = {&c};
    cudaKernelNodeParams p = {};
    cudaGraphNode_t n;
    p.func = (void *)spin;
    p.gridDim = dim3(1);
    p.blockDim = dim3(1);
    p.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&n, g, nullptr, 0, &p));
    return n;
}

// Lists of nodes and edges with room for none, and data alone.
static void lists()
{
    cudaGraph_t g = graph();
    cudaGraphNode_t a = kernel_node(g, 0), b = kernel_node(g, 0), out[4], to[4];
    cudaGraphEdgeData ed[4];
    size_t n = 0;
    memset(ed, 0, sizeof ed);
    Q("nodes.room_0", cudaGraphGetNodes(g, out, &n));
    say("nodes.room_0.count", n);
    n = 0;
    Q("roots.room_0", cudaGraphGetRootNodes(g, out, &n));
    say("roots.room_0.count", n);
    MUST(cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
    n = 0;
    Q("edges.one.room_0", cudaGraphGetEdges(g, out, to, nullptr, &n));
    say("edges.one.room_0.count", n);
    n = 0;
    Q("deps.one.room_0", cudaGraphNodeGetDependencies(b, out, nullptr, &n));
    n = 0;
    Q("deps.none.room_0", cudaGraphNodeGetDependencies(a, out, nullptr, &n));
    n = 0;
    Q("dependents.one.room_0",
      cudaGraphNodeGetDependentNodes(a, to, nullptr, &n));
    n = 4;
    Q("dependents.only_data",
      cudaGraphNodeGetDependentNodes(a, nullptr, ed, &n));
    n = 4;
    Q("edges.one.only_data", cudaGraphGetEdges(g, nullptr, nullptr, ed, &n));
}
// Instantiation.
static void instantiation()
{
    cudaGraphExec_t x;
    cudaGraph_t g = graph(), body;
    cudaGraphConditionalHandle h;
    cudaGraphNode_t n;
    unsigned long long f = 77;
    MUST(cudaGraphConditionalHandleCreate(&h, g, 0, 0));
    cudaGraphNodeParams cp = {};
    cp.type = cudaGraphNodeTypeConditional;
    cp.conditional.handle = h;
    cp.conditional.type = cudaGraphCondTypeIf;
    cp.conditional.size = 1;
    MUST(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &cp));
    body = cp.conditional.phGraph_out[0];
    Q("body.instantiate", cudaGraphInstantiate(&x, body, 0));
    cudaGraph_t cl;
    Q("body.clone", cudaGraphClone(&cl, body));
    Q("body.destroy", cudaGraphDestroy(body));
    cudaGraphInstantiateParams ip = {};
    cudaGraph_t k = graph();
    kernel_node(k, 0);
    ip.flags = cudaGraphInstantiateFlagUpload;
    Q("params.upload_null_stream", cudaGraphInstantiateWithParams(&x, k, &ip));
    say("params.upload_null_stream.result", ip.result_out);
    Q("params.upload.flags", cudaGraphExecGetFlags(x, &f));
    say("params.upload.flags.value", f);
    ip.flags = cudaGraphInstantiateFlagUseNodePriority |
               cudaGraphInstantiateFlagAutoFreeOnLaunch;
    Q("params.9", cudaGraphInstantiateWithParams(&x, k, &ip));
    f = 77;
    Q("params.9.flags", cudaGraphExecGetFlags(x, &f));
    say("params.9.flags.value", f);
    ip.flags = cudaGraphInstantiateFlagDeviceLaunch;
    Q("device.params", cudaGraphInstantiateWithParams(&x, k, &ip));
    Q("device.launch_before_upload", cudaGraphLaunch(x, s));
    Q("device.sync", cudaStreamSynchronize(s));
    cudaGraph_t e = graph();
    ip.errNode_out = (cudaGraphNode_t)1;
    Q("device.no_nodes", cudaGraphInstantiateWithParams(&x, e, &ip));
    say("device.no_nodes.result", ip.result_out);
    say("device.no_nodes.node", ip.errNode_out != nullptr);
    int *d, *pin;
    void *page = malloc(64);
    MUST(cudaMalloc(&d, 64));
    MUST(cudaMallocHost(&pin, 64));
    cudaGraph_t c1 = graph(), c2 = graph(), c3 = graph();
    MUST(cudaGraphAddMemcpyNode1D(&n, c1, nullptr, 0, d, page, 16,
                                  cudaMemcpyHostToDevice));
    Q("device.pageable", cudaGraphInstantiateWithParams(&x, c1, &ip));
    say("device.pageable.result", ip.result_out);
    say("device.pageable.node", ip.errNode_out != nullptr);
    MUST(cudaGraphAddMemcpyNode1D(&n, c2, nullptr, 0, d, pin, 16,
                                  cudaMemcpyHostToDevice));
    Q("device.pinned", cudaGraphInstantiateWithParams(&x, c2, &ip));
    cudaGraph_t in = graph();
    kernel_node(in, 0);
    MUST(cudaGraphAddChildGraphNode(&n, c3, nullptr, 0, in));
    Q("device.child", cudaGraphInstantiateWithParams(&x, c3, &ip));
    cudaGraph_t c4 = graph(), in2 = graph();
    MUST(cudaGraphAddEmptyNode(&n, in2, nullptr, 0));
    MUST(cudaGraphAddChildGraphNode(&n, c4, nullptr, 0, in2));
    ip.errNode_out = nullptr;
    Q("device.child_of_empty", cudaGraphInstantiateWithParams(&x, c4, &ip));
    say("device.child_of_empty.result", ip.result_out);
    say("device.child_of_empty.is_child_node", ip.errNode_out == n);
    Q("device.update", ({
          cudaGraphExecUpdateResultInfo r;
          cudaGraphExec_t y;
          MUST(cudaGraphInstantiate(&y, k,
                                    cudaGraphInstantiateFlagDeviceLaunch));
          cudaGraphExecUpdate(y, k, &r);
      }));
}
// Which copies of a graph hold the host.
static void holds()
{
    int *d, *pin, *pin2, *man, *pool;
    cudaMemPool_t hp;
    cudaMemPoolProps pr;
    memset(&pr, 0, sizeof pr);
    pr.allocType = cudaMemAllocationTypePinned;
    pr.location.type = cudaMemLocationTypeHost;
    MUST(cudaMalloc(&d, 1 << 20));
    MUST(cudaMallocHost(&pin, 1 << 20));
    MUST(cudaMallocHost(&pin2, 1 << 20));
    MUST(cudaMallocManaged(&man, 1 << 20));
    MUST(cudaMemPoolCreate(&hp, &pr));
    MUST(cudaMallocFromPoolAsync((void **)&pool, 1 << 20, hp, s));
    MUST(cudaStreamSynchronize(s));
    void *page = calloc(1, 1 << 20);
    struct {
        const char *n;
        void *a, *b;
        size_t bytes;
    } c[] = {
        {"pin_pin", pin, pin2, 64},      {"pin_pin_1M", pin, pin2, 1 << 20},
        {"page_pin", page, pin, 64},     {"man_pin", man, pin, 64},
        {"pin_man", pin, man, 64},       {"man_page", man, page, 64},
        {"d_man", d, man, 64},           {"man_d", man, d, 64},
        {"pool_d", pool, d, 64},         {"d_pool", d, pool, 64},
        {"d_pool_1M", d, pool, 1 << 20}, {"pool_pin", pool, pin, 64},
        {"pool_page", pool, page, 64}};
    char k[64];
    for (auto &q : c) {
        snprintf(k, sizeof k, "async.%s", q.n);
        spin<<<1, 1, 0, s>>>(MS(8));
        Q(k, cudaMemcpyAsync(q.a, q.b, q.bytes, cudaMemcpyDefault, s));
        strcat(k, ".busy");
        say(k, busy(s));
        MUST(cudaStreamSynchronize(s));
        cudaGraph_t g = graph();
        cudaGraphNode_t n;
        cudaGraphExec_t x;
        MUST(cudaGraphAddMemcpyNode1D(&n, g, nullptr, 0, q.a, q.b, q.bytes,
                                      cudaMemcpyDefault));
        MUST(cudaGraphInstantiate(&x, g, 0));
        MUST(cudaGraphUpload(x, s));
        MUST(cudaStreamSynchronize(s));
        spin<<<1, 1, 0, s>>>(MS(8));
        snprintf(k, sizeof k, "graph.%s", q.n);
        Q(k, cudaGraphLaunch(x, s));
        strcat(k, ".busy");
        say(k, busy(s));
        MUST(cudaStreamSynchronize(s));
    }
    Q("memset_pool_sync", cudaMemset(pool, 1, 64));
    Q("memset_pinned", cudaMemsetAsync(pin, 1, 64, s));
    Q("pool.register", cudaHostRegister(pool, 4096, 0));
    Q("pool.unregister", cudaHostUnregister(pool));
    Q("pool.prefetch",
      cudaMemPrefetchAsync(
          pool, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, s));
    cudaGraph_t g = graph();
    cudaGraphNode_t n;
    cudaMemsetParams mp = {};
    mp.dst = pool;
    mp.elementSize = 1;
    mp.width = 16;
    mp.height = 1;
    Q("memset_node_pool", cudaGraphAddMemsetNode(&n, g, nullptr, 0, &mp));
    put<<<1, 1, 0, s>>>(pool, 1);
    Q("kernel_on_host_pool", cudaStreamSynchronize(s));
}
// Programmatic edges by capture.
static void programmatic()
{
    cudaLaunchConfig_t lc = {};
    cudaLaunchAttribute at[1] = {};
    cudaGraph_t g;
    cudaGraphNode_t fr[8], to[8];
    cudaGraphEdgeData e[8];
    cudaEvent_t ev;
    size_t n = 8;
    int *d;
    MUST(cudaMalloc(&d, 64));
    MUST(cudaEventCreateWithFlags(&ev, cudaEventDisableTiming));
    at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at[0].val.programmaticStreamSerializationAllowed = 1;
    lc.gridDim = dim3(1);
    lc.blockDim = dim3(1);
    lc.stream = s;
    lc.attrs = at;
    lc.numAttrs = 1;
    auto show = [&](const char *k) {
        char w[64];
        memset(e, 0, sizeof e);
        n = 8;
        snprintf(w, sizeof w, "%s.edges", k);
        Q(w, cudaGraphGetEdges(g, fr, to, e, &n));
        for (size_t i = 0; i < n && i < 8; i++) {
            snprintf(w, sizeof w, "%s.edge%zu", k, i);
            say(w, e[i].type * 100 + e[i].from_port * 10 + e[i].to_port);
        }
    };
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaMemsetAsync(d, 0, 64, s));
    Q("pss_behind_memset", cudaLaunchKernelEx(&lc, put, d, 1));
    Q("pss_behind_memset.end", cudaStreamEndCapture(s, &g));
    show("pss_behind_memset");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    put<<<1, 1, 0, s>>>(d, 1);
    MUST(cudaEventRecord(ev, s));
    MUST(cudaStreamWaitEvent(t, ev, 0));
    put<<<1, 1, 0, t>>>(d, 1);
    MUST(cudaEventRecord(ev, t));
    put<<<1, 1, 0, s>>>(d, 2);
    MUST(cudaStreamWaitEvent(s, ev, 0));
    Q("pss_two_ahead", cudaLaunchKernelEx(&lc, put, d, 1));
    Q("pss_two_ahead.end", cudaStreamEndCapture(s, &g));
    show("pss_two_ahead");
    at[0].id = cudaLaunchAttributeProgrammaticEvent;
    at[0].val.programmaticEvent.event = ev;
    at[0].val.programmaticEvent.flags = 0;
    at[0].val.programmaticEvent.triggerAtBlockStart = 0;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    Q("prog_event", cudaLaunchKernelEx(&lc, put, d, 1));
    Q("prog_event.wait", cudaStreamWaitEvent(t, ev, 0));
    cudaStreamCaptureStatus st;
    unsigned long long id;
    const cudaGraphNode_t *deps;
    size_t nd;
    Q("prog_event.info_no_data",
      cudaStreamGetCaptureInfo(t, &st, &id, nullptr, &deps, nullptr, &nd));
    put<<<1, 1, 0, t>>>(d, 1);
    Q("prog_event.launch", cudaGetLastError());
    MUST(cudaEventRecord(ev, t));
    MUST(cudaStreamWaitEvent(s, ev, 0));
    Q("prog_event.end", cudaStreamEndCapture(s, &g));
    show("prog_event");
}
// What a reset leaves.
static void reset()
{
    cudaMemPool_t pool, own;
    cudaMemPoolProps pr;
    unsigned long long v = 0;
    void *p, *q, *r;
    memset(&pr, 0, sizeof pr);
    pr.allocType = cudaMemAllocationTypePinned;
    pr.location.type = cudaMemLocationTypeDevice;
    MUST(cudaMemPoolCreate(&own, &pr));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMallocAsync(&p, 1 << 20, s));
    MUST(cudaMallocFromPoolAsync(&q, 1 << 20, own, s));
    MUST(cudaMalloc(&r, 1 << 20));
    MUST(cudaMemset(p, 7, 64));
    MUST(cudaDeviceReset());
    Q("reset.own.attr",
      cudaMemPoolGetAttribute(own, cudaMemPoolAttrReservedMemCurrent, &v));
    say("reset.own.reserved", v);
    char c = 0;
    Q("reset.copy_from_old", cudaMemcpy(&c, p, 1, cudaMemcpyDefault));
    say("reset.copy_from_old.value", c);
    cudaPointerAttributes at;
    memset(&at, 0, sizeof at);
    Q("reset.pointer", cudaPointerGetAttributes(&at, p));
    say("reset.pointer.type", at.type);
    MUST(cudaStreamCreate(&s));
    Q("reset.free_async_old", cudaFreeAsync(p, s));
    Q("reset.free_async_own", cudaFreeAsync(q, s));
    Q("reset.sync", cudaDeviceSynchronize());
    Q("reset.take_own", cudaMallocFromPoolAsync(&q, 1 << 20, own, s));
    Q("reset.destroy_own", cudaMemPoolDestroy(own));
    Q("reset.free_of_malloc", cudaFree(r));
}
// Null places within a host function.
static long long codes[16];
static void CUDART_CB inside(void *)
{
    int i = 0;
    cudaEvent_t e;
    cudaStream_t q;
    codes[i++] = cudaMallocHost(nullptr, 64);
    codes[i++] = cudaMallocManaged((void **)nullptr, 64);
    codes[i++] = cudaEventCreate(nullptr);
    codes[i++] = cudaStreamCreate(nullptr);
    codes[i++] = cudaGetDevice(nullptr);
    codes[i++] = cudaFree(nullptr);
    codes[i++] = cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault);
    codes[i++] = cudaMemGetInfo(nullptr, nullptr);
    codes[i++] = cudaGraphCreate(nullptr, 0);
    codes[i++] = cudaSetDevice(-1);
    codes[i++] = cudaEventCreateWithFlags(&e, 1u << 30);
    codes[i++] = cudaStreamCreateWithFlags(&q, 1u << 30);
    codes[i++] = cudaDeviceGetLimit(nullptr, cudaLimitStackSize);
    codes[i++] = cudaStreamGetFlags(s, nullptr);
    codes[i++] = cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0);
    codes[i++] = cudaHostAlloc((void **)&q, 64, 1u << 30);
}
static void host_nulls()
{
    static const char *const names[] = {
        "MallocHost",  "MallocManaged",  "EventCreate",  "StreamCreate",
        "GetDevice",   "Free",           "Memcpy_0",     "MemGetInfo",
        "GraphCreate", "SetDevice_m1",   "EventFlags",   "StreamFlags",
        "GetLimit",    "StreamGetFlags", "GetAttribute", "HostAllocFlags"};
    for (auto &c : codes)
        c = -1;
    MUST(cudaLaunchHostFunc(s, inside, nullptr));
    MUST(cudaStreamSynchronize(s));
    for (int i = 0; i < 16; i++) {
        char k[64];
        snprintf(k, sizeof k, "host_null.%s", names[i]);
        say(k, codes[i]);
    }
}
// Libraries: an external function that nobody calls; what waits.
static void libraries()
{
#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
    cudaLibrary_t l;
    cudaKernel_t k;
    void *p;
    size_t n;
    unsigned u = 9;
    Q("lib.uncalled.load",
      cudaLibraryLoadData(&l,
                          HEAD ".extern .func nowhere();\n.visible .entry x() "
                               "{ ret; }\n",
                          0, 0, 0, 0, 0, 0));
    Q("lib.uncalled.count", cudaLibraryGetKernelCount(&u, l));
    say("lib.uncalled.n", u);
    Q("lib.uncalled.kernel", cudaLibraryGetKernel(&k, l, "x"));
    Q("lib.extern_var.load",
      cudaLibraryLoadData(&l,
                          HEAD ".extern .global .u32 cell;\n.visible .entry "
                               "x() { .reg .u32 %r; ld.global.u32 %r, [cell]; "
                               "ret; }\n",
                          0, 0, 0, 0, 0, 0));
    Q("lib.extern_var.kernel", cudaLibraryGetKernel(&k, l, "x"));
    Q("lib.extern_var.global", cudaLibraryGetGlobal(&p, &n, l, "cell"));
    const char *two = HEAD ".visible .global .align 4 .u32 cell = 7;\n.visible "
                           ".entry x() { ret; }\n";
    MUST(cudaLibraryLoadData(&l, two, 0, 0, 0, 0, 0, 0));
    MUST(cudaLibraryGetKernel(&k, l, "x"));
    MUST(cudaLaunchKernel((const void *)k, dim3(1), dim3(1), nullptr, 0, s));
    MUST(cudaStreamSynchronize(s));
    spin<<<1, 1, 0, s>>>(MS(20));
    Q("lib.used.global", cudaLibraryGetGlobal(&p, &n, l, "cell"));
    say("lib.used.global.busy", busy(s));
    Q("lib.used.unload", cudaLibraryUnload(l));
    say("lib.used.unload.busy", busy(s));
    MUST(cudaLibraryLoadData(&l, two, 0, 0, 0, 0, 0, 0));
    MUST(cudaStreamSynchronize(s));
    spin<<<1, 1, 0, s>>>(MS(20));
    Q("lib.unused.unload", cudaLibraryUnload(l));
    say("lib.unused.unload.busy", busy(s));
    MUST(cudaStreamSynchronize(s));
}
// Managed memory that is discarded, and a node of the host that is none.
static void managed()
{
    char *m;
    size_t n = 1 << 21;
    MUST(cudaMallocManaged(&m, n));
    memset(m, 7, n);
    void *pp = m;
    cudaMemLocation d = {cudaMemLocationTypeDevice, 0},
                    h = {cudaMemLocationTypeHostNuma, 1},
                    h9 = {cudaMemLocationTypeHostNuma, 99},
                    ho = {cudaMemLocationTypeHost, 9};
    Q("prefetch.one.numa_99", cudaMemPrefetchAsync(m, n, h9, 0, s));
    Q("prefetch.one.numa_1", cudaMemPrefetchAsync(m, n, h, 0, s));
    Q("prefetch.one.host_9", cudaMemPrefetchAsync(m, n, ho, 0, s));
    Q("advise.numa_99",
      cudaMemAdvise(m, n, cudaMemAdviseSetPreferredLocation, h9));
    Q("advise.host_9",
      cudaMemAdvise(m, n, cudaMemAdviseSetPreferredLocation, ho));
    MUST(cudaMemPrefetchAsync(m, n, d, 0, s));
    MUST(cudaStreamSynchronize(s));
    Q("discard.on_device", cudaMemDiscardBatchAsync(&pp, &n, 1, 0, s));
    Q("discard.on_device.sync", cudaStreamSynchronize(s));
    say("discard.on_device.value", m[0]);
    Q("attach.bytes_part",
      cudaStreamAttachMemAsync(s, m, 4096, cudaMemAttachSingle));
    Q("attach.null_stream_single",
      cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachSingle));
    Q("free_async_managed", cudaFreeAsync(m, s));
    Q("free_async_managed_inside", cudaFreeAsync(m + 16, s));
}
// A thread that has called nothing yet.
static void threads()
{
    long long c[6] = {};
    std::thread a([&] { c[0] = cudaCtxResetPersistingL2Cache(); });
    a.join();
    std::thread b([&] {
        cudaFree(0);
        c[1] = cudaCtxResetPersistingL2Cache();
    });
    b.join();
    std::thread e([&] {
        int d;
        cudaGetDevice(&d);
        c[2] = cudaCtxResetPersistingL2Cache();
    });
    e.join();
    std::thread g([&] {
        cudaSetDevice(0);
        c[3] = cudaCtxResetPersistingL2Cache();
    });
    g.join();
    say("l2_reset.fresh_thread", c[0]);
    say("l2_reset.after_free", c[1]);
    say("l2_reset.after_get_device", c[2]);
    say("l2_reset.after_set_device", c[3]);
}
// Two handles of one pool in a process.
static void imports()
{
    cudaMemPoolProps pr;
    cudaMemPool_t a, b;
    cudaMemPoolPtrExportData ed;
    void *p, *q = nullptr, *q2 = nullptr;
    int fd;
    memset(&pr, 0, sizeof pr);
    pr.allocType = cudaMemAllocationTypePinned;
    pr.location.type = cudaMemLocationTypeDevice;
    pr.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    MUST(cudaMemPoolCreate(&a, &pr));
    MUST(cudaMemPoolExportToShareableHandle(
        &fd, a, cudaMemHandleTypePosixFileDescriptor, 0));
    MUST(cudaMemPoolImportFromShareableHandle(
        &b, (void *)(size_t)fd, cudaMemHandleTypePosixFileDescriptor, 0));
    MUST(cudaMallocFromPoolAsync(&p, 4096, a, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemPoolExportPointer(&ed, p));
    Q("import.pointer", cudaMemPoolImportPointer(&q, b, &ed));
    say("import.same_address", q == p);
    Q("import.pointer_again", cudaMemPoolImportPointer(&q2, b, &ed));
    say("import.again_same_address", q2 == q);
    cudaPointerAttributes at;
    memset(&at, 0, sizeof at);
    Q("import.attributes", cudaPointerGetAttributes(&at, q));
    say("import.type", at.type);
    MUST(cudaMemset(p, 5, 16));
    char c = 0;
    Q("import.copy", cudaMemcpy(&c, q, 1, cudaMemcpyDefault));
    say("import.copy.value", c);
    Q("import.free", cudaFree(q));
    Q("import.free_again", cudaFree(q));
    Q("import.free_own", cudaFreeAsync(p, s));
    Q("import.sync", cudaStreamSynchronize(s));
    Q("import.destroy", cudaMemPoolDestroy(b));
}
int main()
{
    static void (*const parts[])() = {
        lists,      instantiation, holds,   programmatic, reset,
        host_nulls, libraries,     managed, threads,      imports};
    static const char *const names[] = {
        "lists",      "instantiation", "holds",   "programmatic", "reset",
        "host_nulls", "libraries",     "managed", "threads",      "imports"};
    for (int i = 0; i < 10; i++) {
        int status = 0;
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            alarm(20);
            begin();
            parts[i]();
            _exit(0);
        }
        waitpid(child, &status, 0);
        printf("ended.%s %d\n", names[i],
               WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
    }
    return 0;
}
