/*
 * wait.c: what a host thread waits for, in virtual time and in order.
 */
#include "rt.h"

static void join(struct vgpu_thread *thread, struct vgpu_op *op)
{
    struct vgpu_clock *clock = vgpu_check_op_clock(op->check);

    vgpu_agent_join(thread->agent, clock);
    vgpu_clock_release(clock);
    op->awaited = true;
}

cudaError_t vgpu_wait_op(struct vgpu_thread *thread, struct vgpu_op *op,
                         bool credit)
{
    int64_t end_ns;

    if (!op)
        return cudaSuccess;
    if (credit)
        vgpu_op_run(op);
    end_ns = vgpu_time_wait(vgpu_rt.time, op->time_id);
    if (end_ns < 0)
        return cudaErrorUnknown;
    if (end_ns > thread->now_ns)
        thread->now_ns = end_ns;
    if (!credit)
        return cudaSuccess;
    join(thread, op);
    return vgpu_rt.devices[op->device].sticky;
}

static bool waits_for(const struct vgpu_stream *legacy,
                      const struct vgpu_stream *stream)
{
    return legacy->legacy && !(stream->flags & cudaStreamNonBlocking);
}

/* To wait for the legacy default stream is to wait for all blocking streams
 * of its device. */
cudaError_t vgpu_wait_stream(struct vgpu_thread *thread,
                             struct vgpu_stream *stream, bool credit)
{
    struct vgpu_device *device = &vgpu_rt.devices[stream->device];
    cudaError_t error = cudaSuccess;

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
    if (!op)
        return true;
    vgpu_time_flush(vgpu_rt.time, op->device, thread->now_ns);
    if (!vgpu_time_done(vgpu_rt.time, op->time_id, thread->now_ns))
        return false;
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
