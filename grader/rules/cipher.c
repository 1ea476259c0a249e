/* cipher.c: what labs share that decrypt entries: see cipher.h */
#include "cipher.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cipher_entry.h"
#include "number.h"

/* ---- one job ------------------------------------------------------------- */

uint64_t cipher_entries(const struct case_run *run)
{
    const size_t room = run->input_bytes < run->output_bytes
                            ? run->input_bytes
                            : run->output_bytes;
    const uint64_t n = max_u64((uint64_t)case_fact(run, "entries"),
                               case_param(run, "entries"));

    return min_u64(n, room / sizeof(uint64_t));
}

/* With most_rounds= the driver chooses how much work there is. */
uint64_t *cipher_reference(const struct case_run *run, struct reference *ref)
{
    const uint64_t most = case_param(run, "most_rounds");
    const uint64_t rounds = min_u64((uint64_t)case_fact(run, "rounds"), most);
    const uint64_t n =
        most > 0 ? cipher_entries(run) : case_param(run, "entries");
    const uint64_t more = case_param(run, "guard");
    const uint64_t guard = more > 0 ? n + more : 0;
    const uint64_t *const input = run->input;
    uint64_t *const plain = malloc((n + 1) * sizeof *plain);

    *ref = (struct reference){.entries = n,
                              .guard = guard,
                              .iters =
                                  most > 0 ? rounds : case_param(run, "iters"),
                              .plain = plain,
                              .cipher = input,
                              .host_guard = input + n,
                              .device = input + n + guard};
    if (plain)
        reference_decrypt(plain, input, n, ref->iters);
    return plain;
}

/* What is in both buffers: the host's entries first, then the device's. */
bool cipher_compare_cells(const struct case_run *run, struct cells *host,
                          struct cells *device)
{
    const uint64_t *const output = run->output;
    struct reference ref;
    uint64_t *const plain = cipher_reference(run, &ref);

    if (plain == NULL)
        return false;
    reference_compare(&ref, output, host);
    reference_compare(&ref, output + ref.entries, device);
    free(plain);
    return true;
}

/* The entries of the host alone: those of the device explain them. */
void cipher_compare_job(const struct case_run *run, struct difference *found)
{
    struct reference ref;
    uint64_t *const plain = cipher_reference(run, &ref);

    difference_arrays(found, &(struct judge_arrays){
                                 .type = JUDGE_U64,
                                 .got = run->output,
                                 .expected = plain,
                                 .count = plain ? ref.entries : 0,
                                 .known = {{"still encrypted", run->input}},
                                 .noun = "entry"});
    free(plain);
}

enum { SAMPLES = 1 << 16, ALL_AT_MOST = 1 << 20 };

/* How many rounds a large job has is chosen where it is measured. */
static bool entry_is_wrong(const struct case_run *run, uint64_t i)
{
    const uint64_t *const input = run->input, *const output = run->output;

    return output[i] !=
           decrypt_entry(input[i], (uint64_t)case_fact(run, "rounds"));
}

/* Decrypting all of it once more would take the grader longer than the GPU: a
 * sample of which nobody knows the entries beforehand, but the last one. */
static bool sample_is_wrong(const struct case_run *run, uint64_t n)
{
    const uint64_t step = n / SAMPLES + 1;
    uint64_t random = 0, i = 0;
    bool wrong = n > 0 && entry_is_wrong(run, n - 1);

    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = 0;
    random |= 1; /* xorshift never leaves 0 */
    while (i < n && !wrong) {
        wrong = entry_is_wrong(run, i);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        i += 1 + random % (2 * step - 1);
    }
    return wrong;
}

void cipher_compare_large(const struct case_run *run, struct difference *found)
{
    const uint64_t n = cipher_entries(run);
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t step = n > ALL_AT_MOST ? n / SAMPLES + 1 : 1;

    found->noun = "entry";
    found->count = n;
    /* Without a time there was no run either. */
    if (!case_has(run, "student_ns") || !sample_is_wrong(run, n))
        return;
    /* Wrong: now the same entries each time, so that two grades are alike. */
    for (uint64_t i = 0; i < n; i += step) {
        if (!entry_is_wrong(run, i))
            continue;
        if (found->wrong++ == 0)
            found->first = i;
        found->last = i;
        found->around[1] = output[i] == input[i] ? "still encrypted" : "wrong";
    }
    if (found->wrong == 0)
        found->wrong = 1; /* between two of them */
}

/* What a chunk rounded down leaves out is exactly the remainder. */
struct finding cipher_explain_tail(uint64_t entries, uint64_t chunks,
                                   const struct cells *host)
{
    const uint64_t left = entries % chunks;

    if (left > 0 && cells_cover(host, CELL_CIPHER, entries - left, entries))
        return mistake("floor-division");
    return finding_none();
}

/* ---- a program that did not return --------------------------------------- */

/* Died in cipher_destroy, with pinned memory to give back: free() may crash in
 * many ways on memory that is not its own. */
static bool died_giving_back_pinned(const struct case_run *run)
{
    return run->end == CHILD_SIGNALLED &&
           case_fact(run, "gives_back_pinned") != 0;
}

/* A stream that is not there is most often one that is gone already. */
struct finding cipher_explain_free(const struct case_run *run)
{
    if (case_failed(run, "cudaFree*", NULL) ||
        case_failed(run, "cudaHostUnregister*", NULL) ||
        (run->end == CHILD_SIGNALLED && run->code == SIGABRT) ||
        died_giving_back_pinned(run))
        return mistake("free-mismatch");
    if (case_failed(run, NULL, "cudaErrorInvalidResourceHandle") ||
        case_failed(run, NULL, "cudaErrorContextIsDestroyed"))
        return mistake("no-such-stream");
    return finding_none();
}

