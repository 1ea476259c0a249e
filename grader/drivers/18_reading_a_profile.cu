/*
 * 18_reading_a_profile.cu: the driver's part that knows lab 18. A parameter
 * says what there is to do:
 *
 *   job=answer   what the student says of run run=
 *   job=marks    the lines that are said to be wrong
 *   job=memory   memory for results, taken and given back
 *   job=decrypt  decrypt_all, once. Output: the results
 *   job=fast     the same under the clock, the phases, and without overlap
 *
 * Results of one size are kept to the end (kept.cuh).
 */
#include "driver.h"

#include <math.h>
#include <string.h>

#include <nvtx3/nvToolsExt.h>

#include "check.h"
#include "kept.cuh"
#include "lab.h"
#include "phases.cuh"

#define MAX_STREAMS 8
#define LONGEST_MS  1e6

static struct job job;
static cudaStream_t streams[MAX_STREAMS];
static cudaEvent_t decrypted[MAX_STREAMS];

/* ---- answers ------------------------------------------------------------- */

static void answer(const struct driver_case *c, struct driver_facts *facts)
{
    const struct answer *const it = &answers[case_number(c, "run") % NUM_RUNS];
    const bool is_time = it->at_ms >= 0 && it->at_ms < LONGEST_MS;

    fact_number(facts, "fault", it->fault);
    fact_number(facts, "row", it->row);
    fact_number(facts, "at_ns", is_time ? llround(1e6 * it->at_ms) : -1);
    fact_number(facts, "line", it->line);
}

static void marks(const struct driver_case *, struct driver_facts *facts)
{
    for (int i = 0; i < NUM_MISTAKES; i++)
        fact_indexed(facts, "mark", (uint64_t)i, mistakes[i]);
}

/* ---- what lab.h promises ------------------------------------------------- */

static void memory(const struct driver_case *c, struct driver_facts *facts)
{
    uint64_t *const results = results_new(case_number(c, "entries"));

    fact_number(facts, "pinned",
                driver_memory_type(results) == cudaMemoryTypeHost);
    fact_send(facts);
    results_free(results);
}

/* Nothing is there from an earlier call. */
static void job_clear(void)
{
    driver_sync_all();
    memset(job.results, 0, job.num_entries * sizeof *job.results);
    CHECK(cudaMemset(job.device, 0, job.num_entries * sizeof *job.device));
    driver_sync_all();
}

static void job_make(const struct driver_case *c, uint64_t n)
{
    const uint64_t room = max(n, (uint64_t)1);
    uint64_t *const input = driver_pinned(room);

    job.num_entries = n;
    job.num_chunks = case_number(c, "chunks");
    job.num_iters = case_number(c, "iters");
    job.num_streams = case_number(c, "streams");
    job.streams = streams;
    job.decrypted = decrypted;
    for (uint64_t s = 0; s < job.num_streams; s++) {
        streams[s] = driver_stream(cudaStreamDefault);
        CHECK(cudaEventCreateWithFlags(&decrypted[s], cudaEventDisableTiming));
    }
    job.back = driver_stream(cudaStreamDefault);
    job.input = input;
    job.device = driver_device(room);
    job.results = kept_of(room, results_new, "results_new");
    driver_copy_entries(input, c->input, n);
    job_clear();
}

static void job_end(void)
{
    driver_sync_all();
    for (uint64_t s = 0; s < job.num_streams; s++)
        CHECK(cudaEventDestroy(decrypted[s]));
}

/* ---- runs ---------------------------------------------------------------- */

/* The same without overlap, to pinned memory whatever the student has. */
static void run_serial(uint64_t *results)
{
    phases_queue_in(job.device, job.input, job.num_entries, streams[0]);
    phases_queue_kernel(job.device, job.num_entries, job.num_iters, streams[0]);
    phases_queue_back(results, job.device, job.num_entries, streams[0]);
    CHECK(cudaStreamSynchronize(streams[0]));
}

/* How many ranges are open, where there are no entries: of some the trace shows
 * it. Always as many where nobody records them. */
static int range_depth(void)
{
    const int depth = job.num_entries > 0 ? 0 : nvtxRangePush("grader");

    if (job.num_entries == 0)
        nvtxRangePop();
    return depth;
}

/* The grader's own read of the results belongs to the region of the trace: what
 * was not waited for is a hazard there. */
static void decrypt(const struct driver_case *c, struct driver_facts *facts)
{
    int depth;

    job_make(c, case_number(c, "entries"));
    depth = range_depth();
    driver_region_start();
    decrypt_all(&job);
    driver_take_pending();
    driver_copy_entries(c->output, job.results, job.num_entries);
    driver_take_late();
    driver_region_stop();
    fact_number(facts, "ranges_open", range_depth() - depth);
    fact_number(facts, "rounds", (int64_t)job.num_iters);
    job_end();
}

/* The mended program: what this device can do with it. */
static void run_own(uint64_t *results)
{
    const uint64_t n = job.num_entries, chunk = sdiv(n, job.num_chunks);

    for (uint64_t lower = 0; lower < n; lower += chunk) {
        const uint64_t s = lower / chunk % job.num_streams;
        const uint64_t width = min(chunk, n - lower);
        uint64_t *const device = job.device + lower;

        phases_queue_in(device, job.input + lower, width, streams[s]);
        phases_queue_kernel(device, width, job.num_iters, streams[s]);
        CHECK(cudaEventRecord(decrypted[s], streams[s]));
        CHECK(cudaStreamWaitEvent(job.back, decrypted[s], 0));
        phases_queue_back(results + lower, device, width, job.back);
    }
    CHECK(cudaStreamSynchronize(job.back));
}

/*
 * The limit is the longest of the phases. Where the driver's own version stays
 * far from it, as on devices with a single copy engine, the device does not
 * allow more, and that version is the limit.
 */
static void time_others(const struct phases *phases, struct driver_facts *facts)
{
    const double bound_ns = 1e6 * max(phases->kernel_ms, phases->both_ms);
    const int64_t serial_ns = DRIVER_TIME_NS(run_serial(phases->host));
    const int64_t own_ns = DRIVER_TIME_NS(run_own(phases->host));
    const bool is_far =
        (double)(serial_ns - own_ns) < 0.75 * ((double)serial_ns - bound_ns);

    fact_number(facts, "serial_ns", serial_ns);
    fact_number(facts, "limit_ns", is_far ? own_ns : (int64_t)bound_ns);
}

/* As many rounds as make the kernel take as long as a copy. */
static void fast(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    struct phases phases;

    phases_create(&phases, n, 1, 1);
    phases_measure(&phases, case_number(c, "most_rounds"));
    phases_report(&phases, facts);
    job_make(c, n);
    job.num_iters = phases.rounds;
    fact_number(facts, "entries", (int64_t)n);
    time_others(&phases, facts);
    /* A real GPU's first call has other costs. */
    if (DRIVER_REAL_GPU)
        decrypt_all(&job);
    job_clear();
    driver_watch(job.device, n);
    driver_draw_timed();
    fact_number(facts, "student_ns",
                DRIVER_TIME_NS(case_is(c, "who", "baseline")
                                   ? run_serial(phases.host)
                                   : decrypt_all(&job)));
    driver_watch_end();
    driver_copy_entries(c->output, job.results, n);
    job_end();
    phases_destroy(&phases);
}

DRIVER_JOBS("job", {"answer", answer}, {"marks", marks}, {"memory", memory},
            {"decrypt", decrypt}, {"fast", fast});

void lab_end(void)
{
    kept_give_back(results_free);
}
