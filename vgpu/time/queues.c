/*
 * queues.c: from the host's call to the start of an operation, and what its
 * completion lets go on.
 *
 * Each engine (SMs, copies in, copies out) has one queue, or one for each
 * connection, that streams share by their index. What is at the head of a
 * queue starts when it is ready and its engine has room; until then all
 * behind it waits. Of several heads the one issued first starts; but where
 * copies have queues of their own number (copy_connections) an engine goes on
 * with one while that has a copy that can start. A mark has no place in a
 * queue, a host function takes its turn among the kernels, a D2D copy or memset
 * too: so measured on an H200 with one connection.
 */
#include "model.h"

#include <stddef.h>

void vtime_queue_add(struct vtime_queue *queue, struct vtime_op *op)
{
    op->queue_next = NULL;
    if (queue->tail)
        queue->tail->queue_next = op;
    else
        queue->head = op;
    queue->tail = op;
}

struct vtime_op *vtime_queue_take(struct vtime_queue *queue)
{
    struct vtime_op *op = queue->head;

    queue->head = op->queue_next;
    if (!queue->head)
        queue->tail = NULL;
    op->queue_next = NULL;
    return op;
}

/* Into one of the queues of its engine. */
static void engine_add(struct vtime_device *device, struct vtime_op *op,
                       int queue)
{
    struct vtime_engine *const engine = &device->engines[op->engine];

    engine->waiting++;
    vtime_queue_add(&engine->queues[queue], op);
}

enum vtime_engine_index vtime_engine_of(const struct vgpu_profile *profile,
                                        enum vgpu_time_kind kind)
{
    switch (kind) {
    case VGPU_TIME_H2D:
        return VTIME_ENGINE_H2D;
    case VGPU_TIME_D2H:
    case VGPU_TIME_PEER:
        return profile->copy_queues == 1 ? VTIME_ENGINE_H2D : VTIME_ENGINE_D2H;
    case VGPU_TIME_MARK:
    case VGPU_TIME_BRANCH:
        return VTIME_ENGINE_NONE;
    default:
        return VTIME_ENGINE_SM;
    }
}

/* @op has arrived and its predecessors are done. */
static void op_ready(struct vgpu_time *time, struct vtime_op *op)
{
    struct vtime_device *device = vtime_device_of(time, op);

    if (op->engine == VTIME_ENGINE_NONE) {
        struct vgpu_time_work work = {0};

        if (op->in.kind == VGPU_TIME_BRANCH)
            time->work(time->arg, op->in.user, &work);
        op->start_ns = time->now_ns;
        vtime_op_end(time, op);
        return;
    }
    op->ready_ns = time->now_ns;
    if (op->in.by_device)
        engine_add(device, op, device->queues[vtime_lane_of(op->engine)]);
    if (op->in.kind != VGPU_TIME_HOSTFN && device->profile.unit_ns == 0) {
        if (op->after_engine != op->engine &&
            op->after_engine != VTIME_ENGINE_NONE)
            op->ready_ns += device->profile.handoff_ns +
                            (op->after_engine == VTIME_ENGINE_D2H
                                 ? device->profile.d2h_handoff_ns
                                 : 0);
        if (op->in.kind == VGPU_TIME_KERNEL &&
            op->stream->kernel_gap_ns > op->ready_ns)
            op->ready_ns = op->stream->kernel_gap_ns;
    }
    if (op->ready_ns > time->now_ns)
        vtime_timers_add(&time->timers, op->ready_ns, VTIME_TIMER_READY, op);
    device->engines[op->engine].dirty = true;
}

/* What the successors of @op wait for: a mark passes on what it waited for, and
 * a host function ends on the host, which takes its own time. */
static int ended_on(const struct vtime_op *op)
{
    if (op->engine == VTIME_ENGINE_NONE)
        return op->after_engine;
    return op->in.kind == VGPU_TIME_HOSTFN ? VTIME_ENGINE_NONE : op->engine;
}

