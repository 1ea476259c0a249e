/*
 * 18_reading_a_profile.c: rules of lab 18. Three recorded runs, of which the
 * student names fault, evidence and line; then the lines of a program that are
 * said to be wrong, and that program, mended.
 *
 * What is true of a recorded run is asked of the run: of the trace that its
 * picture is drawn from, and of its source. So neither can change and leave the
 * other behind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tools.h"
#include "cipher.h"
#include "cipher_entry.h"
#include "number.h"
#include "trace_read.h"

#define SPARE "more chunks than needed"
#define NONE  "no entries"

/* ---- the recorded runs --------------------------------------------------- */

/* As in lab.h: those of the three runs, and how many there are. */
enum fault {
    FAULT_OPEN,
    FAULT_PAGEABLE_MEMORY,
    FAULT_DEFAULT_STREAM = 3,
    FAULT_WAIT_TOO_EARLY = 5,
    NUM_FAULTS = 10
};
enum row { ROW_OPEN, ROW_HOST, ROW_H2D, ROW_KERNELS, ROW_D2H, NUM_ROWS };

/* A mistaken fault, and what its picture would show and this one does not. */
static const char *const denied[NUM_FAULTS] = {
    NULL,
    "fault-denied/pageable-memory",
    "fault-denied/blocking-copy",
    "fault-denied/default-stream",
    "fault-denied/one-stream",
    "fault-denied/wait-too-early",
    "fault-denied/needless-event",
    "fault-denied/chunks-too-small",
    "fault-denied/slow-kernel",
    "fault-denied/one-copy-engine",
};

/* What a line of a program does, by the first of these words in it. */
enum sort { SORT_NONE, SORT_TAKES, SORT_QUEUES, SORT_WAITS, SORT_OTHER };
static const struct {
    const char *word;
    enum sort sort;
} sorts[] = {
    {"host_array(", SORT_TAKES},  {"cudaMalloc", SORT_TAKES},
    {"Async(", SORT_QUEUES},      {"<<<", SORT_QUEUES},
    {"cudaMemset(", SORT_QUEUES}, {"Synchronize(", SORT_WAITS},
    {"CHECK(", SORT_OTHER},
};

/* Of each run: a word of its line alone, and words for others of its sort. */
static const struct recorded {
    char name;
    enum fault fault;
    const char *line;
    enum sort sort;
    const char *innocent;
} recorded[] = {
    {'a', FAULT_PAGEABLE_MEMORY, "host_array(", SORT_TAKES,
     "line-innocent/memory"},
    {'b', FAULT_DEFAULT_STREAM, "count_even_gpu<<<", SORT_QUEUES,
     "line-innocent/stream"},
    {'c', FAULT_WAIT_TOO_EARLY, "cudaStreamSynchronize(", SORT_WAITS,
     "line-innocent/wait"},
};

/* An answer, and the run that it is of. */
struct reading {
    const struct recorded *run;
    struct trace trace;
    struct out source;
    int64_t fault, row, at_ns, line;
    int64_t end_ns; /* of the last call, which waits for everything */
};

static bool read_recorded(struct reading *reading, const struct case_run *run)
{
    const struct grade_job *const job = run->evidence->job;
    OWNED char *const path =
        text_format("%s/labs/%s/", job->tools->root, job->lab->name);
    OWNED char *const source =
        text_format("%srun_%c.cu", path, reading->run->name);
    OWNED char *const trace =
        text_format("%sfigures/run_%c.trace", path, reading->run->name);
    struct trace_error error;
    const bool read =
        text_read_file(&reading->source, source, 1 << 20) &&
        trace_read(trace, false, &reading->trace, &error) == TRACE_OK &&
        reading->trace.num_calls > 0;

    if (read)
        reading->end_ns =
            (int64_t)reading->trace.calls[reading->trace.num_calls - 1].end_ns;
    return read;
}

/* ---- where it shows ------------------------------------------------------ */

enum { SHORT_CALL_NS = 20000, READ_OFF_NS = 2000 };

/* What the host is in at that time. */
static struct finding find_call(const struct reading *reading)
{
    const struct trace_call *call = reading->trace.calls;
    const struct trace_call *const end = call + reading->trace.num_calls;
    const char *const holding = reading->run->fault == FAULT_PAGEABLE_MEMORY
                                    ? "cudaMemcpyAsync"
                                    : "cudaStreamSynchronize";

