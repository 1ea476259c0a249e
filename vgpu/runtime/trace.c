/*
 * trace.c: what happened when, as docs/trace-format.md describes it. Kept in
 * memory and written at the end, when every time is known.
 */
#include "rt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/trace_line.h"

/* What something in the trace comes after, and by which wait: its number in
 * trace.waits from 1, or 0 for the order of the stream and of graphs. */
struct after {
    uint64_t id;
    size_t via;
};

/* A piece of the list of those. */
struct ids {
    size_t at;
    unsigned count;
    size_t event; /* of a record of an event: its number from 1 */
};

struct op_record {
    struct vgpu_op *op; /* one reference */
    struct ids after;
    char name[64];
};

/* Words and not pointers: the checker reuses its records, and a library whose
 * lines they name may be unloaded before the trace is written. */
struct hazard_record {
    bool first_is_write, second_is_write, first_is_host, second_is_host;
    uint64_t first_tag, second_tag; /* ids of operations or of calls */
    uint32_t buffer;
    uint64_t lo, hi;
    char first_at[128], second_at[128], why[512];
    size_t marks; /* that there were by then */
};

#define MAX_AFTER 400

struct call_record {
    uint64_t id;
    uint64_t pc;
    int64_t start_ns;
    int64_t end_ns;
    const char *name;
    int thread;
    int device;
    int asked; /* -1: about no device */
    uint32_t stream;
    bool has_stream;
};

/* A record of an event, and a stream's wait for one. */
struct event_record {
    struct vgpu_op *op; /* one reference */
    char name[VGPU_NAME_BYTES];
};

struct wait_record {
    size_t event; /* 0: a default stream puts them in order */
    uint64_t call, pc;
    uint32_t stream;
};

struct stream_record {
    uint32_t number;
    int device;
    uint64_t pc;
    char name[VGPU_NAME_BYTES];
};

struct mark_record {
    const char *what;
    int64_t t_ns;
};

struct range_record {
    char text[128];
    int64_t start_ns, end_ns;
    uint64_t pc;
    int thread;
};

static struct {
    char *path;
    struct op_record *ops;
    struct call_record *calls;
    struct mark_record *marks;
    struct range_record *ranges;
    struct hazard_record *hazards; /* under the checker's lock */
    struct event_record *events;
    struct wait_record *waits;
    struct stream_record *streams; /* those that have a name */
    size_t barrier;                /* the wait that is a default stream's */
    struct after *ids;             /* the lists of ids, one after the other */
    struct ids *of_seq; /* by vgpu_op.seq - 1: what an operation stands for:
                           itself, or what an event or a join comes after */
    size_t op_count, op_room;
    size_t call_count, call_room;
    size_t mark_count, mark_room;
    size_t range_count, range_room;
    size_t hazard_count, hazard_room;
    size_t event_count, event_room;
    size_t wait_count, wait_room;
    size_t stream_count, stream_room;
    size_t id_count, id_room;
    size_t seq_count, seq_room;
} trace;

/* A trace that has lost a part would show a program that never was: rather
 * end. */
static void must(bool has_grown)
{
    if (has_grown)
        return;
    fprintf(stderr, "vgpu: out of memory for the trace\n");
    abort();
}

/* ---- hazards ------------------------------------------------------------ */

static uint64_t last_call(void)
{
    return vgpu_rt.next_call;
}

/* One pair of lines is one hazard. A picture is of what lies between two marks:
 * what repeats there takes the place of what was before. NULL: it is told. */
static struct hazard_record *hazard_room(const struct vgpu_hazard *hazard)
{
    const struct vgpu_hazard_side *side = hazard->side;
    const size_t marks = trace.mark_count;

    for (size_t i = 0; i < trace.hazard_count; i++) {
        struct hazard_record *record = &trace.hazards[i];

        if (strncmp(record->first_at, side[0].at, 127) == 0 &&
            strncmp(record->second_at, side[1].at, 127) == 0)
            return marks > record->marks &&
                           strcmp(trace.marks[marks - 1].what, "start") == 0
                       ? record
                       : NULL;
    }
    must(VGPU_GROW(trace.hazards, trace.hazard_count, &trace.hazard_room));
    return &trace.hazards[trace.hazard_count++];
}

