/*
 * 12_mgpu.h: between the files of lab 12's rules.
 *
 *   12_mgpu_streams.c  sizes of chunks, what is made, the speed, a function
 *                      that did not return, and the table of all cases
 *   12_mgpu_job.c      one run of mgpu_decrypt, entry by entry
 */
#ifndef GRADER_RULES_12_MGPU_H
#define GRADER_RULES_12_MGPU_H

#include "judge/judge.h"

/* For the rows of such a run: entries that it works on, see struct view; and
 * what lab_case asks for. */
uint64_t mgpu_count(const struct case_run *run);
bool mgpu_no_error(const struct case_run *run, struct judgement *judgement);
struct finding mgpu_explain_job(const struct case_run *run, enum ask failed);
bool mgpu_stays_inside(const struct case_run *run, struct judgement *judgement);
bool mgpu_say_job(const struct case_run *run, struct judgement *judgement);

/* A kernel on GPU @user met memory of GPU @owner. */
struct finding mgpu_explain_unreachable(const struct case_run *run,
                                        unsigned owner, unsigned user);

#endif
