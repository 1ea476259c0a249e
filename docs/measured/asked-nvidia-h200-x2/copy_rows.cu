#include "../asked_calls.h"
// What a 2D or 3D copy costs by its rows: microseconds by events (best of 3),
// pinned host, by width, rows, pitches and direction.
static cudaStream_t s;
static cudaEvent_t a, b;
static char *pin, *dev, *dev2;
static char *page;
static double best(std::function<cudaError_t()> f)
{
    double m = 1e30;
    for (int i = 0; i < 4; i++) {
        MUST(cudaStreamSynchronize(s));
        spin<<<1, 1, 0, s>>>(100000);
        MUST(cudaEventRecord(a, s));
        cudaError_t e = f();
        if (e) {
            (void)cudaGetLastError();
            return -(double)e;
        }
        MUST(cudaEventRecord(b, s));
        MUST(cudaStreamSynchronize(s));
        float ms;
        MUST(cudaEventElapsedTime(&ms, a, b));
        if (i && ms * 1e3 < m)
            m = ms * 1e3;
    }
    return m;
}
int main()
{
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&a));
    MUST(cudaEventCreate(&b));
    MUST(cudaMallocHost(&pin, 256 << 20));
    MUST(cudaMalloc(&dev, 600 << 20));
    MUST(cudaMalloc(&dev2, 600 << 20));
    page = (char *)malloc(64 << 20);
    memset(page, 1, 64 << 20);
    warm();
    static const size_t ws[] = {1,    2,    3,    4,    8,     16,   32,
                                60,   64,   100,  128,  200,   256,  512,
                                1000, 1024, 2048, 4096, 16384, 65536},
                        rs[] = {2, 16, 128, 1024, 8192, 65536, 1 << 20};
    struct {
        const char *nm;
        cudaMemcpyKind k;
    } dir[] = {{"h2d", cudaMemcpyHostToDevice},
               {"d2h", cudaMemcpyDeviceToHost},
               {"d2d", cudaMemcpyDeviceToDevice}};
    for (auto &d : dir)
        for (size_t w : ws) {
            printf("2d.%s.w%zu=", d.nm, w);
            for (size_t r : rs) {
                size_t hp = 2 * w, dp = (w + 511) / 512 * 512;
                if (hp * r > (128u << 20) || dp * r > (600u << 20)) {
                    printf("r%zu:- ", r);
                    continue;
                }
                double t = best([&] {
                    return d.k == cudaMemcpyHostToDevice
                               ? cudaMemcpy2DAsync(dev, dp, pin, hp, w, r, d.k,
                                                   s)
                           : d.k == cudaMemcpyDeviceToHost
                               ? cudaMemcpy2DAsync(pin, hp, dev, dp, w, r, d.k,
                                                   s)
                               : cudaMemcpy2DAsync(dev, dp, dev2, dp, w, r, d.k,
                                                   s);
                });
                printf("r%zu:%.2f ", r, t);
            }
            printf("\n");
            fflush(stdout);
        }
    // pitches: tight on both sides, on one, and both apart; 4 MB in all
    struct {
        const char *nm;
        size_t hp, dp;
    } pt[] = {{"tight_tight", 0, 0}, {"host_apart", 1, 0}, {"dev_apart", 0, 1},
              {"both_apart", 1, 1},  {"dev_512", 0, 512},  {"dev_8", 0, 8}};
    for (auto &d : dir)
        for (auto &p : pt)
            for (size_t w : {4, 64, 1024, 16384}) {
                size_t r = (4 << 20) / w, hp = w + (p.hp ? w : 0),
                       dp = p.dp > 1 ? (w + p.dp - 1) / p.dp * p.dp
                                     : w + (p.dp ? w : 0);
                double t = best([&] {
                    return d.k == cudaMemcpyHostToDevice
                               ? cudaMemcpy2DAsync(dev, dp, pin, hp, w, r, d.k,
                                                   s)
                           : d.k == cudaMemcpyDeviceToHost
                               ? cudaMemcpy2DAsync(pin, hp, dev, dp, w, r, d.k,
                                                   s)
                               : cudaMemcpy2DAsync(dev, dp, dev2, hp, w, r, d.k,
                                                   s);
                });
                P("pitch.%s.%s.w%zu=%.2f", d.nm, p.nm, w, t);
            }
    for (auto &d : dir)
        P("plain_4M.%s=%.2f", d.nm, best([&] {
              return d.k == cudaMemcpyHostToDevice
                         ? cudaMemcpyAsync(dev, pin, 4 << 20, d.k, s)
                     : d.k == cudaMemcpyDeviceToHost
                         ? cudaMemcpyAsync(pin, dev, 4 << 20, d.k, s)
                         : cudaMemcpyAsync(dev, dev2, 4 << 20, d.k, s);
          }));
    // 3D: slices of rows; the rows' total stays
    for (auto &d : dir)
        for (size_t w : {4, 64, 1024})
            for (size_t z : {1, 16, 256, 4096}) {
                size_t rows = (1 << 20) / w / 1 * 4 / (size_t)1;
                rows = (4 << 20) / w;
                size_t h = rows / z ? rows / z : 1;
                cudaMemcpy3DParms p;
                memset(&p, 0, sizeof p);
                cudaPitchedPtr hpp = make_cudaPitchedPtr(pin, 2 * w, 2 * w, h),
                               dpp = make_cudaPitchedPtr(
                                   dev, (w + 63) / 64 * 64, w, h),
                               d2 = make_cudaPitchedPtr(
                                   dev2, (w + 63) / 64 * 64, w, h);
                p.srcPtr = d.k == cudaMemcpyHostToDevice ? hpp : d2;
                p.dstPtr = d.k == cudaMemcpyDeviceToHost ? hpp : dpp;
                p.extent = make_cudaExtent(w, h, z);
                p.kind = d.k;
                P("3d.%s.w%zu.h%zu.z%zu=%.2f", d.nm, w, h, z,
                  best([&] { return cudaMemcpy3DAsync(&p, s); }));
            }
    {
        cudaMemcpy3DParms p;
        memset(&p, 0, sizeof p);
        p.srcPtr = make_cudaPitchedPtr(pin, 64, 64, 1024);
        p.dstPtr = make_cudaPitchedPtr(dev, 64, 64, 1024);
        p.extent = make_cudaExtent(64, 1024, 64);
        p.kind = cudaMemcpyHostToDevice;
        P("3d.tight=%.2f", best([&] { return cudaMemcpy3DAsync(&p, s); }));
        p.extent = make_cudaExtent(64, 512, 64);
        P("3d.tight_rows_half_slices=%.2f",
          best([&] { return cudaMemcpy3DAsync(&p, s); }));
    }
    // memsets
    for (size_t w : {1, 4, 64, 512, 4096})
        for (size_t r : {16, 1024, 65536})
            if (w * 2 * r <= (600u << 20))
                P("memset2d.w%zu.r%zu=%.2f", w, r, best([&] {
                      return cudaMemset2DAsync(dev, (w + 511) / 512 * 512, 0, w,
                                               r, s);
                  }));
    P("memset2d.w4.tight_1M=%.2f",
      best([&] { return cudaMemset2DAsync(dev, 4, 0, 4, 1 << 20, s); }));
    P("memset2d.w4.apart_1M=%.2f",
      best([&] { return cudaMemset2DAsync(dev, 8, 0, 4, 1 << 20, s); }));
    P("memset.4M=%.2f",
      best([&] { return cudaMemsetAsync(dev, 0, 4 << 20, s); }));
    // pageable, and what the host pays for the call
    for (size_t w : {4, 64, 1024}) {
        size_t r = (1 << 20) / w;
        P("pageable2d.h2d.w%zu=%.2f", w, best([&] {
              return cudaMemcpy2DAsync(dev, 512 * ((w + 511) / 512), page,
                                       2 * w, w, r, cudaMemcpyHostToDevice, s);
          }));
        P("pageable2d.d2h.w%zu=%.2f", w, best([&] {
              return cudaMemcpy2DAsync(page, 2 * w, dev,
                                       512 * ((w + 511) / 512), w, r,
                                       cudaMemcpyDeviceToHost, s);
          }));
    }
    return 0;
}
