/*
 * links.h: copies, of a calibration: rates, fixed costs, both directions and
 * several GPUs at once.
 */
#ifndef LINKS_H
#define LINKS_H

#include "bench.h"

/* ---- copies ---------------------------------------------------------------
 */

static size_t copy_bytes;

__global__ static void put(uint64_t *to, const uint64_t *from, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        to[i] = from[i];
}

static void copy_in(int i)
{
    (void)i;
    CHECK(cudaMemcpyAsync(device, host, copy_bytes, cudaMemcpyHostToDevice,
                          streams[0]));
}

static void copy_back(int i)
{
    (void)i;
    CHECK(cudaMemcpyAsync(host, device, copy_bytes, cudaMemcpyDeviceToHost,
                          streams[0]));
}

static void copy_within(int i)
{
    (void)i;
    CHECK(cudaMemcpyAsync(device + 64 * MIB, device, copy_bytes,
                          cudaMemcpyDeviceToDevice, streams[0]));
}

static double copy_ns(work_fn *copy, size_t bytes, int count)
{
    copy_bytes = bytes;
    return queued_ns(copy, count, streams[0]);
}

struct copies {
    double bytes_per_s, queued_ns, idle_ns;
};

/* The rate from two large copies; what is left of smaller ones is fixed. */
static struct copies measure_direction(work_fn *copy, const char *name)
{
    static const size_t sizes[] = {KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB};
    const double small = copy_ns(copy, 16 * MIB, 4);
    const double large = copy_ns(copy, 64 * MIB, 4);
    struct copies c = {48.0 * MIB / (large - small) * 1e9, 0, 0};
    double rest[5];

    for (int i = 0; i < 5; i++) {
        const double ns = copy_ns(copy, sizes[i], 40);

        rest[i] = ns - (double)sizes[i] / c.bytes_per_s * 1e9;
        printf("copy %s, %zu KiB, queued        %.0f ns, fixed %.0f\n", name,
               sizes[i] / KIB, ns, rest[i]);
    }
    printf("copy %s, 16 MiB, queued        %.0f ns\n", name, small);
    c.queued_ns = median_of(rest, 5);
    return c;
}

/* A copy of so many bytes while others go the other way, each way in a stream
 * of its own, until the last one has ended, ns. */
static double copy_beside_ns(size_t bytes, int copies)
{
    double ns[REPEATS];

    for (int r = -1; r < REPEATS; r++) {
        float ms;

        hold<<<1, 1, 0, streams[0]>>>((long long)(ticks_per_us * 1000));
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(start, streams[0]));
        CHECK(cudaStreamWaitEvent(streams[1], start, 0));
        for (int i = 0; i < copies; i++) {
            CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice,
                                  streams[0]));
            CHECK(cudaMemcpyAsync(host + 64 * MIB, device + 64 * MIB, bytes,
                                  cudaMemcpyDeviceToHost, streams[1]));
        }
        CHECK(cudaEventRecord(mark, streams[1]));
        CHECK(cudaStreamWaitEvent(streams[0], mark, 0));
        CHECK(cudaEventRecord(stop, streams[0]));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (r >= 0)
            ns[r] = (double)ms * 1e6 / copies;
    }
    return median_of(ns, REPEATS);
}

struct duplex {
    double bytes_per_s;    /* both ways together */
    double fixed_ns;       /* of a copy, more than alone */
    double fixed_permille; /* most of it, of what the bytes take alone */
};

/*
 * The rate from copies of two sizes. What smaller ones take besides is fixed,
 * and the slower way sets the pace; but while the other way has its fixed cost,
 * this one has the link for itself. Copies of 64 KiB say whether that cost is
 * the same for few bytes.
 */
static struct duplex measure_duplex(const struct copies *in,
                                    const struct copies *back)
{
    const size_t small = MIB, large = 8 * MIB, few = 64 * KIB;
    const double small_ns = copy_beside_ns(small, 64);
    const double each_ns = (copy_beside_ns(large, 16) - small_ns) /
                           (double)(large - small); /* a byte */
    const double few_ns = copy_beside_ns(few, 64);
    const double slow =
        in->queued_ns > back->queued_ns ? in->queued_ns : back->queued_ns;
    const double quick = in->queued_ns + back->queued_ns - slow;
    const double gain =
        (in->bytes_per_s + back->bytes_per_s) / 2 * each_ns / 1e9 - 1;
    struct duplex d;

    printf("a copy of 1 MiB beside others  %.0f ns\n", small_ns);
    printf("a copy of 64 KiB beside others %.0f ns\n", few_ns);
    d.bytes_per_s = 2e9 / each_ns;
    d.fixed_ns =
        (small_ns - (double)small * each_ns - slow + gain * quick) / (1 - gain);
    d.fixed_permille = (few_ns - (double)few * each_ns - slow + gain * quick) /
                       ((double)few / in->bytes_per_s * 1e9) * 1000;
    if (d.fixed_permille < 0)
        d.fixed_permille = 1;
    return d;
}

/* ---- copies in many streams ------------------------------------------------
 */

