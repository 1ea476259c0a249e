/*
 * calibrate.cu: the figures that a device profile rests on, measured: copies
 * by size and direction, both directions and several GPUs at once, kernels,
 * host calls, what a blocked operation holds up, and a chunked pipeline. Runs
 * on either backend, so that the virtual GPU's answer can be put beside the
 * real one's. `docs/measured/measure.sh calibrate` does that.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "cipher.h"

enum { REPEATS = 5, MIB = 1 << 20, MAX_GPUS = 8, STREAMS = 64 };

static char *host, *device;
static cudaStream_t streams[STREAMS];
static cudaEvent_t start, stop;

__global__ void empty(void)
{
}

/* Work that takes a while and touches nothing. */
__global__ void slow(uint64_t rounds, uint64_t *out)
{
    uint64_t x = threadIdx.x;

    for (uint64_t i = 0; i < rounds; i++)
        x = x * 6364136223846793005u + i;
    if (x == 1)
        *out = x;
}

static double wall_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *values)
{
    qsort(values, REPEATS, sizeof(*values), compare);
    return values[REPEATS / 2];
}

static void line(const char *name, double value, const char *unit)
{
    printf("%-46s %12.2f %s\n", name, value, unit);
}

/* ---- copies ----------------------------------------------------------------
 */

/* @count copies back to back behind a kernel that gives time to queue them. */
static double copies_us(size_t bytes, int count, enum cudaMemcpyKind kind)
{
    double us[REPEATS];
    float ms;

    for (int r = 0; r < REPEATS; r++) {
        slow<<<1, 1, 0, streams[0]>>>(400000, NULL);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(start, streams[0]));
        for (int i = 0; i < count; i++)
            CHECK(
                cudaMemcpyAsync(kind == cudaMemcpyHostToDevice ? device : host,
                                kind == cudaMemcpyHostToDevice ? host : device,
                                bytes, kind, streams[0]));
        CHECK(cudaEventRecord(stop, streams[0]));
        CHECK(cudaStreamSynchronize(streams[0]));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        us[r] = ms * 1e3 / count;
    }
    return median(us);
}

static void measure_copies(void)
{
    static const size_t sizes[] = {1024, 65536, MIB, 16 * MIB};
    static const char *const names[] = {"1 KiB", "64 KiB", "1 MiB", "16 MiB"};
    char text[64];

    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof(text), "copy in, %s, queued", names[i]);
        line(text, copies_us(sizes[i], 20, cudaMemcpyHostToDevice), "us");
        snprintf(text, sizeof(text), "copy back, %s, queued", names[i]);
        line(text, copies_us(sizes[i], 20, cudaMemcpyDeviceToHost), "us");
    }
}

/* One 64 MiB copy each way on each of @gpus at once, GB/s in total. */
static void measure_together(int gpus, const char *what, int in, int out)
{
    static char *hosts[MAX_GPUS], *devices[MAX_GPUS];
    static cudaStream_t s[MAX_GPUS][2];
    const size_t half = 64 * MIB;
    double rates[REPEATS];
    char text[64];

    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMallocHost((void **)&hosts[g], 2 * half));
        CHECK(cudaMalloc((void **)&devices[g], 2 * half));
        for (int i = 0; i < 2; i++)
            CHECK(cudaStreamCreateWithFlags(&s[g][i], cudaStreamNonBlocking));
        memset(hosts[g], 1, 2 * half);
    }
    for (int r = 0; r < REPEATS; r++) {
        double from = wall_us();

        for (int n = 0; n < 4; n++)
            for (int g = 0; g < gpus; g++) {
                CHECK(cudaSetDevice(g));
                if (in)
                    CHECK(cudaMemcpyAsync(devices[g], hosts[g], half,
                                          cudaMemcpyHostToDevice, s[g][0]));
                if (out)
                    CHECK(cudaMemcpyAsync(hosts[g] + half, devices[g] + half,
                                          half, cudaMemcpyDeviceToHost,
                                          s[g][1]));
            }
        for (int g = 0; g < gpus; g++) {
            CHECK(cudaSetDevice(g));
            CHECK(cudaDeviceSynchronize());
        }
        rates[r] =
            4.0 * gpus * (in + out) * (double)half / (wall_us() - from) / 1e3;
    }
    snprintf(text, sizeof(text), "%s, %d GPU%s, 64 MiB", what, gpus,
             gpus == 1 ? "" : "s");
    line(text, median(rates), "GB/s");
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        for (int i = 0; i < 2; i++)
            CHECK(cudaStreamDestroy(s[g][i]));
        CHECK(cudaFree(devices[g]));
        CHECK(cudaFreeHost(hosts[g]));
    }
    CHECK(cudaSetDevice(0));
}

/* From GPU 0 to GPU 1, by either device's stream. Access is what makes a copy
 * take the direct way, where there is one; does one way do? */
