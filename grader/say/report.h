/* report.h: a verdict for people */
#ifndef GRADER_REPORT_H
#define GRADER_REPORT_H

#include "grade/grade.h"

/* In colours where standard output is a terminal that wants them. */
void report_print(const struct verdict *verdict);

/* Its parts: which lab, on what, of which file, and a line for each check; the
 * @most first mistakes. */
void report_print_checks(const struct verdict *verdict, bool points);
void report_print_findings(const struct verdict *verdict, int most);

/* show.c: a run for a person. The traces of an earlier one go away. */
void show_clear(const struct grade_job *job, bool solution);
/* Right or not, how long it took, what the limit is, or the verdict @whole;
 * leaves traces in build/traces/. */
void show_verdict(struct workplace *place, const struct verdict *verdict,
                  bool solution, bool whole);

/*
 * Measure a file with 1, 2, 4 ... 64 streams and print a line for each. sweep.c
 * Return: 0 all measured, 1 one failed or was wrong, 2 with a cause.
 */
int sweep_file(struct workplace *place, char **cause);

#endif