/*
 * Kernels that arrive one right after the other, from different streams,
 * signal together when the last of them ends. One that waits for work issued
 * after the first of them could not end before they signal: it stays out.
 */
static void join_delayed_group(struct vtime_device *device, struct vtime_op *op)
{
    struct vtime_op *last = device->last_arrived;
    struct vtime_op *first;

    device->last_arrived = NULL;
    if (op->in.kind != VGPU_TIME_KERNEL)
        return;
    device->last_arrived = op;
    op->group = op;
    op->group_left = 1;
    if (!last || last->stream == op->stream)
        return;
    first = last->group;
    for (struct vtime_edge *in = op->edges_in; in; in = in->next_in) {
        if (!vtime_op_before(in->from, first))
            return;
    }
    op->group = first;
    op->group_next = first->group_next;
    first->group_next = op;
    first->group_left++;
}

/* The one of the stream's index, or the next one that no stream uses, or if
 * there is none the next in turn. Measured on an H200: streams share a queue
 * only when none is left; and with one stream more at work, copies and kernels
 * of 32 take no longer, so that those that share a queue of kernels still share
 * one of copies. */
static int free_queue(struct vtime_device *device, uint32_t stream_index)
{
    const int count = device->queues[VTIME_LANE_KERNELS];
    const int own = (int)(stream_index % (uint32_t)count);
    int queue = (device->last_queue + 1) % count;

    for (int i = 0; i < count; i++)
        if (device->queue_streams[(own + i) % count] == 0) {
            queue = (own + i) % count;
            break;
        }
    device->last_queue = queue;
    return queue;
}

static bool has_copy_queues(const struct vtime_device *device, int engine)
{
    return device->profile.copy_connections > 0 &&
           vtime_lane_of(engine) == VTIME_LANE_COPIES;
}

/* Copies' own queues are given out in turn. A stream keeps one until another
 * stream has it: with 5 streams and 4 queues each copy is in another one than
 * the stream's last. Measured on an H200. */
static int copy_queue(struct vtime_device *device, const struct vtime_op *op)
{
    struct vtime_engine *engine = &device->engines[op->engine];
    const uint32_t user = op->in.stream + 1; /* 0: nobody */
    int *const queue = &op->stream->queue[op->engine];

    if (engine->queue_users[*queue] != user) {
        *queue = engine->next_queue;
        engine->next_queue = (*queue + 1) % device->queues[VTIME_LANE_COPIES];
        engine->queue_users[*queue] = user;
    }
    return *queue;
}

/* The queue that @op's stream uses, of kernels while it has work on the device.
 */
static int queue_of(struct vtime_device *device, const struct vtime_op *op)
{
    int *const queue = op->stream->queue;

    if (op->stream->arrived++ == 0) {
        queue[VTIME_ENGINE_SM] = free_queue(device, op->in.stream_index);
        device->queue_streams[queue[VTIME_ENGINE_SM]]++;
    }
    return has_copy_queues(device, op->engine) ? copy_queue(device, op)
                                               : queue[VTIME_ENGINE_SM];
}

void vtime_op_arrive(struct vgpu_time *time, struct vtime_op *op)
{
    struct vtime_device *device = vtime_device_of(time, op);

    op->state = VTIME_QUEUED;
    if (device->profile.delayed_signals && !op->in.by_device)
        join_delayed_group(device, op);
    if (op->engine != VTIME_ENGINE_NONE && !op->in.by_device)
        engine_add(device, op, queue_of(device, op));
    if (op->preds == 0) {
        op->after_engine = VTIME_ENGINE_NONE; /* that is long over */
        op_ready(time, op);
    }
}

/* Windows' driver collects commands and sends them together (WDDM); profiles of
 * such machines have batch_commands. */
