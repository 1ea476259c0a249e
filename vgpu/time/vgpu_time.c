/*
 * vgpu_time.c: the time model's public calls, and its loop over events.
 *
 * A discrete-event simulation that is driven from outside: it goes on only as
 * far as somebody asks, because what a kernel costs is known when it has run
 * for real, and that happens as late as possible. Three things can be the next
 * event: a timer, the end of a copy at its present rate, the end of a phase of
 * the kernels on some device. After each event everything that can start does
 * (vtime_settle), so that between events nothing but time changes.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (INT64_C(1) << 56)

/* What CUDA_DEVICE_MAX_CONNECTIONS asks for, as far as the hardware has it. */
static int connections_of(const struct vgpu_profile *profile, int connections,
                          int64_t usual)
{
    return (int)min_i64(connections > 0 ? connections : usual,
                        profile->hardware_queues);
}

struct vgpu_time *vgpu_time_new(const struct vgpu_profile *profiles,
                                int devices, int connections,
                                vgpu_time_work_fn *work, void *arg)
{
    struct vgpu_time *time;
    size_t moving = 0;

    if (devices < 1)
        return NULL;
    time = calloc(1, sizeof *time);
    if (!time)
        return NULL;
    time->device_count = devices;
    time->work = work;
    time->arg = arg;
    time->copies_next_ns = VTIME_NEVER;
    time->queue_permille = 1000;
    time->devices = calloc((size_t)devices, sizeof *time->devices);
    /* A device moves at most one copy on each of its two copy engines, and
     * what its kernels reach over links. */
    for (int i = 0; i < devices; i++)
        moving += 2 + (size_t)profiles[i].max_resident_kernels;
    time->copies = calloc(moving, sizeof *time->copies);
    if (!time->devices || !time->copies) {
        vgpu_time_free(time);
        return NULL;
    }
    for (int i = 0; i < devices; i++) {
        struct vtime_device *device = &time->devices[i];

        device->profile = profiles[i];
        device->pool.next_ns = VTIME_NEVER;
        for (int engine = 0; engine < VTIME_ENGINES; engine++)
            device->engines[engine].idle_since_ns = -1;
    }
    vgpu_time_connect(time, connections, 0);
    return time;
}

/* Observed: who asks for connections and says nothing of copies gets as many
 * for these. */
void vgpu_time_connect(struct vgpu_time *time, int connections, int copies)
{
    for (int i = 0; i < time->device_count; i++) {
        struct vtime_device *device = &time->devices[i];
        const struct vgpu_profile *p = &device->profile;

        device->queues[VTIME_LANE_KERNELS] =
            connections_of(p, connections, p->default_connections);
        device->queues[VTIME_LANE_COPIES] = connections_of(
            p, copies > 0 ? copies : connections,
            p->copy_connections ? p->copy_connections : p->default_connections);
    }
}

struct vgpu_time *vgpu_time_again(const struct vgpu_time *time, int queues,
                                  vgpu_time_work_fn *work, void *arg)
{
    const int count = time->device_count;
    struct vgpu_profile *profiles = calloc((size_t)count, sizeof *profiles);
    struct vgpu_time *again = NULL;

    for (int i = 0; profiles && i < count; i++) {
        profiles[i] = time->devices[i].profile;
        if (queues) /* devices with many queues do not hold signals back */
            profiles[i].delayed_signals = 0;
    }
    if (profiles)
        again = vgpu_time_new(profiles, count, 0, work, arg);
    free(profiles);
    for (int i = 0; again && i < count; i++)
        for (int lane = 0; lane < VTIME_LANES; lane++)
            again->devices[i].queues[lane] =
                queues ? queues : time->devices[i].queues[lane];
    if (again)
        again->queue_permille = time->queue_permille;
    return again;
}

int vgpu_time_queues(const struct vgpu_time *time, int device)
{
    return time->devices[device].queues[VTIME_LANE_KERNELS];
}

bool vgpu_time_has_queues(const struct vgpu_time *time, size_t streams)
{
    for (int i = 0; i < time->device_count; i++) {
        const struct vtime_device *const device = &time->devices[i];

        for (int lane = 0; lane < VTIME_LANES; lane++)
            if (device->profile.delayed_signals ||
                (size_t)device->queues[lane] < streams)
                return false;
    }
    return true;
}

void vgpu_time_scale_queues(struct vgpu_time *time, int permille)
{
    time->queue_permille = permille;
}

void vgpu_time_free(struct vgpu_time *time)
{
    if (!time)
        return;
    vtime_ops_free_all(time);
    free(time->timers.heap);
    free(time->copies);
    free(time->devices);
    free(time);
}

int64_t vgpu_time_now(const struct vgpu_time *time)
{
    return time->now_ns;
}

