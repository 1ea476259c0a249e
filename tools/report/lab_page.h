/* lab_page.h: one lab's section of the report */
#ifndef REPORT_LAB_PAGE_H
#define REPORT_LAB_PAGE_H

#include "out.h"
#include "results.h"

struct lab_page {
    const char *lab;       /* "08_uneven_chunks" */
    const char *results;   /* folder of NN.json */
    const char *reference; /* the same of the reference solutions, or NULL */
    const char *traces;    /* folder of NN_baseline.trace and others */
    bool force;            /* the solution's timeline before passing, too */
    struct grade_result grade, solution;
    char title[120];
    bool has_quiz;
    unsigned quiz_right, quiz_questions;
};

/* Read what is known of the lab. The first five members are set. */
void lab_page_read(struct lab_page *page);
void lab_page_free(struct lab_page *page);

/* Its row of the table at the top, and its section. */
void lab_page_put_row(const struct lab_page *page, struct out *o);
void lab_page_put(const struct lab_page *page, struct out *o);

/* "passed", "not passed yet" or "not graded yet". */
const char *lab_page_verdict(const struct lab_page *page);

#endif
