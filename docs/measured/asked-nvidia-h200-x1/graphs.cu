/* graphs.cu: see README.md. */
#include "../asked_calls.h"
// Graphs: update results by kind of change, codes of exec parameter setters,
// edges and their data, clone, destroyed objects, flags.
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
static int *d, *pin, *pin2, *d2;
static char *page, *page2, *man;
static cudaStream_t s, t;
static cudaGraphNode_t N;
static void CUDART_CB hf(void *)
{
}
static void CUDART_CB hf2(void *)
{
}
__global__ void two(int *p, int v, int w)
{
    if (p)
        *p = v + w;
}
__device__ int sym[16], sym2[16];
static cudaGraph_t G()
{
    cudaGraph_t g;
    MUST(cudaGraphCreate(&g, 0));
    return g;
}
static cudaGraphNode_t kn(cudaGraph_t g, void *f,
                          std::vector<cudaGraphNode_t> dep, int v = 1,
                          dim3 grid = 1, dim3 block = 1, size_t sh = 0)
{
    cudaGraphNode_t n;
    int w = 0;
    void *args[] = {&d, &v, &w};
    cudaKernelNodeParams p;
    memset((void *)&p, 0, sizeof p);
    p.func = f;
    p.gridDim = grid;
    p.blockDim = block;
    p.sharedMemBytes = sh;
    p.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&n, g, dep.data(), dep.size(), &p));
    return n;
}
static cudaGraphNode_t en(cudaGraph_t g, std::vector<cudaGraphNode_t> dep = {})
{
    cudaGraphNode_t n;
    MUST(cudaGraphAddEmptyNode(&n, g, dep.data(), dep.size()));
    return n;
}
static cudaGraphNode_t mn(cudaGraph_t g, void *dst, unsigned value, unsigned el,
                          size_t w, size_t h = 1, size_t pitch = 0)
{
    cudaMemsetParams p;
    memset(&p, 0, sizeof p);
    p.dst = dst;
    p.value = value;
    p.elementSize = el;
    p.width = w;
    p.height = h;
    p.pitch = pitch;
    cudaGraphNode_t n;
    MUST(cudaGraphAddMemsetNode(&n, g, nullptr, 0, &p));
    return n;
}
static cudaGraphNode_t cn(cudaGraph_t g, void *a, const void *b, size_t n,
                          cudaMemcpyKind k)
{
    cudaGraphNode_t x;
    MUST(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, a, b, n, k));
    return x;
}
static cudaGraphNode_t c2(cudaGraph_t g, void *a, size_t ap, void *b, size_t bp,
                          size_t w, size_t h, cudaMemcpyKind k, size_t z = 1)
{
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.dstPtr = make_cudaPitchedPtr(a, ap, w, h);
    p.srcPtr = make_cudaPitchedPtr(b, bp, w, h);
    p.extent = make_cudaExtent(w, h, z);
    p.kind = k;
    cudaGraphNode_t x;
    MUST(cudaGraphAddMemcpyNode(&x, g, nullptr, 0, &p));
    return x;
}
static cudaGraphNode_t hn(cudaGraph_t g, cudaHostFn_t f, void *u)
{
    cudaHostNodeParams p;
    memset(&p, 0, sizeof p);
    p.fn = f;
    p.userData = u;
    cudaGraphNode_t x;
    MUST(cudaGraphAddHostNode(&x, g, nullptr, 0, &p));
    return x;
}
static void upd(const char *k, cudaGraph_t a, cudaGraph_t b)
{
    cudaGraphExec_t x;
    cudaGraphExecUpdateResultInfo r;
    memset(&r, 0x55, sizeof r);
    cudaError_t i = cudaGraphInstantiate(&x, a, 0);
    if (i) {
        P("upd.%s=instantiate %d", k, (int)i);
        return;
    }
    cudaError_t e = cudaGraphExecUpdate(x, b, &r);
    cudaError_t l = cudaGetLastError();
    size_t nb = 16, na = 16;
    cudaGraphNode_t bn[16], an[16];
    cudaGraphGetNodes(b, bn, &nb);
    cudaGraphGetNodes(a, an, &na);
    int at = -1, fr = -1, ina = -1;
    for (size_t j = 0; j < nb; j++) {
        if (bn[j] == r.errorNode)
            at = (int)j;
        if (bn[j] == r.errorFromNode)
            fr = (int)j;
    }
    for (size_t j = 0; j < na; j++)
        if (an[j] == r.errorNode)
            ina = (int)j;
    P("upd.%s=%d,%d,node%d,from%d,null%d%d,ina%d,last%d", k, (int)e,
      (int)r.result, at, fr, r.errorNode == nullptr, r.errorFromNode == nullptr,
      ina, (int)l);
    e = cudaGraphLaunch(x, s);
    cudaError_t y = cudaStreamSynchronize(s);
    if (e || y)
        P("upd.%s.launch=%d,%d", k, (int)e, (int)y);
    cudaGraphExecDestroy(x);
}
static void updates()
{
    cudaGraph_t a, b;
    cudaGraphNode_t x, y, z;
#define AB                                                                     \
    a = G();                                                                   \
    b = G()
    AB;
    kn(a, (void *)add, {});
    upd("same_graph", a, a);
    AB;
    kn(a, (void *)add, {});
    kn(b, (void *)add, {}, 2);
    upd("kernel_value", a, b);
    AB;
    kn(a, (void *)add, {});
    kn(b, (void *)put, {});
    upd("kernel_function", a, b);
    AB;
    kn(a, (void *)add, {});
    kn(b, (void *)two, {});
    upd("kernel_function_other_parameters", a, b);
    AB;
    kn(a, (void *)add, {});
    kn(b, (void *)add, {}, 1, dim3(2, 2), dim3(32, 2), 1024);
    upd("kernel_shape", a, b);
    AB;
    kn(a, (void *)add, {});
    kn(b, (void *)add, {});
    {
        cudaLaunchAttributeValue v;
        memset(&v, 0, sizeof v);
        v.cooperative = 1;
        cudaGraphNode_t nn[2];
        size_t c = 2;
        cudaGraphGetNodes(b, nn, &c);
        P("coop_attr=%d", (int)cudaGraphKernelNodeSetAttribute(
                              nn[0], cudaLaunchAttributeCooperative, &v));
    }
    upd("kernel_cooperative", a, b);
    AB;
    kn(a, (void *)add, {});
    kn(b, (void *)add, {});
    {
        cudaLaunchAttributeValue v;
        memset(&v, 0, sizeof v);
        v.priority = -3;
        cudaGraphNode_t nn[2];
        size_t c = 2;
        cudaGraphGetNodes(b, nn, &c);
        P("prio_attr=%d", (int)cudaGraphKernelNodeSetAttribute(
                              nn[0], cudaLaunchAttributePriority, &v));
    }
    upd("kernel_priority", a, b);
    AB;
    x = kn(a, (void *)add, {});
    kn(a, (void *)add, {x});
    x = kn(b, (void *)add, {});
    y = kn(b, (void *)add, {x});
    kn(b, (void *)add, {y});
    upd("more_nodes", a, b);
    AB;
    x = kn(a, (void *)add, {});
    kn(a, (void *)add, {x});
    kn(b, (void *)add, {});
    upd("fewer_nodes", a, b);
    AB;
    x = kn(a, (void *)add, {});
    kn(a, (void *)add, {x});
    kn(b, (void *)add, {});
    kn(b, (void *)add, {});
    upd("edge_missing", a, b);
    AB;
    kn(a, (void *)add, {});
    kn(a, (void *)add, {});
    x = kn(b, (void *)add, {});
    kn(b, (void *)add, {x});
    upd("edge_more", a, b);
    AB;
    x = kn(a, (void *)add, {});
    y = kn(a, (void *)add, {});
    kn(a, (void *)add, {x});
    x = kn(b, (void *)add, {});
    y = kn(b, (void *)add, {});
    kn(b, (void *)add, {y});
    upd("edge_other_from_same_kind", a, b);
    AB;
    x = kn(a, (void *)add, {});
    y = en(a, {x});
    kn(a, (void *)add, {y});
    x = kn(b, (void *)add, {});
    y = en(b, {x});
    kn(b, (void *)add, {x});
    upd("edge_other_source", a, b);
    AB;
    x = kn(a, (void *)add, {});
    y = kn(a, (void *)add, {});
    kn(a, (void *)add, {x, y});
    x = kn(b, (void *)add, {});
    y = kn(b, (void *)add, {});
    kn(b, (void *)add, {y, x});
    upd("edge_order_swapped", a, b);
    AB;
    x = kn(a, (void *)add, {});
    en(a, {x});
    y = en(b);
    x = kn(b, (void *)add, {y});
    upd("order_reversed", a, b);
    AB;
    x = kn(a, (void *)add, {});
    en(a, {x});
    x = kn(b, (void *)add, {});
    kn(b, (void *)add, {x});
    upd("type_empty_to_kernel", a, b);
    AB;
    x = kn(a, (void *)add, {});
    kn(a, (void *)add, {x});
    x = kn(b, (void *)add, {});
    en(b, {x});
    upd("type_kernel_to_empty", a, b);
    AB;
    x = kn(a, (void *)add, {});
    kn(a, (void *)add, {x});
    x = en(b);
    kn(b, (void *)add, {x});
    upd("type_first", a, b);
    AB;
    kn(a, (void *)add, {});
    en(a);
    en(b);
    kn(b, (void *)add, {});
    upd("type_order_swapped_no_edges", a, b);
    AB;
    mn(a, d, 0, 1, 16);
    cn(b, d, pin, 16, cudaMemcpyHostToDevice);
    upd("type_memset_to_memcpy", a, b);
    AB;
    mn(a, d, 0, 1, 16);
    mn(b, d2, 7, 1, 16);
    upd("memset_dst_value", a, b);
    AB;
    mn(a, d, 0, 1, 16);
    mn(b, d, 7, 4, 8);
    upd("memset_element_4", a, b);
    AB;
    mn(a, d, 0, 4, 8);
    mn(b, d, 7, 2, 4);
    upd("memset_element_2", a, b);
    AB;
    mn(a, d, 0, 1, 16);
    mn(b, d, 7, 1, 64);
    upd("memset_width", a, b);
    AB;
    mn(a, d, 0, 1, 16);
    mn(b, d, 7, 1, 8, 4, 16);
    upd("memset_1d_to_2d", a, b);
    AB;
    mn(a, d, 0, 1, 8, 4, 16);
    mn(b, d, 7, 1, 16);
    upd("memset_2d_to_1d", a, b);
    AB;
    mn(a, d, 0, 1, 8, 4, 16);
    mn(b, d, 7, 1, 4, 2, 32);
    upd("memset_2d_smaller", a, b);
    AB;
    mn(a, d, 0, 1, 8, 4, 16);
    mn(b, d, 7, 1, 8, 4, 32);
    upd("memset_2d_pitch", a, b);
    AB;
    mn(a, d, 0, 1, 8, 4, 16);
    mn(b, d, 7, 1, 8, 5, 16);
    upd("memset_2d_height", a, b);
    AB;
    mn(a, d, 0, 1, 8, 4, 16);
    mn(b, d, 7, 1, 7, 4, 16);
    upd("memset_2d_width", a, b);
    AB;
    mn(a, d, 0, 1, 8, 4, 16);
    mn(b, d, 7, 2, 4, 4, 16);
    upd("memset_2d_element", a, b);
    AB;
    mn(a, d, 0, 1, 8, 4, 16);
    mn(b, d2, 9, 1, 8, 4, 16);
    upd("memset_2d_dst_value", a, b);
    AB;
    mn(a, d, 0, 1, 16);
    mn(b, pin, 7, 1, 16);
    upd("memset_to_pinned", a, b);
    AB;
    mn(a, d, 0, 1, 16);
    mn(b, man, 7, 1, 16);
    upd("memset_to_managed", a, b);
    struct {
        const char *nm;
        void *p;
        int host;
    } L[] = {{"dev", d, 0},
             {"pin", pin, 1},
             {"page", page, 1},
             {"dev2", d2, 0},
             {"man", man, 2}};
    auto kind = [](int from, int to) {
        return from == 2 || to == 2 ? cudaMemcpyDefault
               : from ? to ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice
               : to   ? cudaMemcpyDeviceToHost
                      : cudaMemcpyDeviceToDevice;
    };
    int pairs[][2] = {{1, 0}, {0, 1}, {2, 0}, {0, 2}, {0, 3},
                      {1, 2}, {2, 1}, {1, 1}, {4, 0}};
    for (auto &f : pairs)
        for (auto &g : pairs) {
            AB;
            cn(a, L[f[1]].p, (char *)L[f[0]].p + 1024, 16,
               kind(L[f[0]].host, L[f[1]].host));
            cn(b, L[g[1]].p, (char *)L[g[0]].p + 1024, 16,
               kind(L[g[0]].host, L[g[1]].host));
            char k[64];
            snprintf(k, sizeof k, "copy_%s_%s_to_%s_%s", L[f[0]].nm, L[f[1]].nm,
                     L[g[0]].nm, L[g[1]].nm);
            upd(k, a, b);
        }
    AB;
    cn(a, d, pin, 16, cudaMemcpyHostToDevice);
    cn(b, d2, pin2, 16, cudaMemcpyHostToDevice);
    upd("copy_addresses", a, b);
    AB;
    cn(a, d, pin, 16, cudaMemcpyHostToDevice);
    cn(b, d, pin, 32, cudaMemcpyHostToDevice);
    upd("copy_bytes_more", a, b);
    AB;
    cn(a, d, pin, 16, cudaMemcpyHostToDevice);
    cn(b, d, pin, 8, cudaMemcpyHostToDevice);
    upd("copy_bytes_fewer", a, b);
    AB;
    cn(a, d, pin, 16, cudaMemcpyHostToDevice);
    cn(b, d, pin, 16, cudaMemcpyDefault);
    upd("copy_kind_default", a, b);
    AB;
    cn(a, d, pin, 16, cudaMemcpyHostToDevice);
    c2(b, d, 32, pin, 32, 16, 4, cudaMemcpyHostToDevice);
    upd("copy_1d_to_2d", a, b);
    AB;
    c2(a, d, 32, pin, 32, 16, 4, cudaMemcpyHostToDevice);
    cn(b, d, pin, 16, cudaMemcpyHostToDevice);
    upd("copy_2d_to_1d", a, b);
    AB;
    c2(a, d, 32, pin, 32, 16, 4, cudaMemcpyHostToDevice);
    c2(b, d, 64, pin, 64, 16, 4, cudaMemcpyHostToDevice);
    upd("copy_2d_pitch", a, b);
    AB;
    c2(a, d, 32, pin, 32, 16, 4, cudaMemcpyHostToDevice);
    c2(b, d, 32, pin, 32, 16, 2, cudaMemcpyHostToDevice);
    upd("copy_2d_rows", a, b);
    AB;
    c2(a, d, 32, pin, 32, 16, 4, cudaMemcpyHostToDevice);
    c2(b, d, 32, pin, 32, 8, 4, cudaMemcpyHostToDevice);
    upd("copy_2d_width", a, b);
    AB;
    c2(a, d, 32, pin, 32, 16, 4, cudaMemcpyHostToDevice);
    c2(b, d, 32, pin, 32, 16, 4, cudaMemcpyHostToDevice, 2);
    upd("copy_2d_to_3d", a, b);
    AB;
    c2(a, d, 32, pin, 32, 16, 4, cudaMemcpyHostToDevice);
    c2(b, d2, 32, pin2, 32, 16, 4, cudaMemcpyHostToDevice);
    upd("copy_2d_addresses", a, b);
    AB;
    MUST(cudaGraphAddMemcpyNodeToSymbol(&N, a, nullptr, 0, sym, pin, 16, 0,
                                        cudaMemcpyHostToDevice));
    MUST(cudaGraphAddMemcpyNodeToSymbol(&N, b, nullptr, 0, sym2, pin, 16, 0,
                                        cudaMemcpyHostToDevice));
    upd("copy_symbol", a, b);
    AB;
    cn(a, d, pin, 16, cudaMemcpyHostToDevice);
    MUST(cudaGraphAddMemcpyNodeToSymbol(&N, b, nullptr, 0, sym2, pin, 16, 0,
                                        cudaMemcpyHostToDevice));
    upd("copy_to_symbol", a, b);
    AB;
    hn(a, hf, nullptr);
    hn(b, hf2, page);
    upd("host", a, b);
    cudaEvent_t e1, e2, e3;
    MUST(cudaEventCreate(&e1));
    MUST(cudaEventCreate(&e2));
    MUST(cudaEventCreateWithFlags(&e3, cudaEventDisableTiming));
    AB;
    MUST(cudaGraphAddEventRecordNode(&N, a, nullptr, 0, e1));
    MUST(cudaGraphAddEventRecordNode(&N, b, nullptr, 0, e2));
    upd("event_record", a, b);
    AB;
    MUST(cudaGraphAddEventRecordNode(&N, a, nullptr, 0, e1));
    MUST(cudaGraphAddEventRecordNode(&N, b, nullptr, 0, e3));
    upd("event_record_no_timing", a, b);
    AB;
    MUST(cudaGraphAddEventRecordNode(&N, a, nullptr, 0, e1));
    MUST(cudaGraphAddEventWaitNode(&N, b, nullptr, 0, e1));
    upd("event_record_to_wait", a, b);
    AB;
    MUST(cudaGraphAddEventWaitNode(&N, a, nullptr, 0, e1));
    MUST(cudaGraphAddEventWaitNode(&N, b, nullptr, 0, e2));
    upd("event_wait", a, b);
    cudaGraph_t c, cc, c3;
    c = G();
    kn(c, (void *)add, {});
    cc = G();
    kn(cc, (void *)add, {}, 5);
    c3 = G();
    en(c3);
    AB;
    MUST(cudaGraphAddChildGraphNode(&N, a, nullptr, 0, c));
    MUST(cudaGraphAddChildGraphNode(&N, b, nullptr, 0, cc));
    upd("child_value", a, b);
    AB;
    MUST(cudaGraphAddChildGraphNode(&N, a, nullptr, 0, c));
    MUST(cudaGraphAddChildGraphNode(&N, b, nullptr, 0, c3));
    upd("child_type", a, b);
    cudaGraph_t c4 = G();
    kn(c4, (void *)add, {});
    en(c4);
    AB;
    MUST(cudaGraphAddChildGraphNode(&N, a, nullptr, 0, c));
    MUST(cudaGraphAddChildGraphNode(&N, b, nullptr, 0, c4));
    upd("child_more_nodes", a, b);
    AB;
    MUST(cudaGraphAddChildGraphNode(&N, a, nullptr, 0, c));
    kn(b, (void *)add, {});
    upd("child_to_kernel", a, b);
    AB;
    upd("empty_graphs", a, b);
    AB;
    en(b);
    upd("empty_to_one", a, b);
    AB;
    en(a);
    upd("one_to_empty", a, b);
    AB;
    x = kn(a, (void *)add, {});
    y = kn(a, (void *)add, {});
    x = kn(b, (void *)add, {});
    y = kn(b, (void *)add, {});
    {
        cudaGraphEdgeData ed;
        memset(&ed, 0, sizeof ed);
        ed.from_port = 1;
        ed.type = 1;
        P("prog_edge=%d", (int)cudaGraphAddDependencies(b, &x, &y, &ed, 1));
    }
    upd("edge_programmatic_more", a, b);
    AB;
    x = kn(a, (void *)add, {});
    kn(a, (void *)add, {x});
    x = kn(b, (void *)add, {});
    y = kn(b, (void *)add, {});
    {
        cudaGraphEdgeData ed;
        memset(&ed, 0, sizeof ed);
        ed.from_port = 1;
        ed.type = 1;
        cudaGraphAddDependencies(b, &x, &y, &ed, 1);
    }
    upd("edge_full_to_programmatic", a, b);
    AB;
    kn(a, (void *)add, {});
    cudaGraphExec_t ex;
    MUST(cudaGraphInstantiate(&ex, a, 0));
    kn(b, (void *)add, {});
    P("update_null_result=%d", (int)cudaGraphExecUpdate(ex, b, nullptr));
    {
        cudaGraphExecUpdateResultInfo r;
        P("update_null_graph=%d", (int)cudaGraphExecUpdate(ex, nullptr, &r));
        P("update_null_exec=%d", (int)cudaGraphExecUpdate(nullptr, b, &r));
    }
    (void)z;
}
static void setters()
{
    cudaGraph_t g = G();
    cudaGraphExec_t x;
    cudaEvent_t e1, e2;
    MUST(cudaEventCreate(&e1));
    MUST(cudaEventCreate(&e2));
    cudaGraph_t c = G(), c2g = G(), c3 = G();
    kn(c, (void *)add, {});
    kn(c2g, (void *)add, {}, 3);
    en(c3);
    cudaGraphNode_t k = kn(g, (void *)add, {}), m1 = mn(g, d, 0, 1, 16),
                    m2 = mn(g, d + 64, 0, 1, 8, 4, 16),
                    cp = cn(g, d, pin, 16, cudaMemcpyHostToDevice),
                    cpp = cn(g, page, d, 16, cudaMemcpyDeviceToHost),
                    cd = ::c2(g, d, 32, pin, 32, 16, 4, cudaMemcpyHostToDevice),
                    h = hn(g, hf, nullptr), em = en(g), ch, er, ew, other;
    MUST(cudaGraphAddChildGraphNode(&ch, g, nullptr, 0, c));
    MUST(cudaGraphAddEventRecordNode(&er, g, nullptr, 0, e1));
    MUST(cudaGraphAddEventWaitNode(&ew, g, nullptr, 0, e1));
    MUST(cudaGraphInstantiate(&x, g, 0));
    cudaGraph_t g2 = G();
    other = kn(g2, (void *)add, {});
    int v = 1, w = 0;
    void *args[] = {&d, &v, &w};
    cudaKernelNodeParams p;
    memset((void *)&p, 0, sizeof p);
    p.func = (void *)add;
    p.gridDim = 1;
    p.blockDim = 1;
    p.kernelParams = args;
    (void)args;
    (void)p;
    (void)cpp;
    (void)cd;
    (void)e2;
    (void)c2g;
    (void)c3;
    (void)m2;
    struct {
        const char *nm;
        cudaGraphNode_t n;
    } kinds_[] = {{"kernel", k},    {"memset", m1}, {"memcpy", cp},
                  {"host", h},      {"empty", em},  {"child", ch},
                  {"record", er},   {"wait", ew},   {"other_graph", other},
                  {"null", nullptr}};
    for (auto &y : kinds_) {
        unsigned en = 9;
        cudaError_t q = cudaGraphNodeGetEnabled(x, y.n, &en);
        P("enabled.%s=%d,%u,%d,%d", y.nm, (int)q, en,
          (int)cudaGraphNodeSetEnabled(x, y.n, 0),
          (int)cudaGraphNodeSetEnabled(x, y.n, 5));
        q = cudaGraphNodeGetEnabled(x, y.n, &en);
        P("enabled_after.%s=%d,%u", y.nm, (int)q, en);
    }
    P("enabled.null_out=%d", (int)cudaGraphNodeGetEnabled(x, k, nullptr));
    static const int ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 99};
    for (int id : ids) {
        cudaLaunchAttributeValue v;
        memset(&v, 0, sizeof v);
        cudaError_t q =
            cudaGraphKernelNodeGetAttribute(k, (cudaLaunchAttributeID)id, &v);
        P("kernel_attr.%d=%d,%d,set%d", id, (int)q, (int)v.cooperative,
          (int)cudaGraphKernelNodeSetAttribute(k, (cudaLaunchAttributeID)id,
                                               &v));
    }
    {
        cudaLaunchAttributeValue v;
        memset(&v, 0, sizeof v);
        P("kernel_attr.of_memset=%d", (int)cudaGraphKernelNodeGetAttribute(
                                          m1, cudaLaunchAttributePriority, &v));
        v.priority = -99;
        P("kernel_attr.priority_99=%d",
          (int)cudaGraphKernelNodeSetAttribute(k, cudaLaunchAttributePriority,
                                               &v));
        v.priority = 5;
        cudaGraphKernelNodeGetAttribute(k, cudaLaunchAttributePriority, &v);
        P("kernel_attr.priority_then=%d", v.priority);
        P("kernel_attr.copy_to_memset=%d",
          (int)cudaGraphKernelNodeCopyAttributes(m1, k));
        memset(&v, 0, sizeof v);
        v.accessPolicyWindow.base_ptr = d;
        v.accessPolicyWindow.num_bytes = 64;
        v.accessPolicyWindow.hitRatio = 2;
        P("kernel_attr.window_ratio_2=%d",
          (int)cudaGraphKernelNodeSetAttribute(
              k, cudaLaunchAttributeAccessPolicyWindow, &v));
        v.accessPolicyWindow.hitRatio = 0.5f;
        v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
        P("kernel_attr.window=%d",
          (int)cudaGraphKernelNodeSetAttribute(
              k, cudaLaunchAttributeAccessPolicyWindow, &v));
        v.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
        P("kernel_attr.window_miss_persisting=%d",
          (int)cudaGraphKernelNodeSetAttribute(
              k, cudaLaunchAttributeAccessPolicyWindow, &v));
    }
    (void)em;
}
static void edges()
{
    cudaGraph_t g = G();
    cudaGraphEdgeData e;
    cudaGraphNode_t fr[8], to[8];
    cudaGraphEdgeData eo[8];
    size_t n;
    for (int type = 0; type < 4; type++)
        for (int fp = 0; fp < 4; fp++)
            for (int tp = 0; tp < 2; tp++)
                for (int kind = 0; kind < 4; kind++) {
                    cudaGraph_t h = G();
                    cudaGraphNode_t a = kind & 1 ? en(h)
                                                 : kn(h, (void *)add, {}),
                                    b = kind & 2 ? en(h)
                                                 : kn(h, (void *)add, {});
                    memset(&e, 0, sizeof e);
                    e.type = type;
                    e.from_port = fp;
                    e.to_port = tp;
                    int c = (int)cudaGraphAddDependencies(h, &a, &b, &e, 1);
                    cudaGraphExec_t x;
                    int i = c ? 0 : (int)cudaGraphInstantiate(&x, h, 0);
                    int l = c || i ? 0 : (int)cudaGraphLaunch(x, s);
                    P("edge.type%d.from%d.to%d.%s_%s=%d,%d,%d", type, fp, tp,
                      kind & 1 ? "empty" : "kernel",
                      kind & 2 ? "empty" : "kernel", c, i, l);
                    MUST(cudaStreamSynchronize(s));
                    cudaGraphDestroy(h);
                }
    memset(&e, 0, sizeof e);
    e.reserved[0] = 1;
    {
        cudaGraph_t h = G();
        cudaGraphNode_t a = kn(h, (void *)add, {}), b = kn(h, (void *)add, {});
        P("edge.reserved=%d", (int)cudaGraphAddDependencies(h, &a, &b, &e, 1));
    }
    cudaGraphNode_t a = kn(g, (void *)add, {}), b = kn(g, (void *)add, {}),
                    c = kn(g, (void *)add, {}), m = mn(g, d, 0, 1, 16);
    memset(&e, 0, sizeof e);
    e.from_port = 1;
    e.type = 1;
    P("prog=%d", (int)cudaGraphAddDependencies(g, &a, &b, &e, 1));
    P("prog_to_memset=%d", (int)cudaGraphAddDependencies(g, &a, &m, &e, 1));
    P("prog_from_memset=%d", (int)cudaGraphAddDependencies(g, &m, &c, &e, 1));
    P("prog_again=%d", (int)cudaGraphAddDependencies(g, &a, &b, &e, 1));
    P("prog_again_as_full=%d",
      (int)cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
    P("remove_as_full=%d",
      (int)cudaGraphRemoveDependencies(g, &a, &b, nullptr, 1));
    n = 8;
    P("edges.null_data_count_only=%d,%zu",
      (int)cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &n), n);
    n = 8;
    P("edges.with_data=%d,%zu", (int)cudaGraphGetEdges(g, fr, to, eo, &n), n);
    P("edges.data=%d,%d,%d", eo[0].type, eo[0].from_port, eo[0].to_port);
    n = 8;
    P("edges.no_data=%d,%zu", (int)cudaGraphGetEdges(g, fr, to, nullptr, &n),
      n);
    n = 0;
    P("edges.no_data_0=%d,%zu", (int)cudaGraphGetEdges(g, fr, to, nullptr, &n),
      n);
    n = 8;
    P("edges.only_from=%d", (int)cudaGraphGetEdges(g, fr, nullptr, eo, &n));
    n = 8;
    P("edges.only_data=%d,%zu",
      (int)cudaGraphGetEdges(g, nullptr, nullptr, eo, &n), n);
    n = 8;
    P("deps.no_data=%d,%zu",
      (int)cudaGraphNodeGetDependencies(b, fr, nullptr, &n), n);
    n = 8;
    P("deps.with=%d,%zu", (int)cudaGraphNodeGetDependencies(b, fr, eo, &n), n);
    n = 8;
    P("deps.count=%d,%zu",
      (int)cudaGraphNodeGetDependencies(b, nullptr, nullptr, &n), n);
    n = 8;
    P("deps.only_data=%d,%zu",
      (int)cudaGraphNodeGetDependencies(b, nullptr, eo, &n), n);
    n = 8;
    P("dependents.no_data=%d,%zu",
      (int)cudaGraphNodeGetDependentNodes(a, to, nullptr, &n), n);
    n = 8;
    P("dependents.with=%d,%zu,%d",
      (int)cudaGraphNodeGetDependentNodes(a, to, eo, &n), n, eo[0].type);
    n = 8;
    P("dependents.none=%d,%zu",
      (int)cudaGraphNodeGetDependentNodes(b, to, nullptr, &n), n);
    memset(&e, 0, sizeof e);
    P("remove_with_wrong_data=%d",
      (int)cudaGraphRemoveDependencies(g, &a, &b, &e, 1));
    e.from_port = 1;
    e.type = 1;
    P("remove_with_data=%d",
      (int)cudaGraphRemoveDependencies(g, &a, &b, &e, 1));
    P("remove_again=%d", (int)cudaGraphRemoveDependencies(g, &a, &b, &e, 1));
    memset(&e, 0, sizeof e);
    P("zero_data=%d", (int)cudaGraphAddDependencies(g, &a, &b, &e, 1));
    n = 8;
    P("edges.zero_data_null=%d,%zu",
      (int)cudaGraphGetEdges(g, fr, to, nullptr, &n), n);
    P("self=%d", (int)cudaGraphAddDependencies(g, &a, &a, nullptr, 1));
    P("twice=%d", (int)cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
    P("cycle=%d", (int)cudaGraphAddDependencies(g, &b, &a, nullptr, 1));
    {
        cudaGraphExec_t x;
        P("cycle.instantiate=%d", (int)cudaGraphInstantiate(&x, g, 0));
        cudaGraph_t cl;
        P("cycle.clone=%d", (int)cudaGraphClone(&cl, g));
    }
    P("null_arrays_0=%d",
      (int)cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 0));
    P("null_arrays_1=%d",
      (int)cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 1));
    cudaGraph_t o = G();
    cudaGraphNode_t on = en(o);
    P("across=%d", (int)cudaGraphAddDependencies(g, &a, &on, nullptr, 1));
    cudaGraphNode_t z;
    P("add_after_other_graph=%d", (int)cudaGraphAddEmptyNode(&z, g, &on, 1));
    cudaGraphNode_t onon[2] = {on, on}, nul[1] = {nullptr};
    P("add_after_twice=%d", (int)cudaGraphAddEmptyNode(&z, o, onon, 2));
    P("add_after_null=%d", (int)cudaGraphAddEmptyNode(&z, g, nul, 1));
    P("add_count_without_array=%d",
      (int)cudaGraphAddEmptyNode(&z, g, nullptr, 1));
    P("add_null_out=%d", (int)cudaGraphAddEmptyNode(nullptr, g, nullptr, 0));
    P("add_null_graph=%d", (int)cudaGraphAddEmptyNode(&z, nullptr, nullptr, 0));
    // Through capture: programmatic edges come from launches with the
    // attribute.
    cudaGraph_t cg;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    nop<<<1, 1, 0, s>>>();
    cudaLaunchConfig_t lc;
    memset((void *)&lc, 0, sizeof lc);
    cudaLaunchAttribute at;
    memset(&at, 0, sizeof at);
    at.id = (cudaLaunchAttributeID)6;
    *(int *)&at.val = 1;
    lc.gridDim = 1;
    lc.blockDim = 1;
    lc.stream = s;
    lc.attrs = &at;
    lc.numAttrs = 1;
    P("pss_in_capture=%d", (int)cudaLaunchKernelEx(&lc, nop));
    P("pss_end=%d", (int)cudaStreamEndCapture(s, &cg));
    n = 8;
    P("pss_edges.no_data=%d", (int)cudaGraphGetEdges(cg, fr, to, nullptr, &n));
    n = 8;
    int r = (int)cudaGraphGetEdges(cg, fr, to, eo, &n);
    P("pss_edges=%d,%zu,%d,%d,%d", r, n, eo[0].type, eo[0].from_port,
      eo[0].to_port);
}
static void lives()
{
    cudaGraph_t g = G(), cl, in;
    cudaGraphExec_t x, y;
    cudaGraphNode_t a = kn(g, (void *)add, {}), b = kn(g, (void *)add, {a}), z;
    size_t n;
    MUST(cudaGraphClone(&cl, g));
    P("find=%d", (int)cudaGraphNodeFindInClone(&z, b, cl));
    P("find_other=%d", (int)cudaGraphNodeFindInClone(&z, z, g));
    P("find_self=%d", (int)cudaGraphNodeFindInClone(&z, b, g));
    P("clone_null=%d", (int)cudaGraphClone(nullptr, g));
    P("clone_of_null=%d", (int)cudaGraphClone(&cl, nullptr));
    cudaGraph_t cl2;
    MUST(cudaGraphClone(&cl2, cl));
    P("find_in_clone_of_clone=%d", (int)cudaGraphNodeFindInClone(&z, b, cl2));
    MUST(cudaGraphDestroyNode(b));
    n = 4;
    P("clone_nodes_after=%d,%zu", (int)cudaGraphGetNodes(cl, nullptr, &n), n);
    for (unsigned long long f :
         {0ull, 1ull, 2ull, 4ull, 8ull, 16ull, 3ull, 32ull}) {
        int c = (int)cudaGraphInstantiate(&x, g, f);
        unsigned long long o = 77;
        int q = c ? 0 : (int)cudaGraphExecGetFlags(x, &o);
        P("instantiate.flags_%llu=%d,%d,%llu", f, c, q, o);
    }
    P("instantiate.null=%d", (int)cudaGraphInstantiate(nullptr, g, 0));
    P("instantiate.null_graph=%d", (int)cudaGraphInstantiate(&x, nullptr, 0));
    {
        cudaGraphInstantiateParams ip;
        memset(&ip, 0, sizeof ip);
        ip.flags = cudaGraphInstantiateFlagUpload;
        ip.uploadStream = s;
        int c = (int)cudaGraphInstantiateWithParams(&y, g, &ip);
        P("instantiate_params.upload=%d,%d", c, (int)ip.result_out);
        ip.flags = 1 << 16;
        c = (int)cudaGraphInstantiateWithParams(&y, g, &ip);
        P("instantiate_params.flag=%d,%d", c, (int)ip.result_out);
    }
    {
        cudaGraph_t h = G();
        hn(h, hf, nullptr);
        P("device_launch.host_node=%d",
          (int)cudaGraphInstantiate(&y, h,
                                    cudaGraphInstantiateFlagDeviceLaunch));
        cudaGraphInstantiateParams ip;
        memset(&ip, 0, sizeof ip);
        ip.flags = cudaGraphInstantiateFlagDeviceLaunch;
        int c = (int)cudaGraphInstantiateWithParams(&y, h, &ip);
        P("device_launch.host_node_params=%d,%d,%d", c, (int)ip.result_out,
          ip.errNode_out != nullptr);
        h = G();
        en(h);
        P("device_launch.empty_node=%d",
          (int)cudaGraphInstantiate(&y, h,
                                    cudaGraphInstantiateFlagDeviceLaunch));
        h = G();
        P("device_launch.no_nodes=%d",
          (int)cudaGraphInstantiate(&y, h,
                                    cudaGraphInstantiateFlagDeviceLaunch));
        h = G();
        cn(h, page, d, 16, cudaMemcpyDeviceToHost);
        P("device_launch.pageable=%d",
          (int)cudaGraphInstantiate(&y, h,
                                    cudaGraphInstantiateFlagDeviceLaunch));
        h = G();
        kn(h, (void *)add, {});
        kn(h, (void *)add, {});
        P("device_launch.two_roots=%d",
          (int)cudaGraphInstantiate(&y, h,
                                    cudaGraphInstantiateFlagDeviceLaunch));
        P("device_launch.again=%d",
          (int)cudaGraphInstantiate(&y, h,
                                    cudaGraphInstantiateFlagDeviceLaunch));
        h = G();
        kn(h, (void *)add, {});
        P("device_launch.with_auto_free=%d",
          (int)cudaGraphInstantiate(
              &y, h,
              cudaGraphInstantiateFlagDeviceLaunch |
                  cudaGraphInstantiateFlagAutoFreeOnLaunch));
    }
    MUST(cudaGraphInstantiate(&x, g, 0));
    P("destroy_graph=%d", (int)cudaGraphDestroy(g));
    P("launch_after_graph_destroyed=%d", (int)cudaGraphLaunch(x, s));
    MUST(cudaStreamSynchronize(s));
    P("launch_null_exec=%d", (int)cudaGraphLaunch(nullptr, s));
    P("upload_null=%d", (int)cudaGraphUpload(nullptr, s));
    P("destroy_null=%d", (int)cudaGraphDestroy(nullptr));
    P("exec_destroy_null=%d", (int)cudaGraphExecDestroy(nullptr));
    P("destroy_node_null=%d", (int)cudaGraphDestroyNode(nullptr));
    P("create_flags=%d", (int)cudaGraphCreate(&in, 1));
    P("create_null=%d", (int)cudaGraphCreate(nullptr, 0));
    cudaGraph_t p = G(), c = G(), got;
    kn(c, (void *)add, {});
    cudaGraphNode_t ch;
    MUST(cudaGraphAddChildGraphNode(&ch, p, nullptr, 0, c));
    MUST(cudaGraphChildGraphNodeGetGraph(ch, &got));
    P("child_is_copy=%d", got != c);
    P("child_add=%d", (int)cudaGraphAddEmptyNode(&z, got, nullptr, 0));
    P("child_instantiate=%d", (int)cudaGraphInstantiate(&y, got, 0));
    P("child_clone=%d", (int)cudaGraphClone(&cl, got));
    n = 9;
    P("child_of_original_changed=%d,%zu",
      (int)(kn(c, (void *)add, {}), cudaGraphGetNodes(got, nullptr, &n)), n);
    cudaGraphNodeType ty;
    P("type_null=%d", (int)cudaGraphNodeGetType(nullptr, &ty));
    n = 1;
    cudaGraphNode_t some[4] = {(cudaGraphNode_t)1, (cudaGraphNode_t)1,
                               (cudaGraphNode_t)1, (cudaGraphNode_t)1};
    cudaGraph_t t3 = G();
    en(t3);
    en(t3);
    P("nodes_fewer=%d,%zu,%d", (int)cudaGraphGetNodes(t3, some, &n), n,
      some[1] == (cudaGraphNode_t)1);
    n = 4;
    P("nodes_more=%d,%zu,%d", (int)cudaGraphGetNodes(t3, some, &n), n,
      some[2] == nullptr);
    P("nodes_null_count=%d", (int)cudaGraphGetNodes(t3, some, nullptr));
    n = 4;
    P("roots=%d,%zu", (int)cudaGraphGetRootNodes(t3, nullptr, &n), n);
    P("dot=%d", (int)cudaGraphDebugDotPrint(t3, "/tmp/vq_dot", 0));
    P("dot_verbose=%d", (int)cudaGraphDebugDotPrint(t3, "/tmp/vq_dot", 1));
    P("dot_no_dir=%d", (int)cudaGraphDebugDotPrint(t3, "/nonexistent/x", 0));
    P("dot_flags=%d", (int)cudaGraphDebugDotPrint(t3, "/tmp/vq_dot", 1u << 30));
    unlink("/tmp/vq_dot");
    // destroyed objects in a graph
    cudaEvent_t ev;
    MUST(cudaEventCreate(&ev));
    cudaGraph_t ge = G();
    MUST(cudaGraphAddEventRecordNode(&z, ge, nullptr, 0, ev));
    MUST(cudaGraphInstantiate(&y, ge, 0));
    P("event_destroyed=%d", (int)cudaEventDestroy(ev));
    P("event_destroyed.launch=%d,%d", (int)cudaGraphLaunch(y, s),
      (int)cudaStreamSynchronize(s));
    // concurrency and host waiting
    auto slow = [&](cudaGraph_t q, long long ms) {
        long long c = MS(ms);
        void *ar[] = {&c};
        cudaKernelNodeParams kp;
        memset((void *)&kp, 0, sizeof kp);
        kp.func = (void *)spin;
        kp.gridDim = 1;
        kp.blockDim = 1;
        kp.kernelParams = ar;
        cudaGraphNode_t r;
        MUST(cudaGraphAddKernelNode(&r, q, nullptr, 0, &kp));
        return r;
    };
    struct {
        const char *nm;
        void *a;
        const void *b;
        cudaMemcpyKind k;
        size_t bytes;
    } cp[] = {{"d2h_page_16", page, d, cudaMemcpyDeviceToHost, 16},
              {"d2h_pin_16", pin, d, cudaMemcpyDeviceToHost, 16},
              {"h2d_page_16", d, page, cudaMemcpyHostToDevice, 16},
              {"h2d_pin_16", d, pin, cudaMemcpyHostToDevice, 16},
              {"h2h_page_16", page2, page, cudaMemcpyHostToHost, 16},
              {"h2h_page_pin", pin, page, cudaMemcpyHostToHost, 16},
              {"d2h_page_256K", page, d, cudaMemcpyDeviceToHost, 256 << 10},
              {"h2d_page_256K", d, page, cudaMemcpyHostToDevice, 256 << 10},
              {"h2d_page_64K", d, page, cudaMemcpyHostToDevice, 64 << 10}};
    for (auto &q : cp)
        for (int w = 0; w < 3; w++) {
            cudaGraph_t h = G();
            cudaGraphNode_t k0 = w == 1 ? slow(h, 12) : nullptr;
            MUST(cudaGraphAddMemcpyNode1D(&z, h, &k0, w == 1, q.a, q.b, q.bytes,
                                          q.k));
            if (w == 2) {
                cudaGraphNode_t sk = slow(h, 12);
                MUST(cudaGraphAddDependencies(h, &z, &sk, nullptr, 1));
            }
            MUST(cudaGraphInstantiate(&y, h, 0));
            MUST(cudaGraphUpload(y, s));
            MUST(cudaStreamSynchronize(s));
            if (w == 0)
                spin<<<1, 1, 0, s>>>(MS(12));
            int e = (int)cudaGraphLaunch(y, s);
            P("host_waits.%s.%s=%d,%d", q.nm,
              w == 0   ? "behind_kernel"
              : w == 1 ? "kernel_in_graph_before"
                       : "kernel_in_graph_after",
              e, busy(s));
            MUST(cudaStreamSynchronize(s));
            MUST(cudaGraphExecDestroy(y));
        }
    { // source of a pageable h2d copy node: read at launch, or when the copy
      // runs?
        cudaGraph_t h = G();
        ((int *)page)[0] = 1;
        cn(h, d, page, 16, cudaMemcpyHostToDevice);
        MUST(cudaGraphInstantiate(&y, h, 0));
        spin<<<1, 1, 0, s>>>(MS(12));
        MUST(cudaGraphLaunch(y, s));
        ((int *)page)[0] = 2;
        MUST(cudaStreamSynchronize(s));
        int v = -1;
        MUST(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost));
        P("pageable_source_read=%d", v);
    }
    { // capture of pageable copies
        cudaGraph_t h;
        MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        int e1 = (int)cudaMemcpyAsync(page, d, 64, cudaMemcpyDeviceToHost, s),
            e2 = (int)cudaMemcpyAsync(d, page, 64, cudaMemcpyHostToDevice, s);
        int e3 = (int)cudaStreamEndCapture(s, &h);
        P("captured_pageable=%d,%d,%d", e1, e2, e3);
        if (!e3) {
            MUST(cudaGraphInstantiate(&y, h, 0));
            spin<<<1, 1, 0, s>>>(MS(12));
            int l = (int)cudaGraphLaunch(y, s);
            P("captured_pageable.launch=%d,%d", l, busy(s));
            MUST(cudaStreamSynchronize(s));
        }
    }
    {
        cudaGraph_t h = G();
        slow(h, 12);
        MUST(cudaGraphInstantiate(&y, h, 0));
        MUST(cudaGraphLaunch(y, s));
        int e = (int)cudaGraphLaunch(y, s);
        P("launch_beside_itself_same_stream=%d,%d", e, busy(s));
        cudaGraphExecUpdateResultInfo r;
        P("update_while_running=%d,%d", (int)cudaGraphExecUpdate(y, h, &r),
          busy(s));
        P("upload_while_running=%d,%d", (int)cudaGraphUpload(y, t), busy(s));
        P("destroy_graph_while_running=%d,%d", (int)cudaGraphDestroy(h),
          busy(s));
        P("exec_destroy_while_running=%d,%d", (int)cudaGraphExecDestroy(y),
          busy(s));
        MUST(cudaDeviceSynchronize());
    }
}
int main()
{
    alarm(9);
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaMalloc(&d, 1 << 20));
    MUST(cudaMalloc(&d2, 1 << 20));
    MUST(cudaMallocHost(&pin, 1 << 16));
    MUST(cudaMallocHost(&pin2, 1 << 16));
    MUST(cudaMallocManaged(&man, 1 << 16));
    page = (char *)calloc(1, 1 << 20);
    page2 = (char *)calloc(1, 1 << 20);
    two<<<1, 1>>>(nullptr, 0, 0);
    warm();
    MUST(cudaMemset(d, 0, 1 << 20));
    setters();
    edges();
    lives();
    (void)updates;
    P("end=%d", (int)cudaDeviceSynchronize());
    return 0;
}
