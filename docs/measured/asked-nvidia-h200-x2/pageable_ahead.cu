// Pageable copies behind a busy kernel: how many go ahead before the host is
// held.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#define CHECK(c)                                                               \
    do {                                                                       \
        cudaError_t e_ = (c);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_));         \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
static const size_t KIB = 1024, MIB = 1 << 20;
static double wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
__global__ void spin(long long ns)
{
    unsigned long long f, t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(f));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    while ((long long)(t - f) < ns);
}
__device__ char symbol[1 << 20];
static cudaStream_t s, t;
static char *d, *page;
static int count(cudaStream_t in, size_t bytes, int most, double held_ms)
{
    for (int i = 0; i < most; i++) {
        const double from = wall_ms();
        CHECK(cudaMemcpyAsync(d, page, bytes, cudaMemcpyHostToDevice, in));
        if (wall_ms() - from > held_ms)
            return i;
    }
    return most;
}
int main()
{
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&d, 64 * MIB));
    page = (char *)malloc(64 * MIB);
    memset(page, 1, 64 * MIB);
    spin<<<1, 1>>>(1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(d, page, 64 * MIB, cudaMemcpyHostToDevice));
    static const size_t sizes[] = {
        4,       1024,    4096,    16384,   32768,   49152,   65532,
        65536,   65537,   98304,   131072,  262144,  524288,  786432,
        1048576, 1048577, 1572864, 2097152, 2097153, 2101248, 4194304};
    for (int run = 0; run < 2; run++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            spin<<<1, 1, 0, s>>>(60000000);
            const int n = count(s, sizes[i], 1500, 20);
            CHECK(cudaDeviceSynchronize());
            printf("%zu bytes: %d ahead\n", sizes[i], n);
        }
    // Two streams, each behind a kernel: one staging space or two?
    for (int i = 0; i < 2; i++) {
        const size_t bytes = i ? MIB : 64 * KIB;
        const int first = i ? 1 : 30;
        spin<<<1, 1, 0, s>>>(80000000);
        spin<<<1, 1, 0, t>>>(80000000);
        const int m = count(s, bytes, first, 20), n = count(t, bytes, 200, 20);
        CHECK(cudaDeviceSynchronize());
        printf("%d of %zu in s, then in t: %d\n", m, bytes, n);
    }
    // Kinds mixed.
    spin<<<1, 1, 0, s>>>(80000000);
    {
        int m = count(s, MIB, 1, 20), n = count(s, 64 * KIB, 200, 20);
        CHECK(cudaDeviceSynchronize());
        printf("%d of 1 MiB, then of 64 KiB: %d\n", m, n);
    }
    spin<<<1, 1, 0, s>>>(80000000);
    {
        int m = count(s, 64 * KIB, 40, 20), n = count(s, MIB, 200, 20);
        CHECK(cudaDeviceSynchronize());
        printf("%d of 64 KiB, then of 1 MiB: %d\n", m, n);
    }
    spin<<<1, 1, 0, s>>>(80000000);
    {
        int m = count(s, 64 * KIB, 40, 20), n = count(s, 2 * MIB, 200, 20);
        CHECK(cudaDeviceSynchronize());
        printf("%d of 64 KiB, then of 2 MiB: %d\n", m, n);
    }
    spin<<<1, 1, 0, s>>>(80000000);
    {
        int m = count(s, 16 * KIB, 100, 20), n = count(s, 64 * KIB, 200, 20);
        CHECK(cudaDeviceSynchronize());
        printf("%d of 16 KiB, then of 64 KiB: %d\n", m, n);
    }
    // Held until when? The kernel's 60 ms, or until the copy is through.
    for (int i = 0; i < 2; i++) {
        spin<<<1, 1, 0, s>>>(60000000);
        double from = wall_ms();
        CHECK(cudaMemcpyAsync(d, page, (i ? 32 : 4) * MIB,
                              cudaMemcpyHostToDevice, s));
        const double ms = wall_ms() - from;
        const int busy = cudaStreamQuery(s) == cudaErrorNotReady;
        CHECK(cudaDeviceSynchronize());
        printf("%d MiB behind a kernel of 60 ms: held %.1f ms, busy after %d, "
               "all %.1f ms\n",
               i ? 32 : 4, ms, busy, wall_ms() - from);
    }
    // In an idle stream: how long the call takes, how long until it is there.
    for (size_t b = 4096; b <= 64 * MIB; b *= 4) {
        double call = 1e9, all = 1e9, sync = 1e9;
        for (int run = 0; run < 6; run++) {
            double from = wall_ms();
            CHECK(cudaMemcpyAsync(d, page, b, cudaMemcpyHostToDevice, s));
            double c = wall_ms() - from;
            CHECK(cudaStreamSynchronize(s));
            double a = wall_ms() - from;
            if (c < call)
                call = c;
            if (a < all)
                all = a;
            from = wall_ms();
            CHECK(cudaMemcpy(d, page, b, cudaMemcpyHostToDevice));
            a = wall_ms() - from;
            if (a < sync)
                sync = a;
            CHECK(cudaDeviceSynchronize());
        }
        printf("idle stream, %zu bytes: call %.1f us, there %.1f us; "
               "cudaMemcpy %.1f us\n",
               b, call * 1e3, all * 1e3, sync * 1e3);
    }
    // The bytes are those of the call?
    for (int i = 0; i < 3; i++) {
        const size_t b = i == 0 ? 64 * KIB : i == 1 ? MIB : 2 * MIB;
        static char back[2 << 20];
        memset(page, 1, b);
        spin<<<1, 1, 0, s>>>(20000000);
        CHECK(cudaMemcpyAsync(d, page, b, cudaMemcpyHostToDevice, s));
        memset(page, 2, b);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(back, d, b, cudaMemcpyDeviceToHost));
        int twos = 0;
        for (size_t k = 0; k < b; k++)
            twos += back[k] == 2;
        printf("overwritten after the call, %zu bytes: %d of the new\n", b,
               twos);
    }
