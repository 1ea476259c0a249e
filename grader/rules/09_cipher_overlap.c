/*
 * 09_cipher_overlap.c: rules of lab 09. A lab of cases: the student's file is
 * a whole program, and the driver calls its parts. One case runs the program's
 * sweep and measures it; others are judged from what that one saw.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "cipher_entry.h"
#include "judge.h"

#define TASK  "What to do"
#define PARTS "The parts of the program"
#define CLOCK "Stopping the clock"
#define SWEEP "How many streams?"

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
        .idea = PARTS,
        .task = TASK,
        .entries = case_param(run, "entries"),
        .streams = case_param(run, "streams"),
        .trace = trace,
        .trace_entries = even ? case_param(even, "entries") : 0,
        .trace_streams = even ? case_param(even, "streams") : 0,
        .first_todo = run->evidence->first_todo,
    };
}

/* What is in both buffers: the host's entries first, then the device's. */
static bool compare_cells(const struct case_run *run, struct run_result *result)
{
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t n = case_param(run, "entries");
    struct reference ref = {.entries = n, .iters = case_param(run, "iters")};

    ref.plain = malloc((n + 1) * sizeof *ref.plain);
    if (ref.plain == NULL)
        return false;
    for (uint64_t i = 0; i < n; i++)
        ref.plain[i] = decrypt_entry(input[i], ref.iters);
    ref.cipher = (uint64_t *)input;
    ref.device = (uint64_t *)input + n;
    reference_compare(&ref, output, &result->host);
    reference_compare(&ref, output + n, &result->device);
    free(ref.plain);
    return true;
}

static void compare_job(const struct case_run *run, struct difference *found)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t iters = case_param(run, "iters");
    const uint64_t *const input = run->input;
    uint64_t *const plain = malloc((n + 1) * sizeof *plain);

    for (uint64_t i = 0; plain && i < n; i++)
        plain[i] = decrypt_entry(input[i], iters);
    difference_arrays(
        found, &(struct judge_arrays){.type = JUDGE_U64,
                                      .got = run->output,
                                      .expected = plain,
                                      .count = plain ? n : 0,
                                      .known = {{"still encrypted", input}},
                                      .noun = "entry"});
    free(plain);
}

/* Where a chunk's size was rounded down, the last entries are left out. */
static struct finding explain_tail(const struct chunks *chunks,
                                   const struct run_result *result)
{
    const uint64_t n = chunks->entries, left = n % chunks->streams;

    if (left > 0 && cells_cover(&result->host, CELL_CIPHER, n - left, n))
        return finding_make("floor-division", PARTS,
                            "The last entries are left out: the size of a "
                            "chunk is rounded down. Round up (sdiv), as in "
                            "lab 08.");
    return finding_none();
}

static struct finding explain_job(const struct case_run *run)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct run_result result = {0};
    struct finding found;

    if (!compare_cells(run, &result))
        return finding_none();
    if (run->virtual_run && run->virtual_run->checked.by_driver)
        return chunks_explain_not_waited(&chunks);
    if (chunks.entries % chunks.streams == 0)
        return chunks_explain_wrong(&chunks, &result);
    found = explain_tail(&chunks, &result);
    return found;
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

static bool is_case(const struct case_run *run, const char *name)
{
    return strcmp(run->rules->name, name) == 0;
}

/* free() may crash in many ways on memory that is not its own. */
static bool never_frees_pinned(const struct evidence *evidence)
{
    const char *const source = text_string(&evidence->source);

    return (strstr(source, "cudaMallocHost") ||
            strstr(source, "cudaHostAlloc")) &&
           !strstr(source, "cudaFreeHost");
}

static struct finding explain_free(const struct case_run *run)
{
    if (strncmp(run->error.call, "cudaFree", 8) == 0 ||
        strncmp(run->error.call, "cudaHostUnregister", 18) == 0 ||
        (run->end == CHILD_SIGNALLED && run->code == SIGABRT) ||
        (run->end == CHILD_SIGNALLED && never_frees_pinned(run->evidence)))
        return finding_make("free-mismatch", PARTS,
                            "Something is given back in another way than it "
                            "was taken: cudaMallocHost goes with "
                            "cudaFreeHost, malloc with free.");
    if (strcmp(run->error.name, "cudaErrorInvalidResourceHandle") == 0 ||
        strcmp(run->error.name, "cudaErrorContextIsDestroyed") == 0)
        return finding_make("no-such-stream", PARTS,
                            "%s: this stream was never made, or is destroyed "
                            "already. cipher_create makes `num_streams` of "
                            "them.",
                            run->error.at);
    return finding_none();
}

