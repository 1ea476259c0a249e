/*
 * plan_make.c: random programs that are legal by construction. Before each
 * call the model in plan_order.c is asked what it conflicts with; a call that
 * orders the two is put in between, of a kind taken at random.
 */
#include "plan.h"

#include <string.h>

struct maker {
    struct plan *plan;
    struct order *order;
    uint64_t random;
    bool freed[MAX_BUFFERS];
    bool destroyed[MAX_STREAMS];
    int first_capture_event;    /* one for each device */
    int bounds[MAX_BUFFERS][4]; /* where spans began or ended */
};

/* splitmix64 */
uint64_t fuzz_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static int pick(struct maker *m, int count)
{
    return (int)(fuzz_random(&m->random) % (uint64_t)count);
}

static bool chance(struct maker *m, int percent)
{
    return pick(m, 100) < percent;
}

static const struct span no_span = {-1, 0, 0, 0, 0};

static struct op op_new(struct maker *m, enum op_kind kind)
{
    struct op op;

    memset(&op, 0, sizeof op);
    op.kind = kind;
    op.device = pick(m, m->plan->devices);
    op.dst = op.src[0] = op.src[1] = no_span;
    op.value = pick(m, 256);
    op.event = op.graph = op.child = -1;
    op.thread = m->plan->threads ? pick(m, 2) : 0;
    return op;
}

/* ---- what there is at the start ------------------------------------------ */

static void make_streams(struct maker *m)
{
    struct plan *plan = m->plan;
    int extra = 1 + pick(m, MAX_STREAMS - 3 * MAX_DEVICES);

    for (int d = 0; d < plan->devices; d++)
        plan->streams[plan->stream_count++] = (struct stream){LEGACY, d, 0, 0};
    for (int t = 0; t < (plan->threads ? 2 : 1); t++)
        for (int d = 0; d < plan->devices; d++)
            plan->streams[plan->stream_count++] =
                (struct stream){PER_THREAD, d, 0, t};
    for (int i = 0; i < extra; i++)
        plan->streams[plan->stream_count++] =
            (struct stream){chance(m, 50) ? BLOCKING : NON_BLOCKING,
                            pick(m, plan->devices), -pick(m, 3), 0};
}

static void make_events(struct maker *m)
{
    struct plan *plan = m->plan;

    for (int d = 0; d < plan->devices; d++)
        for (int i = 0; i < 3; i++)
            plan->event_device[plan->event_count++] = d;
    m->first_capture_event = plan->event_count;
    for (int d = 0; d < plan->devices; d++)
        plan->event_device[plan->event_count++] = d;
}

static int buffer_new(struct maker *m, enum buffer_kind kind, int device)
{
    static const int sizes[] = {16, 64, 250, 1000, 4096, 5000, 9000};
    struct plan *plan = m->plan;
    int bytes = sizes[pick(m, 7)];

    if (kind == PAGEABLE && chance(m, 15))
        bytes = CAPTURE_MAX + 3000;
    plan->buffers[plan->buffer_count] =
        (struct buffer){kind, device, bytes, false, false};
    return plan->buffer_count++;
}

static void make_buffers(struct maker *m)
{
    static const enum buffer_kind kinds[] = {DEVICE,  DEVICE,     DEVICE,
                                             DEVICE,  PINNED,     PINNED,
                                             MANAGED, REGISTERED, PAGEABLE};
    int extra = pick(m, 4);

    buffer_new(m, DEVICE, pick(m, m->plan->devices));
    buffer_new(m, PINNED, pick(m, m->plan->devices));
    for (int i = 0; i < extra; i++)
        buffer_new(m, kinds[pick(m, 9)], pick(m, m->plan->devices));
}

/* ---- spans --------------------------------------------------------------- */

/* Place @count pieces of @width bytes in a buffer, if they fit. */
static bool place(struct maker *m, struct span *span, int buffer, int width,
                  int count, int align)
{
    int bytes = m->plan->buffers[buffer].bytes, room, stride = width;
    int reach, at;

    if (width * count > bytes)
        return false;
    if (count > 1) {
        room = (bytes - width) / (count - 1) - width;
        if (room > 0 && chance(m, 50))
            stride += pick(m, room < 40 ? room + 1 : 40);
        stride = stride / align * align;
    }
    reach = width + (count - 1) * stride;
    at = pick(m, bytes - reach + 1);
    if (chance(m, 40)) { /* touch what was used before, or just not */
        int bound = m->bounds[buffer][pick(m, 4)];
        int next = chance(m, 50) ? bound : bound - reach;

        if (next >= 0 && next + reach <= bytes)
            at = next;
    }
    at = at / align * align;
    *span = (struct span){buffer, at, stride, width, count};
    m->bounds[buffer][pick(m, 4)] = chance(m, 50) ? at : at + reach;
    return true;
}

