/* stats.c: busy times, overlaps and gaps, exact to the nanosecond
 *
 * One sweep over time answers all questions about overlap: sort the starts and
 * ends of all operations, walk over them, and add the time since the last one
 * to the set of engines that were busy. There are 6 engines, so 64 sets; every
 * other sum (any of these, all of these, at least two) is a sum over sets. The
 * same walk with devices in place of engines tells how many GPUs worked.
 */
#include "stats.h"
#include "number.h"
#include "stats_path.h"

#include <stdlib.h>
#include <string.h>

/* A moment at which an operation starts or ends. */
struct edge {
    uint64_t t_ns;
    unsigned who; /* an engine, or a device's index */
    int step;     /* +1: starts, -1: ends */
};

static int order_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    const int order = order_u64(x->t_ns, y->t_ns);

    return order ? order : y->step - x->step; /* starts first: see sum_sets */
}

uint64_t tl_stats_overlap_ns(const struct stats_device *d, unsigned set)
{
    uint64_t sum_ns = 0;

    for (unsigned i = 1; i < STATS_NUM_SETS; i++)
        if ((i & set) == set)
            sum_ns += d->exactly_ns[i];
    return sum_ns;
}

uint64_t tl_stats_any_ns(const struct stats_device *d, unsigned set)
{
    uint64_t sum_ns = 0;

    for (unsigned i = 1; i < STATS_NUM_SETS; i++)
        if (i & set)
            sum_ns += d->exactly_ns[i];
    return sum_ns;
}

uint64_t tl_stats_two_or_more_ns(const struct stats_device *d)
{
    uint64_t sum_ns = 0;

    for (unsigned i = 1; i < STATS_NUM_SETS; i++)
        if (i & (i - 1))
            sum_ns += d->exactly_ns[i];
    return sum_ns;
}

/* Two edges for each operation of a row, cut to the region. */
static size_t add_edges(const struct view *v, const struct view_row *row,
                        unsigned who, struct edge *edges)
{
    size_t num = 0;

    for (size_t i = 0; i < row->num_ops; i++) {
        edges[num++] = (struct edge){tl_view_start_ns(v, row->ops[i]), who, 1};
        edges[num++] = (struct edge){tl_view_end_ns(v, row->ops[i]), who, -1};
    }
    return num;
}

/* Walk over sorted edges and add up the time spent with each set of engines. An
 * engine may run several operations at once: it counts as busy until the last
 * of them ends. At one time starts come before ends, so that no count falls
 * below 0 for an operation that takes no time.
 */
static void sum_sets(const struct edge *edges, size_t num, uint64_t span_ns,
                     struct stats_device *d)
{
    size_t running[TRACE_NUM_ENGINES] = {0};
    uint64_t t_ns = 0;
    unsigned set = 0;

    for (size_t i = 0; i < num; i++) {
        const struct edge *e = &edges[i];

        d->exactly_ns[set] += e->t_ns - t_ns;
        t_ns = e->t_ns;
        running[e->who] += (size_t)e->step;
        if (running[e->who] > 0)
            set |= STATS_SET(e->who);
        else
            set &= ~STATS_SET(e->who);
    }
    d->exactly_ns[set] += span_ns - t_ns;
}

/* As sum_sets(), but only how many were busy counts: sets of 64 devices would
 * be too many. */
static void sum_devices(struct stats *s, const struct edge *edges, size_t num)
{
    size_t running[TRACE_MAX_DEVICES] = {0}, busy = 0;
    uint64_t t_ns = 0;

    for (size_t i = 0; i < num; i++) {
        size_t *mine = &running[edges[i].who];

        s->devices_busy_ns[busy] += edges[i].t_ns - t_ns;
        t_ns = edges[i].t_ns;
        busy -= *mine > 0;
        *mine += (size_t)edges[i].step;
        busy += *mine > 0;
    }
    s->devices_busy_ns[busy] += s->view->span_ns - t_ns;
}

/* A gap lies between two operations of a row, where none of it runs; what is
 * before the first and behind the last is no gap, but start and end of the run.
 * until_ns is UINT64_MAX before the first.
 */
static void measure_engine(const struct view *v, const struct view_row *row,
                           struct stats_engine *e)
{
    uint64_t until_ns = UINT64_MAX;

    *e = (struct stats_engine){.device = row->device,
                               .engine = row->engine,
                               .num_ops = row->num_ops,
                               .busy_ns = row->busy_ns};
    for (size_t i = 0; i < row->num_ops; i++) {
        uint64_t start_ns = tl_view_start_ns(v, row->ops[i]);
        uint64_t end_ns = tl_view_end_ns(v, row->ops[i]);

        e->bytes += row->ops[i]->bytes;
        if (until_ns != UINT64_MAX && start_ns > until_ns) {
            uint64_t gap_ns = start_ns - until_ns;

            e->num_gaps++;
            e->gaps_ns += gap_ns;
            e->longest_gap_ns = max_u64(e->longest_gap_ns, gap_ns);
        }
        if (until_ns == UINT64_MAX || end_ns > until_ns)
            until_ns = end_ns;
    }
}

/* Rows come by device, so that one device's rows are neighbours. The edges of
 * one device after the other use the same memory.
 */
