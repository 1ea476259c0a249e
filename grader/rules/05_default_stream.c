/*
 * 05_default_stream.c: rules of lab 05. Eight workers at the same time in four
 * ways, and how the mistakes that students make there look.
 */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"
#include "case/reference.h"

/* As in lab.h, and the order of the driver's output. */
enum { WORKERS = 8, ENTRIES = WORKERS * 64, LAST = ENTRIES, STARTED, SUM };
enum { OUTPUT = SUM + 1 };

/* ---- data ---------------------------------------------------------------- */

static bool is_run(const struct case_run *run, const char *what)
{
    return strstr(run->params, what) != NULL;
}

static void compare(const struct case_run *run, struct difference *found)
{
    const uint64_t *const input = run->input;
    const uint64_t iters = (uint64_t)case_fact(run, "iters");
    const bool log = !is_run(run, "threads");
    uint64_t expected[OUTPUT] = {0};
    struct judge_arrays arrays = {JUDGE_U64, run->output,
                                  expected,  OUTPUT,
                                  0,         {{"still its input", input}},
                                  NULL};

    reference_decrypt(expected, input, ENTRIES, iters);
    for (int i = 0; i < ENTRIES && is_run(run, "non_blocking"); i++)
        expected[SUM] += expected[i];
    expected[LAST] = log ? input[ENTRIES + WORKERS - 1] : 0;
    expected[STARTED] = log ? WORKERS : 0;
    difference_arrays(found, &arrays);
}

/* ---- what the trace shows ------------------------------------------------ */

/* The main thread's own default stream, from the driver's mark. */
static uint64_t own_default(const struct trace *trace)
{
    uint64_t stream = 0;

    for (size_t i = 0; i < trace->num_ops; i++)
        if (strcmp(trace->ops[i].name, "library_note_gpu") == 0 &&
            trace->ops[i].stream != 0)
            stream = trace->ops[i].stream;
    return stream;
}

/* The first of these operations in a default stream, legacy or not. */
static const struct trace_op *find_default(const struct trace *trace,
                                           unsigned kinds, bool legacy_only)
{
    const struct query query = {.kinds = kinds};
    const uint64_t own = own_default(trace);
    const struct trace_op *op = NULL;

    while ((op = query_next(trace, &query, op)) != NULL)
        if (strstr(op->at, "grader/drivers/") == NULL &&
            (op->stream == 0 || (!legacy_only && op->stream == own)))
            break;
    return op;
}

static const unsigned kernel_kind = QUERY_KIND(TRACE_KIND_KERNEL);

static struct finding explain_wait(const struct trace *trace)
{
    const struct trace_call *const wait = query_wait(trace, true);

    if (wait == NULL)
        return finding_none();
    return mistake_at("sync-in-loop", wait->at);
}

/* ---- each run ------------------------------------------------------------ */

static struct finding explain_stray(const struct trace *trace)
{
    const struct trace_op *copy = find_default(trace, QUERY_COPIES, false);
    const struct trace_op *kernel = find_default(trace, kernel_kind, false);

    if (copy)
        return mistake_at("stray-memcpy", copy->at);
    if (kernel)
        return mistake_at("stray-kernel", kernel->at);
    return explain_wait(trace);
}

static struct finding explain_blocking(const struct trace *trace)
{
    const struct trace_call *const made =
        query_next_call(trace, "cudaStreamCreate", NULL);
    struct finding found = explain_wait(trace);

    if (found.id)
        return found;
    if (made || query_calls(trace, "cudaStreamCreateWithFlags") > 0)
        return mistake_at("still-blocking", made ? made->at : "lab.cu");
    return finding_none();
}

static struct finding explain_option(const struct trace *trace)
{
    const struct trace_op *op =
        find_default(trace, QUERY_COPIES | kernel_kind, true);

    if (op == NULL)
        return explain_wait(trace);
    return mistake_at("no-option", op->at);
}

