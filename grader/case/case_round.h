/* case_round.h: a lab program that runs cases, and one round of a case */
#ifndef GRADER_CASE_ROUND_H
#define GRADER_CASE_ROUND_H

#include "case/case.h"

/* Where a case runs. */
struct case_place {
    const struct grade_job *job;
    enum backend backend;
    int program_fd;
    const char *profile;
    unsigned gpus;
    size_t room;       /* bytes of the largest input or output */
    bool check;        /* under the checker, and traced */
    bool look;         /* traced, for case_data.work */
    const char *trace; /* else NULL */
    double seconds;
};

/* A program that lives from case to case, unless it is checked or traced. */
struct case_session {
    struct program program;
    struct case_place place;
    bool alive;
    size_t out_before; /* of what it printed so far */
    char *trace;
};

/* Take the program that is there, or start one. Return: false where it does
 * not start; run->ended and run->end tell. */
bool case_session_open(struct case_session *session,
                       const struct case_place *place, struct case_run *run);

/* One round: fresh input, the driver's part, facts, comparison. What cannot
 * go on sets run->ran to false. */
void case_round(struct case_session *session, struct case_run *run,
                const char *who);

/* End it. Under the checker, its reports and its trace go to @run, which may
 * be NULL. */
void case_session_close(struct case_session *session, struct case_run *run);

#endif
