/*
 * 09_cipher_overlap.c: rules of lab 09. A lab of cases: the student's file is
 * a whole program, and the driver calls its parts. One case runs the program's
 * sweep and measures it; others are judged from what that one saw.
 */
#include <string.h>

#include "chunks.h"
#include "cipher.h"

#define TASK  "What to do"
#define PARTS CIPHER_PARTS

/* Names of cases that other code asks for. */
#define EVEN   "even chunks"
#define UNEVEN "uneven chunks"
#define FEW    "fewer entries than streams"
#define LARGE  "large"

/* ---- one run of a program's job ------------------------------------------ */

static struct chunks view(const struct case_run *run, struct trace_facts *trace)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct case_run *const seen = even ? even->virtual_run : NULL;

    memset(trace, 0, sizeof *trace);
    if (seen && seen->traced)
        trace_facts_take(trace, &seen->trace);
    return (struct chunks){
        .entries = case_param(run, "entries"),
        .streams = case_param(run, "streams"),
        .trace = trace,
        .trace_entries = even ? case_param(even, "entries") : 0,
        .trace_streams = even ? case_param(even, "streams") : 0,
        .first_todo = run->evidence->first_todo,
    };
}

static struct finding explain_job(const struct case_run *run)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct chunks_left left = {0};

    if (!cipher_compare_cells(run, &left.host, &left.device))
        return finding_none();
    if (run->virtual_run && run->virtual_run->checked.by_driver)
        return chunks_explain_not_waited(&chunks);
    if (chunks.entries % chunks.streams == 0)
        return chunks_explain_wrong(&chunks, &left);
    return cipher_explain_tail(chunks.entries, chunks.streams, &left.host);
}

static void judge_job(const struct case_run *run, struct judgement *judgement)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);

    if (!judge_right(run, judgement)) {
        judgement->finding = explain_job(run);
        return;
    }
    if (!judge_order(run, judgement)) {
        judgement->finding =
            chunks_explain_order(&chunks, &run->virtual_run->checked);
        return;
    }
    if (trace.there && trace.kernels == 0) {
        judge_fail(judgement, chunks_explain_slow(&chunks), "no kernel ran");
        return;
    }
    judge_pass(judgement, "%llu entries, %llu streams%s",
               (unsigned long long)chunks.entries,
               (unsigned long long)chunks.streams,
               run->virtual_run ? ", no hazard" : "");
}

/* ---- a program that did not return --------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const bool invalid =
        strcmp(run->error.name, "cudaErrorInvalidValue") == 0 ||
        strcmp(run->error.name, "cudaErrorInvalidConfiguration") == 0 ||
        run->fault.length > 0 || run->late[0] != '\0';
    struct finding found = cipher_explain_free(run);

    if (found.id)
        return found;
    if (invalid &&
        (case_is(run, UNEVEN) || case_is(run, FEW) || case_is(run, LARGE)))
        return mistake("past-the-end");
    return chunks_explain_end(run);
}

/* ---- clean --------------------------------------------------------------- */

static void judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    static const char *const names[] = {EVEN, UNEVEN};

    for (size_t i = 0; i < 2; i++) {
        const struct case_run *const other = case_other(run, names[i]);

        if (other && other->ran &&
            !cipher_judge_tidy(other, judgement, "leak/destroy"))
            return;
    }
    judge_pass(judgement, "all memory, streams and events given back");
}

/* ---- large --------------------------------------------------------------- */

static void judge_large(const struct case_run *run, struct judgement *judgement)
{
    if (case_fact(run, "best") < 1 || case_fact(run, "best") > 1024) {
        judge_fail(judgement, mistake("sweep-returns-nothing"), "%lld streams",
                   (long long)case_fact(run, "best"));
        return;
    }
    if (judge_right(run, judgement))
        judge_pass(judgement, "%llu entries, as many streams as the sweep says",
                   (unsigned long long)case_param(run, "entries"));
}

