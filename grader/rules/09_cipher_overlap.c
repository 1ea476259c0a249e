/*
 * 09_cipher_overlap.c: rules of lab 09. The student's file is a whole program,
 * and the driver calls its parts. One case runs the program's sweep and
 * measures it; others are judged from what that one saw.
 */
#include <inttypes.h>
#include <string.h>

#include "cipher.h"

/* Names of cases that other code asks for. */
#define EVEN   "even chunks"
#define UNEVEN "uneven chunks"
#define FEW    "fewer entries than streams"
#define LARGE  "large"

/* What goes wrong is explained by the trace of the even chunks. */
static struct chunks view(const struct case_run *run, struct trace_facts *trace)
{
    const struct case_run *const even = case_other(run, EVEN);

    return cipher_view(run, even ? even->virtual_run : NULL, trace);
}

/* ---- one run of a program's job ------------------------------------------ */

/* Where the chunks are of one size, each operation can be told from what the
 * buffers hold; elsewhere what is new is the last chunk. */
static struct finding explain_job(const struct case_run *run, enum ask failed)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct chunks_left left = {0};

    if (failed == ASK_ORDER)
        return chunks_explain_order(&chunks, &run->virtual_run->checked);
    if (!cipher_compare_cells(run, &left.host, &left.device))
        return finding_none();
    if (run->virtual_run && run->virtual_run->checked.by_driver)
        return chunks_explain_not_waited(&chunks);
    if (chunks.entries % chunks.streams == 0)
        return chunks_explain_wrong(&chunks, &left);
    return cipher_explain_tail(chunks.entries, chunks.streams, &left.host);
}

/* Right without a kernel: nothing that follows would mean anything. */
static bool judge_kernels(const struct case_run *run,
                          struct judgement *judgement)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);

    return !trace.there || trace.kernels > 0 ||
           judge_no(run, judgement, chunks_explain_slow(&chunks),
                    "no kernel ran");
}

static struct finding explain_end(const struct case_run *run)
{
    const struct finding found = cipher_explain_free(run);

    if (found.id)
        return found;
    /* It all went well where no chunk was shorter than the others. */
    if (cipher_is_outside(run) &&
        (case_is(run, UNEVEN) || case_is(run, FEW) || case_is(run, LARGE)))
        return mistake("past-the-end");
    return chunks_explain_end(run);
}

/* Only these two ran under the checker. */
static bool judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct case_run *const uneven = case_other(run, UNEVEN);

    return (!even || !even->ran ||
            cipher_judge_tidy(even, judgement, "leak/destroy")) &&
           (!uneven || !uneven->ran ||
            cipher_judge_tidy(uneven, judgement, "leak/destroy"));
}

/* ---- the sweep, and the number of streams that it chose ------------------ */

/* With a number that cannot be, the driver ends behind the sweep. */
static void judge_large(const struct case_run *run, struct judgement *judgement)
{
    if (case_fact(run, "best") < 1 || case_fact(run, "best") > 1024)
        judge_no(run, judgement, mistake("sweep-returns-nothing"),
                 "{best} streams");
    else
        judge_row(run, judgement);
}

static struct finding explain_table(const struct case_run *run,
                                    const struct cipher_table *table)
{
    if (table->rows == 0)
        return finding_todo_or(run, mistake("no-table"));
    return finding_todo_or(run, mistake_with("short-table",
                                             "rows=%u\nmost_streams=%" PRIu64,
                                             table->rows, table->most_streams));
}

/* Rows that nobody measured are quickly printed. One stream is never faster
 * than the phases one after the other, and the best row is the program's own
 * time once more. */
static struct finding explain_rows(const struct case_run *large,
                                   const struct cipher_table *table)
{
    const double serial_ms =
        (double)(case_fact(large, "h2d_ns") + case_fact(large, "kernel_ns") +
                 case_fact(large, "d2h_ns")) /
        1e6;
    const double timer_ms = (double)case_fact(large, "timer_ns") / 1e6;
    const uint64_t best = (uint64_t)case_fact(large, "best");
    const double one_ms = cipher_table_ms(table, 1, 1);
    const double best_ms = cipher_table_ms(table, 1, best);
    const double noise = large->backend == BACKEND_VGPU ? 0.05 : 0.3;
    const bool early = one_ms < (1 - 3 * noise) * serial_ms;

    if (!early &&
        (timer_ms <= 0 || cipher_table_says(large, best_ms, timer_ms)))
        return finding_none();
    return mistake_with("sweep-does-not-measure",
                        "table_ms=%.3f\nstreams=%" PRIu64 "\nmeasured_ms=%.3f",
                        early ? one_ms : best_ms, early ? 1 : best,
                        early ? serial_ms : timer_ms);
}