static bool same_span(const struct span *a, const struct span *b)
{
    return !memcmp(a, b, sizeof *a);
}

/* One call's parts must not overlap, unless it works in place. */
static bool parts_fit(const struct op *op)
{
    for (int i = 0; i < 2; i++)
        if (span_meets(&op->dst, &op->src[i]) &&
            (op->atomic || op->kind == OP_COPY || op->kind == OP_PEER_COPY ||
             !same_span(&op->dst, &op->src[i])))
            return false;
    return true;
}

/* Buffers that a call may use. */
enum reach { BY_KERNEL, BY_HOST_FUNCTION, BY_HOST, BY_COPY, BY_SET, BY_PEER };

static bool reaches(struct maker *m, int index, enum reach reach, int device)
{
    const struct buffer *b = &m->plan->buffers[index];

    if (m->freed[index])
        return false;
    switch (reach) {
    case BY_KERNEL:
    case BY_SET:
        if (b->kind == DEVICE)
            return b->device == device || (m->plan->peers && !b->pool);
        return b->kind != PAGEABLE;
    case BY_HOST_FUNCTION:
        return b->kind != DEVICE && b->kind != PAGEABLE;
    case BY_HOST:
        return b->kind != DEVICE;
    case BY_PEER:
        return b->kind == DEVICE;
    default:
        return true;
    }
}

static int pick_buffer(struct maker *m, enum reach reach, int device)
{
    int list[MAX_BUFFERS], count = 0;

    for (int i = 0; i < m->plan->buffer_count; i++)
        if (reaches(m, i, reach, device))
            list[count++] = i;
    return count ? list[pick(m, count)] : -1;
}

/* Code's reads and writes, in elements. */
static bool fill_code(struct maker *m, struct op *op, enum reach reach,
                      int device)
{
    static const int widths[] = {1, 2, 4, 4, 8};
    int width = op->atomic ? 4 : widths[pick(m, 5)];
    int count = 1 + pick(m, chance(m, 50) ? 4 : 64);
    int align = reach == BY_KERNEL || chance(m, 70) ? width : 1;
    int sources = pick(m, 3), buffer = pick_buffer(m, reach, device);

    if (buffer < 0)
        return false;
    if (sources && !op->atomic && chance(m, 25))
        buffer = -1; /* only reads */
    if (buffer >= 0 && !place(m, &op->dst, buffer, width, count, align))
        return false;
    for (int i = 0; i < sources; i++) {
        int from = pick_buffer(m, reach, device);

        if (op->dst.buffer >= 0 && !op->atomic && chance(m, 30))
            op->src[i] = op->dst;
        else if (!place(m, &op->src[i], from, width, count, align))
            op->src[i] = no_span;
    }
    if (op->dst.buffer < 0 && op->src[0].buffer < 0) {
        op->src[0] = op->src[1];
        op->src[1] = no_span;
    }
    return parts_fit(op) && (op->dst.buffer >= 0 || op->src[0].buffer >= 0);
}

/* A copy's rows; a set's, where @reach is BY_SET. */
static bool fill_rows(struct maker *m, struct op *op, enum reach reach)
{
    int device = m->plan->streams[op->stream].device;
    int to = pick_buffer(m, reach, device);
    int from = reach == BY_SET ? to : pick_buffer(m, reach, device);
    int rows = reach == BY_PEER || chance(m, 75) ? 1 : 2 + pick(m, 8);
    int most, width;

    if (to < 0 || from < 0)
        return false;
    most = m->plan->buffers[to].bytes;
    if (m->plan->buffers[from].bytes < most)
        most = m->plan->buffers[from].bytes;
    width = chance(m, 30) && rows == 1 ? most : 1 + pick(m, most) / rows;
    if (!place(m, &op->dst, to, width, rows, 1))
        return false;
    if (reach == BY_SET)
        return true;
    return place(m, &op->src[0], from, width, rows, 1) && parts_fit(op);
}

/* ---- putting calls in ---------------------------------------------------- */

