/*
 * 10_kernel_concurrency.cu: the driver's part that knows lab 10.
 *
 *   what=kernel n=N iters=I
 *                          job_gpu on N entries, with grids of several sizes
 *   what=resident current=D
 *                          resident_blocks where device D is the current one,
 *                          then where each of the others is, and D again,
 *                          and what is so
 *   what=grid              choose_grid, for several numbers of entries
 *   what=sizes jobs=J most=M empty=E iters=I
 *                          run_jobs: J jobs, each of its own number of entries
 *                          and of rounds, with room for M entries each; job E
 *                          is empty
 *   what=jobs us=U full_us=F
 *                          run_jobs: small jobs of U microseconds each, then
 *                          two that fill half of the device and two that fill
 *                          it, of F microseconds each
 *   what=predict us=U full_us=F current=D
 *                          predict_gain for several grids, and what two such
 *                          kernels gain; U, F and D as above
 *
 * Both take rounds=R: no more rounds of the cipher for the jobs of one kind
 * together, as a virtual GPU runs on the host.
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

/* As in rules/10_kernel_concurrency.c. */
enum { NUM_SMALL = 8, SMALL_ENTRIES = 64, NUM_GRIDS = 5 };
enum { FEW_ITERS = 8 };
#define MAX_ITERS ((uint64_t)1 << 26)

/* ---- what is so ---------------------------------------------------------- */

static int attribute(enum cudaDeviceAttr which)
{
    return driver_attribute(which, driver_current_gpu());
}

static int blocks_per_sm(void)
{
    int blocks;

    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, job_gpu,
                                                        BLOCK_THREADS, 0));
    return blocks;
}

static unsigned true_resident(void)
{
    return (unsigned)(blocks_per_sm() *
                      attribute(cudaDevAttrMultiProcessorCount));
}

