/* svg_host.h: a row of an SVG timeline for the calls that the host was in */
#ifndef TIMELINE_SVG_HOST_H
#define TIMELINE_SVG_HOST_H

#include "svg_plot.h"

/* Does the view ask for that row, and has something to show in it? */
bool tl_svg_host_wanted(const struct view *v);

/* Draw it at @y: one bar for each call of the first host thread, joined where
 * they are too narrow to be told apart.
 */
void tl_svg_host_draw(const struct svg_plot *p, const struct view *v, double y);

#endif
