/*
 * phases.cuh: how long the copies and kernels of a lab take on this machine,
 * each with nothing else in its way, and how many rounds make a kernel take as
 * long as a copy. One method for all drivers.
 *
 * What is measured: @num_entries entries, shared out over GPUs as
 * driver_cut has it. All GPUs do the same at the same time, each with its
 * part in one piece, and the slowest counts:
 *
 *   h2d     the parts are copied in, and nothing else happens
 *   d2h     the parts are copied back, alike
 *   both    both at once, in two streams of each GPU and between memory that
 *           only one of the two touches
 *   kernel  decrypt_gpu on each part, and no copy happens
 *
 * Memory and streams are the driver's own, the host's memory is pinned, and no
 * stream waits for the default stream. Every GPU is idle before and after.
 *
 *     struct phases p;
 *
 *     phases_create(&p, n, 1, 1);
 *     phases_measure(&p, 0);
 *     phases_report(&p, facts);
 *     phases_destroy(&p);
 *
 * Units: entries of 8 bytes, rounds of the cipher for each entry, milliseconds.
 * A driver whose work is of another shape takes phases_rounds() alone.
 */
#ifndef DRIVER_PHASES_CUH
#define DRIVER_PHASES_CUH

#include "driver.h"

#include <string.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

/*
 * A time on a real GPU is the median of so many, after one that does not
 * count, and rounds are tried until those tried take a half of what is wanted.
 * Virtual time is exact, and every round costs the processor's time.
 */
enum {
    PHASES_REPEATS = DRIVER_REAL_GPU ? 7 : 1,
    PHASES_REACH = DRIVER_REAL_GPU ? 2 : 8,
    PHASES_STREAMS = 32
};

/* ---- any piece of work --------------------------------------------------- */

/* Do the work of @what once. Return: its time, in the unit that the driver
 * likes. */
typedef double phases_time(void *what);

/* The time that counts. */
static inline double phases_median(phases_time *time, void *what)
{
    double times[PHASES_REPEATS];

    if (PHASES_REPEATS > 1)
        time(what);
    for (int i = 0; i < PHASES_REPEATS; i++)
        times[i] = time(what);
    return driver_median(times, PHASES_REPEATS);
}

static inline double phases_median_of(phases_time *time, void *what,
                                      uint64_t *rounds, uint64_t count)
{
    *rounds = count;
    return phases_median(time, what);
}

/*
 * With how many rounds of the cipher does a kernel take @wanted?
 *
 * @time    of a kernel with *@rounds rounds, in @wanted's unit
 * @rounds  out: from 1 to @most. Where more take no longer, those tried last
 * @few     rounds to begin with: enough that the arithmetic takes longer than
 *          the device's memory
 * @on_top  @wanted is for the rounds alone: what the kernel takes without any
 *          comes on top
 *
 * A line through two points. How fast this device is, nobody knows before: the
 * points move until what lies between them is not lost in the launch; in
 * virtual time, which is exact, rounds that cost nothing show at once.
 */
static inline void phases_rounds(phases_time *time, void *what,
                                 uint64_t *rounds, uint64_t few, double wanted,
                                 bool on_top, uint64_t most)
{
    uint64_t more = 3 * few;
    double few_time = phases_median_of(time, what, rounds, few);
    double more_time = phases_median_of(time, what, rounds, more);
    double slope, found;

    while ((more_time - few_time) * PHASES_REACH < wanted && 4 * more <= most &&
           (DRIVER_REAL_GPU || more_time > few_time)) {
        few = more;
        few_time = more_time;
        more *= 4;
        more_time = phases_median_of(time, what, rounds, more);
    }
    slope = (more_time - few_time) / (double)(more - few);
    if (slope <= 0)
        found = (double)more;
    else
        found =
            on_top ? wanted / slope : (double)few + (wanted - few_time) / slope;
    *rounds = found < 1 ? 1 : found > (double)most ? most : (uint64_t)found;
}

/* ---- entries on one GPU or several --------------------------------------- */

/* What is done: one of these, or both copies. */
enum { PHASE_H2D = 1, PHASE_D2H = 2, PHASE_KERNEL = 4 };

