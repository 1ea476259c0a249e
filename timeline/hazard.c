/* hazard.c: the two sides of a hazard, found in a view
 *
 * A trace names the sides of a hazard by ids. What was an operation is one that
 * the picture has a bar for; an access by host code has no operation, only the
 * last call before it. A view shows a region of the trace, so that either may
 * lie outside of it; then a side keeps its words, and has no place.
 */
#include "hazard.h"

#include <inttypes.h>
#include <stdio.h>

/* Ids are not in order: operations are by start. There are few hazards, so that
 * a search through all is good enough. */
static const struct trace_op *find_op(const struct trace *t, uint64_t id)
{
    for (size_t i = 0; id && i < t->num_ops; i++)
        if (t->ops[i].id == id && t->ops[i].engine != TRACE_ENGINE_NONE)
            return &t->ops[i];
    return NULL;
}

static bool is_shown(const struct view *v, const struct trace_op *op)
{
    for (size_t i = 0; op && i < v->num_ops; i++)
        if (v->ops[i] == op)
            return true;
    return false;
}

struct hazard_side tl_hazard_side(const struct view *v,
                                  const struct trace_hazard *h, bool second)
{
    uint64_t id = second ? h->second_op : h->first_op;
    uint64_t call = second ? h->second_call : h->first_call;
    const struct trace_op *const op = find_op(v->trace, id);

    return (struct hazard_side){
        .op = op,
        .shown = is_shown(v, op),
        .call = id ? NULL : trace_find_call(v->trace, call),
        .is_host = id == 0,
        .at = second ? h->second_at : h->first_at,
    };
}

void tl_hazard_name_side(const struct hazard_side *side, char *text,
                         size_t size)
{
    /* A kernel has a name that its reader chose; copies are told apart by their
     * direction, which says more than "memcpy". */
    static const char *const words[TRACE_NUM_KINDS] = {"copy to the device",
                                                       "copy to the host",
                                                       "copy on the device",
                                                       "peer copy",
                                                       "memset",
                                                       "kernel",
                                                       "host function",
                                                       "event"};

    if (side->op)
        snprintf(text, size, "%s%s%.100s in stream %" PRIu64,
                 words[side->op->kind],
                 side->op->kind == TRACE_KIND_KERNEL ? " " : "",
                 side->op->kind == TRACE_KIND_KERNEL ? side->op->name : "",
                 side->op->stream);
    else
        snprintf(text, size, "%s",
                 side->is_host ? "host code"
                               : "an operation that is not known");
}

const char *tl_hazard_line(const struct hazard_side *side)
{
    return side->op && *side->op->at ? side->op->at : side->at;
}

bool tl_hazard_time_ns(const struct view *v, const struct hazard_side *side,
                       uint64_t *t_ns)
{
    if (side->op && !side->shown)
        return false;
    if (side->op) {
        /* Inside the bar, however short it is, and beside its label. */
        uint64_t start_ns = tl_view_start_ns(v, side->op);

        *t_ns = start_ns + (tl_view_end_ns(v, side->op) - start_ns) * 3 / 4;
        return true;
    }
    if (!side->call)
        return false;
    *t_ns = tl_view_time_ns(v, side->call->end_ns);
    return true;
}
