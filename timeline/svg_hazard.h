/* svg_hazard.h: the hazards of an SVG timeline, as arrows and in words */
#ifndef TIMELINE_SVG_HAZARD_H
#define TIMELINE_SVG_HAZARD_H

#include "svg_plot.h"

/* How many rows they need below those of the view: one for the host where it
 * takes part, one for the words, which say what no arrow shows.
 */
size_t tl_svg_hazard_rows(const struct view *v);

/* Draw arrows from the first operation to the second, and the words.
 * @top     y of the view's first row
 * @bottom  y of the first row that is free for them
 */
void tl_svg_hazard_draw(const struct svg_plot *p, const struct view *v,
                        double top, double bottom);

#endif
