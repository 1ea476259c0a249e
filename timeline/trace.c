/* trace.c: one recorded run in memory: its words, its orders, what is found
 *
 * All strings point into the file's text, which the trace owns: a trace of a
 * million operations is one array for each kind of record, and freeing it
 * needs no walk.
 */
#include "trace.h"

#include "number.h"

#include <stdlib.h>
#include <string.h>

const char *const trace_kind_words[TRACE_NUM_KINDS] = {
#define KIND(NAME, WORD) WORD,
#include "vgpu/trace.def"
};
const char *const trace_engine_words[TRACE_NUM_ENGINES] = {
#define ENGINE(NAME, WORD) WORD,
#include "vgpu/trace.def"
};
const char *const trace_mem_words[TRACE_NUM_MEMS] = {
#define MEM(NAME, WORD) WORD,
#include "vgpu/trace.def"
};

/* By id at last, so that the order is the same on every machine: qsort() keeps
 * no order among equals. */
static int order_ops(const void *a, const void *b)
{
    const struct trace_op *x = a, *y = b;
    int order = order_u64(x->start_ns, y->start_ns);

    if (!order)
        order = order_u64(x->end_ns, y->end_ns);
    return order ? order : order_u64(x->id, y->id);
}

static int order_calls(const void *a, const void *b)
{
    const struct trace_call *x = a, *y = b;

    return order_u64(x->id, y->id);
}

/* A start before a stop at the same time: an empty region, and not none. */
static int order_marks(const void *a, const void *b)
{
    const struct trace_mark *x = a, *y = b;
    int order = order_u64(x->t_ns, y->t_ns);

    return order ? order : (int)y->start - (int)x->start;
}

static int order_events(const void *a, const void *b)
{
    const struct trace_event *x = a, *y = b;

    return order_u64(x->id, y->id);
}

static int order_waits(const void *a, const void *b)
{
    const struct trace_wait *x = a, *y = b;

    return order_u64(x->id, y->id);
}

/* What holds another one comes before it. */
static int order_ranges(const void *a, const void *b)
{
    const struct trace_range *x = a, *y = b;
    int order = order_u64(x->start_ns, y->start_ns);

    return order ? order : order_u64(y->end_ns, x->end_ns);
}

/* Without elements the array may be NULL, which qsort() must not be given. */
static void sort(void *array, size_t num, size_t size,
                 int (*order)(const void *, const void *))
{
    if (num > 1)
        qsort(array, num, size, order);
}

void trace_sort(struct trace *t)
{
    sort(t->ops, t->num_ops, sizeof *t->ops, order_ops);
    sort(t->calls, t->num_calls, sizeof *t->calls, order_calls);
    sort(t->marks, t->num_marks, sizeof *t->marks, order_marks);
    sort(t->events, t->num_events, sizeof *t->events, order_events);
    sort(t->waits, t->num_waits, sizeof *t->waits, order_waits);
    sort(t->ranges, t->num_ranges, sizeof *t->ranges, order_ranges);
}

void trace_free(struct trace *t)
{
    free(t->text);
    free(t->devices);
    free(t->ops);
    free(t->calls);
    free(t->marks);
    free(t->hazards);
    free(t->events);
    free(t->waits);
    free(t->streams);
    free(t->ranges);
    free(t->orders);
    free(t->notes);
    free(t->after);
    free(t->via);
    memset(t, 0, sizeof *t);
}

const uint64_t *trace_after(const struct trace *t, const struct trace_op *op)
{
    return op->num_after ? t->after + op->after_at : NULL;
}

const uint64_t *trace_via(const struct trace *t, const struct trace_op *op)
{
    return op->num_via && op->num_via == op->num_after ? t->via + op->via_at
                                                       : NULL;
}

bool trace_comes_after(const struct trace *t, const struct trace_op *op,
                       const struct trace_op *other)
{
    for (size_t i = 0; i < op->num_after; i++)
        if (trace_after(t, op)[i] == other->id)
            return true;
    return false;
}

const struct trace_wait *trace_find_wait(const struct trace *t, uint64_t id)
{
    struct trace_wait key = {.id = id};

    if (id == 0 || t->num_waits == 0)
        return NULL;
    return bsearch(&key, t->waits, t->num_waits, sizeof key, order_waits);
}

const struct trace_call *trace_find_call(const struct trace *t, uint64_t id)
{
    struct trace_call key = {.id = id};

    if (id == 0 || t->num_calls == 0)
        return NULL;
    return bsearch(&key, t->calls, t->num_calls, sizeof key, order_calls);
}

const struct trace_device *trace_find_device(const struct trace *t,
                                             unsigned index)
{
    for (size_t i = 0; i < t->num_devices; i++)
        if (t->devices[i].index == index)
            return &t->devices[i];
    return NULL;
}
