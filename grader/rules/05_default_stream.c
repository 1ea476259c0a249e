/*
 * 05_default_stream.c: rules of lab 05. Eight workers at the same time in four
 * ways, and how the mistakes that students make there look.
 */
#include <string.h>

#include "chunks.h"
#include "judge/judge.h"

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

    for (size_t i = 0; trace && i < trace->num_ops; i++)
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
        if (!query_is_own(op->at) &&
            (op->stream == 0 || (!legacy_only && op->stream == own)))
            break;
    return op;
}

/* Did one thread of the host make all launches? */
static bool is_one_thread(const struct trace *trace)
{
    const struct trace_op *op = NULL;
    const struct trace_call *call, *first = NULL;

    while ((op = query_next(trace, QUERY_OF(QUERY_KERNELS), op)) != NULL) {
        call = query_call_of(trace, op);
        first = first ? first : call;
        if (call && call->thread != first->thread)
            return false;
    }
    return first != NULL;
}

/* ---- each run ------------------------------------------------------------ */

/* Whose work was not done at the return: it was not there yet, or the checker
 * saw the driver read it too early. */
static struct finding explain_not_waited(const struct case_run *run)
{
    const struct case_run *const seen = seen_run(run);
    const struct trace *const trace = case_trace(run);
    const struct difference *const found = &seen->difference;
    const bool threads = case_says(run, "run", "threads");
    const bool log = found->wrong > 0 && found->last >= LAST;
    const bool workers = (found->wrong > 0 && found->first < LAST) ||
                         checked_find(&seen->checked, REPORTED(unordered),
                                      "first_kernel", "work_gpu", NULL);
    const struct trace_op *const legacy =
        threads && query_calls(trace, "cudaStreamSynchronize") > 0
            ? find_default(trace, QUERY_KERNELS, true)
            : NULL;

    return mistake_first((struct sign[]){SIGN_AT("not-waited/legacy", legacy),
                                         {threads, "not-waited"},
                                         {!workers, "not-waited/log"},
                                         {log, "not-waited/all"},
                                         {true, "not-waited/streams"}});
}

/*
 * Slow. In a default stream, one worker's copy or kernel stops all the others;
 * with the option that is only the legacy one. Streams made with flags, and
 * still slow, have not that flag.
 */
static struct finding explain_slow(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const bool named = case_says(run, "run", "named");
    const bool made = case_says(run, "run", "non_blocking");
    const bool threads = case_says(run, "run", "threads");
    const bool any = named || made;
    const unsigned streams = query_streams(trace, QUERY_KERNELS);

    return mistake_first((struct sign[]){
        SIGN_AT(any ? "stray-memcpy" : "no-option",
                find_default(trace, QUERY_COPIES, !any)),
        SIGN_AT(any ? "stray-kernel" : "no-option",
                find_default(trace, QUERY_KERNELS, !any)),
        SIGN_AT("memory-in-loop", query_call_between(trace, "cudaMalloc*")),
        {(any || threads) && streams < WORKERS, named  ? "stream-shared/named"
                                                : made ? "stream-shared/made"
                                                       : "stream-shared"},
        {threads && query_calls(trace, "cudaStreamSynchronize") > 0,
         "joined-in-loop"},
        SIGN_AT("sync-in-loop", threads ? NULL : query_wait(trace, true)),
        SIGN_AT("still-blocking",
                made ? query_call(trace, "cudaStreamCreate*") : NULL)});
}

/* Not the library's: the first one is the first worker's. */
static const struct trace_op *next_kernel(const struct trace *trace,
                                          const struct trace_op *op)
{
    do
        op = query_next(trace, QUERY_OF(QUERY_KERNELS), op);
    while (op && query_is_own(op->at));
    return op;
}

/*
 * Wrong, or accesses that nothing orders. On a real GPU, how much is wrong is
 * luck: whatever was not done yet. On the virtual one it is always the same.
 */
static struct finding explain_order(const struct case_run *run)
{
    const struct case_run *const seen = seen_run(run);
    const struct difference *const found = &seen->difference;
    const bool unordered = found->wrong == 0 && seen->checked.hazards > 0;
    const bool only_sum = found->wrong == 1 && found->first == SUM;
    const bool only_log = found->wrong > 0 && found->first >= LAST;
    const bool threads = case_says(run, "run", "threads");
    const bool made = case_says(run, "run", "non_blocking");
    const struct trace_op *const work = next_kernel(case_trace(run), NULL);
    unsigned kernels = 0;

