/* explain.c: statistics in words
 *
 * The sentence is for somebody who looks at a picture and asks: what would make
 * it shorter? It names one cause, the one that hides the others. Pageable
 * memory comes first, because nothing else matters before it is gone; then a
 * run without any overlap, then GPUs that take turns; only then the engine that
 * is busiest, because only now it is what the run waits for.
 */
#include "explain.h"

#include "hazard.h"
#include "scale.h"

#include <stdio.h>
#include <string.h>

#define LITTLE_PERCENT 2  /* below: "nothing overlaps" */
#define LIMIT_PERCENT  85 /* from here on an engine is the limit */
#define FULL_PERCENT   50 /* below: most multiprocessors have no block */
#define ORDER_PERCENT  10
#define IDLE_PERCENT   30 /* from here on the device waits for the host */

/* In the order of enum trace_engine; each begins the sentence that ends in
 * "busy 97% of the time".
 */
static const char *engine_phrase(enum trace_engine engine)
{
    static const char *const phrases[TRACE_NUM_ENGINES] = {
        "The copy engine to the device",
        "The multiprocessors (kernels)",
        "The copy engine to the host",
        "The only copy engine (both directions)",
        "The link between the devices",
        "The host function",
        "Nothing"};

    return phrases[engine];
}

/* Needs an engine. Of equals the first, so that a picture and its sentence stay
 * the same from run to run.
 */
static const struct stats_engine *find_busiest(const struct stats *s)
{
    const struct stats_engine *busiest = &s->engines[0];

    for (size_t i = 1; i < s->num_engines; i++)
        if (s->engines[i].busy_ns > busiest->busy_ns)
            busiest = &s->engines[i];
    return busiest;
}

/* Are kernels in the legacy default stream, but copies elsewhere? */
static bool has_default_kernels(const struct view *v)
{
    /* Stream 0 is the legacy default stream, which waits for all others. With
     * the copies in it, too, the run is serial for a simpler reason. */
    size_t kernels = 0, copies = 0;

    for (size_t i = 0; i < v->num_ops; i++) {
        const struct trace_op *op = v->ops[i];

        kernels += op->kind == TRACE_KIND_KERNEL && op->stream == 0;
        copies += (op->kind == TRACE_KIND_H2D || op->kind == TRACE_KIND_D2H) &&
                  op->stream != 0;
    }
    return kernels > 0 && copies > 0;
}

/* More than half of the copies pageable: else a few small ones, such as a
 * result of some bytes, would hide the true cause. Whether the host was held
 * is seen in the trace, and not the same on every GPU.
 * Return: was it the cause? Then the sentence is written.
 */
static bool explain_pageable(const struct stats *s, struct out *o)
{
    if (s->num_pageable * 2 <= s->num_copies)
        return false;
    if (s->num_held > 0)
        tl_out_print(o,
                     "Pageable memory: the host is held during %zu of %zu "
                     "copies, and can queue nothing meanwhile.",
                     s->num_held, s->num_copies);
    else
        tl_out_print(o,
                     "Pageable memory: %zu of %zu copies go through a staging "
                     "buffer; pinned memory is faster and can overlap.",
                     s->num_pageable, s->num_copies);
    return true;
}

/* Two GPUs that each do one thing are overlap, too. */
static uint64_t several_devices_ns(const struct stats *s)
{
    uint64_t sum_ns = 0;

    for (size_t i = 2; i <= TRACE_MAX_DEVICES; i++)
        sum_ns += s->devices_busy_ns[i];
    return sum_ns;
}

/* Together is what two engines of a GPU, or two GPUs, do at a time. A little of
 * it does not count: the recorded times of two neighbours may cross by a
 * moment.
 */
