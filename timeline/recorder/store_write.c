/* store_write.c: the records of the store as a trace
 *
 * CUPTI speaks of contexts, the driver's stream numbers and times since the
 * machine was started. A trace speaks as people do: streams count in the order
 * of their creation over all devices, threads in the order of their first call,
 * and time begins with the first record. See docs/trace-format.md.
 */
#define _POSIX_C_SOURCE 200809L
#include "lines.h"
#include "number.h"
#include "store_data.h"
#include "vgpu/trace_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct writer {
    FILE *out;
    uint64_t base_ns;
    size_t records, ops, calls;
};

/* The end of a line that counts. */
static void end_record(struct writer *w)
{
    trace_end(w->out);
    w->records++;
}

/* Times count from the first record. */
static void put_time(struct writer *w, enum trace_key key, uint64_t t_ns)
{
    trace_number(w->out, key, (int64_t)(t_ns - w->base_ns));
}

/* Called after number_streams(): each stream that is used has a number. */
static uint64_t stream_number(uint32_t context, uint32_t stream)
{
    for (size_t i = 0; i < store_all.num_streams; i++)
        if (store_all.streams[i].context == context &&
            store_all.streams[i].stream == stream)
            return store_all.streams[i].number;
    return 0;
}

static uint32_t copy_engines(uint32_t device)
{
    for (size_t i = 0; i < store_all.num_devices; i++)
        if (store_all.devices[i].d.index == device)
            return store_all.devices[i].d.copy_engines;
    return 0;
}

static void put_device(struct writer *w, const struct store_named_device *d)
{
    trace_begin(w->out, TRACE_RECORD_device);
    trace_number(w->out, TRACE_device_index, d->d.index);
    trace_text(w->out, TRACE_device_backend, "cuda");
    trace_text(w->out, TRACE_device_name, d->name);
    if (d->d.copy_engines)
        trace_number(w->out, TRACE_device_copy_engines, d->d.copy_engines);
    if (d->d.sms)
        trace_number(w->out, TRACE_device_sms, d->d.sms);
    end_record(w);
}

/* The line of a call. A kernel's own stub has the kernel's name. */
static void put_line(struct writer *w, enum trace_key key, uint32_t call)
{
    const struct store_stack *stack = store_find_stack(call);
    const struct store_op *op = store_find_op(call);
    const char *line = NULL;

    if (stack)
        line = lines_of(stack->frames, STORE_FRAMES, op ? op->name : "");
    if (line)
        trace_text(w->out, key, line);
}

/* "after=7,12 via=0,3": a list for each of the two. */
static void put_after(struct writer *w, const struct store_op *op)
{
    const struct store_after *list = store_all.after + op->after_at;
    bool any = false;

    for (size_t i = 0; i < op->num_after; i++) {
        trace_id(w->out, TRACE_op_after, list[i].op, i == 0);
        any |= list[i].via > 0;
    }
    for (size_t i = 0; any && i < op->num_after; i++)
        trace_id(w->out, TRACE_op_via, list[i].via, i == 0);
}

/* The device of a context: that of its operations. */
static uint32_t device_of(uint32_t context)
{
    for (size_t i = 0; i < store_all.num_ops; i++)
        if (store_all.ops[i].context == context)
            return store_all.ops[i].device;
    return 0;
}

static void put_wait(struct writer *w, size_t number,
                     const struct store_order *order)
{
    trace_begin(w->out, TRACE_RECORD_wait);
    trace_number(w->out, TRACE_wait_id, (int64_t)number);
    trace_number(w->out, TRACE_wait_event, (int64_t)order->record);
    trace_number(w->out, TRACE_wait_stream,
                 (int64_t)stream_number(order->context, order->stream));
    trace_number(w->out, TRACE_wait_call, order->call);
    put_line(w, TRACE_wait_at, order->call);
    end_record(w);
}

static void put_event(struct writer *w, size_t number,
                      const struct store_order *order)
{
    trace_begin(w->out, TRACE_RECORD_event);
    trace_number(w->out, TRACE_event_id, (int64_t)number);
    trace_number(w->out, TRACE_event_device, device_of(order->context));
    trace_number(w->out, TRACE_event_stream,
                 (int64_t)stream_number(order->context, order->stream));
    trace_number(w->out, TRACE_event_call, order->call);
    if (order->t_ns)
        put_time(w, TRACE_event_t_ns, order->t_ns);
    if (order->name && store_all.names[order->name - 1].name)
        trace_text(w->out, TRACE_event_name,
                   store_all.names[order->name - 1].name);
    put_line(w, TRACE_event_at, order->call);
    end_record(w);
}

