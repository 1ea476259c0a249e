/* cipher_sweep.c: the table that a whole program prints, of all streams and
 * GPUs that it has tried, and what its main does. */
#include "cipher.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/words.h"
#include "number.h"

/* ---- the table of a sweep ------------------------------------------------ */

enum { MOST_ROWS = 127 };

struct row {
    uint64_t gpus, streams;
    double ms, speed; /* 0: none is printed */
};

struct table {
    unsigned rows;
    unsigned gpus, streams, settings; /* different ones */
    uint64_t most_streams;
    struct row fastest, row[MOST_ROWS];
};

/* "     8     1.676 ms   1.90x ...", behind the number of GPUs if there are
 * several: a row, with a speed or without. All else is none. */
static bool read_row(const char *line, bool several, struct row *row)
{
    int length = 0, found;
    char x = 0;

    *row = (struct row){.gpus = 1};
    if (several && sscanf(line, " %" SCNu64 "%n", &row->gpus, &length) < 1)
        return false;
    found = sscanf(line + length, " %" SCNu64 " %lf ms %lf%c", &row->streams,
                   &row->ms, &row->speed, &x);
    if (found < 4 || x != 'x')
        row->speed = 0;
    return found >= 2 && row->ms >= 0;
}

/* A setting may be there twice: so it is counted how many differ. */
static void add_row(struct table *table, const struct row *row)
{
    bool new_gpus = true, new_streams = true, new_setting = true;

    for (unsigned i = 0; i < table->rows; i++) {
        const bool other_gpus = table->row[i].gpus != row->gpus;
        const bool other_streams = table->row[i].streams != row->streams;

        new_gpus &= other_gpus;
        new_streams &= other_streams;
        new_setting &= other_gpus || other_streams;
    }
    table->gpus += new_gpus;
    table->streams += new_streams;
    table->settings += new_setting;
    table->most_streams = max_u64(table->most_streams, row->streams);
    if (table->rows == 0 || row->ms < table->fastest.ms)
        table->fastest = *row;
    table->row[table->rows++] = *row;
}

