/* html_waits.c: what waited for what, as JSON for the scripts of a page
 *
 * A cause is three numbers for each operation of the view, one after the other
 * in one array, because there may be a hundred thousand: the reason, the
 * position of the operation that held it up (-1: none is shown) and the id of
 * the wait (0: none). An edge is three, too, and there is one for each
 * predecessor that a wait puts in order.
 */
#include "html_waits.h"

#include "cause.h"
#include "html_data.h"

#include <inttypes.h>
#include <stdlib.h>

/* Operations of a view point into one array of the trace, in the order of
 * time: their addresses are in that order, too. */
static int order_pointers(const void *a, const void *b)
{
    const struct trace_op *x = *(const struct trace_op *const *)a;
    const struct trace_op *y = *(const struct trace_op *const *)b;

    return x < y ? -1 : x > y;
}

static long position(const struct view *v, const struct trace_op *op)
{
    const struct trace_op **at =
        op ? bsearch(&op, v->ops, v->num_ops, sizeof *v->ops, order_pointers)
           : NULL;

    return at ? (long)(at - v->ops) : -1;
}

static int64_t since(const struct view *v, uint64_t t_ns)
{
    return (int64_t)t_ns - (int64_t)v->zero_ns;
}

static void put_streams(const struct view *v, struct out *o)
{
    const struct trace *t = v->trace;

    tl_html_put_names(o, "streams", "device number name");
    for (size_t i = 0; i < t->num_streams; i++) {
        tl_out_print(o, ",\n[%u,%" PRIu64 ",", t->streams[i].device,
                     t->streams[i].number);
        tl_out_json(o, t->streams[i].name);
        tl_out_text(o, "]");
    }
    tl_out_text(o, "],\n");
}

/* One that was never reached has the time null. */
static void put_events(const struct view *v, struct out *o)
{
    const struct trace *t = v->trace;

    tl_html_put_names(o, "events", "id device stream time name at");
    for (size_t i = 0; i < t->num_events; i++) {
        const struct trace_event *e = &t->events[i];

        tl_out_print(o, ",\n[%" PRIu64 ",%u,%" PRIu64 ",", e->id, e->device,
                     e->stream);
        if (e->t_ns == TRACE_NO_TIME)
            tl_out_text(o, "null,");
        else
            tl_out_print(o, "%" PRId64 ",", since(v, e->t_ns));
        tl_out_json(o, e->name);
        tl_out_text(o, ",");
        tl_out_json(o, e->at);
        tl_out_text(o, "]");
    }
    tl_out_text(o, "],\n");
}

static void put_waits(const struct view *v, struct out *o)
{
    const struct trace *t = v->trace;

    tl_html_put_names(o, "waits", "id event stream at");
    for (size_t i = 0; i < t->num_waits; i++) {
        const struct trace_wait *w = &t->waits[i];

        tl_out_print(o, ",\n[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", w->id,
                     w->event, w->stream);
        tl_out_json(o, w->at);
        tl_out_text(o, "]");
    }
    tl_out_text(o, "],\n");
}

static void put_causes(const struct view *v, const struct causes *causes,
                       struct out *o)
{
    const char *comma = "";

    tl_out_text(o, "\"causes\":[");
    for (size_t i = 0; i < v->num_ops; i++) {
        const struct cause c = tl_cause_find(causes, v->ops[i]);

        tl_out_print(o, "%s%d,%ld,%" PRIu64, i ? "," : "", (int)c.why,
                     position(v, c.op), c.wait ? c.wait->id : (uint64_t)0);
    }
    tl_out_text(o, "],\n\"edges\":[");
    for (size_t i = 0; i < v->num_ops; i++) {
        const uint64_t *after = trace_after(v->trace, v->ops[i]);
        const uint64_t *via = trace_via(v->trace, v->ops[i]);

        for (size_t k = 0; via && k < v->ops[i]->num_after; k++) {
            long from =
                via[k] ? position(v, tl_causes_op(causes, after[k])) : -1;

            if (from < 0)
                continue;
            tl_out_print(o, "%s%ld,%zu,%" PRIu64, comma, from, i, via[k]);
            comma = ",";
        }
    }
    tl_out_text(o, "],\n");
}

/* Those that the region shows. */
static void put_ranges(const struct view *v, struct out *o)
{
    const struct trace *t = v->trace;

    tl_html_put_names(o, "ranges", "thread start end name at");
    for (size_t i = 0; i < t->num_ranges; i++) {
        const struct trace_range *r = &t->ranges[i];

        if (since(v, r->start_ns) > (int64_t)v->span_ns ||
            since(v, r->end_ns) < 0)
            continue;
        tl_out_print(o, ",\n[%" PRIu64 ",%" PRId64 ",%" PRId64 ",", r->thread,
                     since(v, r->start_ns), since(v, r->end_ns));
        tl_out_json(o, r->name);
        tl_out_text(o, ",");
        tl_out_json(o, r->at);
        tl_out_text(o, "]");
    }
    tl_out_text(o, "],\n");
}

void tl_html_put_waits(const struct view *v, struct out *o)
{
    struct causes causes;

    if (!tl_causes_make(v, &causes)) {
        o->failed = true;
        return;
    }
    put_streams(v, o);
    put_events(v, o);
    put_waits(v, o);
    put_causes(v, &causes, o);
    put_ranges(v, o);
    tl_causes_free(&causes);
}
