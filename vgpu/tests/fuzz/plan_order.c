/*
 * plan_order.c: what CUDA orders, after its manuals: a graph of steps, each
 * with the set of all steps before it. Written from cuda-semantics, not from
 * the runtime, so that each checks the other.
 *
 * Where the manuals can be read both ways an edge is `perhaps`: a legal
 * program does not need it, and nothing is expected of one that does.
 */
#include "plan.h"

#include <string.h>

/* ---- spans --------------------------------------------------------------- */

bool span_meets(const struct span *a, const struct span *b)
{
    int i = 0, j = 0;

    if (a->buffer < 0 || a->buffer != b->buffer)
        return false;
    while (i < a->count && j < b->count) {
        int x = a->at + i * a->stride, y = b->at + j * b->stride;

        if (x + a->width <= y)
            i++;
        else if (y + b->width <= x)
            j++;
        else
            return true;
    }
    return false;
}

static bool access_meets(const struct access *a, const struct access *b)
{
    if (a->kind == b->kind && a->kind != WRITES)
        return false;
    return span_meets(&a->span, &b->span);
}

static int list_access(const struct op *op, struct access *out)
{
    int count = 0;

    for (int i = 0; i < 2; i++)
        if (op->src[i].buffer >= 0)
            out[count++] = (struct access){op->src[i], READS};
    if (op->dst.buffer >= 0)
        out[count++] = (struct access){op->dst, op->atomic ? ADDS : WRITES};
    return count;
}

bool op_conflicts(const struct op *a, const struct op *b)
{
    struct access x[3], y[3];
    int m = list_access(a, x), n = list_access(b, y);

    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            if (access_meets(&x[i], &y[j]))
                return true;
    return false;
}

/* ---- nodes and edges ----------------------------------------------------- */

static bool has(const uint64_t *set, int node)
{
    return set[node / 64] >> (node % 64) & 1;
}

static void edge(struct order *order, int to, int from, bool perhaps)
{
    struct node *n = &order->nodes[to];
    const struct node *f;

    if (from < 0)
        return;
    f = &order->nodes[from];
    for (int i = 0; i < NODE_WORDS; i++) {
        n->perhaps[i] |= f->perhaps[i];
        if (!perhaps)
            n->sure[i] |= f->sure[i];
    }
    n->perhaps[from / 64] |= 1ull << (from % 64);
    if (perhaps)
        return;
    n->sure[from / 64] |= 1ull << (from % 64);
    if (n->steps < f->steps + f->cost)
        n->steps = f->steps + f->cost;
}

static int node_new(struct order *order, int op, int stream)
{
    struct node *n = &order->nodes[order->now.count];

    memset(n, 0, sizeof *n);
    n->op = op;
    n->stream = stream;
    edge(order, order->now.count, order->now.host, false);
    return order->now.count++;
}

static int host_node(struct order *order, int op)
{
    int n = node_new(order, op, -1);

    order->now.host = n;
    return n;
}

static bool is_blocking(const struct stream *stream)
{
    return stream->kind == BLOCKING || stream->kind == PER_THREAD;
}

/* Edges from (all but non-blocking) work of a device to what is done in its
 * legacy stream. */
static void after_blocking(struct order *order, int node, int device,
                           bool perhaps)
{
    const struct plan *plan = order->plan;

    for (int i = 0; i < plan->stream_count; i++)
        if (plan->streams[i].device == device && is_blocking(&plan->streams[i]))
            edge(order, node, order->now.last[i], perhaps);
}

static void after_all(struct order *order, int node, int device, bool perhaps)
{
    for (int i = 0; i < order->plan->stream_count; i++)
        if (order->plan->streams[i].device == device)
            edge(order, node, order->now.last[i], perhaps);
}