static void measure_peer(const char *access)
{
    static char *memory[2];
    const size_t bytes = 64 * MIB;
    double rates[REPEATS];
    char text[64];

    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc((void **)&memory[d], bytes));
        CHECK(cudaMemset(memory[d], d, bytes));
        CHECK(cudaDeviceSynchronize());
    }
    for (int by = 0; by < 2; by++) {
        cudaStream_t s;

        CHECK(cudaSetDevice(by));
        CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        for (int r = 0; r < REPEATS; r++) {
            const double from = wall_us();

            for (int n = 0; n < 4; n++)
                CHECK(
                    cudaMemcpyPeerAsync(memory[1], 1, memory[0], 0, bytes, s));
            CHECK(cudaStreamSynchronize(s));
            rates[r] = 4.0 * (double)bytes / (wall_us() - from) / 1e3;
        }
        snprintf(text, sizeof(text), "0 to 1, access %s, stream of %d", access,
                 by);
        line(text, median(rates), "GB/s");
        CHECK(cudaStreamDestroy(s));
    }
    for (int d = 0; d < 2; d++)
        CHECK(cudaFree(memory[d]));
    CHECK(cudaSetDevice(0));
}

/* The first device may use the second one's memory from now on. */
static int allow(int device, int peer)
{
    int can = 0;

    CHECK(cudaDeviceCanAccessPeer(&can, device, peer));
    if (can) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaDeviceEnablePeerAccess(peer, 0));
    }
    return can;
}

static void measure_peers(void)
{
    measure_peer("none");
    if (allow(0, 1))
        measure_peer("0 to 1");
    if (allow(1, 0))
        measure_peer("both ways");
}

/* ---- kernels
 * ----------------------------------------------------------------- */

static double kernels_us(int count)
{
    double us[REPEATS];
    float ms;

    for (int r = 0; r < REPEATS; r++) {
        slow<<<1, 1, 0, streams[0]>>>(400000, NULL);
        CHECK(cudaEventRecord(start, streams[0]));
        for (int i = 0; i < count; i++)
            empty<<<1, 1, 0, streams[0]>>>();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop, streams[0]));
        CHECK(cudaStreamSynchronize(streams[0]));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        us[r] = ms * 1e3 / count;
    }
    return median(us);
}

static double cipher_us(uint64_t entries, uint64_t rounds, unsigned blocks,
                        unsigned threads)
{
    double us[REPEATS];
    float ms;

    for (int r = 0; r < REPEATS; r++) {
        CHECK(cudaEventRecord(start, streams[0]));
        decrypt_gpu<<<blocks, threads, 0, streams[0]>>>((uint64_t *)device,
                                                        entries, rounds);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop, streams[0]));
        CHECK(cudaStreamSynchronize(streams[0]));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        us[r] = ms * 1e3;
    }
    return median(us);
}

static void measure_kernels(void)
{
    double from;

    line("empty kernels, queued in one stream", kernels_us(100), "us each");
    from = wall_us();
    empty<<<1, 1, 0, streams[0]>>>();
    CHECK(cudaStreamSynchronize(streams[0]));
    line("one launch and its sync", wall_us() - from, "us");
    line("cipher, 2^18 entries, 512 rounds",
         cipher_us(1 << 18, 512, decrypt_blocks(1 << 18), DECRYPT_THREADS),
         "us");
    line("cipher, 1 thread, 512 rounds", cipher_us(1, 512, 1, 1), "us");
    line("cipher, 1 block of 256, 512 rounds", cipher_us(256, 512, 1, 256),
         "us");
}

/* ---- the host's part
 * ----------------------------------------------------------- */

#define CALLS 200
#define HOST(name, call)                                                       \
    do {                                                                       \
        double from_ = wall_us();                                              \
        for (int i_ = 0; i_ < CALLS; i_++)                                     \
            call;                                                              \
        line("host: " name, (wall_us() - from_) / CALLS, "us");                \
        CHECK(cudaDeviceSynchronize());                                        \
    } while (0)

static void measure_host(void)
{
    HOST("kernel launch", (empty<<<1, 1, 0, streams[1]>>>()));
    HOST("cudaMemcpyAsync",
         CHECK(cudaMemcpyAsync(device, host, 1024, cudaMemcpyHostToDevice,
                               streams[1])));
    HOST("cudaEventRecord", CHECK(cudaEventRecord(start, streams[1])));
    HOST("cudaStreamWaitEvent",
         CHECK(cudaStreamWaitEvent(streams[1], start, 0)));
    HOST("cudaStreamSynchronize of an idle stream",
         CHECK(cudaStreamSynchronize(streams[2])));
    HOST("cudaStreamQuery", CHECK(cudaStreamQuery(streams[2])));
}

/* ---- what a blocked operation holds up
 * ------------------------------------------ */

enum action { KERNEL, IN, BACK };

