/* batches.cu: see README.md. */
#include "../asked_codes.h"
// Batches of three-dimensional copies, prefetches and discards.
static cudaStream_t s;
static char *d, *pin, *page, *man;
static cudaMemcpy3DBatchOp op(void *dst, void *src, size_t w, size_t h,
                              size_t z, int o = 1)
{
    cudaMemcpy3DBatchOp p;
    memset(&p, 0, sizeof p);
    p.src.type = p.dst.type = cudaMemcpyOperandTypePointer;
    p.src.op.ptr.ptr = src;
    p.dst.op.ptr.ptr = dst;
    p.extent = make_cudaExtent(w, h, z);
    p.srcAccessOrder = (cudaMemcpySrcAccessOrder)o;
    return p;
}
static void T(const char *k, cudaMemcpy3DBatchOp p,
              unsigned long long flags = 0, cudaStream_t st = nullptr)
{
    C(std::string("b3 ") + k,
      cudaMemcpy3DBatchAsync(1, &p, flags, st ? st : s));
}
int main()
{
    MUST(cudaStreamCreate(&s));
    MUST(cudaMalloc(&d, 1 << 20));
    MUST(cudaMallocHost(&pin, 1 << 20));
    page = (char *)malloc(1 << 20);
    MUST(cudaMallocManaged(&man, 1 << 20));
    for (int i = 0; i < 1 << 20; i++)
        pin[i] = page[i] = (char)i;
    spin<<<1, 1>>>(1, 0, 0);
    MUST(cudaDeviceSynchronize());
    auto p = op(d, pin, 64, 2, 1);
    T("plain", p);
    T("per_thread", p, 0, cudaStreamPerThread);
    T("legacy_handle", p, 0, cudaStreamLegacy);
    T("flags_2", p, 2);
    C("b3 legacy", cudaMemcpy3DBatchAsync(1, &p, 0, 0));
    C("b3 ops_0", cudaMemcpy3DBatchAsync(0, &p, 0, s));
    C("b3 ops_null", cudaMemcpy3DBatchAsync(1, nullptr, 0, s));
    C("b3 ops_0_null", cudaMemcpy3DBatchAsync(0, nullptr, 0, s));
    T("height_0", op(d, pin, 64, 0, 1));
    T("depth_0", op(d, pin, 64, 2, 0));
    T("order_0", op(d, pin, 64, 2, 1, 0));
    T("order_2", op(d, pin, 64, 2, 1, 2));
    T("order_3", op(d, pin, 64, 2, 1, 3));
    T("order_4", op(d, pin, 64, 2, 1, 4));
    p = op(d, pin, 64, 2, 1);
    p.src.type = (cudaMemcpy3DOperandType)0;
    T("type_0", p);
    p.src.type = (cudaMemcpy3DOperandType)3;
    T("type_3", p);
    T("src_null", op(d, nullptr, 64, 2, 1));
    T("dst_null", op(nullptr, pin, 64, 2, 1));
    p = op(d, pin, 64, 2, 1);
    p.src.op.ptr.rowLength = 63;
    T("row_less", p);
    p.src.op.ptr.rowLength = 128;
    T("row_more", p);
    p = op(d, pin, 64, 2, 2);
    p.src.op.ptr.layerHeight = 1;
    T("layer_less", p);
    p.src.op.ptr.layerHeight = 3;
    T("layer_more", p);
    p = op(d, pin, 64, 2, 1);
    p.flags = 1;
    T("op_flags_1", p);
    p.flags = 2;
    T("op_flags_2", p);
    p = op(d, pin, 64, 2, 1);
    p.src.op.ptr.locHint.type = (cudaMemLocationType)77;
    T("hint_77", p);
    T("past_end", op(d, pin, 1 << 20, 2, 1));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemset(d, 0, 1 << 20));
    p = op(d, pin, 4, 2, 2);
    p.src.op.ptr.rowLength = 16;
    p.src.op.ptr.layerHeight = 3;
    p.dst.op.ptr.rowLength = 8;
    T("boxes", p);
    MUST(cudaStreamSynchronize(s));
    unsigned char h[64];
    MUST(cudaMemcpy(h, d, 64, cudaMemcpyDeviceToHost));
    printf("b3 boxes values=");
    for (int i = 0; i < 40; i++)
        printf("%d ", h[i]);
    printf("\n");
    for (int o = 1; o <= 3; o++)
        for (int k = 0; k < 2; k++) {
            char *src = k ? page : pin;
            src[0] = 1;
            spin<<<1, 1, 0, s>>>(MS(20), 0, 0);
            p = op(d, src, 4, 2, 1, o);
            cudaError_t e = cudaMemcpy3DBatchAsync(1, &p, 0, s);
            int b = busy(s);
            src[0] = 2;
            MUST(cudaStreamSynchronize(s));
            MUST(cudaMemcpy(h, d, 1, cudaMemcpyDeviceToHost));
            printf("b3 %s order %d=%d busy=%d value=%d\n", k ? "page" : "pin",
                   o, (int)e, b, h[0]);
            spin<<<1, 1, 0, s>>>(MS(20), 0, 0);
            p = op(src, d, 4, 2, 1, o);
            e = cudaMemcpy3DBatchAsync(1, &p, 0, s);
            b = busy(s);
            MUST(cudaStreamSynchronize(s));
            printf("b3 to %s order %d=%d busy=%d\n", k ? "page" : "pin", o,
                   (int)e, b);
        }
    cudaArray_t ar, ar2, arf;
    cudaChannelFormatDesc cd = cudaCreateChannelDesc<int>(),
                          cf = cudaCreateChannelDesc<float4>();
    MUST(cudaMallocArray(&ar, &cd, 16, 8));
    MUST(cudaMallocArray(&ar2, &cd, 16, 8));
    MUST(cudaMallocArray(&arf, &cf, 16, 8));
    p = op(d, pin, 8, 4, 1);
    p.dst.type = cudaMemcpyOperandTypeArray;
    memset(&p.dst.op, 0, sizeof p.dst.op);
    p.dst.op.array.array = ar;
    T("to_array", p);
    p.dst.op.array.offset.x = 8;
    T("to_array_offset_8", p);
    p.dst.op.array.offset.x = 9;
    T("to_array_offset_9", p);
    p.dst.op.array.offset.x = 0;
    p.extent.width = 32;
    T("to_array_width_32", p);
    p.extent.width = 8;
    p.dst.op.array.offset.y = 5;
    T("to_array_y_5", p);
    p.dst.op.array.offset.y = 0;
    p.extent.depth = 2;
    T("to_array_depth_2", p);
    p.extent.depth = 1;
    p.src.op.ptr.rowLength = 7;
    T("to_array_row_7", p);
    p.src.op.ptr.rowLength = 8;
    T("to_array_row_8", p);
    p = op(d, pin, 8, 4, 1);
    p.src.type = cudaMemcpyOperandTypeArray;
    memset(&p.src.op, 0, sizeof p.src.op);
    p.src.op.array.array = ar;
    T("from_array", p);
    p.dst.type = cudaMemcpyOperandTypeArray;
    memset(&p.dst.op, 0, sizeof p.dst.op);
    p.dst.op.array.array = ar2;
    T("array_to_array", p);
    p.dst.op.array.array = arf;
    T("array_to_array_other_size", p);
    MUST(cudaStreamSynchronize(s));
    {
        cudaGraph_t g;
        MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
        T("captured", op(d, pin, 64, 2, 1));
        T("captured_width_0", op(d, pin, 0, 2, 1));
        C("b3 capture end", cudaStreamEndCapture(s, &g));
    }
    // Prefetch and discard.
    int *dev;
    MUST(cudaMalloc(&dev, 1 << 16));
    typedef cudaMemLocation L;
    auto F = [&](const std::string &k, int which, void *m, size_t n, L loc,
                 size_t ix, size_t cnt, size_t nl, unsigned long long f,
                 cudaStream_t st) {
        cudaError_t e =
            which == 0
                ? cudaMemPrefetchBatchAsync(&m, &n, cnt, &loc, &ix, nl, f, st)
            : which == 1 ? cudaMemDiscardBatchAsync(&m, &n, cnt, f, st)
                         : cudaMemDiscardAndPrefetchBatchAsync(
                               &m, &n, cnt, &loc, &ix, nl, f, st);
        static const char *w[] = {"prefetch ", "discard ", "both "};
        C(w[which] + k, e);
    };
    L dv = {cudaMemLocationTypeDevice, 0}, ho = {cudaMemLocationTypeHost, 0};
    for (int w = 0; w < 3; w++) {
        F("plain", w, man, 65536, dv, 0, 1, 1, 0, s);
        F("flags_1", w, man, 65536, dv, 0, 1, 1, 1, s);
        F("count_0", w, man, 65536, dv, 0, 0, 1, 0, s);
        F("size_0", w, man, 0, dv, 0, 1, 1, 0, s);
        F("null", w, nullptr, 65536, dv, 0, 1, 1, 0, s);
        F("legacy", w, man, 65536, dv, 0, 1, 1, 0, 0);
        F("per_thread", w, man, 65536, dv, 0, 1, 1, 0, cudaStreamPerThread);
        F("legacy_handle", w, man, 65536, dv, 0, 1, 1, 0, cudaStreamLegacy);
        F("dev", w, dev, 65536, dv, 0, 1, 1, 0, s);
        F("pin", w, pin, 65536, dv, 0, 1, 1, 0, s);
        F("page", w, page, 65536, dv, 0, 1, 1, 0, s);
        F("past_end", w, man, 2 << 20, dv, 0, 1, 1, 0, s);
        F("inside", w, man + 100, 1000, dv, 0, 1, 1, 0, s);
        F("4_bytes", w, man, 4, dv, 0, 1, 1, 0, s);
        if (w != 1) {
            F("idx_1", w, man, 65536, dv, 1, 1, 1, 0, s);
            F("locs_0", w, man, 65536, dv, 0, 1, 0, 0, s);
            F("locs_2", w, man, 65536, dv, 0, 1, 2, 0, s);
            F("dev_99", w, man, 65536, L{cudaMemLocationTypeDevice, 99}, 0, 1,
              1, 0, s);
            F("dev_-1", w, man, 65536, L{cudaMemLocationTypeDevice, -1}, 0, 1,
              1, 0, s);
            F("host", w, man, 65536, ho, 0, 1, 1, 0, s);
            F("numa_0", w, man, 65536, L{cudaMemLocationTypeHostNuma, 0}, 0, 1,
              1, 0, s);
            F("numa_99", w, man, 65536, L{cudaMemLocationTypeHostNuma, 99}, 0,
              1, 1, 0, s);
            F("numa_current", w, man, 65536,
              L{cudaMemLocationTypeHostNumaCurrent, 0}, 0, 1, 1, 0, s);
            F("type_0", w, man, 65536, L{cudaMemLocationTypeInvalid, 0}, 0, 1,
              1, 0, s);
            F("type_77", w, man, 65536, L{(cudaMemLocationType)77, 0}, 0, 1, 1,
              0, s);
        }
        cudaGraph_t g;
        cudaStreamCaptureStatus st;
        MUST(cudaStreamSynchronize(s));
        MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
        F("captured", w, man, 65536, dv, 0, 1, 1, 0, s);
        MUST(cudaStreamIsCapturing(s, &st));
        K("status", st);
        C("capture end", cudaStreamEndCapture(s, &g));
    }
    C("dptrs_null", cudaMemDiscardBatchAsync(nullptr, nullptr, 1, 0, s));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    C("cudaMemPrefetchAsync captured",
      cudaMemPrefetchAsync(man, 65536, dv, 0, s));
    cudaGraph_t g;
    C("end", cudaStreamEndCapture(s, &g));
    C("cudaMemPrefetchAsync legacy",
      cudaMemPrefetchAsync(man, 65536, dv, 0, 0));
    {
        memset(man, 7, 1 << 20);
        MUST(cudaMemPrefetchAsync(man, 1 << 20, dv, 0, s));
        MUST(cudaStreamSynchronize(s));
        void *m = man;
        size_t n = 1 << 20;
        spin<<<1, 1, 0, s>>>(MS(20), 0, 0);
        C("discard behind busy", cudaMemDiscardBatchAsync(&m, &n, 1, 0, s));
        K("discard busy", busy(s));
        MUST(cudaStreamSynchronize(s));
        printf("discarded value=%d\n", man[5000]);
        man[5000] = 9;
        printf("written value=%d\n", man[5000]);
    }
    {
        memset(man, 7, 1 << 20);
        MUST(cudaMemPrefetchAsync(man, 1 << 20, dv, 0, s));
        void *m = man;
        size_t n = 1 << 20, ix = 0;
        C("both",
          cudaMemDiscardAndPrefetchBatchAsync(&m, &n, 1, &ho, &ix, 1, 0, s));
        MUST(cudaStreamSynchronize(s));
        printf("both value=%d\n", man[5000]);
    }
    C("end", cudaDeviceSynchronize());
    return 0;
}
