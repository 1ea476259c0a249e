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
                         double both)
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
    stated("delayed_signals", 0);
    stated("batch_commands", 0);
    stated("batch_submit_ns", 0);
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

/* From the rate @half, of threads that would just fill an SM if none hindered
 * another, and the rate of as many as it holds: the rate *@full of any number,
 * and of it what the first reach (vgpu/time/sm.c has the curve). */
static double knee_permille(double half, double threads, double most,
                            double most_threads, double *full)
{
    double t = 1;

    *full = most;
    for (int i = 0; i < 50 && half < threads && most < most_threads; i++) {
        t = ((threads + *full) * half - threads * *full) / (half * half);
        t = t < 0.01 ? 0.01 : t > 1 ? 1 : t;
        *full = most * (most_threads - t * most) / (most_threads - most);
    }
    return (1 - sqrt(1 - t)) / t * 1000;
}

/* Return: knee, in permille. @more: how much more than @full, the rate of a
 * full SM, any number of threads would reach. */
static double measure_knee(double full, double thread, double *more)
{
    const int sms = attribute(cudaDevAttrMultiProcessorCount);
    const int most = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    int threads = (int)(full / thread / 32 + 0.5) * 32;
    double half, limit, knee;

    threads = threads < 32 ? 32 : threads > 1024 ? 1024 : threads;
    half = loop_ops_per_us(HASHES, (uint32_t)sms, (uint32_t)threads,
                           REPEATS > 1 ? 4000 : 1000) /
           sms;
    knee = knee_permille(half, threads * thread, full, most * thread, &limit);
    printf("%d threads of an SM: %.0f operations/us, %.0f if none hindered\n",
           threads, half, threads * thread);
    *more = limit / full;
    return knee;
}

/* What counts as one operation in a text is one instruction or a part of one:
 * the one in the middle of three texts stands for all. */