/* Legacy streams come first in a plan: one for each device. */
static int stream_node(struct order *order, int op, int stream)
{
    const struct stream *s = &order->plan->streams[stream];
    int n = node_new(order, op, stream);

    edge(order, n, order->now.last[stream], false);
    edge(order, n, order->now.barrier[s->device], true);
    if (s->kind == LEGACY)
        after_blocking(order, n, s->device, false);
    else if (is_blocking(s))
        edge(order, n, order->now.last[s->device], false);
    order->now.last[stream] = n;
    return n;
}

static void touch(struct order *order, int node, const struct span *span,
                  enum access_kind kind)
{
    struct node *n = &order->nodes[node];

    if (span->buffer >= 0)
        n->access[n->access_count++] = (struct access){*span, kind};
}

static void touch_all(struct order *order, int node, const struct op *op)
{
    struct node *n = &order->nodes[node];

    n->access_count = list_access(op, n->access);
    n->cost = op->kind == OP_KERNEL || op->kind == OP_COPY ||
              op->kind == OP_PEER_COPY;
}

/* ---- copies and sets ----------------------------------------------------- */

static bool on_host(const struct plan *plan, const struct span *span)
{
    enum buffer_kind kind = plan->buffers[span->buffer].kind;

    return kind == PINNED || kind == REGISTERED || kind == PAGEABLE;
}

static bool is_kind(const struct plan *plan, const struct span *span,
                    enum buffer_kind kind)
{
    return plan->buffers[span->buffer].kind == kind;
}

/* The host waits for a stream, and with the legacy one for all that it would
 * wait for. */
static int wait_stream(struct order *order, int op, int stream, bool perhaps)
{
    const struct stream *s = &order->plan->streams[stream];
    int h = host_node(order, op);

    edge(order, h, order->now.last[stream], perhaps);
    if (s->kind == LEGACY)
        after_blocking(order, h, s->device, perhaps);
    return h;
}

/* Between two host buffers: done by the host, as an action of the stream. */
static void add_host_copy(struct order *order, int index)
{
    const struct op *op = &order->plan->ops[index];
    int n = stream_node(order, index, op->stream), h;

    h = host_node(order, index);
    edge(order, h, n, false);
    touch_all(order, h, op);
    order->nodes[h].cost = 0;
}

/* In a legacy stream, a copy between the host and memory of a device that is
 * not current takes its turn on both devices. Return: that device, or the
 * stream's own. */
static int other_device(const struct plan *plan, const struct op *op)
{
    const int own = plan->streams[op->stream].device;
    const bool to_host = on_host(plan, &op->dst);
    const struct span *side = to_host ? &op->src[0] : &op->dst;

    if (plan->streams[op->stream].kind != LEGACY ||
        to_host == on_host(plan, &op->src[0]) || is_kind(plan, side, MANAGED))
        return own;
    return plan->buffers[side->buffer].device;
}

/* Edges from what the legacy stream of @device and its blocking streams hold.
 */
static void after_device(struct order *order, int node, int device)
{
    edge(order, node, order->now.last[device], false);
    edge(order, node, order->now.barrier[device], true);
    after_blocking(order, node, device, false);
}

/* A copy may be two steps, one of the host and one of the stream: a pageable
 * source that is staged is read before the call returns, and the stream then
 * only writes. One that makes the host wait ends with a step of the host. */
