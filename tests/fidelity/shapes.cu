/*
 * shapes.cu [SECONDS [FIRST [MIB]]]: a grid of programs as the labs have them,
 * each timed: what the virtual GPU is held against. One line each,
 * "NAME<tab>NANOSECONDS".
 *
 * FIRST: with which size of a pipeline it begins. With MIB: only the pipelines
 * of that size in FIRST streams, in a process of their own.
 *
 * The virtual GPU runs a sample of each kernel's blocks (VGPU_SAMPLE), so that
 * 256 MiB take it seconds, and results are not looked at.
 *
 * The work of a pipeline is the labs': chunks copied in, decrypted and copied
 * back; the rounds are so many that the kernel takes `kernel` percent of a copy
 * of all data in, as each lab's driver has it.
 */
#include "measure.h"

#include "cipher.h"
#include "helper.h"

enum { MOST_MIB = 256, MOST_STREAMS = 128, MOST_GPUS = 2 };

static char *host;
static char *device[MOST_GPUS];
static cudaStream_t streams[MOST_GPUS][MOST_STREAMS];
static cudaEvent_t start, stop;
static double deadline_ns;
static int first_size; /* of those of pipelines: where they begin */

static void sync_all(int gpus)
{
    for (int g = gpus - 1; g >= 0; g--) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceSynchronize());
    }
}

/* ---- one shape, timed ---------------------------------------------------- */

struct shape {
    int gpus = 0, mib = 0, streams = 0, chunks = 0, percent = 0;
    bool breadth = false;
    uint64_t rounds = 0; /* found for it */
};

typedef void run_fn(const struct shape *shape);

/* A program makes the streams that it uses; the more there are, the longer
 * some work takes, even if they have nothing to do. */
static void make_streams(int gpus, int count)
{
    static int made[MOST_GPUS];

    for (int g = 0; g < MOST_GPUS; g++) {
        const int wanted = g < gpus ? count : 0;

        if (made[g] == wanted)
            continue;
        CHECK(cudaSetDevice(g));
        while (made[g] > 0)
            CHECK(cudaStreamDestroy(streams[g][--made[g]]));
        while (made[g] < wanted)
            CHECK(cudaStreamCreateWithFlags(&streams[g][made[g]++],
                                            cudaStreamNonBlocking));
    }
    CHECK(cudaSetDevice(0));
}

/* The fastest time: what else runs on a shared host only adds. */
static double time_ns(run_fn *run, const struct shape *shape)
{
    const int tries = REPEATS > 1 ? 9 : 1;
    double ns[16];

    make_streams(shape->gpus, shape->streams);
    for (int i = REPEATS > 1 ? -2 : 0; i < tries; i++) {
        double from;

        sync_all(shape->gpus);
        from = wall_ns();
        run(shape);
        sync_all(shape->gpus);
        if (i >= 0)
            ns[i] = wall_ns() - from;
    }
    return least_of(ns, tries);
}

/* No row is begun that would not end in time. */
static bool is_late(void)
{
    return deadline_ns > 0 && wall_ns() > deadline_ns;
}

static void print_row(const char *name, double ns)
{
    printf("%s\t%.0f\n", name, ns);
    fflush(stdout);
}

/* ---- pipelines -------------------------------------------------------------
 */

enum step { IN, WORK, BACK, STEPS };

/* One step of chunk @c of those of GPU @g. */
static void do_step(const struct shape *s, enum step step, int g, int c)
{
    const uint64_t entries = (uint64_t)s->mib * MIB / 8 / (uint64_t)s->gpus;
    const uint64_t chunk = sdiv(entries, (uint64_t)s->chunks);
    const uint64_t lower = chunk * (uint64_t)c;
    const uint64_t width = lower + chunk < entries ? chunk : entries - lower;
    uint64_t *const h = (uint64_t *)host + entries * (uint64_t)g + lower;
    uint64_t *const d = (uint64_t *)device[g] + lower;
    cudaStream_t stream = streams[g][c % s->streams];

    if (lower >= entries)
        return;
    CHECK(cudaSetDevice(g));
    if (step == IN)
        CHECK(cudaMemcpyAsync(d, h, width * 8, cudaMemcpyHostToDevice, stream));
    if (step == BACK)
        CHECK(cudaMemcpyAsync(h, d, width * 8, cudaMemcpyDeviceToHost, stream));
    if (step == WORK) {
        decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, stream>>>(
            d, width, s->rounds);
        CHECK(cudaGetLastError());
    }
}

