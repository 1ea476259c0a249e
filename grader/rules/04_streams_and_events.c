/*
 * 04_streams_and_events.c: rules of lab 04. Two pipelines, an event between
 * them, a clock, and how the mistakes that students make there look.
 */
#include <string.h>

#include "cipher.h"
#include "cipher_entry.h"

/* ---- data ---------------------------------------------------------------- */

static bool has_two(const struct case_run *run)
{
    return case_says(run, "run", "both") || case_says(run, "run", "joined");
}

/* What should be in a, b and c: decrypted, untouched, or not there. Of joined
 * pipelines, a does not come back: only c, which it went into. */
static uint64_t expect(const struct case_run *run, void *expected)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t iters = fact(run, "iters");
    const uint64_t *const input = run->input;
    uint64_t *const a = expected, *const b = a + n, *const c = b + n;

    memcpy(a, input, 2 * n * sizeof *a);
    if (has_two(run))
        reference_decrypt(b, b, n, iters);
    reference_decrypt(a, a, n, iters);
    if (case_says(run, "run", "joined")) {
        for (uint64_t i = 0; i < n; i++)
            c[i] = a[i] ^ b[i];
        reference_decrypt(c, c, n, iters);
        memcpy(a, input, n * sizeof *a);
    }
    return 3 * n;
}

/* ---- one pipeline, two pipelines ----------------------------------------- */

/* What is not there, or too short, is no matter of waiting. */
static struct finding explain_wrong(const struct case_run *run,
                                    const struct trace *trace)
{
    const bool joined = case_says(run, "run", "joined");
    const bool both = case_says(run, "run", "both");
    const unsigned each = has_two(run) ? 2 : 1;
    const struct trace_op *const back = query_first(trace, QUERY_BACK);
    const struct case_run *const seen = run->virtual_run;
    const uint64_t bytes = case_param(seen, "entries") * sizeof(uint64_t);
    const char *const in = seen->input, *const out = seen->output;
    struct finding found = trace_explain_default(trace);
    struct trace_facts facts;

    trace_facts_take(&facts, trace);
    if (found.id == NULL)
        found = trace_explain_bytes(&facts, bytes);
    if (found.id)
        return found;
    return mistake_first(
        (struct sign[]){{joined && facts.back.copies > 2, "a-comes-back"},
                        {facts.kernels > each + joined, "decrypted-again"},
                        {facts.in.copies != each || facts.back.copies != each,
                         "copies-missing"},
                        {facts.kernels < each + joined, "no-kernel"},
                        {seen->checked.by_driver, "not-waited"},
                        {back && query_ahead(trace, QUERY_KERNELS, back) == 0,
                         "copy-back-first"},
                        {both && (!memcmp(in, out, bytes) ||
                                  !memcmp(in + bytes, out + bytes, bytes)),
                         "one-left"}});
}

/* A wait between them makes them take turns in any number of streams. */
static struct finding explain_slow(const struct trace *trace)
{
    const struct trace_call *const wait = query_wait(trace, true);
    const struct finding found = trace_explain_slow(trace);

    if (found.id)
        return found;
    return mistake_first((struct sign[]){
        SIGN_AT("host-sync/two-pipelines", wait),
        {query_streams(trace, QUERY_COPIES | QUERY_KERNELS) == 1, "one-stream"},
        SIGN_AT("needless-wait", query_call(trace, "cudaStreamWaitEvent"))});
}

/* While its TODO is open, the skeleton's own code would be blamed. */
static struct finding explain(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);

    if (trace == NULL || case_todo_is_open(run) || failed == ASK_CLEAN)
        return finding_none();
    return failed == ASK_SPEED ? explain_slow(trace)
                               : explain_wrong(run, trace);
}

/* One call is timed, and the output is that of the next. */
static bool ask_alike(const struct case_run *run, struct judgement *judgement)
{
    return !case_has(run, "alike") || case_fact(run, "alike") == 1 ||
           judge_no(run, judgement, mistake("not-when-timed"),
                    "right, but not when it is timed");
}

