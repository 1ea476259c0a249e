/* svg_wait.c: what waited for an event, as arrows between streams
 *
 * From the end of the operation that the event stands behind to the start of
 * the one that waited for it. Only where the event is what held that one up: a
 * wait for what had long been done shows nothing. The words stand in the gap
 * that the wait has made.
 */
#include "svg_wait.h"

#include "cause.h"

#include <stdio.h>
#include <string.h>

#define LETTER 7.0
#define HEAD   9.0

/* Return: the event's name, "" where it has none. */
static const char *name_event(const struct trace *t, uint64_t id)
{
    for (size_t i = 0; i < t->num_events; i++)
        if (t->events[i].id == id)
            return t->events[i].name;
    return "";
}

/* Where the stream's operation before this one ends, or its row begins. */
static double gap_start(const struct svg_plot *p, const struct view *v,
                        const struct view_row *row, const struct trace_op *op)
{
    uint64_t end_ns = 0;

    for (size_t i = 0; i < row->num_ops && row->ops[i] != op; i++)
        end_ns = tl_view_end_ns(v, row->ops[i]);
    return tl_svg_plot_x(p, end_ns);
}

static void put_arrow(const struct svg_plot *p, double from_x, double from_y,
                      double x, double y)
{
    double side = y < from_y ? 1 : -1; /* the head comes from below, or above */

    for (int halo = 1; halo >= 0; halo--)
        tl_out_print(p->o,
                     "<path class=\"%s\" d=\"M%.1f %.1fV%.1fH%.1fV%.1f\"/>",
                     halo ? "tl-halo" : "tl-wait", from_x, from_y,
                     y + side * (SVG_ROW / 2.0), x, y + side * HEAD);
    tl_out_print(p->o,
                 "<circle class=\"tl-end\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>"
                 "<path class=\"tl-end\" d=\"M%.1f %.1fl%.1f %.1fh%.1fz\"/>\n",
                 from_x, from_y, x, y, -HEAD * 0.55, side * HEAD, HEAD * 1.1);
}

static void put_wait(const struct svg_plot *p, const struct view *v,
                     const struct cause *cause, const struct trace_op *op,
                     double top)
{
    double from_y, y, x = tl_svg_plot_x(p, tl_view_start_ns(v, op)), gap;
    const struct view_row *from = tl_svg_plot_find(v, cause->op, &from_y);
    const struct view_row *to = tl_svg_plot_find(v, op, &y);
    const char *event = name_event(v->trace, cause->wait->event);
    double words = LETTER * (double)strlen(event) + 14;
    char text[64];

    if (!from || !to || from == to)
        return;
    gap = x - gap_start(p, v, to, op);
    y += top;
    put_arrow(p, tl_svg_plot_x(p, tl_view_end_ns(v, cause->op)), top + from_y,
              x, y);
    snprintf(text, sizeof text, "%s%s",
             gap > words + LETTER * strlen("event ") ? "event " : "", event);
    if (gap > words)
        tl_svg_plot_text(p, x - 10, y + 4.5, "tl-r", text);
}

void tl_svg_wait_draw(const struct svg_plot *p, const struct view *v,
                      double top)
{
    struct causes causes;

    if (!v->waits || v->by != VIEW_BY_STREAM || !tl_causes_make(v, &causes))
        return;
    for (size_t i = 0; i < v->num_ops; i++) {
        struct cause cause = tl_cause_find(&causes, v->ops[i]);

        if (cause.why == CAUSE_EVENT)
            put_wait(p, v, &cause, v->ops[i], top);
    }
    tl_causes_free(&causes);
}
