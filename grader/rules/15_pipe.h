/*
 * 15_pipe.h: between the files of lab 15's rules.
 *
 *   15_pipe_order.c         hazards, and the events that should prevent them
 *   15_pipe_results.c       what the consumer got in one run
 *   15_pipe_speed.c         the time that it takes
 *   15_bounded_pipeline.c   the ring alone, a function that did not return,
 *                           and the table of all cases
 */
#ifndef GRADER_RULES_15_PIPE_H
#define GRADER_RULES_15_PIPE_H

#include "judge/judge.h"

/* Sections of README.md. */
#define TODO "What to do"

/* Kinds of operations, for queries. */
enum {
    PIPE_KERNEL = QUERY_KIND(TRACE_KIND_KERNEL),
    PIPE_IN = QUERY_KIND(TRACE_KIND_H2D),
    PIPE_BACK = QUERY_KIND(TRACE_KIND_D2H),
};

/* ---- 15_pipe_order.c ----------------------------------------------------- */

/* A host function's data, and the host behind it: the student's code, or with
 * @graders the grader's, that reads what came out. */
bool pipe_is_host_hazard(const struct case_run *run, bool graders);
/* The host writes what a host function has still to read. */
bool pipe_is_argument_hazard(const struct case_run *run);

/* Each names one sort of mistake, or is without an id. */
struct finding pipe_explain_hazard(const struct case_run *run);
struct finding pipe_explain_streams(const struct trace *trace);

/* ---- 15_pipe_results.c --------------------------------------------------- */

/* Entries that a case has. */
uint64_t pipe_entries(const struct case_run *run);

void pipe_compare(const struct case_run *run, struct difference *found);
/* Are the results right, in order, and the ring's? Else it has failed, with a
 * finding. */
bool pipe_judge_results(const struct case_run *run,
                        struct judgement *judgement);
void pipe_judge_round(const struct case_run *run, struct judgement *judgement);

/* ---- 15_pipe_speed.c ----------------------------------------------------- */

void pipe_judge_fast(const struct case_run *run, struct judgement *judgement);

#endif
