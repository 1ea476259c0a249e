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
 * Each operation leads back to the one that held it up: cause.h.
 * Return: false where memory ran out.
 */
bool tl_stats_path_make(const struct view *v, struct stats_path *path);

void tl_stats_path_free(struct stats_path *path);

#endif
