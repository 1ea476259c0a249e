/* perfetto.c: Chrome trace JSON, for ui.perfetto.dev and chrome://tracing
 *
 * The format knows processes with threads in them, each a track, and slices on
 * a track. A GPU is shown as a process; the rows of both views are its
 * threads. Slices of one track must lie inside each other or apart: operations
 * that overlap, as kernels in two streams do, need tracks of their own.
 *
 * Event types used: M names a process or thread, X is a slice with start and
 * duration, s and f are the two ends of an arrow. Times are microseconds.
 */
#include "perfetto.h"

#include "number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_LANES     16 /* of one row: operations that run at one time */
#define PIDS_OF_TRACE 100
#define HOST_PID      1
#define DEVICE_PID    10

struct writer {
    struct out *o;
    const struct view *v;
    size_t trace; /* 0, 1, ... */
    uint64_t base_ns;
    bool any; /* an event has been written */
};

static void begin(struct writer *w)
{
    tl_out_text(w->o, w->any ? ",\n" : "\n");
    w->any = true;
}

/* Numbers for processes: 100 for each trace, its host first and its devices
 * from 10 on, of which there are at most 64. */
static size_t host_pid(const struct writer *w)
{
    return w->trace * PIDS_OF_TRACE + HOST_PID;
}

static size_t device_pid(const struct writer *w, unsigned device)
{
    return w->trace * PIDS_OF_TRACE + DEVICE_PID + device;
}

/* A time as microseconds with three decimals, without rounding. */
static void put_time(struct writer *w, const char *key, uint64_t t_ns)
{
    tl_out_print(w->o, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, t_ns / 1000,
                 t_ns % 1000);
}

static void put_name(struct writer *w, const char *what, size_t pid,
                     uint64_t tid, const char *name)
{
    begin(w);
    tl_out_print(w->o,
                 "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%zu,\"tid\":%" PRIu64
                 ","
                 "\"args\":{\"name\":",
                 what, pid, tid);
    tl_out_json(w->o, name);
    tl_out_text(w->o, "}}");
}

/* With a sort index every viewer keeps the order of the numbers. */
static void put_process(struct writer *w, size_t pid, const char *what)
{
    struct out name = {0};

    tl_out_print(&name, "%s: %s", w->v->title, what);
    put_name(w, "process_name", pid, 0, name.data ? name.data : what);
    tl_out_free(&name);
    begin(w);
    tl_out_print(w->o,
                 "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%zu,"
                 "\"tid\":0,\"args\":{\"sort_index\":%zu}}",
                 pid, pid);
}

/* Leaves the object open, so that arguments can follow. */
static void put_slice(struct writer *w, const char *name, const char *cat,
                      size_t pid, uint64_t tid, uint64_t start_ns,
                      uint64_t end_ns)
{
    begin(w);
    tl_out_text(w->o, "{\"ph\":\"X\",\"name\":");
    tl_out_json(w->o, name);
    tl_out_print(w->o, ",\"cat\":\"%s\",\"pid\":%zu,\"tid\":%" PRIu64, cat, pid,
                 tid);
    put_time(w, "ts", start_ns - w->base_ns);
    put_time(w, "dur", end_ns - start_ns);
}

static void put_op(struct writer *w, const struct trace_op *op, uint64_t tid)
{
    put_slice(w, op->name, trace_kind_words[op->kind],
              device_pid(w, op->device), tid, op->start_ns, op->end_ns);
    tl_out_print(w->o, ",\"args\":{\"op\":%" PRIu64 ",\"stream\":%" PRIu64,
                 op->id, op->stream);
    if (op->bytes)
        tl_out_print(w->o, ",\"bytes\":%" PRIu64, op->bytes);
    if (op->mem)
        tl_out_print(w->o, ",\"mem\":\"%s\"", trace_mem_words[op->mem]);
    if (*op->at) {
        tl_out_text(w->o, ",\"at\":");
        tl_out_json(w->o, op->at);
    }
    tl_out_text(w->o, "}}");
}