static bool explain_no_overlap(const struct stats *s, struct out *o)
{
    uint64_t together_ns = several_devices_ns(s);
    uint64_t little_ns = s->view->span_ns / 100 * LITTLE_PERCENT;

    for (size_t i = 0; i < s->num_devices; i++)
        together_ns += tl_stats_two_or_more_ns(&s->devices[i]);
    if (s->num_engines < 2 || together_ns > little_ns)
        return false;
    tl_out_text(o, "Nothing overlaps: at most one engine is busy at any time");
    if (s->num_streams == 1)
        tl_out_text(o, ", because all work is in one stream.");
    else if (has_default_kernels(s->view))
        tl_out_text(o, "; kernels in the legacy default stream wait for all "
                       "other streams.");
    else
        tl_out_text(o, ".");
    return true;
}

bool tl_stats_has_order(const struct stats *s, const struct trace_order *order)
{
    return order->run_ns / 10 * 9 <= s->view->span_ns;
}

/* What the line costs most that makes more order than needed. */
static double worst_order(const struct stats *s)
{
    double worst = 0;

    for (size_t i = 0; i < s->view->trace->num_orders; i++) {
        const struct trace_order *o = &s->view->trace->orders[i];
        const double percent = tl_scale_percent(o->saved_ns, o->run_ns);

        if (strncmp(o->kind, "order_", 6) == 0 && o->saved_ns <= o->run_ns &&
            tl_stats_has_order(s, o) && percent > worst)
            worst = percent;
    }
    return worst;
}

static bool has_order(const struct stats *s, const char *begins)
{
    for (size_t i = 0; i < s->view->trace->num_orders; i++)
        if (strncmp(s->view->trace->orders[i].kind, begins, strlen(begins)) ==
            0)
            return true;
    return false;
}

/* A kernel is at work all the time, which fills the device only where there are
 * blocks enough. Return: are there not? Then the sentence is written. */
static bool explain_few_blocks(const struct stats *s,
                               const struct stats_engine *busiest,
                               double percent, struct out *o)
{
    const struct trace_device *device =
        trace_find_device(s->view->trace, busiest->device);
    const double blocks = (double)busiest->blocks_ns / (double)busiest->busy_ns;

    if (busiest->engine != TRACE_ENGINE_SM || !busiest->blocks_ns ||
        blocks * 100 >= device->sms * FULL_PERCENT)
        return false;
    tl_out_print(o,
                 "Kernels run %.0f%% of the time, but have blocks for no more "
                 "than %.0f of the %u multiprocessors on average: %s.",
                 percent, blocks < 1 ? 1 : blocks, device->sms,
                 has_order(s, "order_queue") || has_order(s, "order_one")
                     ? "streams wait for each other in hardware queues, which "
                       "are the limit"
                     : "the limit is how few blocks are there at a time");
    return true;
}

/* No engine is the limit and something overlaps: what is in the way? A kernel
 * in the legacy default stream is a mistake and goes before all measurements.
 * A device without work means that the host cannot queue it fast enough. What
 * remains lies at both ends, where the first chunk is copied in and the last
 * one out, or between the operations of the busiest engine.
 */
static void explain_part(const struct stats *s,
                         const struct stats_engine *busiest, struct out *o)
{
    uint64_t span_ns = s->view->span_ns;
    double percent = tl_scale_percent(busiest->busy_ns, span_ns);
    double idle = tl_scale_percent(s->devices_busy_ns[0], span_ns);
    double gaps = tl_scale_percent(busiest->gaps_ns, span_ns);
    double order = worst_order(s);

    if (order >= ORDER_PERCENT)
        tl_out_print(o,
                     "No engine is the limit, but the order that a line makes: "
                     "without it the time with work would be %.0f%% shorter.",
                     order);
    else if (has_default_kernels(s->view))
        tl_out_print(o,
                     "Kernels in the legacy default stream wait for all other "
                     "streams: no engine is busy more than %.0f%% of the time.",
                     percent);
    else if (idle >= IDLE_PERCENT)
        tl_out_print(o,
                     "The device is idle %.0f%% of the time: it waits for the "
                     "host.",
                     idle);
    else if (s->num_engines == 1)
        tl_out_print(o,
                     "Only one engine has work (%s): there is nothing to "
                     "overlap it with.",
                     tl_view_engine_name(busiest->engine));
    else if (gaps < 100 - percent - gaps)
        tl_out_print(
            o,
            "The busiest engine (%s) works %.0f%% of the time; the "
            "rest is mostly before its first operation and after its last.",
            tl_view_engine_name(busiest->engine), percent);
    else
        tl_out_print(o,
                     "The busiest engine (%s) works %.0f%% of the time, and "
                     "waits in between for %.0f%%.",
                     tl_view_engine_name(busiest->engine), percent, gaps);
}

