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

/* A text value: " key=" and the text, percent-encoded, at most 1,000 bytes: a
 * line has a limit, and C++ names have none.
 */
static void put_text(struct writer *w, const char *key, const char *text)
{
    fprintf(w->out, " %s=", key);
    for (int i = 0; text && text[i] && i < 1000; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c <= ' ' || c == '%' || c == 0x7f)
            fprintf(w->out, "%%%02X", c);
        else
            fputc(c, w->out);
    }
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
    fprintf(w->out, "device index=%u backend=cuda", d->d.index);
    put_text(w, "name", d->name);
    if (d->d.copy_engines)
        fprintf(w->out, " copy_engines=%u", d->d.copy_engines);
    if (d->d.sms)
        fprintf(w->out, " sms=%u", d->d.sms);
    fputc('\n', w->out);
    w->records++;
}

/* The line of a call. A kernel's own stub has the kernel's name. */
static void put_line(struct writer *w, uint32_t call)
{
    const struct store_stack *stack = store_find_stack(call);
    const struct store_op *op = store_find_op(call);
    const char *line = NULL;

    if (stack)
        line = lines_of(stack->frames, STORE_FRAMES, op ? op->name : "");
    if (line)
        put_text(w, "at", line);
}

/* "after=7,12 via=0,3": a list for each of the two. */
static void put_after(struct writer *w, const struct store_op *op)
{
    const struct store_after *list = store_all.after + op->after_at;
    bool any = false;

    for (size_t i = 0; i < op->num_after; i++) {
        fprintf(w->out, "%s%zu", i ? "," : " after=", list[i].op);
        any |= list[i].via > 0;
    }
    for (size_t i = 0; any && i < op->num_after; i++)
        fprintf(w->out, "%s%zu", i ? "," : " via=", list[i].via);
}

/* The device of a context: that of its operations. */
static uint32_t device_of(uint32_t context)
{
    for (size_t i = 0; i < store_all.num_ops; i++)
        if (store_all.ops[i].context == context)
            return store_all.ops[i].device;
    return 0;
}

/* A wait for an event that nobody recorded orders nothing, and is left out. */
static void put_order(struct writer *w, size_t number)
{
    const struct store_order *order = &store_all.orders[number - 1];

    if (order->is_wait && !order->record)
        return;
    fprintf(w->out, order->is_wait ? "x-wait id=%zu" : "x-event id=%zu",
            number);
    if (order->is_wait)
        fprintf(w->out, " event=%zu", order->record);
    else
        fprintf(w->out, " device=%u", device_of(order->context));
    fprintf(w->out, " stream=%" PRIu64 " call=%u",
            stream_number(order->context, order->stream), order->call);
    if (order->t_ns)
        fprintf(w->out, " t_ns=%" PRIu64, order->t_ns - w->base_ns);
    if (order->name && store_all.names[order->name - 1].name)
        put_text(w, "name", store_all.names[order->name - 1].name);
    put_line(w, order->call);
    fputc('\n', w->out);
    w->records++;
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
    fprintf(w->out, "op id=%zu kind=%s engine=%s device=%u stream=%" PRIu64,
            ++w->ops, op->kind, engine, op->device,
            stream_number(op->context, op->stream));
    fprintf(w->out, " start_ns=%" PRIu64 " end_ns=%" PRIu64,
            op->start_ns - w->base_ns, op->end_ns - w->base_ns);
    store_plain_name(op->name ? op->name : "", name, sizeof name);
    if (*name)
        put_text(w, "name", name);
    if (op->bytes)
        fprintf(w->out, " bytes=%" PRIu64, op->bytes);
    if (*op->mem)
        fprintf(w->out, " mem=%s", op->mem);
    if (strcmp(op->kind, "peer") == 0)
        fprintf(w->out, " peer=%u", op->peer);
    if (op->grid[0] > 0)
        fprintf(w->out, " grid=%dx%dx%d block=%dx%dx%d", op->grid[0],
                op->grid[1], op->grid[2], op->block[0], op->block[1],
                op->block[2]);
    if (op->call)
        fprintf(w->out, " call=%u", op->call);
    put_line(w, op->call);
    put_after(w, op);
    fputc('\n', w->out);
    w->records++;
}

/* Those that have a number, since they were created or used. */
static void put_stream_name(struct writer *w, const struct store_stream *s)
{
    const size_t name = store_find_name(s->context, s->stream, 0);

    if (!name || !store_all.names[name - 1].name)
        return;
    fprintf(w->out, "x-stream number=%" PRIu64 " device=%u", s->number,
            device_of(s->context));
    put_text(w, "name", store_all.names[name - 1].name);
    fputc('\n', w->out);
    w->records++;
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
    fprintf(w->out, "call id=%u thread=%u start_ns=%" PRIu64 " end_ns=%" PRIu64,
            call->id, thread_number(call->thread), call->start_ns - w->base_ns,
            call->end_ns - w->base_ns);
    put_text(w, "name", call->name);
    put_line(w, call->id);
    fputc('\n', w->out);
    w->records++;
    w->calls++;
}

static void put_range(struct writer *w, const struct store_range *range)
{
    const char *line = lines_of(range->frames, STORE_FRAMES, "");

    if (!range->end_ns)
        return;
    fprintf(w->out, "x-range thread=%u start_ns=%" PRIu64 " end_ns=%" PRIu64,
            thread_number(range->thread), range->start_ns - w->base_ns,
            range->end_ns - w->base_ns);
    put_text(w, "name", range->name);
    if (line)
        put_text(w, "at", line);
    fputc('\n', w->out);
    w->records++;
}

static void put_note(struct writer *w, const char *text)
{
    fputs("note", w->out);
    put_text(w, "text", text);
    fputc('\n', w->out);
    w->records++;
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

    fputs("cuda-streams-lab trace 1\n", w->out);
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
        fprintf(w->out, "x-wait id=%zu\n", s->num_orders + 1);
        w->records++;
    }
    for (size_t i = 0; i < s->num_marks; i++, w->records++)
        fprintf(w->out, "mark what=%s t_ns=%" PRIu64 "\n",
                s->marks[i].start ? "start" : "stop",
                s->marks[i].t_ns - w->base_ns);
    for (size_t i = 0; i < s->num_notes; i++)
        put_note(w, s->notes[i]);
    if (s->dropped > 0) {
        snprintf(text, sizeof text, "%zu records lost: out of memory",
                 s->dropped);
        put_note(w, text);
    }
    fprintf(w->out, "end records=%zu ops=%zu calls=%zu\n", w->records, w->ops,
            w->calls);
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
