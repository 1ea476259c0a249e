/* formats.h: grades in the formats that others read; see docs/results.md */
#ifndef RESULTS_FORMATS_H
#define RESULTS_FORMATS_H

#include "grades.h"

/* Write all of it in one format: results_json.c, junit.c, courses.c. */
void formats_put_results(const struct all_results *all, struct out *o);
void formats_put_junit(const struct all_results *all, struct out *o);
void formats_put_gradescope(const struct all_results *all, struct out *o);
void formats_put_classroom50(const struct all_results *all, struct out *o);
void formats_put_prairielearn(const struct all_results *all, struct out *o);

#endif