static void report_device(struct driver_facts *facts)
{
    const int sms = attribute(cudaDevAttrMultiProcessorCount);
    const int per_sm = blocks_per_sm();

    fact_number(facts, "block_threads", BLOCK_THREADS);
    fact_number(facts, "sms", sms);
    fact_number(facts, "per_sm", per_sm);
    fact_number(facts, "resident", sms * per_sm);
    fact_number(facts, "sm_threads",
                attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
    fact_number(facts, "block_limit", attribute(cudaDevAttrMaxThreadsPerBlock));
    fact_number(facts, "block_slots",
                attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
    fact_number(facts, "concurrent", attribute(cudaDevAttrConcurrentKernels));
}

/* ---- any grid ------------------------------------------------------------ */

static void run_kernel(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "n"), iters = case_number(c, "iters");
    const size_t bytes = n * sizeof(uint64_t);
    const unsigned enough = (unsigned)sdiv(n, BLOCK_THREADS);
    /* Fewer threads than entries, as many, and more. */
    const unsigned grids[NUM_GRIDS] = {1, 3, enough - 1, enough, enough + 3};
    uint64_t *const host = driver_pinned(n), *const device = driver_device(n);

    fact_send(facts); /* a launch may be refused */
    driver_region_start();
    for (int g = 0; g < NUM_GRIDS; g++) {
        driver_copy_entries(host, c->input, n);
        CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
        job_gpu<<<grids[g], BLOCK_THREADS>>>(device, n, iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
        driver_copy_entries(c->output + (uint64_t)g * n, host, n);
    }
    driver_region_stop();
}

/* ---- jobs of all sizes --------------------------------------------------- */

/* Behind a job's entries is room that belongs to no job: what is done there
 * tells how many entries the student took. */
static void run_sizes(const struct driver_case *c, struct driver_facts *facts)
{
    enum { MOST_JOBS = 256 };
    const int num_jobs = (int)min(case_number(c, "jobs"), (uint64_t)MOST_JOBS);
    const uint64_t most = case_number(c, "most");
    const uint64_t all = (uint64_t)num_jobs * most;
    uint64_t *const data = driver_device(all);
    struct job jobs[MOST_JOBS];
    cudaStream_t streams[MOST_JOBS];

    for (int j = 0; j < num_jobs; j++) {
        /* As in rules/10_kernel_concurrency.c. */
        const uint64_t n = 1 + (uint64_t)j * 379 % most;

        jobs[j].data_device = data + (uint64_t)j * most;
        jobs[j].num_entries = (uint64_t)j == case_number(c, "empty") ? 0 : n;
        jobs[j].num_iters = case_number(c, "iters") + (uint64_t)j % 7;
        streams[j] = driver_stream(cudaStreamDefault);
    }
    CHECK(
        cudaMemcpy(data, c->input, all * sizeof *data, cudaMemcpyHostToDevice));
    driver_sync_all();
    fact_send(facts);
    DRIVER_REGION(run_jobs(jobs, num_jobs, streams));
    driver_take_pending();
    driver_peek(c->output, data, all);
    driver_sync_all();
}

/* ---- grids --------------------------------------------------------------- */

/* The rules look whom the student asks, in the region. */
static void run_resident(const struct driver_case *c,
                         struct driver_facts *facts)
{
    const int num_gpus = (int)driver_num_gpus();
    int device, turn = 0;
    unsigned blocks;

    do {
        device = ((int)case_number(c, "current") + turn) % num_gpus;
        CHECK(cudaSetDevice(device));
        DRIVER_REGION_IF(turn == 0, blocks = resident_blocks());
        CHECK(cudaSetDevice(device)); /* the student may have set another */
    } while (blocks == true_resident() && turn++ < num_gpus);
    report_device(facts);
    fact_number(facts, "blocks", blocks);
    CHECK(cudaSetDevice((device + 1) % num_gpus));
    fact_number(facts, "other_resident", true_resident());
    CHECK(cudaSetDevice(0));
}

static void run_grid(const struct driver_case *, struct driver_facts *facts)
{
    const uint64_t full = true_resident();
    const uint64_t entries[] = {0,
                                1,
                                BLOCK_THREADS,
                                BLOCK_THREADS + 1,
                                full * BLOCK_THREADS,
                                full * BLOCK_THREADS + 1,
                                50 * full * BLOCK_THREADS,
                                ((uint64_t)1 << 40) + BLOCK_THREADS};

    report_device(facts);
    fact_number(facts, "rows", sizeof entries / sizeof *entries);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        fact_indexed(facts, "n", i, entries[i]);
        fact_indexed(facts, "grid", i, choose_grid(entries[i]));
    }
}

/* ---- two kernels and more ------------------------------------------------ */

/* Launches of one size, each on its own part of the data. */
struct bench {
    struct job jobs[NUM_SMALL];
    int num_jobs;
    unsigned blocks;
    uint64_t *data; /* of the device: that of all jobs */
    uint64_t num_entries;
    cudaStream_t streams[NUM_SMALL];
    int64_t serial_ns; /* one after the other */
};

static void bench_new(struct bench *bench, const cudaStream_t *streams,
                      int num_jobs, uint64_t entries, unsigned blocks)
{
    bench->num_jobs = num_jobs;
    bench->num_entries = (uint64_t)num_jobs * entries;
    bench->blocks = blocks;
    bench->data = driver_device(bench->num_entries);
    CHECK(cudaMemset(bench->data, 0, bench->num_entries * sizeof(uint64_t)));
    for (int j = 0; j < num_jobs; j++) {
        bench->jobs[j].data_device = bench->data + (uint64_t)j * entries;
        bench->jobs[j].num_entries = entries;
        bench->jobs[j].num_iters = FEW_ITERS;
        bench->streams[j] = streams[j];
    }
    driver_sync_all();
}

/* The grader's own loop: what is measured must not depend on the student. */
__global__ void own_job_gpu(uint64_t *data, uint64_t num_entries,
                            uint64_t num_iters)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = thread; i < num_entries; i += stride)
        data[i] = decrypt_entry(data[i], num_iters);
}

