/* terminal.c: timelines for a terminal
 *
 * A row is an array of cells, one for each column. All operations of the row
 * are laid over it first, and a cell shows the one that covers most of it: so a
 * short operation between two long ones may vanish, but the picture never
 * claims work where most of the time is idle. Then labels are put in where a
 * bar has room, and only then is anything printed.
 *
 * Block characters and the colours that a terminal's own theme defines are all
 * that it uses: nothing moves the cursor, so that it can go into a file.
 */
#include "terminal.h"

#include "compare.h"
#include "hazard.h"
#include "number.h"
#include "scale.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT_WIDTH 5 /* " 100%" */

struct cell {
    const struct trace_op *op; /* covers most of this cell, or NULL */
    uint64_t covered_ns;       /* by all operations */
    uint64_t most_ns;          /* by op */
    bool odd;                  /* op is the 2nd, 4th, ... of its row */
    char label;                /* written instead of the fill, or 0 */
};

struct canvas {
    const struct terminal_style *style;
    struct out *o;
    unsigned label_width, columns;
    uint64_t span_ns; /* of all columns */
};

/* As in the SVG picture, as near as the colours come: blue in, orange kernels,
 * green out. */
static const char *kind_color(enum trace_engine engine)
{
    switch (engine) {
    case TRACE_ENGINE_H2D:
        return "\033[34m";
    case TRACE_ENGINE_SM:
        return "\033[33m";
    case TRACE_ENGINE_D2H:
        return "\033[32m";
    case TRACE_ENGINE_COPY:
    case TRACE_ENGINE_PEER:
        return "\033[35m";
    default:
        return "\033[36m";
    }
}

/* From a column's number to the time at its left edge, and back. */
static uint64_t column_ns(const struct canvas *c, size_t column)
{
    return (uint64_t)((double)c->span_ns * (double)column / c->columns + 0.5);
}

static unsigned column_of(const struct canvas *c, uint64_t t_ns)
{
    double column = (double)t_ns / (double)c->span_ns * c->columns;

    return column >= c->columns ? c->columns - 1 : (unsigned)column;
}

/* Lay an operation over the cells. Operations of a row may overlap (kernels in
 * two streams): for how full a cell is, time counts once.
 * @from_ns  until here the row was covered before
 */
static void cover(const struct canvas *c, struct cell *cells,
                  const struct trace_op *op, uint64_t start_ns,
                  uint64_t from_ns, uint64_t end_ns, bool odd)
{
    for (unsigned i = column_of(c, start_ns); i < c->columns; i++) {
        uint64_t left_ns = column_ns(c, i), right_ns = column_ns(c, i + 1);
        uint64_t a_ns = max_u64(start_ns, left_ns);
        uint64_t b_ns = min_u64(end_ns, right_ns);
        uint64_t new_ns = max_u64(from_ns, a_ns);

        if (left_ns >= end_ns && left_ns > start_ns)
            break;
        if (b_ns > new_ns)
            cells[i].covered_ns += b_ns - new_ns;
        if (b_ns >= a_ns && (!cells[i].op || b_ns - a_ns > cells[i].most_ns)) {
            cells[i].op = op;
            cells[i].most_ns = b_ns - a_ns;
            cells[i].odd = odd;
        }
    }
}

/* Is at least half of a cell covered? */
static bool is_full(const struct canvas *c, const struct cell *cells, size_t i)
{
    return cells[i].op &&
           cells[i].covered_ns * 2 >= column_ns(c, i + 1) - column_ns(c, i);
}

/* Put a label at the start of each bar where there is room for it. */
static void label_bars(const struct canvas *c, const struct view *v,
                       struct cell *cells)
{
    char text[VIEW_BAR_LABEL];
    unsigned wide;

    for (unsigned i = 0; i < c->columns; i += wide) {
        size_t len;

        for (wide = 1; i + wide < c->columns && is_full(c, cells, i) &&
                       is_full(c, cells, i + wide) &&
                       cells[i + wide].op == cells[i].op;)
            wide++;
        if (!is_full(c, cells, i))
            continue;
        tl_view_label_bar(v, cells[i].op, text);
        len = strlen(text);
        if (len + (v->by == VIEW_BY_ENGINE) <= wide)
            for (size_t k = 0; k < len; k++)
                cells[i + k].label = text[k];
    }
}

/* By engine the shades alternate from bar to bar; by stream they are the kinds.
 * What is covered to less than a half is light. */
static const char *fill(const struct canvas *c, const struct view *v,
                        const struct cell *cells, unsigned i)
{
    const struct cell *cell = &cells[i];
    bool ascii = c->style->ascii;

    if (!cell->op)
        return ascii ? "." : "\u00b7";
    if (!is_full(c, cells, i))
        return ascii ? "-" : "\u2591";
    if (v->by == VIEW_BY_ENGINE)
        return cell->odd ? (ascii ? "=" : "\u2593") : (ascii ? "#" : "\u2588");
    switch (cell->op->kind) {
    case TRACE_KIND_H2D:
        return ascii ? ">" : "\u2593";
    case TRACE_KIND_D2H:
        return ascii ? "<" : "\u2592";
    case TRACE_KIND_KERNEL:
        return ascii ? "#" : "\u2588";
    default:
        return ascii ? "=" : "\u2592";
    }
}

