#include "../asked_calls.h"
// Events: what a time is made of, handles that come again, codes, external
// records and waits, two devices.
#undef MUST
#define MUST(c)                                                                \
    do {                                                                       \
        cudaError_t e_ = (c);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("soft_line=%d code=%d %.60s\n", __LINE__, (int)e_, #c);     \
            fflush(stdout);                                                    \
            (void)cudaGetLastError();                                          \
        }                                                                      \
    } while (0)
static cudaStream_t s, t;
static int count;
static float el(cudaEvent_t a, cudaEvent_t b)
{
    float m = -77;
    cudaError_t e = cudaEventElapsedTime(&m, a, b);
    (void)cudaGetLastError();
    return e ? -1000 - (float)e : m;
}
static cudaEvent_t E(unsigned f = 0)
{
    cudaEvent_t e;
    MUST(cudaEventCreateWithFlags(&e, f));
    return e;
}
static void R(cudaEvent_t e, cudaStream_t q)
{
    MUST(cudaEventRecord(e, q));
}
static void CUDART_CB hslow(void *)
{
    usleep(5000);
}
static void CUDART_CB hf(void *)
{
}
static double host_us()
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}
template <class F>
static void series(const char *nm, F f)
{
    printf("time.%s=", nm);
    for (int i = 0; i < 8; i++)
        printf("%.6f%s", f(), i < 7 ? "," : "\n");
    fflush(stdout);
}
static void times()
{
    cudaEvent_t a = E(), b = E(), c = E();
    int *d;
    MUST(cudaMalloc(&d, 1 << 20));
    int *pin;
    MUST(cudaMallocHost(&pin, 1 << 20));
    R(a, s);
    R(b, s);
    R(c, t);
    MUST(cudaDeviceSynchronize());
    series("two_records_idle", [&] {
        MUST(cudaStreamSynchronize(s));
        R(a, s);
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("two_records_host_waits_1ms_between", [&] {
        R(a, s);
        usleep(1000);
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("two_records_behind_busy", [&] {
        spin<<<1, 1, 0, s>>>(MS(1));
        R(a, s);
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("two_records_behind_busy_host_5ms_between", [&] {
        spin<<<1, 1, 0, s>>>(MS(3));
        R(a, s);
        usleep(1000);
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("four_records_behind_busy_first_last", [&] {
        spin<<<1, 1, 0, s>>>(MS(1));
        R(a, s);
        R(c, s);
        R(c, s);
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("empty_kernel_between_idle", [&] {
        R(a, s);
        nop<<<1, 1, 0, s>>>();
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("empty_kernel_between_behind_busy", [&] {
        spin<<<1, 1, 0, s>>>(MS(1));
        R(a, s);
        nop<<<1, 1, 0, s>>>();
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("ten_empty_kernels_behind_busy", [&] {
        spin<<<1, 1, 0, s>>>(MS(1));
        R(a, s);
        for (int i = 0; i < 10; i++)
            nop<<<1, 1, 0, s>>>();
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("copy_4_pinned_between_behind_busy", [&] {
        spin<<<1, 1, 0, s>>>(MS(1));
        R(a, s);
        MUST(cudaMemcpyAsync(d, pin, 4, cudaMemcpyHostToDevice, s));
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("copy_4_d2h_between_behind_busy", [&] {
        spin<<<1, 1, 0, s>>>(MS(1));
        R(a, s);
        MUST(cudaMemcpyAsync(pin, d, 4, cudaMemcpyDeviceToHost, s));
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("memset_4_between_behind_busy", [&] {
        spin<<<1, 1, 0, s>>>(MS(1));
        R(a, s);
        MUST(cudaMemsetAsync(d, 0, 4, s));
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("d2d_4_between_behind_busy", [&] {
        spin<<<1, 1, 0, s>>>(MS(1));
        R(a, s);
        MUST(cudaMemcpyAsync(d, d + 64, 4, cudaMemcpyDeviceToDevice, s));
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("host_function_between", [&] {
        R(a, s);
        MUST(cudaLaunchHostFunc(s, hf, nullptr));
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("host_function_5ms_between", [&] {
        R(a, s);
        MUST(cudaLaunchHostFunc(s, hslow, nullptr));
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("wait_for_done_event_between", [&] {
        spin<<<1, 1, 0, s>>>(MS(1));
        R(a, s);
        MUST(cudaStreamWaitEvent(s, c, 0));
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        return el(a, b);
    });
    series("wait_for_other_stream_between", [&] {
        spin<<<1, 1, 0, t>>>(MS(2));
        R(c, t);
        R(a, s);
        MUST(cudaStreamWaitEvent(s, c, 0));
        R(b, s);
        MUST(cudaStreamSynchronize(s));
        MUST(cudaDeviceSynchronize());
        return el(a, b);
    });
    series("after_wait_across_streams", [&] {
        spin<<<1, 1, 0, t>>>(MS(2));
        R(c, t);
        MUST(cudaStreamWaitEvent(s, c, 0));
        R(b, s);
        MUST(cudaDeviceSynchronize());
        return el(c, b);
    });
    series("same_point_two_streams", [&] {
        R(a, s);
        R(b, t);
        MUST(cudaDeviceSynchronize());
        return el(a, b);
    });
    series("legacy_idle_two_records", [&] {
        R(a, 0);
        R(b, 0);
        MUST(cudaDeviceSynchronize());
        return el(a, b);
    });
    series("work_in_other_stream_events_in_legacy", [&] {
        R(a, 0);
        spin<<<1, 1, 0, s>>>(MS(1));
        R(b, 0);
        MUST(cudaDeviceSynchronize());
        return el(a, b);
    });
    {
        cudaStream_t bl;
        MUST(cudaStreamCreate(&bl));
        series("work_in_blocking_stream_events_in_legacy", [&] {
            R(a, 0);
            spin<<<1, 1, 0, bl>>>(MS(1));
            R(b, 0);
            MUST(cudaDeviceSynchronize());
            return el(a, b);
        });
        MUST(cudaStreamDestroy(bl));
    }
    {
        cudaGraph_t g;
        cudaGraphExec_t x;
        cudaGraphNode_t z;
        MUST(cudaGraphCreate(&g, 0));
        MUST(cudaGraphAddEmptyNode(&z, g, nullptr, 0));
        MUST(cudaGraphInstantiate(&x, g, 0));
        MUST(cudaGraphUpload(x, s));
        series("empty_graph_between_behind_busy", [&] {
            spin<<<1, 1, 0, s>>>(MS(1));
            R(a, s);
            MUST(cudaGraphLaunch(x, s));
            R(b, s);
            MUST(cudaStreamSynchronize(s));
            return el(a, b);
        });
    }
    int off = 0, neg = 0, all = 0;
    long g32 = 0, g16 = 0;
    cudaEvent_t ev[200];
    for (auto &e : ev)
        e = E();
    for (int i = 0; i < 200; i++) {
        nop<<<1, 1, 0, s>>>();
        R(ev[i], s);
    }
    MUST(cudaStreamSynchronize(s));
    for (int i = 1; i < 200; i++) {
        double ns = (double)el(ev[i - 1], ev[i]) * 1e6;
        long r = (long)(ns + 0.5);
        off += r % 32 != 0;
        g32 += r % 64 != 0;
        g16 += r % 1000 == 0;
        neg += r < 0;
        all++;
    }
    P("multiples.not_of_32=%d,not_of_64=%ld,of_1000=%ld,negative=%d,of=%d", off,
      g32, g16, neg, all);
    P("ns=%.0f,%.0f,%.0f,%.0f,%.0f", el(ev[0], ev[1]) * 1e6,
      el(ev[1], ev[2]) * 1e6, el(ev[50], ev[51]) * 1e6,
      el(ev[0], ev[100]) * 1e6, el(ev[199], ev[0]) * 1e6);
    double h0 = host_us();
    for (int i = 0; i < 200; i++)
        R(a, s);
    double h1 = host_us();
    P("record_cost_us=%.2f", (h1 - h0) / 200);
    MUST(cudaStreamSynchronize(s));
    h0 = host_us();
    for (int i = 0; i < 200; i++)
        (void)cudaEventQuery(a);
    h1 = host_us();
    P("query_cost_us=%.2f", (h1 - h0) / 200);
    h0 = host_us();
    for (int i = 0; i < 200; i++)
        el(a, b);
    h1 = host_us();
    P("elapsed_cost_us=%.2f", (h1 - h0) / 200);
    h0 = host_us();
    for (int i = 0; i < 200; i++)
        MUST(cudaEventSynchronize(a));
    h1 = host_us();
    P("sync_done_cost_us=%.2f", (h1 - h0) / 200);
    for (auto &e : ev)
        MUST(cudaEventDestroy(e));
    float sum = 0;
    {
        cudaEvent_t x = E(), y = E(), z = E();
        R(x, s);
        spin<<<1, 1, 0, s>>>(MS(1));
        R(y, s);
        spin<<<1, 1, 0, s>>>(MS(1));
        R(z, s);
        MUST(cudaStreamSynchronize(s));
        sum = el(x, y) + el(y, z) - el(x, z);
        P("sum_is_exact_ns=%.1f,reverse=%d", sum * 1e6, el(x, z) == -el(z, x));
    }
}
static void codes()
{
    float m = 5;
    cudaEvent_t a = E(), b = E(), nt = E(cudaEventDisableTiming), never = E();
    R(a, s);
    R(b, s);
    R(nt, s);
    MUST(cudaStreamSynchronize(s));
    struct {
        const char *nm;
        cudaEvent_t x, y;
    } q[] = {{"ok", a, b},
             {"same", a, a},
             {"never_end", a, never},
             {"never_start", never, a},
             {"no_timing", a, nt},
             {"null", a, nullptr},
             {"both_null", nullptr, nullptr}};
    for (auto &z : q) {
        m = 5;
        int c = (int)cudaEventElapsedTime(&m, z.x, z.y);
        P("elapsed.%s=%d,%d,last%d", z.nm, c, m != 5, (int)cudaGetLastError());
    }
    P("elapsed.null_out=%d", (int)cudaEventElapsedTime(nullptr, a, b));
    P("elapsed.null_out_never=%d",
      (int)cudaEventElapsedTime(nullptr, a, never));
    spin<<<1, 1, 0, s>>>(MS(12));
    R(b, s);
    P("elapsed.pending=%d", (int)cudaEventElapsedTime(&m, a, b));
    P("elapsed.pending_last=%d", (int)cudaGetLastError());
    P("elapsed.pending_no_timing=%d", (int)cudaEventElapsedTime(&m, b, nt));
    P("elapsed.pending_never=%d", (int)cudaEventElapsedTime(&m, b, never));
    P("elapsed.pending_itself=%d", (int)cudaEventElapsedTime(&m, b, b));
    P("query.pending=%d,last%d", (int)cudaEventQuery(b),
      (int)cudaGetLastError());
    R(a, s);
    P("elapsed.rerecorded_pending=%d", (int)cudaEventElapsedTime(&m, a, b));
    MUST(cudaStreamSynchronize(s));
    for (unsigned f = 0; f < 16; f++) {
        cudaEvent_t e;
        int c = (int)cudaEventCreateWithFlags(&e, f);
        P("flags.%u=%d", f, c);
        if (!c)
            cudaEventDestroy(e);
    }
    for (unsigned f : {16u, 32u, 0x80000000u}) {
        cudaEvent_t e;
        P("flags.%u=%d", f, (int)cudaEventCreateWithFlags(&e, f));
    }
    P("create.null=%d,%d", (int)cudaEventCreate(nullptr),
      (int)cudaEventCreateWithFlags(nullptr, 0));
    cudaEvent_t ipc = E(cudaEventInterprocess | cudaEventDisableTiming);
    P("ipc.never.query=%d", (int)cudaEventQuery(ipc));
    R(ipc, s);
    MUST(cudaStreamSynchronize(s));
    P("ipc.query=%d", (int)cudaEventQuery(ipc));
    P("ipc.elapsed=%d", (int)cudaEventElapsedTime(&m, ipc, a));
    P("query.never=%d", (int)cudaEventQuery(never));
    P("sync.never=%d", (int)cudaEventSynchronize(never));
    P("wait.never=%d", (int)cudaStreamWaitEvent(s, never, 0));
    P("query.null=%d", (int)cudaEventQuery(nullptr));
    P("sync.null=%d", (int)cudaEventSynchronize(nullptr));
    P("record.null=%d", (int)cudaEventRecord(nullptr, s));
    P("wait.null=%d", (int)cudaStreamWaitEvent(s, nullptr, 0));
    P("destroy.null=%d", (int)cudaEventDestroy(nullptr));
    P("wait.flags_2=%d", (int)cudaStreamWaitEvent(s, a, 2));
    P("record.flags_2=%d", (int)cudaEventRecordWithFlags(a, s, 2));
    P("record.flags_1_outside=%d", (int)cudaEventRecordWithFlags(a, s, 1));
    P("wait.flags_1_outside=%d", (int)cudaStreamWaitEvent(s, a, 1));
    P("record.flags_3=%d", (int)cudaEventRecordWithFlags(a, s, 3));
    P("wait.flags_null_event=%d", (int)cudaStreamWaitEvent(s, nullptr, 4));
    // destroyed while pending, while waited for, rerecorded while waited for
    int *h;
    MUST(cudaMallocHost(&h, 64));
    int *d;
    MUST(cudaMalloc(&d, 64));
    cudaEvent_t p = E();
    spin<<<1, 1, 0, s>>>(MS(12));
    R(p, s);
    MUST(cudaStreamWaitEvent(t, p, 0));
    P("destroy.pending=%d,busy%d", (int)cudaEventDestroy(p), busy(s));
    P("destroy.pending.waiter_waits=%d", busy(t));
    MUST(cudaDeviceSynchronize());
    p = E();
    spin<<<1, 1, 0, s>>>(MS(12));
    R(p, s);
    MUST(cudaStreamWaitEvent(t, p, 0));
    cudaStream_t u;
    MUST(cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking));
    R(p, u);
    MUST(cudaStreamSynchronize(u));
    P("rerecorded.query=%d,waiter_still_waits=%d", (int)cudaEventQuery(p),
      busy(t));
    MUST(cudaDeviceSynchronize());
    p = E();
    spin<<<1, 1, 0, s>>>(MS(12));
    R(p, s);
    MUST(cudaStreamDestroy(s));
    P("stream_destroyed.event_query=%d", (int)cudaEventQuery(p));
    P("stream_destroyed.sync=%d", (int)cudaEventSynchronize(p));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    P("stream_destroyed.elapsed_ok=%d", el(b, p) > 5 || el(p, b) > 5);
    p = E();
    spin<<<1, 1, 0, s>>>(MS(12));
    R(p, s);
    {
        std::atomic<int> done{0};
        std::thread w([&] {
            MUST(cudaEventSynchronize(p));
            done = 1;
        });
        usleep(2000);
        R(p, u);
        usleep(2000);
        P("rerecorded_while_thread_waits.returned_early=%d", (int)done);
        w.join();
    }
    MUST(cudaDeviceSynchronize());
    P("stream_null_destroy=%d,%d,%d", (int)cudaStreamDestroy(nullptr),
      (int)cudaStreamDestroy(cudaStreamLegacy),
      (int)cudaStreamDestroy(cudaStreamPerThread));
}
static void handles()
{
    auto same = [](const char *nm, std::function<void *()> make,
                   std::function<void(void *)> kill) {
        void *a = make();
        kill(a);
        void *b = make();
        void *c = make(), *d = make();
        kill(c);
        kill(d);
        void *e = make(), *f = make();
        P("again.%s=%d,lifo%d,fifo%d", nm, a == b, e == d && f == c,
          e == c && f == d);
        kill(b);
        kill(e);
        kill(f);
    };
    same(
        "stream",
        [] {
            cudaStream_t q;
            MUST(cudaStreamCreate(&q));
            return (void *)q;
        },
        [](void *q) { MUST(cudaStreamDestroy((cudaStream_t)q)); });
    same(
        "stream_nonblocking",
        [] {
            cudaStream_t q;
            MUST(cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking));
            return (void *)q;
        },
        [](void *q) { MUST(cudaStreamDestroy((cudaStream_t)q)); });
    same(
        "stream_used",
        [] {
            cudaStream_t q;
            MUST(cudaStreamCreate(&q));
            nop<<<1, 1, 0, q>>>();
            return (void *)q;
        },
        [](void *q) {
            MUST(cudaStreamSynchronize((cudaStream_t)q));
            MUST(cudaStreamDestroy((cudaStream_t)q));
        });
    same(
        "stream_busy",
        [] {
            cudaStream_t q;
            MUST(cudaStreamCreate(&q));
            spin<<<1, 1, 0, q>>>(MS(2));
            return (void *)q;
        },
        [](void *q) { MUST(cudaStreamDestroy((cudaStream_t)q)); });
    MUST(cudaDeviceSynchronize());
    same(
        "event", [] { return (void *)E(); },
        [](void *q) { MUST(cudaEventDestroy((cudaEvent_t)q)); });
    same(
        "event_no_timing", [] { return (void *)E(2); },
        [](void *q) { MUST(cudaEventDestroy((cudaEvent_t)q)); });
    same(
        "event_pending",
        [] {
            cudaEvent_t e = E();
            spin<<<1, 1, 0, t>>>(MS(1));
            R(e, t);
            return (void *)e;
        },
        [](void *q) { MUST(cudaEventDestroy((cudaEvent_t)q)); });
    MUST(cudaDeviceSynchronize());
    same(
        "graph",
        [] {
            cudaGraph_t q;
            MUST(cudaGraphCreate(&q, 0));
            return (void *)q;
        },
        [](void *q) { MUST(cudaGraphDestroy((cudaGraph_t)q)); });
    static cudaGraph_t g;
    MUST(cudaGraphCreate(&g, 0));
    same(
        "graph_node",
        [] {
            cudaGraphNode_t q;
            MUST(cudaGraphAddEmptyNode(&q, g, nullptr, 0));
            return (void *)q;
        },
        [](void *q) { MUST(cudaGraphDestroyNode((cudaGraphNode_t)q)); });
    same(
        "graph_exec",
        [] {
            cudaGraphExec_t q;
            MUST(cudaGraphInstantiate(&q, g, 0));
            return (void *)q;
        },
        [](void *q) { MUST(cudaGraphExecDestroy((cudaGraphExec_t)q)); });
    same(
        "malloc",
        [] {
            void *q;
            MUST(cudaMalloc(&q, 4096));
            return q;
        },
        [](void *q) { MUST(cudaFree(q)); });
    same(
        "malloc_4M",
        [] {
            void *q;
            MUST(cudaMalloc(&q, 4 << 20));
            return q;
        },
        [](void *q) { MUST(cudaFree(q)); });
    same(
        "malloc_host",
        [] {
            void *q;
            MUST(cudaMallocHost(&q, 4096));
            return q;
        },
        [](void *q) { MUST(cudaFreeHost(q)); });
    same(
        "malloc_managed",
        [] {
            void *q;
            MUST(cudaMallocManaged(&q, 4096));
            return q;
        },
        [](void *q) { MUST(cudaFree(q)); });
    same(
        "mem_pool",
        [] {
            cudaMemPoolProps p;
            memset(&p, 0, sizeof p);
            p.allocType = cudaMemAllocationTypePinned;
            p.location.type = cudaMemLocationTypeDevice;
            cudaMemPool_t q;
            MUST(cudaMemPoolCreate(&q, &p));
            return (void *)q;
        },
        [](void *q) { MUST(cudaMemPoolDestroy((cudaMemPool_t)q)); });
    cudaStream_t q, r;
    MUST(cudaStreamCreateWithPriority(&q, cudaStreamNonBlocking, -2));
    unsigned long long i1, i2;
    MUST(cudaStreamGetId(q, &i1));
    MUST(cudaStreamDestroy(q));
    MUST(cudaStreamCreate(&r));
    MUST(cudaStreamGetId(r, &i2));
    unsigned f;
    int p;
    MUST(cudaStreamGetFlags(r, &f));
    MUST(cudaStreamGetPriority(r, &p));
    P("again.other_flags_same_handle=%d,id_differs%d,flags%u,priority%d",
      q == r, i1 != i2, f, p);
}
static void external()
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaEvent_t a = E(), b = E(), nt = E(cudaEventDisableTiming), e1 = E();
    float m = -1;
    size_t n = 0;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    int c1 = (int)cudaEventRecordWithFlags(a, s, cudaEventRecordExternal);
    spin<<<1, 1, 0, s>>>(MS(3));
    int c2 = (int)cudaEventRecordWithFlags(b, s, cudaEventRecordExternal);
    int c3 = (int)cudaEventRecordWithFlags(nt, s, cudaEventRecordExternal),
        c4 = (int)cudaStreamWaitEvent(s, e1, cudaEventWaitExternal);
    int c5 = (int)cudaStreamEndCapture(s, &g);
    P("external=%d,%d,%d,%d,%d", c1, c2, c3, c4, c5);
    if (c5)
        return;
    MUST(cudaGraphGetNodes(g, nullptr, &n));
    P("external.nodes=%zu", n);
    MUST(cudaGraphInstantiate(&x, g, 0));
    MUST(cudaGraphLaunch(x, s));
    P("external.pending=%d", (int)cudaEventQuery(b));
    MUST(cudaStreamSynchronize(s));
    P("external.elapsed=%d,%d,%d", (int)cudaEventElapsedTime(&m, a, b), m > 1,
      m < 10);
    P("external.nt_query=%d", (int)cudaEventQuery(nt));
    MUST(cudaGraphLaunch(x, s));
    MUST(cudaStreamSynchronize(s));
    P("external.second_launch=%d", (int)cudaEventElapsedTime(&m, a, b));
    // captured as edges (timing on), asked after
    cudaEvent_t p = E(), q = E();
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    R(p, s);
    nop<<<1, 1, 0, s>>>();
    R(q, s);
    MUST(cudaStreamEndCapture(s, &g));
    MUST(cudaGraphInstantiate(&x, g, 0));
    MUST(cudaGraphLaunch(x, s));
    MUST(cudaStreamSynchronize(s));
    P("edges.query=%d", (int)cudaEventQuery(p));
    P("edges.sync=%d", (int)cudaEventSynchronize(p));
    P("edges.elapsed=%d", (int)cudaEventElapsedTime(&m, p, q));
    P("edges.wait=%d", (int)cudaStreamWaitEvent(s, p, 0));
    R(p, s);
    R(q, s);
    MUST(cudaStreamSynchronize(s));
    P("edges.recorded_anew=%d,%d", (int)cudaEventQuery(p),
      (int)cudaEventElapsedTime(&m, p, q));
    // during capture
    for (int mode = 0; mode < 3; mode++)
        for (int what = 0; what < 10; what++) {
            cudaEvent_t r = E(), r0 = E();
            R(r0, t);
            MUST(cudaStreamSynchronize(t));
            MUST(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
            R(r, s);
            int c = what == 0   ? (int)cudaEventQuery(r)
                    : what == 1 ? (int)cudaEventSynchronize(r)
                    : what == 2 ? (int)cudaEventElapsedTime(&m, r0, r)
                    : what == 3 ? (int)cudaStreamWaitEvent(t, r, 0)
                    : what == 4 ? (int)cudaEventDestroy(r)
                    : what == 5 ? (int)cudaStreamWaitEvent(s, r0, 0)
                    : what == 6
                        ? (int)cudaStreamWaitEvent(s, r0, cudaEventWaitExternal)
                    : what == 7 ? (int)cudaEventRecord(r, t)
                    : what == 8
                        ? (int)cudaStreamWaitEvent(0, r, 0)
                        : (int)cudaStreamWaitEvent(s, r, cudaEventWaitExternal);
            (void)cudaGetLastError();
            cudaStreamCaptureStatus st, st2;
            MUST(cudaStreamIsCapturing(s, &st));
            cudaStreamIsCapturing(t, &st2);
            g = nullptr;
            int e = (int)cudaStreamEndCapture(s, &g);
            static const char *const nm[] = {
                "query",         "sync",
                "elapsed",       "wait_other",
                "destroy",       "wait_plain_event",
                "wait_external", "record_elsewhere",
                "wait_legacy",   "wait_external_captured"};
            P("during.mode%d.%s=%d,status%d,other%d,end%d", mode, nm[what], c,
              (int)st, (int)st2, e);
            cudaStreamCaptureStatus s3 = cudaStreamCaptureStatusNone;
            cudaStreamIsCapturing(t, &s3);
            if (s3 != cudaStreamCaptureStatusNone) {
                P("  t_still_captures=%d", (int)s3);
                MUST(cudaStreamDestroy(t));
                MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
            }
        }
    // several ends
    cudaGraph_t g0;
    P("end.not_capturing=%d", (int)cudaStreamEndCapture(s, &g0));
    P("begin.legacy=%d",
      (int)cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    P("begin.legacy_handle=%d",
      (int)cudaStreamBeginCapture(cudaStreamLegacy,
                                  cudaStreamCaptureModeGlobal));
    int pt = (int)cudaStreamBeginCapture(cudaStreamPerThread,
                                         cudaStreamCaptureModeGlobal);
    P("begin.per_thread=%d", pt);
    if (!pt)
        MUST(cudaStreamEndCapture(cudaStreamPerThread, &g0));
    P("begin.mode_7=%d",
      (int)cudaStreamBeginCapture(s, (cudaStreamCaptureMode)7));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    P("begin.twice=%d",
      (int)cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    P("begin.twice.end=%d", (int)cudaStreamEndCapture(s, &g0));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    P("end.null=%d", (int)cudaStreamEndCapture(s, nullptr));
    cudaStreamCaptureStatus st;
    P("end.null.status=%d,%d", (int)cudaStreamIsCapturing(s, &st), (int)st);
    if (st)
        P("end.null.end=%d", (int)cudaStreamEndCapture(s, &g0));
    spin<<<1, 1, 0, s>>>(MS(3));
    P("begin.busy=%d",
      (int)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    P("begin.busy.end=%d,busy%d", (int)cudaStreamEndCapture(s, &g0), busy(s));
    P("iscapturing.legacy=%d", (int)cudaStreamIsCapturing(0, &st));
    cudaStream_t bl;
    MUST(cudaStreamCreate(&bl));
    MUST(cudaStreamBeginCapture(bl, cudaStreamCaptureModeRelaxed));
    P("iscapturing.legacy_while_blocking=%d,%d",
      (int)cudaStreamIsCapturing(0, &st), (int)st);
    P("iscapturing.legacy_while_blocking.end=%d",
      (int)cudaStreamEndCapture(bl, &g0));
    // end from other stream, joined stream, unjoined
    cudaEvent_t j = E(), k = E();
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    R(j, s);
    MUST(cudaStreamWaitEvent(t, j, 0));
    P("end.of_forked=%d", (int)cudaStreamEndCapture(t, &g0));
    P("end.of_forked.then=%d", (int)cudaStreamEndCapture(s, &g0));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    R(j, s);
    MUST(cudaStreamWaitEvent(t, j, 0));
    P("end.forked_without_work=%d", (int)cudaStreamEndCapture(s, &g0));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    R(j, s);
    MUST(cudaStreamWaitEvent(t, j, 0));
    nop<<<1, 1, 0, t>>>();
    R(k, t);
    P("end.unjoined=%d", (int)cudaStreamEndCapture(s, &g0));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    R(j, s);
    MUST(cudaStreamWaitEvent(t, j, 0));
    nop<<<1, 1, 0, t>>>();
    R(k, t);
    MUST(cudaStreamWaitEvent(s, k, 0));
    nop<<<1, 1, 0, t>>>();
    P("end.work_after_join=%d", (int)cudaStreamEndCapture(s, &g0));
    cudaStream_t v;
    MUST(cudaStreamCreateWithFlags(&v, cudaStreamNonBlocking));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaStreamBeginCapture(v, cudaStreamCaptureModeRelaxed));
    R(j, s);
    P("merge_of_two_captures=%d", (int)cudaStreamWaitEvent(v, j, 0));
    P("merge.ends=%d,%d", (int)cudaStreamEndCapture(s, &g0),
      (int)cudaStreamEndCapture(v, &g0));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    R(j, s);
    MUST(cudaStreamWaitEvent(v, j, 0));
    P("destroy_forked=%d", (int)cudaStreamDestroy(v));
    P("destroy_forked.end=%d", (int)cudaStreamEndCapture(s, &g0));
}
static void two()
{
    if (count < 2) {
        P("two=skipped");
        return;
    }
    cudaEvent_t e0 = E(), f0 = E(), e1;
    cudaStream_t s1;
    float m;
    MUST(cudaSetDevice(1));
    warm();
    e1 = E();
    MUST(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
    cudaEvent_t f1 = E();
    R(e1, s1);
    R(f1, s1);
    MUST(cudaStreamSynchronize(s1));
    R(e0, s);
    MUST(cudaEventSynchronize(e0));
    R(f0, s);
    MUST(cudaEventSynchronize(f0));
    P("two.record_other_current=0");
    P("two.elapsed_own_other_current=%d",
      (int)cudaEventElapsedTime(&m, e0, f0));
    P("two.elapsed_across=%d", (int)cudaEventElapsedTime(&m, e0, e1));
    P("two.record_mismatch=%d,%d", (int)cudaEventRecord(e0, s1),
      (int)cudaEventRecord(e1, s));
    P("two.record_mismatch.then_query=%d,%d", (int)cudaEventQuery(e0),
      (int)cudaEventQuery(e1));
    P("two.query_other=%d", (int)cudaEventQuery(e0));
    P("two.sync_other=%d", (int)cudaEventSynchronize(e0));
    P("two.wait_other=%d,%d", (int)cudaStreamWaitEvent(s1, e0, 0),
      (int)cudaStreamWaitEvent(s, e1, 0));
    P("two.record_legacy_of_other=%d", (int)cudaEventRecord(e0, 0));
    P("two.record_own_legacy=%d", (int)cudaEventRecord(e1, 0));
    P("two.wait_in_legacy=%d", (int)cudaStreamWaitEvent(0, e0, 0));
    P("two.record_per_thread=%d,%d",
      (int)cudaEventRecord(e0, cudaStreamPerThread),
      (int)cudaEventRecord(e1, cudaStreamPerThread));
    P("two.stream_query_other=%d", (int)cudaStreamQuery(s));
    P("two.stream_sync_other=%d", (int)cudaStreamSynchronize(s));
    nop<<<1, 1, 0, s>>>();
    P("two.launch_other=%d", (int)cudaGetLastError());
    P("two.hostfunc_other=%d", (int)cudaLaunchHostFunc(s, hf, nullptr));
    P("two.callback_other=%d",
      (int)cudaStreamAddCallback(
          s, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 0));
    MUST(cudaDeviceSynchronize());
    cudaEvent_t never = E();
    P("two.elapsed_never_across=%d", (int)cudaEventElapsedTime(&m, e0, never));
    P("two.destroy_other=%d", (int)cudaEventDestroy(f0));
    P("two.stream_destroy_other=%d",
      (int)(cudaStreamCreate(&s1), cudaSetDevice(0), cudaStreamDestroy(s1)));
    // capture on two devices
    cudaStream_t c1;
    MUST(cudaSetDevice(1));
    MUST(cudaStreamCreateWithFlags(&c1, cudaStreamNonBlocking));
    cudaEvent_t j1 = E();
    MUST(cudaSetDevice(0));
    cudaEvent_t j0 = E();
    cudaGraph_t g;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    R(j0, s);
    P("two.capture_fork=%d", (int)cudaStreamWaitEvent(c1, j0, 0));
    MUST(cudaSetDevice(1));
    nop<<<1, 1, 0, c1>>>();
    P("two.capture_launch=%d", (int)cudaGetLastError());
    R(j1, c1);
    P("two.capture_device1_sync=%d", (int)cudaDeviceSynchronize());
    MUST(cudaSetDevice(0));
    P("two.capture_join=%d", (int)cudaStreamWaitEvent(s, j1, 0));
    P("two.capture_end=%d", (int)cudaStreamEndCapture(s, &g));
    for (int mode = 0; mode < 3; mode++) {
        MUST(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
        MUST(cudaSetDevice(1));
        void *p;
        int a = (int)cudaMalloc(&p, 64);
        (void)cudaGetLastError();
        MUST(cudaSetDevice(0));
        cudaStreamCaptureStatus st;
        MUST(cudaStreamIsCapturing(s, &st));
        P("two.malloc_on_1_while_0_captures.mode%d=%d,%d,end%d", mode, a,
          (int)st, (int)cudaStreamEndCapture(s, &g));
        MUST(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
        MUST(cudaSetDevice(1));
        a = (int)cudaDeviceSynchronize();
        (void)cudaGetLastError();
        MUST(cudaSetDevice(0));
        MUST(cudaStreamIsCapturing(s, &st));
        P("two.device_sync_on_1_while_0_captures.mode%d=%d,%d,end%d", mode, a,
          (int)st, (int)cudaStreamEndCapture(s, &g));
        MUST(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
        MUST(cudaSetDevice(1));
        nop<<<1, 1>>>();
        a = (int)cudaGetLastError();
        MUST(cudaSetDevice(0));
        MUST(cudaStreamIsCapturing(s, &st));
        P("two.legacy_launch_on_1_while_0_captures.mode%d=%d,%d,end%d", mode, a,
          (int)st, (int)cudaStreamEndCapture(s, &g));
        MUST(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
        a = (int)cudaSetDevice(1);
        MUST(cudaSetDevice(0));
        P("two.set_device_while_captures.mode%d=%d,end%d", mode, a,
          (int)cudaStreamEndCapture(s, &g));
    }
}
int main()
{
    MUST(cudaGetDeviceCount(&count));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    warm();
    cudaEvent_t f = E(), f2 = E();
    R(f, s);
    R(f2, s);
    MUST(cudaStreamSynchronize(s));
    P("first_two_records_ever_ms=%.6f", el(f, f2));
    times();
    handles();
    codes();
    external();
    two();
    P("end=%d", (int)cudaDeviceSynchronize());
    return 0;
}