static bool is_full(const struct maker *m)
{
    return m->plan->op_count > MAX_OPS - 40 ||
           m->order->now.count > MAX_NODES - 120;
}

/* A thread's own stream is only its own to use; captures are thread 0's. */
static void append(struct maker *m, const struct op *op)
{
    struct op *here = &m->plan->ops[m->plan->op_count];

    *here = *op;
    if (m->plan->streams[op->stream].kind == PER_THREAD)
        here->thread = m->plan->streams[op->stream].thread;
    if (op->captured || op->kind == OP_CAPTURE || op->kind == OP_CAPTURE_END)
        here->thread = 0;
    order_add(m->order, m->plan->op_count++);
}

static int event_of(struct maker *m, int device)
{
    return device * 3 + pick(m, 3);
}

static int record(struct maker *m, int stream)
{
    struct op op = op_new(m, OP_RECORD);

    op.stream = stream;
    op.event = event_of(m, m->plan->streams[stream].device);
    append(m, &op);
    return op.event;
}

static void on_event(struct maker *m, enum op_kind kind, int event, int stream)
{
    struct op op = op_new(m, kind);

    op.stream = stream;
    op.event = event;
    append(m, &op);
}

static void on_stream(struct maker *m, enum op_kind kind, int stream)
{
    struct op op = op_new(m, kind);

    op.stream = stream;
    append(m, &op);
}

static void device_sync(struct maker *m, int device)
{
    struct op op = op_new(m, OP_DEVICE_SYNC);

    op.device = device;
    append(m, &op);
}

/* An event whose latest record comes after @node, or -1. */
static int event_after(struct maker *m, int node)
{
    int from = pick(m, m->first_capture_event);

    for (int i = 0; i < m->first_capture_event; i++) {
        int e = (from + i) % m->first_capture_event;
        int record = m->order->now.event[e];

        if (record >= 0 && order_before(m->order, node, record, false))
            return e;
    }
    return -1;
}

static bool is_blocking(const struct stream *stream)
{
    return stream->kind == BLOCKING || stream->kind == PER_THREAD;
}

static int pick_stream(struct maker *m)
{
    int s;

    do
        s = pick(m, m->plan->stream_count);
    while (m->destroyed[s]);
    return s;
}

/* The host waits for what is in stream @from now. */
static void order_host(struct maker *m, int from)
{
    switch (pick(m, 5)) {
    case 0:
        on_stream(m, OP_STREAM_SYNC, from);
        break;
    case 1:
        on_stream(m, OP_STREAM_SPIN, from);
        break;
    case 2:
        on_event(m, OP_EVENT_SPIN, record(m, from), 0);
        break;
    case 3:
        device_sync(m, m->plan->streams[from].device);
        break;
    default:
        on_event(m, OP_EVENT_SYNC, record(m, from), 0);
        break;
    }
}

/* Stream @to waits for what is in stream @from now. */
static void order_streams(struct maker *m, int from, int to)
{
    const struct stream *a = &m->plan->streams[from];
    const struct stream *b = &m->plan->streams[to];
    int between = pick_stream(m);

    switch (pick(m, 6)) {
    case 0:
        if (is_blocking(a) && is_blocking(b) && a->device == b->device) {
            record(m, a->device); /* an action of the legacy stream */
            break;
        }
        /* fallthrough */
    case 1:
        on_event(m, OP_WAIT, record(m, from), between);
        on_event(m, OP_WAIT, record(m, between), to);
        break;
    case 2:
        order_host(m, from);
        break;
    default:
        on_event(m, OP_WAIT, record(m, from), to);
        break;
    }
}

/* Order @node before what comes next in stream @to, or -1: the host. */
static void put_order(struct maker *m, int node, int to)
{
    int from = m->order->nodes[node].stream;
    int event = event_after(m, node);

    if (event >= 0 && chance(m, 60))
        on_event(m, to < 0 ? OP_EVENT_SYNC : OP_WAIT, event, to < 0 ? 0 : to);
    else if (m->destroyed[from])
        device_sync(m, m->plan->streams[from].device);
    else if (to < 0)
        order_host(m, from);
    else
        order_streams(m, from, to);
}