    while (call < end && (reading->at_ns < (int64_t)call->start_ns ||
                          reading->at_ns >= (int64_t)call->end_ns))
        call++;
    if (call == end)
        return mistake("evidence-gap");
    return mistake_first((struct sign[]){
        {call->end_ns - call->start_ns < SHORT_CALL_NS, "evidence-short"},
        {strcmp(call->name, "cudaDeviceSynchronize") == 0,
         "evidence-final-wait"},
        {strcmp(call->name, holding) != 0, "evidence-other"}});
}

static bool shows(const struct trace_op *op, enum fault fault)
{
    return (fault == FAULT_PAGEABLE_MEMORY && op->mem == TRACE_MEM_PAGEABLE) ||
           (fault == FAULT_DEFAULT_STREAM && op->kind == TRACE_KIND_KERNEL &&
            op->stream == 0);
}

/* What a picture shows in a row then: of neighbours what shows the fault. */
static struct finding find_op(const struct reading *reading)
{
    static const enum trace_engine engines[NUM_ROWS] = {
        [ROW_H2D] = TRACE_ENGINE_H2D,
        [ROW_KERNELS] = TRACE_ENGINE_SM,
        [ROW_D2H] = TRACE_ENGINE_D2H};
    const enum fault fault = reading->run->fault;
    const struct trace_op *found = NULL;

    for (size_t i = 0; i < reading->trace.num_ops; i++) {
        const struct trace_op *const op = &reading->trace.ops[i];

        if (op->engine == engines[reading->row] &&
            (int64_t)op->start_ns - READ_OFF_NS <= reading->at_ns &&
            reading->at_ns < (int64_t)op->end_ns + READ_OFF_NS &&
            (!found || shows(op, fault)))
            found = op;
    }
    return mistake_first((struct sign[]){
        {!found, "evidence-gap"},
        {found && shows(found, fault), NULL},
        {found && found->kind == TRACE_KIND_KERNEL, "longest-bar"},
        {true, "evidence-other"}});
}

/* ---- which line ---------------------------------------------------------- */

enum { LINE_LENGTH = 100 };