/* Called by the checker with its lock held: the words are copied, no call is
 * made. */
static void put_hazard_aside(const struct vgpu_hazard *hazard)
{
    const struct vgpu_hazard_side *side = hazard->side;
    struct hazard_record *record = hazard_room(hazard);

    if (!record)
        return;
    record->marks = trace.mark_count;
    record->first_is_write = strcmp(side[0].access, "read") != 0;
    record->second_is_write = strcmp(side[1].access, "read") != 0;
    record->first_is_host = side[0].is_host;
    record->second_is_host = side[1].is_host;
    record->first_tag = side[0].tag;
    record->second_tag = side[1].tag;
    record->buffer = hazard->buffer;
    record->lo = hazard->lo;
    record->hi = hazard->hi;
    snprintf(record->first_at, sizeof record->first_at, "%s", side[0].at);
    snprintf(record->second_at, sizeof record->second_at, "%s", side[1].at);
    snprintf(record->why, sizeof record->why, "%s", hazard->why);
}

/* ---- what comes after what ------------------------------------------------
 */

/* Add an id to the list that is being made at the end of all lists. */
static void add_id(struct ids *list, uint64_t id, size_t via)
{
    for (unsigned i = 0; i < list->count; i++)
        if (trace.ids[list->at + i].id == id)
            return;
    must(VGPU_GROW(trace.ids, trace.id_count, &trace.id_room));
    trace.ids[trace.id_count++] = (struct after){id, via};
    list->count++;
}

static size_t add_wait(size_t event, const struct vgpu_op *op)
{
    must(VGPU_GROW(trace.waits, trace.wait_count, &trace.wait_room));
    trace.waits[trace.wait_count++] =
        (struct wait_record){event, op->call_id, op->pc, op->stream_number};
    return trace.wait_count;
}

/* By which wait @op comes after an operation of another stream; 0: by another
 * order, a graph's. One barrier stands for all of the default streams'. */
static size_t find_via(const struct vgpu_op *op, const struct vgpu_op *before)
{
    const size_t event = trace.of_seq[before->seq - 1].event;

    if (op->time_stream == before->time_stream)
        return 0;
    if (op->kind == VGPU_OP_MARK && event)
        return add_wait(event, op);
    if (op->stream_number && before->stream_number)
        return 0;
    if (!trace.barrier)
        trace.barrier = add_wait(0, op);
    return trace.barrier;
}

/* Events and joins are not in the trace: what they come after takes their
 * place. */
static struct ids find_after(const struct vgpu_op *op)
{
    struct ids list = {trace.id_count, 0, 0};

    for (int i = 0; i < op->before_count; i++) {
        uint64_t seq = op->before[i]->seq;
        size_t via;

        if (seq == 0 || seq > trace.seq_count)
            continue;
        via = find_via(op, op->before[i]);
        for (unsigned k = 0; k < trace.of_seq[seq - 1].count; k++) {
            const struct after a = trace.ids[trace.of_seq[seq - 1].at + k];

            add_id(&list, a.id, via ? via : a.via);
        }
    }
    return list;
}

/* Numbers that were given to no operation in the trace stand for nothing. */
static void stand_for(const struct vgpu_op *op, struct ids list)
{
    while (trace.seq_count < op->seq) {
        must(VGPU_GROW(trace.of_seq, trace.seq_count, &trace.seq_room));
        trace.of_seq[trace.seq_count++] = (struct ids){0, 0, 0};
    }
    trace.of_seq[op->seq - 1] = list;
}

/* Read once, at the start: a program that changes its environment later does
 * not move its trace. */
void vgpu_trace_open(void)
{
    const char *path = getenv("VGPU_TRACE");

    if (!path || !*path)
        return;
    trace.path = strdup(path);
    vgpu_rt.tracing = trace.path;
    vgpu_check_set_hazard(put_hazard_aside, last_call);
}

/* The name is copied: a kernel's may lie in a library that is unloaded by the
 * time that the trace is written. */
