/* grades.h: the grades of labs, and what all formats ask of them */
#ifndef RESULTS_GRADES_H
#define RESULTS_GRADES_H

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

/* What the grades that are there add up to. */
struct totals {
    unsigned graded, passed;
    double score, max_score, seconds;
};
struct totals grades_add_up(const struct all_results *all);

/* The check that says most about what is wrong: the first whose mistake has a
 * name, else the first that failed. Return: NULL where all passed. */
const struct check_result *grades_main_mistake(const struct grade_result *g);

/* "2026-01-31T12:00:00Z", or without the Z. */
void grades_put_time(struct out *o, time_t when, const char *zone);

#endif