/* Return: false where there is no such line. */
static bool take_line(const struct reading *reading, char line[LINE_LENGTH])
{
    const char *at = text_string(&reading->source);

    for (int64_t i = 1; at && i < reading->line; i++)
        if ((at = strchr(at, '\n')) != NULL)
            at++;
    if (!at || !*at || reading->line < 1)
        return false;
    snprintf(line, LINE_LENGTH, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

static struct finding find_line(const struct reading *reading)
{
    const struct recorded *const run = reading->run;
    char line[LINE_LENGTH];
    enum sort sort = SORT_NONE;

    if (!take_line(reading, line))
        return mistake("no-such-line");
    for (size_t i = 0; sort == SORT_NONE && i < sizeof sorts / sizeof *sorts;
         i++)
        if (strstr(line, sorts[i].word))
            sort = sorts[i].sort;
    return mistake_first(
        (struct sign[]){{strstr(line, run->line), NULL},
                        {sort == SORT_NONE, "line-calls-nothing"},
                        {sort == run->sort, run->innocent},
                        {sort == SORT_QUEUES, "symptom-for-cause"},
                        {true, "line-other"}});
}

/* ---- an answer ----------------------------------------------------------- */

/* Where there is nothing, nothing is shown of any fault. */
static struct finding find_wrong(const struct reading *reading)
{
    const int64_t fault = reading->fault, row = reading->row;
    struct finding found;

    if (fault <= FAULT_OPEN || fault >= NUM_FAULTS || row <= ROW_OPEN ||
        row >= NUM_ROWS)
        return mistake("answer-missing");
    if (reading->at_ns < 0 || reading->at_ns >= reading->end_ns)
        return mistake("evidence-outside");
    found = row == ROW_HOST ? find_call(reading) : find_op(reading);
    if (fault != (int64_t)reading->run->fault &&
        !finding_is(&found, "evidence-gap"))
        return mistake(denied[fault]);
    return found.id ? found : find_line(reading);
}

/* All three have to be right: fault, evidence and line. */
static bool ask_answer(const struct case_run *run, struct judgement *judgement)
{
    struct reading reading = {.run = &recorded[case_param(run, "run")],
                              .fault = case_fact(run, "fault"),
                              .row = case_fact(run, "row"),
                              .at_ns = case_fact(run, "at_ns"),
                              .line = case_fact(run, "line")};
    const bool read = read_recorded(&reading, run);
    struct finding found = read ? find_wrong(&reading) : finding_none();
    const bool right = read && !found.id;

    if (!right) {
        found = mistake_with(case_todo_is_open(run) ? NULL : found.id,
                             "name=run_%c\nend_ns=%lld", reading.run->name,
                             (long long)reading.end_ns);
        judge_no(run, judgement, found,
                 read ? "fault, evidence and line do not agree with the run"
                      : "the recorded run is not there");
    }
    tl_out_free(&reading.source);
    trace_free(&reading.trace);
    return right;
}

/* ---- the marked lines ---------------------------------------------------- */

/* The numbers in front of the program's lines. What else they do than to say
 * where a chunk is; of those that are wrong, what a student sees of it. */
enum { NUM_LINES = 17, NUM_MISTAKES = 5 };
static const char *const lines[NUM_LINES + 1] = {
    [1] = "mark-missing/time",     [2] = "mark-innocent/follows",
    [5] = "mark-innocent/copy",    [6] = "mark-missing/order",
    [7] = "mark-missing/time",     [8] = "mark-innocent/event",
    [9] = "mark-innocent/copy",    [10] = "mark-missing/result",
    [15] = "mark-innocent/queues", [16] = "mark-missing/time",
    [17] = "mark-innocent/wait",
};

static bool is_mistake(int64_t line)
{
    return lines[line] && strncmp(lines[line], "mark-missing", 12) == 0;
}

static struct finding find_mark(const struct case_run *run)
{
    bool marked[NUM_LINES + 1] = {false};

    for (unsigned i = 0; i < NUM_MISTAKES; i++) {
        const int64_t line = case_numbered_fact(run, "mark", i);
        const char *const wrong =
            line < 0 || line > NUM_LINES ? "no-such-mark"
            : line > 0 && !is_mistake(line)
                ? (lines[line] ? lines[line] : "mark-innocent/place")
            : marked[line] && line > 0 ? "mark-twice"
                                       : NULL;

        if (wrong)
            return mistake_with(wrong, "line=%lld", (long long)line);
        marked[line] = true;
    }
    for (int line = 1; line <= NUM_LINES; line++)
        if (is_mistake(line) && !marked[line])
            return mistake(lines[line]);
    return finding_none();
}

static bool ask_marks(const struct case_run *run, struct judgement *judgement)
{
    const struct finding found = find_mark(run);

    return !found.id ||
           judge_no(run, judgement,
                    case_todo_is_open(run) ? finding_none() : found,
                    "these are not the five lines");
}

/* ---- the mended program -------------------------------------------------- */

/* The first record, where it comes ahead of the first kernel. */
static const struct trace_call *find_early(const struct trace *trace)
{
    const struct trace_op *const kernel = query_first(trace, QUERY_KERNELS);
    const struct trace_call *const record =
        query_call(trace, "cudaEventRecord*");

    return record && kernel && record->id < kernel->call ? record : NULL;
}

/* Is a kernel in another stream than the copy in that was queued before it? */
static bool is_split(const struct trace *trace)
{
    const struct trace_op *kernel = NULL, *op, *copy;

    while ((kernel = query_next(trace, QUERY_OF(QUERY_KERNELS), kernel))) {
        for (op = copy = NULL;
             (op = query_next(trace, QUERY_OF(QUERY_IN), op)) != NULL;)
            if (op->call < kernel->call && (!copy || op->call > copy->call))
                copy = op;
        if (copy && copy->stream != kernel->stream)
            return true;
    }
    return false;
}

/* What the start of the results holds, and that of the second chunk. */
static struct finding find_offset(const struct case_run *run)
{
    const uint64_t n = run->difference.count;
    const uint64_t iters = case_param(run, "iters");
    const uint64_t chunk = div_up(n, case_param(run, "chunks"));
    const uint64_t *const input = run->input, *const output = run->output;

    if (run->wrong_rounds == 0 || chunk >= n)
        return finding_none();
    return mistake_first((struct sign[]){
        {output[0] == decrypt_entry(input[(n - 1) / chunk * chunk], iters),
         "copy-back-host-offset"},
        {output[chunk] == decrypt_entry(input[0], iters),
         "copy-in-host-offset"}});
}

/* First what is not in order, since that alone explains any entry. */
static struct finding explain_wrong(const struct case_run *run)
{
    const struct difference *const found = &run->difference;
    const struct checked *const seen = case_checked(run);
    const bool back = cipher_has_hazard(run, DONE_BY(kernel), DONE_BY(d2h));
    const struct trace_call *const early =
        back ? find_early(case_trace(run)) : NULL;
    const uint64_t tail = found->count % case_param(run, "chunks");
    const struct trace *const trace = case_trace(run);
    const struct finding offset = find_offset(run);
    const bool zero =
        strcmp(found->around[1] ? found->around[1] : "", "zero") == 0;

    return mistake_first((struct sign[]){
        SIGN_AT("recorded-early", early),
        {cipher_has_hazard(run, DONE_BY(h2d), DONE_BY(kernel)),
         is_split(trace) ? "in-unordered" : "chunks-in-one-place"},
        {back, "back-unordered"},
        {seen->by_driver, "not-waited"},
        {zero &&
             query_bytes(trace, QUERY_BACK) >= found->count * sizeof(uint64_t),
         "results-elsewhere"},
        {zero && tail > 0 && found->wrong == tail &&
             found->first + tail == found->count,
         "tail-left-out"},
        {zero && found->first > 0 &&
             found->first + found->wrong == found->count,
         "chunks-missing"},
        {checked_find(seen, REPORTED(code_dropped) | REPORTED(freed_at_work),
                      "call", "cudaFree", NULL) ||
             strcmp(run->pending, "cudaErrorInvalidValue") == 0,
         "free-mismatch"},
        {trace && !zero && found->wrong && !query_first(trace, QUERY_KERNELS),
         "no-kernel"},
        {offset.id, offset.id},
        {strcmp(found->around[1] ? found->around[1] : "", "still encrypted") ==
             0,
         "kernel-too-short"},
        {cipher_is_other_rounds(run, found->first), "wrong-rounds"}});
}

/* The reason first: pageable memory and the default stream make waits. */
static struct finding explain_slow(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_op *const pageable = query_next(
        trace, &(struct query){.mems = QUERY_MEM(TRACE_MEM_PAGEABLE)}, NULL);
    const struct finding found = trace_explain_slow(trace);

    if (pageable || found.id)
        return pageable ? mistake_at("pageable-results", pageable->at) : found;
    return mistake_first((struct sign[]){
        SIGN_AT("host-sync", query_wait(trace, true)),
        {query_streams(trace, QUERY_KERNELS) == 1, "one-stream"}});
}

static struct finding explain(const struct case_run *run, enum ask failed)
{
    if (case_todo_is_open(run))
        return finding_none();
    return failed == ASK_SPEED ? explain_slow(run) : explain_wrong(run);
}

static struct finding explain_end(const struct case_run *run)
{
    const bool error = run->error.at[0] != '\0' || finding_is_memory(run);

    return mistake_first((struct sign[]){
        {case_is(run, "memory") && error, "free-mismatch"},
        {case_is(run, SPARE) && case_failed(run, "cudaMemcpy*", "InvalidValue"),
         "width-underflow"},
        {strcmp(run->late, "cudaErrorInvalidHostPointer") == 0,
         "pageable-results/not-host"}});
}

static bool ask_pinned(const struct case_run *run, struct judgement *judgement)
{
    return case_fact(run, "pinned") ||
           judge_no(run, judgement,
                    finding_todo_or(run, mistake("pageable-results/memory")),
                    "results_new returns memory that is not pinned");
}

/* ---- ranges -------------------------------------------------------------- */

static const struct trace_range *find_range(const struct trace *trace,
                                            const char *name)
{
    for (size_t i = 0; i < trace->num_ranges; i++)
        if (strcmp(trace->ranges[i].name, name) == 0)
            return &trace->ranges[i];
    return NULL;
}

static bool holds(const struct trace_range *range,
                  const struct trace_call *call)
{
    return call->start_ns >= range->start_ns && call->end_ns <= range->end_ns;
}

/* Where calls take no time, one where both ranges meet may be in either. */
static bool is_between(const struct trace_range *queue,
                       const struct trace_range *wait,
                       const struct trace_call *call)
{
    return queue->end_ns == wait->start_ns && call->start_ns == call->end_ns &&
           call->end_ns == queue->end_ns;
}

static struct finding find_range_mistake(const struct trace *trace)
{
    const struct trace_range *const queue = find_range(trace, "queue");
    const struct trace_range *const wait = find_range(trace, "wait");
    const struct trace_call *call = NULL;
    bool queue_is_right = true, waits = false, queues = false;

    if (trace->num_ranges == 0)
        return mistake("no-ranges");
    if (!queue || !wait)
        return mistake_with("range-missing", "range=%s\nfirst=%.60s",
                            queue ? "wait" : "queue", trace->ranges[0].name);
    while ((call = query_next_call(trace, "cuda*", call)) != NULL) {
        if (is_between(queue, wait, call))
            continue;
        if (query_is_issue(call) || query_is_wait(call))
            queue_is_right &= holds(queue, call) == query_is_issue(call);
        waits |= holds(wait, call) && (query_is_wait(call) ||
                                       text_matches(call->name, "cuda*Query"));
        queues |= query_is_issue(call) && holds(wait, call);
    }
    if (queue_is_right && waits && !queues)
        return finding_none();
    return mistake_with("range-elsewhere", "range=%s",
                        queue_is_right ? "wait" : "queue");
}

/* Without entries there may be no ranges: but none that stays open. On a real
 * GPU nobody counts them, so the run under the checker is asked. */
static bool ask_ranges(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const seen =
        run->virtual_run && run->virtual_run->ran ? run->virtual_run : run;
    const struct trace *const trace = case_trace(run);
    const struct finding found = trace && !case_is(run, NONE)
                                     ? find_range_mistake(trace)
                                     : finding_none();

    if (found.id)
        return judge_no(run, judgement,
                        run->evidence->first_todo > 0 ? finding_none() : found,
                        "the trace does not have the two ranges");
    return case_fact(seen, "ranges_open") <= 0 ||
           judge_no(seen, judgement, mistake("range-left-open"),
                    "with {entries} entries, decrypt_all returns and leaves "
                    "{ranges_open} range{ranges_open:s} open");
}

/* ---- the rules ----------------------------------------------------------- */

#define ANSWER(label, number, open)                                            \
    .name = label, .points = 12,                                               \
    .params = "job=answer run=" number " todo=" open,                          \
    .asks = LAB_ASKS(ask_answer), .passed = "fault, evidence and line"
#define RIGHT(label, worth, sizes)                                             \
    .name = label, .points = worth, .checked = true,                           \
    .params = "job=decrypt iters=12 todo=5 " sizes, .data = &cipher_host_data, \
    .explain = explain, .passed = "in {chunks} chunk{chunks:s}"

static const struct lab_case cases[] = {
    {ANSWER("run a", "0", "1")},
    {ANSWER("run b", "1", "2")},
    {ANSWER("run c", "2", "3")},
    {.name = "five lines",
     .points = 14,
     .params = "job=marks todo=4",
     .asks = LAB_ASKS(ask_marks),
     .passed = "these five"},
    {RIGHT("uneven", 6, "entries=10007 chunks=8 streams=3")},
    {RIGHT(SPARE, 3, "entries=19 chunks=16 streams=3")},
    {RIGHT("one entry", 1, "entries=1 chunks=3..9 streams=2")},
    {RIGHT("fewer chunks than streams", 1, "entries=99 chunks=2 streams=5")},
    {RIGHT(NONE, 1, "entries=0 chunks=4 streams=2")},
    {.name = "memory",
     .points = 5,
     .params = "job=memory entries=1000 chunks=1 todo=5",
     .checked = true,
     .asks = LAB_ASKS(judge_clean, ask_pinned),
     .explain = explain,
     .passed = "pinned, and given back"},
    {.name = "fast",
     .points = 18,
     .params = "job=fast entries=500009 chunks=16 streams=4 most_rounds=1000 "
               "todo=5",
     .params_cuda = "job=fast entries=16777259 chunks=32 streams=4 "
                    "most_rounds=100000 todo=5",
     .seconds = 30,
     .data = &cipher_large_data,
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = "uneven",
     .speed = {"serial_ns", "student_ns", "limit_ns",
               .least = "kernel_ns|both_ns", .eta_needed = 0.6},
     .explain = explain},
    {.name = "ranges",
     .points = 10,
     .of = LAB_CASES(SPARE, NONE),
     .asks = LAB_ASKS(ask_ranges),
     .passed = "\"queue\" and \"wait\""},
};

LAB_RULES(.name = "18_reading_a_profile", .explain_end = explain_end);