/* One GPU's. */
struct phases_lane {
    struct driver_part part;
    uint64_t *device; /* twice the part: a half for each direction */
    cudaStream_t in, out;
    cudaEvent_t at[4];                    /* start and stop in each of them */
    cudaStream_t streams[PHASES_STREAMS]; /* see phases_limit_ms() */
};

struct phases {
    uint64_t num_entries, num_gpus;
    uint64_t num_streams; /* of the driver's own version with overlap */
    /* By the host's clock, not by events on each GPU: the calls to several
     * GPUs count, as they do in a program's own time. */
    bool by_clock;
    uint64_t rounds; /* of the kernel that is measured; 0: not chosen */
    unsigned what;   /* is measured */
    double h2d_ms, d2h_ms, both_ms, kernel_ms;
    uint64_t *host; /* twice the entries: a half for each direction */
    struct phases_lane lanes[DRIVER_MAX_GPUS];
};

/* With one GPU, the calls are those of a program that knows of one. */
static inline void phases_use_gpu(const struct phases *p, uint64_t gpu)
{
    if (p->num_gpus > 1)
        CHECK(cudaSetDevice((int)gpu));
}

static inline void phases_lane_create(struct phases_lane *lane)
{
    const uint64_t room = 2 * lane->part.width + 1;

    CHECK(cudaMalloc(&lane->device, room * sizeof(uint64_t)));
    CHECK(cudaStreamCreateWithFlags(&lane->in, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&lane->out, cudaStreamNonBlocking));
    for (int i = 0; i < 4; i++)
        CHECK(cudaEventCreate(&lane->at[i]));
}

/*
 * @num_streams  so many chunks has each GPU's part, see driver_cut
 *
 * By events; the driver may change that before it measures.
 */
static inline void phases_create(struct phases *p, uint64_t num_entries,
                                 uint64_t num_gpus, uint64_t num_streams)
{
    const size_t bytes = 2 * num_entries * sizeof(uint64_t);
    struct driver_part parts[DRIVER_MAX_GPUS];

    memset(p, 0, sizeof *p);
    p->num_entries = num_entries;
    p->num_gpus = num_gpus;
    CHECK(cudaMallocHost(&p->host, bytes));
    /* A real system's new memory is zero, and there is much of it. */
    if (!DRIVER_REAL_GPU)
        memset(p->host, 0, bytes);
    driver_cut(parts, num_entries, num_gpus, num_streams);
    for (uint64_t g = 0; g < num_gpus; g++) {
        p->lanes[g].part = parts[g];
        phases_use_gpu(p, g);
        phases_lane_create(&p->lanes[g]);
    }
    phases_use_gpu(p, 0);
}

static inline void phases_destroy(struct phases *p)
{
    for (uint64_t g = 0; g < p->num_gpus; g++) {
        struct phases_lane *const lane = &p->lanes[g];

        phases_use_gpu(p, g);
        for (int i = 0; i < 4; i++)
            CHECK(cudaEventDestroy(lane->at[i]));
        CHECK(cudaStreamDestroy(lane->in));
        CHECK(cudaStreamDestroy(lane->out));
        CHECK(cudaFree(lane->device));
    }
    phases_use_gpu(p, 0);
    CHECK(cudaFreeHost(p->host));
}

/* ---- one operation, for this and for what drivers queue ------------------ */

static inline void phases_queue_in(uint64_t *device, const uint64_t *host,
                                   uint64_t num_entries, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(device, host, num_entries * sizeof(uint64_t),
                          cudaMemcpyHostToDevice, stream));
}

static inline void phases_queue_back(uint64_t *host, const uint64_t *device,
                                     uint64_t num_entries, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(host, device, num_entries * sizeof(uint64_t),
                          cudaMemcpyDeviceToHost, stream));
}

#ifdef __VGPU__
/* What a hundred rounds cost, by the clock (0: not known yet), and what the
 * blocks before waited too little. Of all streams' kernels, and so by atomics.
 */
static __device__ unsigned long long hundred_rounds, owed;

