/*
 * 11_multi.h: between the files of lab 11's rules.
 *
 *   11_multi_parts.c   the parts of the data; memory on each GPU; giving back
 *   11_multi_job.c     one run of decrypt_on_gpus, entry by entry
 *   11_multi_speed.c   many entries, and the time that they take
 *   11_multi_gpu.c     a function that did not return, what is left behind,
 *                      and the table of all cases
 */
#ifndef GRADER_RULES_11_MULTI_H
#define GRADER_RULES_11_MULTI_H

#include "judge/judge.h"

/* Sections of README.md. */
#define TASK  "What to do"
#define PARTS "The parts"

/* Names of cases that other code asks for. */
#define SPLIT  "parts"
#define MEMORY "memory"
#define EVEN   "equal parts"
#define UNEVEN "uneven parts"
#define FEW    "fewer entries than GPUs"
#define AGAIN  "called again"
#define LARGE  "large"

/* ---- 11_multi_parts.c ---------------------------------------------------- */

enum { MULTI_MOST_GPUS = 8 };

/* GPUs that a case ran on, as the driver reported. */
unsigned multi_gpus(const struct case_run *run);

/* Words for a set of GPUs, bit by bit: "GPU 3", "GPUs 0, 1 and 2". */
void multi_print_gpus(struct text *words, unsigned set);

void multi_judge_parts(const struct case_run *run, struct judgement *judgement);
void multi_judge_memory(const struct case_run *run,
                        struct judgement *judgement);
/* Asks the case MEMORY. */
void multi_judge_given_back(const struct case_run *run,
                            struct judgement *judgement);

/* ---- 11_multi_job.c ------------------------------------------------------ */

void multi_judge_job(const struct case_run *run, struct judgement *judgement);

/* ---- 11_multi_speed.c ---------------------------------------------------- */

void multi_judge_large(const struct case_run *run, struct judgement *judgement);
/* Asks the case LARGE for the times, and EVEN for what was called when. */
void multi_judge_fast(const struct case_run *run, struct judgement *judgement);

#endif
