/* svg.c: a picture for print and for pages, light and dark
 *
 * From above: for each view a heading, the host's row where it is wanted, rows
 * of operations, hazards; below all of them one axis and a legend. Heights
 * are known before anything is drawn, because the grid lies behind the rows.
 *
 * Two shades of a colour alternate, so that neighbours are told apart without a
 * gap between them; the kind of engine is in the colour, the label and the
 * hover text, never in the colour alone.
 */
#include "svg.h"

#include "compare.h"
#include "micro.h"
#include "scale.h"
#include "svg_bar.h"
#include "svg_hazard.h"
#include "svg_host.h"
#include "svg_wait.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* All in the units of the viewBox. */
#define MIN_LABEL 70
#define LETTER    7.4 /* width of a letter, on average */
#define VIEW_GAP  14
#define HEADING   30
#define AXIS      34
#define LEGEND    26
#define MAX_TICKS 10

/* svg.css with the palette's colours. Inside the picture, so that it looks the
 * same wherever it is put. Names begin with tl-, because in a page they meet
 * the names of others.
 */
extern const char timeline_svg_css[];

/* A line of text takes the place of a row where something is left out. */
static unsigned view_height(const struct view *v)
{
    size_t rows = (tl_svg_plot_rows(v) < v->num_rows) + (v->num_rows == 0) +
                  tl_svg_hazard_rows(v) + tl_svg_host_wanted(v);

    return HEADING + (unsigned)rows * SVG_ROW +
           (unsigned)tl_svg_plot_rows_height(v, tl_svg_plot_rows(v)) + VIEW_GAP;
}

/* Percent: with the time of its own view, and not of the longest.
 * Return: how high the row is */
static int put_row(const struct svg_plot *p, const struct view *v,
                   const struct view_row *row, double y)
{
    const int height = tl_svg_plot_height(row);
    char percent[16];

    tl_svg_plot_ground(p, v, y, height, row->label);
    tl_svg_bar_draw_row(p, v, row, y);
    snprintf(percent, sizeof percent, "%.0f%%",
             tl_scale_percent(row->busy_ns, v->span_ns));
    tl_svg_plot_text(p, SVG_WIDTH - SVG_MARGIN, y + height / 2.0 + 4.5,
                     "tl-r tl-m", percent);
    return height + SVG_ROW - SVG_BAR;
}

/* The background behind it keeps the grid's lines out of the words. */
static void put_heading(const struct svg_plot *p, const struct view *views,
                        size_t i, double y)
{
    char time[16], ratio[COMPARE_ROOM], text[16 + 2 + COMPARE_ROOM];

    snprintf(text, sizeof text, "%s%s%s", tl_scale_time(views[i].span_ns, time),
             i ? ", " : "", i ? tl_compare(&views[0], &views[i], ratio) : "");
    tl_out_print(p->o,
                 "<rect class=\"tl-bg\" y=\"%.1f\" width=\"%d\" "
                 "height=\"%d\"/>\n",
                 y, SVG_WIDTH, HEADING - 4);
    tl_svg_plot_text(p, SVG_MARGIN, y + 18, "tl-h", views[i].title);
    tl_svg_plot_text(p, SVG_WIDTH - SVG_MARGIN, y + 18, "tl-r tl-m", text);
}

/* Rows of one device are kept together; a line parts them from the next. */
static void put_view(const struct svg_plot *p, const struct view *v, double y)
{
    char text[64];
    double top;

    if (tl_svg_host_wanted(v)) {
        tl_svg_host_draw(p, v, y);
        y += SVG_ROW;
    }
    top = y;
    for (size_t i = 0; i < tl_svg_plot_rows(v); i++) {
        if (i && v->rows[i].device != v->rows[i - 1].device)
            tl_out_print(p->o, "<path class=\"tl-grid\" d=\"M%d %.1fH%d\"/>\n",
                         SVG_MARGIN, y - (SVG_ROW - SVG_BAR) / 2.0,
                         SVG_WIDTH - SVG_MARGIN);
        y += put_row(p, v, &v->rows[i], y);
    }
    if (v->num_rows == 0) {
        tl_svg_plot_text(p, p->x, y + 14, "tl-m",
                         "no device work in this region");
        y += SVG_ROW;
    }
    if (tl_svg_plot_rows(v) < v->num_rows) {
        snprintf(text, sizeof text, "%zu more rows",
                 v->num_rows - tl_svg_plot_rows(v));
        tl_svg_plot_text(p, p->x, y + 14, "tl-m", text);
        y += SVG_ROW;
    }
    tl_svg_wait_draw(p, v, top);
    tl_svg_hazard_draw(p, v, top, y);
}