/*
 * decrypt_gpu in the time that it takes, where nobody looks at what it makes:
 * one thread of each block waits for the operations of all rounds but the
 * first. To wait costs next to nothing, and clock64() counts what all threads
 * have done.
 */
static __global__ void decrypt_gpu(uint64_t *data, uint64_t num_entries,
                                   uint64_t rounds, uint64_t first)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    uint64_t of_block = 0;
    long long at[3], cost, until, rest;

    for (uint64_t i = thread; i < num_entries; i += stride)
        data[i] = decrypt_entry(data[i], first);
    if (threadIdx.x > 0)
        return;
    for (uint64_t i = thread; i < num_entries; i += stride)
        of_block += num_entries - i < blockDim.x ? num_entries - i : blockDim.x;
    until = clock64();
    cost = (long long)atomicAdd(&hundred_rounds, 0);
    if (cost == 0) { /* blocks run one after the other here */
        at[0] = clock64();
        data[0] = decrypt_entry(data[0], 100);
        at[1] = clock64();
        data[0] = decrypt_entry(data[0], 200);
        at[2] = clock64();
        cost = at[2] - 2 * at[1] + at[0];
        atomicExch(&hundred_rounds, (unsigned long long)cost);
    }
    until += cost * (long long)((rounds - first) * of_block) / 100;
    if (blockIdx.x > 0)
        until += (long long)atomicAdd(&owed, 0);
    /* A wait ends a little late: so in steps, each shorter than the rest. */
    while ((rest = until - clock64()) > 2000) {
        while (clock64() < until - rest / 8)
            ;
        data[0] = decrypt_entry(data[0], 10);
    }
    atomicExch(&owed, (unsigned long long)rest);
}
#endif

/* On the current GPU: decrypt_blocks asks it. */
static inline void phases_queue_kernel(uint64_t *data, uint64_t num_entries,
                                       uint64_t rounds, cudaStream_t stream)
{
    const unsigned blocks = decrypt_blocks(num_entries);

    if (blocks == 0)
        return;
#ifdef __VGPU__
    if (rounds * num_entries > 100000)
        decrypt_gpu<<<blocks, DECRYPT_THREADS, 0, stream>>>(data, num_entries,
                                                            rounds, 1);
    else
#endif
        decrypt_gpu<<<blocks, DECRYPT_THREADS, 0, stream>>>(data, num_entries,
                                                            rounds);
    CHECK(cudaGetLastError());
}

/* ---- measuring ----------------------------------------------------------- */

static inline void phases_mark(const struct phases *p, cudaEvent_t event,
                               cudaStream_t stream)
{
    if (!p->by_clock)
        CHECK(cudaEventRecord(event, stream));
}

static inline void phases_queue(const struct phases *p, uint64_t gpu,
                                unsigned what)
{
    const struct phases_lane *const lane = &p->lanes[gpu];
    const uint64_t width = lane->part.width;
    uint64_t *const host = p->host + lane->part.lower;

    phases_use_gpu(p, gpu);
    if (what & (PHASE_H2D | PHASE_KERNEL))
        phases_mark(p, lane->at[0], lane->in);
    if (what & PHASE_H2D)
        phases_queue_in(lane->device, host, width, lane->in);
    if (what & PHASE_KERNEL)
        phases_queue_kernel(lane->device, width, p->rounds, lane->in);
    if (what & (PHASE_H2D | PHASE_KERNEL))
        phases_mark(p, lane->at[1], lane->in);
    if (what & PHASE_D2H) {
        phases_mark(p, lane->at[2], lane->out);
        /* Not the memory that is copied in. */
        phases_queue_back(host + p->num_entries, lane->device + width, width,
                          lane->out);
        phases_mark(p, lane->at[3], lane->out);
    }
}

/* The slowest GPU counts, and its slower direction. */
static inline double phases_longest_ms(const struct phases *p, unsigned what)
{
    double longest = 0;

    driver_sync_all();
    for (uint64_t g = 0; g < p->num_gpus; g++)
        for (int i = what == PHASE_D2H ? 2 : 0; i < (what & PHASE_D2H ? 4 : 2);
             i += 2) {
            const cudaEvent_t *const at = p->lanes[g].at;
            float ms;

            CHECK(cudaEventElapsedTime(&ms, at[i], at[i + 1]));
            longest = max(longest, (double)ms);
        }
    return longest;
}

