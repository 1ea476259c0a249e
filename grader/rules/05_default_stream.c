/*
 * 05_default_stream.c: rules of lab 05. Eight workers at the same time in four
 * ways, and how the mistakes that students make there look.
 */
#include <string.h>

#include "judge/judge.h"
#include "case/reference.h"

/* As in lab.h, and the order of the driver's output. */
enum { WORKERS = 8, ENTRIES = WORKERS * 64, LAST = ENTRIES, STARTED, SUM };
enum { OUTPUT = SUM + 1 };

/* ---- data ---------------------------------------------------------------- */

/* Nobody asks the host's threads for a log, and the library adds up where
 * streams do not wait for it. */
static uint64_t expect(const struct case_run *run, void *expected)
{
    const uint64_t *const input = run->input;
    const bool sum = case_says(run, "run", "non_blocking");
    uint64_t *const plain = expected;

    reference_decrypt(plain, input, ENTRIES,
                      (uint64_t)case_fact(run, "rounds"));
    for (int i = 0; i < ENTRIES && sum; i++)
        plain[SUM] += plain[i];
    if (!case_says(run, "run", "threads")) {
        plain[LAST] = input[ENTRIES + WORKERS - 1];
        plain[STARTED] = WORKERS;
    }
    return OUTPUT;
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
    const uint64_t own = own_default(trace);
    const struct trace_op *op = NULL;

    while ((op = query_next(trace, QUERY_OF(kinds), op)) != NULL)
        if (strstr(op->at, "grader/drivers/") == NULL &&
            (op->stream == 0 || (!legacy_only && op->stream == own)))
            break;
    return op;
}

/* ---- each run ------------------------------------------------------------ */

/* In a default stream, one worker's copy or kernel stops all the others. The
 * log has a stream of its own. */
static struct finding explain_stray(const struct trace *trace)
{
    const unsigned streams = query_streams(trace, QUERY_OF(QUERY_KERNELS));

    return mistake_first_at((struct sign_at[]){
        SIGN_AT("stray-memcpy", find_default(trace, QUERY_COPIES, false)),
        SIGN_AT("stray-kernel", find_default(trace, QUERY_KERNELS, false)),
        SIGN_AT("sync-in-loop", query_wait(trace, true)),
        {streams < WORKERS, "stream-shared/named", NULL}});
}

/* Streams made with flags, and still slow: not with that flag. */
static struct finding explain_blocking(const struct trace *trace)
{
    const bool flags = query_calls(trace, "cudaStreamCreateWithFlags") > 0;

    return mistake_first_at((struct sign_at[]){
        SIGN_AT("sync-in-loop", query_wait(trace, true)),
        SIGN_AT("still-blocking",
                query_next_call(trace, "cudaStreamCreate", NULL)),
        {flags, "still-blocking", "lab.cu"}});
}

/* Here no stream is named: without the option that is the legacy one. */
static struct finding explain_option(const struct trace *trace)
{
    return mistake_first_at((struct sign_at[]){
        SIGN_AT("no-option",
                find_default(trace, QUERY_COPIES | QUERY_KERNELS, true)),
        SIGN_AT("sync-in-loop", query_wait(trace, true))});
}

/* Without the option all threads share the legacy stream. With it, one stream
 * is one thread that launches everything. */
static struct finding explain_threads(const struct trace *trace)
{
    const unsigned streams = query_streams(trace, QUERY_OF(QUERY_KERNELS));

    if (find_default(trace, QUERY_KERNELS, true))
        return explain_option(trace);
    return mistake_first((struct sign[]){
        {streams == 1, "stream-shared"},
        {streams == WORKERS && query_calls(trace, "cudaStreamSynchronize") > 0,
         "joined-in-loop"}});
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
    const bool unordered = found->wrong == 0 && seen->checked.hazards > 0;
    const bool only_sum = found->wrong == 1 && found->first == SUM;
    const bool only_log = found->wrong > 0 && found->first >= LAST;
    const bool all_run =
        query_count(case_trace(run), QUERY_OF(QUERY_KERNELS)) == WORKERS &&
        case_says(run, "run", "threads") && run->evidence->first_todo == 0;

    return mistake_first((struct sign[]){
        {case_says(run, "run", "non_blocking") && (unordered || only_sum),
         "order-lost"},
        {case_says(run, "run", "named") && (unordered || only_log),
         "log-unordered"},
        {all_run && seen->checked.by_driver, "not-waited"},
        {all_run && (found->wrong > 0 || run->wrong_rounds > 0),
         "worker-twice"}});
}

/* Each run has a cure of its own, and so has mistakes of its own. */
static struct finding explain(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const taken =
        query_call_between(trace, "cudaMalloc*");

    if (failed == ASK_RIGHT || failed == ASK_ORDER)
        return explain_order(run);
    if (failed == ASK_CLEAN || case_todo_is_open(run) || !trace)
        return finding_none();
    if (taken)
        return mistake_at("memory-in-loop", taken->at);
    return case_says(run, "run", "named")          ? explain_stray(trace)
           : case_says(run, "run", "non_blocking") ? explain_blocking(trace)
           : case_says(run, "run", "option")       ? explain_option(trace)
                                                   : explain_threads(trace);
}

static void judge_named(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);

    judge_row(run, judgement);
    /* Another TODO's option cures it too; not so in every program. */
    if (judgement->passed && trace &&
        find_default(trace, QUERY_COPIES | QUERY_KERNELS, false))
        judge_no(run, judgement, explain_stray(trace),
                 "together, but not in named streams");
}

/* ---- the rules ----------------------------------------------------------- */

/* The workers' entries, and a note of each for the log; the output has its last
 * line, how many had started, and a sum. */
static const struct case_data workers = {.inputs = 1,
                                         .outputs = 1,
                                         .expect = expect,
                                         .still = "still its input",
                                         .work = case_cipher_work};

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
    {.name = "part two: host threads", .points = 30, RUN("threads", "5")},
};

LAB_RULES(.name = "05_default_stream", .virtual_device = "h200",
          .flags = "--default-stream=per-thread --default-stream=legacy");
