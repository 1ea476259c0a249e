/* svg_picture.h: what the files that draw an SVG timeline share */
#ifndef TIMELINE_SVG_PICTURE_H
#define TIMELINE_SVG_PICTURE_H

#include "scale.h"
#include "svg.h"

/* All in the units of the viewBox. */
#define SVG_WIDTH   960
#define SVG_MARGIN  16
#define SVG_HEADING 30
#define SVG_ROW     26
#define SVG_BAR     20

struct svg_picture {
    struct out *o;
    uint64_t span_ns;
    double plot_x, plot_width;
    struct scale scale;
};

double tl_svg_x(const struct svg_picture *p, uint64_t t_ns);

size_t tl_svg_rows_drawn(const struct view *v);

/* A line of text. @classes are those of svg.c's style, beyond tl-t. */
void tl_svg_text(struct svg_picture *p, double x, double y, const char *classes,
                 const char *text);

/* svg_host.c: 1 where the view has a row of the host, and that row. */
size_t tl_svg_host_rows(const struct view *v);
void tl_svg_host(struct svg_picture *p, const struct view *v, double y);

/* svg_hazard.c: rows that the hazards of a view need below its own: one for
 * the host where it takes part, one for what is not drawn.
 */
size_t tl_svg_hazard_rows(const struct view *v);

/* Draw the hazards as arrows from the first operation to the second.
 * @top     y of the view's first row
 * @bottom  y of the first row that is free for them
 */
void tl_svg_hazards(struct svg_picture *p, const struct view *v, double top,
                    double bottom);

#endif