void vgpu_trace_op(struct vgpu_op *op, const char *name)
{
    struct ids after = find_after(op), self;
    struct op_record *record;

    if (op->kind == VGPU_OP_MARK || op->kind == VGPU_OP_ALLOC ||
        op->kind == VGPU_OP_FREE || op->kind == VGPU_OP_BRANCH) {
        stand_for(op, after);
        return; /* keep no engine busy */
    }
    must(VGPU_GROW(trace.ops, trace.op_count, &trace.op_room));
    record = &trace.ops[trace.op_count++];
    record->op = vgpu_op_ref(op);
    record->after = after;
    self = (struct ids){trace.id_count, 0, 0};
    add_id(&self, trace.op_count, 0);
    stand_for(op, self);
    vgpu_check_op_tag(op->check, trace.op_count);
    if (op->kind == VGPU_OP_KERNEL)
        name = op->kernel.kernel->name;
    snprintf(record->name, sizeof record->name, "%s", name);
}

/* Who waits for it finds by its number what it waits for. */
void vgpu_trace_event(struct vgpu_op *op, const struct vgpu_event *event)
{
    struct event_record *record;

    if (!vgpu_rt.tracing || op->seq == 0 || op->seq > trace.seq_count)
        return;
    must(VGPU_GROW(trace.events, trace.event_count, &trace.event_room));
    record = &trace.events[trace.event_count++];
    record->op = vgpu_op_ref(op);
    snprintf(record->name, sizeof record->name, "%s", event->name);
    trace.of_seq[op->seq - 1].event = trace.event_count;
}

/* The last name counts. */
void vgpu_trace_stream(const struct vgpu_stream *stream, const char *name)
{
    size_t i = 0;

    if (!vgpu_rt.tracing || !*name)
        return;
    while (i < trace.stream_count && trace.streams[i].number != stream->number)
        i++;
    if (i == trace.stream_count) {
        must(VGPU_GROW(trace.streams, trace.stream_count, &trace.stream_room));
        trace.stream_count++;
    }
    trace.streams[i].number = stream->number;
    trace.streams[i].device = stream->device;
    trace.streams[i].pc = stream->pc;
    snprintf(trace.streams[i].name, sizeof trace.streams[i].name, "%s", name);
}

/* At the call's end, when the host's clock says how long it took. */
void vgpu_trace_call(const struct vgpu_call *call)
{
    struct call_record *record;

    must(VGPU_GROW(trace.calls, trace.call_count, &trace.call_room));
    record = &trace.calls[trace.call_count++];
    record->id = call->id;
    record->pc = call->pc;
    record->start_ns = call->start_ns;
    record->end_ns = call->thread->now_ns;
    record->name = call->name;
    record->thread = call->thread->number;
    record->device = call->thread->device;
    record->asked = call->asked;
    record->has_stream = call->stream;
    record->stream = call->stream ? call->stream->number : 0;
}

void vgpu_trace_mark(const char *what, int64_t t_ns)
{
    if (!vgpu_rt.tracing)
        return;
    vgpu_check_region();
    must(VGPU_GROW(trace.marks, trace.mark_count, &trace.mark_room));
    trace.marks[trace.mark_count].what = what;
    trace.marks[trace.mark_count++].t_ns = t_ns;
}

/* It ends now; a mark begins now, too. */
void vgpu_trace_range(const char *text, const struct vgpu_thread *thread,
                      int64_t start_ns, uint64_t pc)
{
    struct range_record *record;

    if (!vgpu_rt.tracing)
        return;
    must(VGPU_GROW(trace.ranges, trace.range_count, &trace.range_room));
    record = &trace.ranges[trace.range_count++];
    snprintf(record->text, sizeof record->text, "%s", text);
    record->start_ns = start_ns;
    record->end_ns = thread->now_ns;
    record->pc = pc;
    record->thread = thread->number;
}

/* ---- writing ---------------------------------------------------------------
 */

/* Without debugging information there is no line, and no field either: a reader
 * need not know how "unknown" is written. */
static void put_line(FILE *out, enum trace_key key, uint64_t pc)
{
    char text[256];

    vgpu_line_format(pc, text, sizeof text);
    if (strcmp(text, "?"))
        trace_text(out, key, text);
}

