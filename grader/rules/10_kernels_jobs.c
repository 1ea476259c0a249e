/*
 * 10_kernels_jobs.c: lab 10, many small jobs at once. Right, waited for, and
 * if they did not run together, why.
 */
#include <stdlib.h>
#include <string.h>

#include "10_kernels.h"
#include "case/reference.h"

#define ETA_NEEDED 0.70

/* ---- jobs ---------------------------------------------------------------- */

static const unsigned kernel_kind = QUERY_KIND(TRACE_KIND_KERNEL);

/* Of the large jobs only some entries are looked at: on a fast GPU the host
 * would take much longer than the device for all of them. */
enum { SAMPLE = 61 };

struct samples {
    uint64_t count, *at, *expected;
};

/* Those of the entries from @lower to @upper. */
static void add_samples(struct samples *samples, const uint64_t *input,
                        uint64_t lower, uint64_t upper, uint64_t step,
                        double iters)
{
    const uint64_t first = samples->count;

    for (uint64_t i = lower; i < upper; i += step) {
        samples->at[samples->count] = i;
        samples->expected[samples->count++] = input[i];
    }
    reference_decrypt(samples->expected + first, samples->expected + first,
                      samples->count - first, (uint64_t)iters);
}

static void compare_pass(const struct samples *samples, const uint64_t *output,
                         struct difference *found)
{
    for (uint64_t i = 0; i < samples->count; i++) {
        if (output[samples->at[i]] == samples->expected[i])
            continue;
        if (found->wrong++ == 0)
            found->first = samples->at[i];
        found->last = samples->at[i];
    }
}

/* The run that was timed, with all work done; if that is right, the one whose
 * outcome was looked at as soon as the function returned. */
void kernels_compare_jobs(const struct case_run *run, struct difference *found)
{
    const uint64_t *const output = run->output;
    const uint64_t full_at = SMALL + (uint64_t)case_fact(run, "half_entries");
    const uint64_t end = full_at + (uint64_t)case_fact(run, "full_entries");
    const uint64_t most = SMALL + end / SAMPLE + 2;
    struct samples samples = {.at = malloc(most * sizeof *samples.at),
                              .expected =
                                  malloc(most * sizeof *samples.expected)};

    memset(found, 0, sizeof *found);
    found->noun = "value";
    found->count = end;
    if (samples.at && samples.expected) {
        add_samples(&samples, run->input, 0, SMALL, 1,
                    case_fact(run, "small_iters"));
        add_samples(&samples, run->input, SMALL, full_at, SAMPLE,
                    case_fact(run, "half_iters"));
        add_samples(&samples, run->input, full_at, end, SAMPLE,
                    case_fact(run, "full_iters"));
        compare_pass(&samples, output, found);
        if (found->wrong == 0)
            compare_pass(&samples, output + end, found);
    } else {
        found->wrong = 1;
    }
    free(samples.at);
    free(samples.expected);
}

/* The first kernel of the student's in the legacy default stream. */
static const struct trace_op *find_default(const struct trace *trace)
{
    const struct query query = {.one_stream = true, .stream = 0};
    const struct trace_op *op = NULL;

    while ((op = query_next(trace, &query, op)) != NULL)
        if (strstr(op->at, "grader/drivers/") == NULL &&
            op->kind != TRACE_KIND_SYNC)
            break;
    return op;
}

/* Kernels of the student's among the small ones: the first 8 that start. */
static unsigned small_streams(const struct trace *trace)
{
    const struct query query = {.kinds = kernel_kind};
    const struct trace_op *op = NULL;
    uint64_t seen[NUM_SMALL];
    unsigned num_seen = 0;

    for (int k = 0; k < NUM_SMALL; k++) {
        unsigned s = 0;

        op = query_next(trace, &query, op);
        if (op == NULL)
            break;
        while (s < num_seen && seen[s] != op->stream)
            s++;
        if (s == num_seen)
            seen[num_seen++] = op->stream;
    }
    return num_seen;
}

