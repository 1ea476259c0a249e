/* view.h: what of a trace is shown: a region of time, and rows of operations
 *
 * Every writer draws a view. All views of one picture share one scale: each
 * starts at its own time 0, and the longest of them sets the width.
 */
#ifndef TIMELINE_VIEW_H
#define TIMELINE_VIEW_H

#include "trace.h"

enum view_by { VIEW_BY_ENGINE, VIEW_BY_STREAM };

/* Operations of a row that overlap, kernels beside kernels, lie in lanes; those
 * for which there is none any more share the last one. page.js does the same.
 */
#define VIEW_MAX_LANES 16

struct view_row {
    char label[48]; /* "H2D", "GPU 1 kernels", "stream 3" */
    unsigned device;
    enum trace_engine engine; /* of the row, or of its first operation */
    uint64_t stream;
    const struct trace_op **ops; /* by start */
    unsigned char *lane;         /* of each of these, from 0 */
    size_t num_ops;
    unsigned num_lanes;
    uint64_t busy_ns; /* time with at least one operation, in the region */
};

struct view {
    const struct trace *trace;
    const char *title;
    const char *recorded; /* for a page: when, as people read it, or NULL */
    enum view_by by;
    bool many_devices;
    bool host;  /* pictures: a row of the first host thread's calls */
    bool waits; /* pictures: what waited for an event, as arrows */
    uint64_t zero_ns, span_ns;   /* region: zero_ns ... zero_ns + span_ns */
    const struct trace_op **ops; /* those in the region, by start */
    size_t num_ops;
    struct view_row *rows;
    size_t num_rows;
    unsigned char *lanes; /* of all rows */
};

/* Select the region and make the rows. With marks, the region goes from the
 * first start to the last stop, and operations are shown that touch a marked
 * interval; it grows where one of them ends later. Without marks it holds all
 * operations. Operations of engine `none` get no row.
 * @t, @title  must live longer than the view
 * Return: false where memory ran out; the view is then empty.
 */
bool tl_view_make(const struct trace *t, enum view_by by, const char *title,
                  struct view *v);

void tl_view_free(struct view *v);

/* Is a graph launched? Its nodes have streams that no program knows of. */
bool tl_view_has_graph(const struct view *v);

/* The same with lanes in which an operation may begin so much before the end of
 * the one before it. @lane  room for each operation. Return: how many lanes. */
unsigned tl_view_lay(const struct view_row *row, uint64_t slack_ns,
                     unsigned char *lane);

/* Longest span of several views, at least 1. */
uint64_t tl_view_longest_ns(const struct view *views, size_t num);

/* A time of the trace in the view's time, cut to the region; start and end of
 * an operation. */
uint64_t tl_view_time_ns(const struct view *v, uint64_t t_ns);
uint64_t tl_view_start_ns(const struct view *v, const struct trace_op *op);
uint64_t tl_view_end_ns(const struct view *v, const struct trace_op *op);

/* Name of an engine's row: "H2D", "Kernels", ... */
const char *tl_view_engine_name(enum trace_engine engine);

/* What a bar shows beside its row: in rows by engine the number of its stream,
 * in rows by stream the letter of its kind.
 */
#define VIEW_BAR_LABEL 24
void tl_view_label_bar(const struct view *v, const struct trace_op *op,
                       char text[VIEW_BAR_LABEL]);

#endif
