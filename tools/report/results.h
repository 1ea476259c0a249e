/* results.h: what is known of one lab: its grade, hints, quiz and traces */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include "json_read.h"

#include <time.h>

#define RESULTS_MAX_CHECKS 64

struct check_result {
    const char *name, *line;
    const char *diagnosis; /* what is wrong, without the line; "" */
    const char *id;        /* of the diagnosis, "" */
    const char *read;      /* section of the README.md, "" */
    bool passed, tried;
    double score, max_score;
};

/* A grade, as `grade --json` writes it; see grader/say/json.h. */
struct grade_result {
    struct json document; /* owner of every string */
    bool graded;
    char error[200];     /* why the file is of no use, "" */
    const char *version; /* of the grader; "": before 2.0.0, which said none */
    const char *file, *backend, *device;
    bool passed;
    double score, max_score, seconds; /* seconds: what grading took */
    const char *baseline; /* "without overlap": what @speedup is over */
    double eta, speedup, bound, needed; /* NAN: not known */
    struct check_result checks[RESULTS_MAX_CHECKS];
    size_t num_checks;
    time_t when;
};

/* Read a lab's grade. A file that is not there leaves it not graded; one that
 * cannot be used leaves an error, too.
 * @lab  the folder's name; the file must be about it
 */
void results_read(const char *path, const char *lab, struct grade_result *g);

void results_free(struct grade_result *g);

#endif
