/* svg_bar.c: the bars of a row, and what they are labelled with
 *
 * A label stands in its bar; where that is too narrow, in small letters; where
 * it is too narrow for these, beside the bar, if there is room before the next
 * one. Labels that find no room are kept, and stand together behind the next
 * bar that has some.
 */
#include "svg_bar.h"

#include "number.h"
#include "scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NARROW 0.35 /* bars below this width are joined with neighbours */
#define LARGE  6.2  /* widths of a letter of 11 px and of 8 px, on average */
#define SMALL  4.6
#define KEPT   3 /* more labels than that become a number of operations */
#define LABEL  32

/* Labels that wait for a place behind a bar. */
struct kept {
    char text[KEPT * LABEL + 8];
    char first[LABEL];
    size_t num;
    bool same;  /* all are as the first */
    double end; /* of the last of their bars */
};

/* The hover text of one operation. */
static void put_op_title(const struct svg_plot *p, const struct view *v,
                         const struct trace_op *op)
{
    char time[16], at[16], bytes[16];

    tl_out_text(p->o, "<title>");
    tl_out_xml(p->o, op->name);
    tl_out_print(p->o, ", stream %" PRIu64 ", %s, from %s", op->stream,
                 tl_scale_time(op->end_ns - op->start_ns, time),
                 tl_scale_time(tl_view_start_ns(v, op), at));
    if (op->bytes)
        tl_out_print(p->o, ", %s", tl_scale_bytes(op->bytes, bytes));
    if (op->mem == TRACE_MEM_PAGEABLE)
        tl_out_text(p->o, ", pageable");
    if (*op->at) {
        tl_out_text(p->o, ", ");
        tl_out_xml(p->o, op->at);
    }
    tl_out_text(p->o, "</title>");
}

/* Bars have an edge of their own only where it leaves something of them. Half a
 * unit is the least that can be seen. */
static void put_bar(const struct svg_plot *p, const struct trace_op *op,
                    double x, double width, double y, int height, bool odd)
{
    tl_out_print(p->o,
                 "<rect class=\"%stl-%s%s\" x=\"%.2f\" y=\"%.1f\" "
                 "width=\"%.2f\" height=\"%d\"",
                 width > 2 ? "tl-b " : "", trace_engine_words[op->engine],
                 odd ? " tl-o" : "", x, y, width < 0.5 ? 0.5 : width, height);
}

/* The next operation in the lane of this one, or num_ops. */
static size_t next_in_lane(const struct view_row *row, size_t i)
{
    const unsigned char lane = row->lane[i];

    while (++i < row->num_ops && row->lane[i] != lane)
        ;
    return i;
}

/* Operations from *i on that make one bar: one, or many narrow ones. A thousand
 * operations within a point would make a file of a megabyte that shows nothing
 * more. A joined bar does not grow beyond four times what is narrow, so that a
 * row of small operations still looks like many. *i becomes the next after it.
 * Return: where the bar ends, in ns.
 */
static uint64_t join_narrow(const struct svg_plot *p, const struct view *v,
                            const struct view_row *row, size_t *i, size_t *num)
{
    uint64_t start_ns = tl_view_start_ns(v, row->ops[*i]);
    uint64_t end_ns = tl_view_end_ns(v, row->ops[*i]);
    double narrow_ns = NARROW / p->width * (double)p->span_ns;

    *num = 1;
    for (*i = next_in_lane(row, *i); *i < row->num_ops;
         *i = next_in_lane(row, *i), ++*num) {
        const struct trace_op *next = row->ops[*i];
        uint64_t next_end_ns = tl_view_end_ns(v, next);

        if ((double)(end_ns - start_ns) > 4 * narrow_ns ||
            (double)(next_end_ns - tl_view_start_ns(v, next)) > narrow_ns ||
            (double)tl_view_start_ns(v, next) > (double)end_ns + narrow_ns)
            break;
        end_ns = max_u64(end_ns, next_end_ns);
    }
    return end_ns;
}

/* One stream at most for each of the devices, of which there are 64. */
static bool has_one_stream(const struct view *v)
{
    uint64_t stream[64];
    bool seen[64] = {false};

    for (size_t i = 0; i < v->num_ops; i++) {
        unsigned device = v->ops[i]->device & 63;

        if (v->ops[i]->engine == TRACE_ENGINE_NONE)
            continue;
        if (seen[device] && stream[device] != v->ops[i]->stream)
            return false;
        seen[device] = true;
        stream[device] = v->ops[i]->stream;
    }
    return true;
}

bool tl_svg_bar_is_named(const struct view *views, size_t num)
{
    bool graph = false, one_stream = true;

    for (size_t i = 0; i < num; i++) {
        if (views[i].by == VIEW_BY_STREAM)
            return false;
        graph = graph || tl_view_has_graph(&views[i]);
        one_stream = one_stream && has_one_stream(&views[i]);
    }
    return graph || one_stream;
}

