/*
 * calibrate.cu [FILE.profile]: measures this machine and its GPUs, and writes a
 * profile for VGPU_DEVICE. `make calibrate`. Under a minute. With --calls: only
 * what the host needs for calls, to standard output.
 *
 * Each figure has a meaning of its own, and a measurement that shows nothing
 * else: one copy, one kernel, one call. No program that anybody wants to know
 * the time of is looked at. What the measurements say goes to standard output,
 * a line each; what cannot be measured here is marked in the profile.
 *
 * Source of what is asked of the device: CUDA Runtime API, "Device Management";
 * of the rest: vgpu/time/profile.h says what each figure is.
 */
#include "bench.h"
#include "host.h"
#include "links.h"
#include "math_slots.h"

/* ---- the device says ------------------------------------------------------
 */

static int attribute(enum cudaDeviceAttr which)
{
    int value = 0;

    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void asked(const char *key, double value)
{
    write_key(key, value, "as the device says");
}

static void write_properties(void)
{
    cudaDeviceProp p;

    CHECK(cudaGetDeviceProperties(&p, 0));
    printf("device %s\n", p.name);
    if (out)
        fprintf(out, "# Written by `make calibrate`.\n\nname = %s\n", p.name);
    asked("compute_major", p.major);
    asked("compute_minor", p.minor);
    asked("sms", p.multiProcessorCount);
    asked("max_threads_per_sm", p.maxThreadsPerMultiProcessor);
    asked("max_blocks_per_sm", p.maxBlocksPerMultiProcessor);
    asked("max_threads_per_block", p.maxThreadsPerBlock);
    asked("regs_per_sm", p.regsPerMultiprocessor);
    asked("shared_per_sm_bytes", (double)p.sharedMemPerMultiprocessor);
    asked("shared_per_block_bytes", (double)p.sharedMemPerBlock);
    asked("warp_size", p.warpSize);
    asked("global_mem_bytes", (double)p.totalGlobalMem);
    asked("l2_bytes", p.l2CacheSize);
    asked("clock_khz", attribute(cudaDevAttrClockRate));
    asked("memory_clock_khz", attribute(cudaDevAttrMemoryClockRate));
    asked("memory_bus_bits", p.memoryBusWidth);
    asked("unified_addressing", p.unifiedAddressing);
    asked("compute_mode", attribute(cudaDevAttrComputeMode));
    asked("copy_engines", p.asyncEngineCount);
}

/* ---- engines and queues ---------------------------------------------------
 */

/* One-block kernels in as many streams, ns. */
static double spread_ns(int count)
{
    double ns[REPEATS];

    for (int r = -1; r < REPEATS; r++) {
        const double from = wall_ns();

        for (int i = 0; i < count; i++)
            hold<<<1, 1, 0, streams[i]>>>((long long)(ticks_per_us * 5000));
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        if (r >= 0)
            ns[r] = wall_ns() - from;
    }
    return median_of(ns, REPEATS);
}

/* As many as can run at once take the time of one. */
static int resident_kernels(void)
{
    const double one = spread_ns(1);
    int most = 1;

    for (int count = 2; count <= MANY; count *= 2)
        if (spread_ns(count) < 1.6 * one)
            most = count;
    return most;
}

/* Launches that one stream takes before the host is held. */
static int queue_depth(void)
{
    const int tries = 4096;
    int depth = tries;

    hold<<<1, 1, 0, streams[0]>>>((long long)(ticks_per_us * 60000));
    for (int i = 0; i < tries && depth == tries; i++) {
        const double from = wall_ns();

        nothing<<<1, 1, 0, streams[0]>>>();
        if (wall_ns() - from > 2e6)
            depth = i;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return depth;
}

static void write_queues(const struct copies *in, const struct copies *back,
                         double both, bool ahead)
{
    heading("Engines and queues.");
    measured("copy_queues", both > 1.2 * (in->bytes_per_s > back->bytes_per_s
                                              ? in->bytes_per_s
                                              : back->bytes_per_s)
                                ? 2
                                : 1);
    measured("max_resident_kernels", resident_kernels());
    stated("hardware_queues", 32);
    stated("default_connections", 8);
    stated("copy_connections", 4);
    stated("delayed_signals", 0);
    stated("batch_commands", 0);
    stated("batch_submit_ns", 0);
    measured("prepares_ahead", ahead);
    measured("queue_depth", queue_depth());
}

/* ---- kernels ---------------------------------------------------------------
 */

enum loop { SHIFTS, HASHES, POLYS, LOOPS };

__global__ void rounds_of(enum loop loop, uint32_t rounds, uint32_t *sink)
{
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t y;

    if (loop == SHIFTS)
        y = shift_rounds(x, rounds);
    else if (loop == HASHES)
        y = hash_rounds(x, rounds);
    else
        y = (uint32_t)poly_rounds((float)x, rounds);
    if (y == 0x12345678u)
        *sink = y;
}

static enum loop loop_now;
static uint32_t loop_rounds, loop_blocks, loop_threads;

static void run_loop(int i)
{
    (void)i;
    rounds_of<<<loop_blocks, loop_threads, 0, streams[0]>>>(
        loop_now, loop_rounds, (uint32_t *)device);
}

/* Operations a microsecond, of so many threads, from two numbers of rounds. */
static double loop_ops_per_us(enum loop loop, uint32_t blocks, uint32_t threads,
                              uint32_t rounds)
{
    static const int ops[LOOPS] = {SHIFT_OPS, HASH_OPS, POLY_OPS};
    double few, many;

    loop_now = loop;
    loop_blocks = blocks;
    loop_threads = threads;
    loop_rounds = rounds;
    run_loop(0);
    few = queued_ns(run_loop, 3, streams[0]);
    loop_rounds = 3 * rounds;
    many = queued_ns(run_loop, 3, streams[0]);
    return (double)blocks * threads * ops[loop] * (2.0 * rounds) /
           (many - few) * 1e3;
}

/* What @half of a full SM's rate says of the curve in vgpu/time/sm.c, where the
 * threads reach @part of that rate if none hinders another. */
static double knee_permille(double half, double part)
{
    double t = ((part + 1) * half - part) / (half * half);

    t = t < 0.01 ? 0.01 : t > 1 ? 1 : t;
    return (1 - sqrt(1 - t)) / t * 1000;
}

/* Return: knee, in permille, from two blocks of 256 threads on each SM, which
 * just about fill one. */
static double measure_knee(double full, double thread)
{
    const int sms = attribute(cudaDevAttrMultiProcessorCount), threads = 512;
    const double half =
        loop_ops_per_us(HASHES, (uint32_t)(2 * sms), threads / 2,
                        REPEATS > 1 ? 4000 : 1000) /
        sms;

    printf("%d threads of an SM: %.0f operations/us, %.0f if none hindered\n",
           threads, half, threads * thread);
    return knee_permille(half / full, threads * thread / full);
}

/* Operations a microsecond of a full SM whose blocks are followed by others:
 * what three times as many blocks take longer. */
static double full_ops_per_us(enum loop loop, int sms, uint32_t rounds)
{
    static const int ops[LOOPS] = {SHIFT_OPS, HASH_OPS, POLY_OPS};
    double few, many;

    loop_now = loop;
    loop_threads = 256;
    loop_rounds = rounds;
    loop_blocks = (uint32_t)(8 * sms);
    few = queued_ns(run_loop, 3, streams[0]);
    loop_blocks *= 3;
    many = queued_ns(run_loop, 3, streams[0]);
    return 16.0 * 256 * ops[loop] * rounds / (many - few) * 1e3;
}

/* What counts as one operation in a text is one instruction or a part of one:
 * the one in the middle of three texts stands for all. */
static void write_rates(void)
{
    static const char *const names[LOOPS] = {"shifts", "hashes", "floats"};
    const int sms = attribute(cudaDevAttrMultiProcessorCount);
    double full[LOOPS], alone[LOOPS], knee;

    for (int loop = 0; loop < LOOPS; loop++) {
        full[loop] =
            full_ops_per_us((enum loop)loop, sms, REPEATS > 1 ? 4000 : 64);
        alone[loop] = loop_ops_per_us((enum loop)loop, 1, 1, 4000);
        printf("%s: %.0f operations/us of an SM, %.0f of a thread\n",
               names[loop], full[loop], alone[loop]);
    }
    knee = measure_knee(full[HASHES], alone[HASHES]);
    measured("sm_ops_per_us", median_of(full, LOOPS));
    measured("thread_ops_per_us", median_of(alone, LOOPS));
    measured("sm_knee_permille", knee);
    write_key("sm_slots_per_us", slots_per_us(), slots_source());
    write_key("double_slots", double_slots(), slots_source());
}

static void empty_kernel(int i)
{
    (void)i;
    nothing<<<1, 1, 0, streams[0]>>>();
}

struct kernels {
    double fixed_ns, idle_ns, gap_ns;
};

/* ---- blocks, memory and cache ---------------------------------------------
 */

static unsigned many_blocks;

static void empty_blocks(int i)
{
    (void)i;
    nothing<<<many_blocks, 256, 0, streams[0]>>>();
}

/* 0 where no number of blocks takes longer than one. */
static double blocks_per_us(void)
{
    const unsigned few = 16384, many = 65536;
    double few_ns, many_ns;

    many_blocks = few;
    few_ns = queued_ns(empty_blocks, 4, streams[0]);
    many_blocks = many;
    many_ns = queued_ns(empty_blocks, 4, streams[0]);
    printf("%u empty blocks            %.0f ns\n", many, many_ns);
    return many_ns - few_ns > 1000 ? (many - few) / (many_ns - few_ns) * 1e3
                                   : 0;
}

static void put_within(int i)
{
    (void)i;
    put<<<(unsigned)(put_count / 256), 256, 0, streams[0]>>>(
        (uint64_t *)(device + 64 * MIB), (const uint64_t *)device, put_count);
    CHECK(cudaGetLastError());
}

/* Of a kernel that copies 64 MiB, a word in each thread. */
static double memory_bytes_per_s(const struct kernels *k)
{
    put_count = 64 * MIB / sizeof(uint64_t);
    return 128.0 * MIB * 1e9 /
           (queued_ns(put_within, 12, streams[0]) - k->fixed_ns - k->gap_ns);
}

__global__ void flip(uint4 *data, uint32_t count)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        uint4 v = data[i];

        v.x ^= 1;
        v.y ^= 1;
        v.z ^= 1;
        v.w ^= 1;
        data[i] = v;
    }
}

