/* trace.h: one recorded run in memory
 *
 * What the format means is said in docs/trace-format.md. Whoever holds a trace
 * may rely on what stands here: trace_read.h makes none that breaks it, so
 * that the writers (text, SVG, HTML, Perfetto) need no checks.
 */
#ifndef TIMELINE_TRACE_H
#define TIMELINE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_MAX_DEVICES 64
#define TRACE_NO_DEVICE   UINT32_MAX
#define TRACE_NO_STREAM   UINT64_MAX
#define TRACE_NO_TIME     UINT64_MAX

enum trace_kind {
#define KIND(NAME, WORD) TRACE_KIND_##NAME,
#include "vgpu/trace.def"
    TRACE_NUM_KINDS
};

enum trace_engine {
#define ENGINE(NAME, WORD) TRACE_ENGINE_##NAME,
#include "vgpu/trace.def"
    TRACE_NUM_ENGINES
};

enum trace_mem {
#define MEM(NAME, WORD) TRACE_MEM_##NAME,
#include "vgpu/trace.def"
    TRACE_NUM_MEMS
};

/* Strings point into the trace's own text; "" where the record has none. */
struct trace_device {
    unsigned index, copy_engines, sms;
    const char *name, *backend;
};

struct trace_op {
    uint64_t id, stream, bytes, start_ns, end_ns;
    uint64_t work;   /* source-level operations of a kernel, 0: not known */
    uint64_t call;   /* id of the host call, 0: not known */
    size_t after_at; /* trace_after() finds the ids of what it comes after */
    size_t num_after;
    size_t via_at; /* trace_via() finds the waits of these, one for each */
    size_t num_via;
    const char *name, *at, *grid, *block;
    unsigned device, peer;
    enum trace_kind kind;
    enum trace_engine engine;
    enum trace_mem mem;
};

struct trace_call {
    uint64_t id, thread, stream, start_ns, end_ns;
    const char *name, *at;
    unsigned device;
    unsigned asked; /* device that it asks about, TRACE_NO_DEVICE: about none */
};

struct trace_mark {
    bool start; /* false: stop */
    uint64_t t_ns;
};

struct trace_hazard {
    const char *kind, *first_at, *second_at, *why;
    uint64_t first_op, first_call, second_op, second_call; /* 0: none */
    uint64_t buffer, lo, hi;
    bool has_range;
};

struct trace_event {
    uint64_t id, stream, call;
    uint64_t t_ns; /* TRACE_NO_TIME: never reached */
    const char *name, *at;
    unsigned device;
};

struct trace_wait {
    uint64_t id, stream, call;
    uint64_t event; /* id of the record waited for, 0: a default stream's */
    const char *at;
};

struct trace_stream {
    uint64_t number;
    unsigned device;
    const char *name, *at;
};

/* A part of the run that the program named. */
struct trace_range {
    uint64_t thread, start_ns, end_ns;
    const char *name, *at;
};

/* A line that makes more order than needed. */
struct trace_order {
    const char *kind, *at, *text;
    uint64_t saved_ns, run_ns;
};

struct trace {
    char *text; /* owner of every string */
    size_t text_len;
    struct trace_device *devices;
    struct trace_op *ops;     /* by start, end, id */
    struct trace_call *calls; /* by id */
    struct trace_mark *marks; /* by time */
    struct trace_hazard *hazards;
    struct trace_event *events; /* by id */
    struct trace_wait *waits;   /* by id */
    struct trace_stream *streams;
    struct trace_range *ranges; /* by start, longest first */
    struct trace_order *orders;
    const char **notes;
    const char *failed; /* a check of a grader; "": none; NULL: not judged */
    uint64_t *after;    /* of all operations, one after the other */
    uint64_t *via;      /* likewise */
    size_t num_devices, num_ops, num_calls, num_marks, num_hazards, num_notes;
    size_t num_events, num_waits, num_streams, num_ranges, num_via, num_orders;
    size_t num_after; /* 0: the trace does not say what comes after what */
    bool complete;    /* the end record was there */
};

/* Bring the arrays into the orders that struct trace promises. Before that
 * trace_find_call() finds nothing.
 */
void trace_sort(struct trace *t);

void trace_free(struct trace *t);

/* Return: op->num_after ids of the operations that op comes after. They need
 * not be in the trace.
 */
const uint64_t *trace_after(const struct trace *t, const struct trace_op *op);

/* Is @other one of these? */
bool trace_comes_after(const struct trace *t, const struct trace_op *op,
                       const struct trace_op *other);

/* Return: of each of those the id of the wait by which it does, 0: by the order
 * of the stream. NULL where the trace does not say. */
const uint64_t *trace_via(const struct trace *t, const struct trace_op *op);

/* Return: the wait with this id, or NULL. */
const struct trace_wait *trace_find_wait(const struct trace *t, uint64_t id);

/* Return: the call with this id, or NULL. */
const struct trace_call *trace_find_call(const struct trace *t, uint64_t id);

/* Return: the device with this index, or NULL. */
const struct trace_device *trace_find_device(const struct trace *t,
                                             unsigned index);

/* The words of the format, for instance "h2d". */
extern const char *const trace_kind_words[TRACE_NUM_KINDS];
extern const char *const trace_engine_words[TRACE_NUM_ENGINES];
extern const char *const trace_mem_words[TRACE_NUM_MEMS];

#endif