void vtime_op_issue(struct vgpu_time *time, struct vtime_op *op)
{
    const struct vgpu_profile *p = vtime_host_profile(time);
    struct vtime_device *device = vtime_device_of(time, op);

    if (p->batch_commands == 0 || op->in.by_device) {
        vtime_op_arrive(time, op);
        return;
    }
    op->state = VTIME_BATCHED;
    vtime_queue_add(&device->batch, op);
    if (++device->batch_count >= p->batch_commands)
        vtime_batch_send(time, device);
}

static int batch_engine(const struct vtime_op *op)
{
    if (op->engine == VTIME_ENGINE_NONE || op->in.kind == VGPU_TIME_HOSTFN)
        return -1;
    return op->engine;
}

/*
 * Within a batch, work for one engine starts when the work for another one
 * that is ahead of it has ended: runs of one engine follow each other.
 */
static void order_batch(struct vgpu_time *time, struct vtime_op *first)
{
    struct vtime_op *before = NULL; /* first of the run before */
    struct vtime_op *run = NULL;    /* first of this run */

    for (struct vtime_op *op = first; op; op = op->queue_next) {
        if (batch_engine(op) < 0)
            continue;
        if (!run || batch_engine(run) != batch_engine(op)) {
            before = run;
            run = op;
        }
        for (struct vtime_op *from = before; from && from != run;
             from = from->queue_next) {
            if (batch_engine(from) >= 0 && vtime_edges_reserve(time, 1))
                vtime_edge_add(time, from, op);
        }
    }
}

void vtime_batch_send(struct vgpu_time *time, struct vtime_device *device)
{
    int64_t at_ns = time->now_ns;

    if (!device->batch.head)
        return;
    if (at_ns < device->batch_free_ns)
        at_ns = device->batch_free_ns;
    at_ns += vtime_host_profile(time)->batch_submit_ns;
    device->batch_free_ns = at_ns;
    order_batch(time, device->batch.head);
    while (device->batch.head)
        vtime_timers_add(&time->timers, at_ns, VTIME_TIMER_ARRIVE,
                         vtime_queue_take(&device->batch));
    device->batch_count = 0;
}

/* Tell @op's successors, and forget what nobody asks for. */
static void op_done(struct vgpu_time *time, struct vtime_op *op)
{
    struct vtime_device *device = vtime_device_of(time, op);

    op->state = VTIME_DONE;
    op->done_ns = time->now_ns;
    while (op->edges) {
        struct vtime_op *to = op->edges->to;

        op->edges = vtime_edge_drop(time, op->edges);
        to->after_engine = ended_on(op);
        if (--to->preds == 0 && to->state == VTIME_QUEUED)
            op_ready(time, to);
    }
    op->stream->unfinished--;
    vtime_op_leave_place(op);
    if (op->engine != VTIME_ENGINE_NONE && !op->in.by_device &&
        --op->stream->arrived == 0)
        device->queue_streams[op->stream->queue[VTIME_ENGINE_SM]]--;
    if (op->stream->last == op)
        op->stream->last = NULL;
    if (device->last_arrived == op)
        device->last_arrived = NULL;
    if (op->released)
        vtime_op_free(time, op);
}

/* Return: whether the head of a queue can start. */
static bool can_start(const struct vgpu_time *time,
                      const struct vtime_device *device, int engine,
                      const struct vtime_op *op)
{
    if (op->preds > 0 || op->ready_ns > time->now_ns)
        return false;
    if (op->in.kind == VGPU_TIME_KERNEL)
        return device->resident_kernels < device->profile.max_resident_kernels;
    return engine == VTIME_ENGINE_SM || !device->engines[engine].running;
}

static void run_for(struct vgpu_time *time, struct vtime_op *op,
                    int64_t duration_ns, enum vtime_timer_kind then)
{
    op->state = VTIME_RUNNING;
    op->start_ns = time->now_ns;
    vtime_timers_add(&time->timers, time->now_ns + duration_ns, then, op);
}

