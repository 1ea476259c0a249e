/* svg_plot.h: the plane of an SVG timeline, where times become places
 *
 * The lowest part of the drawing: it knows of views how many rows they have,
 * and nothing of what stands in them. svg_host.h and svg_hazard.h draw on it,
 * svg.h draws on it and calls those two.
 */
#ifndef TIMELINE_SVG_PLOT_H
#define TIMELINE_SVG_PLOT_H

#include "out.h"
#include "view.h"

#define SVG_MAX_ROWS 256 /* of one view; more are counted, not drawn */

/* All in the units of the viewBox. */
#define SVG_WIDTH   960
#define SVG_MARGIN  16
#define SVG_ROW     26
#define SVG_BAR     20
#define SVG_PERCENT 52 /* the column on the right */

struct svg_plot {
    struct out *o;
    uint64_t span_ns; /* of the whole width, not 0 */
    double x, width;  /* of the times; labels stand to the left of it */
    bool named;       /* bars say what they are, and not in which stream */
};

/* Where a time of a view is; see tl_view_time_ns(). */
double tl_svg_plot_x(const struct svg_plot *p, uint64_t t_ns);

/* How many of a view's rows have a place. */
size_t tl_svg_plot_rows(const struct view *v);

/* A line of text. @classes are those of svg.c's style, beyond tl-t. */
void tl_svg_plot_text(const struct svg_plot *p, double x, double y,
                      const char *classes, const char *text);

/* The label of a row and the ground of its bars, which is as long as the view
 * takes. @y of the bars' upper edge
 */
void tl_svg_plot_lane(const struct svg_plot *p, const struct view *v, double y,
                      const char *label);

#endif