static inline double phases_once_ms(void *phases)
{
    const struct phases *const p = (const struct phases *)phases;

    if (p->by_clock)
        driver_clock_start();
    for (uint64_t g = 0; g < p->num_gpus; g++)
        phases_queue(p, g, p->what);
    phases_use_gpu(p, 0);
    return p->by_clock ? (double)driver_clock_stop_ns() / 1e6
                       : phases_longest_ms(p, p->what);
}

static inline double phases_ms(struct phases *p, unsigned what)
{
    p->what = what;
    return phases_median(phases_once_ms, p);
}

/* The three phases of copies. */
static inline void phases_measure_copies(struct phases *p)
{
    p->h2d_ms = phases_ms(p, PHASE_H2D);
    p->d2h_ms = phases_ms(p, PHASE_D2H);
    p->both_ms = phases_ms(p, PHASE_H2D | PHASE_D2H);
}

/* Rounds with which the kernel takes as long as the copy in, which has been
 * measured. @most: no more, 0 for as many as may be. */
static inline void phases_balance(struct phases *p, uint64_t most)
{
    p->what = PHASE_KERNEL;
    phases_rounds(phases_once_ms, p, &p->rounds, 30, p->h2d_ms, false,
                  most > 0 ? most : 1000000);
}

/* All phases; the rounds are chosen where that was not done yet. */
static inline void phases_measure(struct phases *p, uint64_t most)
{
    phases_measure_copies(p);
    if (p->rounds == 0)
        phases_balance(p, most);
    p->kernel_ms = phases_ms(p, PHASE_KERNEL);
}

static inline void phases_report(const struct phases *p,
                                 struct driver_facts *facts)
{
    fact_number(facts, "gpus", p->num_gpus);
    fact_number(facts, "rounds", p->rounds);
    fact_ms(facts, "h2d_ns", p->h2d_ms);
    fact_ms(facts, "kernel_ns", p->kernel_ms);
    fact_ms(facts, "d2h_ns", p->d2h_ms);
    fact_ms(facts, "both_ns", p->both_ms);
    fact_ms(facts, "bound_ns", max(p->kernel_ms, p->both_ms));
}

/* ---- the same work without overlap --------------------------------------- */

/* Queue copy in, kernel and copy back of each GPU's part in one stream, one
 * piece, and in place, as a program does it. */
static inline void phases_queue_serial(const struct phases *p)
{
    for (uint64_t g = 0; g < p->num_gpus; g++) {
        const struct phases_lane *const lane = &p->lanes[g];
        const uint64_t width = lane->part.width;
        uint64_t *const host = p->host + lane->part.lower;

        phases_use_gpu(p, g);
        phases_queue_in(lane->device, host, width, lane->in);
        phases_queue_kernel(lane->device, width, p->rounds, lane->in);
        phases_queue_back(host, lane->device, width, lane->in);
    }
    phases_use_gpu(p, 0);
}

/* For a timeline: the region of the trace. */
static inline void phases_draw_serial(const struct phases *p)
{
    driver_sync_all();
    DRIVER_REGION((phases_queue_serial(p), driver_sync_all()));
}

/* ---- the same work with overlap ------------------------------------------ */

/* The chunk of a stream, on all GPUs. */
static inline void phases_queue_column(const struct phases *p, uint64_t stream)
{
    for (uint64_t g = 0; g < p->num_gpus; g++) {
        const struct phases_lane *const lane = &p->lanes[g];
        const uint64_t chunk = sdiv(lane->part.width, p->num_streams);
        const uint64_t lower = min(stream * chunk, lane->part.width);
        const uint64_t width = min(chunk, lane->part.width - lower);
        uint64_t *const host = p->host + lane->part.lower + lower;
        uint64_t *const device = lane->device + lower;

        phases_use_gpu(p, g);
        if (width == 0)
            continue;
        phases_queue_in(device, host, width, lane->streams[stream]);
        phases_queue_kernel(device, width, p->rounds, lane->streams[stream]);
        phases_queue_back(host, device, width, lane->streams[stream]);
    }
}