/* Whoever waits or uses the default stream gets it right as well. */
static bool ask_queued(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const wait = query_wait(trace, false);
    const struct finding found =
        wait ? mistake_at("host-sync/one-pipeline", wait->at)
             : trace_explain_default(trace);

    return ask_alike(run, judgement) &&
           (found.id == NULL ||
            judge_no(run, judgement,
                     case_todo_is_open(run) ? finding_none() : found,
                     "right, but not queued in the stream"));
}

/* ---- joined -------------------------------------------------------------- */

/* Where the pieces of the join are; call ids tell what came first. */
struct join {
    uint64_t stream_a, stream_b;            /* of combine, and the other one */
    uint64_t a_call, b_call, combine_call;  /* launches */
    bool c_back;                            /* a copy back behind combine */
    uint64_t b_back_call;                   /* the other one */
    const struct trace_call *record, *wait; /* the last ones before combine */
};

/* combine_gpu tells the streams apart: it is in that of a, and the kernel that
 * is elsewhere decrypts b. */
static struct join read_join(const struct trace *trace)
{
    const struct trace_op *op = NULL;
    const struct trace_call *call = NULL;
    struct join join = {0};

    while ((op = query_next(trace, QUERY_OF(QUERY_KERNELS), op)) != NULL)
        if (strcmp(op->name, "combine_gpu") == 0) {
            join.stream_a = op->stream;
            join.combine_call = op->call;
        }
    while ((op = query_next(trace, QUERY_OF(QUERY_KERNELS), op)) != NULL)
        if (op->stream != join.stream_a) {
            join.stream_b = op->stream;
            join.b_call = op->call;
        } else if (op->call != join.combine_call) {
            join.a_call = op->call;
        }
    while ((op = query_next(trace, QUERY_OF(QUERY_BACK), op)) != NULL)
        if (op->stream == join.stream_a)
            join.c_back = true;
        else
            join.b_back_call = op->call;
    while ((call = query_next_call(trace, "cudaEventRecord*", call)) != NULL)
        join.record = call;
    while ((call = query_next_call(trace, "cudaStreamWaitEvent", call)) != NULL)
        join.wait = call;
    return join;
}

/* First what is missing, then what is in the wrong stream, then what comes too
 * early or too late: each is only looked at where the ones before are well. */
static struct finding explain_join(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    const struct finding found = trace_explain_slow(trace);
    const struct join join = read_join(trace);
    const struct trace_call *const wait = join.wait;
    const struct trace_call *const record = join.record;
    const uint64_t *const c =
        (const uint64_t *)run->output + 2 * case_param(run, "entries");

    if (!trace || case_todo_is_open(run) || failed == ASK_CLEAN)
        return finding_none();
    /* A value mixed with itself is 0. */
    if (failed == ASK_RIGHT && c[1] == c[0] &&
        c[0] == decrypt_entry(0, fact(run, "iters")))
        return mistake("mixed-with-itself");
    if (failed != ASK_SPEED && trace_explain_default(trace).id)
        return trace_explain_default(trace);
    if (failed == ASK_SPEED && found.id)
        return found;
    if (!join.b_call && failed == ASK_SPEED)
        return mistake("one-stream/joined");
    if (failed != ASK_SPEED && (join.b_call > 0) != (join.b_back_call > 0))
        return mistake("b-back-elsewhere");
    if (!wait && join.b_call > 0)
        return mistake("no-wait");
    if (wait && (!record || record->id > wait->id))
        return mistake_at("wait-before-record", wait->at);
    if (failed == ASK_RIGHT)
        return explain_wrong(run, trace);
    if (!wait)
        return finding_none();
    return mistake_first((struct sign[]){
        {wait->stream != join.stream_a, "wait-wrong-stream", wait->at},
        {record->stream != join.stream_b, "record-wrong-stream", record->at},
        {record->id < join.b_call, "event-early", record->at},
        {wait->id > join.combine_call, "wait-late", wait->at},
        {failed == ASK_ORDER && !join.c_back, "c-back-elsewhere"},
        {failed == ASK_SPEED && wait->id < join.a_call, "wait-early", wait->at},
        {failed == ASK_SPEED && record->id > join.b_back_call, "event-late",
         record->at},
        {failed == ASK_SPEED && query_calls(trace, "cudaStreamWaitEvent") > 1,
         "needless-wait/joined", wait->at}});
}