/* Append @op, and before it what makes it legal. */
static bool put(struct maker *m, const struct op *op)
{
    for (int tries = 0; tries < 30 && !is_full(m); tries++) {
        struct order_state before = m->order->now;
        int with, node, to;

        append(m, op);
        node = order_conflict(m->order, before.count, m->order->now.count,
                              false, &with);
        if (node < 0)
            return true;
        to = m->order->nodes[with].stream;
        m->order->now = before;
        m->plan->op_count--;
        if (node >= before.count)
            return false; /* with itself */
        put_order(m, node, to);
    }
    return false;
}

/* ---- calls --------------------------------------------------------------- */

static bool fill_copy(struct maker *m, struct op *op, bool async)
{
    op->async = async || chance(m, 70);
    if (!op->async)
        op->stream = chance(m, 75) ? op->device : op->device + m->plan->devices;
    return fill_rows(m, op, BY_COPY);
}

static bool fill_peer(struct maker *m, struct op *op, bool async)
{
    op->kind = OP_PEER_COPY;
    op->async = async || chance(m, 80);
    if (!op->async)
        op->stream = op->device;
    return fill_rows(m, op, BY_PEER);
}

/* Some work in stream @stream, or, unless @async, a synchronous call. Return:
 * false where it did not fit. */
static bool make_work(struct maker *m, struct op *op, int stream, bool async)
{
    int dice = pick(m, 100);

    *op = op_new(m, OP_KERNEL);
    op->stream = stream;
    if (dice < 45) {
        op->atomic = chance(m, 15);
        op->blocks = 1 + pick(m, 4);
        op->threads = 1 + pick(m, 40);
        return fill_code(m, op, BY_KERNEL, m->plan->streams[stream].device);
    }
    op->kind = dice < 75 ? OP_COPY : dice < 90 ? OP_SET : OP_HOST_FUNCTION;
    if (op->kind == OP_HOST_FUNCTION)
        return fill_code(m, op, BY_HOST_FUNCTION, 0);
    if (op->kind == OP_COPY)
        return chance(m, 15) ? fill_peer(m, op, async)
                             : fill_copy(m, op, async);
    op->async = async || chance(m, 75);
    if (!op->async)
        op->stream = op->device;
    return fill_rows(m, op, BY_SET);
}

static void add_work(struct maker *m)
{
    struct op op;

    if (make_work(m, &op, pick_stream(m), false))
        put(m, &op);
}

static void add_host(struct maker *m)
{
    struct op op = op_new(m, OP_HOST);

    if (!fill_code(m, &op, BY_HOST, 0))
        return;
    if (chance(m, 50) && op.src[0].buffer >= 0)
        op.dst = no_span;
    put(m, &op);
}

static void add_memory(struct maker *m)
{
    struct plan *plan = m->plan;
    struct op op = op_new(m, OP_ALLOC), fill;
    int b;

    if (plan->buffer_count == MAX_BUFFERS || is_full(m))
        return;
    op.async = chance(m, 70);
    op.stream = pick_stream(m);
    op.device = plan->streams[op.stream].device;
    b = buffer_new(m, DEVICE, op.device);
    plan->buffers[b].late = true;
    plan->buffers[b].pool = op.async;
    op.dst =
        (struct span){b, 0, plan->buffers[b].bytes, plan->buffers[b].bytes, 1};
    op.keep = true;
    fill = op;
    fill.kind = OP_SET;
    fill.async = true;
    if (!put(m, &op) || !put(m, &fill))
        m->freed[b] = true;
}

static void add_free(struct maker *m)
{
    struct op op = op_new(m, OP_FREE);
    int b = pick(m, m->plan->buffer_count);

    if (!m->plan->buffers[b].late || m->freed[b])
        return;
    op.async = chance(m, 70);
    op.stream = pick_stream(m);
    op.keep = true;
    op.dst = (struct span){b, 0, m->plan->buffers[b].bytes,
                           m->plan->buffers[b].bytes, 1};
    if (put(m, &op))
        m->freed[b] = true;
}

/* Order that nothing needs, and queries that may fail. */
static void add_sync(struct maker *m)
{
    int s = pick_stream(m), e = pick(m, m->first_capture_event);

    if (is_full(m))
        return;
    switch (pick(m, 7)) {
    case 0:
        on_stream(m, OP_STREAM_QUERY, s);
        break;
    case 1:
        on_event(m, OP_EVENT_QUERY, e, 0);
        break;
    case 2:
        on_event(m, OP_EVENT_SYNC, e, 0);
        break;
    case 3:
        on_event(m, OP_WAIT, e, s);
        break;
    case 4:
        order_streams(m, s, pick_stream(m));
        break;
    default:
        record(m, s);
        break;
    }
}

