/*
 * ends.c: an operation has ended: its engine is free, its completion is on the
 * way to those that wait.
 *
 * Whoever runs an operation (links.c, sm.c, a timer) says so here. What the end
 * lets go on is not started at once: queues.c looks for it when everything that
 * happens at this time has happened, so that calls go one way.
 */
#include "model.h"

/* @op's completion can be seen from now on. */
static void signal_done(struct vgpu_time *time, struct vtime_op *op)
{
    op->work_next = NULL;
    if (time->done_last)
        time->done_last->work_next = op;
    else
        time->done_first = op;
    time->done_last = op;
}

static void signal_group(struct vgpu_time *time, struct vtime_op *first)
{
    if (--first->group_left > 0)
        return;
    for (struct vtime_op *op = first; op; op = op->group_next)
        signal_done(time, op);
}

static void leave_engine(struct vgpu_time *time, struct vtime_engine *engine,
                         struct vtime_op *op)
{
    if (op->in.kind == VGPU_TIME_HOSTFN) {
        time->host_running = NULL;
        time->host_ended_ns = time->now_ns;
        return;
    }
    engine->dirty = true;
    if (engine->running == op)
        engine->running = NULL;
    if (!engine->running)
        engine->idle_since_ns = time->now_ns;
}

/* To write a time down takes time: of a device's marks with no work between
 * them, in whatever streams, each says so much more than the one before
 * (measured, in one stream and in two). Beside work it is part of what that
 * costs. */
static void stamp(struct vgpu_time *time, struct vtime_op *op)
{
    struct vtime_device *device = vtime_device_of(time, op);
    const struct vgpu_profile *p = vtime_profile_of(time, op);
    const int64_t gap_ns =
        p->event_gap_ns && device->worked ? p->event_tick_ns : p->event_gap_ns;

    op->stamp_ns = time->now_ns;
    device->worked |= op->engine != VTIME_ENGINE_NONE;
    if (!op->in.timed)
        return;
    device->worked = false;
    if (device->stamp_ns && op->stamp_ns < device->stamp_ns + gap_ns)
        op->stamp_ns = device->stamp_ns + gap_ns;
    device->stamp_ns = op->stamp_ns;
}

void vtime_op_end(struct vgpu_time *time, struct vtime_op *op)
{
    struct vtime_device *device = vtime_device_of(time, op);

    op->state = VTIME_ENDED;
    op->end_ns = time->now_ns;
    stamp(time, op);
    if (op->engine != VTIME_ENGINE_NONE)
        leave_engine(time, &device->engines[op->engine], op);
    if (op->in.kind == VGPU_TIME_KERNEL) {
        device->resident_kernels--;
        op->stream->kernel_gap_ns =
            time->now_ns + vtime_profile_of(time, op)->kernel_gap_ns;
    }
    if (op->group)
        signal_group(time, op->group);
    else
        signal_done(time, op);
}