static void add_copy(struct order *order, int index)
{
    const struct plan *plan = order->plan;
    const struct op *op = &plan->ops[index];
    bool from_host = on_host(plan, &op->src[0]);
    bool to_host = on_host(plan, &op->dst);
    bool managed =
        is_kind(plan, &op->src[0], MANAGED) || is_kind(plan, &op->dst, MANAGED);
    bool staged =
        is_kind(plan, &op->src[0], PAGEABLE) && !to_host &&
        (!op->async || op->src[0].width * op->src[0].count <= CAPTURE_MAX);
    int own = plan->streams[op->stream].device, other, n, h;

    if (from_host && to_host) {
        add_host_copy(order, index);
        return;
    }
    other = other_device(plan, op);
    if (staged) {
        h = op->async ? host_node(order, index)
                      : wait_stream(order, index, op->stream, false);
        if (!op->async && other != own)
            after_device(order, h, other);
        touch(order, h, &op->src[0], READS);
    }
    n = stream_node(order, index, op->stream);
    if (other != own) {
        after_device(order, n, other);
        order->now.last[other] = n;
    }
    order->nodes[n].cost = 1;
    if (!staged)
        touch(order, n, &op->src[0], READS);
    touch(order, n, &op->dst, WRITES);
    if (op->async && !staged &&
        (is_kind(plan, &op->src[0], PAGEABLE) ||
         is_kind(plan, &op->dst, PAGEABLE))) {
        edge(order, host_node(order, index), n, true); /* it "might" wait */
        return;
    }
    if (op->async || staged || (!from_host && !to_host && !managed))
        return;
    h = host_node(order, index);
    edge(order, h, n, managed);
}

/* Not only the streams: all work of both devices and of the current one. What
 * that means for non-blocking streams is not settled. */
static void add_peer_copy(struct order *order, int index)
{
    const struct plan *plan = order->plan;
    const struct op *op = &plan->ops[index];
    int devices[3] = {op->device, plan->buffers[op->dst.buffer].device,
                      plan->buffers[op->src[0].buffer].device};
    int n;

    if (op->async) {
        n = stream_node(order, index, op->stream);
        touch_all(order, n, op);
        return;
    }
    n = stream_node(order, index, op->device);
    for (int i = 0; i < 3; i++) {
        edge(order, n, order->now.last[devices[i]], false);
        after_blocking(order, n, devices[i], false);
        after_all(order, n, devices[i], true);
    }
    touch_all(order, n, op);
    for (int i = 0; i < 3; i++) {
        order->now.last[devices[i]] = n;
        order->now.barrier[devices[i]] = n;
    }
}

static void add_set(struct order *order, int index)
{
    const struct op *op = &order->plan->ops[index];
    int n = stream_node(order, index, op->stream);

    touch_all(order, n, op);
    if (!op->async && on_host(order->plan, &op->dst))
        edge(order, host_node(order, index), n, false);
}

/* ---- waiting ------------------------------------------------------------- */

static void add_wait(struct order *order, int index)
{
    const struct op *op = &order->plan->ops[index];
    int n;

    if (order->now.event[op->event] < 0)
        return; /* never recorded: nothing, even in the legacy stream */
    n = stream_node(order, index, op->stream);
    edge(order, n, order->now.event[op->event], false);
}

static void wait_event(struct order *order, int index, bool perhaps)
{
    int event = order->plan->ops[index].event;

    edge(order, host_node(order, index), order->now.event[event], perhaps);
}

static void add_alloc(struct order *order, int index)
{
    const struct op *op = &order->plan->ops[index];
    int n;

    if (!op->async) { /* cudaFree waits today, but no manual promises it */
        n = host_node(order, index);
        order->nodes[n].soft = true;
        touch_all(order, n, op);
        return;
    }
    n = stream_node(order, index, op->stream);
    touch_all(order, n, op);
}

/* ---- graphs -------------------------------------------------------------- */

static bool is_work(enum op_kind kind)
{
    return kind == OP_KERNEL || kind == OP_COPY || kind == OP_PEER_COPY ||
           kind == OP_SET || kind == OP_HOST_FUNCTION;
}

static void add_inner(struct order *order, int index, const struct op *op,
                      uint32_t after)
{
    struct graph_order *graph = &order->now.graphs[op->graph];

    graph->inner[graph->count++] = (struct inner){index, op->stream, after};
}

/* A graph within a graph: all of it after what came before, and what comes
 * next after all of it. */
