/* report.h: a verdict for people */
#ifndef GRADER_REPORT_H
#define GRADER_REPORT_H

#include <stdio.h>

#include "verdict.h"

/* @colour  escape sequences for a terminal */
void report_print(FILE *out, const struct verdict *verdict, bool colour);

/* Colour is for a terminal whose owner has not asked for none. */
bool report_wants_colour(FILE *out);

#endif
