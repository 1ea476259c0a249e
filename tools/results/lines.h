/* lines.h: one grade in one line */
#ifndef RESULTS_LINES_H
#define RESULTS_LINES_H

#include "grades.h"

/* One submission of a class. */
struct submission {
    const char *student, *file;
    const char *json;    /* its grade, in the folder of the class, or "" */
    const char *trouble; /* why there is no grade, or NULL */
    bool to_do;          /* the round ended before its grading */
    const char *late;    /* "late" where the course site says so, "", or NULL */
    struct lab_result result;
};

/* CSV as in RFC 4180, with LF. A field that a spreadsheet would take for a
 * formula begins with an apostrophe. */
void lines_put_csv_header(struct out *o);
void lines_put_csv(const struct submission *s, struct out *o);

/* A row of a table for people. */
void lines_put_row(const struct submission *s, struct out *o);

/* The verdict, the points and the main mistake in one or two lines. */
void lines_put_brief(const struct lab_result *result, struct out *o);

/* What is other in a grade than it was before, a line for each check. */
void lines_put_changes(const struct grade_result *before,
                       const struct grade_result *now, struct out *o);

/* A line for each check with a named mistake: path, lab, name, where to read,
 * line and diagnosis, with tabs between. */
void lines_put_mistakes(const char *path, const struct lab_result *result,
                        struct out *o);

/* Fields of a grade, separated by spaces; "-" for null. Return: false for a
 * field that is not known. */
bool lines_put_field(const struct grade_result *g, const char *name,
                     struct out *o);

#endif