static const char *kind_of(const struct vgpu_op *op)
{
    static const char *const ways[] = {
        [VGPU_TIME_H2D] = "h2d",
        [VGPU_TIME_D2H] = "d2h",
        [VGPU_TIME_D2D] = "d2d",
        [VGPU_TIME_PEER] = "peer",
    };

    switch (op->kind) {
    case VGPU_OP_COPY:
        return ways[op->copy.way];
    case VGPU_OP_SET:
        return "memset";
    case VGPU_OP_KERNEL:
        return "kernel";
    default:
        return "hostfn";
    }
}

/* As people think of it: a copy within the device runs on the SMs, one between
 * devices on neither's host link. */
static const char *engine_of(const struct vgpu_op *op)
{
    if (op->kind == VGPU_OP_HOST)
        return "host";
    if (op->kind != VGPU_OP_COPY || op->copy.way == VGPU_TIME_D2D)
        return "sm";
    if (op->copy.way == VGPU_TIME_PEER)
        return "peer";
    if (vgpu_rt.devices[op->device].profile->copy_queues == 1)
        return "copy";
    return op->copy.way == VGPU_TIME_H2D ? "h2d" : "d2h";
}

/* What the student chose to copy from decides how fast it is and whether it is
 * asynchronous at all: so pageable comes before what else is true of the
 * memory. */
static void put_copy(FILE *out, const struct vgpu_op *op)
{
    const struct vgpu_extent *e = &op->copy.extent;
    const struct vgpu_place *host =
        op->copy.src.device ? &op->copy.dst : &op->copy.src;
    const char *mem = "pinned";

    trace_number(out, TRACE_op_bytes, (int64_t)vgpu_extent_bytes(e));
    if (op->copy.way == VGPU_TIME_D2D || op->copy.way == VGPU_TIME_PEER)
        mem = "device";
    else if (op->copy.pageable)
        mem = "pageable";
    else if (host->managed)
        mem = "managed";
    trace_text(out, TRACE_op_mem, mem);
    if (op->copy.way == VGPU_TIME_PEER)
        trace_number(out, TRACE_op_peer, op->copy.dst.where);
}

/* A line must not get too long: of very many, the newest. */
static void put_after(FILE *out, struct ids after)
{
    unsigned skip = after.count > MAX_AFTER ? after.count - MAX_AFTER : 0;
    bool any = false;

    for (unsigned i = skip; i < after.count; i++)
        trace_id(out, TRACE_op_after, trace.ids[after.at + i].id, i == skip);
    for (unsigned i = skip; i < after.count; i++)
        any = any || trace.ids[after.at + i].via;
    for (unsigned i = skip; any && i < after.count; i++)
        trace_id(out, TRACE_op_via, trace.ids[after.at + i].via, i == skip);
}

/* Times are asked for now, since an operation's end may be known long after the
 * call that enqueued it. */
static void put_op(FILE *out, size_t id, const struct op_record *record)
{
    const struct vgpu_op *op = record->op;
    int device = op->device;

    if (op->kind == VGPU_OP_COPY && op->copy.way == VGPU_TIME_PEER)
        device = op->copy.src.where;
    trace_begin(out, TRACE_RECORD_op);
    trace_number(out, TRACE_op_id, (int64_t)id);
    trace_text(out, TRACE_op_kind, kind_of(op));
    trace_text(out, TRACE_op_name, record->name);
    trace_number(out, TRACE_op_device, device);
    trace_number(out, TRACE_op_stream, op->stream_number);
    trace_text(out, TRACE_op_engine, engine_of(op));
    trace_number(out, TRACE_op_start_ns,
                 vgpu_time_start(vgpu_rt.time, op->time_id));
    trace_number(out, TRACE_op_end_ns,
                 vgpu_time_end(vgpu_rt.time, op->time_id));
    if (op->kind == VGPU_OP_COPY)
        put_copy(out, op);
    if (op->kind == VGPU_OP_SET)
        trace_number(out, TRACE_op_bytes,
                     (int64_t)vgpu_extent_bytes(&op->set.extent));
    if (op->kind == VGPU_OP_KERNEL) {
        trace_shape(out, TRACE_op_grid, op->kernel.exec.grid);
        trace_shape(out, TRACE_op_block, op->kernel.exec.block);
        trace_number(out, TRACE_op_work, (int64_t)op->work.ops);
    }
    put_line(out, TRACE_op_at, op->pc);
    trace_number(out, TRACE_op_call, (int64_t)op->call_id);
    put_after(out, record->after);
    trace_end(out);
}

