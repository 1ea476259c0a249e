/* formats.h: grades in the formats that others read; see docs/results.md */
#ifndef RESULTS_FORMATS_H
#define RESULTS_FORMATS_H

#include "out.h"
#include "results.h"

/* A lab of this repository, with or without a grade. */
struct lab_result {
    const char *lab; /* the folder's name */
    struct grade_result grade;
};

/* All labs, in the order of their folders. */
struct all_results {
    const struct lab_result *labs;
    size_t num;
    time_t now;
};

/* Write all of it in one format. */
void formats_put_results(const struct all_results *all, struct out *o);
void formats_put_junit(const struct all_results *all, struct out *o);
void formats_put_gradescope(const struct all_results *all, struct out *o);
void formats_put_classroom50(const struct all_results *all, struct out *o);

/* What a grade adds up to. */
struct totals {
    unsigned graded, passed;
    double score, max_score, seconds;
};
struct totals formats_add_up(const struct all_results *all);

/* The check that says most about what is wrong: the first whose mistake has a
 * name, else the first that failed. Return: NULL where all passed. */
const struct check_result *formats_main_mistake(const struct grade_result *g);

/* "2026-01-31T12:00:00Z", or without the Z. */
void formats_put_time(struct out *o, time_t when, const char *zone);

/* What a grade's JSON has beside what results.h names. */
double formats_seconds(const struct grade_result *g);

#endif
