/* svg_wait.h: what waited for an event, as arrows between streams */
#ifndef TIMELINE_SVG_WAIT_H
#define TIMELINE_SVG_WAIT_H

#include "svg_plot.h"

/* Where it is wanted. @top  of the first row of the view, in rows by stream */
void tl_svg_wait_draw(const struct svg_plot *p, const struct view *v,
                      double top);

#endif
