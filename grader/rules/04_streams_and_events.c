/*
 * 04_streams_and_events.c: rules of lab 04. Two pipelines, an event between
 * them, a clock, and how the mistakes that students make there look.
 */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"
#include "case/reference.h"

#define ETA_NEEDED   0.70
#define TIME_SLACK   0.10 /* of a measured time, besides so much: */
#define TIME_SLOP_NS 20e3

static bool is_run(const struct case_run *run, const char *what)
{
    return strstr(run->params, what) != NULL;
}

/* ---- data ---------------------------------------------------------------- */

/* What should be in a, b and c: decrypted, untouched, or not there. */
static void make_expected(const struct case_run *run, uint64_t *expected)
{
    const uint64_t n = run->input_bytes / 2 / sizeof(uint64_t);
    const uint64_t iters = (uint64_t)case_fact(run, "iters");
    const uint64_t *const input = run->input;
    const bool joined = is_run(run, "joined");
    uint64_t *const a = expected, *const b = a + n, *const c = b + n;

    memcpy(a, input, 2 * n * sizeof *a);
    memset(c, 0, n * sizeof *c);
    if (joined || is_run(run, "both"))
        reference_decrypt(b, b, n, iters);
    reference_decrypt(a, a, n, iters);
    if (!joined)
        return;
    for (uint64_t i = 0; i < n; i++)
        c[i] = a[i] ^ b[i];
    reference_decrypt(c, c, n, iters);
    memcpy(a, input, n * sizeof *a);
}

static void compare(const struct case_run *run, struct difference *found)
{
    const uint64_t count = run->output_bytes / sizeof(uint64_t);
    uint64_t *expected = malloc(run->output_bytes + 1);
    uint64_t *still = calloc(count + 1, sizeof *still);
    struct judge_arrays arrays = {JUDGE_U64, run->output,
                                  expected,  count,
                                  0,         {{"still its input", still}},
                                  NULL};

    if (expected && still) {
        memcpy(still, run->input, run->input_bytes);
        make_expected(run, expected);
        difference_arrays(found, &arrays);
    }
    free(expected);
    free(still);
}

/* ---- what the trace shows ------------------------------------------------ */

static const struct trace_op *find_op(const struct trace *trace, unsigned kinds,
                                      bool legacy)
{
    const struct query query = {.kinds = kinds, .one_stream = legacy};

    return query_next(trace, &query, NULL);
}

static const unsigned kernel_kind = QUERY_KIND(TRACE_KIND_KERNEL);

/* The first wait of the host, or the first with work issued behind it. */
static const struct trace_call *find_wait(const struct trace *trace,
                                          bool between)
{
    static const char *const names[] = {"cudaStreamSynchronize",
                                        "cudaDeviceSynchronize",
                                        "cudaEventSynchronize"};
    static const char *const work[] = {"cudaLaunchKernel", "cudaMemcpyAsync"};
    const struct trace_call *call = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !call; i++)
        if (!between || query_calls_before(trace, names[i], work[0]) > 0 ||
            query_calls_before(trace, names[i], work[1]) > 0)
            call = query_next_call(trace, names[i], NULL);
    return call;
}

static struct finding explain_default(const struct trace *trace)
{
    const struct trace_call *const blocking =
        query_next_call(trace, "cudaMemcpy", NULL);
    const struct trace_op *const copy = find_op(trace, QUERY_COPIES, true);
    const struct trace_op *const kernel = find_op(trace, kernel_kind, true);

    if (blocking)
        return mistake_with("blocking-copy", "at=%s",
                            query_place(blocking->at));
    if (copy)
        return mistake_with("copy-default-stream", "at=%s",
                            query_place(copy->at));
    if (kernel)
        return mistake_with("kernel-default-stream", "at=%s",
                            query_place(kernel->at));
    return finding_none();
}

static struct finding explain_wait(const struct trace_call *wait,
                                   const char *instead)
{
    return mistake_with("host-sync", "at=%s\ninstead=%s", query_place(wait->at),
                        instead);
}

/* ---- one pipeline, two pipelines ----------------------------------------- */

static struct finding explain_pipelines(const struct case_run *run)
{
    const struct query all = {.kinds = QUERY_COPIES | kernel_kind};
    const struct trace *const trace = case_trace(run);
    struct finding found;
    const struct trace_call *wait;

