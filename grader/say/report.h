/* report.h: a verdict for people */
#ifndef GRADER_REPORT_H
#define GRADER_REPORT_H

#include "grade/grade.h"

/* @colour  escape sequences for a terminal */
void report_print(const struct verdict *verdict, bool colour);

/* Which lab, on what, of which file. */
void report_print_title(const struct verdict *verdict, bool colour);

/* The end of a line that has come to @column: on a terminal where @text does
 * not fit, it gets lines of its own below. */
void report_print_seen(int column, const char *text);

/* Colour is for a terminal whose owner has not asked for none. */
bool report_wants_colour(void);

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
