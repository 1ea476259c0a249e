/* svg_plot.c: the plane of an SVG timeline, where times become places
 *
 * One digit behind the point is a tenth of a unit, less than a printer's dot;
 * widths have two, since a bar's end meets the next one's start.
 */
#include "svg_plot.h"

double tl_svg_plot_x(const struct svg_plot *p, uint64_t t_ns)
{
    return p->x + (double)t_ns / (double)p->span_ns * p->width;
}

size_t tl_svg_plot_rows(const struct view *v)
{
    return v->num_rows < SVG_MAX_ROWS ? v->num_rows : SVG_MAX_ROWS;
}

void tl_svg_plot_text(const struct svg_plot *p, double x, double y,
                      const char *classes, const char *text)
{
    tl_out_print(p->o, "<text class=\"tl-t %s\" x=\"%.1f\" y=\"%.1f\">",
                 classes, x, y);
    tl_out_xml(p->o, text);
    tl_out_text(p->o, "</text>\n");
}

void tl_svg_plot_lane(const struct svg_plot *p, const struct view *v, double y,
                      const char *label)
{
    /* 4.5 below the middle stands the base line of 13px letters. */
    tl_svg_plot_text(p, p->x - 10, y + SVG_BAR / 2.0 + 4.5, "tl-r", label);
    tl_out_print(p->o,
                 "<rect class=\"tl-lane\" x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" "
                 "height=\"%d\"/>\n",
                 p->x, y, tl_svg_plot_x(p, v->span_ns) - p->x, SVG_BAR);
}