/* A wait of the host orders the streams as an event does, so all is right. */
static bool ask_host_free(const struct case_run *run,
                          struct judgement *judgement)
{
    const struct trace_call *const wait = query_wait(case_trace(run), false);

    return ask_alike(run, judgement) &&
           (wait == NULL ||
            judge_no(run, judgement, mistake_at("host-sync", wait->at),
                     "right, but the host waits"));
}

/* ---- timing -------------------------------------------------------------- */

/* Another kernel is ahead of it in its stream: a clock that starts when it is
 * queued counts both. A launch may be counted, and a host that is held up. */
static bool ask_clock(const struct case_run *run, struct judgement *judgement)
{
    const double told = (double)case_fact(run, "told_ns");
    const double kernel = (double)case_fact(run, "kernel_ns");
    const double off = told > kernel ? told - kernel : kernel - told;
    const struct trace *const trace = case_trace(run);
    const struct finding untimed =
        case_todo_is_open(run) ? finding_none() : finding_untimed(run);
    struct trace_facts facts;

    if (!ask_alike(run, judgement))
        return false;
    if (off <= 0.10 * kernel + 20e3)
        return true;
    trace_facts_take(&facts, trace);
    judge_no(run, judgement,
             untimed.id
                 ? untimed
                 : mistake_first((struct sign[]){
                       {case_todo_is_open(run), NULL},
                       {cipher_is_other_unit(told, kernel), "timer-unit"},
                       {trace && query_calls(trace, "cudaEventRecord*") == 0,
                        "no-events"},
                       {told < 0, "events-swapped"},
                       SIGN_AT("few-threads", facts.few_threads),
                       {told == 0, "event-early/zero"},
                       {told < kernel, "event-early/clock"},
                       {true, "counts-more"}}),
             "{told_ns:ms} ms, but it takes {kernel_ns:ms} ms");
    judgement->borderline = off < kernel && run->backend == BACKEND_CUDA;
    return false;
}

/* ---- the rules ----------------------------------------------------------- */

/* Of the pipelines alone: combine_gpu comes on top. */
static uint64_t work(const struct case_run *run)
{
    return (has_two(run) ? 2 : 1) * case_param(run, "entries") *
           fact(run, "iters");
}

/* a and b in; a, b and c out. */
#define PIPELINES                                                              \
    .inputs = 2, .outputs = 3, .expect = expect, .still = "still its input",   \
    .work = work
static const struct case_data pipelines = {PIPELINES, .copied = true};
static const struct case_data one_kernel = {PIPELINES};

#define RUN(word, open, entries, of)                                           \
    .params = "run=" word " entries=" entries " todo=" open,                   \
    .params_cuda = "run=" word " entries=1500000..2694304 todo=" open,         \
    .data = &of, .checked = true, .timed = true
#define MANY "40000..91072"

static const struct lab_case cases[] = {
    {.name = "a pipeline",
     .points = 15,
     RUN("one", "1", MANY, pipelines),
     .asks = LAB_ASKS(JUDGE_ALL, ask_queued),
     .explain = explain,
     .passed = "right, and in the stream"},
    {.name = "two pipelines",
     .points = 25,
     RUN("both", "2", MANY, pipelines),
     .profile_vgpu = "k20",
     .asks = LAB_ASKS(JUDGE_ALL, ask_alike),
     .speed = {"serial_ns", "student_ns", "bound_ns", "backs_ns", 0.6},
     .explain = explain},
    {.name = "joined pipelines",
     .points = 30,
     RUN("joined", "3", MANY, pipelines),
     .profile_vgpu = "k20",
     .drawn = true,
     .asks = LAB_ASKS(JUDGE_ALL, ask_host_free),
     .speed = {"serial_ns", "student_ns", "bound_ns", "backs_ns", 0.7},
     .explain = explain_join},
    {.name = "the clock",
     .points = 25,
     RUN("timing", "4", "150000..300000", one_kernel),
     .asks = LAB_ASKS(JUDGE_ALL, ask_clock),
     .explain = explain,
     .passed = "{told_ns:ms} ms, and it takes {kernel_ns:ms} ms"},
};

LAB_RULES(.name = "04_streams_and_events");
