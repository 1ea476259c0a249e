/* grade.h: one submission, from its file to its verdict */
#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include "case/evidence.h"
#include "grade/verdict.h"
#include "judge/words.h"

struct grade_request {
    const struct tools *tools;
    const struct lab_rules *lab;
    enum backend backend;
    const char *file;
    double seconds; /* limit for one run */
};

enum grade_result {
    GRADE_DONE,   /* there is a verdict */
    GRADE_CANNOT, /* see the cause */
};

/*
 * Grade one file.
 * @verdict  filled in when done; verdict_free() it
 * @cause    one line when it cannot be graded, to be freed
 */
enum grade_result grade_file(const struct grade_request *request,
                             struct verdict *verdict, char **cause);

/*
 * Build and run a file for a person: right or not, how long it took, what
 * the limit is; leaves traces in build/traces/. show.c
 * @json  the lab's part of the JSON is added to it, and points are shown; NULL
 * Return: 0 right, 1 not right, 2 with a cause.
 */
int show_file(const struct grade_request *request, bool solution,
              struct text *json, char **cause);

/*
 * Measure a file with 1, 2, 4 ... 64 streams and print a line for each. sweep.c
 * Return: 0 all measured, 1 one failed or was wrong, 2 with a cause.
 */
int sweep_file(const struct grade_request *request, char **cause);

/* What all share: the private folder, the student's text, the build. */
struct workplace {
    struct evidence evidence;
    struct grade_job job;
    struct build build;
    struct words words;
    struct build virtual_build; /* where the backend is a real GPU */
    char *folder, *recorder;
};
enum grade_result workplace_open(struct workplace *place,
                                 const struct grade_request *request,
                                 char **cause);
void workplace_close(struct workplace *place);

#endif