/* A wait for an event that nobody recorded orders nothing, and is left out. */
static void put_order(struct writer *w, size_t number)
{
    const struct store_order *order = &store_all.orders[number - 1];

    if (!order->is_wait)
        put_event(w, number, order);
    else if (order->record)
        put_wait(w, number, order);
}

/* Where a device has one copy engine for both directions, a copy is on it, and
 * not on the one of its direction: else the picture would show two engines that
 * take turns, and call that a lack of overlap.
 */
static void put_op(struct writer *w, const struct store_op *op)
{
    const char *engine = op->engine;
    char name[256];

    if ((strcmp(engine, "h2d") == 0 || strcmp(engine, "d2h") == 0) &&
        copy_engines(op->device) == 1)
        engine = "copy";
    store_plain_name(op->name ? op->name : "", name, sizeof name);
    trace_begin(w->out, TRACE_RECORD_op);
    trace_number(w->out, TRACE_op_id, (int64_t)++w->ops);
    trace_text(w->out, TRACE_op_kind, op->kind);
    trace_text(w->out, TRACE_op_engine, engine);
    trace_number(w->out, TRACE_op_device, op->device);
    trace_number(w->out, TRACE_op_stream,
                 (int64_t)stream_number(op->context, op->stream));
    put_time(w, TRACE_op_start_ns, op->start_ns);
    put_time(w, TRACE_op_end_ns, op->end_ns);
    if (*name)
        trace_text(w->out, TRACE_op_name, name);
    if (op->bytes)
        trace_number(w->out, TRACE_op_bytes, (int64_t)op->bytes);
    if (*op->mem)
        trace_text(w->out, TRACE_op_mem, op->mem);
    if (strcmp(op->kind, "peer") == 0)
        trace_number(w->out, TRACE_op_peer, op->peer);
    if (op->grid[0] > 0) {
        trace_shape(w->out, TRACE_op_grid, op->grid);
        trace_shape(w->out, TRACE_op_block, op->block);
    }
    if (op->call)
        trace_number(w->out, TRACE_op_call, op->call);
    put_line(w, TRACE_op_at, op->call);
    put_after(w, op);
    end_record(w);
}

/* Those that have a number, since they were created or used. */
static void put_stream_name(struct writer *w, const struct store_stream *s)
{
    const size_t name = store_find_name(s->context, s->stream, 0);

    if (!name || !store_all.names[name - 1].name)
        return;
    trace_begin(w->out, TRACE_RECORD_stream);
    trace_number(w->out, TRACE_stream_number, (int64_t)s->number);
    trace_number(w->out, TRACE_stream_device, device_of(s->context));
    trace_text(w->out, TRACE_stream_name, store_all.names[name - 1].name);
    end_record(w);
}

/* Threads count from 0 in the order of their first call. What comes after 256
 * of them shares a number.
 */
static unsigned thread_number(uint32_t thread)
{
    static uint32_t seen[256];
    static unsigned num;
    unsigned i = 0;

    while (i < num && seen[i] != thread)
        i++;
    if (i == num && num < 256)
        seen[num++] = thread;
    return i;
}

static void put_call(struct writer *w, const struct store_call *call)
{
    trace_begin(w->out, TRACE_RECORD_call);
    trace_number(w->out, TRACE_call_id, call->id);
    trace_number(w->out, TRACE_call_thread, thread_number(call->thread));
    put_time(w, TRACE_call_start_ns, call->start_ns);
    put_time(w, TRACE_call_end_ns, call->end_ns);
    trace_text(w->out, TRACE_call_name, call->name);
    put_line(w, TRACE_call_at, call->id);
    end_record(w);
    w->calls++;
}