/* In num_streams streams of each GPU, of those that phases_streams_create()
 * makes. They are the driver's, and it gives them back. */
static inline void phases_queue_all_chunks(const struct phases *p)
{
    for (uint64_t s = 0; s < p->num_streams; s++)
        phases_queue_column(p, s);
    phases_use_gpu(p, 0);
}

static inline void phases_streams_create(struct phases *p)
{
    for (uint64_t g = 0; g < p->num_gpus; g++) {
        phases_use_gpu(p, g);
        for (int s = 0; s < PHASES_STREAMS; s++)
            p->lanes[g].streams[s] = driver_stream(cudaStreamNonBlocking);
    }
    phases_use_gpu(p, 0);
}

static inline double phases_chunks_ms(void *phases)
{
    const struct phases *const p = (const struct phases *)phases;

    return (double)DRIVER_TIME_NS(phases_queue_all_chunks(p)) / 1e6;
}

/*
 * Of a student's work that gains little: the fact shown_ns, what the driver's
 * own chunks take. On a device with one copy engine, or whose driver collects
 * commands, chunks that are queued one after the other gain nothing. What is
 * real has neither.
 */
static inline void phases_show(struct phases *p, uint64_t chunks,
                               double student_ms, struct driver_facts *facts)
{
    const double serial_ms = p->h2d_ms + p->kernel_ms + p->d2h_ms;
    const double least_ms = max(p->kernel_ms, p->both_ms);

    if (!DRIVER_REAL_GPU && student_ms >= (serial_ms + least_ms) / 2) {
        phases_streams_create(p);
        p->num_streams = min(chunks, (uint64_t)8);
        driver_sync_all();
        fact_ms(facts, "shown_ns", phases_chunks_ms(p));
    }
}

/*
 * How fast the work can be here. The limit is the longest of the phases. Where
 * the driver's own version stays far from it, as where copies and kernels share
 * an engine or a queue, the device does not allow more, and that version is the
 * limit. It has num_streams streams on each GPU or fewer, whatever is best; a
 * real GPU with two copy engines needs no such run.
 *
 * @serial_ms  what it is compared with
 */
static inline double phases_limit_ms(struct phases *p, double serial_ms)
{
    const double bound_ms = max(p->kernel_ms, p->both_ms);
    const double near_ms = serial_ms - 0.65 * (serial_ms - bound_ms);
    double own_ms = 1e6; /* far */
    int engines;

    CHECK(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
    if (DRIVER_REAL_GPU && engines > 1)
        return bound_ms;
    phases_streams_create(p);
    phases_queue_column(p, 0); /* a GPU loads the kernel at its first launch */
    driver_sync_all();
    for (; p->num_streams > 0 && own_ms > near_ms; p->num_streams /= 2)
        own_ms = min(own_ms, phases_median(phases_chunks_ms, p));
    return own_ms > near_ms ? own_ms : bound_ms;
}

/* ---- the student's function ---------------------------------------------- */

/*
 * The median of so many runs, at most PHASES_REPEATS, each with other entries:
 * those of the last one are the input's and go to @output.
 *
 * @drawn   the last one is the region of the trace
 * @beside  NULL, or measures what it is compared with, ahead of each run
 * Return: ms
 */
static inline double phases_student_ms(const struct driver_work *student,
                                       uint64_t *output, int runs, bool drawn,
                                       void (*beside)(int run))
{
    double ms[PHASES_REPEATS];

    driver_use_gpu(0);
    if (runs > 1)
        driver_time_ms(student, (uint64_t)runs, false);
    for (int i = 0; i < runs; i++) {
        const int left = runs - 1 - i;

        if (beside)
            beside(i);
        ms[i] = driver_time_ms(student, (uint64_t)left, drawn && left == 0);
    }
    driver_copy_entries(output, student->host, student->count);
    return driver_median(ms, runs);
}

#endif
