/* svg_hazard.c: hazards as arrows between two operations
 *
 * An arrow goes from the first access to the second, bent so that it is seen
 * beside the straight lines of the grid. It has a halo of the ground's colour,
 * because it crosses bars of all colours. Not everything can be drawn: an
 * access may lie outside of the region or in a row that has no place; the words
 * below tell how many hazards there are in any case.
 */
#include "svg_hazard.h"

#include "hazard.h"

#include <math.h>
#include <stdio.h>

#define MAX_ARROWS 24 /* more would hide the operations */
#define HEAD       11.0

struct point {
    double x, y;
};

/* Is the side in the picture? Where it is by host code, it is in the host's
 * row, at the time of the last call before it: nearer than that nobody knows.
 */
static bool place_side(const struct svg_plot *p, const struct view *v,
                       const struct hazard_side *side, double top,
                       double host_y, struct point *at)
{
    uint64_t t_ns;

    if (!tl_hazard_time_ns(v, side, &t_ns))
        return false;
    at->x = tl_svg_plot_x(p, t_ns);
    at->y = host_y + SVG_BAR / 2.0;
    if (!side->op)
        return true;
    if (!tl_svg_plot_find(v, side->op, &at->y))
        return false;
    at->y += top;
    return true;
}

/* Looked up before drawing, since the height of the picture depends on it. As
 * many as are drawn, the others need no row. */
static bool needs_host(const struct view *v)
{
    for (size_t i = 0; i < v->trace->num_hazards && i < MAX_ARROWS; i++)
        for (int k = 0; k < 2; k++)
            if (tl_hazard_side(v, &v->trace->hazards[i], k).call)
                return true;
    return false;
}

size_t tl_svg_hazard_rows(const struct view *v)
{
    return v->trace->num_hazards ? 1 + (size_t)needs_host(v) : 0;
}

static void put_title(const struct svg_plot *p, const struct view *v,
                      const struct trace_hazard *h)
{
    tl_out_print(p->o, "<title>Hazard, %s: ", h->kind);
    for (int k = 0; k < 2; k++) {
        struct hazard_side side = tl_hazard_side(v, h, k);
        char name[160];

        tl_hazard_name_side(&side, name, sizeof name);
        tl_out_text(p->o, k ? " and " : "");
        tl_out_xml(p->o, name);
        tl_out_text(p->o, *side.at ? ", " : "");
        tl_out_xml(p->o, side.at);
    }
    tl_out_text(p->o, ". ");
    tl_out_xml(p->o, h->why);
    tl_out_text(p->o, "</title>");
}

/* The head points along the end of the curve. */
static void put_head(const struct svg_plot *p, struct point bend,
                     struct point to)
{
    double dx = to.x - bend.x, dy = to.y - bend.y;
    double len = sqrt(dx * dx + dy * dy);

    if (len < 0.01)
        return;
    dx *= HEAD / len;
    dy *= HEAD / len;
    tl_out_print(p->o,
                 "<path class=\"tl-head\" d=\"M%.1f %.1fL%.1f %.1fL%.1f "
                 "%.1fz\"/>",
                 to.x, to.y, to.x - dx - dy * 0.5, to.y - dy + dx * 0.5,
                 to.x - dx + dy * 0.5, to.y - dy - dx * 0.5);
}

/* One point bends the curve: over the bars where both ends are in one row,
 * where a straight line would be hidden among them; else a little to the right.
 * The circle is the tail, so that the direction is seen without colours.
 */
static void put_arrow(const struct svg_plot *p, const struct view *v,
                      const struct trace_hazard *h, struct point from,
                      struct point to)
{
    struct point bend = {(from.x + to.x) / 2, (from.y + to.y) / 2};

    if (fabs(to.y - from.y) < 1)
        bend.y -= SVG_ROW * 0.9; /* in one row: over the bars */
    else
        bend.x += 22;
    tl_out_text(p->o, "<g class=\"tl-hazard\">");
    put_title(p, v, h);
    for (int halo = 1; halo >= 0; halo--)
        tl_out_print(p->o,
                     "<path class=\"%s\" d=\"M%.1f %.1fQ%.1f %.1f %.1f "
                     "%.1f\"/>",
                     halo ? "tl-halo" : "tl-arrow", from.x, from.y, bend.x,
                     bend.y, to.x, to.y);
    tl_out_print(p->o,
                 "<circle class=\"tl-head\" cx=\"%.1f\" cy=\"%.1f\" "
                 "r=\"4.5\"/>",
                 from.x, from.y);
    put_head(p, bend, to);
    tl_out_text(p->o, "</g>\n");
}

/* The words below the rows: they hold without arrows, too. */
static void put_words(const struct svg_plot *p, const struct view *v,
                      size_t drawn, double y)
{
    const struct trace_hazard *h = &v->trace->hazards[0];
    const struct hazard_side first = tl_hazard_side(v, h, false);
    const struct hazard_side second = tl_hazard_side(v, h, true);
    size_t num = v->trace->num_hazards;

    tl_out_print(p->o, "<text class=\"tl-t tl-bad\" x=\"%.1f\" y=\"%.1f\">",
                 p->x, y + 14);
    tl_out_print(p->o, "%zu hazard%s%s: %s, ", num, num == 1 ? "" : "s",
                 drawn == 0   ? ""
                 : drawn == 1 ? " (arrow)"
                              : " (arrows)",
                 h->kind);
    tl_out_xml(p->o, tl_hazard_line(&first));
    tl_out_text(p->o, " and ");
    tl_out_xml(p->o, tl_hazard_line(&second));
    tl_out_text(p->o, num > 1 ? ", ...</text>\n" : "</text>\n");
}

void tl_svg_hazard_draw(const struct svg_plot *p, const struct view *v,
                        double top, double bottom)
{
    const struct trace *t = v->trace;
    bool host = t->num_hazards > 0 && needs_host(v);
    size_t drawn = 0;

    if (t->num_hazards == 0)
        return;
    if (host)
        tl_svg_plot_ground(p, v, bottom, SVG_BAR, "Host code");
    for (size_t i = 0; i < t->num_hazards && drawn < MAX_ARROWS; i++) {
        struct hazard_side first = tl_hazard_side(v, &t->hazards[i], false);
        struct hazard_side second = tl_hazard_side(v, &t->hazards[i], true);
        struct point from, to;

        if (!place_side(p, v, &first, top, bottom, &from) ||
            !place_side(p, v, &second, top, bottom, &to))
            continue;
        put_arrow(p, v, &t->hazards[i], from, to);
        drawn++;
    }
    put_words(p, v, drawn, bottom + (host ? SVG_ROW : 0));
}
