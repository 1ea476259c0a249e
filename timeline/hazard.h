/* hazard.h: the two sides of a hazard, found in a view */
#ifndef TIMELINE_HAZARD_H
#define TIMELINE_HAZARD_H

#include "view.h"

/* One of the two accesses. */
struct hazard_side {
    const struct trace_op *op; /* NULL: the host, or the trace lacks it */
    bool shown;                /* @op is in the view */
    const struct trace_call
        *call; /* of the host: the call before it, or NULL */
    bool is_host;
    const char *at; /* source line of the access, or "" */
};

/* @second  which of the two */
struct hazard_side tl_hazard_side(const struct view *v,
                                  const struct trace_hazard *h, bool second);

/* "kernel decrypt_gpu in stream 3", "host code". */
void tl_hazard_name_side(const struct hazard_side *side, char *text,
                         size_t size);

/* The line to look at: that of the call which made the operation, since who
 * looks for the mistake needs it first; else that of the access, or "". */
const char *tl_hazard_line(const struct hazard_side *side);

/* When the access was, in the view's time; for the host the end of the call
 * before it. Return: false where that is not known.
 */
bool tl_hazard_time_ns(const struct view *v, const struct hazard_side *side,
                       uint64_t *t_ns);

#endif