/* The unit stands once, at the right edge, and not at each number. */
static void put_grid(const struct svg_plot *p, double top, double bottom)
{
    const struct scale scale = tl_scale_make(p->span_ns, MAX_TICKS);
    char label[40];

    for (uint64_t t_ns = 0; t_ns <= p->span_ns; t_ns += scale.step_ns) {
        double x = tl_svg_plot_x(p, t_ns);

        tl_out_print(p->o, "<path class=\"tl-grid\" d=\"M%.1f %.1fV%.1f\"/>\n",
                     x, top, bottom + 5);
        tl_scale_label(&scale, t_ns, label, sizeof label);
        tl_svg_plot_text(p, x, bottom + 20, "tl-c tl-m", label);
    }
    tl_svg_plot_text(p, SVG_WIDTH - SVG_MARGIN, bottom + 20, "tl-r tl-m",
                     scale.unit);
}

/* For who cannot see the picture: the same as the rows say, of the first 16. A
 * screen reader reads all of it aloud.
 */
static void put_description(const struct svg_plot *p, const struct view *views,
                            size_t num, const char *id)
{
    char time[16];

    tl_out_print(p->o, "<title id=\"%s-title\">Timeline of ", id);
    for (size_t i = 0; i < num; i++) {
        tl_out_text(p->o, i ? " and " : "");
        tl_out_xml(p->o, views[i].title);
    }
    tl_out_print(p->o, "</title>\n<desc id=\"%s-desc\">", id);
    for (size_t i = 0; i < num; i++) {
        const struct view *v = &views[i];

        tl_out_xml(p->o, v->title);
        tl_out_print(p->o, " takes %s. ", tl_scale_time(v->span_ns, time));
        for (size_t k = 0; k < tl_svg_plot_rows(v) && k < 16; k++)
            tl_out_print(p->o, "%s: %zu operations, busy %.0f%%. ",
                         v->rows[k].label, v->rows[k].num_ops,
                         tl_scale_percent(v->rows[k].busy_ns, v->span_ns));
    }
    tl_out_text(p->o, "</desc>\n");
}

/* In words and not in colours, since these are named by the rows. */
static void put_legend(const struct svg_plot *p, const struct view *views,
                       size_t num, double y)
{
    bool by_stream = num && views[0].by == VIEW_BY_STREAM;
    char text[160];

    snprintf(text, sizeof text, "%s%s%s",
             by_stream  ? "H copy to device, K kernel, D copy to host. "
             : p->named ? ""
                        : "Number in a bar: its stream. ",
             by_stream ? "Percent: share of the time with work."
                       : "Percent: share of the time busy.",
             num && tl_svg_host_wanted(&views[0])
                 ? " Host: in calls of CUDA, else its own work."
                 : "");
    tl_svg_plot_text(p, p->x, y, "tl-m", text);
}

/* The labels' column is as wide as the longest of them needs. */
static void place_plot(struct svg_plot *p, const struct view *views, size_t num)
{
    double label = MIN_LABEL;

    for (size_t i = 0; i < num; i++)
        for (size_t k = 0; k < tl_svg_plot_rows(&views[i]); k++) {
            double need = LETTER * (double)strlen(views[i].rows[k].label);

            if (need > label)
                label = need;
        }
    p->x = SVG_MARGIN + label + 10;
    p->width = SVG_WIDTH - SVG_MARGIN - SVG_PERCENT - p->x;
}

/* Drawn as text that was made for everywhere; then its microseconds get their
 * sign. */
void tl_svg_draw(const struct view *views, size_t num, const char *id,
                 struct out *o)
{
    struct out plain = {0};
    struct svg_plot p = {.o = &plain,
                         .span_ns = tl_view_longest_ns(views, num),
                         .named = tl_svg_bar_is_named(views, num)};
    double y = SVG_MARGIN, bottom = SVG_MARGIN;

    place_plot(&p, views, num);
    for (size_t i = 0; i < num; i++)
        bottom += view_height(&views[i]);
    tl_out_print(p.o,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
                 "%.0f\" role=\"img\" aria-labelledby=\"%s-title %s-desc\">\n",
                 SVG_WIDTH, bottom + AXIS + LEGEND, id, id);
    put_description(&p, views, num, id);
    tl_out_print(p.o, "<style>\n%s</style>\n", timeline_svg_css);
    tl_out_print(p.o, "<rect class=\"tl-bg\" width=\"%d\" height=\"%.0f\"/>\n",
                 SVG_WIDTH, bottom + AXIS + LEGEND);
    put_grid(&p, SVG_MARGIN + HEADING - 4, bottom);
    for (size_t i = 0; i < num; i++) {
        put_heading(&p, views, i, y);
        put_view(&p, &views[i], y + HEADING);
        y += view_height(&views[i]);
    }
    put_legend(&p, views, num, bottom + AXIS + 14);
    tl_out_text(p.o, "</svg>\n");
    tl_micro_put(&plain, o);
}
