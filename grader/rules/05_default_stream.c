/*
 * 05_default_stream.c: rules of lab 05. Eight workers at the same time in four
 * ways, and how the mistakes that students make there look.
 */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"
#include "case/reference.h"

#define TODO "What to do"

/* As in lab.h, and the order of the driver's output. */
enum { WORKERS = 8, ENTRIES = WORKERS * 64, LAST = ENTRIES, STARTED, SUM };
enum { OUTPUT = SUM + 1 };

#define ETA_NEEDED 0.70

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

/* A wait with work of the student's issued behind it. */
static const struct trace_call *find_wait_between(const struct trace *trace)
{
    static const char *const names[] = {"cudaStreamSynchronize",
                                        "cudaDeviceSynchronize",
                                        "cudaEventSynchronize"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (query_calls_before(trace, names[i], "cudaLaunchKernel") > 0)
            return query_next_call(trace, names[i], NULL);
    return NULL;
}

static const unsigned kernel_kind = QUERY_KIND(TRACE_KIND_KERNEL);

static struct finding explain_wait(const struct trace *trace)
{
    const struct trace_call *const wait = find_wait_between(trace);

    if (wait == NULL)
        return finding_none();
    return mistake_with("sync-in-loop", "at=%s", query_place(wait->at));
}

/* ---- each run ------------------------------------------------------------ */

static struct finding explain_stray(const struct trace *trace)
{
    const struct trace_op *copy = find_default(trace, QUERY_COPIES, false);
    const struct trace_op *kernel = find_default(trace, kernel_kind, false);

    if (copy)
        return mistake_with("stray-memcpy", "at=%s", query_place(copy->at));
    if (kernel)
        return mistake_with("stray-kernel", "at=%s", query_place(kernel->at));
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
        return mistake_with("still-blocking", "cu=%s",
                            made ? query_place(made->at) : "lab.cu");
    return finding_none();
}

static struct finding explain_option(const struct trace *trace)
{
    const struct trace_op *op =
        find_default(trace, QUERY_COPIES | kernel_kind, true);

    if (op == NULL)
        return explain_wait(trace);
    return mistake_with("no-option", "at=%s", query_place(op->at));
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

static struct finding explain_slow(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);

    if (!trace)
        return finding_none();
    if (is_run(run, "named"))
        return explain_stray(trace);
    if (is_run(run, "non_blocking"))
        return explain_blocking(trace);
    if (is_run(run, "option"))
        return explain_option(trace);
    return explain_threads(trace);
}

static bool judge_outcome(const struct case_run *run,
                          struct judgement *judgement)
{
    if (judge_right(run, judgement) && judge_order(run, judgement))
        return true;
    judgement->finding = explain_order(run);
    return false;
}

static void judge_run(const struct case_run *run, struct judgement *judgement)
{
    const struct judge_speed times = {
        .serial_ns = (double)case_fact(run, "serial_ns"),
        .student_ns = (double)case_fact(run, "student_ns"),
        .bound_ns = (double)case_fact(run, "bound_ns"),
        .eta_needed = ETA_NEEDED,
    };
    const struct trace *const trace = case_trace(run);

    if (!judge_outcome(run, judgement) || !judge_clean(run, judgement))
        return;
    if (!judge_speed(run, judgement, &times)) {
        if (!case_todo_is_open(run))
            judgement->finding = explain_slow(run);
    } else if (is_run(run, "named") && trace &&
               find_default(trace, QUERY_COPIES | kernel_kind, false)) {
        /* Another TODO's option cures it too; not so in every program. */
        judge_fail(judgement, explain_stray(trace),
                   "together, but not in named streams");
    }
}

/* ---- the rules ----------------------------------------------------------- */

static uint64_t work(const struct case_run *run)
{
    return ENTRIES * (uint64_t)case_fact(run, "iters");
}

#define RUN(label, word, worth, open)                                          \
    .name = label, .points = worth,                                            \
    .params = "run=" word " us=400 todo=" open,                                \
    .params_cuda = "run=" word " us=3000 todo=" open, .checked = true,         \
    .timed = true, .input_bytes = (ENTRIES + WORKERS) * sizeof(uint64_t),      \
    .output_bytes = OUTPUT * sizeof(uint64_t), .compare = compare,             \
    .work = work, .judge = judge_run

static const struct lab_case cases[] = {
    {RUN("named streams", "named", 20, "1"), .drawn = true},
    {RUN("non-blocking streams", "non_blocking", 25, "2")},
    {RUN("compiler option", "option", 20, "3")},
    {RUN("host threads", "threads", 30, "5")},
};

static const struct lab_rules lab_05 = {
    .name = "05_default_stream",
    .virtual_device = "h200",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .flags = "--default-stream=per-thread --default-stream=legacy",
};

LAB_RULES(lab_05);