static struct finding explain_end(const struct case_run *run)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    const bool invalid =
        strcmp(run->error.name, "cudaErrorInvalidValue") == 0 ||
        strcmp(run->error.name, "cudaErrorInvalidConfiguration") == 0 ||
        run->fault.length > 0 || run->late[0] != '\0';
    const struct run_result result = {.end = run->end,
                                      .code = run->code,
                                      .error = run->error,
                                      .fault = run->fault};
    struct finding found = explain_free(run);

    if (found.id)
        return found;
    if (invalid &&
        (is_case(run, UNEVEN) || is_case(run, FEW) || is_case(run, LARGE)))
        return finding_make("past-the-end", PARTS,
                            "A chunk reaches beyond the last entry, or begins "
                            "behind it. The last chunk may be shorter, and a "
                            "stream may get none: lab 08 is about that.");
    return chunks_explain_end(&chunks, &result);
}

/* ---- clean --------------------------------------------------------------- */

/* Pageable memory is warned of as well: that is a matter of speed. */
static bool judge_tidy_run(const struct case_run *run,
                           struct judgement *judgement)
{
    const struct case_run *const seen = run->virtual_run;
    const char *const line =
        seen ? checked_find(&seen->checked, "warning", "text", "never", NULL)
             : NULL;
    struct text words = {0};

    if (run->pending[0] || run->late[0])
        return judge_clean(run, judgement);
    if (line == NULL)
        return true;
    report_take_place(&words, line, "at");
    text_printf(&words, ": ");
    report_take_field(&words, line, "text");
    judge_fail(judgement,
               finding_make("leak", PARTS,
                            "cipher_destroy must give back all that "
                            "cipher_create takes, and every other function "
                            "what it takes itself."),
               "%s", text_string(&words));
    text_free(&words);
    return false;
}

static void judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    static const char *const names[] = {EVEN, UNEVEN};

    for (size_t i = 0; i < 2; i++) {
        const struct case_run *const other = case_other(run, names[i]);

        if (other && other->ran && !judge_tidy_run(other, judgement))
            return;
    }
    judge_pass(judgement, "all memory, streams and events given back");
}

/* ---- large --------------------------------------------------------------- */

enum { SAMPLES = 1 << 16 };

/* Decrypting all of it once more would take the grader longer than the GPU:
 * every entry of a sample that is spread over the array. */
static void compare_large(const struct case_run *run, struct difference *found)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t iters = (uint64_t)case_fact(run, "rounds");
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t step = n / SAMPLES + 1;

    found->noun = "entry";
    found->count = n;
    if (!case_has(run, "student_ns"))
        return;
    for (uint64_t i = 0; i < n; i += i + step < n ? step : n - i) {
        if (output[i] == decrypt_entry(input[i], iters))
            continue;
        if (found->wrong++ == 0)
            found->first = i;
        found->last = i;
        found->around[1] = output[i] == input[i] ? "still encrypted" : "wrong";
    }
}

