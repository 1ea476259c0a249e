/* verdict.h: checks, points and words, made from the evidence */
#ifndef GRADER_VERDICT_H
#define GRADER_VERDICT_H

#include "case/evidence.h"

enum { MAX_CHECKS = 48 };

struct check {
    char name[64]; /* "right: uneven" */
    bool passed;
    bool skipped; /* what it depends on failed */
    double score;
    int max_score;
    struct out seen;        /* what was observed, one line */
    struct finding finding; /* the mistake behind it, if known */
    char mistake[64];       /* its name alone; "" where it is not known */
    struct out sentence;    /* what it was, in words */
    struct out read;        /* section of the lab's README.md, or nothing */
    struct out words;       /* of a compiler, as they are */
};

struct verdict {
    const struct lab_rules *lab;
    enum backend backend;
    const char *device; /* "" when nothing ran */
    const char *file;
    bool passed;
    double score;
    int max_score;
    /* The first that failed, and not by its speed. Then no time is compared. */
    const struct check *failed;
    struct speed speed; /* known only where none did */
    double seconds;     /* that the grade took */
    struct check checks[MAX_CHECKS];
    int num_checks;
};

void verdict_make(struct verdict *verdict, const struct evidence *evidence,
                  const char *file);
void verdict_free(struct verdict *verdict);

/* The first check that failed and whose mistake is known, or NULL. */
const struct check *verdict_first_finding(const struct verdict *verdict);

#endif