/* Colours are switched only where they change: a line stays short enough for
 * slow connections and for logs. Behind the view's own end nothing is drawn.
 * @shown  columns that the view takes
 */
static void draw_cells(const struct canvas *c, const struct view *v,
                       const struct cell *cells, unsigned shown)
{
    const char *now = NULL;

    for (unsigned i = 0; i < c->columns; i++) {
        const char *color = NULL;

        if (c->style->color && cells[i].op)
            color = kind_color(cells[i].op->engine);
        if (now && now != color)
            tl_out_text(c->o, "\033[0m");
        if (color && now != color)
            tl_out_text(c->o, color);
        now = color;
        if (cells[i].label)
            tl_out_bytes(c->o, &cells[i].label, 1);
        else if (i >= shown && !cells[i].op)
            tl_out_text(c->o, " ");
        else
            tl_out_text(c->o, fill(c, v, cells, i));
    }
    if (now)
        tl_out_text(c->o, "\033[0m");
}

/* The name of the row and its percents stand beside the first lane.
 * Return: false where memory ran out. */
static bool draw_lane(const struct canvas *c, const struct view *v,
                      const struct view_row *row, const unsigned char *lanes,
                      unsigned lane)
{
    struct cell *cells = calloc(c->columns, sizeof *cells);
    uint64_t until_ns = 0;
    bool odd = false;

    if (!cells)
        return false;
    for (size_t i = 0; i < row->num_ops; i++) {
        uint64_t start_ns = tl_view_start_ns(v, row->ops[i]);
        uint64_t end_ns = tl_view_end_ns(v, row->ops[i]);

        if (lanes[i] != lane)
            continue;
        cover(c, cells, row->ops[i], start_ns, until_ns, end_ns, odd);
        until_ns = max_u64(until_ns, end_ns);
        odd = !odd;
    }
    label_bars(c, v, cells);
    tl_out_print(c->o, "%-*.*s ", (int)c->label_width, (int)c->label_width,
                 lane ? "" : row->label);
    draw_cells(c, v, cells, v->span_ns ? column_of(c, v->span_ns - 1) + 1 : 0);
    if (lane == 0)
        tl_out_print(c->o, " %3.0f%%",
                     tl_scale_percent(row->busy_ns, v->span_ns));
    tl_out_text(c->o, "\n");
    free(cells);
    return true;
}

/* What overlaps for less than a column would look as if it did for a whole one.
 * Return: false where memory ran out. */
static bool draw_row(const struct canvas *c, const struct view *v,
                     const struct view_row *row)
{
    unsigned char *lanes = malloc(row->num_ops);
    unsigned num;
    bool good = lanes;

    if (!lanes)
        return false;
    num = tl_view_lay(row, column_ns(c, 1), lanes);
    for (unsigned lane = 0; good && lane < num; lane++)
        good = draw_lane(c, v, row, lanes, lane);
    free(lanes);
    return good;
}

/* One line of numbers; the last one that has room carries the unit. */
static void draw_axis(const struct canvas *c)
{
    struct scale s = tl_scale_make(c->span_ns, c->columns / 7);
    char *line = malloc(c->columns + 1), label[40];

    if (!line)
        return;
    memset(line, ' ', c->columns);
    line[c->columns] = '\0';
    for (uint64_t t_ns = 0; t_ns <= c->span_ns; t_ns += s.step_ns) {
        bool last = c->span_ns - t_ns < s.step_ns;
        size_t at = (size_t)((double)t_ns / (double)c->span_ns * c->columns);
        size_t len;

        tl_scale_label(&s, t_ns, label, 32);
        len = strlen(label);
        /* A label begins at its tick; the last one is moved into the line. */
        if (at + len > c->columns)
            at = c->columns - len;
        memcpy(line + at, label, len);
        if (last)
            break;
    }
    tl_out_print(c->o, "%-*s %s %s\n", (int)c->label_width, "", line, s.unit);
    free(line);
}

/* A title cut to a number of characters, after it was made safe: bytes that are
 * no text have become characters by then.
 */
static void draw_title(struct out *o, const char *title, unsigned room)
{
    struct out safe = {0};
    const char *p;

    tl_out_plain(&safe, title);
    for (p = safe.data ? safe.data : ""; *p && room > 0; room--) {
        size_t len = tl_utf8_length(p, UTF8_TERMINATED);

        tl_out_bytes(o, p, len ? len : 1);
        p += len ? len : 1;
    }
    tl_out_free(&safe);
}