/* Return: when something happens next, or VTIME_NEVER. */
static int64_t next_event(const struct vgpu_time *time)
{
    int64_t next = time->copies_next_ns;

    if (time->timers.count > 0 && time->timers.heap[0].at_ns < next)
        next = time->timers.heap[0].at_ns;
    for (int i = 0; i < time->device_count; i++) {
        if (time->devices[i].pool.next_ns < next)
            next = time->devices[i].pool.next_ns;
    }
    return next;
}

/* An operation has one timer at a time, and what it stands for is in its kind:
 * an end, a start after its fixed cost, an engine that is ready again, an
 * arrival on the device. */
static void fire(struct vgpu_time *time, struct vtime_timer timer)
{
    struct vtime_op *op = timer.op;

    switch (timer.kind) {
    case VTIME_TIMER_END:
        vtime_op_end(time, op);
        break;
    case VTIME_TIMER_MOVE:
        if (op->engine == VTIME_ENGINE_SM)
            vtime_pool_add(time, op);
        else
            vtime_copy_move(time, op);
        break;
    case VTIME_TIMER_READY:
        time->devices[op->in.device].engines[op->engine].dirty = true;
        break;
    case VTIME_TIMER_ARRIVE:
        if (op->state == VTIME_HELD)
            vtime_op_issue(time, op);
        else
            vtime_op_arrive(time, op);
        break;
    }
}

/* All that happens at @at_ns, and what starts because of it. */
static void run_event(struct vgpu_time *time, int64_t at_ns)
{
    time->now_ns = at_ns;
    if (time->copies_next_ns <= at_ns)
        vtime_copies_advance(time);
    for (int i = 0; i < time->device_count; i++) {
        if (time->devices[i].pool.next_ns <= at_ns)
            time->devices[i].pool.dirty = true;
    }
    while (time->timers.count > 0 && time->timers.heap[0].at_ns <= at_ns)
        fire(time, vtime_timers_take(&time->timers));
    vtime_settle(time);
}

/* Events at @until_ns itself included: asked what is true then, they have
 * happened. */
static void run_until(struct vgpu_time *time, int64_t until_ns)
{
    for (;;) {
        int64_t next = next_event(time);

        if (next > until_ns)
            break;
        run_event(time, next);
    }
    if (time->now_ns < until_ns)
        time->now_ns = until_ns;
}

/* Send what all drivers hold back. Return: whether there was any. */
static bool send_batches(struct vgpu_time *time)
{
    bool any = false;

    for (int i = 0; i < time->device_count; i++) {
        any = any || time->devices[i].batch.head;
        vtime_batch_send(time, &time->devices[i]);
    }
    return any;
}

void vgpu_time_finish(struct vgpu_time *time, vgpu_time_id id,
                      const struct vgpu_time_work *work)
{
    struct vtime_op *op = vtime_op_find(time, id);

    if (!op || !op->grid.open)
        return;
    if (vtime_device_of(time, op)->profile.unit_ns > 0)
        vtime_unit_work(time, op, work);
    else
        vtime_pool_work(time, op, work);
    vtime_settle(time);
}

bool vgpu_time_step(struct vgpu_time *time, int64_t until_ns)
{
    int64_t next = next_event(time);

    if (next == VTIME_NEVER && send_batches(time))
        next = next_event(time);
    if (next == VTIME_NEVER || next > until_ns)
        return false;
    run_event(time, next);
    return true;
}

/* Return: false when nothing will ever happen again. */
static bool run_one(struct vgpu_time *time)
{
    return vgpu_time_step(time, VTIME_NEVER);
}

/* What would never start is refused here, so that a wait cannot hang: a kernel
 * of which no block fits, a device that is not there. */
static bool valid_op(const struct vgpu_time *time,
                     const struct vgpu_time_op *op)
{
    if (op->device < 0 || op->device >= time->device_count ||
        op->after_count < 0 || (op->after_count > 0 && !op->after))
        return false;
    switch (op->kind) {
    case VGPU_TIME_PEER:
        if (op->peer_device < 0 || op->peer_device >= time->device_count)
            return false;
        return op->bytes >= 0 && op->bytes <= BYTES_MAX;
    case VGPU_TIME_H2D:
    case VGPU_TIME_D2H:
    case VGPU_TIME_D2D:
    case VGPU_TIME_MEMSET:
        return op->bytes >= 0 && op->bytes <= BYTES_MAX;
    case VGPU_TIME_KERNEL:
        return op->blocks > 0 &&
               vgpu_time_blocks_per_sm(
                   &time->devices[op->device].profile, op->threads_per_block,
                   op->regs_per_thread, op->shared_per_block_bytes) > 0;
    case VGPU_TIME_HOSTFN:
    case VGPU_TIME_MARK:
    case VGPU_TIME_BRANCH:
        return true;
    }
    return false;
}