static size_t flip_bytes;

static void flip_within(int i)
{
    const uint32_t count = (uint32_t)(flip_bytes / sizeof(uint4));

    (void)i;
    flip<<<count / 256, 256, 0, streams[0]>>>((uint4 *)device, count);
    CHECK(cudaGetLastError());
}

/* Read and written again and again, from two sizes that both fit; so wide that
 * beginning blocks does not limit. */
static double l2_bytes_per_s(double l2_bytes)
{
    const double large = floor(l2_bytes / 3 / BULK) * BULK, small = large / 2;
    double large_ns;

    flip_bytes = (size_t)large;
    large_ns = queued_ns(flip_within, 12, streams[0]);
    flip_bytes = (size_t)small;
    return 2 * (large - small) * 1e9 /
           (large_ns - queued_ns(flip_within, 12, streams[0]));
}

static void in_kernel(int i)
{
    copy_in(i);
    empty_kernel(i);
}

static void in_kernel_back(int i)
{
    copy_in(i);
    empty_kernel(i);
    copy_back(i);
}

/* In one stream a kernel follows the other after its fixed cost and the gap. */
static struct kernels measure_kernels(void)
{
    const double each = queued_ns(empty_kernel, 100, streams[0]);
    struct kernels k = {each * 0.85, 0, each * 0.15};

