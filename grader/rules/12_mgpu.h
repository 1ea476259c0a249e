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

/* Entries that such a run works on: see struct view. */
uint64_t mgpu_count(const struct case_run *run);
void mgpu_judge_job(const struct case_run *run, struct judgement *judgement);

/* A kernel on GPU @user met memory of GPU @owner. */
struct finding mgpu_explain_unreachable(const struct case_run *run,
                                        unsigned owner, unsigned user);

/* The GPU that a stream belongs to; TRACE_MAX_DEVICES where nothing ran. */
unsigned mgpu_home(const struct trace *trace, uint64_t stream);

#endif