static void draw_heading(const struct canvas *c, const struct view *views,
                         size_t i)
{
    char time[16], ratio[COMPARE_ROOM] = "";
    unsigned room = c->style->width - 14;

    if (i > 0)
        room -= (unsigned)strlen(tl_compare(&views[0], &views[i], ratio)) + 4;
    draw_title(c->o, views[i].title, room < 12 ? 12 : room);
    tl_out_print(c->o, "  %s", tl_scale_time(views[i].span_ns, time));
    if (i > 0)
        tl_out_print(c->o, "  (%s)", ratio);
    tl_out_text(c->o, "\n");
}

/* "hazard: lab.cu:33, kernel add in stream 2: write", the other side below.
 * Where a line does not fit, its folders are left out. */
static void draw_hazard(const struct canvas *c, const struct view *v,
                        const struct trace_hazard *h)
{
    const char *const dash = strchr(h->kind, '-');

    for (int i = 0; i < 2; i++) {
        const struct hazard_side side = tl_hazard_side(v, h, i == 1);
        const char *at = tl_hazard_line(&side);
        const char *const file = strrchr(at, '/');
        char name[160], rest[200], line[400];

        tl_hazard_name_side(&side, name, sizeof name);
        snprintf(rest, sizeof rest, "%s: %.*s", name,
                 i ? 20 : (int)(dash - h->kind), i ? dash + 1 : h->kind);
        if (file && strlen(at) + strlen(rest) + 10 > c->style->width)
            at = file + 1;
        snprintf(line, sizeof line, "%s%.120s, %s",
                 i ? "    and " : "hazard: ", at, rest);
        draw_title(c->o, line, c->style->width);
        tl_out_text(c->o, "\n");
    }
}

static void draw_hazards(const struct canvas *c, const struct view *v)
{
    const size_t num = v->trace->num_hazards;

    for (size_t i = 0; i < num && i < TERMINAL_MAX_HAZARDS; i++)
        draw_hazard(c, v, &v->trace->hazards[i]);
    if (num > TERMINAL_MAX_HAZARDS)
        tl_out_print(c->o, "(%zu more hazards: --stats)\n",
                     num - TERMINAL_MAX_HAZARDS);
}

static void draw_view(const struct canvas *c, const struct view *v)
{
    if (v->num_rows == 0)
        tl_out_text(c->o, "(no device work in this region)\n");
    for (size_t i = 0; i < v->num_rows && i < TERMINAL_MAX_ROWS; i++)
        if (!draw_row(c, v, &v->rows[i]))
            c->o->failed = true;
    if (v->num_rows > TERMINAL_MAX_ROWS)
        tl_out_print(c->o, "(%zu more rows)\n",
                     v->num_rows - TERMINAL_MAX_ROWS);
    draw_hazards(c, v);
}

static void draw_legend(const struct canvas *c, enum view_by by)
{
    bool ascii = c->style->ascii;

    if (by == VIEW_BY_ENGINE)
        tl_out_print(c->o,
                     "%s %s one operation after the other, number: its stream, "
                     "%%: busy\n",
                     ascii ? "#" : "\u2588", ascii ? "=" : "\u2593");
    else
        tl_out_text(c->o,
                    "H copy to device, K kernel, D copy to host, %: busy\n");
}

/* Whoever compares the times with those of the program alone would wonder. On
 * the virtual GPU a trace costs no virtual time.
 */
static void draw_note(const struct canvas *c, const struct view *views,
                      size_t num)
{
    for (size_t i = 0; i < num; i++)
        for (size_t d = 0; d < views[i].trace->num_devices; d++)
            if (strcmp(views[i].trace->devices[d].backend, "cuda") == 0) {
                tl_out_text(c->o, "recorded on a GPU: recording takes time, "
                                  "without it the program is faster\n");
                return;
            }
}

/* The labels of all views have one width, so that the times stand below each
 * other. */
static void widen_label(struct canvas *c, const struct view *v)
{
    for (size_t i = 0; i < v->num_rows; i++)
        if (strlen(v->rows[i].label) > c->label_width)
            c->label_width = (unsigned)strlen(v->rows[i].label);
}

void tl_terminal_draw(const struct view *views, size_t num,
                      const struct terminal_style *style, struct out *o)
{
    struct canvas c = {.style = style, .o = o};

    for (size_t i = 0; i < num; i++)
        widen_label(&c, &views[i]);
    if (c.label_width > style->width / 2)
        c.label_width = style->width / 2;
    c.columns = style->width - c.label_width - 1 - PERCENT_WIDTH;
    c.span_ns = tl_view_longest_ns(views, num);
    for (size_t i = 0; i < num; i++) {
        draw_heading(&c, views, i);
        draw_view(&c, &views[i]);
    }
    if (num > 0) {
        draw_axis(&c);
        draw_legend(&c, views[0].by);
        draw_note(&c, views, num);
    }
}