/* ---- the program's own clock --------------------------------------------- */

static void judge_timer(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);

    cipher_judge_timer(judgement, (double)case_fact(large, "timer_ns"),
                       (double)case_fact(large, "student_ns"), 0.2,
                       mistake("timer-too-early"));
}

/* ---- the sweep ----------------------------------------------------------- */

static struct finding explain_table(const struct case_run *run,
                                    const struct cipher_table *table)
{
    if (run->evidence->first_todo > 0)
        return finding_open_todo(run->evidence);
    if (table->rows == 0)
        return mistake("no-table");
    return mistake_with("short-table", "rows=%u\nmost_streams=%llu",
                        table->rows, table->most_streams);
}

/* Rows that nobody measured are quickly printed. One stream is never faster
 * than the phases one after the other, and the best row is the program's own
 * time once more. */
static bool judge_rows(const struct case_run *large,
                       const struct cipher_table *table,
                       struct judgement *judgement)
{
    const double noise = large->backend == BACKEND_VGPU ? 0.05 : 0.3;
    const double serial_ms =
        (double)(case_fact(large, "h2d_ns") + case_fact(large, "kernel_ns") +
                 case_fact(large, "d2h_ns")) /
        1e6;
    const double timer_ms = (double)case_fact(large, "timer_ns") / 1e6;
    const unsigned long long best =
        (unsigned long long)case_fact(large, "best");
    const double one_ms = cipher_table_ms(table, 1, 1);
    const double best_ms = cipher_table_ms(table, 1, best);
    const bool early = one_ms < (1 - 3 * noise) * serial_ms;

    if (!early && (timer_ms <= 0 || (best_ms > (1 - noise) * timer_ms &&
                                     best_ms < (1 + noise) * timer_ms)))
        return true;
    judge_fail(judgement,
               mistake_with("sweep-does-not-measure",
                            "best_ms=%.3f\nbest=%llu\ns=%s\ntimer_ms=%.3f",
                            early ? one_ms : best_ms, early ? 1 : best,
                            early || best == 1 ? "" : "s",
                            early ? serial_ms : timer_ms),
               "%u rows", table->rows);
    return false;
}

static void judge_sweep(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const unsigned long long best =
        (unsigned long long)case_fact(large, "best");
    struct cipher_table table;

    cipher_table_read(&table, text_string(&large->printed), false);
    if (table.rows < 5 || table.most_streams < 32 ||
        cipher_table_ms(&table, 1, 1) == 0) {
        judge_fail(judgement, explain_table(run, &table),
                   "%u row%s, up to %llu stream%s", table.rows,
                   table.rows == 1 ? "" : "s", table.most_streams,
                   table.most_streams == 1 ? "" : "s");
        return;
    }
    if (cipher_table_ms(&table, 1, best) == 0 ||
        cipher_table_ms(&table, 1, best) > 1.02 * table.row[table.best].ms) {
        judge_fail(judgement,
                   mistake_with("not-the-fastest", "best=%llu\nstreams=%llu",
                                best, table.row[table.best].streams),
                   "%u rows", table.rows);
        return;
    }
    if (!judge_rows(large, &table, judgement))
        return;
    judge_pass(judgement, "%u rows, best with %llu stream%s", table.rows, best,
               best == 1 ? "" : "s");
}

/* ---- fast ---------------------------------------------------------------- */

static struct finding explain_speed(const struct case_run *run)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct finding found;

    if (run->evidence->first_todo > 0 &&
        (trace.pageable > 0 || trace.kernels == 1))
        return finding_open_todo(run->evidence);
    if (trace.kernels == 1)
        return mistake("one-piece");
    if (trace.pageable > 0)
        return mistake("pageable-memory");
    found = chunks_explain_slow(&chunks);
    if (found.id == NULL)
        return mistake_with(
            "bad-number", "best=%lld",
            (long long)case_fact(case_other(run, LARGE), "best"));
    return found;
}

