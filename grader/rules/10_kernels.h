/*
 * 10_kernels.h: between the files of lab 10's rules.
 *
 *   10_kernels_grid.c          the kernel: any grid, and its launch bounds
 *   10_kernels_resident.c      blocks that fill a device, and those of a job
 *   10_kernels_jobs.c          small jobs at once
 *   10_kernels_predict.c       what two kernels at once would gain
 *   10_kernel_concurrency.c    a function that did not return, and the table
 *                              of all cases
 */
#ifndef GRADER_RULES_10_KERNELS_H
#define GRADER_RULES_10_KERNELS_H

#include "judge/judge.h"

/* Sections of README.md. */
#define TODO "What to do"

/* Names of cases that other code asks for. */
#define HERE "resident blocks"
#define GRID "a grid for a job"

/* As in lab.h and the driver. */
enum { BLOCK_THREADS = 256, NUM_SMALL = 8, SMALL_ENTRIES = 64, NUM_JOBS = 12 };
enum { SMALL = NUM_SMALL * SMALL_ENTRIES, NUM_GRIDS = 5 };

/* The finding, or the TODO that the case is about while that is open. */
struct finding kernels_todo_or(const struct case_run *run,
                               struct finding finding);

/* ---- 10_kernels_grid.c --------------------------------------------------- */

/* The kernel went past the last entry. */
struct finding kernels_explain_guard(void);

void kernels_compare_grids(const struct case_run *run,
                           struct difference *found);
void kernels_judge_grids(const struct case_run *run,
                         struct judgement *judgement);
void kernels_judge_bounds(const struct case_run *run,
                          struct judgement *judgement);

/* ---- 10_kernels_resident.c ----------------------------------------------- */

/* Blocks of the student's kernel that are resident on the case's device. */
int64_t kernels_resident(const struct case_run *run);

void kernels_judge_resident(const struct case_run *run,
                            struct judgement *judgement);
void kernels_judge_grid(const struct case_run *run,
                        struct judgement *judgement);

/* ---- 10_kernels_jobs.c --------------------------------------------------- */

void kernels_compare_jobs(const struct case_run *run, struct difference *found);
/* Asks the case GRID for the blocks of a small job. */
void kernels_judge_jobs(const struct case_run *run,
                        struct judgement *judgement);

/* ---- 10_kernels_predict.c ------------------------------------------------ */

void kernels_judge_predict(const struct case_run *run,
                           struct judgement *judgement);

#endif
