/*
 * wait.c: what a host thread waits for, in virtual time and in order.
 */
#include "rt.h"

static void join(struct vgpu_thread *thread, struct vgpu_op *op)
{
    vgpu_agent_waited(thread->agent, op->check);
    op->awaited = true;
}

/* Whether the host sleeps or spins while it waits is the runtime's choice,
 * unless the device's flags say it (manual, cudaDeviceScheduleAuto). So who
 * takes processor time for time that passed is wrong here every time. */
static void pass_until(struct vgpu_thread *thread, const struct vgpu_op *op,
                       int64_t ns)
{
    const unsigned flags = vgpu_rt.devices[op->device].flags;

    if (ns <= thread->now_ns)
        return;
    if (!(flags & (cudaDeviceScheduleSpin | cudaDeviceScheduleYield)))
        thread->asleep_ns += ns - thread->now_ns;
    thread->now_ns = ns;
}

/*
 * Other threads go on while this one waits, and queue work at times that lie
 * before the end of what it waits for. So time moves from one event to the
 * next, and at each of them whoever is earlier goes first. The runtime's lock
 * is let go meanwhile: of all that is shared, the caller may only use @op
 * afterwards.
 */
static void wait_in_turn(struct vgpu_thread *thread, struct vgpu_op *op)
{
    int64_t next;

    while (vgpu_thread_several(thread) &&
           !vgpu_time_done(vgpu_rt.time, op->time_id, thread->now_ns) &&
           (next = vgpu_time_next(vgpu_rt.time)) >= 0) {
        pass_until(thread, op, next);
        vgpu_unlock(&vgpu_rt.lock);
        vgpu_thread_gate(thread);
        vgpu_lock(&vgpu_rt.lock);
    }
}

static cudaError_t wait_op(struct vgpu_thread *thread, struct vgpu_op *op,
                           bool credit)
{
    const int64_t from_ns = thread->now_ns;
    int64_t end_ns;

    if (credit && vgpu_op_run(op))
        wait_in_turn(thread, op);
    /* What a driver holds back goes when the host begins to wait, and not
     * when it made its last call. */
    if (vgpu_rt.host->batch_commands)
        vgpu_time_flush(vgpu_rt.time, op->device, thread->now_ns);
    do {
        vgpu_go_on_until(thread, op);
        end_ns = vgpu_time_wait(vgpu_rt.time, op->time_id);
    } while (end_ns < 0 && vgpu_op_waiting());
    if (credit)
        vgpu_op_run(op);
    if (end_ns < 0)
        return cudaErrorUnknown;
    pass_until(thread, op, end_ns);
    if (vgpu_order.is_kept)
        vgpu_order_wait(thread, op, from_ns);
    if (!credit)
        return cudaSuccess;
    join(thread, op);
    return vgpu_rt.devices[op->device].sticky;
}

cudaError_t vgpu_wait_op(struct vgpu_thread *thread, struct vgpu_op *op,
                         bool credit)
{
    cudaError_t error;

    if (!op)
        return cudaSuccess;
    vgpu_op_ref(op);
    error = wait_op(thread, op, credit);
    vgpu_op_unref(op);
    return error;
}

/* What the device's multiprocessors do is launched: kernels, graphs, memsets
 * and copies within a device; no host function and no copy over a link
 * (observed: launch_blocking). */
cudaError_t vgpu_wait_launched(struct vgpu_call *call,
                               const struct vgpu_stream *stream,
                               struct vgpu_op *op)
{
    return vgpu_rt.launch_blocking && !stream->capture
               ? vgpu_wait_op(call->thread, op, true)
               : cudaSuccess;
}

static bool waits_for(const struct vgpu_stream *legacy,
                      const struct vgpu_stream *stream)
{
    return legacy->legacy && !(stream->flags & cudaStreamNonBlocking);
}

/* The device's work that has not ended, or NULL. @blocking: only that which
 * the legacy default stream waits for. */
static struct vgpu_op *find_unfinished(struct vgpu_thread *thread,
                                       const struct vgpu_device *device,
                                       bool blocking)
{
    for (struct vgpu_stream *s = device->streams; s; s = s->next)
        if (s->last && (!blocking || waits_for(device->legacy, s)) &&
            !vgpu_time_done(vgpu_rt.time, s->last->time_id, thread->now_ns))
            return s->last;
    return NULL;
}