static void put_range(struct writer *w, const struct store_range *range)
{
    const char *line = lines_of(range->frames, STORE_FRAMES, "");

    if (!range->end_ns)
        return;
    trace_begin(w->out, TRACE_RECORD_range);
    trace_number(w->out, TRACE_range_thread, thread_number(range->thread));
    put_time(w, TRACE_range_start_ns, range->start_ns);
    put_time(w, TRACE_range_end_ns, range->end_ns);
    trace_text(w->out, TRACE_range_name, range->name);
    if (line)
        trace_text(w->out, TRACE_range_at, line);
    end_record(w);
}

static void put_note(struct writer *w, const char *text)
{
    trace_begin(w->out, TRACE_RECORD_note);
    trace_text(w->out, TRACE_note_text, text);
    end_record(w);
}

static void put_mark(struct writer *w, const struct store_mark *mark)
{
    trace_begin(w->out, TRACE_RECORD_mark);
    trace_text(w->out, TRACE_mark_what, mark->start ? "start" : "stop");
    put_time(w, TRACE_mark_t_ns, mark->t_ns);
    end_record(w);
}

/* Any kind of record may be the first, and times before it cannot be written.
 */
static uint64_t find_base(void)
{
    const struct store *s = &store_all;
    uint64_t base_ns = UINT64_MAX;

    for (size_t i = 0; i < s->num_ops; i++)
        base_ns = min_u64(base_ns, s->ops[i].start_ns);
    for (size_t i = 0; i < s->num_calls; i++)
        base_ns = min_u64(base_ns, s->calls[i].start_ns);
    for (size_t i = 0; i < s->num_marks; i++)
        base_ns = min_u64(base_ns, s->marks[i].t_ns);
    for (size_t i = 0; i < s->num_ranges; i++)
        base_ns = min_u64(base_ns, s->ranges[i].start_ns);
    return base_ns;
}

/* Devices first, because readers look them up; the counts last, because then
 * they are known. */
static void put_all(struct writer *w)
{
    const struct store *s = &store_all;
    char text[80];

    fputs(TRACE_FIRST_LINE "\n", w->out);
    for (size_t i = 0; i < s->num_devices; i++)
        put_device(w, &s->devices[i]);
    for (size_t i = 0; i < s->num_calls; i++)
        put_call(w, &s->calls[i]);
    for (size_t i = 0; i < s->num_ranges; i++)
        put_range(w, &s->ranges[i]);
    for (size_t i = 0; i < s->num_streams; i++)
        put_stream_name(w, &s->streams[i]);
    for (size_t i = 0; i < s->num_ops; i++)
        put_op(w, &s->ops[i]);
    for (size_t i = 1; i <= s->num_orders; i++)
        put_order(w, i);
    if (s->has_barrier) {
        trace_begin(w->out, TRACE_RECORD_wait);
        trace_number(w->out, TRACE_wait_id, (int64_t)s->num_orders + 1);
        end_record(w);
    }
    for (size_t i = 0; i < s->num_marks; i++)
        put_mark(w, &s->marks[i]);
    for (size_t i = 0; i < s->num_notes; i++)
        put_note(w, s->notes[i]);
    if (s->dropped > 0) {
        snprintf(text, sizeof text, "%zu records lost: out of memory",
                 s->dropped);
        put_note(w, text);
    }
    trace_begin(w->out, TRACE_RECORD_end);
    trace_number(w->out, TRACE_end_records, (int64_t)w->records);
    trace_number(w->out, TRACE_end_ops, (int64_t)w->ops);
    trace_number(w->out, TRACE_end_calls, (int64_t)w->calls);
    trace_end(w->out);
}

static bool write_file(const char *path)
{
    struct writer w = {.out = fopen(path, "w"), .base_ns = find_base()};
    bool good;

    if (!w.out)
        return false;
    put_all(&w);
    good = !ferror(w.out);
    return fclose(w.out) == 0 && good;
}

/* Beside the file and then renamed: who waits for it never sees half of it. The
 * name holds the process, so that two of them do not share one. errno is the
 * first failure's.
 */
bool store_write(const char *path)
{
    size_t room = strlen(path) + 32;
    char *name = malloc(room);
    bool good;
    int why;

    if (!name)
        return false;
    snprintf(name, room, "%s.%ld.tmp", path, (long)getpid());
    store_sort();
    lines_resolve();
    good = write_file(name) && rename(name, path) == 0;
    why = errno;
    if (!good)
        unlink(name);
    free(name);
    lines_clear();
    store_clear();
    errno = why;
    return good;
}
