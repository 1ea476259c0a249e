/* entry_points.cu: see README.md. */
#include "../asked_codes.h"
// Entry points of the driver, handles of kernels, attributes, occupancy,
// atomics.
#include <dlfcn.h>
#include <cuda.h>
static void *get(const char *n, unsigned v, unsigned long long f,
                 int *e = nullptr, int *st = nullptr)
{
    void *p = (void *)1;
    cudaDriverEntryPointQueryResult r = (cudaDriverEntryPointQueryResult)9;
    int c = cudaGetDriverEntryPointByVersion(n, &p, v, f, &r);
    (void)cudaGetLastError();
    if (e)
        *e = c;
    if (st)
        *st = r;
    return p;
}
static void E(const char *n, unsigned v,
              unsigned long long f = cudaEnableDefault)
{
    int e, st;
    void *p = get(n, v, f, &e, &st);
    printf("entry %s %u %llu=%d,%d,%s\n", n ? n : "(null)", v, f, e, st,
           p == nullptr     ? "null"
           : p == (void *)1 ? "kept"
                            : "set");
    fflush(stdout);
}
struct Big {
    char c;
    double d[2];
};
struct C3 {
    char c[3];
};
struct Empty {
};
struct __align__(32) Al
{
    int x;
};
extern "C" __global__ void three(char a, double b, Big c, int *p)
{
    if (p)
        *p = a + (int)b + (int)c.d[0];
}
__global__ void many(C3 a, float4 b, bool c, Empty d, Al e, short f, int *p)
{
    if (p)
        *p = a.c[0] + (int)b.x + c + e.x + f;
}
__global__ void none()
{
}
__global__ void writes(int *p, int v)
{
    *p = v;
}
template <class T>
__global__ void tmpl(T x, T *p)
{
    if (p)
        *p = x;
}
template <int N, class T>
__global__ void tmpl2(T (*p)[N], const T &r)
{
    if (p)
        (*p)[0] = 1;
}
namespace n1
{
namespace
{
__global__ void inner(unsigned char c, const float *const *q)
{
}
} // namespace
__global__ void outer(Big b, const Big *c, Big d, const Big *e)
{
}
} // namespace n1
static __global__ void stat(volatile int *p, void (*f)(int, float), long,
                            unsigned long, size_t, cudaTextureObject_t, int3,
                            dim3)
{
}
__global__ void __launch_bounds__(96) bound(int *p)
{
    __shared__ int s[100];
    s[threadIdx.x] = 1;
    __syncthreads();
    if (p)
        *p = s[95 - threadIdx.x];
}
__global__ void __launch_bounds__(1024, 2) twob(int *p)
{
    if (p)
        *p = 1;
}
__device__ int dvar;
__constant__ int cvar[7];
__managed__ int mvar;
__device__ double darr[100];
void hostf()
{
}
static void name(const char *k, const void *f)
{
    const char *n = "preset";
    cudaError_t e = cudaFuncGetName(&n, f);
    printf("name %s=%d,%s\n", k, (int)e, n ? n : "(null)");
    (void)cudaGetLastError();
    fflush(stdout);
}
static void par(const char *k, const void *f, int n)
{
    for (int i = 0; i < n; i++) {
        size_t o = 99, s = 99;
        cudaError_t e = cudaFuncGetParamInfo(f, i, &o, &s);
        printf("par %s %d=%d,%zu,%zu\n", k, i, (int)e, o, s);
    }
    (void)cudaGetLastError();
    fflush(stdout);
}
int main()
{
    E("cuInit", 13000); // before anything else
    for (unsigned v : {0u, 1u, 1000u, 2000u, 3010u, 3020u, 10000u, 11030u,
                       12000u, 12080u, 13000u, 13010u, 14000u, 99999u})
        E("cuMemAlloc", v);
    for (const char *n : {"cuMemAlloc_v2",
                          "cuInit",
                          "cuGetProcAddress",
                          "cuGetProcAddress_v2",
                          "",
                          "cumemalloc",
                          "cudaMalloc",
                          "cuMemcpy",
                          "cuMemcpyAsync_ptsz",
                          "cuCtxCreate",
                          "cuCtxCreate_v4",
                          "cuMemcpyBatchAsync",
                          "cuMemcpyBatchAsync_v2",
                          "cuGLInit",
                          "cuLaunchKernel",
                          "cuProfilerInitialize",
                          "cuMemPrefetchAsync",
                          "cuDeviceGetUuid",
                          "cuTexRefCreate",
                          "cuLaunchGrid"})
        E(n, 13000);
    E("cuInit", 13000, 3);
    E("cuInit", 13000, 4);
    E("cuInit", 13000, 7);
    for (unsigned v :
         {9000u, 9999u, 10000u, 10010u, 11000u, 11040u, 12000u, 13000u})
        E("cuGraphInstantiate", v);
    C("out null", cudaGetDriverEntryPointByVersion("cuInit", nullptr, 13000,
                                                   cudaEnableDefault, nullptr));
    {
        void *p = nullptr;
        cudaDriverEntryPointQueryResult r;
        C("unversioned", cudaGetDriverEntryPointByVersion(
                             "cuInit", &p, 12000, cudaEnableDefault, &r));
    }
    auto same = [&](const char *n, unsigned a, unsigned b, unsigned long long f,
                    unsigned long long g) {
        printf("same %s %u/%u flags %llu/%llu=%d\n", n, a, b, f, g,
               get(n, a, f) == get(n, b, g));
    };
    same("cuMemAlloc", 3020, 13000, 0, 0);
    same("cuMemAlloc", 2000, 13000, 0, 0);
    same("cuMemAlloc", 13000, 13000, 1, 2);
    same("cuStreamSynchronize", 13000, 13000, 1, 2);
    same("cuStreamSynchronize", 13000, 13000, 0, 1);
    same("cuMemcpyHtoD", 13000, 13000, 1, 2);
    same("cuMemsetD8", 13000, 13000, 1, 2);
    same("cuLaunchKernel", 13000, 13000, 1, 2);
    same("cuEventRecord", 13000, 13000, 1, 2);
    same("cuEventQuery", 13000, 13000, 1, 2);
    same("cuCtxSynchronize", 12000, 13000, 0, 0);
    same("cuGraphInstantiate", 10000, 11000, 0, 0);
    same("cuGraphInstantiate", 11000, 12000, 0, 0);
    same("cuGraphInstantiate", 12000, 13000, 0, 0);
    same("cuStreamBeginCapture", 10000, 10010, 0, 0);
    same("cuStreamBeginCapture", 10010, 13000, 0, 0);
    same("cuCtxCreate", 12000, 13000, 0, 0);
    same("cuMemPrefetchAsync", 12000, 13000, 0, 0);
    same("cuDeviceGetUuid", 10000, 13000, 0, 0);
    same("cuEventElapsedTime", 12000, 13000, 0, 0);
    same("cuMemcpyBatchAsync", 12080, 13000, 0, 0);
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    if (lib) {
        printf("dlsym v2=%d v1=%d\n",
               dlsym(lib, "cuMemAlloc_v2") == get("cuMemAlloc", 13000, 0),
               dlsym(lib, "cuMemAlloc") == get("cuMemAlloc", 2000, 0));
    }
    MUST(cudaFree(0));
    auto cnt = (int (*)(int *))get("cuDeviceGetCount", 13000, 0);
    int n = -1;
    int ce = cnt(&n);
    P("call cuDeviceGetCount", ce, n > 0);
    auto dv = (int (*)(int *))get("cuDriverGetVersion", 13000, 0);
    dv(&n);
    K("cuDriverGetVersion", n);
    auto bad = (int (*)(void *))get("cuMemFree", 2000, 0);
    (void)bad;
    // Kernels.
    cudaKernel_t k = nullptr, k2 = nullptr;
    cudaFunction_t f = nullptr, f2 = nullptr;
    C("GetKernel", cudaGetKernel(&k, (const void *)writes));
    C("GetKernel out null", cudaGetKernel(nullptr, (const void *)writes));
    C("GetKernel null null", cudaGetKernel(nullptr, nullptr));
    C("GetFuncBySymbol", cudaGetFuncBySymbol(&f, (const void *)writes));
    C("GetFuncBySymbol out null",
      cudaGetFuncBySymbol(nullptr, (const void *)writes));
    C("GetFuncBySymbol null", cudaGetFuncBySymbol(&f2, nullptr));
    MUST(cudaGetFuncBySymbol(&f2, (const void *)writes));
    P("func same, same as kernel", f == f2, (void *)f == (void *)k);
    P("kernel is symbol, func is symbol", (void *)k == (void *)writes,
      (void *)f == (void *)writes);
    int *p, h = 0;
    MUST(cudaMalloc(&p, 4));
    int v = 41;
    void *args[] = {&p, &v};
    C("launch kernel_t",
      cudaLaunchKernel((const void *)k, dim3(1), dim3(1), args, 0, 0));
    MUST(cudaMemcpy(&h, p, 4, cudaMemcpyDefault));
    K("launch kernel_t value", h);
    v = 42;
    {
        cudaLaunchConfig_t c = {};
        c.gridDim = c.blockDim = dim3(1);
        C("launch ex kernel_t", cudaLaunchKernelExC(&c, (const void *)k, args));
        C("launch ex c++ kernel_t", cudaLaunchKernelEx(&c, k, p, 43));
    }
    MUST(cudaMemcpy(&h, p, 4, cudaMemcpyDefault));
    K("value", h);
    C("cooperative kernel_t",
      cudaLaunchCooperativeKernel((const void *)k, dim3(1), dim3(1), args, 0,
                                  0));
    {
        auto cl = (int (*)(void *, unsigned, unsigned, unsigned, unsigned,
                           unsigned, unsigned, unsigned, void *, void **,
                           void **))get("cuLaunchKernel", 13000, 0);
        v = 44;
        K("cuLaunchKernel kernel_t", cl(k, 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
        v = 45;
        K("cuLaunchKernel function_t", cl(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
        MUST(cudaMemcpy(&h, p, 4, cudaMemcpyDefault));
        K("value", h);
    }
    name("kernel_t", (const void *)k);
    name("three", (const void *)three);
    name("many", (const void *)many);
    name("none", (const void *)none);
    name("tmpl int", (const void *)tmpl<int>);
    name("tmpl Big", (const void *)tmpl<Big>);
    name("tmpl2", (const void *)tmpl2<3, float>);
    name("inner", (const void *)n1::inner);
    name("outer", (const void *)n1::outer);
    name("stat", (const void *)stat);
    C("name out null", cudaFuncGetName(nullptr, (const void *)three));
    C("name null null", cudaFuncGetName(nullptr, nullptr));
    {
        const char *a, *b;
        MUST(cudaFuncGetName(&a, (const void *)three));
        MUST(cudaFuncGetName(&b, (const void *)three));
        K("name same pointer", a == b);
    }
    par("three", (const void *)three, 5);
    par("many", (const void *)many, 8);
    par("none", (const void *)none, 1);
    par("kernel_t", (const void *)k, 3);
    par("stat", (const void *)stat, 9);
    size_t o = 99, s = 99;
    C("par null func", cudaFuncGetParamInfo(nullptr, 0, &o, &s));
    C("par offset null",
      cudaFuncGetParamInfo((const void *)three, 1, nullptr, &s));
    K("size", s);
    s = 99;
    C("par size null",
      cudaFuncGetParamInfo((const void *)three, 1, &o, nullptr));
    K("offset", o);
    C("par both null",
      cudaFuncGetParamInfo((const void *)three, 0, nullptr, nullptr));
    C("par -1", cudaFuncGetParamInfo((const void *)three, (size_t)-1, &o, &s));
    cudaFuncAttributes fa;
    auto attrs = [&](const char *w, const void *fn) {
        memset(&fa, 0, sizeof fa);
        cudaError_t e = cudaFuncGetAttributes(&fa, fn);
        (void)cudaGetLastError();
        printf("attributes %s=%d shared %zu const %zu local %zu threads %d "
               "regs>0 %d ptx %d bin %d ca %d dyn %d carve %d must %d w %d h "
               "%d d %d size %d np %d\n",
               w, (int)e, fa.sharedSizeBytes, fa.constSizeBytes,
               fa.localSizeBytes, fa.maxThreadsPerBlock, fa.numRegs > 0,
               fa.ptxVersion, fa.binaryVersion, fa.cacheModeCA,
               fa.maxDynamicSharedSizeBytes, fa.preferredShmemCarveout,
               fa.clusterDimMustBeSet, fa.requiredClusterWidth,
               fa.requiredClusterHeight, fa.requiredClusterDepth,
               fa.clusterSchedulingPolicyPreference,
               fa.nonPortableClusterSizeAllowed);
    };
    attrs("three", (const void *)three);
    attrs("kernel_t", (const void *)k);
    attrs("bound", (const void *)bound);
    attrs("many", (const void *)many);
    attrs("none", (const void *)none);
    C("attributes null", cudaFuncGetAttributes(nullptr, (const void *)three));
    C("attributes null null", cudaFuncGetAttributes(nullptr, (const void *)0));
    typedef cudaFuncAttribute A;
    for (int v2 : {-2, -1, 0, 49152, 100000, 232448, 232449, 300000})
        C("kernel attr dyn " + std::to_string(v2),
          cudaKernelSetAttributeForDevice(
              k, cudaFuncAttributeMaxDynamicSharedMemorySize, v2, 0));
    for (int v2 : {-2, -1, 0, 50, 100, 101})
        C("kernel attr carve " + std::to_string(v2),
          cudaKernelSetAttributeForDevice(
              k, cudaFuncAttributePreferredSharedMemoryCarveout, v2, 0));
    for (int a : {0, 1, 7, 10, 11, 12, 13, 14, 15, 99})
        C("kernel attr " + std::to_string(a) + " 1",
          cudaKernelSetAttributeForDevice(k, (A)a, 1, 0));
    C("kernel attr dev 99",
      cudaKernelSetAttributeForDevice(
          k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000, 99));
    C("kernel attr dev -1",
      cudaKernelSetAttributeForDevice(
          k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000, -1));
    C("kernel attr dev 1",
      cudaKernelSetAttributeForDevice(
          k, cudaFuncAttributeMaxDynamicSharedMemorySize, 70000, 1));
    attrs("writes", (const void *)writes);
    if (cudaSetDevice(1) == cudaSuccess) {
        attrs("writes on 1", (const void *)writes);
        MUST(cudaSetDevice(0));
    }
    C("kernel attr null",
      cudaKernelSetAttributeForDevice(
          nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000, 0));
    C("kernel attr symbol",
      cudaKernelSetAttributeForDevice(
          (cudaKernel_t)three, cudaFuncAttributeMaxDynamicSharedMemorySize,
          1000, 0));
    C("FuncSetAttribute kernel_t",
      cudaFuncSetAttribute((const void *)k,
                           cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    attrs("writes", (const void *)writes);
    for (int v2 : {-2, -1, 0, 49152, 232448 - 400, 232448 - 399})
        C("set bound dyn " + std::to_string(v2),
          cudaFuncSetAttribute((const void *)bound,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               v2));
    for (int v2 : {-2, -1, 0, 50, 100, 101})
        C("set bound carve " + std::to_string(v2),
          cudaFuncSetAttribute((const void *)bound,
                               cudaFuncAttributePreferredSharedMemoryCarveout,
                               v2));
    for (int a : {0, 1, 7, 10, 11, 12, 13, 14, 15, 99})
        C("set none " + std::to_string(a) + " 1",
          cudaFuncSetAttribute((const void *)none, (A)a, 1));
    for (int c = -1; c <= 4; c++)
        C("cache config " + std::to_string(c),
          cudaFuncSetCacheConfig((const void *)none, (cudaFuncCache)c));
    C("cache config kernel_t",
      cudaFuncSetCacheConfig((const void *)k, cudaFuncCachePreferL1));
    C("cache config null",
      cudaFuncSetCacheConfig((const void *)nullptr, cudaFuncCachePreferL1));
    // Occupancy.
    int nb;
    auto occ = [&](const char *w, const void *fn, int bs, size_t dy,
                   unsigned fl = 0) {
        nb = -7;
        cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &nb, fn, bs, dy, fl);
        cudaError_t l = cudaGetLastError();
        printf("occ %s %d %zu %u=%d,%d last %d\n", w, bs, dy, fl, (int)e, nb,
               (int)l);
        fflush(stdout);
    };
    for (int b : {-1, 0, 1, 32, 33, 64, 96, 97, 128, 256, 512, 1024, 1025, 2048,
                  1 << 30})
        occ("none", (const void *)none, b, 0);
    for (int b : {1, 32, 96, 128, 256, 1024, 1025})
        occ("bound", (const void *)bound, b, 0);
    for (int b : {32, 256, 1024})
        occ("twob", (const void *)twob, b, 0);
    for (size_t y : {(size_t)0, (size_t)1, (size_t)1024, (size_t)8192,
                     (size_t)16384, (size_t)40000, (size_t)48752, (size_t)49152,
                     (size_t)49153, (size_t)100000, (size_t)1 << 40}) {
        occ("none", (const void *)none, 32, y);
        occ("stat", (const void *)stat, 32, y);
    }
    MUST(cudaFuncSetAttribute((const void *)twob,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              100000));
    for (size_t y : {(size_t)49153, (size_t)100000, (size_t)100001,
                     (size_t)115000, (size_t)232448})
        occ("twob opted 100000", (const void *)twob, 32, y);
    MUST(cudaFuncSetAttribute((const void *)twob,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              232448));
    for (size_t y :
         {(size_t)75000, (size_t)115711, (size_t)115712, (size_t)115713,
          (size_t)116000, (size_t)232448, (size_t)232449})
        occ("twob opted max", (const void *)twob, 32, y);
    for (unsigned fl : {1u, 2u, 3u})
        occ("none", (const void *)none, 32, 0, fl);
    occ("kernel_t", (const void *)k, 32, 0);
    occ("null", nullptr, 32, 0);
    C("occ out null", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                          nullptr, (const void *)none, 32, 0));
    for (int nbk : {-1, 0, 1, 2, 3, 4, 16, 32, 33, 64})
        for (int bs : {-1, 0, 1, 32, 1024, 1025}) {
            o = 99;
            cudaError_t e = cudaOccupancyAvailableDynamicSMemPerBlock(
                &o, (const void *)none, nbk, bs);
            (void)cudaGetLastError();
            printf("available none %d %d=%d,%zu\n", nbk, bs, (int)e, o);
        }
    for (int nbk : {1, 2, 4, 8, 16, 32}) {
        o = 99;
        cudaError_t e = cudaOccupancyAvailableDynamicSMemPerBlock(
            &o, (const void *)twob, nbk, 32);
        printf("available twob opted max %d 32=%d,%zu\n", nbk, (int)e, o);
        o = 99;
        e = cudaOccupancyAvailableDynamicSMemPerBlock(&o, (const void *)bound,
                                                      nbk, 96);
        printf("available bound %d 96=%d,%zu\n", nbk, (int)e, o);
        o = 99;
        e = cudaOccupancyAvailableDynamicSMemPerBlock(&o, (const void *)bound,
                                                      nbk, 128);
        (void)cudaGetLastError();
        printf("available bound %d 128=%d,%zu\n", nbk, (int)e, o);
    }
    C("available out null", cudaOccupancyAvailableDynamicSMemPerBlock(
                                nullptr, (const void *)none, 1, 32));
    C("available null", cudaOccupancyAvailableDynamicSMemPerBlock(
                            &o, (const void *)nullptr, 1, 32));
    int g = -1, b = -1;
    C("potential bound",
      cudaOccupancyMaxPotentialBlockSize(&g, &b, bound, 0, 0));
    P("grid per SM, block", g, b);
    C("potential none 100000",
      cudaOccupancyMaxPotentialBlockSize(&g, &b, none, 100000, 0));
    P("grid, block", g, b);
    C("potential twob limit 100",
      cudaOccupancyMaxPotentialBlockSize(&g, &b, twob, 0, 100));
    P("grid, block", g, b);
    // Symbols.
    void *q;
    size_t z;
    C("sym address", cudaGetSymbolAddress(&q, dvar));
    C("sym address null", cudaGetSymbolAddress(&q, (const void *)0));
    C("sym address out null",
      cudaGetSymbolAddress(nullptr, (const void *)&dvar));
    C("sym address host", cudaGetSymbolAddress(&q, (const void *)&h));
    C("sym address kernel", cudaGetSymbolAddress(&q, (const void *)three));
    C("sym size", cudaGetSymbolSize(&z, cvar));
    K("bytes", z);
    C("sym size darr", cudaGetSymbolSize(&z, darr));
    K("bytes", z);
    C("sym size managed", cudaGetSymbolSize(&z, mvar));
    K("bytes", z);
    C("sym size null", cudaGetSymbolSize(&z, (const void *)0));
    C("sym size out null", cudaGetSymbolSize(nullptr, (const void *)&dvar));
    C("sym address managed", cudaGetSymbolAddress(&q, mvar));
    K("managed address is &mvar", q == (void *)&mvar);
    unsigned cap[16];
    cudaAtomicOperation ops[14];
    for (int i = 0; i < 14; i++) {
        ops[i] = (cudaAtomicOperation)i;
        cap[i] = 77;
    }
    C("atomics all", cudaDeviceGetHostAtomicCapabilities(cap, ops, 13, 0));
    for (int i = 0; i < 13; i++)
        printf("%u ", cap[i]);
    printf("\n");
    C("atomics 14", cudaDeviceGetHostAtomicCapabilities(cap, ops, 14, 0));
    C("atomics cap null",
      cudaDeviceGetHostAtomicCapabilities(nullptr, ops, 1, 0));
    C("atomics ops null",
      cudaDeviceGetHostAtomicCapabilities(cap, nullptr, 1, 0));
    C("atomics dev -1", cudaDeviceGetHostAtomicCapabilities(cap, ops, 1, -1));
    C("atomics null dev 99",
      cudaDeviceGetHostAtomicCapabilities(nullptr, ops, 0, 99));
    for (int i = 0; i < 13; i++)
        cap[i] = 77;
    C("p2p atomics all",
      cudaDeviceGetP2PAtomicCapabilities(cap, ops, 13, 0, 1));
    for (int i = 0; i < 13; i++)
        printf("%u ", cap[i]);
    printf("\n");
    C("p2p atomics 0 0", cudaDeviceGetP2PAtomicCapabilities(cap, ops, 1, 0, 0));
    C("p2p atomics 0 99",
      cudaDeviceGetP2PAtomicCapabilities(cap, ops, 1, 0, 99));
    C("p2p atomics count 0",
      cudaDeviceGetP2PAtomicCapabilities(cap, ops, 0, 0, 1));
    C("p2p atomics op 13",
      cudaDeviceGetP2PAtomicCapabilities(cap, ops + 13, 1, 0, 1));
    C("p2p atomics null",
      cudaDeviceGetP2PAtomicCapabilities(nullptr, ops, 1, 0, 1));
    C("p2p atomics null 0 0",
      cudaDeviceGetP2PAtomicCapabilities(nullptr, ops, 0, 0, 0));
    // Unknown functions last.
    C("GetKernel unknown", cudaGetKernel(&k2, (const void *)hostf));
    C("GetFuncBySymbol unknown", cudaGetFuncBySymbol(&f2, (const void *)hostf));
    name("unknown", (const void *)hostf);
    par("unknown", (const void *)hostf, 1);
    C("set unknown",
      cudaFuncSetAttribute((const void *)hostf,
                           cudaFuncAttributeMaxDynamicSharedMemorySize, 100));
    C("cache unknown",
      cudaFuncSetCacheConfig((const void *)hostf, cudaFuncCachePreferL1));
    occ("unknown", (const void *)hostf, 32, 0);
    C("GetKernel of kernel_t", cudaGetKernel(&k2, (const void *)k));
    C("GetFuncBySymbol of kernel_t", cudaGetFuncBySymbol(&f2, (const void *)k));
    C("launch unknown",
      cudaLaunchKernel((const void *)hostf, dim3(1), dim3(1), args, 0, 0));
    C("launch null", cudaLaunchKernel(nullptr, dim3(1), dim3(1), args, 0, 0));
    C("end", cudaDeviceSynchronize());
    C("launch function_t",
      cudaLaunchKernel((const void *)f, dim3(1), dim3(1), args, 0, 0));
    return 0;
}
