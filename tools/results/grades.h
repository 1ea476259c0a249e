/* grades.h: the grades of labs, and what all formats ask of them */
#ifndef RESULTS_GRADES_H
#define RESULTS_GRADES_H

#include "out.h"
#include "results.h"

/* A lab of this repository, with or without a grade. */
struct lab_result {
    const char *lab; /* the folder's name */
    struct grade_result grade;
    double points;    /* that it counts on a sheet, or 0 */
    char reason[300]; /* why nobody has made a grade, or "" */
};

/* Labs that are handed in together, each for so many points. */
struct sheet {
    const char *name;
    const char *due_words; /* as its author wrote it */
    time_t due;            /* 0: at no time */
};

/* All labs, in the order of their folders, or those of a sheet in its order. */
struct all_results {
    const struct lab_result *labs;
    size_t num;
    time_t now;
    const struct sheet *sheet; /* or NULL */
};

/* Make a grade one of a sheet: its points, and those of its checks, are out of
 * so many. A lab without a grade gets one check that failed, so that it is
 * missing nowhere. */
void grades_count(struct lab_result *lab, double points);

/* Why there is no grade. */
const char *grades_why_none(const struct lab_result *lab,
                            const char *otherwise);

/* Was it graded after the sheet was due? */
bool grades_is_late(const struct all_results *all,
                    const struct lab_result *lab);

/* What the grades that are there add up to; of a sheet all of its labs. */
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
