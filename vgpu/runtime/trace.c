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

struct op_record {
    struct vgpu_op *op; /* one reference */
    char name[64];
};

struct call_record {
    uint64_t id;
    uint64_t pc;
    int64_t start_ns;
    int64_t end_ns;
    const char *name;
    int thread;
    int device;
    uint32_t stream;
    bool has_stream;
};

struct mark_record {
    const char *what;
    int64_t t_ns;
};

static struct {
    char *path;
    struct op_record *ops;
    struct call_record *calls;
    struct mark_record *marks;
    size_t op_count, op_room;
    size_t call_count, call_room;
    size_t mark_count, mark_room;
} trace;

static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    void *grown;

    if (count < *room)
        return array;
    *room = *room ? *room * 2 : 256;
    grown = realloc(array, *room * size);
    if (!grown) {
        fprintf(stderr, "vgpu: out of memory for the trace\n");
        abort();
    }
    return grown;
}

void vgpu_trace_open(void)
{
    const char *path = getenv("VGPU_TRACE");

    if (!path || !*path)
        return;
    trace.path = strdup(path);
    vgpu_rt.tracing = trace.path != NULL;
}

void vgpu_trace_op(struct vgpu_op *op, const char *name)
{
    struct op_record *record;

    if (op->kind == VGPU_OP_MARK || op->kind == VGPU_OP_ALLOC ||
        op->kind == VGPU_OP_FREE)
        return; /* keep no engine busy */
    trace.ops =
        grow(trace.ops, trace.op_count, &trace.op_room, sizeof(*trace.ops));
    record = &trace.ops[trace.op_count++];
    record->op = vgpu_op_ref(op);
    if (op->kind == VGPU_OP_KERNEL)
        name = op->kernel.kernel->name;
    snprintf(record->name, sizeof(record->name), "%s", name);
}

void vgpu_trace_call(const struct vgpu_call *call)
{
    struct call_record *record;

    trace.calls = grow(trace.calls, trace.call_count, &trace.call_room,
                       sizeof(*trace.calls));
    record = &trace.calls[trace.call_count++];
    record->id = call->id;
    record->pc = call->pc;
    record->start_ns = call->start_ns;
    record->end_ns = call->thread->now_ns;
    record->name = call->name;
    record->thread = call->thread->number;
    record->device = call->thread->device;
    record->has_stream = call->stream != NULL;
    record->stream = call->stream ? call->stream->number : 0;
}

void vgpu_trace_mark(const char *what, int64_t t_ns)
{
    if (!vgpu_rt.tracing)
        return;
    trace.marks = grow(trace.marks, trace.mark_count, &trace.mark_room,
                       sizeof(*trace.marks));
    trace.marks[trace.mark_count].what = what;
    trace.marks[trace.mark_count++].t_ns = t_ns;
}

/* ---- writing ---------------------------------------------------------------
 */

static void put_value(FILE *out, const char *key, const char *value)
{
    fprintf(out, " %s=", key);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c <= 0x20 || *c == '%' || *c == 0x7f)
            fprintf(out, "%%%02X", *c);
        else
            fputc(*c, out);
    }
}

static void put_number(FILE *out, const char *key, int64_t value)
{
    fprintf(out, " %s=%" PRId64, key, value);
}

