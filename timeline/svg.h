/* svg.h: a picture for print and for pages, light and dark */
#ifndef TIMELINE_SVG_H
#define TIMELINE_SVG_H

#include "out.h"
#include "view.h"

/* Draw views above each other on one scale, as one SVG document with a
 * title, a description and a hover text for each bar. It follows the
 * reader's colour scheme. Operations that are too narrow to be told apart
 * are drawn as one bar. Without an XML declaration, so that it can stand
 * inside a page, too. Hazards are arrows.
 * @id  begins the ids of its elements, which a page may hold only once
 */
void tl_svg_draw(const struct view *views, size_t num, const char *id,
                 struct out *o);

#endif
