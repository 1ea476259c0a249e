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
#define SVG_THIN    12 /* a bar, where a row has several lanes */
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

/* How high its bars are, one below the other; with what is free below them it
 * takes SVG_ROW - SVG_BAR more. One bar of a row is SVG_BAR or SVG_THIN high.
 */
int tl_svg_plot_height(const struct view_row *row);
int tl_svg_plot_bar(const struct view_row *row);

/* All rows that have a place, or those before row @num. */
int tl_svg_plot_rows_height(const struct view *v, size_t num);

/* The row of an operation and the middle of its bar, from the upper edge of the
 * first row. Return: NULL where it has no place. */
const struct view_row *tl_svg_plot_find(const struct view *v,
                                        const struct trace_op *op, double *y);

/* Where a lane of a row begins, below the row's upper edge. */
int tl_svg_plot_lane_y(unsigned lane);

/* A line of text. @classes are those of svg.c's style, beyond tl-t. */
void tl_svg_plot_text(const struct svg_plot *p, double x, double y,
                      const char *classes, const char *text);

/* The label of a row and the ground of its bars, which is as long as the view
 * takes. @y of the bars' upper edge
 */
void tl_svg_plot_ground(const struct svg_plot *p, const struct view *v,
                        double y, int height, const char *label);

#endif
