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

int tl_svg_plot_bar(const struct view_row *row)
{
    return row->num_lanes > 1 ? SVG_THIN : SVG_BAR;
}

int tl_svg_plot_lane_y(unsigned lane)
{
    return (int)lane * (SVG_THIN + 2);
}

int tl_svg_plot_height(const struct view_row *row)
{
    return tl_svg_plot_lane_y(row->num_lanes - 1) + tl_svg_plot_bar(row);
}

int tl_svg_plot_rows_height(const struct view *v, size_t num)
{
    int height = 0;

    for (size_t i = 0; i < num; i++)
        height += tl_svg_plot_height(&v->rows[i]) + SVG_ROW - SVG_BAR;
    return height;
}

/* An operation is in one row of a view, whichever way these are made. */
const struct view_row *tl_svg_plot_find(const struct view *v,
                                        const struct trace_op *op, double *y)
{
    for (size_t i = 0; i < tl_svg_plot_rows(v); i++) {
        const struct view_row *row = &v->rows[i];

        if (row->device != op->device ||
            (v->by == VIEW_BY_ENGINE ? row->engine != op->engine
                                     : row->stream != op->stream))
            continue;
        for (size_t k = 0; k < row->num_ops; k++)
            if (row->ops[k] == op) {
                *y = tl_svg_plot_rows_height(v, i) +
                     tl_svg_plot_lane_y(row->lane[k]) +
                     tl_svg_plot_bar(row) / 2.0;
                return row;
            }
    }
    return NULL;
}

void tl_svg_plot_text(const struct svg_plot *p, double x, double y,
                      const char *classes, const char *text)
{
    tl_out_print(p->o, "<text class=\"tl-t %s\" x=\"%.1f\" y=\"%.1f\">",
                 classes, x, y);
    tl_out_xml(p->o, text);
    tl_out_text(p->o, "</text>\n");
}

void tl_svg_plot_ground(const struct svg_plot *p, const struct view *v,
                        double y, int height, const char *label)
{
    /* 4.5 below the middle stands the base line of 13px letters. */
    tl_svg_plot_text(p, p->x - 10, y + height / 2.0 + 4.5, "tl-r", label);
    tl_out_print(p->o,
                 "<rect class=\"tl-lane\" x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" "
                 "height=\"%d\"/>\n",
                 p->x, y, tl_svg_plot_x(p, v->span_ns) - p->x, height);
}
