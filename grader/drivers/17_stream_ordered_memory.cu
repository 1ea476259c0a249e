/*
 * 17_stream_ordered_memory.cu: the driver's part that knows lab 17.
 *
 *   entries=N repeat=R batches=B   N entries in R rounds of B batches each, no
 *                                  two batches of one size
 *   swell=S           batches of round S are SWELL times as large as the others
 *   at_once=K keep=BYTES   what the student is told; then=L: at_once is L in
 * all rounds but the first current=G         on GPU number G, where there are
 * so many iters=I           rounds of the cipher, or timed=1 measured, with as
 * many rounds as make a kernel take as long as a copy
 *
 * Output: the entries, as the host has them after each round.
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

enum { MAX_BATCHES = 256, SWELL = 8, FEW_ITERS = 40, UNIT = 512 };
enum { PHASE_ALL = PHASE_H2D | PHASE_KERNEL | PHASE_D2H };

struct bench {
    const struct driver_case *c;
    uint64_t n, num_rounds, most;      /* most: entries of the largest batch */
    struct batch batches[MAX_BATCHES]; /* round after round */
    struct job job;                    /* the first round */
    uint64_t *data;
    /* For what is measured: what comes back, memory, and streams. */
    uint64_t *spare, *slots[MAX_AT_ONCE];
    cudaStream_t streams[MAX_AT_ONCE];
    struct session session; /* the student's */
};

/* What is seen of the device's memory, in bytes. */
struct memory {
    cudaMemPool_t pool, first; /* of the current GPU, of GPU 0 */
    size_t free_before;
    /* The most of all rounds; held_least: the least. */
    uint64_t used_after, held_after, taken_after, used_high, held_high;
    uint64_t held_least, threshold, first_threshold;
    uint64_t held_later; /* the most in all rounds but the first */
};

/* ---- batches ------------------------------------------------------------- */

/* From 4 to 8, in no order that one sees. */
static uint64_t weight_of(const struct driver_case *c, uint64_t b,
                          uint64_t round)
{
    const bool swells =
        case_has(c, "swell") && round == case_number(c, "swell");

    return (4 + (b * 7 + b / 5) % 5) * (swells ? SWELL : 1);
}

/* All entries are in a batch, whatever the weights come to. */
static void cut_batches(struct bench *bench)
{
    const uint64_t per_round = bench->job.num_batches;
    const uint64_t count = bench->num_rounds * per_round;
    uint64_t total = 0, before = 0, lower = 0;

    for (uint64_t i = 0; i < count; i++)
        total += weight_of(bench->c, i % per_round, i / per_round);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t upper;

        before += weight_of(bench->c, i % per_round, i / per_round);
        upper = bench->n * before / total;
        bench->batches[i] = {bench->data + lower, upper - lower};
        bench->most = max(bench->most, upper - lower);
        lower = upper;
    }
}

/* A pool gives out memory in units. */
static uint64_t unit_bytes(uint64_t num_entries)
{
    return sdiv(num_entries * sizeof num_entries, (uint64_t)UNIT) * UNIT;
}

static uint64_t at_once_of(const struct bench *bench, uint64_t r)
{
    return r > 0 && case_has(bench->c, "then") ? case_number(bench->c, "then")
                                               : bench->job.at_once;
}

/* The most that at_once batches, one behind the other, need together: of rounds
 * from @first on. */
static uint64_t bytes_at_once(const struct bench *bench, uint64_t first)
{
    const uint64_t per_round = bench->job.num_batches;
    uint64_t most = 0;

    for (uint64_t i = first * per_round; i < bench->num_rounds * per_round;
         i++) {
        const uint64_t at_once = at_once_of(bench, i / per_round);
        uint64_t sum = 0;

        for (uint64_t k = i; k < i + at_once; k++)
            if (k / per_round == i / per_round)
                sum += unit_bytes(bench->batches[k].num_entries);
        most = max(most, sum);
    }
    return most;
}

