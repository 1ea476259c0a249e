/*
 * ring.h: what the rules of lab 14 share: its cases' parameters, its trace, and
 * the judges of steps and rounds.
 */
#ifndef RULES_RING_H
#define RULES_RING_H

#include "judge/judge.h"

/* Sections of the lab's README.md. */
#define TODO  "What to do"
#define ORDER "Order between GPUs"

#define RING_MAX_GPUS 8 /* as in lab.h */
#define RING_KERNELS  QUERY_KIND(TRACE_KIND_KERNEL)
#define RING_COPIES   QUERY_KIND(TRACE_KIND_PEER)

/* Does the case have this parameter? ring_is(run, "way=direct") */
bool ring_is(const struct case_run *run, const char *what);

int ring_gpus(const struct case_run *run);
int ring_left(const struct case_run *run, int gpu);
int ring_right(const struct case_run *run, int gpu);

/* The first operation of some kinds; the first call that makes the host wait.
 */
const struct trace_op *ring_op(const struct trace *trace, unsigned kinds);
const struct trace_call *ring_wait(const struct trace *trace);

/* ring_step.c: output of all cases; one step of each GPU. */
void ring_compare(const struct case_run *run, struct difference *found);
void ring_judge_step(const struct case_run *run, struct judgement *judgement);

/* ring_order.c: several rounds, and a question: did the host wait? */
void ring_judge_rounds(const struct case_run *run, struct judgement *judgement);
bool ring_no_wait(const struct case_run *run, struct judgement *judgement);

#endif