/* Whoever prints more rows than that has shown enough. */
static void read_table(struct table *table, const struct case_run *large)
{
    const char *line = case_printed(large);
    struct row row;

    memset(table, 0, sizeof *table);
    while (line && table->rows < MOST_ROWS) {
        if (read_row(line, on_several(large), &row))
            add_row(table, &row);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

/* Of the first row with so many GPUs and @least to @most streams, or 0. */
static double find_ms(const struct table *table, uint64_t gpus, uint64_t least,
                      uint64_t most)
{
    for (unsigned i = 0; i < table->rows; i++)
        if (table->row[i].gpus == gpus && table->row[i].streams >= least &&
            table->row[i].streams <= most)
            return table->row[i].ms;
    return 0;
}

/* Is every number of GPUs there, with one stream and with many, and where that
 * is all, with some between each two powers of two? */
static bool is_whole(const struct case_run *large, const struct table *table)
{
    const bool several = on_several(large);
    bool whole = !several || table->streams >= 4;

    for (uint64_t g = 1; g <= (uint64_t)case_fact(large, "gpus"); g++)
        whole &= find_ms(table, g, 1, 1) > 0 &&
                 find_ms(table, g, several ? 8 : 32, UINT64_MAX) > 0;
    for (uint64_t n = 2; n < 32 && !several; n *= 2)
        whole &= find_ms(table, 1, n, 2 * n - 1) > 0;
    return whole;
}

/* Which of the two loops is missing? */
static bool judge_whole(const struct case_run *large,
                        struct judgement *judgement, const struct table *table)
{
    const bool several = on_several(large);
    const struct sign signs[] = {
        {is_whole(large, table), NULL},
        {table->fastest.ms == 0 && case_fact(large, "timer_ns") <= 0,
         "chosen-by-wrong-clock"},
        {table->rows == 0, "no-table"},
        {several && table->gpus == 1, "sweep-of-streams-only"},
        {several && table->streams == 1, "sweep-of-gpus-only"},
        {true, "short-table"},
    };
    const struct finding found =
        mistake_with(mistake_first(signs).id,
                     "rows=%u\nmost_streams=%" PRIu64 "\ngpu_numbers=%u\n"
                     "stream_numbers=%u\ngpus=%" PRIu64 "\nstreams=%" PRIu64,
                     table->rows, table->most_streams, table->gpus,
                     table->streams, table->row[0].gpus, table->row[0].streams);

    if (found.id == NULL)
        return true;
    judge_no(large, judgement, found,
             several ? "your table has {rows} row{rows:s}, for {gpu_numbers} "
                       "number{gpu_numbers:s} of GPUs and {stream_numbers} "
                       "of streams"
                     : "your table has {rows} row{rows:s}, up to "
                       "{most_streams} stream{most_streams:s}");
    judgement->finding = finding_todo_or(large, found);
    return false;
}

/* A real copy that goes through the driver's own memory takes any time. */
static bool is_pageable(const struct case_run *large)
{
    struct trace_facts trace;

    cipher_view(large, &trace);
    return trace.pageable > 0;
}

/* Rows that nobody measured are quickly printed. One stream is never faster
 * than the phases one after the other, and the row of a setting is what the
 * same code took when the grader ran it. Virtual times hardly differ; real ones
 * do now and then, and are measured again. */
static struct finding explain_rows(const struct case_run *large,
                                   const struct table *table)
{
    const bool real = large->backend == BACKEND_CUDA;
    const double noise = real ? 0.3 : 0.05;
    const double above = real && is_pageable(large) ? INFINITY : noise;
    const struct row *const fastest = &table->fastest;
    const int64_t serial = case_fact(large, "h2d_ns") +
                           case_fact(large, "kernel_ns") +
                           case_fact(large, "d2h_ns");
    const struct {
        uint64_t gpus, streams;
        int64_t ns;
        double below, above; /* parts of it by which the row may differ */
    } known[] = {
        {1, 1, on_several(large) ? 0 : serial, 3 * noise, INFINITY},
        {fact(large, "best_gpus"), fact(large, "best_streams"),
         case_fact(large, "timer_ns"), noise, above},
        {1, fact(large, "one_streams"), case_fact(large, "one_timer_ns"), noise,
         above},
    };
    bool whole = true; /* so far: no clock says two times just so */

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const uint64_t k = known[i].streams;
        const double row = find_ms(table, known[i].gpus, k, k);
        const double ms = (double)known[i].ns / 1e6;

        whole &= row == floor(row);
        if (row > 0 && ms > 0 &&
            (row < (1 - known[i].below) * ms - 0.001 || (whole && i == 1) ||
             row > (1 + known[i].above) * ms + 0.001))
            return mistake_with(cipher_is_other_unit(row, ms) ||
                                        fabs(1e3 * row - ms) < ms / 20 + 0.5
                                    ? "sweep-in-other-unit"
                                : row == floor(ms) || (whole && i == 1)
                                    ? "sweep-in-whole-ms"
                                    : "sweep-does-not-measure",
                                "table_ms=%.3f\ngpus=%" PRIu64
                                "\nstreams=%" PRIu64 "\nmeasured_ms=%.3f",
                                row, known[i].gpus, k, ms);
    }
    /* By any clock: whoever is faster has a speed above 1. */
    return fastest->speed > 0 && fastest->speed < 1.05 &&
                   fastest->ms < 0.9 * find_ms(table, 1, 1, 1)
               ? mistake_with("speed-upside-down",
                              "streams=%" PRIu64 "\nspeed=%.2f",
                              fastest->streams, fastest->speed)
               : finding_none();
}

/* All settings must be there, and of several GPUs measured, before one counts.
 */
bool cipher_judge_sweep(const struct case_run *run, struct judgement *judgement)
{
    const bool several = on_several(run);
    const uint64_t streams = fact(run, "best_streams");
    struct table table;
    struct finding found;
    bool slower;
    double ms;

    read_table(&table, run);
    if (!judge_whole(run, judgement, &table))
        return false;
    found = explain_rows(run, &table);
    /* Measured by a clock that is wrong is measured all the same. */
    if (finding_is(&found, "sweep-does-not-measure") &&
        cipher_explain_timer(run).id)
        found = mistake("chosen-by-wrong-clock");
    ms = find_ms(&table, fact(run, "best_gpus"), streams, streams);
    slower = ms == 0 || ms > 1.02 * table.fastest.ms;
    if (found.id && (several || !slower)) {
        judge_fail(judgement, found, "%u rows%s", table.rows,
                   several ? ", not as measured" : "");
        judgement->borderline = run->backend == BACKEND_CUDA;
    } else if (slower) {
        judge_fail(judgement,
                   mistake_with("not-the-fastest",
                                "fastest_gpus=%" PRIu64
                                "\nfastest_streams=%" PRIu64,
                                table.fastest.gpus, table.fastest.streams),
                   "%u rows", table.rows);
    } else {
        judge_pass(judgement, "%u rows", table.rows);
        words_fill(&judgement->seen,
                   several ? ", best on {best_gpus} GPU{best_gpus:s} with "
                             "{best_streams} stream{best_streams:s}"
                             "{best_gpus: each}"
                           : ", best with {best_streams} "
                             "stream{best_streams:s}",
                   NULL, run);
    }
    return false;
}

/* ---- the program's own main ---------------------------------------------- */

/* More rows than a program has made streams for, or than it has run. */
static bool judge_rows(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const unsigned made = query_calls(trace, "cudaStreamCreate*");
    const uint64_t runs = query_bytes(trace, QUERY_IN) /
                          (sizeof(uint64_t) * case_param(run, "entries"));
    struct table table;

    read_table(&table, run);
    if (made < table.most_streams)
        return judge_no(run, judgement,
                        mistake_with("sweep-without-streams",
                                     "most_streams=%" PRIu64 "\nmade=%u",
                                     table.most_streams, made),
                        "rows for up to {most_streams} streams, of which "
                        "{made} were made");
    if (runs < table.settings)
        return judge_no(run, judgement,
                        mistake_with("sweep-not-run",
                                     "settings=%u\nruns=%" PRIu64,
                                     table.settings, runs),
                        "times of {settings} settings, and {runs} run{runs:s}");
    return true;
}

/* It checks its own result. What its sweep does is seen here alone, where it is
 * small: that of the large case is too much for the checker. */
bool cipher_judge_main(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const seen = run->virtual_run;
    struct finding found;

    if (case_fact(run, "status") != 0)
        return judge_no(run, judgement, mistake("main-fails"),
                        "main returns {status}");
    if (!seen || !seen->traced)
        return true;
    found = finding_device(seen, case_cipher_work(seen), true);
    if (found.id)
        return judge_no(run, judgement, found, "main returns 0, but {did}");
    return judge_rows(run, judgement) && cipher_judge_tidy(run, judgement);
}
