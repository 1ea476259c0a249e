/*
 * 04_streams_and_events.c: rules of lab 04. Two pipelines, an event between
 * them, a clock, and how the mistakes that students make there look.
 */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"
#include "case/reference.h"

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

static struct finding explain_default(const struct trace *trace)
{
    const struct trace_call *const blocking =
        query_next_call(trace, "cudaMemcpy", NULL);
    const struct trace_op *const copy = find_op(trace, QUERY_COPIES, true);
    const struct trace_op *const kernel = find_op(trace, kernel_kind, true);

    if (blocking)
        return mistake_at("blocking-copy", blocking->at);
    if (copy)
        return mistake_at("copy-default-stream", copy->at);
    if (kernel)
        return mistake_at("kernel-default-stream", kernel->at);
    return finding_none();
}

/* ---- one pipeline, two pipelines ----------------------------------------- */

static struct finding explain_wrong(const struct case_run *run,
                                    const struct trace *trace)
{
    const struct query all = {.kinds = QUERY_COPIES | kernel_kind};
    const struct finding found = explain_default(trace);

    if (found.id == NULL && is_run(run, "both") &&
        query_count(trace, &all) == 6)
        return mistake("not-waited");
    return found;
}

static struct finding explain_slow(const struct case_run *run,
                                   const struct trace *trace)
{
    const struct query all = {.kinds = QUERY_COPIES | kernel_kind};
    const struct trace_call *const wait = query_wait(trace, true);
    const struct finding found = explain_default(trace);

    if (found.id)
        return found;
    if (wait)
        return mistake_at("host-sync/two-pipelines", wait->at);
    if (is_run(run, "both") && query_streams(trace, &all) == 1)
        return mistake("one-stream");
    return found;
}

/* While its TODO is open, the skeleton's own code would be blamed. */
static struct finding explain(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);

    if (trace == NULL || case_todo_is_open(run) || failed == ASK_CLEAN)
        return finding_none();
    return failed == ASK_SPEED ? explain_slow(run, trace)
                               : explain_wrong(run, trace);
}

/* One call is timed, and the output is that of the next. */
static bool ask_alike(const struct case_run *run, struct judgement *judgement)
{
    return !case_has(run, "alike") || case_fact(run, "alike") == 1 ||
           judge_no(run, judgement, mistake("not-when-timed"),
                    "right, but not when it is timed");
}

static bool ask_queued(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const wait =
        trace ? query_wait(trace, false) : NULL;
    struct finding found = finding_none();

    if (!ask_alike(run, judgement))
        return false;
    if (wait)
        found = mistake_at("host-sync/one-pipeline", wait->at);
    else if (trace)
        found = explain_default(trace);
    return found.id == NULL ||
           judge_no(run, judgement,
                    case_todo_is_open(run) ? finding_none() : found,
                    "right, but not queued in the stream");
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

static struct finding explain_join(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    struct join join;

    if (!trace || case_todo_is_open(run) || failed == ASK_CLEAN)
        return finding_none();
    join = read_join(trace);
    if (!join.wait)
        return mistake("no-wait");
    if (!join.record || join.record->id > join.wait->id)
        return mistake_at("wait-before-record", join.wait->at);
    if (join.wait->stream != join.stream_a)
        return mistake_at("wait-wrong-stream", join.wait->at);
    if (join.record->stream != join.stream_b)
        return mistake_at("record-wrong-stream", join.record->at);
    if (join.record->id < join.b_call)
        return mistake_at("event-early", join.record->at);
    if (join.wait->id > join.combine_call)
        return mistake_at("wait-late", join.wait->at);
    return mistake_at("event-late", join.record->at);
}

static bool ask_host_free(const struct case_run *run,
                          struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const wait =
        trace ? query_wait(trace, false) : NULL;

    return ask_alike(run, judgement) &&
           (wait == NULL ||
            judge_no(run, judgement, mistake_at("host-sync", wait->at),
                     "right, but the host waits"));
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
    return mistake(told < kernel / 2 ? "event-early/clock" : "counts-more");
}

static bool ask_clock(const struct case_run *run, struct judgement *judgement)
{
    const double told = (double)case_fact(run, "told_ns");
    const double kernel = (double)case_fact(run, "kernel_ns");
    const double off = told > kernel ? told - kernel : kernel - told;

    if (!ask_alike(run, judgement))
        return false;
    if (off <= TIME_SLACK * kernel + TIME_SLOP_NS)
        return true;
    judge_no(run, judgement, explain_clock(run, told, kernel),
             "{told_ns:ms} ms, but it takes {kernel_ns:ms} ms");
    judgement->borderline = off <= kernel / 2 && run->backend == BACKEND_CUDA;
    return false;
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

/* One pipeline or two. */
static uint64_t work(const struct case_run *run)
{
    const bool two = is_run(run, "both") || is_run(run, "joined");

    return (two ? 2 : 1) * case_param(run, "entries") *
           (uint64_t)case_fact(run, "iters");
}

/* a and b in; a, b and c out. */
static const struct case_data pipelines = {
    .inputs = 2, .outputs = 3, .compare = compare, .work = work};

#define RUN(word, open)                                                        \
    .params = "run=" word " entries=65536 todo=" open,                         \
    .params_cuda = "run=" word " entries=1048576 todo=" open,                  \
    .data = &pipelines, .checked = true, .timed = true
#define OVERLAPS                                                               \
    {                                                                          \
        "serial_ns", "student_ns", "bound_ns", .eta_needed = 0.7               \
    }

static const struct lab_case cases[] = {
    {.name = "a pipeline",
     .points = 15,
     RUN("one", "1"),
     .also = ask_queued,
     .explain = explain,
     .passed = "right, and in the stream"},
    {.name = "two pipelines",
     .points = 25,
     RUN("both", "2"),
     .also = ask_alike,
     .speed = OVERLAPS,
     .explain = explain},
    {.name = "joined pipelines",
     .points = 30,
     RUN("joined", "3"),
     .drawn = true,
     .also = ask_host_free,
     .speed = OVERLAPS,
     .explain = explain_join},
    {.name = "the clock",
     .points = 25,
     RUN("timing", "4"),
     .also = ask_clock,
     .explain = explain,
     .passed = "{told_ns:ms} ms, and it takes {kernel_ns:ms} ms"},
};

LAB_RULES(.name = "04_streams_and_events", .explain_end = explain_end);