    printf("an empty kernel, queued        %.0f ns\n", each);
    return k;
}

/* ---- idle engines, and the way from one to the next ------------------------
 */

enum { PAUSE_NS = 50000 };

/* One piece of work alone, and the host waits for it: mean of some, with so
 * long a pause between. */
static double alone_ns(work_fn *work, double pause_ns)
{
    enum { TRIES = 21, TURN = 20 };
    double ns[TRIES];

    for (int r = -1; r < TRIES; r++) {
        double sum = 0;

        for (int i = 0; i < TURN; i++) {
            double from = wall_ns();

            while (wall_ns() - from < pause_ns)
                ;
            from = wall_ns();
            work(0);
            CHECK(cudaStreamSynchronize(streams[0]));
            sum += wall_ns() - from;
        }
        if (r >= 0)
            ns[r] = sum / TURN;
    }
    return least_of(ns, TRIES);
}

/* What starting on an idle engine takes: all that is left of a piece of work
 * that was alone, less the call, the wait and the bytes. */
static double idle_ns(const char *name, double alone, double known,
                      double queued)
{
    printf("%-30s %.0f ns\n", name, alone);
    return alone - known > queued ? alone - known : queued;
}

/* Does an engine that has just worked start what comes then no sooner? */
static bool prepares_ahead(void)
{
    copy_bytes = BULK;
    return alone_ns(copy_in, 0) > 0.97 * alone_ns(copy_in, PAUSE_NS);
}