static void judge_large(const struct case_run *run, struct judgement *judgement)
{
    if (case_fact(run, "best") < 1 || case_fact(run, "best") > 1024) {
        judge_fail(judgement,
                   finding_make("sweep-returns-nothing", SWEEP,
                                "cipher_sweep returns %lld: it must return "
                                "the number of streams that was fastest.",
                                (long long)case_fact(run, "best")),
                   "%lld streams", (long long)case_fact(run, "best"));
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
    const double own = (double)case_fact(large, "timer_ns") / 1e6;
    const double ours = (double)case_fact(large, "student_ns") / 1e6;

    if (own >= 0.8 * ours && own <= 1.2 * ours)
        judge_pass(judgement, "%.3f ms, the grader's clock says %.3f ms", own,
                   ours);
    else if (own < 0.8 * ours)
        judge_fail(judgement,
                   finding_make("timer-too-early", CLOCK,
                                "The timer does not cover all of the work: it "
                                "must start before the first copy, and stop "
                                "when the last stream is done."),
                   "%.3f ms, the grader's clock says %.3f ms", own, ours);
    else
        judge_fail(judgement,
                   finding_make("timer-wrong", CLOCK,
                                "The time is too long: is it in milliseconds, "
                                "and is only the work between start and "
                                "stop?"),
                   "%.3f ms, the grader's clock says %.3f ms", own, ours);
}

/* ---- the sweep ----------------------------------------------------------- */

struct table {
    unsigned rows, best_row;
    unsigned long long streams[64], most;
    double ms[64];
};

/* "     8     1.676 ms ...": a row; everything else is not. */
static void table_read(struct table *table, const char *printed)
{
    memset(table, 0, sizeof *table);
    for (const char *line = printed; line && *line;) {
        unsigned long long streams;
        double ms;
        const unsigned i = table->rows;

        if (i < 64 && sscanf(line, " %llu %lf ms", &streams, &ms) == 2 &&
            ms > 0) {
            table->streams[i] = streams;
            table->ms[i] = ms;
            table->most = streams > table->most ? streams : table->most;
            if (ms < table->ms[table->best_row])
                table->best_row = i;
            table->rows++;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

static double table_ms(const struct table *table, unsigned long long streams)
{
    for (unsigned i = 0; i < table->rows; i++)
        if (table->streams[i] == streams)
            return table->ms[i];
    return 0;
}

static struct finding explain_table(const struct case_run *run,
                                    const struct table *table)
{
    if (run->evidence->first_todo > 0)
        return finding_open_todo(run->evidence);
    if (table->rows == 0)
        return finding_make("no-table", SWEEP,
                            "cipher_sweep prints no table: call print_row for "
                            "each number of streams.");
    return finding_make("short-table", SWEEP,
                        "The table has %u rows, up to %llu streams: measure "
                        "1, 2, 4 and so on up to 32 at least.",
                        table->rows, table->most);
}

static void judge_sweep(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const unsigned long long best =
        (unsigned long long)case_fact(large, "best");
    struct table table;

    table_read(&table, text_string(&large->printed));
    if (table.rows < 5 || table.most < 32 || table_ms(&table, 1) == 0) {
        judge_fail(judgement, explain_table(run, &table),
                   "%u row%s, up to %llu stream%s", table.rows,
                   table.rows == 1 ? "" : "s", table.most,
                   table.most == 1 ? "" : "s");
        return;
    }
    if (table_ms(&table, best) == 0 ||
        table_ms(&table, best) > 1.02 * table.ms[table.best_row]) {
        judge_fail(judgement,
                   finding_make("not-the-fastest", SWEEP,
                                "cipher_sweep returns %llu, but by its own "
                                "table %llu streams were faster.",
                                best, table.streams[table.best_row]),
                   "%u rows", table.rows);
        return;
    }
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
        return finding_make("one-piece", PARTS,
                            "The whole array is one piece, so each step waits "
                            "for the one before it: cut it into a chunk for "
                            "each stream.");
    if (trace.pageable > 0)
        return finding_make("pageable-memory", PARTS,
                            "The host's memory is pageable: each copy holds "
                            "the host until it is done. Pin it "
                            "(cudaMallocHost).");
    found = chunks_explain_slow(&chunks);
    if (found.id == NULL)
        return finding_make(
            "bad-number", SWEEP,
            "The work overlaps, but %lld streams are not a "
            "good number of them here. Which one does your "
            "table say?",
            (long long)case_fact(case_other(run, LARGE), "best"));
    return found;
}

/* Below that, the fixed costs of small copies on a virtual device with a fast
 * link hide the overlap. */
enum { SHORT_COPY_NS = 250000 };

static void judge_fast(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const double h2d = (double)case_fact(large, "h2d_ns");
    const double kernel = (double)case_fact(large, "kernel_ns");
    const double d2h = (double)case_fact(large, "d2h_ns");
    const double both = (double)case_fact(large, "both_ns");
    const struct judge_speed times = {
        .serial_ns = h2d + kernel + d2h,
        .student_ns = (double)case_fact(large, "student_ns"),
        .bound_ns = kernel > both ? kernel : both,
        .least_ns = h2d > d2h ? h2d : d2h,
        .eta_needed = 0.85,
    };

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

/* ---- the program --------------------------------------------------------- */

static void judge_program(const struct case_run *run,
                          struct judgement *judgement)
{
    if (case_fact(run, "status") == 0)
        judge_pass(judgement, "main decrypts and finds no wrong entry");
    else
        judge_fail(judgement,
                   finding_make("main-fails", PARTS,
                                "The program's own main returns %lld: its "
                                "result is wrong.",
                                (long long)case_fact(run, "status")),
                   "main returns %lld", (long long)case_fact(run, "status"));
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
     .compare = compare_job,
     .judge = judge_job},
    {.name = UNEVEN,
     .points = 10,
     .params = "job=decrypt entries=10007 streams=16 iters=12",
     .input_bytes = 2 * ENTRIES(10007),
     .output_bytes = 2 * ENTRIES(10007),
     .checked = true,
     .needs = EVEN,
     .compare = compare_job,
     .judge = judge_job},
    {.name = FEW,
     .points = 5,
     .params = "job=decrypt entries=10 streams=7 iters=12",
     .input_bytes = 2 * ENTRIES(10),
     .output_bytes = 2 * ENTRIES(10),
     .needs = EVEN,
     .compare = compare_job,
     .judge = judge_job},
    {.name = "called again",
     .points = 5,
     .params = "job=decrypt entries=1000 streams=4 iters=12 again=1",
     .input_bytes = 2 * ENTRIES(1000),
     .output_bytes = 2 * ENTRIES(1000),
     .needs = EVEN,
     .compare = compare_job,
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
     .needs = EVEN,
     .seconds = 60,
     .compare = compare_large,
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
     .judge = judge_program},
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