static void run_pipeline(const struct shape *s)
{
    if (s->breadth) {
        for (int step = IN; step < STEPS; step++)
            for (int g = 0; g < s->gpus; g++)
                for (int c = 0; c < s->chunks; c++)
                    do_step(s, (enum step)step, g, c);
        return;
    }
    for (int g = 0; g < s->gpus; g++)
        for (int c = 0; c < s->chunks; c++)
            for (int step = IN; step < STEPS; step++)
                do_step(s, (enum step)step, g, c);
}

static enum step alone;

static void run_alone(const struct shape *s)
{
    for (int g = 0; g < s->gpus; g++)
        do_step(s, alone, g, 0);
}

static double alone_ns(enum step step, const struct shape *of, uint64_t rounds)
{
    struct shape s = *of;

    s.streams = 1;
    s.chunks = 1;
    s.rounds = rounds;
    alone = step;
    return time_ns(run_alone, &s);
}

/* Rounds of so many percent of the copy in, on a line through two points. */
static void find_rounds(struct shape *s)
{
    static struct shape known;
    const double wanted = alone_ns(IN, s, 0) * s->percent / 100;
    uint64_t few = 64;
    double a, b;

    if (known.gpus == s->gpus && known.mib == s->mib &&
        known.percent == s->percent) {
        s->rounds = known.rounds;
        return;
    }
    do {
        few *= 2;
        a = alone_ns(WORK, s, few);
        b = alone_ns(WORK, s, 3 * few);
    } while (b < 0.6 * wanted && few < 4096);
    s->rounds = 1;
    if (b > a && (wanted - a) / (b - a) * 2 * (double)few + (double)few > 1)
        s->rounds =
            (uint64_t)((wanted - a) / (b - a) * 2 * (double)few + (double)few);
    known = *s;
}

static void pipeline(int gpus, int mib, int n, int chunks, bool breadth,
                     int percent)
{
    struct shape s = {gpus, mib, n, chunks, percent, breadth, 1};
    char name[120];

    if (is_late())
        return;
    find_rounds(&s);
    snprintf(name, sizeof(name),
             "pipeline gpus=%d mib=%d kernel=%d chunks=%d order=%s streams=%d",
             gpus, mib, percent, chunks, breadth ? "breadth" : "depth", n);
    print_row(name, time_ns(run_pipeline, &s));
}

static void phases(int gpus, int mib)
{
    static const char *const names[STEPS] = {"in", "work", "back"};
    struct shape s = {gpus, mib, 1, 1, 100, false, 1};
    char name[120];

    find_rounds(&s);
    for (int step = IN; step < STEPS; step++) {
        snprintf(name, sizeof(name), "alone gpus=%d mib=%d step=%s", gpus, mib,
                 names[step]);
        print_row(name, alone_ns((enum step)step, &s, s.rounds));
    }
}

static void all_pipelines(int gpus)
{
    static const int sizes[] = {1, 4, 16, 64, 256};

    for (int i = 0; i < 5 && !is_late(); i++) {
        const int mib = sizes[(first_size + i) % 5];

        phases(gpus, mib);
        for (int breadth = 0; breadth < 2; breadth++)
            for (int n = 1; n <= 128; n *= 2)
                pipeline(gpus, mib, n, n, breadth, 100);
    }
    for (int n = 1; n <= 16; n *= 4)
        for (int chunks = 16; chunks <= 64; chunks *= 4)
            pipeline(gpus, 16, n, chunks, false, 100);
    for (int percent = 30; percent <= 300; percent *= 10)
        for (int n = 1; n <= 64; n *= 2)
            pipeline(gpus, 16, n, n, false, percent);
}

/* ---- what a pipeline does not show ------------------------------------------
 */

