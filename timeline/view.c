/* view.c: what of a trace is shown: a region of time, and rows of operations
 *
 * A trace holds all that a program did, from the first cudaMalloc() on. What
 * people want to see is what they marked, with its own time 0, in rows. All
 * that is decided here, once; the writers only draw.
 */
#include "view.h"

#include "number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Short, because they stand beside each row. */
const char *tl_view_engine_name(enum trace_engine engine)
{
    static const char *const names[TRACE_NUM_ENGINES] = {
        "H2D", "Kernels", "D2H", "Copy", "Peer", "Host fn", "none"};

    return names[engine];
}

void tl_view_label_bar(const struct view *v, const struct trace_op *op,
                       char text[VIEW_BAR_LABEL])
{
    static const char letters[] = "HDCPMKFS";

    if (v->by == VIEW_BY_STREAM)
        snprintf(text, VIEW_BAR_LABEL, "%c", letters[op->kind]);
    else
        snprintf(text, VIEW_BAR_LABEL, "%" PRIu64, op->stream);
}

bool tl_view_has_graph(const struct view *v)
{
    for (size_t i = 0; i < v->trace->num_calls; i++)
        if (strncmp(v->trace->calls[i].name, "cudaGraphLaunch", 15) == 0)
            return true;
    return false;
}

uint64_t tl_view_longest_ns(const struct view *views, size_t num)
{
    uint64_t longest_ns = 1;

    for (size_t i = 0; i < num; i++)
        longest_ns = max_u64(longest_ns, views[i].span_ns);
    return longest_ns;
}

uint64_t tl_view_time_ns(const struct view *v, uint64_t t_ns)
{
    return min_u64(max_u64(t_ns, v->zero_ns) - v->zero_ns, v->span_ns);
}

uint64_t tl_view_start_ns(const struct view *v, const struct trace_op *op)
{
    return tl_view_time_ns(v, op->start_ns);
}

uint64_t tl_view_end_ns(const struct view *v, const struct trace_op *op)
{
    return tl_view_time_ns(v, op->end_ns);
}

/* Does an operation touch one of the marked intervals? Without marks, and where
 * the first mark is a stop, the time from the beginning counts as inside.
 */
static bool is_marked(const struct trace *t, const struct trace_op *op)
{
    uint64_t from_ns = 0;
    bool inside = t->num_marks == 0 || !t->marks[0].start;

    for (size_t i = 0; i < t->num_marks; i++) {
        const struct trace_mark *mark = &t->marks[i];

        if (mark->start && !inside)
            from_ns = mark->t_ns;
        if (!mark->start && inside && op->end_ns >= from_ns &&
            op->start_ns <= mark->t_ns)
            return true;
        inside = mark->start;
    }
    return inside && op->end_ns >= from_ns;
}

/* Limits that the marks set; UINT64_MAX and 0 where they set none. */
static void region_of_marks(const struct trace *t, uint64_t *from_ns,
                            uint64_t *to_ns)
{
    *from_ns = UINT64_MAX;
    *to_ns = 0;
    if (t->num_marks > 0 && t->marks[0].start)
        *from_ns = t->marks[0].t_ns;
    if (t->num_marks > 0 && !t->marks[t->num_marks - 1].start)
        *to_ns = t->marks[t->num_marks - 1].t_ns;
}

/* The region starts where the first mark says; an operation that was under way
 * then is cut. Where no mark says so, it starts with the first operation. It
 * ends no earlier than the last operation in it: work that was queued inside
 * the marks and runs on after them belongs to what is measured.
 */
static bool select_ops(struct view *v)
{
    const struct trace *t = v->trace;
    uint64_t from_ns, to_ns;
    bool fixed;

    v->ops = malloc((t->num_ops + 1) * sizeof *v->ops);
    if (!v->ops)
        return false;
    region_of_marks(t, &from_ns, &to_ns);
    fixed = from_ns != UINT64_MAX;
    for (size_t i = 0; i < t->num_ops; i++) {
        const struct trace_op *op = &t->ops[i];

        if (!is_marked(t, op))
            continue;
        v->ops[v->num_ops++] = op;
        if (!fixed)
            from_ns = min_u64(from_ns, op->start_ns);
        to_ns = max_u64(to_ns, op->end_ns);
    }
    v->zero_ns = from_ns == UINT64_MAX ? 0 : from_ns;
    v->span_ns = max_u64(to_ns, v->zero_ns) - v->zero_ns;
    return true;
}

/* A number that is equal for operations of one row, and orders the rows. */
static uint64_t row_key(enum view_by by, const struct trace_op *op)
{
    return by == VIEW_BY_ENGINE ? op->engine : op->stream;
}

static int order_rows(enum view_by by, const void *a, const void *b)
{
    const struct trace_op *x = *(const struct trace_op *const *)a;
    const struct trace_op *y = *(const struct trace_op *const *)b;
    int order = order_u64(x->device, y->device);

    if (!order)
        order = order_u64(row_key(by, x), row_key(by, y));
    /* Within a row by address: the trace has them by start. */
    return order ? order : order_u64((uintptr_t)x, (uintptr_t)y);
}