static void destroy_stream(struct maker *m)
{
    int s = pick_stream(m);

    if (m->plan->streams[s].kind == LEGACY ||
        m->plan->streams[s].kind == PER_THREAD || is_full(m))
        return;
    m->destroyed[s] = true;
    on_stream(m, OP_STREAM_DESTROY, s);
    m->plan->ops[m->plan->op_count - 1].keep = true;
}

/* ---- graphs -------------------------------------------------------------- */

struct capture {
    int graph;
    int streams[3];
    int count;
};

static void put_captured(struct maker *m, const struct capture *c,
                         enum op_kind kind, int stream, int event, bool keep)
{
    struct op op = op_new(m, kind);

    op.stream = stream;
    op.event = event;
    op.graph = c->graph;
    op.captured = kind == OP_RECORD || kind == OP_WAIT;
    op.keep = keep;
    append(m, &op);
}

static void captured_edge(struct maker *m, const struct capture *c, int from,
                          int to, bool keep)
{
    int event = m->first_capture_event + m->plan->streams[from].device;

    put_captured(m, c, OP_RECORD, from, event, true);
    put_captured(m, c, OP_WAIT, to, event, keep);
}

static bool uses_host_only(struct maker *m, const struct op *op)
{
    const struct buffer *b = m->plan->buffers;

    return op->kind == OP_COPY && b[op->src[0].buffer].kind != DEVICE &&
           b[op->dst.buffer].kind != DEVICE;
}

static bool uses_kind(struct maker *m, const struct op *op,
                      enum buffer_kind kind)
{
    const struct buffer *b = m->plan->buffers;

    return (op->dst.buffer >= 0 && b[op->dst.buffer].kind == kind) ||
           (op->src[0].buffer >= 0 && b[op->src[0].buffer].kind == kind) ||
           (op->src[1].buffer >= 0 && b[op->src[1].buffer].kind == kind);
}

/* Put edges before @op, which is to be captured next in its stream. */
static void order_captured(struct maker *m, const struct capture *c,
                           const struct op *op)
{
    struct graph_order *graph = &m->order->now.graphs[c->graph];

    for (int i = 0; i < graph->count; i++) {
        const struct inner *old = &graph->inner[i];
        uint32_t before;

        graph->inner[graph->count].after = m->order->now.tips[op->stream];
        before = graph_before(graph, graph->count);
        if (!(before >> i & 1) && op_conflicts(&m->plan->ops[old->op], op))
            captured_edge(m, c, old->stream, op->stream, false);
    }
}

static void captured_work(struct maker *m, const struct capture *c)
{
    int stream = c->streams[pick(m, c->count)];
    struct op op;

    if (!make_work(m, &op, stream, true) || uses_kind(m, &op, PAGEABLE) ||
        uses_host_only(m, &op))
        return;
    op.captured = true;
    op.graph = c->graph;
    order_captured(m, c, &op);
    append(m, &op);
}

static bool graph_usable(struct maker *m, int graph)
{
    const struct graph_order *g = &m->order->now.graphs[graph];

    for (int i = 0; i < g->count; i++) {
        const struct op *op = &m->plan->ops[g->inner[i].op];

        if ((op->dst.buffer >= 0 && m->freed[op->dst.buffer]) ||
            (op->src[0].buffer >= 0 && m->freed[op->src[0].buffer]) ||
            (op->src[1].buffer >= 0 && m->freed[op->src[1].buffer]))
            return false;
    }
    return true;
}

/* A graph made before becomes a part of this one. */
static void captured_child(struct maker *m, const struct capture *c)
{
    struct graph_order *graphs = m->order->now.graphs;
    struct op op = op_new(m, OP_GRAPH_LAUNCH);

    if (!c->graph)
        return;
    op.graph = c->graph;
    op.child = pick(m, c->graph);
    op.stream = c->streams[pick(m, c->count)];
    op.captured = true;
    if (!graph_usable(m, op.child) ||
        graphs[c->graph].count + graphs[op.child].count > MAX_INNER - 4)
        return;
    for (int i = 0; i < graphs[op.child].count; i++) {
        struct op inner = m->plan->ops[graphs[op.child].inner[i].op];

        inner.stream = op.stream;
        order_captured(m, c, &inner);
    }
    append(m, &op);
}

static bool can_capture(const struct maker *m, int stream)
{
    const struct stream *s = &m->plan->streams[stream];

    return s->kind != LEGACY && !s->thread;
}