static void measure_idle(struct copies *in, struct copies *back,
                         struct kernels *k, bool ahead)
{
    const double pause_ns = ahead ? 0 : PAUSE_NS;
    const double wait = call_ns(sync);
    double copy;

    copy_bytes = BULK;
    copy = call_ns(copy_in_turn) + wait;
    in->idle_ns = idle_ns("a copy in and its sync", alone_ns(copy_in, pause_ns),
                          copy + BULK / in->bytes_per_s * 1e9, in->queued_ns);
    back->idle_ns =
        idle_ns("a copy back and its sync", alone_ns(copy_back, pause_ns),
                copy + BULK / back->bytes_per_s * 1e9, back->queued_ns);
    k->idle_ns =
        idle_ns("a launch and its sync", alone_ns(empty_kernel, pause_ns),
                call_ns(empty_kernel) + wait, k->fixed_ns);
}

struct handoff {
    double ns, after_back_ns; /* the way from one engine to the next; more if
                                 that was a copy back */
};

/*
 * Engines take turns in one stream. If each starts idle, what three of them
 * leave is three times the way. If they prepare ahead, a copy in and a kernel
 * leave two, and the three that and what a copy back adds.
 */
static struct handoff measure_handoff(const struct copies *in,
                                      const struct copies *back,
                                      const struct kernels *k, double kernel_ns,
                                      bool ahead)
{
    const size_t bytes = 256 * KIB;
    const double in_ns = (double)bytes / in->bytes_per_s * 1e9;
    const double back_ns = (double)bytes / back->bytes_per_s * 1e9;
    double three, two;
    struct handoff h;

    copy_bytes = bytes;
    three = queued_ns(in_kernel_back, 40, streams[0]);
    two = queued_ns(in_kernel, 40, streams[0]);
    printf("in and kernel in turn          %.0f ns\n", two);
    printf("in, kernel and back in turn    %.0f ns\n", three);
    three -= in_ns + back_ns + 2 * kernel_ns;
    two -= in_ns + kernel_ns + in->queued_ns + k->fixed_ns;
    if (!ahead)
        return (struct handoff){
            (three - in->idle_ns - back->idle_ns - k->idle_ns) / 3, 0};
    h.ns = two / 2;
    h.after_back_ns =
        three - in->queued_ns - back->queued_ns - k->fixed_ns - 3 * h.ns;
    return h;
}

/* ---- all of it
 * --------------------------------------------------------------- */