/* What is plainly a mistake comes first, then what is full; where nothing is,
 * the busiest engine's share says how far away that is. */
void tl_explain_run(const struct stats *s, struct out *o)
{
    uint64_t span_ns = s->view->span_ns;

    if (s->num_engines == 0 || span_ns == 0) {
        tl_out_text(o, "There is no device work in this region.");
        return;
    }
    const struct stats_engine *busiest = find_busiest(s);
    double percent = tl_scale_percent(busiest->busy_ns, span_ns);

    if (explain_pageable(s, o) || explain_no_overlap(s, o))
        return;
    if (s->num_devices > 1 &&
        several_devices_ns(s) <= span_ns / 100 * LITTLE_PERCENT) {
        tl_out_text(o, "The GPUs work one after the other: at most one is busy "
                       "at any time.");
    } else if (percent >= LIMIT_PERCENT &&
               explain_few_blocks(s, busiest, percent, o)) {
        return;
    } else if (percent >= LIMIT_PERCENT) {
        tl_out_text(o, engine_phrase(busiest->engine));
        if (s->num_devices > 1)
            tl_out_print(o, " of GPU %u", busiest->device);
        tl_out_print(o, " %s busy %.0f%% of the time: %s the limit.",
                     busiest->engine == TRACE_ENGINE_SM ? "are" : "is", percent,
                     busiest->engine == TRACE_ENGINE_SM ? "they are" : "it is");
    } else {
        explain_part(s, busiest, o);
    }
}

/* The view is by engine: its rows and the engines of the statistics are the
 * same, in the same order. */
static void report_engines(const struct stats *s, struct out *o)
{
    char bytes[16], busy[16], gap[16];

    tl_out_print(o, "  %-14s %6s %10s %10s %6s %5s %11s\n", "engine", "ops",
                 "bytes", "busy", "", "gaps", "longest gap");
    for (size_t i = 0; i < s->num_engines; i++) {
        const struct stats_engine *e = &s->engines[i];

        tl_out_print(o, "  %-14s %6zu %10s %10s %5.1f%% %5zu %11s\n",
                     s->view->rows[i].label, e->num_ops,
                     e->bytes ? tl_scale_bytes(e->bytes, bytes) : "-",
                     tl_scale_time(e->busy_ns, busy),
                     tl_scale_percent(e->busy_ns, s->view->span_ns),
                     e->num_gaps,
                     e->num_gaps ? tl_scale_time(e->longest_gap_ns, gap) : "-");
    }
}

/* One line, "H2D + Kernels    4.12 ms  28.1%": all of the set busy at once. */
static void report_set(const struct stats *s, const struct stats_device *d,
                       unsigned set, struct out *o)
{
    uint64_t time_ns = tl_stats_overlap_ns(d, set);
    char names[80] = "", time[16];
    size_t len = 0;

    for (unsigned e = 0; e < TRACE_ENGINE_NONE; e++)
        if (set & STATS_SET(e))
            len += (size_t)snprintf(names + len, sizeof names - len, "%s%s",
                                    len ? " + " : "",
                                    tl_view_engine_name((enum trace_engine)e));
    if (s->num_devices > 1)
        tl_out_print(o, "  GPU %-2u", d->index);
    tl_out_print(o, "  %-23s %10s %5.1f%%\n", names,
                 tl_scale_time(time_ns, time),
                 tl_scale_percent(time_ns, s->view->span_ns));
}

