/* svg_host.c: a row of the calls that the host was in
 *
 * Gaps between the bars are the host's own work. The row shows what a sentence
 * about queues can not: that a launch returns at once, and which call waits.
 * One thread only; programs with several have the interactive page.
 */
#include "svg_host.h"

#include "scale.h"

#include <string.h>

#define LETTER 6.6 /* width of a letter in a bar, on average */
#define NARROW 0.5 /* calls that are closer are one bar */
#define THREAD 0   /* the first; others have no row */

struct span {
    uint64_t start_ns, end_ns; /* in the view's time */
};

bool tl_svg_host_wanted(const struct view *v)
{
    return v->host && v->trace->num_calls > 0;
}

/* Return: false where nothing of the call is in the view. */
static bool cut_to_view(const struct view *v, const struct trace_call *call,
                        struct span *span)
{
    uint64_t end_ns = v->zero_ns + v->span_ns;

    if (call->thread != THREAD || call->end_ns <= v->zero_ns ||
        call->start_ns >= end_ns)
        return false;
    span->start_ns = tl_view_time_ns(v, call->start_ns);
    span->end_ns = tl_view_time_ns(v, call->end_ns);
    return true;
}

/* @call  NULL where the bar stands for several */
static void put_calls(const struct svg_plot *p, const struct span *span,
                      const struct trace_call *call, double y)
{
    double x = tl_svg_plot_x(p, span->start_ns);
    double width = tl_svg_plot_x(p, span->end_ns) - x;
    char time[16];

    tl_out_print(p->o,
                 "<rect class=\"%stl-host\" x=\"%.2f\" y=\"%.1f\" "
                 "width=\"%.2f\" height=\"%d\"><title>",
                 width > 2 ? "tl-b " : "", x, y, width < 0.5 ? 0.5 : width,
                 SVG_BAR);
    tl_out_xml(p->o, call ? call->name : "several calls");
    tl_out_print(p->o, ", %s</title></rect>\n",
                 tl_scale_time(span->end_ns - span->start_ns, time));
    if (call && width >= 8 + LETTER * (double)strlen(call->name))
        tl_svg_plot_text(p, x + width / 2, y + SVG_BAR / 2.0 + 4, "tl-n",
                         call->name);
}

void tl_svg_host_draw(const struct svg_plot *p, const struct view *v, double y)
{
    const struct trace *t = v->trace;
    double narrow_ns = NARROW / p->width * (double)p->span_ns;
    const struct trace_call *one = NULL;
    struct span bar, span;
    /* A bar is kept until the next call shows whether it belongs to it. */
    bool open = false;

    tl_svg_plot_ground(p, v, y, SVG_BAR, "Host");
    for (size_t i = 0; i < t->num_calls; i++) {
        if (!cut_to_view(v, &t->calls[i], &span))
            continue;
        if (open && (double)span.start_ns < (double)bar.end_ns + narrow_ns &&
            (double)(span.end_ns - span.start_ns) < 8 * narrow_ns &&
            (double)(bar.end_ns - bar.start_ns) < 8 * narrow_ns) {
            bar.end_ns = span.end_ns;
            one = NULL;
            continue;
        }
        if (open)
            put_calls(p, &bar, one, y);
        bar = span;
        one = &t->calls[i];
        open = true;
    }
    if (open)
        put_calls(p, &bar, one, y);
}