static void measure_devices(struct stats *s, struct edge *edges)
{
    const struct view *v = s->view;

    for (size_t i = 0; i < v->num_rows;) {
        struct stats_device *d = &s->devices[s->num_devices++];
        size_t num = 0;

        d->index = v->rows[i].device;
        for (; i < v->num_rows && v->rows[i].device == d->index; i++) {
            d->used |= STATS_SET(v->rows[i].engine);
            num += add_edges(v, &v->rows[i], v->rows[i].engine, edges + num);
        }
        qsort(edges, num, sizeof *edges, order_edges);
        sum_sets(edges, num, v->span_ns, d);
    }
}

static void measure_together(struct stats *s, struct edge *edges)
{
    const struct view *v = s->view;
    size_t num = 0;

    for (size_t i = 0; i < v->num_rows; i++)
        num += add_edges(v, &v->rows[i], v->rows[i].device, edges + num);
    qsort(edges, num, sizeof *edges, order_edges);
    sum_devices(s, edges, num);
}

/* Is the host held? A copy from pageable memory may return at once or at its
 * end; where a call lasts from before the copy's start to its end, it waited.
 */
static void count_copies(struct stats *s)
{
    for (size_t i = 0; i < s->view->num_ops; i++) {
        const struct trace_op *op = s->view->ops[i];
        const struct trace_call *call;

        if (op->kind != TRACE_KIND_H2D && op->kind != TRACE_KIND_D2H)
            continue;
        s->num_copies++;
        if (op->mem != TRACE_MEM_PAGEABLE)
            continue;
        s->num_pageable++;
        call = trace_find_call(s->view->trace, op->call);
        if (call && call->start_ns <= op->start_ns &&
            call->end_ns >= op->end_ns)
            s->num_held++;
    }
}

/* "512x1x1", or "512"; 0: not told. */
static uint64_t count_blocks(const char *grid)
{
    uint64_t blocks = *grid ? 1 : 0;

    while (*grid) {
        char *end;

        blocks *= strtoull(grid, &end, 10);
        if (end == grid)
            return 0;
        grid = *end ? end + 1 : end;
    }
    return blocks;
}

/* How many multiprocessors the kernels of a row have blocks for, summed over
 * time; 0 where something is not told. Copies within the device and memsets
 * have as many as there are. */
static bool sum_blocks(const struct view *v, const struct view_row *row,
                       struct stats_engine *e)
{
    const struct trace_device *device = trace_find_device(v->trace, e->device);
    const uint64_t sms = device ? device->sms : 0;
    struct edge *edges = malloc((2 * row->num_ops + 1) * sizeof *edges);
    uint64_t blocks = 0, t_ns = 0;
    bool told = true;

    if (!edges)
        return false;
    for (size_t i = 0; i < row->num_ops; i++) {
        const struct trace_op *op = row->ops[i];
        const uint64_t mine = op->kind == TRACE_KIND_KERNEL
                                  ? min_u64(count_blocks(op->grid), sms)
                                  : sms;

        edges[2 * i] = (struct edge){tl_view_start_ns(v, op), 0, (int)mine};
        edges[2 * i + 1] = (struct edge){tl_view_end_ns(v, op), 0, -(int)mine};
        told &= mine > 0;
    }
    qsort(edges, 2 * row->num_ops, sizeof *edges, order_edges);
    for (size_t i = 0; told && i < 2 * row->num_ops; i++) {
        e->blocks_ns += min_u64(blocks, sms) * (edges[i].t_ns - t_ns);
        t_ns = edges[i].t_ns;
        blocks += (uint64_t)(int64_t)edges[i].step;
    }
    free(edges);
    return true;
}

static int order_streams(const void *a, const void *b)
{
    const struct trace_op *x = *(const struct trace_op *const *)a;
    const struct trace_op *y = *(const struct trace_op *const *)b;

    const int order = order_u64(x->device, y->device);

    return order ? order : order_u64(x->stream, y->stream);
}

/* Pairs of device and stream, without the ones that stand twice: sorted, each
 * is counted where it begins. */
static bool count_streams(struct stats *s)
{
    size_t num = s->view->num_ops;
    const struct trace_op **ops;

    if (tl_view_has_graph(s->view))
        return true;
    ops = malloc((num + 1) * sizeof *ops);

    if (!ops)
        return false;
    if (num > 0)
        memcpy(ops, s->view->ops, num * sizeof *ops);
    qsort(ops, num, sizeof *ops, order_streams);
    for (size_t i = 0; i < num; i++)
        if (i == 0 || order_streams(&ops[i - 1], &ops[i]) != 0)
            s->num_streams++;
    free(ops);
    return true;
}

bool tl_stats_make(const struct view *v, struct stats *s)
{
    struct edge *edges = malloc((2 * v->num_ops + 1) * sizeof *edges);
    bool good;

    *s = (struct stats){.view = v};
    s->devices = calloc(v->num_rows + 1, sizeof *s->devices);
    s->engines = calloc(v->num_rows + 1, sizeof *s->engines);
    good = edges && s->devices && s->engines;
    if (good) {
        s->num_engines = v->num_rows;
        for (size_t i = 0; i < v->num_rows; i++) {
            measure_engine(v, &v->rows[i], &s->engines[i]);
            if (v->rows[i].engine == TRACE_ENGINE_SM)
                good &= sum_blocks(v, &v->rows[i], &s->engines[i]);
        }
        measure_devices(s, edges);
        measure_together(s, edges);
        count_copies(s);
        good &= count_streams(s) && tl_stats_path_make(v, &s->path);
    }
    free(edges);
    if (!good)
        tl_stats_free(s);
    return good;
}

void tl_stats_free(struct stats *s)
{
    tl_stats_path_free(&s->path);
    free(s->devices);
    free(s->engines);
    *s = (struct stats){0};
}