static void bench_new(struct bench *bench, const struct driver_case *c)
{
    driver_use_gpu(min(case_number(c, "current"), driver_num_gpus() - 1));
    bench->c = c;
    bench->n = c->input_bytes / sizeof(uint64_t);
    bench->num_rounds = case_number(c, "repeat");
    bench->data = driver_pinned(bench->n);
    driver_copy_entries(bench->data, c->input, bench->n);
    /* Not with the default stream: nothing is in order by accident. */
    bench->job = {bench->batches,
                  case_number(c, "batches"),
                  case_has(c, "iters") ? case_number(c, "iters")
                                       : (uint64_t)FEW_ITERS,
                  case_number(c, "at_once"),
                  driver_stream(cudaStreamNonBlocking),
                  driver_stream(cudaStreamNonBlocking),
                  driver_stream(cudaStreamNonBlocking)};
    cut_batches(bench);
}

/* ---- the device's memory ------------------------------------------------- */

static uint64_t pool_bytes(cudaMemPool_t pool, enum cudaMemPoolAttr which)
{
    uint64_t bytes = 0;

    CHECK(cudaMemPoolGetAttribute(pool, which, &bytes));
    return bytes;
}

static void pool_set(cudaMemPool_t pool, enum cudaMemPoolAttr which)
{
    uint64_t none = 0;

    CHECK(cudaMemPoolSetAttribute(pool, which, &none));
}

/* A pool as a program finds it. A kernel's code is loaded at its first launch,
 * and a pool makes its books at its first allocation: both take memory. */
static void memory_begin(struct memory *memory, const struct bench *bench)
{
    const cudaStream_t stream = bench->job.work;
    size_t total;
    void *first;
    uint64_t *const one = driver_device(1);

    *memory = {};
    CHECK(cudaDeviceGetDefaultMemPool(&memory->pool, driver_current_gpu()));
    CHECK(cudaDeviceGetDefaultMemPool(&memory->first, 0));
    pool_set(memory->pool, cudaMemPoolAttrReleaseThreshold);
    pool_set(memory->first, cudaMemPoolAttrReleaseThreshold);
    CHECK(cudaMallocAsync(&first, sizeof *one, stream));
    CHECK(cudaFreeAsync(first, stream));
    CHECK(cudaMemsetAsync(one, 0, sizeof *one, stream));
    phases_queue_kernel(one, 1, 1, stream);
    driver_sync_all();
    CHECK(cudaMemPoolTrimTo(memory->pool, 0));
    memory->held_least = UINT64_MAX;
    CHECK(cudaMemGetInfo(&memory->free_before, &total));
}

static uint64_t memory_taken(const struct memory *memory)
{
    size_t now, total;

    CHECK(cudaMemGetInfo(&now, &total));
    return memory->free_before > now ? memory->free_before - now : 0;
}

/* Before anything waits: that alone would make a pool give memory back. */
static void memory_after_round(struct memory *memory, uint64_t r)
{
    const cudaMemPool_t pool = memory->pool;
    const uint64_t held = pool_bytes(pool, cudaMemPoolAttrReservedMemCurrent);
    const uint64_t high = pool_bytes(pool, cudaMemPoolAttrReservedMemHigh);

    memory->held_after = max(memory->held_after, held);
    memory->held_least = min(memory->held_least, held);
    memory->taken_after = max(memory->taken_after, memory_taken(memory));
    memory->threshold = max(memory->threshold,
                            pool_bytes(pool, cudaMemPoolAttrReleaseThreshold));
    memory->first_threshold =
        max(memory->first_threshold,
            pool_bytes(memory->first, cudaMemPoolAttrReleaseThreshold));
    memory->used_high =
        max(memory->used_high, pool_bytes(pool, cudaMemPoolAttrUsedMemHigh));
    memory->held_high = max(memory->held_high, high);
    memory->held_later = max(memory->held_later, r > 0 ? high : 0);
}

