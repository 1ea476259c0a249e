/* report.h: a verdict for people */
#ifndef GRADER_REPORT_H
#define GRADER_REPORT_H

#include <stdio.h>

#include "grade/verdict.h"

/* @colour  escape sequences for a terminal */
void report_print(FILE *out, const struct verdict *verdict, bool colour);

/* Which lab, on what, of which file. */
void report_print_title(FILE *out, const struct verdict *verdict, bool colour);

/* The end of a line that has come to @column: on a terminal where @text does
 * not fit, it gets lines of its own below. */
void report_print_seen(FILE *out, int column, const char *text);

/* Colour is for a terminal whose owner has not asked for none. */
bool report_wants_colour(FILE *out);

#endif