/* Make @op wait for @pred, and come after it in the order of waits. */
static void add_pred(struct vgpu_time *time, struct vtime_op *pred,
                     struct vtime_op *op)
{
    if (!pred || pred->state == VTIME_DONE)
        return;
    vtime_edge_add(time, pred, op);
    if (op->order_ns < pred->order_ns)
        op->order_ns = pred->order_ns;
}

/* A stream's operations follow each other in the order of waits even where the
 * host's clock says otherwise: two threads may issue into one stream with
 * clocks of their own. */
static void enter_stream(struct vgpu_time *time, struct vtime_stream *stream,
                         struct vtime_op *op)
{
    if (op->order_ns < stream->last_issue_ns)
        op->order_ns = stream->last_issue_ns;
    stream->last_issue_ns = op->order_ns;
    add_pred(time, stream->last, op);
    stream->last = op;
    stream->unfinished++;
    op->stream = stream;
    op->engine = vtime_engine_of(vtime_profile_of(time, op), op->in.kind);
    vtime_op_take_place(op);
    op->after_engine = VTIME_ENGINE_NONE;
    if (time->last_issue_ns < op->order_ns)
        time->last_issue_ns = op->order_ns;
}

/* All memory is reserved before anything is changed: an operation is in or it
 * is not. One timer for each live operation is enough, since each waits for at
 * most one time at once. */
vgpu_time_id vgpu_time_submit(struct vgpu_time *time,
                              const struct vgpu_time_op *in)
{
    struct vtime_stream *stream;
    struct vtime_op *op, *pred;

    if (!valid_op(time, in))
        return 0;
    stream = vtime_stream_get(time, in->stream);
    if (!stream || !vtime_edges_reserve(time, (size_t)in->after_count + 2) ||
        !vtime_timers_reserve(&time->timers, time->live_ops + 1))
        return 0;
    op = vtime_op_new(time);
    if (!op)
        return 0;
    op->in = *in;
    op->in.after = NULL;
    op->in.early = 0;
    op->seq = ++time->next_seq;
    op->order_ns = in->issue_ns > time->now_ns ? in->issue_ns : time->now_ns;
    for (int i = 0; i < in->after_count; i++)
        add_pred(time, vtime_op_find(time, in->after[i]), op);
    pred = vtime_op_find(time, in->early);
    if (pred && pred->state < VTIME_ENDED && !(pred->told & in->early_of)) {
        add_pred(time, pred, op);
        op->edges_in->early = in->early_of;
    }
    enter_stream(time, stream, op);
    op->state = VTIME_HELD;
    vtime_timers_add(&time->timers, op->order_ns, VTIME_TIMER_ARRIVE, op);
    return op->id;
}

bool vgpu_time_after(struct vgpu_time *time, vgpu_time_id id,
                     vgpu_time_id before)
{
    struct vtime_op *op = vtime_op_find(time, id);

    if (!op || !vtime_edges_reserve(time, 1))
        return false;
    add_pred(time, vtime_op_find(time, before), op);
    return true;
}

/* The host, all calls made, asks for @op: the driver sends what it holds. */
static void flush_for(struct vgpu_time *time, const struct vtime_op *op)
{
    struct vtime_device *device = &time->devices[op->in.device];

    if (op->state == VTIME_HELD || op->state == VTIME_BATCHED)
        run_until(time, time->last_issue_ns);
    if (op->state == VTIME_BATCHED)
        vtime_batch_send(time, device);
}

/* Event by event, since the operation may be gone after any of them. */
int64_t vgpu_time_wait(struct vgpu_time *time, vgpu_time_id id)
{
    struct vtime_op *op = vtime_op_find(time, id);

    if (!op)
        return -1;
    if (vtime_host_profile(time)->batch_commands > 0 && op->state != VTIME_DONE)
        flush_for(time, op);
    for (;;) {
        op = vtime_op_find(time, id);
        if (!op)
            return time->now_ns;
        if (op->state == VTIME_DONE)
            return op->done_ns;
        if (!run_one(time))
            return -1;
    }
}

/* An operation that is gone was done and released. */
bool vgpu_time_done(struct vgpu_time *time, vgpu_time_id id, int64_t now_ns)
{
    const struct vtime_op *op;

    run_until(time, now_ns);
    op = vtime_op_find(time, id);
    if (!op)
        return true;
    return op->state == VTIME_DONE && op->done_ns <= now_ns;
}

/* With a batching driver nothing is promised: the next event may wait for a
 * flush that the host has yet to make. */
int64_t vgpu_time_next(const struct vgpu_time *time)
{
    const int64_t next = next_event(time);

    return next == VTIME_NEVER || vtime_host_profile(time)->batch_commands > 0
               ? -1
               : next;
}

int64_t vgpu_time_start(const struct vgpu_time *time, vgpu_time_id id)
{
    const struct vtime_op *op = vtime_op_find(time, id);

    return op && op->state == VTIME_DONE ? op->start_ns : -1;
}

