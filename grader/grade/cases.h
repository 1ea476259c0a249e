/* cases.h: every case of a lab, run where it belongs, and judged */
#ifndef GRADER_CASES_H
#define GRADER_CASES_H

#include "case/case.h"

/* Run and judge every case. */
void grade_cases(struct evidence *evidence, const struct grade_job *job);
void case_result_free(struct case_result *result);
/* All that a grade has seen, the cases too. */
void evidence_free(struct evidence *evidence);

/*
 * Run a case with other parameters, and do not judge it. Of a timed case on a
 * real GPU the round is read whose fact "student_ns" is the median.
 * @result  zero at first; to be freed with case_result_free() in any case
 * Return: did it return?
 */
bool case_try(const struct evidence *evidence, const struct grade_job *job,
              const struct lab_case *rules, const char *params,
              struct case_result *result);

/*
 * Run a case once more, without the checker, for its trace. The driver's part
 * gets measured_rounds=, the fact "rounds" of the run that was judged, so that
 * the picture is of the same work.
 * @who  "student" or "baseline"
 * Return: false without a trace.
 */
bool case_draw(const struct evidence *evidence, const struct grade_job *job,
               const struct lab_case *rules, const char *who, const char *trace,
               bool check);

#endif