static void add_child(struct order *order, const struct op *op)
{
    const struct graph_order *child = &order->now.graphs[op->child];
    struct graph_order *graph = &order->now.graphs[op->graph];
    uint32_t tips = order->now.tips[op->stream], all = 0;
    int base = graph->count;

    for (int i = 0; i < child->count; i++) {
        add_inner(order, child->inner[i].op, op,
                  tips | child->inner[i].after << base);
        all |= 1u << (base + i);
    }
    if (all)
        order->now.tips[op->stream] = all;
}

static void add_captured(struct order *order, int index)
{
    const struct op *op = &order->plan->ops[index];
    struct order_state *now = &order->now;
    struct graph_order *graph = &now->graphs[op->graph];

    if (op->kind == OP_RECORD) {
        now->event_tips[op->event] = now->tips[op->stream];
    } else if (op->kind == OP_WAIT) {
        now->tips[op->stream] |= now->event_tips[op->event];
        now->joined[op->stream] = true;
    } else if (is_work(op->kind)) {
        add_inner(order, index, op, now->tips[op->stream]);
        now->tips[op->stream] = 1u << (graph->count - 1);
    } else if (op->kind == OP_GRAPH_LAUNCH) {
        add_child(order, op);
    }
}

uint32_t graph_before(const struct graph_order *graph, int at)
{
    uint32_t set = graph->inner[at].after;

    for (int i = at - 1; i >= 0; i--)
        if (set >> i & 1)
            set |= graph->inner[i].after;
    return set;
}

static void capture_begin(struct order *order, int index)
{
    const struct op *op = &order->plan->ops[index];

    memset(order->now.tips, 0, sizeof order->now.tips);
    memset(order->now.joined, 0, sizeof order->now.joined);
    order->now.capturing = true;
    order->now.origin = op->stream;
    order->now.joined[op->stream] = true;
    order->now.graphs[op->graph].count = 0;
}

/* Begins after its stream's work and after its own last launch. */
static void add_launch(struct order *order, int index)
{
    const struct op *op = &order->plan->ops[index];
    const struct graph_order *graph = &order->now.graphs[op->graph];
    int begin = stream_node(order, index, op->stream), end;
    int nodes[MAX_INNER];

    edge(order, begin, order->now.graph_end[op->graph], false);
    for (int i = 0; i < graph->count; i++) {
        nodes[i] = node_new(order, index, op->stream);
        edge(order, nodes[i], begin, false);
        for (int j = 0; j < i; j++)
            if (graph->inner[i].after >> j & 1)
                edge(order, nodes[i], nodes[j], false);
        touch_all(order, nodes[i], &order->plan->ops[graph->inner[i].op]);
    }
    end = node_new(order, index, op->stream);
    edge(order, end, begin, false);
    for (int i = 0; i < graph->count; i++)
        edge(order, end, nodes[i], false);
    order->now.last[op->stream] = end;
    order->now.graph_end[op->graph] = end;
}

/* ---- all ----------------------------------------------------------------- */

static void add_work(struct order *order, int index)
{
    const struct op *op = &order->plan->ops[index];

    switch (op->kind) {
    case OP_COPY:
        add_copy(order, index);
        break;
    case OP_PEER_COPY:
        add_peer_copy(order, index);
        break;
    case OP_SET:
        add_set(order, index);
        break;
    case OP_HOST:
        touch_all(order, host_node(order, index), op);
        break;
    case OP_ALLOC:
    case OP_FREE:
        add_alloc(order, index);
        break;
    case OP_GRAPH_LAUNCH:
        add_launch(order, index);
        break;
    default: /* a kernel, a host function */
        touch_all(order, stream_node(order, index, op->stream), op);
        break;
    }
}

/* A call that only orders is edges; everything else has accesses, too. What a
 * capture takes in belongs to a graph, and runs when that is launched. */
