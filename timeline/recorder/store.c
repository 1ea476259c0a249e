/* store.c: records in memory, in the order in which they come
 *
 * CUPTI hands over buffers when it likes, and not in order: an operation may
 * come before its stream, a call after its operation. So everything is kept
 * as it comes, and sorted when the program has ended. That also keeps the work
 * beside the running program small, which is being measured.
 *
 * There is one store for the process, as there is one recorder.
 */
#define _POSIX_C_SOURCE 200809L
#include "store_data.h"

#include "number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct store store_all;

/* Room for one more element; NULL where memory ran out. */
static void *grow(void **array, size_t *num, size_t size)
{
    if ((*num & (*num - 1)) == 0) {
        void *more = realloc(*array, (*num ? *num * 2 : 1) * size);

        if (!more) {
            store_all.dropped++;
            return NULL;
        }
        *array = more;
    }
    return (char *)*array + (*num)++ * size;
}

#define GROW(array)                                                            \
    grow((void **)&store_all.array, &store_all.num_##array,                    \
         sizeof *store_all.array)

/* CUPTI's strings live as long as its buffer. Where memory runs out, the record
 * stays without its name. */
static char *copy(const char *text)
{
    char *own = strdup(text ? text : "");

    if (!own)
        store_all.dropped++;
    return own;
}

/* A device is told of for each context on it: the first time counts. */
void store_add_device(const struct store_device *device, const char *name)
{
    struct store_named_device *slot;

    for (size_t i = 0; i < store_all.num_devices; i++)
        if (store_all.devices[i].d.index == device->index)
            return;
    slot = GROW(devices);
    if (slot)
        *slot = (struct store_named_device){*device, copy(name)};
}

/* Numbers of streams begin anew in each context. */
static struct store_stream *find_stream(uint32_t context, uint32_t stream)
{
    for (size_t i = 0; i < store_all.num_streams; i++)
        if (store_all.streams[i].context == context &&
            store_all.streams[i].stream == stream)
            return &store_all.streams[i];
    return NULL;
}

void store_add_stream(uint32_t context, uint32_t stream, bool is_default,
                      bool non_blocking)
{
    struct store_stream *slot = find_stream(context, stream);

    if (!slot)
        slot = GROW(streams);
    if (slot)
        *slot =
            (struct store_stream){context, stream, is_default, non_blocking, 0};
}

void store_add_op(const struct store_op *op)
{
    struct store_op *slot = GROW(ops);

    if (slot) {
        *slot = *op;
        slot->name = copy(op->name);
    }
}

void store_add_call(const struct store_call *call)
{
    struct store_call *slot = GROW(calls);

    if (slot) {
        *slot = *call;
        slot->name = copy(call->name);
    }
}

static void add_name(uint32_t context, uint32_t stream, uint64_t event,
                     const char *name)
{
    struct store_name *slot = GROW(names);

    if (slot)
        *slot = (struct store_name){context, stream, event,
                                    name ? copy(name) : NULL};
}

void store_name_stream(uint32_t context, uint32_t stream, const char *name)
{
    add_name(context, stream, 0, name);
}

/* Most programs name no event: there is nothing to forget then. */
void store_name_event(uint64_t event, const char *name)
{
    if (name || store_all.num_names > 0)
        add_name(0, 0, event, name);
}

size_t store_find_name(uint32_t context, uint32_t stream, uint64_t event)
{
    size_t i = store_all.num_names;

    while (i > 0 && (store_all.names[i - 1].event != event ||
                     store_all.names[i - 1].context != context ||
                     store_all.names[i - 1].stream != stream))
        i--;
    return i;
}

void store_add_order(const struct store_order *order)
{
    struct store_order *slot = GROW(orders);

    if (!slot)
        return;
    *slot = *order;
    slot->name = order->is_wait ? 0 : store_find_name(0, 0, order->event);
}

size_t store_begin_range(const char *name, uint64_t t_ns,
                         const void *const frames[STORE_FRAMES])
{
    struct store_range *slot = GROW(ranges);

    if (!slot)
        return 0;
    *slot = (struct store_range){.name = copy(name), .start_ns = t_ns};
    memcpy(slot->frames, frames, sizeof slot->frames);
    return store_all.num_ranges;
}

void store_end_range(size_t range, uint32_t thread, uint64_t t_ns)
{
    if (range == 0 || range > store_all.num_ranges ||
        store_all.ranges[range - 1].end_ns)
        return;
    store_all.ranges[range - 1].thread = thread;
    store_all.ranges[range - 1].end_ns = t_ns;
}

size_t store_add_after(const struct store_after *list, size_t num)
{
    const size_t at = store_all.num_after;

    for (size_t i = 0; i < num; i++) {
        struct store_after *slot = GROW(after);

        if (!slot)
            return SIZE_MAX;
        *slot = list[i];
    }
    return at;
}

