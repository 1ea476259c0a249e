/*
 * 13_mcipher_sweep.c: lab 13, the setting that the program chose, and the table
 * by which it did
 */
#include "13_mcipher.h"

/* ---- large --------------------------------------------------------------- */

void mcipher_judge_large(const struct case_run *run,
                         struct judgement *judgement)
{
    const int64_t gpus = case_fact(run, "best_gpus");
    const int64_t streams = case_fact(run, "best_streams");

    if (gpus < 1 || gpus > case_fact(run, "gpus") || streams < 1 ||
        streams > 1024) {
        judge_fail(
            judgement,
            mistake_with("sweep-returns-nothing", "gpus=%lld\nstreams=%lld",
                         (long long)gpus, (long long)streams),
            "%lld GPUs, %lld streams", (long long)gpus, (long long)streams);
        return;
    }
    if (judge_right(run, judgement))
        judge_pass(judgement, "%llu entries, %lld GPU%s, %lld stream%s%s",
                   ULL(case_param(run, "entries")), (long long)gpus,
                   gpus == 1 ? "" : "s", (long long)streams,
                   streams == 1 ? "" : "s", gpus == 1 ? "" : " each");
    else
        judgement->finding = mistake("wrong-when-large");
}

/* ---- the sweep ----------------------------------------------------------- */

enum { LEAST_STREAMS = 8 };

/* What of the settings is in the table. */
struct tried {
    unsigned gpus, streams; /* different numbers of them */
    bool all;               /* each number of GPUs, with 1 and with 8 streams */
};

static struct tried table_tried(const struct cipher_table *table, int64_t gpus)
{
    struct tried tried = {.all = true};

    for (unsigned i = 0; i < table->rows; i++) {
        bool new_gpus = true, new_streams = true;

        for (unsigned k = 0; k < i; k++) {
            new_gpus &= table->row[k].gpus != table->row[i].gpus;
            new_streams &= table->row[k].streams != table->row[i].streams;
        }
        tried.gpus += new_gpus;
        tried.streams += new_streams;
    }
    for (int64_t g = 1; g <= gpus; g++) {
        bool few = false, many = false;

        for (unsigned i = 0; i < table->rows; i++) {
            few |= ULL(g) == table->row[i].gpus && table->row[i].streams == 1;
            many |= ULL(g) == table->row[i].gpus &&
                    table->row[i].streams >= LEAST_STREAMS;
        }
        tried.all = tried.all && few && many;
    }
    tried.all = tried.all && tried.streams >= 4;
    return tried;
}

static struct finding explain_table(const struct case_run *run,
                                    const struct cipher_table *table,
                                    const struct tried *tried)
{
    if (run->evidence->first_todo > 0)
        return finding_open_todo(run->evidence);
    if (table->rows == 0)
        return mistake("no-table");
    if (tried->gpus == 1 && case_fact(case_other(run, LARGE), "gpus") > 1)
        return mistake_with("sweep-of-streams-only", "gpus=%llu\ns=%s",
                            table->row[0].gpus,
                            table->row[0].gpus == 1 ? "" : "s");
    if (tried->streams == 1)
        return mistake_with("sweep-of-gpus-only", "streams=%llu\ns=%s",
                            table->row[0].streams,
                            table->row[0].streams == 1 ? "" : "s");
    return mistake_with("short-table", "rows=%u", table->rows);
}

/* Is the row of a setting what the same code took when the grader ran it? */
static bool row_is_measured(const struct case_run *large,
                            const struct cipher_table *table, int64_t gpus,
                            int64_t streams, int64_t timer_ns)
{
    const double row = cipher_table_ms(table, ULL(gpus), ULL(streams));
    const double ms = (double)timer_ns / 1e6;
    const double noise = large->backend == BACKEND_VGPU ? 0.05 : 0.3;

    return row == 0 || ms == 0 ||
           (row > (1 - noise) * ms && row < (1 + noise) * ms);
}

static struct finding explain_rows(const struct case_run *large,
                                   const struct cipher_table *table)
{
    const int64_t gpus = case_fact(large, "best_gpus");
    const int64_t streams = case_fact(large, "best_streams");
    const int64_t all_ns = case_fact(large, "timer_ns");
    const int64_t one_ns = case_fact(large, "one_timer_ns");
    const bool all = row_is_measured(large, table, gpus, streams, all_ns);

    if (all && row_is_measured(large, table, 1, streams, one_ns))
        return finding_none();
    return mistake_with(
        "sweep-does-not-measure",
        "streams=%.3f\ngpus=%lld\ns=%s\nstreams2=%lld\ns2=%s\ne6=%.3f",
        cipher_table_ms(table, all ? 1 : ULL(gpus), ULL(streams)),
        all ? 1LL : (long long)gpus, (all ? 1 : gpus) == 1 ? "" : "s",
        (long long)streams, streams == 1 ? "" : "s",
        (double)(all ? one_ns : all_ns) / 1e6);
}

void mcipher_judge_sweep(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const unsigned long long gpus = ULL(case_fact(large, "best_gpus"));
    const unsigned long long streams = ULL(case_fact(large, "best_streams"));
    struct cipher_table table;
    struct finding found;
    struct tried tried;
    double ms;

    cipher_table_read(&table, text_string(&large->printed), true);
    tried = table_tried(&table, case_fact(large, "gpus"));
    ms = cipher_table_ms(&table, gpus, streams);
    found = explain_rows(large, &table);
    if (!tried.all)
        judge_fail(judgement, explain_table(run, &table, &tried),
                   "%u row%s, %u number%s of GPUs, %u of streams", table.rows,
                   table.rows == 1 ? "" : "s", tried.gpus,
                   tried.gpus == 1 ? "" : "s", tried.streams);
    else if (found.id)
        judge_fail(judgement, found, "%u rows, not as measured", table.rows);
    else if (ms == 0 || ms > 1.02 * table.row[table.best].ms)
        judge_fail(
            judgement,
            mistake_with("not-the-fastest",
                         "gpus=%llu\nstreams=%llu\ngpus2=%llu\nstreams2=%llu",
                         gpus, streams, table.row[table.best].gpus,
                         table.row[table.best].streams),
            "%u rows", table.rows);
    else
        judge_pass(judgement,
                   "%u rows, best on %llu GPU%s with %llu stream%s%s",
                   table.rows, gpus, gpus == 1 ? "" : "s", streams,
                   streams == 1 ? "" : "s", gpus == 1 ? "" : " each");
}