static void write_rates(void)
{
    static const char *const names[LOOPS] = {"shifts", "hashes", "floats"};
    const int sms = attribute(cudaDevAttrMultiProcessorCount);
    double full[LOOPS], alone[LOOPS], knee, more;

    for (int loop = 0; loop < LOOPS; loop++) {
        full[loop] = loop_ops_per_us((enum loop)loop, (uint32_t)(8 * sms), 256,
                                     REPEATS > 1 ? 4000 : 64) /
                     sms;
        alone[loop] = loop_ops_per_us((enum loop)loop, 1, 1, 4000);
        printf("%s: %.0f operations/us of an SM, %.0f of a thread\n",
               names[loop], full[loop], alone[loop]);
    }
    knee = measure_knee(full[HASHES], alone[HASHES], &more);
    measured("sm_ops_per_us", median_of(full, LOOPS) * more);
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

static void in_kernel_back(int i)
{
    copy_in(i);
    empty_kernel(i);
    copy_back(i);
}

struct kernels {
    double fixed_ns, idle_ns, gap_ns;
};

/* In one stream a kernel follows the other after its fixed cost and the gap. */
static struct kernels measure_kernels(void)
{
    const double each = queued_ns(empty_kernel, 100, streams[0]);
    struct kernels k = {each * 0.85, 0, each * 0.15};

    printf("an empty kernel, queued        %.0f ns\n", each);
    return k;
}

/* ---- the host ---------------------------------------------------------------
 */

enum { CALLS = 200, TURNS = 32, CHUNK = 16 * KIB };

/* Mean time of a call, of as many as fit into the queues. The fastest of many
 * rounds over a while: what else runs on the host's cores only adds. */
static double call_ns(work_fn *call)
{
    enum { TRIES = 31, WARM = 5, PAUSE_US = 5000 };
    double ns[TRIES];

    for (int r = -WARM; r < TRIES; r++) {
        const double from = wall_ns();

        for (int i = 0; i < CALLS; i++)
            call(i);
        if (r >= 0)
            ns[r] = (wall_ns() - from) / CALLS;
        CHECK(cudaDeviceSynchronize());
        usleep(PAUSE_US);
    }
    return least_of(ns, TRIES);
}

static void record(int i)
{
    (void)i;
    CHECK(cudaEventRecord(start, streams[0]));
}

static void record_mark(int i)
{
    (void)i;
    CHECK(cudaEventRecord(mark, streams[0]));
}

static void wait_event(int i)
{
    (void)i;
    CHECK(cudaStreamWaitEvent(streams[0], start, 0));
}

static void query(int i)
{
    const cudaError_t error = cudaStreamQuery(streams[1]);

    (void)i;
    if (error != cudaErrorNotReady)
        CHECK(error);
}

static void get_device(int i)
{
    int now;

    (void)i;
    CHECK(cudaGetDevice(&now));
}

/* As programs launch: one stream after the other. */
static void launch_in_turn(int i)
{
    nothing<<<1, 1, 0, streams[i % TURNS]>>>();
}

static void chunk_in_turn(int i)
{
    const cudaStream_t stream = streams[i % TURNS];

    CHECK(cudaMemcpyAsync(device, host, CHUNK, cudaMemcpyHostToDevice, stream));
    nothing<<<1, 1, 0, stream>>>();
    CHECK(cudaMemcpyAsync(host, device, CHUNK, cudaMemcpyDeviceToHost, stream));
}

static void sync(int i)
{
    (void)i;
    CHECK(cudaStreamSynchronize(streams[1]));
}

/* One piece of work alone, and the host waits for it. An engine that has just
 * worked is quicker than an idle one: hence the pause. */
static double alone_ns(work_fn *work)
{
    enum { TRIES = 51, PAUSE_NS = 50000 };
    double ns[TRIES];

    for (int i = 0; i < TRIES; i++) {
        double from = wall_ns();

        while (wall_ns() - from < PAUSE_NS)
            ;
        from = wall_ns();
        work(0);
        CHECK(cudaStreamSynchronize(streams[0]));
        ns[i] = wall_ns() - from;
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

static void measure_idle(struct copies *in, struct copies *back,
                         struct kernels *k)
{
    const double wait = call_ns(sync);
    double copy;

    copy_bytes = KIB;
    copy = call_ns(copy_in) + wait;
    in->idle_ns = idle_ns("a copy in and its sync", alone_ns(copy_in),
                          copy + KIB / in->bytes_per_s * 1e9, in->queued_ns);
    back->idle_ns =
        idle_ns("a copy back and its sync", alone_ns(copy_back),
                copy + KIB / back->bytes_per_s * 1e9, back->queued_ns);
    k->idle_ns = idle_ns("a launch and its sync", alone_ns(empty_kernel),
                         call_ns(empty_kernel) + wait, k->fixed_ns);
}

/* Three engines take turns in one stream: each starts idle, and what is left is
 * three times the way from one to the next. */
static double handoff_ns(const struct copies *in, const struct copies *back,
                         const struct kernels *k)
{
    const size_t bytes = 256 * KIB;
    const double known =
        in->idle_ns + back->idle_ns + k->idle_ns +
        (double)bytes * (1 / in->bytes_per_s + 1 / back->bytes_per_s) * 1e9;
    double round;

    copy_bytes = bytes;
    round = queued_ns(in_kernel_back, 40, streams[0]);
    printf("in, kernel and back in turn    %.0f ns, known %.0f\n", round,
           known);
    return (round - known) / 3;
}

static void write_memory(void)
{
    const double mib = 64;
    double from = wall_ns(), malloc_ns, free_ns, pinned_ns, register_ns = 0;
    char *memory;

    CHECK(cudaMalloc((void **)&memory, (size_t)mib * MIB));
    malloc_ns = wall_ns() - from;
    from = wall_ns();
    CHECK(cudaFree(memory));
    free_ns = wall_ns() - from;
    from = wall_ns();
    CHECK(cudaMallocHost((void **)&memory, (size_t)mib * MIB));
    pinned_ns = wall_ns() - from;
    CHECK(cudaFreeHost(memory));
    memory = (char *)malloc((size_t)mib * MIB);
    if (!memory)
        exit(EXIT_FAILURE);
    memset(memory, 1, (size_t)mib * MIB);
    for (int i = 0; i < 2; i++) { /* a virtual machine grows when it first is */
        from = wall_ns();
        CHECK(cudaHostRegister(memory, (size_t)mib * MIB, 0));
        register_ns = wall_ns() - from;
        CHECK(cudaHostUnregister(memory));
    }
    free(memory);
    measured("host_malloc_ns", malloc_ns);
    measured("host_free_ns", free_ns);
    measured("host_malloc_host_ns_per_mib", pinned_ns / mib);
    measured("host_register_ns_per_mib", register_ns / mib);
}

/* The program's own code: the same loops, on the host. */
static double host_ops_per_us(void)
{
    const uint32_t rounds = 20000000;
    volatile uint32_t seed = 1;
    uint32_t x = seed;
    const double from = wall_ns();

    for (uint32_t i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    seed = x;
    return SHIFT_OPS * (double)rounds / (wall_ns() - from) * 1e3;
}

static double memcpy_bytes_per_s(void)
{
    const size_t bytes = 64 * MIB;
    double ns[REPEATS];

    for (int r = -1; r < REPEATS; r++) {
        const double from = wall_ns();

        memcpy(host + bytes, host, bytes);
        if (r >= 0) /* at once, on the virtual GPU's host */
            ns[r] = wall_ns() - from + 1e3;
    }
    return (double)bytes / least_of(ns, REPEATS) * 1e9;
}

/* What is timed of the host's calls, and under which key it is written: all but
 * CHUNK, a copy in, a launch and a copy back. */
enum call {
    LAUNCH,
    CHUNK_IN_TURN,
    RECORD,
    MARK,
    WAIT,
    CREATE,
    DESTROY,
    SYNC,
    QUERY,
    PLAIN,
    CALL_KINDS
};

struct calls {
    double ns[CALL_KINDS]; /* 0: not yet */
};

static void create_and_destroy(double *create_ns, double *destroy_ns)
{
    static cudaStream_t made[CALLS];
    double from = wall_ns();

    for (int i = 0; i < CALLS; i++)
        CHECK(cudaStreamCreateWithFlags(&made[i], cudaStreamNonBlocking));
    *create_ns = (wall_ns() - from) / CALLS;
    from = wall_ns();
    for (int i = 0; i < CALLS; i++)
        CHECK(cudaStreamDestroy(made[i]));
    *destroy_ns = (wall_ns() - from) / CALLS;
}

/* Once more: what counts is the least. What a shared host needs for a call
 * changes by the minute, so this is done at several times. They begin before
 * links are measured: most programs have none, and where GPUs reach each
 * other's memory a launch takes longer (two H200: 4.0 us, and 3.5 before). */
static void measure_calls(struct calls *c)
{
    static work_fn *const work[CALL_KINDS] = {
        launch_in_turn, chunk_in_turn, record, record_mark, wait_event,
        NULL,           NULL,          sync,   query,       get_device};
    struct calls now;

    for (int i = 0; i < CALL_KINDS; i++)
        if (work[i])
            now.ns[i] = call_ns(work[i]);
    create_and_destroy(&now.ns[CREATE], &now.ns[DESTROY]);
    for (int i = 0; i < CALL_KINDS; i++)
        if (c->ns[i] == 0 || now.ns[i] < c->ns[i])
            c->ns[i] = now.ns[i];
}

static void write_calls(const struct calls *c)
{
    measured("host_launch_ns", c->ns[LAUNCH]);
    measured("host_copy_async_ns", (c->ns[CHUNK_IN_TURN] - c->ns[LAUNCH]) / 2);
    measured("host_event_record_ns", c->ns[RECORD]);
    measured("host_event_mark_ns", c->ns[MARK]);
    measured("host_stream_wait_ns", c->ns[WAIT]);
    measured("host_stream_create_ns", c->ns[CREATE]);
    measured("host_stream_destroy_ns", c->ns[DESTROY]);
    measured("host_sync_ns", c->ns[SYNC]);
    measured("host_query_ns", c->ns[QUERY]);
    measured("host_call_ns", c->ns[PLAIN]);
}

static void write_host(const struct calls *c, double first_call_ns)
{
    heading("Time the host spends in calls.");
    write_calls(c);
    write_memory();
    measured("host_first_call_ns", first_call_ns);
    measured("host_ops_per_us", host_ops_per_us());
    measured("host_memcpy_bytes_per_s", memcpy_bytes_per_s());
    write_key("event_tick_ns", 500, "documented: about 0.5 us");
    heading("No exercise on paper.");
    write_key("unit_ns", 0, "all times are real ones");
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

/* In this order since each takes what came before: idle costs are what is left
 * beside queued ones, and the host's calls need all to have been used once. */
int main(int argc, char **argv)
{
    const double from = wall_ns();
    struct copies in, back;
    struct kernels k;
    struct calls calls = {0};
    struct duplex both;
    double first_ns;
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
    measure_idle(&in, &back, &k);
    measure_calls(&calls);
    both = measure_duplex(&in, &back);
    write_queues(&in, &back, both.bytes_per_s);
    write_links(&in, &back, both.bytes_per_s,
                gpus < MAX_GPUS ? gpus : MAX_GPUS);
    measure_calls(&calls);
    heading("Fixed cost of one copy.");
    measured("h2d_queued_ns", in.queued_ns);
    measured("d2h_queued_ns", back.queued_ns);
    measured("h2d_idle_ns", in.idle_ns);
    measured("d2h_idle_ns", back.idle_ns);
    measured("duplex_fixed_ns", both.fixed_ns);
    measured("handoff_ns", handoff_ns(&in, &back, &k));
    heading("Kernels.");
    write_rates();
    copy_bytes = 64 * MIB;
    measured("memory_bytes_per_s",
             128.0 * MIB / copy_ns(copy_within, 64 * MIB, 20) * 1e9);
    measured("kernel_fixed_ns", k.fixed_ns);
    measured("kernel_idle_ns", k.idle_ns);
    measured("kernel_gap_ns", k.gap_ns);
    measure_calls(&calls);
    write_host(&calls, first_ns);
    print_math_slots();
    if (out && fclose(out) != 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