static void issue(enum action action, int stream, size_t at)
{
    cudaStream_t s = streams[stream];

    if (action == KERNEL)
        empty<<<1, 1, 0, s>>>();
    else if (action == IN)
        CHECK(cudaMemcpyAsync(device + at, host + at, MIB,
                              cudaMemcpyHostToDevice, s));
    else
        CHECK(cudaMemcpyAsync(host + at, device + at, MIB,
                              cudaMemcpyDeviceToHost, s));
    CHECK(cudaGetLastError());
}

/* A slow kernel and @blocked behind it in stream 0; then @probe in another
 * stream: does it wait for the kernel? */
static void measure_blocking(enum action blocked, enum action probe,
                             const char *name)
{
    double whole, from;
    char text[64];

    from = wall_us();
    slow<<<1, 1, 0, streams[0]>>>(8000000, NULL);
    CHECK(cudaDeviceSynchronize());
    whole = wall_us() - from;
    from = wall_us();
    slow<<<1, 1, 0, streams[0]>>>(8000000, NULL);
    issue(blocked, 0, 0);
    issue(probe, 1, 4 * MIB);
    CHECK(cudaStreamSynchronize(streams[1]));
    snprintf(text, sizeof(text), "blocked %s", name);
    printf("%-46s %12s\n", text,
           wall_us() - from > whole / 2 ? "waits" : "goes ahead");
    CHECK(cudaDeviceSynchronize());
}

/* ---- a chunked pipeline
 * ----------------------------------------------------------- */

static void measure_pipeline(size_t bytes)
{
    const uint64_t entries = bytes / sizeof(uint64_t);
    char *big_host, *big_device, *keep = device;
    double copy_us, us[REPEATS];
    uint64_t rounds = 16;
    char text[64];

    CHECK(cudaMallocHost((void **)&big_host, bytes));
    CHECK(cudaMalloc((void **)&big_device, bytes));
    memset(big_host, 1, bytes);
    device = big_device;
    CHECK(cudaMemcpy(device, big_host, bytes, cudaMemcpyHostToDevice));
    copy_us = wall_us();
    CHECK(cudaMemcpyAsync(device, big_host, bytes, cudaMemcpyHostToDevice,
                          streams[0]));
    CHECK(cudaDeviceSynchronize());
    copy_us = wall_us() - copy_us;
    rounds = (uint64_t)((double)rounds * copy_us /
                            cipher_us(entries, rounds, decrypt_blocks(entries),
                                      DECRYPT_THREADS) +
                        0.5);
    for (uint64_t n = 1; n <= STREAMS; n *= 2) {
        const uint64_t chunk = entries / n;

        for (int r = 0; r < REPEATS; r++) {
            us[r] = wall_us();
            for (uint64_t s = 0; s < n; s++) {
                uint64_t *h = (uint64_t *)big_host + s * chunk;
                uint64_t *d = (uint64_t *)big_device + s * chunk;

                CHECK(cudaMemcpyAsync(d, h, chunk * 8, cudaMemcpyHostToDevice,
                                      streams[s]));
                decrypt_gpu<<<decrypt_blocks(chunk), DECRYPT_THREADS, 0,
                              streams[s]>>>(d, chunk, rounds);
                CHECK(cudaGetLastError());
                CHECK(cudaMemcpyAsync(h, d, chunk * 8, cudaMemcpyDeviceToHost,
                                      streams[s]));
            }
            CHECK(cudaDeviceSynchronize());
            us[r] = wall_us() - us[r];
        }
        snprintf(text, sizeof(text), "pipeline, %d stream%s", (int)n,
                 n == 1 ? "" : "s");
        line(text, median(us) / copy_us, "times a copy in");
    }
    device = keep;
    CHECK(cudaFree(big_device));
    CHECK(cudaFreeHost(big_host));
}

int main(int argc, char **argv)
{
    const size_t bytes = (argc > 1 ? (size_t)atoi(argv[1]) : 256) * MIB;
    int gpus;

    CHECK(cudaGetDeviceCount(&gpus));
    if (gpus > MAX_GPUS)
        gpus = MAX_GPUS;
    CHECK(cudaMallocHost((void **)&host, 32 * MIB));
    CHECK(cudaMalloc((void **)&device, 32 * MIB));
    memset(host, 1, 32 * MIB);
    for (int i = 0; i < STREAMS; i++)
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    empty<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());

    measure_copies();
    for (int g = 1; g <= gpus; g *= 2) {
        measure_together(g, "in", 1, 0);
        measure_together(g, "back", 0, 1);
        measure_together(g, "both ways", 1, 1);
    }
    if (gpus > 1)
        measure_peers();
    measure_kernels();
    measure_host();
    measure_blocking(IN, IN, "copy in, a copy in");
    measure_blocking(IN, BACK, "copy in, a copy back");
    measure_blocking(IN, KERNEL, "copy in, a kernel");
    measure_blocking(KERNEL, KERNEL, "kernel, a kernel");
    measure_blocking(KERNEL, IN, "kernel, a copy in");
    measure_pipeline(bytes);

    for (int i = 0; i < STREAMS; i++)
        CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