enum { SPREAD = 32, SPREAD_WORK = 64 };

/* Mean of pieces of work in turn in so many streams, all queued before any
 * begins, ns. */
static double spread_work_ns(work_fn *work)
{
    double ns[REPEATS];
    float ms;

    for (int r = -1; r < REPEATS; r++) {
        hold<<<1, 1, 0, streams[SPREAD]>>>((long long)(ticks_per_us * 1000));
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(start, streams[SPREAD]));
        for (int i = 0; i < SPREAD; i++)
            CHECK(cudaStreamWaitEvent(streams[i], start, 0));
        for (int i = 0; i < SPREAD_WORK; i++)
            work(i);
        for (int i = 0; i < SPREAD; i++) {
            CHECK(cudaEventRecord(mark, streams[i]));
            CHECK(cudaStreamWaitEvent(streams[SPREAD], mark, 0));
        }
        CHECK(cudaEventRecord(stop, streams[SPREAD]));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (r >= 0)
            ns[r] = (double)ms * 1e6 / SPREAD_WORK;
    }
    return median_of(ns, REPEATS);
}

static void spread_in(int i)
{
    CHECK(cudaMemcpyAsync(device, host, copy_bytes, cudaMemcpyHostToDevice,
                          streams[i % SPREAD]));
}

static void spread_back(int i)
{
    CHECK(cudaMemcpyAsync(host, device, copy_bytes, cudaMemcpyDeviceToHost,
                          streams[i % SPREAD]));
}

static void spread_both(int i)
{
    spread_in(i);
    spread_back(i);
}

static void spread_chunk(int i)
{
    spread_in(i);
    nothing<<<1, 1, 0, streams[i % SPREAD]>>>();
    spread_back(i);
}

/* What is left of the fixed cost of a small copy behind another stream's, and
 * what a kernel between two of 256 KiB adds to each. */
struct spread {
    double inline_ns, kernel_ns;
};

static struct spread measure_spread(const struct copies *in)
{
    struct spread s;

    copy_bytes = KIB;
    s.inline_ns = spread_work_ns(spread_in) - KIB / in->bytes_per_s * 1e9;
    copy_bytes = 256 * KIB;
    s.kernel_ns = spread_work_ns(spread_chunk) - spread_work_ns(spread_both);
    return s;
}

/* Bytes a second of a kernel that reads the host's memory, or writes it: from
 * two sizes, as those of a copy. */
static size_t put_count;
static bool put_reads;

static void put_over_link(int i)
{
    uint64_t *const here = (uint64_t *)device, *const there = (uint64_t *)host;

    (void)i;
    put<<<(unsigned)(put_count / 256), 256, 0, streams[0]>>>(
        put_reads ? here : there, put_reads ? there : here, put_count);
    CHECK(cudaGetLastError());
}

static double over_link(bool reads)
{
    const size_t small = 8 * MIB, large = 32 * MIB;
    double small_ns;

    put_reads = reads;
    put_count = small / sizeof(uint64_t);
    small_ns = queued_ns(put_over_link, 4, streams[0]);
    put_count = large / sizeof(uint64_t);
    return (double)(large - small) * 1e9 /
           (queued_ns(put_over_link, 4, streams[0]) - small_ns);
}

/* On @gpus GPUs at once, each @in, @back or both, bytes a second in total. */
static double together(int gpus, int in, int back)
{
    static char *hosts[MAX_GPUS], *devices[MAX_GPUS];
    static cudaStream_t s[MAX_GPUS][2];
    const size_t half = 64 * MIB;
    const int rounds = 4;
    double rates[REPEATS];

    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMallocHost((void **)&hosts[g], 2 * half));
        CHECK(cudaMalloc((void **)&devices[g], 2 * half));
        for (int i = 0; i < 2; i++)
            CHECK(cudaStreamCreateWithFlags(&s[g][i], cudaStreamNonBlocking));
    }
    for (int r = -1; r < REPEATS; r++) {
        const double from = wall_ns();

        for (int n = 0; n < rounds; n++)
            for (int g = 0; g < gpus; g++) {
                CHECK(cudaSetDevice(g));
                if (in)
                    CHECK(cudaMemcpyAsync(devices[g], hosts[g], half,
                                          cudaMemcpyHostToDevice, s[g][0]));
                if (back)
                    CHECK(cudaMemcpyAsync(hosts[g] + half, devices[g] + half,
                                          half, cudaMemcpyDeviceToHost,
                                          s[g][1]));
            }
        for (int g = 0; g < gpus; g++) {
            CHECK(cudaSetDevice(g));
            CHECK(cudaDeviceSynchronize());
        }
        if (r >= 0)
            rates[r] = (double)rounds * gpus * (in + back) * (double)half /
                       (wall_ns() - from) * 1e9;
    }
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        for (int i = 0; i < 2; i++)
            CHECK(cudaStreamDestroy(s[g][i]));
        CHECK(cudaFree(devices[g]));
        CHECK(cudaFreeHost(hosts[g]));
    }
    CHECK(cudaSetDevice(0));
    return median_of(rates, REPEATS);
}

