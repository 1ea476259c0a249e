/* cause.h: what an operation waited for */
#ifndef TIMELINE_CAUSE_H
#define TIMELINE_CAUSE_H

#include "view.h"

enum cause_why {
    CAUSE_NOTHING, /* that the view shows */
    CAUSE_STREAM,  /* the one before it in its stream */
    CAUSE_EVENT,   /* a wait for an event */
    CAUSE_DEFAULT, /* the default stream and its barriers */
    CAUSE_ORDER,   /* another order of the program, such as a graph's */
    CAUSE_ENGINE,  /* its engine was busy */
    CAUSE_HOST,    /* the host asked for it later than all that */
    CAUSE_GUESS,   /* the trace does not say; by the times alone */
};

struct cause {
    enum cause_why why;
    const struct trace_op *op; /* that held it up, or NULL; with CAUSE_HOST the
                                  last that had ended, by a guess */
    const struct trace_wait *wait; /* of CAUSE_EVENT and CAUSE_DEFAULT */
};

#define CAUSE_NUM_LISTS 4

/* The operations of a view, in the orders in which they are looked for. */
struct causes {
    const struct trace *trace;
    const struct trace_op **sorted[CAUSE_NUM_LISTS];
    size_t num;
};

/* @v  must live longer than the result
 * Return: false where memory ran out.
 */
bool tl_causes_make(const struct view *v, struct causes *f);

void tl_causes_free(struct causes *f);

/* What held an operation up: of those that it comes after (the after= of the
 * trace) and the one before it on its engine, the one that ended last. Where
 * its host call came later than that, and in traces without after=, it is a
 * guess from the times: the operation that ended last, no later than this one
 * started; of several the one on the same engine, else one in the same stream,
 * else any (an event or the host stood between them).
 */
struct cause tl_cause_find(const struct causes *f, const struct trace_op *op);

/* Return: the operation of the view with this id, or NULL. */
const struct trace_op *tl_causes_op(const struct causes *f, uint64_t id);

#endif