static struct finding explain_threads(const struct trace *trace)
{
    const struct query kernels = {.kinds = kernel_kind};
    const struct trace_call *wait = NULL;

    if (find_default(trace, kernel_kind, true))
        return explain_option(trace);
    if (query_count(trace, &kernels) > 0 && query_streams(trace, &kernels) == 1)
        return mistake("stream-shared");
    wait = query_next_call(trace, "cudaStreamSynchronize", NULL);
    if (wait && query_streams(trace, &kernels) == WORKERS)
        return mistake("joined-in-loop");
    return finding_none();
}

/*
 * Wrong, or accesses that nothing orders. On a real GPU, how much is wrong is
 * luck: whatever was not done yet. On the virtual one it is always the same.
 */
static struct finding explain_order(const struct case_run *run)
{
    const struct case_run *const seen =
        run->virtual_run ? run->virtual_run : run;
    const struct difference *const found = &seen->difference;
    const struct trace *const trace = case_trace(run);
    const bool unordered = found->wrong == 0 && seen->checked.hazards > 0;
    const bool only_sum = found->wrong == 1 && found->first == SUM;

    if (is_run(run, "non_blocking") && (unordered || only_sum))
        return mistake("order-lost");
    if (is_run(run, "named") &&
        (unordered || (found->wrong > 0 && found->first >= LAST)))
        return mistake("log-unordered");
    if ((found->wrong == 0 && run->wrong_rounds == 0) || !trace)
        return finding_none();
    if (run->evidence->first_todo == 0 && is_run(run, "threads") &&
        query_count(trace, &(struct query){.kinds = kernel_kind}) == WORKERS)
        return mistake("not-waited");
    return finding_none();
}

static struct finding explain_slow(const struct case_run *run,
                                   const struct trace *trace)
{
    if (is_run(run, "named"))
        return explain_stray(trace);
    if (is_run(run, "non_blocking"))
        return explain_blocking(trace);
    if (is_run(run, "option"))
        return explain_option(trace);
    return explain_threads(trace);
}

static struct finding explain(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);

    if (failed == ASK_RIGHT || failed == ASK_ORDER)
        return explain_order(run);
    if (failed == ASK_CLEAN || case_todo_is_open(run) || !trace)
        return finding_none();
    return explain_slow(run, trace);
}

static void judge_named(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);

    judge_row(run, judgement);
    /* Another TODO's option cures it too; not so in every program. */
    if (judgement->passed && trace &&
        find_default(trace, QUERY_COPIES | kernel_kind, false))
        judge_no(run, judgement, explain_stray(trace),
                 "together, but not in named streams");
}

/* ---- the rules ----------------------------------------------------------- */

static uint64_t work(const struct case_run *run)
{
    return ENTRIES * (uint64_t)case_fact(run, "iters");
}

/* The workers' entries, and a note of each for the log; the output has its last
 * line, how many had started, and a sum. */
static const struct case_data workers = {
    .inputs = 1, .outputs = 1, .compare = compare, .work = work};

#define RUN(word, open)                                                        \
    .params = "run=" word " us=400 entries=520 todo=" open,                    \
    .params_cuda = "run=" word " us=3000 entries=520 todo=" open,              \
    .data = &workers, .checked = true, .timed = true, .explain = explain,      \
    .speed = {"serial_ns", "student_ns", "bound_ns", .eta_needed = 0.7}

static const struct lab_case cases[] = {
    {.name = "named streams",
     .points = 20,
     RUN("named", "1"),
     .drawn = true,
     .judge = judge_named},
    {.name = "non-blocking streams", .points = 25, RUN("non_blocking", "2")},
    {.name = "compiler option", .points = 20, RUN("option", "3")},
    {.name = "host threads", .points = 30, RUN("threads", "5")},
};

LAB_RULES(.name = "05_default_stream", .virtual_device = "h200",
          .flags = "--default-stream=per-thread --default-stream=legacy");
