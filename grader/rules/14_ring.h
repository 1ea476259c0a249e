/*
 * 14_ring.h: between the files of lab 14's rules. Cases have the parameters
 * gpus= and, of each GPU, entries=.
 */
#ifndef GRADER_RULES_14_RING_H
#define GRADER_RULES_14_RING_H

#include "judge/judge.h"

enum { RING_MAX_GPUS = 8 }; /* as in lab.h */

/* Does the case have this parameter? ring_is(run, "way=direct") */
bool ring_is(const struct case_run *run, const char *param);

/* The GPUs of the ring; the neighbours of one. */
int ring_gpus(const struct case_run *run);
int ring_left(const struct case_run *run, int gpu);
int ring_right(const struct case_run *run, int gpu);

/* What rows ask of the data, of a step and of several rounds: lab_case. */
void ring_compare(const struct case_run *run, struct difference *found);
bool ring_judge_step(const struct case_run *run, struct judgement *judgement);
struct finding ring_explain_step(const struct case_run *run, enum ask failed);
void ring_judge_ordered(const struct case_run *run,
                        struct judgement *judgement);
bool ring_judge_rounds(const struct case_run *run, struct judgement *judgement);
struct finding ring_explain_rounds(const struct case_run *run, enum ask failed);

#endif