// Other calls, 1 = went ahead.
#define AHEAD(what, call)                                                      \
    do {                                                                       \
        spin<<<1, 1, 0, s>>>(40000000);                                        \
        double f_ = wall_ms();                                                 \
        cudaError_t r_ = (call);                                               \
        printf("%s: %d, ahead %d\n", what, (int)r_, wall_ms() - f_ < 20);      \
        CHECK(cudaDeviceSynchronize());                                        \
    } while (0)
    AHEAD("2D 1024 rows of 128", cudaMemcpy2DAsync(d, 256, page, 256, 128, 1024,
                                                   cudaMemcpyHostToDevice, s));
    AHEAD("2D 1024 rows of 2048",
          cudaMemcpy2DAsync(d, 4096, page, 4096, 2048, 1024,
                            cudaMemcpyHostToDevice, s));
    AHEAD("2D 2048 rows of 2048",
          cudaMemcpy2DAsync(d, 4096, page, 4096, 2048, 2048,
                            cudaMemcpyHostToDevice, s));
    AHEAD("to symbol, 1 MiB",
          cudaMemcpyToSymbolAsync(symbol, page, MIB, 0, cudaMemcpyHostToDevice,
                                  s));
    AHEAD("2D back, 1 row of 4", cudaMemcpy2DAsync(page, 256, d, 256, 4, 1,
                                                   cudaMemcpyDeviceToHost, s));
    AHEAD("memset 1 MiB", cudaMemsetAsync(d, 0, MIB, s));
    cudaEvent_t e;
    CHECK(cudaEventCreate(&e));
    spin<<<1, 1, 0, s>>>(40000000);
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaStreamWaitEvent(t, e, 0));
    {
        double f = wall_ms();
        CHECK(cudaMemcpyAsync(d, page, 4 * MIB, cudaMemcpyHostToDevice, t));
        printf("4 MiB in a stream that waits for an event: ahead %d\n",
               wall_ms() - f < 20);
        CHECK(cudaDeviceSynchronize());
    }
    return 0;
}
