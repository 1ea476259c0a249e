/* grade.h: one submission, from its file to its verdict */
#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include "case/case.h"
#include "grade/verdict.h"
#include "judge/words.h"

/* Where one file is graded: a private folder, its text, the program. */
struct workplace {
    struct grade_job job;
    struct evidence evidence;
    struct build build;
    struct build virtual_build; /* where the backend is a real GPU */
    struct words words;
    double start_s;
};

/*
 * Make it for @job, of which the first half is filled in, and build the file.
 * @cause  one line when it cannot be graded, to be freed
 * Return: false with that; workplace_close() follows in any case.
 */
bool workplace_open(struct workplace *place, const struct grade_job *job,
                    char **cause);
void workplace_close(struct workplace *place);

/* verdict.c: run and judge every case of what was built, or not. Return: true
 * with @verdict, verdict_free() it; false with a cause. */
bool grade_file(struct workplace *place, struct verdict *verdict, char **cause);

/* ---- cases.c ------------------------------------------------------------- */

/* Run and judge every case. */
void grade_cases(struct evidence *evidence);
void case_result_free(struct case_result *result);
/* All that a grade has seen, the cases too. */
void evidence_free(struct evidence *evidence);

/*
 * Run a case with other parameters, and do not judge it. Of a timed case on a
 * real GPU the round is read whose fact "student_ns" is the median.
 * @result  zero at first; to be freed with case_result_free() in any case
 * Return: did it return?
 */
bool case_try(struct evidence *evidence, const struct lab_case *rules,
              const char *params, struct case_result *result);

/*
 * Run a case once more, without the checker, for its trace. The driver's part
 * gets measured_rounds=, the fact "rounds" of the run that was judged, so that
 * the picture is of the same work.
 * @who  "student" or "baseline"
 * Return: false without a trace.
 */
bool case_draw(struct evidence *evidence, const struct lab_case *rules,
               const char *who, const char *trace, bool check);

#endif
