/*
 * cipher.h: what labs of cases share that decrypt entries: those with a run on
 * several GPUs (11, 12), and those whose file is the whole cipher program (09
 * and 13). Cases have the parameters entries= and iters=; input and output hold
 * the entries of the host first.
 */
#ifndef GRADER_RULES_CIPHER_H
#define GRADER_RULES_CIPHER_H

#include "chunks.h"
#include "judge/judge.h"

/* ---- one job ------------------------------------------------------------- */

/* The parameter entries=, or the fact "entries" where the driver took more of
 * them; never more than there is room for. */
uint64_t cipher_entries(const struct case_run *run);

/* What a run that is compared whole was given and must give: behind the host's
 * entries, and a guard as long as they and guard= more, stand the device's.
 * Return: the expected entries, to be freed; NULL without memory. */
uint64_t *cipher_reference(const struct case_run *run, struct reference *ref);
/* What is in both buffers: behind the entries of the host, input and output
 * hold those of the device or devices. Return: false without memory. */
bool cipher_compare_cells(const struct case_run *run, struct cells *host,
                          struct cells *device);
/* case_data.compare of a job, and of a large one of which the driver reported
 * the fact "rounds", and "student_ns" if there is an output. */
void cipher_compare_job(const struct case_run *run, struct difference *found);
void cipher_compare_large(const struct case_run *run, struct difference *found);

/* Rounded down: the last entries of @chunks chunks are left out. */
struct finding cipher_explain_tail(uint64_t entries, uint64_t chunks,
                                   const struct cells *host);
/* The program died: given back in a way that does not fit. */
struct finding cipher_explain_free(const struct case_run *run);

/* ---- whole programs: labs 09 and 13 -------------------------------------- */

/* Both buffers there and back; the entries of the host alone. */
extern const struct case_data cipher_job_data, cipher_large_data;

/* What chunks.h asks for, of a case with streams= on each of gpus=.
 * @seen   the run whose trace is looked at, or NULL
 * @trace  filled in, and used by what is returned */
struct chunks cipher_view(const struct case_run *run,
                          const struct case_run *seen,
                          struct trace_facts *trace);
/* Memory was reached that is not there? */
bool cipher_is_outside(const struct case_run *run);

/* The row's questions of a job; that there was no hazard is said as well. */
void cipher_judge_job(const struct case_run *run, struct judgement *judgement);
/* lab_case.also: the fact "status", which main returned. */
bool cipher_judge_program(const struct case_run *run,
                          struct judgement *judgement);
/* Nothing of this case was left behind, under the checker. @name: the mistake
 * else. */
bool cipher_judge_tidy(const struct case_run *run, struct judgement *judgement,
                       const char *name);
/* The program's own clock and the grader's differ by no more than @slack, 0.2
 * for a fifth, in the case @large. @early: the mistake if it says too little.
 */
void cipher_judge_timer(const struct case_run *large,
                        struct judgement *judgement, double slack,
                        const char *early);

/* ---- speed --------------------------------------------------------------- */

/* For the speed of a row, by what phases_report() of the drivers reports and
 * student_ns: the phases one after the other at worst, at best the longest. */
#define CIPHER_TIMES                                                           \
    .serial = "h2d_ns+kernel_ns+d2h_ns", .student = "student_ns",              \
    .bound = "kernel_ns|both_ns", .least = "h2d_ns|d2h_ns"

/* Ahead of a speed: is a copy, @copy_ns, long enough that the overlap shows?
 * Else the case has passed, with @words. */
bool cipher_is_gradable(const struct case_run *run, struct judgement *judgement,
                        const char *copy_ns, const char *words);

/* ---- the table of a sweep ------------------------------------------------ */

enum { CIPHER_ROWS = 128 };

struct cipher_row {
    uint64_t gpus, streams;
    double ms;
};

struct cipher_table {
    unsigned rows, best; /* row of the least time */
    uint64_t most_streams;
    struct cipher_row row[CIPHER_ROWS];
};

/* Take the rows from what was printed: "GPUS STREAMS TIME ms", or without the
 * number of GPUs, which is 1 then. */
void cipher_table_read(struct cipher_table *table, const char *printed,
                       bool has_gpus);
/* Return: 0 where there is no such row. */
double cipher_table_ms(const struct cipher_table *table, uint64_t gpus,
                       uint64_t streams);
/* Is that time @ms, but for the noise of a measurement? */
bool cipher_table_says(const struct case_run *run, double table_ms, double ms);

#endif