static void put_call(FILE *out, const struct call_record *call)
{
    trace_begin(out, TRACE_RECORD_call);
    trace_number(out, TRACE_call_id, (int64_t)call->id);
    trace_text(out, TRACE_call_name, call->name);
    trace_number(out, TRACE_call_thread, call->thread);
    trace_number(out, TRACE_call_start_ns, call->start_ns);
    trace_number(out, TRACE_call_end_ns, call->end_ns);
    trace_number(out, TRACE_call_device, call->device);
    if (call->asked >= 0)
        trace_number(out, TRACE_call_asked, call->asked);
    if (call->has_stream)
        trace_number(out, TRACE_call_stream, call->stream);
    put_line(out, TRACE_call_at, call->pc);
    trace_end(out);
}

/* A kind that readers may pass over: it says nothing about an engine. */
static void put_range(FILE *out, const struct range_record *record)
{
    trace_begin(out, TRACE_RECORD_range);
    trace_text(out, TRACE_range_name, record->text);
    trace_number(out, TRACE_range_thread, record->thread);
    trace_number(out, TRACE_range_start_ns, record->start_ns);
    trace_number(out, TRACE_range_end_ns, record->end_ns);
    put_line(out, TRACE_range_at, record->pc);
    trace_end(out);
}

/* An event that was never reached has no time. */
static void put_event(FILE *out, size_t id, const struct event_record *record)
{
    const struct vgpu_op *op = record->op;
    const int64_t t_ns = vgpu_time_end(vgpu_rt.time, op->time_id);

    trace_begin(out, TRACE_RECORD_event);
    trace_number(out, TRACE_event_id, (int64_t)id);
    trace_number(out, TRACE_event_device, op->device);
    trace_number(out, TRACE_event_stream, op->stream_number);
    trace_number(out, TRACE_event_call, (int64_t)op->call_id);
    if (t_ns >= 0)
        trace_number(out, TRACE_event_t_ns, t_ns);
    if (*record->name)
        trace_text(out, TRACE_event_name, record->name);
    put_line(out, TRACE_event_at, op->pc);
    trace_end(out);
}

static void put_wait(FILE *out, size_t id, const struct wait_record *record)
{
    trace_begin(out, TRACE_RECORD_wait);
    trace_number(out, TRACE_wait_id, (int64_t)id);
    if (record->event) {
        trace_number(out, TRACE_wait_event, (int64_t)record->event);
        trace_number(out, TRACE_wait_stream, record->stream);
        trace_number(out, TRACE_wait_call, (int64_t)record->call);
        put_line(out, TRACE_wait_at, record->pc);
    }
    trace_end(out);
}

static void put_stream(FILE *out, const struct stream_record *record)
{
    trace_begin(out, TRACE_RECORD_stream);
    trace_number(out, TRACE_stream_number, record->number);
    trace_number(out, TRACE_stream_device, record->device);
    trace_text(out, TRACE_stream_name, record->name);
    put_line(out, TRACE_stream_at, record->pc);
    trace_end(out);
}

/* What older readers pass over. Return: how many lines. */
static size_t put_extras(FILE *out)
{
    for (size_t i = 0; i < trace.stream_count; i++)
        put_stream(out, &trace.streams[i]);
    for (size_t i = 0; i < trace.event_count; i++)
        put_event(out, i + 1, &trace.events[i]);
    for (size_t i = 0; i < trace.wait_count; i++)
        put_wait(out, i + 1, &trace.waits[i]);
    for (size_t i = 0; i < trace.range_count; i++)
        put_range(out, &trace.ranges[i]);
    return trace.stream_count + trace.event_count + trace.wait_count +
           trace.range_count + vgpu_order_put(out);
}

