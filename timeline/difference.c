/* difference.c: what one run does otherwise than another, in a sentence
 *
 * Two pictures below each other show that they differ; what of it matters takes
 * practice to see. So what a course is about is looked at, in this order:
 * overlap, of kernels too, devices, waiting, memory, and how the work is cut.
 * Nothing is said of which is the reason for the other.
 */
#include "difference.h"

#include "scale.h"

enum { MAX_PARTS = 3, LEAST_PERCENT = 5, LEAST_BESIDE = 2 };

struct facts {
    unsigned overlap, idle; /* percent of the run */
    size_t devices, pageable, streams, kernels;
    unsigned beside; /* kernels of a device, at most; 0: not known */
};

static unsigned percent(uint64_t part_ns, uint64_t whole_ns)
{
    return (unsigned)(tl_scale_percent(part_ns, whole_ns) + 0.5);
}

/* How many kernels of a device ran at once: what is in a lane found those
 * before it taken. Not where something else is among them, or there were not
 * lanes enough. */
static unsigned count_beside(const struct view *v)
{
    unsigned most = 0;

    for (size_t i = 0; i < v->num_rows; i++) {
        const struct view_row *row = &v->rows[i];

        if (v->by != VIEW_BY_ENGINE || row->engine != TRACE_ENGINE_SM)
            continue;
        for (size_t k = 0; k < row->num_ops; k++)
            if (row->ops[k]->kind != TRACE_KIND_KERNEL)
                return 0;
        if (row->num_lanes == VIEW_MAX_LANES)
            return 0;
        if (row->num_lanes > most)
            most = row->num_lanes;
    }
    return most;
}

/* Of several devices the one that overlaps most; idle is when all are. */
static struct facts find_facts(const struct stats *s)
{
    const uint64_t span_ns = s->view->span_ns;
    struct facts f = {.idle = percent(s->devices_busy_ns[0], span_ns),
                      .devices = s->num_devices,
                      .pageable = s->num_pageable,
                      .streams = s->num_streams,
                      .beside = count_beside(s->view)};

    for (size_t i = 0; i < s->num_devices; i++) {
        unsigned overlap =
            percent(tl_stats_two_or_more_ns(&s->devices[i]), span_ns);

        if (overlap > f.overlap)
            f.overlap = overlap;
    }
    for (size_t i = 0; i < s->view->num_ops; i++)
        f.kernels += s->view->ops[i]->kind == TRACE_KIND_KERNEL;
    return f;
}

static unsigned apart(unsigned a, unsigned b)
{
    return a > b ? a - b : b - a;
}

static void begin_part(struct out *o, unsigned *num)
{
    tl_out_text(o, (*num)++ ? "; " : " What differs: ");
}

static void put_count(const char *what, size_t was, size_t is, unsigned *num,
                      struct out *o)
{
    if (was == is || *num == MAX_PARTS)
        return;
    begin_part(o, num);
    tl_out_print(o, "%zu %s%s, not %zu", is, what, is == 1 ? "" : "s", was);
}

static void put_parts(struct facts was, struct facts is, struct out *o)
{
    unsigned num = 0;

    if (apart(was.overlap, is.overlap) >= LEAST_PERCENT) {
        begin_part(o, &num);
        tl_out_print(o,
                     "two or more engines work at once for %u%% of the time, "
                     "not %u%%",
                     is.overlap, was.overlap);
    }
    if (was.beside && is.beside &&
        apart(was.beside, is.beside) >= LEAST_BESIDE) {
        begin_part(o, &num);
        tl_out_print(o, "up to %u kernel%s at once, not %u", is.beside,
                     is.beside == 1 ? "" : "s", was.beside);
    }
    put_count("GPU", was.devices, is.devices, &num, o);
    if (apart(was.idle, is.idle) >= LEAST_PERCENT) {
        begin_part(o, &num);
        tl_out_print(o, "nothing works for %u%% of the time, not %u%%", is.idle,
                     was.idle);
    }
    if (!was.pageable != !is.pageable && num < MAX_PARTS) {
        begin_part(o, &num);
        tl_out_text(o, is.pageable ? "copies of pageable memory"
                                   : "no copies of pageable memory");
    }
    if (was.streams && is.streams) /* else a graph has its own */
        put_count("stream", was.streams, is.streams, &num, o);
    put_count("kernel", was.kernels, is.kernels, &num, o);
    if (num)
        tl_out_text(o, ".");
}

void tl_difference_explain(const struct stats *first, const struct stats *run,
                           struct out *o)
{
    const uint64_t was_ns = first->view->span_ns, is_ns = run->view->span_ns;
    char time[16];

    if (was_ns == is_ns)
        tl_out_text(o, "It takes as long.");
    else
        tl_out_print(
            o, "It takes %s %s.",
            tl_scale_time(was_ns > is_ns ? was_ns - is_ns : is_ns - was_ns,
                          time),
            was_ns > is_ns ? "less" : "more");
    put_parts(find_facts(first), find_facts(run), o);
}