void store_add_mark(bool start, uint64_t t_ns)
{
    struct store_mark *slot = GROW(marks);

    if (slot)
        *slot = (struct store_mark){start, t_ns};
}

void store_add_note(const char *text)
{
    char **slot = GROW(notes);

    if (slot)
        *slot = copy(text);
}

void store_add_frames(uint32_t call, const void *const frames[STORE_FRAMES])
{
    struct store_stack *slot = GROW(stacks);

    if (slot) {
        slot->call = call;
        memcpy(slot->frames, frames, sizeof slot->frames);
    }
}

/* By call, to be found by it; put_all() writes them in this order, too. */
static int order_ops(const void *a, const void *b)
{
    const struct store_op *x = a, *y = b;

    return x->call == y->call ? order_u64(x->start_ns, y->start_ns)
                              : order_u64(x->call, y->call);
}

static int order_orders(const void *a, const void *b)
{
    const struct store_order *x = a, *y = b;

    return order_u64(x->call, y->call);
}

static int order_stacks(const void *a, const void *b)
{
    const struct store_stack *x = a, *y = b;

    return order_u64(x->call, y->call);
}

static int order_calls(const void *a, const void *b)
{
    const struct store_call *x = a, *y = b;

    return order_u64(x->start_ns, y->start_ns);
}

static void sort(void *array, size_t num, size_t size,
                 int (*order)(const void *, const void *))
{
    if (num > 1)
        qsort(array, num, size, order);
}

/* A stream that nobody created is the legacy default stream of its device.
 * The others count from 1 in the order of their creation.
 */
static void number_streams(void)
{
    uint64_t number = 0;

    for (size_t i = 0; i < store_all.num_ops; i++) {
        const struct store_op *op = &store_all.ops[i];

        if (!find_stream(op->context, op->stream))
            store_add_stream(op->context, op->stream, true, false);
    }
    for (size_t i = 0; i < store_all.num_streams; i++)
        if (!store_all.streams[i].is_default)
            store_all.streams[i].number = ++number;
}

/* Streams last: those that nobody created are found among the operations. */
void store_sort(void)
{
    struct store *s = &store_all;

    sort(s->ops, s->num_ops, sizeof *s->ops, order_ops);
    sort(s->stacks, s->num_stacks, sizeof *s->stacks, order_stacks);
    sort(s->calls, s->num_calls, sizeof *s->calls, order_calls);
    sort(s->orders, s->num_orders, sizeof *s->orders, order_orders);
    number_streams();
    store_find_orders();
}

const struct store_stack *store_find_stack(uint32_t call)
{
    struct store_stack key = {.call = call};

    return store_all.num_stacks == 0
               ? NULL
               : bsearch(&key, store_all.stacks, store_all.num_stacks,
                         sizeof key, order_stacks);
}

static int find_call(const void *key, const void *element)
{
    return order_u64(*(const uint32_t *)key,
                     ((const struct store_op *)element)->call);
}

const struct store_op *store_find_op(uint32_t call)
{
    return store_all.num_ops == 0
               ? NULL
               : bsearch(&call, store_all.ops, store_all.num_ops,
                         sizeof *store_all.ops, find_call);
}

/* Names are const for those who read them; here they are given back. */
void store_clear(void)
{
    struct store *s = &store_all;

    for (size_t i = 0; i < s->num_devices; i++)
        free(s->devices[i].name);
    for (size_t i = 0; i < s->num_ops; i++)
        free((void *)s->ops[i].name);
    for (size_t i = 0; i < s->num_calls; i++)
        free((void *)s->calls[i].name);
    for (size_t i = 0; i < s->num_notes; i++)
        free(s->notes[i]);
    for (size_t i = 0; i < s->num_ranges; i++)
        free(s->ranges[i].name);
    for (size_t i = 0; i < s->num_names; i++)
        free(s->names[i].name);
    free(s->ranges);
    free(s->names);
    free(s->devices);
    free(s->streams);
    free(s->ops);
    free(s->calls);
    free(s->marks);
    free(s->stacks);
    free(s->orders);
    free(s->after);
    free(s->notes);
    *s = (struct store){0};
}

/* Of the Itanium ABI's names the part that people know: after _Z, and N for a
 * nested name, comes a length and as many letters; of a nested name the last
 * such part counts. What its parameters are does not matter here.
 */
void store_plain_name(const char *mangled, char *name, uint32_t size)
{
    const char *p = mangled;

    snprintf(name, size, "%s", mangled);
    if (strncmp(p, "_Z", 2) != 0)
        return;
    p += 2;
    p += *p == 'N' ? 1 : 0;
    p += *p == 'L' ? 1 : 0; /* a static function */
    while (isdigit((unsigned char)*p)) {
        unsigned long len = strtoul(p, (char **)&p, 10);

        if (len > strlen(p))
            return;
        snprintf(name, size, "%.*s", (int)(len > 255 ? 255 : len), p);
        p += len;
    }
}