/* One stream begins a capture and others join it by events; all must be back in
 * the first before it ends, or CUDA refuses the graph. */
static void add_graph(struct maker *m)
{
    struct capture c = {m->plan->graph_count, {0}, 1};
    int work = 1 + pick(m, 8);

    if (c.graph == MAX_GRAPHS || is_full(m))
        return;
    c.streams[0] = pick_stream(m);
    if (!can_capture(m, c.streams[0]))
        return;
    m->plan->graph_count++;
    put_captured(m, &c, OP_CAPTURE, c.streams[0], -1, true);
    for (int tries = pick(m, 3); tries > 0; tries--) {
        int s = pick_stream(m);

        if (!can_capture(m, s) || s == c.streams[0] ||
            (c.count == 2 && s == c.streams[1]))
            continue;
        captured_edge(m, &c, c.streams[0], s, true);
        c.streams[c.count++] = s;
    }
    for (int i = 0; i < work; i++)
        if (chance(m, 12))
            captured_child(m, &c);
        else
            captured_work(m, &c);
    for (int i = 1; i < c.count; i++)
        captured_edge(m, &c, c.streams[i], c.streams[0], true);
    put_captured(m, &c, OP_CAPTURE_END, c.streams[0], -1, true);
}

static void add_launch(struct maker *m)
{
    struct op op = op_new(m, OP_GRAPH_LAUNCH);

    if (!m->plan->graph_count)
        return;
    op.graph = pick(m, m->plan->graph_count);
    op.stream = pick_stream(m);
    if (graph_usable(m, op.graph))
        put(m, &op);
}

/* ---- programs ------------------------------------------------------------ */

/* Mostly work, and what the host does beside it, so that many pairs of accesses
 * need an order. What ends something is rare: else little would be left to use.
 */
void plan_make(struct plan *plan, struct order *order, uint64_t seed,
               int devices, bool peers)
{
    struct maker m = {.plan = plan, .order = order, .random = seed};
    int calls;

    memset(plan, 0, sizeof *plan);
    plan->seed = seed;
    plan->devices = devices;
    plan->peers = peers && chance(&m, 60);
    plan->threads = chance(&m, 12);
    make_streams(&m);
    make_events(&m);
    make_buffers(&m);
    order_begin(order, plan);
    calls = 4 + pick(&m, 40);
    for (int i = 0; i < calls && !is_full(&m); i++) {
        int dice = pick(&m, 100);

        if (dice < 58)
            add_work(&m);
        else if (dice < 74)
            add_host(&m);
        else if (dice < 82)
            add_sync(&m);
        else if (dice < 86)
            add_memory(&m);
        else if (dice < 89)
            add_free(&m);
        else if (dice < 91)
            destroy_stream(&m);
        else if (dice < 94)
            add_graph(&m);
        else
            add_launch(&m);
    }
}

/* Does leaving it out leave a program that runs? */
static bool can_weaken(const struct plan *plan, const struct op *op)
{
    if (op->skip || op->keep)
        return false;
    switch (op->kind) {
    case OP_RECORD:
    case OP_WAIT:
    case OP_EVENT_SYNC:
    case OP_EVENT_SPIN:
    case OP_STREAM_SYNC:
    case OP_STREAM_SPIN:
    case OP_DEVICE_SYNC:
        return true;
    case OP_COPY:
        return !op->async && plan->buffers[op->src[0].buffer].kind != PAGEABLE;
    default:
        return false;
    }
}

static bool weaken_stream(struct plan *plan, uint64_t *random)
{
    int s = (int)(fuzz_random(random) % (uint64_t)plan->stream_count);

    if (plan->streams[s].kind != BLOCKING)
        return false;
    plan->streams[s].kind = NON_BLOCKING;
    return true;
}

bool plan_weaken(struct plan *plan, uint64_t *random)
{
    int list[MAX_OPS], count = 0;
    struct op *op;

    if (fuzz_random(random) % 8 == 0 && weaken_stream(plan, random))
        return true;
    for (int i = 0; i < plan->op_count; i++)
        if (can_weaken(plan, &plan->ops[i]))
            list[count++] = i;
    if (!count)
        return false;
    op = &plan->ops[list[fuzz_random(random) % (uint64_t)count]];
    if (op->kind == OP_COPY)
        op->async = true;
    else
        op->skip = true;
    return true;
}
