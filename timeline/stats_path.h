/* stats_path.h: the chain of operations that leads to the last one */
#ifndef TIMELINE_STATS_PATH_H
#define TIMELINE_STATS_PATH_H

#include "view.h"

struct stats_path {
    const struct trace_op **ops; /* in the order of time */
    size_t num_ops;
    uint64_t engine_ns[TRACE_NUM_ENGINES]; /* sums of the path's operations */
    uint64_t wait_ns; /* between them, and before the first */
    bool exact;       /* from the trace's after=, not only from the times */
};

/* Find the critical path of a view.
 * Each operation leads back to the one that held it up: of those that it comes
 * after (the after= of the trace) and the one before it on its engine, the one
 * that ended last. Where its host call came later than that, and in traces
 * without after=, it is a guess from the times: the operation that ended last,
 * no later than this one started; of several the one on the same engine, else
 * one in the same stream, else any (an event or the host stood between them).
 * Return: false where memory ran out.
 */
bool tl_stats_path_make(const struct view *v, struct stats_path *path);

void tl_stats_path_free(struct stats_path *path);

#endif