/* qsort() passes nothing on, so each order has a function of its own. */
static int order_by_engine(const void *a, const void *b)
{
    return order_rows(VIEW_BY_ENGINE, a, b);
}

static int order_by_stream(const void *a, const void *b)
{
    return order_rows(VIEW_BY_STREAM, a, b);
}

/* The number of the GPU only where there are several: most labs have one. */
static void label_row(const struct view *v, struct view_row *row)
{
    char what[32];

    if (v->by == VIEW_BY_ENGINE)
        snprintf(what, sizeof what, "%s", tl_view_engine_name(row->engine));
    else
        snprintf(what, sizeof what, "stream %" PRIu64, row->stream);
    if (v->many_devices)
        snprintf(row->label, sizeof row->label, "GPU %u %s", row->device, what);
    else
        snprintf(row->label, sizeof row->label, "%s", what);
}

/* Time that operations of a row share counts once. */
static void measure_row(const struct view *v, struct view_row *row)
{
    uint64_t until_ns = 0;

    for (size_t i = 0; i < row->num_ops; i++) {
        uint64_t start_ns = tl_view_start_ns(v, row->ops[i]);
        uint64_t end_ns = tl_view_end_ns(v, row->ops[i]);

        start_ns = max_u64(start_ns, until_ns);
        until_ns = max_u64(until_ns, end_ns);
        row->busy_ns += until_ns - start_ns;
    }
}

/* Each in the first lane that is free when it starts. */
unsigned tl_view_lay(const struct view_row *row, uint64_t slack_ns,
                     unsigned char *lanes)
{
    uint64_t until_ns[VIEW_MAX_LANES] = {0};
    unsigned num = 0;

    for (size_t i = 0; i < row->num_ops; i++) {
        unsigned lane = 0;

        while (lane + 1 < VIEW_MAX_LANES &&
               until_ns[lane] > row->ops[i]->start_ns + slack_ns)
            lane++;
        until_ns[lane] = max_u64(until_ns[lane], row->ops[i]->end_ns);
        lanes[i] = (unsigned char)lane;
        if (num <= lane)
            num = lane + 1;
    }
    return num;
}

/* Cut the operations, sorted by row, into rows. A row's array doubles at each
 * power of two, so that its room need not be kept.
 */
static bool make_rows(struct view *v, const struct trace_op **ops, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        const struct trace_op *op = ops[i];
        struct view_row *row = v->num_rows ? &v->rows[v->num_rows - 1] : NULL;

        if (row && row->device == op->device &&
            row_key(v->by, row->ops[0]) == row_key(v->by, op)) {
            row->num_ops++;
            continue;
        }
        if ((v->num_rows & (v->num_rows - 1)) == 0) {
            size_t room = v->num_rows ? v->num_rows * 2 : 1;
            void *more = realloc(v->rows, room * sizeof *v->rows);

            if (!more)
                return false;
            v->rows = more;
        }
        v->rows[v->num_rows++] = (struct view_row){.device = op->device,
                                                   .engine = op->engine,
                                                   .stream = op->stream,
                                                   .ops = ops + i,
                                                   .lane = v->lanes + i,
                                                   .num_ops = 1};
    }
    for (size_t i = 0; i < v->num_rows; i++) {
        label_row(v, &v->rows[i]);
        v->rows[i].num_lanes = tl_view_lay(&v->rows[i], 0, v->rows[i].lane);
        measure_row(v, &v->rows[i]);
    }
    return true;
}

/* One allocation holds two lists: v->ops by start, and behind it the same
 * operations by row, of which each row has a stretch. Events and waits are in
 * the first list alone.
 */
bool tl_view_make(const struct trace *t, enum view_by by, const char *title,
                  struct view *v)
{
    size_t num = 0;

    *v = (struct view){.trace = t, .title = title, .by = by};
    if (!select_ops(v))
        goto out_free_view;

    /* One array behind the other: by start, then by row. */
    const struct trace_op **ops =
        realloc(v->ops, (2 * v->num_ops + 1) * sizeof *ops);

    if (!ops)
        goto out_free_view;
    v->ops = ops;
    v->lanes = malloc(v->num_ops + 1);
    if (!v->lanes)
        goto out_free_view;
    ops += v->num_ops;
    for (size_t i = 0; i < v->num_ops; i++) {
        if (v->ops[i]->engine != TRACE_ENGINE_NONE)
            ops[num++] = v->ops[i];
        v->many_devices |= v->ops[i]->device != v->ops[0]->device;
    }
    qsort(ops, num, sizeof *ops,
          by == VIEW_BY_ENGINE ? order_by_engine : order_by_stream);
    if (make_rows(v, ops, num))
        return true;

out_free_view:
    tl_view_free(v);
    return false;
}

void tl_view_free(struct view *v)
{
    free(v->ops);
    free(v->rows);
    free(v->lanes);
    *v = (struct view){0};
}
