/* svg_bar.h: the bars of a row, and what they are labelled with */
#ifndef TIMELINE_SVG_BAR_H
#define TIMELINE_SVG_BAR_H

#include "svg_plot.h"

/* Does a number of a stream tell nothing? No device of the views has work in
 * two of them, or a graph is launched, whose nodes have streams that no program
 * knows. Then bars are labelled with what they are. */
bool tl_svg_bar_is_named(const struct view *views, size_t num);

/* The bars of a row. @y of their upper edge */
void tl_svg_bar_draw_row(const struct svg_plot *p, const struct view *v,
                         const struct view_row *row, double y);

#endif
