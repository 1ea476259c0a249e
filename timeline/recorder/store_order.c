/* store_order.c: what an operation comes after, and by which event
 *
 * CUPTI tells when an operation ran and not what it waited for. But the rules
 * are CUDA's: an operation comes after the one before it in its stream, after
 * what its stream was made to wait for, and the legacy default stream and all
 * blocking streams come after each other. So the calls are gone through once,
 * in the order of their numbers, as the program made them. What a graph orders
 * inside of itself is not known here, and not said.
 */
#include "store_data.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_AFTER = 64 }; /* of one operation; the newest are kept */

/* What comes next in a stream comes after these. */
struct front {
    struct store_after list[MAX_AFTER];
    size_t num;
};

struct queue {
    const struct store_stream *stream;
    struct front front;
    size_t last; /* its last operation */
    uint32_t graph_call;
};

/* An event as it was recorded last. */
struct recorded {
    uint64_t event;
    size_t record; /* of the order, from 1 */
    struct front front;
};

/* All that is known while the calls are gone through. */
struct walk {
    struct queue *queues;
    struct recorded *events;
    size_t num_queues, num_events;
};

static void add(struct front *front, size_t op, size_t via)
{
    for (size_t i = 0; i < front->num; i++)
        if (front->list[i].op == op)
            return;
    if (front->num == MAX_AFTER) {
        memmove(front->list, front->list + 1,
                (MAX_AFTER - 1) * sizeof *front->list);
        front->num--;
    }
    front->list[front->num++] = (struct store_after){op, via};
}

/* @via 0: each by the wait that it has */
static void add_all(struct front *front, const struct front *more, size_t via)
{
    for (size_t i = 0; i < more->num; i++)
        add(front, more->list[i].op, via ? via : more->list[i].via);
}

static struct queue *queue_of(struct walk *walk, uint32_t context,
                              uint32_t stream)
{
    for (size_t i = 0; i < walk->num_queues; i++)
        if (walk->queues[i].stream->context == context &&
            walk->queues[i].stream->stream == stream)
            return &walk->queues[i];
    return NULL;
}

static struct recorded *event_of(struct walk *walk, uint64_t event)
{
    for (size_t i = 0; i < walk->num_events; i++)
        if (walk->events[i].event == event)
            return &walk->events[i];
    return NULL;
}

/* The default stream's operation, and those of blocking streams: what the other
 * side has queued since the last time. One wait stands for all of this order.
 */
static void add_default(struct walk *walk, struct queue *queue)
{
    const size_t barrier = store_all.num_orders + 1;

    for (size_t i = 0; i < walk->num_queues; i++) {
        const struct queue *const other = &walk->queues[i];

        if (other == queue || other->last <= queue->last ||
            other->stream->context != queue->stream->context ||
            other->stream->is_default == queue->stream->is_default ||
            other->stream->non_blocking || queue->stream->non_blocking)
            continue;
        add(&queue->front, other->last, barrier);
        store_all.has_barrier = true;
    }
}

/* Nodes of one graph come after what was before the graph, and what is next
 * comes after all of them. */
static void take_op(struct walk *walk, size_t number)
{
    struct store_op *const op = &store_all.ops[number - 1];
    struct queue *const queue = queue_of(walk, op->context, op->stream);
    struct front before;

    if (!queue)
        return;
    if (!op->graph || queue->graph_call != op->call)
        add_default(walk, queue);
    before = queue->front;
    if (op->graph && queue->graph_call == op->call) {
        op->after_at = store_all.ops[queue->last - 1].after_at;
        op->num_after = store_all.ops[queue->last - 1].num_after;
    } else {
        op->after_at = store_add_after(before.list, before.num);
        op->num_after = op->after_at == SIZE_MAX ? 0 : before.num;
        queue->front.num = 0;
    }
    add(&queue->front, number, 0);
    queue->last = number;
    queue->graph_call = op->graph ? op->call : 0;
}

/* An event that nobody recorded orders nothing. */
static void take_order(struct walk *walk, size_t number)
{
    struct store_order *const order = &store_all.orders[number - 1];
    struct queue *const queue = queue_of(walk, order->context, order->stream);
    struct recorded *event = event_of(walk, order->event);

    if (!queue)
        return;
    add_default(walk, queue);
    if (order->is_wait && event) {
        order->record = event->record;
        add_all(&queue->front, &event->front, number);
    }
    if (order->is_wait)
        return;
    if (!event)
        event = &walk->events[walk->num_events++];
    *event = (struct recorded){order->event, number, queue->front};
    for (size_t i = 0; i < queue->front.num; i++) {
        const uint64_t end_ns =
            store_all.ops[queue->front.list[i].op - 1].end_ns;

        order->t_ns = end_ns > order->t_ns ? end_ns : order->t_ns;
    }
}

/* Both lists are by call. */
void store_find_orders(void)
{
    struct store *const s = &store_all;
    struct walk walk = {
        .queues = calloc(s->num_streams + 1, sizeof *walk.queues),
        .events = calloc(s->num_orders + 1, sizeof *walk.events)};
    size_t op = 0, order = 0;

    for (; walk.queues && walk.num_queues < s->num_streams; walk.num_queues++)
        walk.queues[walk.num_queues].stream = &s->streams[walk.num_queues];
    while (walk.queues && walk.events &&
           (op < s->num_ops || order < s->num_orders)) {
        if (order == s->num_orders ||
            (op < s->num_ops && s->ops[op].call < s->orders[order].call))
            take_op(&walk, ++op);
        else
            take_order(&walk, ++order);
    }
    free(walk.queues);
    free(walk.events);
}