void order_add(struct order *order, int index)
{
    const struct op *op = &order->plan->ops[index];

    if (op->skip)
        return;
    if (op->captured) {
        add_captured(order, index);
        return;
    }
    switch (op->kind) {
    case OP_RECORD:
        order->now.event[op->event] = stream_node(order, index, op->stream);
        break;
    case OP_WAIT:
        add_wait(order, index);
        break;
    case OP_EVENT_SYNC:
    case OP_EVENT_SPIN:
    case OP_EVENT_QUERY:
        wait_event(order, index, op->kind == OP_EVENT_QUERY);
        break;
    case OP_STREAM_SYNC:
    case OP_STREAM_SPIN:
    case OP_STREAM_QUERY:
        wait_stream(order, index, op->stream, op->kind == OP_STREAM_QUERY);
        break;
    case OP_DEVICE_SYNC:
        after_all(order, host_node(order, index), op->device, false);
        break;
    case OP_CAPTURE:
        capture_begin(order, index);
        break;
    case OP_CAPTURE_END:
        order->now.capturing = false;
        break;
    case OP_STREAM_DESTROY:
        break;
    default:
        add_work(order, index);
        break;
    }
}

void order_begin(struct order *order, const struct plan *plan)
{
    struct order_state *now = &order->now;

    order->plan = plan;
    memset(now, 0, sizeof *now);
    now->host = -1;
    memset(now->last, -1, sizeof now->last);
    memset(now->event, -1, sizeof now->event);
    memset(now->graph_end, -1, sizeof now->graph_end);
    memset(now->barrier, -1, sizeof now->barrier);
}

void order_build(struct order *order, const struct plan *plan)
{
    order_begin(order, plan);
    for (int i = 0; i < plan->op_count; i++)
        order_add(order, i);
}

bool order_before(const struct order *order, int a, int b, bool perhaps)
{
    const struct node *n = &order->nodes[b];

    return has(perhaps ? n->perhaps : n->sure, a);
}

static bool nodes_conflict(const struct node *a, const struct node *b,
                           bool perhaps)
{
    if (perhaps && (a->soft || b->soft))
        return false;
    for (int i = 0; i < a->access_count; i++)
        for (int j = 0; j < b->access_count; j++)
            if (access_meets(&a->access[i], &b->access[j]))
                return true;
    return false;
}

int order_conflict(const struct order *order, int from, int to, bool perhaps,
                   int *with)
{
    for (int b = from; b < to; b++)
        for (int a = 0; order->nodes[b].access_count && a < b; a++)
            if (!order_before(order, a, b, perhaps) &&
                nodes_conflict(&order->nodes[a], &order->nodes[b], perhaps)) {
                *with = b;
                return a;
            }
    return -1;
}

static void mark_pair(const struct access *a, const struct access *b,
                      char *marks)
{
    const struct span *s = &a->span;

    if (!access_meets(a, b))
        return;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->width; k++) {
            int at = s->at + i * s->stride + k;
            struct span byte = {s->buffer, at, 1, 1, 1};

            if (!marks[at])
                marks[at] = span_meets(&byte, &b->span);
        }
}

void order_mark(const struct order *order, int buffer, bool perhaps,
                char *marks)
{
    for (int b = 0; b < order->now.count; b++)
        for (int a = 0; order->nodes[b].access_count && a < b; a++) {
            const struct node *x = &order->nodes[a], *y = &order->nodes[b];

            if (order_before(order, a, b, perhaps) ||
                (perhaps && (x->soft || y->soft)))
                continue;
            for (int i = 0; i < x->access_count; i++)
                for (int j = 0; j < y->access_count; j++)
                    if (x->access[i].span.buffer == buffer)
                        mark_pair(&x->access[i], &y->access[j], marks);
        }
}

int order_steps(const struct order *order)
{
    int most = 0;

    for (int i = 0; i < order->now.count; i++)
        if (order->nodes[i].steps + order->nodes[i].cost > most)
            most = order->nodes[i].steps + order->nodes[i].cost;
    return most;
}