static void own_start(const struct bench *bench, int j, int stream)
{
    const struct job *const job = &bench->jobs[j];

    own_job_gpu<<<bench->blocks, BLOCK_THREADS, 0, bench->streams[stream]>>>(
        job->data_device, job->num_entries, job->num_iters);
    CHECK(cudaGetLastError());
}

/* One after the other, or each in its own stream. */
static void own_run(const struct bench *bench, bool together)
{
    for (int j = 0; j < bench->num_jobs; j++)
        own_start(bench, j, together ? j : 0);
}

static void student_run(const struct bench *bench)
{
    run_jobs(bench->jobs, bench->num_jobs, bench->streams);
}

static double single_ns(void *of)
{
    return (double)DRIVER_TIME_NS(own_start((const struct bench *)of, 0, 0));
}

/* As many rounds as make one kernel take @us microseconds on this device, but
 * no more than @most for all entries together; 0: without such a limit. */
static void balance(struct bench *bench, uint64_t us, uint64_t most)
{
    const uint64_t limit = most > 0 ? most / bench->num_entries + 1 : MAX_ITERS;
    uint64_t *const rounds = &bench->jobs[0].num_iters;

    phases_rounds(single_ns, bench, rounds, FEW_ITERS, 1e3 * (double)us, true,
                  limit);
    for (int j = 1; j < bench->num_jobs; j++)
        bench->jobs[j].num_iters = *rounds;
}

/* ---- jobs ---------------------------------------------------------------- */

/* Small ones, two that fill half of the device each, two that fill all of it.
 * Input and output hold their data one behind the other. */
enum { SETS = 3 };

struct sets {
    struct bench set[SETS];
    cudaStream_t streams[NUM_SMALL];
};

static void sets_new(struct sets *sets, const struct driver_case *c)
{
    const uint64_t total = c->input_bytes / sizeof(uint64_t);
    const uint64_t most = case_number(c, "rounds");
    const unsigned full = true_resident();
    /* Both halves and both full ones, of what the input has room for. */
    const uint64_t room = (total - NUM_SMALL * SMALL_ENTRIES) / 3;
    const uint64_t entries = min((uint64_t)full * BLOCK_THREADS, room);

    for (int s = 0; s < NUM_SMALL; s++)
        sets->streams[s] = driver_stream(cudaStreamDefault);
    bench_new(&sets->set[0], sets->streams, NUM_SMALL, SMALL_ENTRIES, 1);
    bench_new(&sets->set[1], sets->streams, 2, entries / 2, full / 2);
    bench_new(&sets->set[2], sets->streams, 2, entries, full);
    balance(&sets->set[0], case_number(c, "us"), most);
    balance(&sets->set[1], case_number(c, "full_us"), most);
    balance(&sets->set[2], case_number(c, "full_us"), most);
}

static void sets_fill(const struct sets *sets, const uint64_t *input)
{
    driver_sync_all();
    for (int k = 0; k < SETS; k++) {
        const uint64_t count = sets->set[k].num_entries;

        CHECK(cudaMemcpy(sets->set[k].data, input, count * sizeof *input,
                         cudaMemcpyHostToDevice));
        input += count;
    }
    driver_sync_all();
}

/* How many times as fast at once as one after the other: "1.98". */
static void report_gain(struct driver_facts *facts, const char *key,
                        const struct bench *bench, int64_t ns)
{
    const int64_t permille = ns > 0 ? 1000 * bench->serial_ns / ns : 0;
    char gain[32];

    snprintf(gain, sizeof gain, "%.2f", (double)permille / 1000);
    fact_text(facts, key, gain);
}

/* All sets in one picture: the region of the trace. */
static void timed_pass(const struct sets *sets, bool by_student,
                       struct driver_facts *facts)
{
    int64_t ns[SETS];