__global__ void saxpy(const float *x, float *y, float a, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void sines(float *x, float from, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = sinf((float)(i & 0xffff) + from);
}

/* As many entries as the shape says, from or to wherever. */
__global__ void move(uint64_t *to, const uint64_t *from, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[i];
}

static uint32_t count_of(const struct shape *s, size_t size)
{
    return (uint32_t)((size_t)s->mib * MIB / size);
}

static void run_saxpy(const struct shape *s)
{
    const uint32_t n = count_of(s, sizeof(float));

    saxpy<<<n / 256, 256, 0, streams[0][0]>>>((float *)device[0],
                                              (float *)device[0] + n, 1.5f, n);
    CHECK(cudaGetLastError());
}

static void run_sines(const struct shape *s)
{
    const uint32_t n = count_of(s, sizeof(float));

    sines<<<n / 256, 256, 0, streams[0][0]>>>((float *)device[0],
                                              s->breadth ? 0.0f : 2e6f, n);
    CHECK(cudaGetLastError());
}

static void run_over_link(const struct shape *s)
{
    const uint32_t n = count_of(s, sizeof(uint64_t));

    if (s->breadth)
        move<<<n / 256, 256, 0, streams[0][0]>>>((uint64_t *)device[0],
                                                 (const uint64_t *)host, n);
    else
        move<<<n / 256, 256, 0, streams[0][0]>>>(
            (uint64_t *)host, (const uint64_t *)device[0], n);
    CHECK(cudaGetLastError());
}

/* Everything else on the link is slower meanwhile. */
static void run_over_link_beside_copy(const struct shape *s)
{
    run_over_link(s);
    CHECK(cudaMemcpyAsync(device[0] + 128 * MIB, host + 128 * MIB,
                          (size_t)s->mib * MIB, cudaMemcpyHostToDevice,
                          streams[0][1]));
}

static void run_small_copies(const struct shape *s)
{
    for (int c = 0; c < s->chunks; c++) {
        char *const h = host + c * 64 * KIB, *const d =
                                                 device[0] + c * 64 * KIB;

        CHECK(cudaMemcpyAsync(
            s->breadth ? h : d, s->breadth ? d : h, (size_t)s->percent * KIB,
            s->breadth ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice,
            streams[0][c % s->streams]));
    }
}

static void run_launches(const struct shape *s)
{
    for (int c = 0; c < s->chunks; c++)
        nothing<<<1, 1, 0, streams[0][c % s->streams]>>>();
    CHECK(cudaGetLastError());
}

/* From stream to stream, each after the other by an event. */
static void run_relay(const struct shape *s)
{
    for (int c = 0; c < s->chunks; c++) {
        nothing<<<1, 1, 0, streams[0][c % s->streams]>>>();
        CHECK(cudaEventRecord(start, streams[0][c % s->streams]));
        CHECK(cudaStreamWaitEvent(streams[0][(c + 1) % s->streams], start, 0));
    }
    CHECK(cudaGetLastError());
}

static void run_sync_each(const struct shape *s)
{
    for (int c = 0; c < s->chunks; c++) {
        nothing<<<1, 1, 0, streams[0][0]>>>();
        CHECK(cudaStreamSynchronize(streams[0][0]));
    }
}

static void run_blocking_copies(const struct shape *s)
{
    for (int c = 0; c < s->chunks; c++)
        CHECK(cudaMemcpy(device[0], host, (size_t)s->mib * MIB,
                         cudaMemcpyHostToDevice));
}

/* Kernels of so many blocks, all at once. */
static void run_crowd(const struct shape *s)
{
    for (int c = 0; c < s->chunks; c++)
        decrypt_gpu<<<(unsigned)s->percent, DECRYPT_THREADS, 0,
                      streams[0][c % s->streams]>>>(
            (uint64_t *)device[0] + c * 65536, 65536, s->rounds);
    CHECK(cudaGetLastError());
}

/* Rounds with which one of these kernels takes a tenth of a millisecond. */
static uint64_t crowd_rounds(int blocks)
{
    struct shape s = {.gpus = 1, .streams = 1, .chunks = 1, .percent = blocks};
    double few, many;

    s.rounds = 256;
    few = time_ns(run_crowd, &s);
    s.rounds = 1024;
    many = time_ns(run_crowd, &s);
    return many > few ? (uint64_t)(256 + (1e5 - few) / (many - few) * 768)
                      : 1024;
}

static void row(const char *name, run_fn *run, struct shape s)
{
    char text[160];

    s.gpus = 1;
    if (is_late())
        return;
    snprintf(text, sizeof(text), "%s mib=%d chunks=%d streams=%d", name, s.mib,
             s.chunks, s.streams);
    print_row(text, time_ns(run, &s));
}

static void all_others(void)
{
    row("saxpy", run_saxpy, {.mib = 16, .streams = 1, .chunks = 1});
    row("saxpy", run_saxpy, {.mib = 64, .streams = 1, .chunks = 1});
    row("sines near", run_sines,
        {.mib = 1, .streams = 1, .chunks = 1, .breadth = true});
    row("sines far", run_sines, {.mib = 16, .streams = 1, .chunks = 1});
    row("sines far", run_sines, {.mib = 64, .streams = 1, .chunks = 1});
    row("kernel reads host", run_over_link,
        {.mib = 16, .streams = 1, .chunks = 1, .breadth = true});
    row("kernel reads host", run_over_link,
        {.mib = 64, .streams = 1, .chunks = 1, .breadth = true});
    row("kernel writes host", run_over_link,
        {.mib = 64, .streams = 1, .chunks = 1});
    row("kernel reads host beside a copy in", run_over_link_beside_copy,
        {.mib = 64, .streams = 2, .chunks = 1, .breadth = true});
    row("kernel writes host beside a copy in", run_over_link_beside_copy,
        {.mib = 64, .streams = 2, .chunks = 1});
    for (int kib = 1; kib <= 64; kib *= 8) {
        row(kib == 1   ? "copies in 1 KiB"
            : kib == 8 ? "copies in 8 KiB"
                       : "copies in 64 KiB",
            run_small_copies, {.streams = 4, .chunks = 256, .percent = kib});
        row(kib == 1   ? "copies back 1 KiB"
            : kib == 8 ? "copies back 8 KiB"
                       : "copies back 64 KiB",
            run_small_copies,
            {.streams = 4, .chunks = 256, .percent = kib, .breadth = true});
    }
    for (int n = 1; n <= 32; n *= 32)
        row("launches", run_launches, {.streams = n, .chunks = 500});
    row("relay", run_relay, {.streams = 4, .chunks = 100});
    row("launch and sync", run_sync_each, {.streams = 1, .chunks = 100});
    row("blocking copies", run_blocking_copies,
        {.mib = 1, .streams = 1, .chunks = 20});
    for (int n = 1; n <= 32; n *= 2)
        row("crowd of 4 blocks", run_crowd,
            {.streams = n,
             .chunks = 32,
             .percent = 4,
             .rounds = crowd_rounds(4)});
    row("crowd of 256 blocks", run_crowd,
        {.streams = 8,
         .chunks = 32,
         .percent = 256,
         .rounds = crowd_rounds(256)});
}

/* ---- all of it
 * ----------------------------------------------------------------- */

int main(int argc, char **argv)
{
    const int alone_mib = argc > 3 ? atoi(argv[3]) : 0;
    int gpus;

    if (argc > 1)
        deadline_ns = wall_ns() + atof(argv[1]) * 1e9;
    if (argc > 2)
        first_size = atoi(argv[2]);
    CHECK(cudaGetDeviceCount(&gpus));
    if (gpus > MOST_GPUS)
        gpus = MOST_GPUS;
    CHECK(cudaMallocHost((void **)&host, (size_t)MOST_MIB * MIB));
    memset(host, 1, (size_t)MOST_MIB * MIB);
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMalloc((void **)&device[g], (size_t)MOST_MIB * MIB));
        CHECK(cudaMemset(device[g], 0, (size_t)MOST_MIB * MIB));
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaEventCreateWithFlags(&start, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&stop, cudaEventDisableTiming));
    sync_all(gpus);
    if (alone_mib > 0) {
        for (int breadth = 0; breadth < 2; breadth++)
            pipeline(1, alone_mib, first_size, first_size, breadth, 100);
        return 0;
    }
    if (first_size == 0)
        all_others();
    for (int g = 1; g <= gpus; g *= 2)
        all_pipelines(g);
    if (first_size > 0)
        all_others();
    return 0;
}