static void memory_report(const struct memory *memory,
                          const struct bench *bench, struct driver_facts *facts)
{
    char said[24]; /* which may be more than a fact can be */

    fact_number(facts, "most_bytes", bench->most * sizeof(uint64_t));
    fact_number(facts, "at_once_bytes", bytes_at_once(bench, 0));
    fact_number(facts, "later_bytes", bytes_at_once(bench, 1));
    fact_number(facts, "held_later", memory->held_later);
    fact_number(facts, "used_after", memory->used_after);
    fact_number(facts, "held_after", memory->held_after);
    fact_number(facts, "held_least", memory->held_least);
    fact_number(facts, "taken_after", memory->taken_after);
    fact_number(facts, "used_high", memory->used_high);
    fact_number(facts, "held_high", memory->held_high);
    if (driver_current_gpu() > 0)
        fact_number(facts, "first_threshold", memory->first_threshold);
    snprintf(said, sizeof said, "%llu", (unsigned long long)memory->threshold);
    fact_text(facts, "threshold", said);
}

/* ---- the student --------------------------------------------------------- */

static struct job job_of(const struct bench *bench, uint64_t r)
{
    struct job job = bench->job;

    job.batches = bench->batches + r * job.num_batches;
    job.at_once = at_once_of(bench, r);
    return job;
}

/* What a round returns is read at once: what was not waited for is a hazard. A
 * device that is lost then ends the program in a way that leaves a trace. */
static void run_rounds(struct bench *bench, struct memory *memory)
{
    for (uint64_t r = 0; r < bench->num_rounds; r++) {
        const struct job job = job_of(bench, r);

        pool_set(memory->pool, cudaMemPoolAttrUsedMemHigh);
        pool_set(memory->pool, cudaMemPoolAttrReservedMemHigh);
        decrypt_round(&bench->session, &job);
        memory_after_round(memory, r);
        for (uint64_t b = 0; b < job.num_batches; b++) {
            const struct batch *const batch = &job.batches[b];

            driver_copy_entries(bench->c->output + (batch->data - bench->data),
                                batch->data, batch->num_entries);
        }
        CHECK(cudaDeviceSynchronize());
        memory->used_after =
            max(memory->used_after,
                pool_bytes(memory->pool, cudaMemPoolAttrUsedMemCurrent));
    }
}

static void run_order(struct bench *bench, struct driver_facts *facts)
{
    struct memory memory;

    for (uint64_t b = 0; b < bench->job.num_batches; b++)
        fact_indexed(facts, "begin", b, bench->batches[b].data - bench->data);
    memory_begin(&memory, bench);
    driver_region_start();
    session_begin(&bench->session, case_number(bench->c, "keep"));
    run_rounds(bench, &memory);
    session_end(&bench->session);
    driver_region_stop();
    memory_report(&memory, bench, facts);
    fact_number(facts, "left", memory_taken(&memory));
    fact_number(facts, "left_in_pool",
                pool_bytes(memory.pool, cudaMemPoolAttrReservedMemCurrent));
}

/* ---- the driver's own runs ----------------------------------------------- */

/*
 * The first round's batches, in memory that is there: what of it is done, and
 * in how many streams. Without kernels a copy back waits for nothing: it is in
 * the next stream, and of other memory. What comes back nobody looks at.
 */
static void own_run(const struct bench *bench, unsigned what, uint64_t streams)
{
    const uint64_t apart = what & PHASE_KERNEL ? 0 : 1;

    for (uint64_t b = 0; b < bench->job.num_batches; b++) {
        const struct batch *const batch = &bench->batches[b];
        const uint64_t s = b % streams;

        if (what & PHASE_H2D)
            phases_queue_in(bench->slots[s], batch->data, batch->num_entries,
                            bench->streams[s]);
        if (what & PHASE_KERNEL)
            phases_queue_kernel(bench->slots[s], batch->num_entries,
                                bench->job.num_iters, bench->streams[s]);
        if (what & PHASE_D2H)
            phases_queue_back(bench->spare + (batch->data - bench->data),
                              bench->slots[s + apart], batch->num_entries,
                              bench->streams[s + apart]);
    }
}

static double kernels_ns(void *of)
{
    return (double)DRIVER_TIME_NS(
        own_run((const struct bench *)of, PHASE_KERNEL, 1));
}