static void name_op(const struct svg_plot *p, const struct view *v,
                    const struct trace_op *op, char text[LABEL])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double bytes = (double)op->bytes;
    int unit = 0;

    if (!p->named)
        tl_view_label_bar(v, op, text);
    else if (op->bytes) {
        for (; bytes >= 1023.5 && unit < 4; unit++)
            bytes /= 1024;
        snprintf(text, LABEL, "%.3g %s", bytes, units[unit]);
    } else
        snprintf(text, LABEL, "%.*s", LABEL - 1, op->name);
}

/* Return: "" for letters of 11 px in so much room, " tl-x" for 8 px, or NULL.
 */
static const char *letters(const char *text, double room)
{
    double len = (double)strlen(text);

    return room >= 3.4 + LARGE * len   ? ""
           : room >= 1.5 + SMALL * len ? " tl-x"
                                       : NULL;
}

static bool put_inside(const struct svg_plot *p, const char *text, double x,
                       double width, double middle)
{
    const char *size = letters(text, width);
    char classes[16];

    if (!size)
        return false;
    snprintf(classes, sizeof classes, "tl-n%s", size);
    tl_svg_plot_text(p, x + width / 2, middle + (*size ? 3 : 4), classes, text);
    return true;
}

/* Behind the last bar, if it fits there before the next one. */
static void put_beside(const struct svg_plot *p, struct kept *kept, double next,
                       double middle)
{
    char classes[16];
    const char *size;

    if (kept->num > KEPT && kept->same)
        snprintf(kept->text, sizeof kept->text, "%zu in stream %.10s",
                 kept->num, kept->first);
    else if (kept->num > KEPT)
        snprintf(kept->text, sizeof kept->text, "%zu operations", kept->num);
    size = kept->num ? letters(kept->text, next - kept->end) : NULL;
    if (!size)
        return;
    snprintf(classes, sizeof classes, "tl-e%s", size);
    tl_svg_plot_text(p, kept->end + (*size ? 1.2 : 3), middle + (*size ? 3 : 4),
                     classes, kept->text);
    kept->num = 0;
}

/* @streams  the labels are numbers of streams, and not of a joined bar */
static void keep(struct kept *kept, const char *text, size_t num, double end,
                 bool streams)
{
    size_t len = kept->num ? strlen(kept->text) : 0;

    if (kept->num == 0) {
        snprintf(kept->first, sizeof kept->first, "%s", text);
        kept->same = true;
    }
    kept->same = kept->same && streams && strcmp(kept->first, text) == 0;
    if (kept->num + num <= KEPT)
        snprintf(kept->text + len, sizeof kept->text - len, "%s%s",
                 len && streams ? " " : "", text);
    kept->num += num;
    kept->end = end;
}

/* An operation and its neighbour may be told apart by their shades; in rows by
 * stream it is the kinds that have colours. @i  the lane's first operation
 */
static void draw_lane(const struct svg_plot *p, const struct view *v,
                      const struct view_row *row, size_t i, double y)
{
    const int height = tl_svg_plot_bar(row);
    const double middle = y + height / 2.0;
    struct kept kept = {.num = 0};
    char text[LABEL];
    bool odd = false;

    while (i < row->num_ops) {
        const struct trace_op *op = row->ops[i];
        double x = tl_svg_plot_x(p, tl_view_start_ns(v, op));
        size_t num;
        double width = tl_svg_plot_x(p, join_narrow(p, v, row, &i, &num)) - x;

        put_beside(p, &kept, x, middle);
        put_bar(p, op, x, width, y, height, odd);
        tl_out_text(p->o, ">");
        if (num == 1)
            put_op_title(p, v, op);
        else
            tl_out_print(p->o, "<title>%zu operations</title>", num);
        tl_out_text(p->o, "</rect>\n");
        name_op(p, v, op, text);
        if (num == 1 && put_inside(p, text, x, width, middle))
            kept.num = 0;
        else
            keep(&kept, text, num, x + width,
                 num == 1 && v->by == VIEW_BY_ENGINE && !p->named);
        odd = !odd && v->by == VIEW_BY_ENGINE;
    }
    put_beside(p, &kept, p->x + p->width + SVG_PERCENT / 3.0, middle);
}

void tl_svg_bar_draw_row(const struct svg_plot *p, const struct view *v,
                         const struct view_row *row, double y)
{
    size_t first = 0;

    for (unsigned lane = 0; lane < row->num_lanes; lane++) {
        while (first < row->num_ops && row->lane[first] != lane)
            first++;
        draw_lane(p, v, row, first, y + tl_svg_plot_lane_y(lane));
    }
}