/* Pairs and triples of the engines that a device uses. Larger sets would make
 * the list long and tell little more.
 */
static void report_overlap(const struct stats *s, const struct stats_device *d,
                           struct out *o)
{
    for (int size = 2; size <= 3; size++)
        for (unsigned set = 1; set < STATS_NUM_SETS; set++)
            if ((set & d->used) == set && __builtin_popcount(set) == size)
                report_set(s, d, set, o);
}

static void report_path(const struct stats *s, struct out *o)
{
    const struct stats_path *path = &s->path;
    char time[16];

    tl_out_print(o, "  critical path%s: %zu operation%s",
                 path->exact ? "" : " (guessed)", path->num_ops,
                 path->num_ops == 1 ? "" : "s");
    for (unsigned e = 0; e < TRACE_ENGINE_NONE; e++)
        if (path->engine_ns[e])
            tl_out_print(o, ", %s %s",
                         tl_view_engine_name((enum trace_engine)e),
                         tl_scale_time(path->engine_ns[e], time));
    tl_out_print(o, ", waiting %s\n", tl_scale_time(path->wait_ns, time));
}

static void report_devices(const struct stats *s, struct out *o)
{
    char time[16];

    for (size_t i = 1; s->num_devices > 1 && i <= s->num_devices; i++)
        tl_out_print(o, "  %zu GPU%s busy %*s %10s %5.1f%%\n", i,
                     i == 1 ? "" : "s", i == 1 ? 14 : 13, "",
                     tl_scale_time(s->devices_busy_ns[i], time),
                     tl_scale_percent(s->devices_busy_ns[i], s->view->span_ns));
}

void tl_explain_figures(const struct stats *s, struct out *o)
{
    char time[16];

    /* Titles and source lines come from outside: for a terminal as plain text.
     */
    tl_out_plain(o, s->view->title);
    tl_out_print(o, ": %s\n", tl_scale_time(s->view->span_ns, time));
    if (s->num_engines > 0)
        report_engines(s, o);
    if (s->num_engines > 1)
        tl_out_text(o, "  busy at the same time\n");
    for (size_t i = 0; i < s->num_devices; i++)
        report_overlap(s, &s->devices[i], o);
    report_devices(s, o);
    tl_out_print(o, "  %-23s %10s %5.1f%%\n", "nothing busy",
                 tl_scale_time(s->devices_busy_ns[0], time),
                 tl_scale_percent(s->devices_busy_ns[0], s->view->span_ns));
    if (s->path.num_ops > 0)
        report_path(s, o);
    for (size_t i = 0; i < s->view->trace->num_hazards; i++) {
        const struct trace_hazard *h = &s->view->trace->hazards[i];
        const struct hazard_side first = tl_hazard_side(s->view, h, false);
        const struct hazard_side second = tl_hazard_side(s->view, h, true);

        tl_out_print(o, "  hazard: %s, ", h->kind);
        tl_out_plain(o, tl_hazard_line(&first));
        tl_out_text(o, " and ");
        tl_out_plain(o, tl_hazard_line(&second));
        tl_out_text(o, "\n");
    }
    for (size_t i = 0; i < s->view->trace->num_orders; i++) {
        const struct trace_order *order = &s->view->trace->orders[i];

        if (!tl_stats_has_order(s, order))
            continue;
        tl_out_print(o, "  %s: ", order->kind);
        tl_out_plain(o, order->at);
        tl_out_text(o, ": ");
        tl_out_plain(o, order->text);
        tl_out_text(o, "\n");
    }
    tl_out_text(o, "  ");
    tl_explain_run(s, o);
    tl_out_text(o, "\n");
}