    if (!trace)
        return finding_none();
    found = explain_default(trace);
    if (found.id)
        return found;
    wait = find_wait(trace, true);
    if (wait)
        return explain_wait(wait, "Queue both pipelines first, then wait.");
    if (is_run(run, "both") && query_streams(trace, &all) == 1)
        return mistake("one-stream");
    return finding_none();
}

static struct finding explain_wrong(const struct case_run *run)
{
    const struct query all = {.kinds = QUERY_COPIES | kernel_kind};
    const struct trace *const trace = case_trace(run);
    const struct finding found =
        trace ? explain_default(trace) : finding_none();

    if (!trace || found.id)
        return found;
    if (is_run(run, "both") && query_count(trace, &all) == 6)
        return mistake("not-waited");
    return finding_none();
}

/* One call is timed, and the output is that of the next. */
static bool judge_alike(const struct case_run *run, struct judgement *judgement)
{
    if (!case_has(run, "alike") || case_fact(run, "alike") == 1)
        return true;
    judge_fail(judgement, mistake("not-when-timed"),
               "right, but not when it is timed");
    return false;
}

static bool judge_basics(const struct case_run *run,
                         struct judgement *judgement)
{
    if (judge_right(run, judgement) && judge_order(run, judgement))
        return judge_alike(run, judgement) && judge_clean(run, judgement);
    if (!case_todo_is_open(run))
        judgement->finding = explain_wrong(run);
    return false;
}

static void judge_one(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    struct finding found = finding_none();

    if (!judge_basics(run, judgement))
        return;
    if (trace && find_wait(trace, false))
        found = explain_wait(find_wait(trace, false),
                             "The function only queues; the caller waits.");
    if (trace && !found.id)
        found = explain_default(trace);
    if (found.id)
        judge_fail(judgement, case_todo_is_open(run) ? finding_none() : found,
                   "right, but not queued in the stream");
    else
        judge_pass(judgement, "right, and in the stream");
}

static struct judge_speed times_of(const struct case_run *run)
{
    return (struct judge_speed){
        .serial_ns = (double)case_fact(run, "serial_ns"),
        .student_ns = (double)case_fact(run, "student_ns"),
        .bound_ns = (double)case_fact(run, "bound_ns"),
        .eta_needed = ETA_NEEDED,
    };
}

static void judge_both(const struct case_run *run, struct judgement *judgement)
{
    const struct judge_speed times = times_of(run);

    if (judge_basics(run, judgement) && !judge_speed(run, judgement, &times) &&
        !case_todo_is_open(run))
        judgement->finding = explain_pipelines(run);
}

/* ---- joined -------------------------------------------------------------- */

/* Where the pieces of the join are; call ids tell what came first. */
struct join {
    uint64_t stream_a, stream_b;            /* of combine, and the other one */
    uint64_t b_call, combine_call;          /* launches */
    const struct trace_call *record, *wait; /* the last ones before combine */
};

static struct join read_join(const struct trace *trace)
{
    const struct query kernels = {.kinds = kernel_kind};
    const struct trace_op *op = NULL;
    const struct trace_call *call = NULL;
    struct join join = {0};

    while ((op = query_next(trace, &kernels, op)) != NULL)
        if (strcmp(op->name, "combine_gpu") == 0) {
            join.stream_a = op->stream;
            join.combine_call = op->call;
        }
    while ((op = query_next(trace, &kernels, op)) != NULL)
        if (op->stream != join.stream_a) {
            join.stream_b = op->stream;
            join.b_call = op->call;
        }
    while ((call = query_next_call(trace, "cudaEventRecord*", call)) != NULL)
        join.record = call;
    while ((call = query_next_call(trace, "cudaStreamWaitEvent", call)) != NULL)
        join.wait = call;
    return join;
}