/* An arrow from the middle of a call to the start of its operation. */
static void put_flow(struct writer *w, const struct trace_op *op, uint64_t tid)
{
    const struct trace_call *call = trace_find_call(w->v->trace, op->call);

    if (!call)
        return;
    begin(w);
    tl_out_print(w->o,
                 "{\"ph\":\"s\",\"name\":\"launch\",\"cat\":\"flow\","
                 "\"id\":\"%zu-%" PRIu64 "\",\"pid\":%zu,\"tid\":%" PRIu64,
                 w->trace, op->id, host_pid(w), call->thread + 1);
    put_time(w, "ts",
             call->start_ns + (call->end_ns - call->start_ns) / 2 - w->base_ns);
    tl_out_text(w->o, "}");
    begin(w);
    tl_out_print(w->o,
                 "{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"launch\","
                 "\"cat\":\"flow\",\"id\":\"%zu-%" PRIu64
                 "\",\"pid\":%zu,\"tid\":%" PRIu64,
                 w->trace, op->id, device_pid(w, op->device), tid);
    put_time(w, "ts", op->start_ns - w->base_ns);
    tl_out_text(w->o, "}");
}

/* The operations of one row on as many tracks as overlap at one time: each on
 * the first that is free by then. Where none is, beyond MAX_LANES, the last one
 * takes it, and is drawn as well as the viewer can.
 */
static void put_row(struct writer *w, const struct view_row *row, uint64_t tid,
                    bool flows)
{
    uint64_t until_ns[MAX_LANES] = {0};
    unsigned used = 0;
    char name[64];

    for (size_t i = 0; i < row->num_ops; i++) {
        const struct trace_op *op = row->ops[i];
        unsigned lane = 0;

        while (lane < used && lane < MAX_LANES - 1 &&
               until_ns[lane] > op->start_ns)
            lane++;
        if (lane >= used) {
            used = lane + 1;
            snprintf(name, sizeof name, lane ? "%s (%u)" : "%s", row->label,
                     lane + 1);
            put_name(w, "thread_name", device_pid(w, row->device), tid + lane,
                     name);
        }
        until_ns[lane] = max_u64(until_ns[lane], op->end_ns);
        put_op(w, op, tid + lane);
        if (flows)
            put_flow(w, op, tid + lane);
    }
}

/* The time that becomes 0: the region's start, or the earliest call that queued
 * something in it. No time may come out negative.
 */
static uint64_t find_base(const struct view *v)
{
    uint64_t base_ns = v->num_ops ? v->ops[0]->start_ns : v->zero_ns;

    for (size_t i = 0; i < v->num_ops; i++) {
        const struct trace_call *call =
            trace_find_call(v->trace, v->ops[i]->call);

        if (call)
            base_ns = min_u64(base_ns, call->start_ns);
    }
    return min_u64(v->zero_ns, base_ns);
}

/* A call is shown where it began after the base and before the region's end.
 * Threads count from 1 here: track 0 is where the process has its name.
 */
static void put_calls(struct writer *w)
{
    const struct trace *t = w->v->trace;
    uint64_t stop_ns = w->v->zero_ns + w->v->span_ns;

    put_process(w, host_pid(w), "host");
    for (size_t i = 0; i < t->num_calls; i++) {
        const struct trace_call *call = &t->calls[i];

        if (call->start_ns < w->base_ns || call->start_ns > stop_ns)
            continue;
        put_slice(w, call->name, "call", host_pid(w), call->thread + 1,
                  call->start_ns, call->end_ns);
        tl_out_print(w->o, ",\"args\":{\"call\":%" PRIu64 ",\"at\":", call->id);
        tl_out_json(w->o, call->at);
        tl_out_text(w->o, "}}");
    }
}

/* Engines first, then streams; the arrows once, to the engines. Each row has
 * room for MAX_LANES track numbers, whether it needs them or not.
 */
static void put_trace(struct writer *w, const struct view *streams)
{
    const struct view *v = w->v;
    char name[320];

    put_calls(w);
    for (size_t i = 0; i < v->num_rows; i++) {
        const struct view_row *row = &v->rows[i];
        const struct trace_device *d = trace_find_device(v->trace, row->device);

        if (i == 0 || row[-1].device != row->device) {
            snprintf(name, sizeof name, "GPU %u %.200s", row->device,
                     d ? d->name : "");
            put_process(w, device_pid(w, row->device), name);
        }
        put_row(w, row, 1 + i * MAX_LANES, true);
    }
    for (size_t i = 0; i < streams->num_rows; i++)
        put_row(w, &streams->rows[i], 1 + (v->num_rows + i) * MAX_LANES, false);
}

void tl_perfetto_write(const struct view *engine_views,
                       const struct view *stream_views, size_t num,
                       struct out *o)
{
    struct writer w = {.o = o};

    tl_out_text(o, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (size_t i = 0; i < num; i++) {
        w.v = &engine_views[i];
        w.trace = i;
        w.base_ns = find_base(w.v);
        put_trace(&w, &stream_views[i]);
    }
    tl_out_text(o, "\n]}\n");
}
