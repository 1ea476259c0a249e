/*
 * 11_multi.h: between the files of lab 11's rules.
 *
 *   11_multi_gpu.c  the parts of the data, memory on each GPU, the current
 *                   device, the speed, a function that did not return, and the
 *                   table of all cases
 *   11_multi_job.c  one run of decrypt_on_gpus, entry by entry
 */
#ifndef GRADER_RULES_11_MULTI_H
#define GRADER_RULES_11_MULTI_H

#include "judge/judge.h"

enum { MULTI_MOST_GPUS = 8 };

/* GPUs that a case ran on, as the driver reported. */
unsigned multi_gpus(const struct case_run *run);

/* The same mistake with {which_gpus}, "GPU 3" or "GPUs 0, 1 and 2": of @set, a
 * bit for each. */
struct finding multi_with_gpus(struct finding found, unsigned set);

/* For the row of such a run. */
struct finding multi_explain_job(const struct case_run *run, enum ask failed);
bool multi_is_by_all(const struct case_run *run, struct judgement *judgement);

#endif