/* An atomic access and a free count as writing. */
static void put_hazard(FILE *out, const struct hazard_record *record)
{
    char kind[16];

    snprintf(kind, sizeof kind, "%s-%s",
             record->first_is_write ? "write" : "read",
             record->second_is_write ? "write" : "read");
    trace_begin(out, TRACE_RECORD_hazard);
    trace_text(out, TRACE_hazard_kind, kind);
    if (record->first_tag)
        trace_number(out,
                     record->first_is_host ? TRACE_hazard_first_call
                                           : TRACE_hazard_first_op,
                     (int64_t)record->first_tag);
    if (strcmp(record->first_at, "?"))
        trace_text(out, TRACE_hazard_first_at, record->first_at);
    if (record->second_tag)
        trace_number(out,
                     record->second_is_host ? TRACE_hazard_second_call
                                            : TRACE_hazard_second_op,
                     (int64_t)record->second_tag);
    if (strcmp(record->second_at, "?"))
        trace_text(out, TRACE_hazard_second_at, record->second_at);
    if (record->buffer) {
        trace_number(out, TRACE_hazard_buffer, record->buffer);
        trace_number(out, TRACE_hazard_lo, (int64_t)record->lo);
        trace_number(out, TRACE_hazard_hi, (int64_t)record->hi);
    }
    trace_text(out, TRACE_hazard_why, record->why);
    trace_end(out);
}

static void put_device(FILE *out, int index)
{
    const struct vgpu_profile *const profile = vgpu_rt.devices[index].profile;

    trace_begin(out, TRACE_RECORD_device);
    trace_number(out, TRACE_device_index, index);
    trace_text(out, TRACE_device_name, profile->name);
    trace_text(out, TRACE_device_backend, "vgpu");
    trace_number(out, TRACE_device_copy_engines, profile->copy_engines);
    trace_number(out, TRACE_device_sms, profile->sms);
    trace_end(out);
}

/* The last line counts the records: a reader knows a trace that was cut off. */
static void put_all(FILE *out)
{
    size_t records = (size_t)vgpu_rt.device_count + trace.op_count +
                     trace.call_count + trace.mark_count + trace.hazard_count;

    fputs(TRACE_FIRST_LINE "\n", out);
    for (int d = 0; d < vgpu_rt.device_count; d++)
        put_device(out, d);
    for (size_t i = 0; i < trace.call_count; i++)
        put_call(out, &trace.calls[i]);
    for (size_t i = 0; i < trace.op_count; i++)
        put_op(out, i + 1, &trace.ops[i]);
    for (size_t i = 0; i < trace.mark_count; i++) {
        trace_begin(out, TRACE_RECORD_mark);
        trace_text(out, TRACE_mark_what, trace.marks[i].what);
        trace_number(out, TRACE_mark_t_ns, trace.marks[i].t_ns);
        trace_end(out);
    }
    records += put_extras(out);
    for (size_t i = 0; i < trace.hazard_count; i++)
        put_hazard(out, &trace.hazards[i]);
    trace_begin(out, TRACE_RECORD_end);
    trace_number(out, TRACE_end_records, (int64_t)records);
    trace_number(out, TRACE_end_ops, (int64_t)trace.op_count);
    trace_number(out, TRACE_end_calls, (int64_t)trace.call_count);
    trace_end(out);
}

/* Under another name first: a reader never sees half a trace. */
void vgpu_trace_close(void)
{
    char temporary[4096];
    FILE *out;

    if (!vgpu_rt.tracing)
        return;
    vgpu_check_hazards(); /* those still being collected */
    snprintf(temporary, sizeof temporary, "%s.%ld", trace.path, (long)getpid());
    out = fopen(temporary, "w");
    if (!out) {
        fprintf(stderr, "vgpu: cannot write the trace %s\n", trace.path);
        return;
    }
    put_all(out);
    if (ferror(out) | fclose(out) || rename(temporary, trace.path)) {
        fprintf(stderr, "vgpu: cannot write the trace %s\n", trace.path);
        remove(temporary);
    }
}