/* Before a walk over the device's streams, which others may make and destroy
 * while this thread waits: afterwards nothing is left to wait for. Run what is
 * there in the walk's order first. */
static void finish_in_turn(struct vgpu_thread *thread,
                           const struct vgpu_device *device, bool blocking)
{
    struct vgpu_op *op;

    if (!vgpu_thread_several(thread))
        return;
    for (struct vgpu_stream *s = device->streams; s; s = s->next)
        if (s->last && (!blocking || waits_for(device->legacy, s)))
            vgpu_op_run(s->last);
    while (vgpu_thread_several(thread) && vgpu_time_next(vgpu_rt.time) >= 0 &&
           (op = find_unfinished(thread, device, blocking))) {
        vgpu_op_ref(op);
        wait_in_turn(thread, op);
        vgpu_op_unref(op);
    }
}

/* To wait for the legacy default stream is to wait for all blocking streams
 * of its device. */
cudaError_t vgpu_wait_stream(struct vgpu_thread *thread,
                             struct vgpu_stream *stream, bool credit)
{
    struct vgpu_device *device = &vgpu_rt.devices[stream->device];
    cudaError_t error = cudaSuccess;

    if (credit && stream->legacy)
        finish_in_turn(thread, device, true);
    for (struct vgpu_stream *s = device->streams; s && stream->legacy && !error;
         s = s->next)
        if (waits_for(stream, s))
            error = vgpu_wait_op(thread, s->last, credit);
    return error ? error : vgpu_wait_op(thread, stream->last, credit);
}

/* Newest streams first: what no rule orders runs the wrong way round. */
cudaError_t vgpu_wait_device(struct vgpu_thread *thread,
                             struct vgpu_device *device, bool credit)
{
    cudaError_t error = cudaSuccess;

    if (credit)
        finish_in_turn(thread, device, false);
    for (struct vgpu_stream *s = device->streams; s; s = s->next) {
        cudaError_t one = vgpu_wait_stream(thread, s, credit);

        if (!error)
            error = one;
    }
    if (!error)
        error = vgpu_wait_stream(thread, device->legacy, credit);
    vgpu_stream_sweep(device);
    return error;
}

bool vgpu_wait_test(struct vgpu_thread *thread, struct vgpu_op *op)
{
    bool has_ended;

    if (!op)
        return true;
    vgpu_time_flush(vgpu_rt.time, op->device, thread->now_ns);
    has_ended = vgpu_time_done(vgpu_rt.time, op->time_id, thread->now_ns);
    if (vgpu_order.is_kept)
        vgpu_order_ask(thread, op, has_ended);
    if (!has_ended) {
        vgpu_go_on_asked(thread, op);
        return false;
    }
    vgpu_op_run(op);
    join(thread, op);
    return true;
}

bool vgpu_wait_test_stream(struct vgpu_thread *thread,
                           struct vgpu_stream *stream)
{
    struct vgpu_device *device = &vgpu_rt.devices[stream->device];

    for (struct vgpu_stream *s = device->streams; s && stream->legacy;
         s = s->next)
        if (waits_for(stream, s) && !vgpu_wait_test(thread, s->last))
            return false;
    return vgpu_wait_test(thread, stream->last);
}

static void drain_stream(struct vgpu_thread *thread, struct vgpu_stream *stream)
{
    if (!stream->last)
        return;
    vgpu_op_run(stream->last);
    vgpu_wait_op(thread, stream->last, false);
}

void vgpu_wait_drain(struct vgpu_thread *thread, struct vgpu_device *device)
{
    for (struct vgpu_stream *s = device->streams; s; s = s->next)
        drain_stream(thread, s);
    drain_stream(thread, device->legacy);
}

void vgpu_wait_work(void)
{
    for (int d = 0; d < vgpu_rt.device_count; d++) {
        const struct vgpu_device *device = &vgpu_rt.devices[d];

        for (struct vgpu_stream *s = device->streams; s; s = s->next)
            if (s->last)
                vgpu_op_run(s->last);
        if (device->legacy && device->legacy->last)
            vgpu_op_run(device->legacy->last);
    }
}