    for (const struct trace_op *op = work; op; kernels++)
        op = next_kernel(case_trace(run), op);
    if (made && (unordered || only_sum))
        return mistake("order-lost");
    if (case_todo_is_open(run))
        return finding_none();
    if (seen->checked.by_driver)
        return explain_not_waited(run);
    if (found->whole_parts && kernels < (threads || made ? 1 : 2) * WORKERS)
        return finding_parts(found);
    return mistake_first((struct sign[]){
        {only_log && run->virtual_run && seen->checked.hazards == 0,
         "log-wrong"},
        {case_says(run, "run", "named") && (unordered || only_log),
         "log-unordered"},
        {found->wrong == 0 && run->wrong_rounds == 0, NULL},
        {work && strcmp(work->block, "64x1x1") != 0, "worker-launch", AT(work)},
        {threads && query_threads_left(case_trace(run)), "not-waited"},
        {found->first < LAST && (threads || found->kinds[0] > 0),
         threads ? "worker-twice" : "worker-twice/streams"}});
}

static struct finding explain(const struct case_run *run, enum ask failed)
{
    if (failed == ASK_RIGHT || failed == ASK_ORDER)
        return explain_order(run);
    return failed == ASK_CLEAN || case_todo_is_open(run) || !case_trace(run)
               ? finding_none()
               : explain_slow(run);
}

/* A kernel for each worker, and one for each note where the log is asked for:
 * what is done at once, or once for all, needs no cure. */
static bool ask_kernels(const struct case_run *run, struct judgement *judgement)
{
    const bool notes = !case_says(run, "run", "threads");
    const unsigned wanted = notes ? 2 * WORKERS : WORKERS;

    return !case_trace(run) ||
           query_count(case_trace(run), QUERY_KERNELS) >= wanted ||
           judge_no(run, judgement, mistake("kernels-merged"),
                    notes ? "right, but not by a kernel for each worker and "
                            "each note"
                          : "right, but not by a kernel for each worker");
}

/* Another run's cure may be as fast here; not so in every program. */
static bool ask_cure(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const bool by_default =
        find_default(trace, QUERY_COPIES | QUERY_KERNELS, false) != NULL;

    if (!trace)
        return true;
    if (by_default && case_says(run, "run", "named"))
        return judge_no(run, judgement, explain_slow(run),
                        "together, but not in named streams");
    if (!by_default && case_says(run, "run", "option"))
        return judge_no(run, judgement, mistake("option-not-needed"),
                        "together, but nothing is in a default stream");
    return !case_says(run, "run", "threads") || !is_one_thread(trace) ||
           judge_no(run, judgement, mistake("stream-shared"),
                    "together, but launched by one thread");
}

/* ---- the rules ----------------------------------------------------------- */

/* The workers' entries, and a note of each for the log; the output has its last
 * line, how many had started, and a sum. */
static const struct case_data workers = {.expect = expect,
                                         .still = "still its input",
                                         .work = case_cipher_work,
                                         .part = "worker",
                                         .part_entries = "each",
                                         .parts = "workers"};

#define SIZES "entries=520 workers=8 each=64 todo="
#define RUN(word, open)                                                        \
    .params = "run=" word " us=400 " SIZES open,                               \
    .params_cuda = "run=" word " us=3000 " SIZES open, .data = &workers,       \
    .checked = true, .timed = true, .explain = explain,                        \
    .asks = LAB_ASKS(JUDGE_ALL, ask_kernels, judge_fast, ask_cure),            \
    .speed = {"serial_ns", "student_ns", "bound_ns", .eta_needed = 0.7}

static const struct lab_case cases[] = {
    {.name = "named streams", .points = 20, RUN("named", "1"), .drawn = true},
    {.name = "non-blocking streams", .points = 25, RUN("non_blocking", "2")},
    {.name = "compiler option", .points = 20, RUN("option", "3")},
    {.name = "part two: host threads", .points = 30, RUN("threads", "5")},
};

LAB_RULES(.name = "05_default_stream", .virtual_device = "h200",
          .flags = "--default-stream=per-thread --default-stream=legacy",
          .undone = LAB_UNDONE({"stray-memcpy", LAB_TODO(1)},
                               {"stray-kernel", LAB_TODO(1)}));