static double copies_ns(void *of)
{
    return (double)DRIVER_TIME_NS(
        own_run((const struct bench *)of, PHASE_H2D | PHASE_D2H, 1));
}

/* The first round stands for all of them, whose batches are as large. Where
 * the same work in several streams stays far from the longest phase, as on
 * devices with a single copy engine, that is the limit. */
static void time_others(struct bench *bench, struct driver_facts *facts)
{
    const int64_t count = (int64_t)bench->num_rounds;
    const int64_t serial_ns = DRIVER_TIME_NS(own_run(bench, PHASE_ALL, 1));
    const int64_t streams_ns =
        DRIVER_TIME_NS(own_run(bench, PHASE_ALL, bench->job.at_once));
    const double kernels = kernels_ns(bench), copies = copies_ns(bench);
    int64_t bound_ns = (int64_t)max(copies, kernels);

    if ((double)(serial_ns - streams_ns) <
        0.85 * (double)(serial_ns - bound_ns))
        bound_ns = streams_ns;
    fact_number(facts, "serial_ns", count * serial_ns);
    fact_number(facts, "bound_ns", count * bound_ns);
}

/* All that the driver works with is taken before the student's clock runs, and
 * kept: to give memory back takes a device time. */
static void take_slots(struct bench *bench)
{
    for (uint64_t s = 0; s < MAX_AT_ONCE; s++) {
        bench->slots[s] = driver_device(bench->most);
        bench->streams[s] = driver_stream(cudaStreamNonBlocking);
        CHECK(cudaMemset(bench->slots[s], 0, bench->most * sizeof(uint64_t)));
    }
    bench->spare = driver_pinned(bench->n);
    memset(bench->spare, 0, bench->n * sizeof(uint64_t));
    driver_sync_all();
}

/* A round that does not count comes first: in it the pool gets its memory, if
 * it may keep it. It works on the driver's own data. */
static void warm_up(struct bench *bench)
{
    struct batch batches[MAX_BATCHES];
    struct job job = bench->job;

    for (uint64_t b = 0; b < job.num_batches; b++)
        batches[b] = {bench->spare + (bench->batches[b].data - bench->data),
                      bench->batches[b].num_entries};
    job.batches = batches;
    decrypt_round(&bench->session, &job);
    driver_sync_all();
}

static void run_student(struct bench *bench, struct driver_facts *facts)
{
    struct memory memory;

    time_others(bench, facts);
    memory_begin(&memory, bench);
    session_begin(&bench->session, case_number(bench->c, "keep"));
    warm_up(bench);
    driver_draw_timed();
    driver_clock_start();
    for (uint64_t r = 0; r < bench->num_rounds; r++) {
        const struct job job = job_of(bench, r);

        decrypt_round(&bench->session, &job);
    }
    fact_number(facts, "student_ns", driver_clock_stop_ns());
    memory_after_round(&memory, 0);
    memory_report(&memory, bench, facts);
    driver_copy_entries(bench->c->output, bench->data, bench->n);
    session_end(&bench->session);
}

/* A call's arguments have no order, and to read a number takes time. */
static void run_timed(struct bench *bench, struct driver_facts *facts)
{
    uint64_t most;

    take_slots(bench);
    most = case_number(bench->c, "most_rounds");
    phases_rounds(kernels_ns, bench, &bench->job.num_iters, FEW_ITERS,
                  phases_median(copies_ns, bench), false, most);
    fact_number(facts, "rounds", bench->job.num_iters);
    if (!case_is(bench->c, "who", "baseline")) {
        run_student(bench, facts);
        return;
    }
    driver_region_start();
    for (uint64_t r = 0; r < bench->num_rounds; r++)
        own_run(bench, PHASE_ALL, 1);
    driver_sync_all();
    driver_region_stop();
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    static struct bench bench;

    bench = {};
    bench_new(&bench, c);
    if (case_has(c, "timed"))
        run_timed(&bench, facts);
    else
        run_order(&bench, facts);
}