int64_t vgpu_time_stamp(const struct vgpu_time *time, vgpu_time_id id)
{
    const struct vtime_op *op = vtime_op_find(time, id);

    return op && op->state == VTIME_DONE ? op->stamp_ns : -1;
}

int64_t vgpu_time_end(const struct vgpu_time *time, vgpu_time_id id)
{
    const struct vtime_op *op = vtime_op_find(time, id);

    return op && op->state == VTIME_DONE ? op->end_ns : -1;
}

enum vgpu_time_engine vgpu_time_engine_of(const struct vgpu_time *time,
                                          int device, enum vgpu_time_kind kind)
{
    if (kind == VGPU_TIME_HOSTFN)
        return VGPU_ENGINE_HOST;
    switch (vtime_engine_of(&time->devices[device].profile, kind)) {
    case VTIME_ENGINE_H2D:
        return VGPU_ENGINE_H2D;
    case VTIME_ENGINE_D2H:
        return VGPU_ENGINE_D2H;
    case VTIME_ENGINE_SM:
        return VGPU_ENGINE_SM;
    default:
        return VGPU_ENGINE_NONE;
    }
}

void vgpu_time_flush(struct vgpu_time *time, int device, int64_t now_ns)
{
    if (device < 0 || device >= time->device_count)
        return;
    run_until(time, now_ns);
    vtime_batch_send(time, &time->devices[device]);
}

/* A few of a queue's places are the driver's own: 1,021 of 1,024 fit, and of a
 * queue four times as long 4,093 (observed). */
#define DRIVER_PLACES 3

bool vgpu_time_full(const struct vgpu_time *time, uint32_t stream,
                    enum vgpu_time_kind kind)
{
    const struct vtime_stream *found = vtime_stream_find(time, stream);
    const int64_t depth = vtime_host_profile(time)->queue_depth;
    const enum vtime_lane lane =
        vtime_lane_of(vtime_engine_of(vtime_host_profile(time), kind));

    return found && found->places[lane] >=
                        (depth + DRIVER_PLACES) * time->queue_permille / 1000 -
                            DRIVER_PLACES;
}

/* Nothing is simulated that nobody asked about: the runtime would have to do
 * work for real that may still be late. */
int64_t vgpu_time_room(struct vgpu_time *time, uint32_t stream,
                       enum vgpu_time_kind kind, int64_t now_ns)
{
    if (vgpu_time_full(time, stream, kind)) {
        run_until(time, now_ns);
        while (vgpu_time_full(time, stream, kind) && run_one(time))
            continue;
    }
    return time->now_ns > now_ns ? time->now_ns : now_ns;
}

bool vgpu_time_begun(const struct vgpu_time *time, vgpu_time_id id)
{
    const struct vtime_op *const op = vtime_op_find(time, id);

    return !op || op->state == VTIME_DONE || op->grid.placed ||
           (op->state == VTIME_RUNNING && vtime_profile_of(time, op)->unit_ns);
}

void *vgpu_time_user(const struct vgpu_time *time, vgpu_time_id id)
{
    const struct vtime_op *const op = vtime_op_find(time, id);

    return op ? op->in.user : NULL;
}

enum vgpu_time_full vgpu_time_full_of(const struct vgpu_time *time,
                                      vgpu_time_id id, void **user)
{
    const struct vtime_op *const op = vtime_op_find(time, id), *head;
    const struct vtime_device *device;

    *user = NULL;
    if (!op || op->in.by_device || op->state < VTIME_QUEUED)
        return VGPU_FULL_NOT;
    device = &time->devices[op->in.device];
    if (op->state != VTIME_QUEUED) { /* its blocks are to be placed */
        *user = device->pool.first ? device->pool.first->in.user : NULL;
        return VGPU_FULL_SLOTS;
    }
    head = device->engines[VTIME_ENGINE_SM]
               .queues[op->stream->queue[VTIME_ENGINE_SM]]
               .head;
    if (head && head != op) {
        *user = head->in.user;
        return VGPU_FULL_QUEUE;
    }
    return op->preds ? VGPU_FULL_NOT : VGPU_FULL_GRIDS;
}

bool vgpu_time_crowded(const struct vgpu_time *time, int device)
{
    const struct vtime_device *of = &time->devices[device];

    return of->resident_kernels >= of->profile.max_resident_kernels;
}

/* Who releases an operation that is under way wants no answer any more; it goes
 * when it is done. */
void vgpu_time_release(struct vgpu_time *time, vgpu_time_id id)
{
    struct vtime_op *op = vtime_op_find(time, id);

    if (!op)
        return;
    if (op->state == VTIME_DONE)
        vtime_op_free(time, op);
    else
        op->released = true;
}
