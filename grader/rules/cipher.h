/*
 * cipher.h: what labs of cases share that decrypt entries: those with a run on
 * several GPUs (11, 12), and those whose file is the whole cipher program (09
 * and 13). Cases have the parameters entries= and iters=; input and output hold
 * the entries of the host first.
 */
#ifndef GRADER_RULES_CIPHER_H
#define GRADER_RULES_CIPHER_H

#include "case/case.h"
#include "case/reference.h"
#include "judge/judge.h"

/* Sections of README.md that labs 09 and 13 have. */
#define CIPHER_PARTS "The parts of the program"

/* ---- one job ------------------------------------------------------------- */

/* The parameter entries=, or the fact "entries" where the driver took more of
 * them; never more than there is room for. */
uint64_t cipher_entries(const struct case_run *run);

/* What is in both buffers: behind the entries of the host, input and output
 * hold those of the device or devices. Return: false without memory. */
bool cipher_compare_cells(const struct case_run *run, struct cells *host,
                          struct cells *device);
/* lab_case.compare of a job, and of a large one of which the driver reported
 * the fact "rounds", and "student_ns" if there is an output. */
void cipher_compare_job(const struct case_run *run, struct difference *found);
void cipher_compare_large(const struct case_run *run, struct difference *found);

/* Rounded down: the last entries of @chunks chunks are left out. */
struct finding cipher_explain_tail(uint64_t entries, uint64_t chunks,
                                   const struct cells *host);
/* The program died: given back in a way that does not fit. */
struct finding cipher_explain_free(const struct case_run *run);

/* ---- other checks -------------------------------------------------------- */

/* Nothing of this case was left behind, under the checker. @name: the mistake
 * else. */
bool cipher_judge_tidy(const struct case_run *run, struct judgement *judgement,
                       const char *name);

/* The program's own clock and the grader's differ by no more than @slack, 0.2
 * for a fifth. @early is for a time that is too short. */
void cipher_judge_timer(struct judgement *judgement, double own_ns,
                        double ours_ns, double slack, struct finding early);

/* The fact "status": what main returned. */
void cipher_judge_program(const struct case_run *run,
                          struct judgement *judgement);

/* ---- speed --------------------------------------------------------------- */

/* For the speed of a row, by what phases_report() of the drivers reports and
 * student_ns: the phases one after the other at worst, at best the longest. */
#define CIPHER_TIMES                                                           \
    .serial = "h2d_ns+kernel_ns+d2h_ns", .student = "student_ns",              \
    .bound = "kernel_ns|both_ns", .least = "h2d_ns|d2h_ns"

/* For judge_speed(), where the driver reported the phases on one GPU (h2d_ns,
 * kernel_ns, d2h_ns, and both_ns for copies both ways) and student_ns: the
 * phases one after the other at worst, at best the longest of them. */
struct judge_speed cipher_speed(const struct case_run *run, double eta_needed);

/* ---- the table of a sweep ------------------------------------------------ */

enum { CIPHER_ROWS = 128 };

struct cipher_row {
    unsigned long long gpus, streams;
    double ms;
};

struct cipher_table {
    unsigned rows, best; /* row of the least time */
    unsigned long long most_streams;
    struct cipher_row row[CIPHER_ROWS];
};

/* Take the rows from what was printed: "GPUS STREAMS TIME ms", or without the
 * number of GPUs, which is 1 then. */
void cipher_table_read(struct cipher_table *table, const char *printed,
                       bool has_gpus);
/* Return: 0 where there is no such row. */
double cipher_table_ms(const struct cipher_table *table,
                       unsigned long long gpus, unsigned long long streams);

#endif