/* Ordinary memory goes through a buffer of the driver's. */
static double pageable(enum cudaMemcpyKind kind)
{
    const size_t bytes = 64 * MIB;
    char *memory = (char *)malloc(bytes);
    double rates[REPEATS];

    if (!memory)
        exit(EXIT_FAILURE);
    memset(memory, 1, bytes);
    for (int r = -1; r < REPEATS; r++) {
        const double from = wall_ns();

        if (kind == cudaMemcpyHostToDevice)
            CHECK(cudaMemcpy(device, memory, bytes, kind));
        else
            CHECK(cudaMemcpy(memory, device, bytes, kind));
        CHECK(cudaDeviceSynchronize());
        if (r >= 0)
            rates[r] = (double)bytes / (wall_ns() - from) * 1e9;
    }
    free(memory);
    return median_of(rates, REPEATS);
}

/* From GPU 0 to GPU 1, bytes a second. */
static double peer(bool access)
{
    const size_t bytes = 64 * MIB;
    double rates[REPEATS];
    char *other;
    int can;

    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (access && !can)
        return 0;
    if (access)
        CHECK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaSetDevice(1));
    if (access)
        CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaMalloc((void **)&other, bytes));
    CHECK(cudaSetDevice(0));
    for (int r = -1; r < REPEATS; r++) {
        const double from = wall_ns();

        for (int n = 0; n < 4; n++)
            CHECK(cudaMemcpyPeerAsync(other, 1, device, 0, bytes, streams[0]));
        CHECK(cudaStreamSynchronize(streams[0]));
        if (r >= 0)
            rates[r] = 4.0 * (double)bytes / (wall_ns() - from) * 1e9;
    }
    CHECK(cudaFree(other));
    return median_of(rates, REPEATS);
}

/* Bytes a second that a copy in has left beside a kernel that writes the host's
 * memory all the while. */
static double beside_writes(void)
{
    const size_t bytes = 16 * MIB, count = 64 * MIB / sizeof(uint64_t);
    double rates[REPEATS];
    float ms;

    for (int r = -1; r < REPEATS; r++) {
        for (int i = 0; i < 4; i++)
            put<<<(unsigned)(count / 256), 256, 0, streams[0]>>>(
                (uint64_t *)(host + 64 * MIB), (const uint64_t *)device, count);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(start, streams[1]));
        CHECK(cudaMemcpyAsync(device + 64 * MIB, host, bytes,
                              cudaMemcpyHostToDevice, streams[1]));
        CHECK(cudaEventRecord(stop, streams[1]));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (r >= 0)
            rates[r] = (double)bytes / ((double)ms * 1e6) * 1e9;
    }
    return median_of(rates, REPEATS);
}

/* All links of the machine share the host's memory. With one GPU nobody can
 * say, and nothing asks. */
static void write_links(const struct copies *in, const struct copies *back,
                        double both, int gpus)
{
    const double links = in->bytes_per_s + back->bytes_per_s;
    const double duplex = both >= links ? 1 : both / links;
    double staged = gpus > 1 ? peer(false) : 0;
    double direct = gpus > 1 ? peer(true) : 0;

    heading("Links.");
    measured("h2d_bytes_per_s", in->bytes_per_s);
    measured("d2h_bytes_per_s", back->bytes_per_s);
    measured("kernel_reads_bytes_per_s", over_link(true));
    measured("kernel_writes_bytes_per_s", over_link(false));
    measured("duplex_permille", 1000 * duplex);
    measured("beside_writes_permille",
             1000 * beside_writes() / (duplex * in->bytes_per_s));
    measured("pageable_h2d_bytes_per_s", pageable(cudaMemcpyHostToDevice));
    measured("pageable_d2h_bytes_per_s", pageable(cudaMemcpyDeviceToHost));
    copy_within(0); /* memory that nobody touched is no memory yet */
    measured("d2d_bytes_per_s", 32.0 * MIB /
                                    (copy_ns(copy_within, 64 * MIB, 20) -
                                     copy_ns(copy_within, 32 * MIB, 20)) *
                                    1e9);
    if (gpus > 1) {
        measured("peer_bytes_per_s", direct > 0 ? direct : staged);
        measured("peer_staged_bytes_per_s", staged);
        measured("peer_possible", direct > 0);
        measured("host_h2d_bytes_per_s", together(gpus, 1, 0));
        measured("host_d2h_bytes_per_s", together(gpus, 0, 1));
        measured("host_duplex_bytes_per_s", together(gpus, 1, 1));
        return;
    }
    stated("peer_bytes_per_s", in->bytes_per_s);
    stated("peer_staged_bytes_per_s", in->bytes_per_s / 2);
    stated("peer_possible", 1);
    stated("host_h2d_bytes_per_s", 3 * in->bytes_per_s);
    stated("host_d2h_bytes_per_s", 3 * back->bytes_per_s);
    stated("host_duplex_bytes_per_s", 3 * both);
}

#endif