/* Until the clocks are up. */
static void warm_up(void)
{
    float ms;

    for (int i = 0; i < 3; i++) {
        CHECK(cudaEventRecord(start, streams[0]));
        hold<<<1, 1, 0, streams[0]>>>(20000000);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop, streams[0]));
        CHECK(cudaStreamSynchronize(streams[0]));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
    }
    ticks_per_us = 20000000 / ((double)ms * 1e3);
    printf("ticks of the clock per us      %.0f\n", ticks_per_us);
}

static void prepare(void)
{
    CHECK(cudaMallocHost((void **)&host, 128 * MIB));
    CHECK(cudaMalloc((void **)&device, 128 * MIB));
    memset(host, 1, 128 * MIB);
    CHECK(cudaMemcpy(device, host, 128 * MIB, cudaMemcpyHostToDevice));
    for (int i = 0; i < MANY; i++)
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    warm_up();
}

static void write_fixed(const struct copies *in, const struct copies *back,
                        const struct duplex *both, const struct spread *spread,
                        const struct handoff *handoff)
{
    heading("Fixed cost of one copy.");
    measured("h2d_queued_ns", in->queued_ns);
    measured("d2h_queued_ns", back->queued_ns);
    measured("h2d_idle_ns", in->idle_ns);
    measured("d2h_idle_ns", back->idle_ns);
    measured("h2d_inline_ns", spread->inline_ns);
    measured("copy_kernel_ns", spread->kernel_ns);
    measured("duplex_fixed_ns", both->fixed_ns);
    measured("duplex_fixed_permille", both->fixed_permille);
    measured("handoff_ns", handoff->ns);
    measured("d2h_handoff_ns", handoff->after_back_ns);
}

static void write_kernels(const struct kernels *k)
{
    heading("Kernels.");
    write_rates();
    measured("memory_bytes_per_s", memory_bytes_per_s(k));
    measured("l2_bytes_per_s",
             l2_bytes_per_s(attribute(cudaDevAttrL2CacheSize)));
    measured("blocks_per_us", blocks_per_us());
    measured("kernel_fixed_ns", k->fixed_ns);
    measured("kernel_idle_ns", k->idle_ns);
    measured("kernel_gap_ns", k->gap_ns);
}

/* In this order since each takes what came before: idle costs are what is left
 * beside queued ones, and the host's calls need all to have been used once. */
int main(int argc, char **argv)
{
    const double from = wall_ns();
    struct copies in, back;
    struct kernels k;
    struct spread spread;
    struct handoff handoff;
    struct calls calls = {0};
    struct duplex both;
    double first_ns;
    bool ahead;
    int gpus;

    CHECK(cudaFree(0));
    first_ns = wall_ns() - from;
    CHECK(cudaGetDeviceCount(&gpus));
    if (argc > 1 && strcmp(argv[1], "--calls") == 0) {
        prepare();
        measure_calls(&calls);
        write_calls(&calls);
        return 0;
    }
    if (argc > 1 && !(out = fopen(argv[1], "w"))) {
        perror(argv[1]);
        return 1;
    }
    prepare();
    write_properties();
    in = measure_direction(copy_in, "in");
    back = measure_direction(copy_back, "back");
    k = measure_kernels();
    ahead = prepares_ahead();
    measure_idle(&in, &back, &k, ahead);
    measure_calls(&calls);
    both = measure_duplex(&in, &back);
    spread = measure_spread(&in);
    handoff = measure_handoff(&in, &back, &k, spread.kernel_ns, ahead);
    write_queues(&in, &back, both.bytes_per_s, ahead);
    write_links(&in, &back, both.bytes_per_s,
                gpus < MAX_GPUS ? gpus : MAX_GPUS);
    measure_calls(&calls);
    write_fixed(&in, &back, &both, &spread, &handoff);
    write_kernels(&k);
    measure_calls(&calls);
    write_host(&calls, first_ns);
    print_math_slots();
    if (out && fclose(out) != 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