/* A kernel that finds the device idle takes longer to start. */
static int64_t kernel_cost(const struct vgpu_time *time,
                           const struct vtime_device *device,
                           const struct vtime_op *op)
{
    const struct vgpu_profile *p = &device->profile;

    if (device->resident_kernels > 0)
        return p->kernel_fixed_ns;
    return vtime_fixed_cost(time, op, p->kernel_fixed_ns, p->kernel_idle_ns,
                            device->engines[VTIME_ENGINE_SM].idle_since_ns);
}

/* It began when it began, and takes its unit when that is known. */
void vtime_unit_work(struct vgpu_time *time, struct vtime_op *op,
                     const struct vgpu_time_work *work)
{
    const int64_t start_ns = op->start_ns;

    op->grid.open = work->open;
    op->state = VTIME_RUNNING;
    if (work->open)
        return;
    run_for(time, op, vtime_device_of(time, op)->profile.unit_ns,
            VTIME_TIMER_END);
    op->start_ns = start_ns;
}

static void start_on_sms(struct vgpu_time *time, struct vtime_op *op)
{
    struct vtime_device *device = vtime_device_of(time, op);
    const struct vgpu_profile *p = &device->profile;

    op->grid.fixed_ns = p->kernel_fixed_ns;
    if (op->in.kind == VGPU_TIME_KERNEL) {
        op->grid.fixed_ns = kernel_cost(time, device, op);
        device->resident_kernels++;
    }
    if (p->unit_ns > 0) {
        struct vgpu_time_work work = {0};

        op->start_ns = time->now_ns;
        if (op->in.kind == VGPU_TIME_KERNEL)
            time->work(time->arg, op->in.user, &work);
        vtime_unit_work(time, op, &work);
        return;
    }
    /* No kernel overtakes one that is still waking the device up. */
    if (device->pool.sent_ns < time->now_ns + op->grid.fixed_ns)
        device->pool.sent_ns = time->now_ns + op->grid.fixed_ns;
    run_for(time, op, device->pool.sent_ns - time->now_ns, VTIME_TIMER_MOVE);
}

static const struct vtime_op *other_way(const struct vtime_device *device,
                                        int engine)
{
    return device
        ->engines[engine == VTIME_ENGINE_H2D ? VTIME_ENGINE_D2H
                                             : VTIME_ENGINE_H2D]
        .running;
}

static bool over_link(const struct vtime_op *op)
{
    return op && (op->in.kind == VGPU_TIME_H2D || op->in.kind == VGPU_TIME_D2H);
}

/* Host functions go to one queue for the process: one thread runs them all. */
static void start_op(struct vgpu_time *time, struct vtime_device *device,
                     int engine, struct vtime_op *op)
{
    vtime_op_leave_place(op);
    if (op->in.kind == VGPU_TIME_HOSTFN) {
        vtime_queue_add(&time->host, op);
    } else if (engine == VTIME_ENGINE_SM) {
        start_on_sms(time, op);
    } else {
        device->engines[engine].running = op;
        vtime_copy_start(time, op, &device->engines[engine],
                         over_link(op) && over_link(other_way(device, engine)));
    }
}

/* @a starts before @b when both could. Priorities are for kernels' blocks; copy
 * engines know none. */
static bool goes_first(const struct vtime_op *a, const struct vtime_op *b)
{
    if (a->engine == VTIME_ENGINE_SM && a->in.priority != b->in.priority)
        return a->in.priority < b->in.priority;
    return vtime_op_before(a, b);
}

/* The queue whose head starts next, or -1. Of copies' own an engine goes on
 * with the one that it is at, and else takes the next in turn. */
static int next_queue(const struct vgpu_time *time,
                      const struct vtime_device *device, int engine)
{
    const struct vtime_engine *e = &device->engines[engine];
    const int count = device->queues[vtime_lane_of(engine)];
    const bool in_turn = has_copy_queues(device, engine);
    int best = -1;

    for (int i = 0; i <= count && e->waiting; i++) {
        const int queue =
            in_turn && i < count ? (e->last_queue + i) % count : i;
        const struct vtime_op *head = e->queues[queue].head;

        if (!head || !can_start(time, device, engine, head))
            continue;
        if (in_turn)
            return queue;
        if (best < 0 || goes_first(head, e->queues[best].head))
            best = queue;
    }
    return best;
}