/* Enough rows must be there before the fastest of them counts. */
static void judge_sweep(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const uint64_t best = (uint64_t)case_fact(large, "best");
    struct cipher_table table;
    struct finding found;
    double best_ms;

    cipher_table_read(&table, text_string(&large->printed), false);
    best_ms = cipher_table_ms(&table, 1, best);
    found = explain_rows(large, &table);
    if (table.rows < 5 || table.most_streams < 32 ||
        cipher_table_ms(&table, 1, 1) == 0)
        judge_fail(judgement, explain_table(run, &table),
                   "%u row%s, up to %" PRIu64 " stream%s", table.rows,
                   table.rows == 1 ? "" : "s", table.most_streams,
                   table.most_streams == 1 ? "" : "s");
    else if (best_ms == 0 || best_ms > 1.02 * table.row[table.best].ms)
        judge_fail(judgement,
                   mistake_with("not-the-fastest",
                                "best=%" PRIu64 "\nfastest=%" PRIu64, best,
                                table.row[table.best].streams),
                   "%u rows", table.rows);
    else if (found.id)
        judge_fail(judgement, found, "%u rows", table.rows);
    else
        judge_pass(judgement, "%u rows, best with %" PRIu64 " stream%s",
                   table.rows, best, best == 1 ? "" : "s");
}

/* ---- times --------------------------------------------------------------- */

static void judge_timer(const struct case_run *run, struct judgement *judgement)
{
    cipher_judge_timer(case_other(run, LARGE), judgement, 0.2,
                       "timer-too-early");
}

static struct finding explain_speed(const struct case_run *run, enum ask failed)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct finding found;

    if (failed != ASK_SPEED)
        return finding_none();
    if (trace.kernels == 1)
        return finding_todo_or(run, mistake("one-piece"));
    if (trace.pageable > 0)
        return finding_todo_or(run, mistake("pageable-memory"));
    found = chunks_explain_slow(&chunks);
    if (found.id)
        return found;
    return mistake_with("bad-number", "best=%" PRId64,
                        case_fact(case_other(run, LARGE), "best"));
}

static bool judge_gradable(const struct case_run *large,
                           struct judgement *judgement)
{
    return cipher_is_gradable(
        large, judgement, "h2d_ns",
        "not gradable for speed here: a copy of all entries takes "
        "{h2d_ns:ms} ms only");
}

/* ---- the rules ----------------------------------------------------------- */

#define JOB                                                                    \
    .data = &cipher_job_data, .judge = cipher_judge_job,                       \
    .asks = ASK_RIGHT | ASK_ORDER, .also = judge_kernels,                      \
    .explain = explain_job, .passed = "{entries} entries, {streams} streams"
/* Nothing is run: judged is what another case saw. */
#define SEEN .params = "job=none", .asks = ASK_RIGHT

static const struct lab_case cases[] = {
    {.name = EVEN,
     .points = 10,
     .params = "job=decrypt entries=7000 streams=7 iters=12",
     .checked = true,
     JOB},
    {.name = UNEVEN,
     .points = 10,
     .params = "job=decrypt entries=10007 streams=16 iters=12",
     .checked = true,
     .needs = EVEN,
     JOB},
    {.name = FEW,
     .points = 5,
     .params = "job=decrypt entries=10 streams=7 iters=12",
     .needs = EVEN,
     JOB},
    {.name = "called again",
     .points = 5,
     .params = "job=decrypt entries=1000 streams=4 iters=12 again=1",
     .needs = EVEN,
     JOB},
    {.name = "clean",
     .points = 10,
     .needs = EVEN,
     SEEN,
     .also = judge_tidy,
     .passed = "all memory, streams and events given back"},
    /* As in lab 08, the slow link of a K20 shows on few MiB what a fast one
     * shows on many: enough that the best of the sweep is well above the needed
     * eta, and little enough that the processor runs seven times as much in
     * 2 s. */
    {.name = LARGE,
     .points = 5,
     .params = "job=large entries=786427 streams=16",
     .params_cuda = "job=large entries=33554427 streams=32",
     .data = &cipher_large_data,
     .drawn = true,
     .sweep = "job=point entries=786427",
     .sweep_cuda = "job=point entries=33554427",
     .needs = EVEN,
     .seconds = 60,
     .judge = judge_large,
     .asks = ASK_RIGHT,
     .passed = "{entries} entries, as many streams as the sweep says"},
    {.name = "timer", .points = 10, .needs = LARGE, SEEN, .judge = judge_timer},
    {.name = "sweep", .points = 10, .needs = LARGE, SEEN, .judge = judge_sweep},
    {.name = "fast",
     .points = 25,
     .needs = LARGE,
     .of = LAB_CASES(LARGE),
     .asks = ASK_ALSO,
     .also = judge_gradable,
     .speed = {"h2d_ns+kernel_ns+d2h_ns", "student_ns", "kernel_ns|both_ns",
               "h2d_ns|d2h_ns", 0.85},
     .explain = explain_speed},
    {.name = "program",
     .points = 5,
     .params = "job=main",
     .needs = EVEN,
     .asks = ASK_RIGHT,
     .also = cipher_judge_program,
     .passed = "main decrypts and finds no wrong entry"},
};

LAB_RULES(.name = "09_cipher_overlap", .explain_end = explain_end);