/* Below that, the fixed costs of small copies on a virtual device with a fast
 * link hide the overlap. */
enum { SHORT_COPY_NS = 250000 };

static void judge_fast(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const struct judge_speed times = cipher_speed(large, 0.85);
    const double h2d = (double)case_fact(large, "h2d_ns");

    if (run->backend == BACKEND_VGPU && h2d < SHORT_COPY_NS) {
        judge_pass(judgement,
                   "not gradable for speed here: a copy of all "
                   "entries takes %.3f ms only",
                   h2d / 1e6);
        return;
    }
    if (!judge_speed(run, judgement, &times) && judgement->finding.id == NULL)
        judgement->finding = explain_speed(run);
}

/* ---- the rules ----------------------------------------------------------- */

#define ENTRIES(n) ((n) * sizeof(uint64_t))

/* As in lab 08, the slow link of a K20 shows on few MiB what a fast one shows
 * on many: enough that the best of the sweep is well above the needed eta, and
 * little enough that the processor runs seven times as much in 2 s. */
#define LARGE_VGPU (3 * (1 << 18) - 5)
#define LARGE_CUDA ((1 << 25) - 5)

static const struct lab_case cases[] = {
    {.name = EVEN,
     .points = 10,
     .params = "job=decrypt entries=7000 streams=7 iters=12",
     .input_bytes = 2 * ENTRIES(7000),
     .output_bytes = 2 * ENTRIES(7000),
     .checked = true,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = judge_job},
    {.name = UNEVEN,
     .points = 10,
     .params = "job=decrypt entries=10007 streams=16 iters=12",
     .input_bytes = 2 * ENTRIES(10007),
     .output_bytes = 2 * ENTRIES(10007),
     .checked = true,
     .needs = EVEN,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = judge_job},
    {.name = FEW,
     .points = 5,
     .params = "job=decrypt entries=10 streams=7 iters=12",
     .input_bytes = 2 * ENTRIES(10),
     .output_bytes = 2 * ENTRIES(10),
     .needs = EVEN,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = judge_job},
    {.name = "called again",
     .points = 5,
     .params = "job=decrypt entries=1000 streams=4 iters=12 again=1",
     .input_bytes = 2 * ENTRIES(1000),
     .output_bytes = 2 * ENTRIES(1000),
     .needs = EVEN,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = judge_job},
    {.name = "clean",
     .points = 10,
     .params = "job=none",
     .needs = EVEN,
     .judge = judge_tidy},
    {.name = LARGE,
     .points = 5,
     .params = "job=large entries=786427 streams=16",
     .params_cuda = "job=large entries=33554427 streams=32",
     .input_bytes = ENTRIES(LARGE_VGPU),
     .output_bytes = ENTRIES(LARGE_VGPU),
     .input_bytes_cuda = ENTRIES(LARGE_CUDA),
     .output_bytes_cuda = ENTRIES(LARGE_CUDA),
     .drawn = true,
     .sweep = "job=point entries=786427",
     .sweep_cuda = "job=point entries=33554427",
     .needs = EVEN,
     .seconds = 60,
     .compare = cipher_compare_large,
     .work = case_cipher_work,
     .judge = judge_large},
    {.name = "timer",
     .points = 10,
     .params = "job=none",
     .needs = LARGE,
     .judge = judge_timer},
    {.name = "sweep",
     .points = 10,
     .params = "job=none",
     .needs = LARGE,
     .judge = judge_sweep},
    {.name = "fast",
     .points = 25,
     .params = "job=none",
     .needs = LARGE,
     .judge = judge_fast},
    {.name = "program",
     .points = 5,
     .params = "job=main",
     .needs = EVEN,
     .judge = cipher_judge_program},
};

static const struct lab_rules lab_09 = {
    .name = "09_cipher_overlap",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .explain_end = explain_end,
};

LAB_RULES(lab_09);
