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
    bool passed_once;      /* some grade passed, says tools/progress */
    struct grade_result grade, solution;
    bool passed; /* @passed_once, or in the grade that is here */
    char title[120];
    /* "passed", "passed (last grade 40)", "not passed yet", "not graded yet" */
    char verdict[48];
    bool has_section; /* something was graded, run or passed */
    bool has_quiz;
    unsigned quiz_right, quiz_questions;
};

/* Read what is known of the lab. The first six members are set. */
void lab_page_read(struct lab_page *page);
void lab_page_free(struct lab_page *page);

/* Its row of the table at the top, and its section, if it has one. */
void lab_page_put_row(const struct lab_page *page, struct out *o);
void lab_page_put(const struct lab_page *page, struct out *o);

#endif
