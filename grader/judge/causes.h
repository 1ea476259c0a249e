/* causes.h: causes that no lab has to know, since what was seen says them */
#ifndef GRADER_CAUSES_H
#define GRADER_CAUSES_H

#include "case/case.h"
#include "judge/finding.h"

/* The line of the student's that makes more order than needed and costs most,
 * in one of the lab's runs under the checker; or NULL. */
const struct trace_order *cause_worst_order(const struct case_run *run);

/* What is slow: @found by the lab's rules where that names a line, or a TODO is
 * open; else what causes.def has for the line that costs most. */
struct finding cause_of_order(const struct case_run *run, struct finding found);

/* The call that @error is of, whose code nobody looked at: with its line where
 * the virtual GPU tells it. */
struct finding cause_of_error(const struct checked *seen, const char *error);

/* The same of the error that is left of a run; where that one was not looked
 * at, a case that it needs tells the line. */
struct finding cause_of_pending(const struct case_run *run);

/* CHECK ended the program on what comes of an earlier call, which failed and
 * whose code nobody looked at: that call, or none. */
struct finding cause_of_unlooked(const struct case_run *run);

/* Unordered, and of the two operations the first makes memory ready: with its
 * line, and that of the second, whatever the lab is about. */
struct finding cause_of_making(const struct case_run *run);

/* A kernel used what the caller has freed: a host thread was not joined. */
struct finding cause_of_thread_left(const struct case_run *run);

/* Wrong or unordered, and a host thread is why: it waits for GPU 0 with its
 * work on another, or two met in the same memory. */
struct finding cause_of_threads(const struct case_run *run);

#endif