static struct finding explain_join(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    struct join join;

    if (!trace || case_todo_is_open(run))
        return finding_none();
    join = read_join(trace);
    if (!join.wait)
        return mistake("no-wait");
    if (!join.record || join.record->id > join.wait->id)
        return mistake_with("wait-before-record", "at=%s",
                            query_place(join.wait->at));
    if (join.wait->stream != join.stream_a)
        return mistake_with("wait-wrong-stream", "at=%s",
                            query_place(join.wait->at));
    if (join.record->stream != join.stream_b)
        return mistake_with("record-wrong-stream", "at=%s",
                            query_place(join.record->at));
    if (join.record->id < join.b_call)
        return mistake_with("event-early", "at=%s",
                            query_place(join.record->at));
    if (join.wait->id > join.combine_call)
        return mistake_with("wait-late", "at=%s", query_place(join.wait->at));
    return mistake_with("event-late", "at=%s", query_place(join.record->at));
}

static void judge_joined(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct judge_speed times = times_of(run);
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const wait =
        trace ? find_wait(trace, false) : NULL;

    if (!judge_right(run, judgement) || !judge_order(run, judgement)) {
        judgement->finding = explain_join(run);
        return;
    }
    if (!judge_alike(run, judgement))
        return;
    if (wait) {
        judge_fail(judgement,
                   explain_wait(wait, "Let the stream wait for an event "
                                      "instead (cudaStreamWaitEvent): then "
                                      "the host is free."),
                   "right, but the host waits");
        return;
    }
    if (judge_clean(run, judgement) && !judge_speed(run, judgement, &times))
        judgement->finding = explain_join(run);
}

/* ---- timing -------------------------------------------------------------- */

static struct finding explain_clock(const struct case_run *run, double told,
                                    double kernel)
{
    const struct trace *const trace = case_trace(run);

    if (case_todo_is_open(run))
        return finding_none();
    if (trace && query_calls(trace, "cudaEventRecord*") == 0)
        return mistake("no-events");
    if (told < kernel / 2)
        return mistake("event-early/clock");
    return mistake("counts-more");
}

static void judge_timing(const struct case_run *run,
                         struct judgement *judgement)
{
    const double told = (double)case_fact(run, "told_ns");
    const double kernel = (double)case_fact(run, "kernel_ns");
    const double off = told > kernel ? told - kernel : kernel - told;

    if (!judge_basics(run, judgement))
        return;
    if (off <= TIME_SLACK * kernel + TIME_SLOP_NS) {
        judge_pass(judgement, "%.3f ms, and it takes %.3f ms", told / 1e6,
                   kernel / 1e6);
        return;
    }
    judge_fail(judgement, explain_clock(run, told, kernel),
               "%.3f ms, but it takes %.3f ms", told / 1e6, kernel / 1e6);
    judgement->borderline = off <= kernel / 2 && run->backend == BACKEND_CUDA;
}

/* ---- functions that did not return --------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const struct api_error *const error = &run->error;

    if (strcmp(error->name, "cudaErrorNotReady") == 0)
        return mistake("not-ready");
    if (strncmp(error->call, "cudaEventElapsedTime", 20) == 0)
        return mistake("event-not-recorded");
    return finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

#define ENTRIES      (1 << 16)
#define ENTRIES_CUDA (1 << 20)

/* One pipeline or two. */
static uint64_t work(const struct case_run *run)
{
    const uint64_t entries = run->input_bytes / (2 * sizeof(uint64_t));
    const bool two = is_run(run, "both") || is_run(run, "joined");

    return (two ? 2 : 1) * entries * (uint64_t)case_fact(run, "iters");
}

#define CASE(label, word, open, worth, judge_fn)                               \
    .name = label, .points = worth, .params = "run=" word " todo=" open,       \
    .checked = true, .timed = true, .compare = compare, .work = work,          \
    .judge = judge_fn, .input_bytes = 2 * ENTRIES * sizeof(uint64_t),          \
    .output_bytes = 3 * ENTRIES * sizeof(uint64_t),                            \
    .input_bytes_cuda = 2 * ENTRIES_CUDA * sizeof(uint64_t),                   \
    .output_bytes_cuda = 3 * ENTRIES_CUDA * sizeof(uint64_t)

static const struct lab_case cases[] = {
    {CASE("a pipeline", "one", "1", 15, judge_one)},
    {CASE("two pipelines", "both", "2", 25, judge_both)},
    {CASE("joined pipelines", "joined", "3", 30, judge_joined), .drawn = true},
    {CASE("the clock", "timing", "4", 25, judge_timing)},
};

static const struct lab_rules lab_04 = {
    .name = "04_streams_and_events",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .explain_end = explain_end,
};

LAB_RULES(lab_04);