static void put_line(FILE *out, uint64_t pc)
{
    char text[256];

    vgpu_line_format(pc, text, sizeof(text));
    if (strcmp(text, "?"))
        put_value(out, "at", text);
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

static const char *engine_of(const struct vgpu_op *op)
{
    if (op->kind == VGPU_OP_HOST)
        return "host";
    if (op->kind != VGPU_OP_COPY || op->copy.way == VGPU_TIME_D2D)
        return "sm";
    if (op->copy.way == VGPU_TIME_PEER)
        return "peer";
    if (vgpu_rt.profile.copy_queues == 1)
        return "copy";
    return op->copy.way == VGPU_TIME_H2D ? "h2d" : "d2h";
}

static void put_copy(FILE *out, const struct vgpu_op *op)
{
    const struct vgpu_extent *e = &op->copy.extent;
    const struct vgpu_place *host =
        op->copy.src.device ? &op->copy.dst : &op->copy.src;
    const char *mem = "pinned";

    put_number(out, "bytes", (int64_t)(e->width * e->rows * e->slices));
    if (op->copy.way == VGPU_TIME_D2D || op->copy.way == VGPU_TIME_PEER)
        mem = "device";
    else if (op->copy.pageable)
        mem = "pageable";
    else if (host->memory && host->memory->kind == VGPU_MEM_MANAGED)
        mem = "managed";
    put_value(out, "mem", mem);
    if (op->copy.way == VGPU_TIME_PEER)
        put_number(out, "peer", op->copy.dst.where);
}

static void put_shape(FILE *out, const struct vgpu_exec *exec)
{
    fprintf(out, " grid=%ux%ux%u block=%ux%ux%u", exec->grid[0], exec->grid[1],
            exec->grid[2], exec->block[0], exec->block[1], exec->block[2]);
}

static void put_op(FILE *out, size_t id, const struct op_record *record)
{
    const struct vgpu_op *op = record->op;
    int device = op->device;

    if (op->kind == VGPU_OP_COPY && op->copy.way == VGPU_TIME_PEER)
        device = op->copy.src.where;
    fprintf(out, "op id=%zu kind=%s", id, kind_of(op));
    put_value(out, "name", record->name);
    put_number(out, "device", device);
    put_number(out, "stream", op->stream_number);
    put_value(out, "engine", engine_of(op));
    put_number(out, "start_ns", vgpu_time_start(vgpu_rt.time, op->time_id));
    put_number(out, "end_ns", vgpu_time_end(vgpu_rt.time, op->time_id));
    if (op->kind == VGPU_OP_COPY)
        put_copy(out, op);
    if (op->kind == VGPU_OP_SET)
        put_number(out, "bytes",
                   (int64_t)(op->set.extent.width * op->set.extent.rows *
                             op->set.extent.slices));
    if (op->kind == VGPU_OP_KERNEL)
        put_shape(out, &op->kernel.exec);
    put_line(out, op->pc);
    put_number(out, "call", (int64_t)op->call_id);
    fputc('\n', out);
}

static void put_call(FILE *out, const struct call_record *call)
{
    fprintf(out, "call id=%" PRIu64, call->id);
    put_value(out, "name", call->name);
    put_number(out, "thread", call->thread);
    put_number(out, "start_ns", call->start_ns);
    put_number(out, "end_ns", call->end_ns);
    put_number(out, "device", call->device);
    if (call->has_stream)
        put_number(out, "stream", call->stream);
    put_line(out, call->pc);
    fputc('\n', out);
}

static void put_all(FILE *out)
{
    size_t records = (size_t)vgpu_rt.device_count + trace.op_count +
                     trace.call_count + trace.mark_count;

    fputs("cuda-streams-lab trace 1\n", out);
    for (int d = 0; d < vgpu_rt.device_count; d++) {
        fprintf(out, "device index=%d", d);
        put_value(out, "name", vgpu_rt.profile.name);
        put_value(out, "backend", "vgpu");
        put_number(out, "copy_engines", vgpu_rt.profile.copy_engines);
        put_number(out, "sms", vgpu_rt.profile.sms);
        fputc('\n', out);
    }
    for (size_t i = 0; i < trace.call_count; i++)
        put_call(out, &trace.calls[i]);
    for (size_t i = 0; i < trace.op_count; i++)
        put_op(out, i + 1, &trace.ops[i]);
    for (size_t i = 0; i < trace.mark_count; i++) {
        fprintf(out, "mark what=%s", trace.marks[i].what);
        put_number(out, "t_ns", trace.marks[i].t_ns);
        fputc('\n', out);
    }
    fprintf(out, "end records=%zu ops=%zu calls=%zu\n", records, trace.op_count,
            trace.call_count);
}

void vgpu_trace_close(void)
{
    char temporary[4096];
    FILE *out;

    if (!vgpu_rt.tracing)
        return;
    snprintf(temporary, sizeof(temporary), "%s.%ld", trace.path,
             (long)getpid());
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