/* A copy is refused at once, a kernel's fault comes with a later call. */
bool cipher_is_outside(const struct case_run *run)
{
    return case_failed(run, NULL, "cudaErrorInvalidValue") ||
           case_failed(run, NULL, "cudaErrorInvalidConfiguration") ||
           run->fault.length > 0 || run->late[0] != '\0';
}

/* ---- whole programs ------------------------------------------------------ */

const struct case_data cipher_job_data = {.inputs = 2,
                                          .outputs = 2,
                                          .compare = cipher_compare_job,
                                          .work = case_cipher_work};
const struct case_data cipher_large_data = {.inputs = 1,
                                            .outputs = 1,
                                            .compare = cipher_compare_large,
                                            .work = case_cipher_work};

static uint64_t chunks_of(const struct case_run *run)
{
    return max_u64(case_param(run, "gpus"), 1) * case_param(run, "streams");
}

/* The trace may be another case's, of other sizes: the same code queued it. */
struct chunks cipher_view(const struct case_run *run,
                          const struct case_run *seen,
                          struct trace_facts *trace)
{
    memset(trace, 0, sizeof *trace);
    if (seen && seen->traced)
        trace_facts_take(trace, &seen->trace);
    return (struct chunks){
        .entries = case_param(run, "entries"),
        .streams = chunks_of(run),
        .trace = trace,
        .trace_entries = seen ? case_param(seen, "entries") : 0,
        .trace_streams = seen ? chunks_of(seen) : 0,
        .first_todo = run->evidence->first_todo,
    };
}

void cipher_judge_job(const struct case_run *run, struct judgement *judgement)
{
    judge_row(run, judgement);
    if (judgement->passed && run->virtual_run)
        text_printf(&judgement->seen, ", no hazard");
}

bool cipher_judge_tidy(const struct case_run *run, struct judgement *judgement,
                       const char *name)
{
    const struct case_run *const seen = run->virtual_run;
    const char *const line =
        seen ? checked_find(&seen->checked, "warning", "text", "never", NULL)
             : NULL;
    struct text words = {0};

    /* Pageable memory is warned of as well: that is a matter of speed. */
    if (run->pending[0] || run->late[0])
        return judge_clean(run, judgement);
    if (line == NULL)
        return true;
    report_take_place(&words, line, "at");
    text_printf(&words, ": ");
    report_take_field(&words, line, "text");
    judge_fail(judgement, mistake(name), "%s", text_string(&words));
    text_free(&words);
    return false;
}

/* Too long is milliseconds taken for something else, or more than the work. */
void cipher_judge_timer(const struct case_run *large,
                        struct judgement *judgement, double slack,
                        const char *early)
{
    static const char seen[] =
        "{timer_ns:ms} ms, the grader's clock says {student_ns:ms} ms";
    const double own = (double)case_fact(large, "timer_ns");
    const double ours = (double)case_fact(large, "student_ns");

    if (own < (1 - slack) * ours)
        judge_no(large, judgement, mistake(early), seen);
    else if (own > (1 + slack) * ours)
        judge_no(large, judgement, mistake("timer-wrong"), seen);
    else
        judge_yes(large, judgement, seen);
}

bool cipher_judge_program(const struct case_run *run,
                          struct judgement *judgement)
{
    return case_fact(run, "status") == 0 ||
           judge_no(run, judgement, mistake("main-fails"),
                    "main returns {status}");
}

/* ---- speed --------------------------------------------------------------- */

/* Below that, on a virtual device with a fast link, the fixed costs of small
 * copies and the host's calls hide what overlaps. */
enum { SHORT_COPY_NS = 250000 };

bool cipher_is_gradable(const struct case_run *run, struct judgement *judgement,
                        const char *copy_ns, const char *words)
{
    if (run->backend == BACKEND_CUDA ||
        case_fact(run, copy_ns) >= SHORT_COPY_NS)
        return true;
    judge_yes(run, judgement, words);
    return false;
}

/* ---- the table of a sweep ------------------------------------------------ */

/* "     8     1.676 ms ...": a row; everything else is not. */
static bool read_row(const char *line, bool has_gpus, struct cipher_row *row)
{
    row->gpus = 1;
    return (has_gpus ? sscanf(line, " %" SCNu64 " %" SCNu64 " %lf ms",
                              &row->gpus, &row->streams, &row->ms) == 3
                     : sscanf(line, " %" SCNu64 " %lf ms", &row->streams,
                              &row->ms) == 2) &&
           row->ms > 0;
}

/* Whatever else the program prints is no row. */
void cipher_table_read(struct cipher_table *table, const char *printed,
                       bool has_gpus)
{
    memset(table, 0, sizeof *table);
    for (const char *line = printed; line && *line;) {
        struct cipher_row *const row = &table->row[table->rows];

        if (table->rows < CIPHER_ROWS - 1 && read_row(line, has_gpus, row)) {
            if (row->streams > table->most_streams)
                table->most_streams = row->streams;
            if (row->ms < table->row[table->best].ms)
                table->best = table->rows;
            table->rows++;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

double cipher_table_ms(const struct cipher_table *table, uint64_t gpus,
                       uint64_t streams)
{
    for (unsigned i = 0; i < table->rows; i++)
        if (table->row[i].gpus == gpus && table->row[i].streams == streams)
            return table->row[i].ms;
    return 0;
}

/* On the virtual GPU times are computed, and hardly differ. */
bool cipher_table_says(const struct case_run *run, double table_ms, double ms)
{
    const double noise = run->backend == BACKEND_VGPU ? 0.05 : 0.3;

    return table_ms > (1 - noise) * ms && table_ms < (1 + noise) * ms;
}