    driver_region_start();
    for (int k = 0; k < SETS; k++)
        ns[k] = DRIVER_TIME_NS(by_student ? student_run(&sets->set[k])
                                          : own_run(&sets->set[k], false));
    driver_region_stop();
    fact_number(facts, "small_ns", ns[0]);
    report_gain(facts, "half_gain", &sets->set[1], ns[1]);
    report_gain(facts, "full_gain", &sets->set[2], ns[2]);
}

/* Once for the time, and once for what is there on return. The output holds
 * what came out of the one, and behind it what came out of the other. */
static void student_passes(const struct sets *sets, const struct driver_case *c,
                           struct driver_facts *facts)
{
    uint64_t *output = c->output;

    for (int pass = 0; pass < 2; pass++) {
        sets_fill(sets, c->input);
        if (pass == 0)
            timed_pass(sets, true, facts);
        for (int k = 0; k < SETS; k++) {
            const struct bench *const set = &sets->set[k];

            if (pass == 1)
                student_run(set);
            driver_peek(output, set->data, set->num_entries);
            output += set->num_entries;
        }
    }
    driver_sync_all();
}

static void run_all(const struct driver_case *c, struct driver_facts *facts)
{
    struct sets sets;

    sets_new(&sets, c);
    for (int k = 0; k < SETS; k++) {
        struct bench *const set = &sets.set[k];

        fact_indexed(facts, "entries", k, (int64_t)set->num_entries);
        fact_indexed(facts, "iters", k, (int64_t)set->jobs[0].num_iters);
        set->serial_ns = DRIVER_TIME_NS(own_run(set, false));
    }
    fact_number(facts, "small_serial_ns", sets.set[0].serial_ns);
    fact_number(facts, "small_least_ns", single_ns(&sets.set[0]));
    fact_number(facts, "small_bound_ns",
                DRIVER_TIME_NS(own_run(&sets.set[0], true)));
    if (case_is(c, "who", "baseline"))
        timed_pass(&sets, false, facts);
    else
        student_passes(&sets, c, facts);
    report_device(facts);
}

/* ---- predictions --------------------------------------------------------- */

/* What two kernels of so many blocks gain. */
static void measure_gain(struct driver_facts *facts, const char *key,
                         unsigned blocks, const struct driver_case *c,
                         uint64_t us)
{
    const cudaStream_t streams[] = {driver_stream(cudaStreamDefault),
                                    driver_stream(cudaStreamDefault)};
    struct bench bench;

    bench_new(&bench, streams, 2, (uint64_t)blocks * BLOCK_THREADS, blocks);
    balance(&bench, us, case_number(c, "rounds"));
    bench.serial_ns = DRIVER_TIME_NS(own_run(&bench, false));
    report_gain(facts, key, &bench, DRIVER_TIME_NS(own_run(&bench, true)));
}

static void run_predict(const struct driver_case *c, struct driver_facts *facts)
{
    const int current = (int)case_number(c, "current");

    CHECK(cudaSetDevice(current));
    const unsigned sms = (unsigned)attribute(cudaDevAttrMultiProcessorCount);
    const unsigned full = true_resident();
    const unsigned blocks[] = {1,        sms / 2,  sms / 2 + 1, sms,
                               full / 2, full - 1, full,        4 * full};
    const uint64_t full_us = case_number(c, "full_us");

    report_device(facts);
    fact_number(facts, "rows", sizeof blocks / sizeof *blocks);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        fact_indexed(facts, "blocks", i, blocks[i]);
        fact_indexed(facts, "gain", i, predict_gain(blocks[i]));
        CHECK(cudaSetDevice(current)); /* the student may have set another */
    }
    fact_number(facts, "half", full / 2);
    measure_gain(facts, "one_gain", 1, c, case_number(c, "us"));
    measure_gain(facts, "half_gain", full / 2, c, full_us);
    measure_gain(facts, "full_gain", full, c, full_us);
}

/* ---- the case ------------------------------------------------------------ */

DRIVER_JOBS("what", {"kernel", run_kernel}, {"sizes", run_sizes},
            {"resident", run_resident}, {"grid", run_grid}, {"jobs", run_all},
            {"predict", run_predict});