/* Start one head of @engine's queues. Return: false when none can. */
static bool start_one(struct vgpu_time *time, struct vtime_device *device,
                      int engine)
{
    const int queue = next_queue(time, device, engine);
    struct vtime_engine *e = &device->engines[engine];

    if (queue < 0)
        return false;
    if (queue < device->queues[vtime_lane_of(engine)])
        e->last_queue = queue;
    e->waiting--;
    start_op(time, device, engine, vtime_queue_take(&e->queues[queue]));
    return true;
}

/* What a host function takes that does nothing. The thread sleeps while there
 * is none to run; if it is the device that gets to one, it has to be woken. */
static int64_t host_function_ns(const struct vgpu_time *time,
                                const struct vtime_op *op)
{
    const struct vgpu_profile *p = vtime_host_profile(time);
    const bool asleep = op->ready_ns > time->host_ended_ns &&
                        op->after_engine != VTIME_ENGINE_NONE;

    return p->host_function_ns + (asleep ? p->host_wake_ns : 0);
}

/* Host functions run one at a time, in the order they became ready. */
static void start_host(struct vgpu_time *time)
{
    struct vgpu_time_work work = {0};
    struct vtime_op *op;
    int64_t ns;

    if (time->host_running || !time->host.head)
        return;
    op = vtime_queue_take(&time->host);
    time->host_running = op;
    time->work(time->arg, op->in.user, &work);
    ns = 0;
    if (vtime_host_profile(time)->unit_ns == 0)
        ns = host_function_ns(time, op) + work.fixed_ns +
             vtime_div_up((vtime_u128)work.ops * 1000,
                          (uint64_t)vtime_host_profile(time)->host_ops_per_us);
    run_for(time, op, ns, VTIME_TIMER_END);
}

/* Return: whether anything of @device was done. */
static bool settle_device(struct vgpu_time *time, struct vtime_device *device)
{
    bool any = false;

    for (int i = 0; i < VTIME_ENGINES; i++) {
        if (!device->engines[i].dirty)
            continue;
        device->engines[i].dirty = false;
        while (start_one(time, device, i))
            any = true;
    }
    if (device->pool.dirty) {
        vtime_pool_update(time, device);
        any = true;
    }
    return any;
}

/* Those that wait for no more of @op than it has @reached. */
static void tell_early(struct vgpu_time *time, struct vtime_op *op)
{
    struct vtime_edge **link = &op->edges;

    op->told = op->reached;
    while (*link) {
        struct vtime_op *to = (*link)->to;

        if (!((*link)->early & op->told)) {
            link = &(*link)->next;
            continue;
        }
        *link = vtime_edge_drop(time, *link);
        to->after_engine = VTIME_ENGINE_NONE;
        if (--to->preds == 0 && to->state == VTIME_QUEUED)
            op_ready(time, to);
    }
}

static bool tell_all_early(struct vgpu_time *time, struct vtime_device *device)
{
    bool any = false;

    for (struct vtime_op *op = device->pool.first; op; op = op->grid.next) {
        if (op->reached == op->told)
            continue;
        tell_early(time, op);
        any = true;
    }
    return any;
}

/* Completions first, since they make others ready; then again until nothing
 * changes. Copies' rates come last, once it is known who moves. */
void vtime_settle(struct vgpu_time *time)
{
    bool any;

    do {
        any = false;
        while (time->done_first) {
            struct vtime_op *op = time->done_first;

            time->done_first = op->work_next;
            if (!time->done_first)
                time->done_last = NULL;
            op_done(time, op);
            any = true;
        }
        start_host(time);
        for (int i = 0; i < time->device_count; i++)
            any |= settle_device(time, &time->devices[i]) ||
                   tell_all_early(time, &time->devices[i]);
    } while (any);
    if (time->copies_dirty)
        vtime_copies_update(time);
}