/* A wait between the first and the last launch of the small jobs. */
static const struct trace_call *find_wait(const struct trace *trace)
{
    static const char *const names[] = {"cudaStreamSynchronize",
                                        "cudaDeviceSynchronize",
                                        "cudaEventSynchronize", "cudaMemcpy"};
    const struct trace_call *launch = NULL;

    for (int k = 0; k < NUM_SMALL; k++) {
        const struct trace_call *const next =
            query_next_call(trace, "cudaLaunchKernel", launch);

        if (next == NULL)
            break;
        launch = next;
    }
    for (size_t i = 0; launch && i < sizeof names / sizeof *names; i++) {
        const struct trace_call *const wait =
            query_next_call(trace, names[i], NULL);

        if (wait && wait->end_ns <= launch->start_ns)
            return wait;
    }
    return NULL;
}

static struct finding explain_slow(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_op *op;
    const struct trace_call *wait;
    unsigned streams;

    if (!trace)
        return finding_none();
    op = find_default(trace);
    if (op)
        return mistake_with("default-stream", "at=%s", query_place(op->at));
    streams = small_streams(trace);
    if (streams == 1)
        return mistake("one-stream");
    wait = find_wait(trace);
    if (wait)
        return mistake_with("sync-in-loop", "at=%s", query_place(wait->at));
    if (streams < NUM_SMALL)
        return mistake_with("few-streams", "num_small=%d\nstreams=%u",
                            NUM_SMALL, streams);
    return finding_none();
}

/* Wrong, or read before it was there. */
static struct finding explain_jobs(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct query kernels = {.kinds = kernel_kind};
    unsigned launched;

    if (!trace)
        return finding_none();
    launched = query_count(trace, &kernels);
    if (launched < NUM_JOBS)
        return mistake_with("job-left-out", "num_jobs=%d\nlaunched=%u",
                            NUM_JOBS, launched);
    /* The grader looks as soon as the function returns. */
    if (strstr(text_string(&run->virtual_run->checked.first_hazard),
               "the grader"))
        return mistake("not-waited");
    return finding_none();
}

/* The blocks of a job that needs one. With more than one, a small job fills
 * the device, and its time says nothing about jobs at the same time. */
static int64_t small_grid(const struct case_run *run)
{
    const struct case_run *const grid = case_other(run, GRID);

    return grid ? case_numbered_fact(grid, "grid", 2) : 1;
}

static struct finding explain_small_grid(void)
{
    return mistake("small-job-spread");
}

void kernels_judge_jobs(const struct case_run *run, struct judgement *judgement)
{
    const struct judge_speed times = {
        .serial_ns = (double)case_fact(run, "small_serial_ns"),
        .student_ns = (double)case_fact(run, "small_ns"),
        .bound_ns = (double)case_fact(run, "small_bound_ns"),
        .eta_needed = ETA_NEEDED,
    };
    const int64_t half_ns = case_fact(run, "half_ns");
    const int64_t full_ns = case_fact(run, "full_ns");

    if (!judge_right(run, judgement) || !judge_order(run, judgement)) {
        judgement->finding = kernels_todo_or(run, explain_jobs(run));
        return;
    }
    if (!judge_clean(run, judgement))
        return;
    if (small_grid(run) > 1) {
        judge_fail(judgement, kernels_todo_or(run, explain_small_grid()),
                   "%lld blocks for %d entries, and should be 1",
                   (long long)small_grid(run), BLOCK_THREADS);
        return;
    }
    if (!judge_speed(run, judgement, &times)) {
        judgement->finding = kernels_todo_or(run, explain_slow(run));
        return;
    }
    if (half_ns > 0 && full_ns > 0)
        text_printf(&judgement->seen,
                    "; two that fill half of the device %.2fx, all of it %.2fx",
                    (double)case_fact(run, "half_serial_ns") / (double)half_ns,
                    (double)case_fact(run, "full_serial_ns") / (double)full_ns);
}
