/*
 * beside.c: work of a stream that does not wait for the end of the kernel
 * ahead: kernels of programmatic dependent launches, and events of a kernel's
 * begin.
 *
 * Such an operation stands in a stream of its own, after all that the kernel
 * ahead was ordered after and, in time, after the part of the kernel that it
 * waits for. Of the kernel it knows nothing, until it asks to
 * (cudaGridDependencySynchronize), and so the kernel is run for real as late as
 * it may be. A mark in the stream itself comes after both.
 *
 * Source: guide, "Programmatic Dependent Launch and Synchronization".
 */
#include "rt.h"

/* What @ahead waited for, @op does, too. */
static cudaError_t follow(struct vgpu_op *op, struct vgpu_op *ahead)
{
    cudaError_t error = cudaSuccess;

    for (int i = 0; i < ahead->before_count && !error; i++)
        error = vgpu_op_after(op, ahead->before[i]);
    op->ahead = vgpu_op_ref(ahead);
    return error;
}

static void learn(struct vgpu_stream *beside, const struct vgpu_op *ahead)
{
    struct vgpu_clock *clock = vgpu_check_op_before(ahead->check);

    vgpu_agent_join(beside->agent, clock);
    vgpu_clock_release(clock);
}

cudaError_t vgpu_beside(struct vgpu_op *op, struct vgpu_op *ahead,
                        enum vgpu_time_early early, struct vgpu_stream *stream,
                        const char *what, struct vgpu_call *call)
{
    struct vgpu_stream *beside = vgpu_stream_beside(stream);
    cudaError_t error = beside ? follow(op, ahead) : cudaErrorMemoryAllocation;

    if (error)
        return error;
    op->early = early;
    learn(beside, ahead);
    return vgpu_op_enqueue(op, beside, what, call);
}

void vgpu_beside_drop(struct vgpu_op *op)
{
    if (op->early == VGPU_EARLY_TRIGGER && op->ahead->kernel.dependent == op)
        op->ahead->kernel.dependent = NULL;
    vgpu_op_unref(op->ahead);
    op->ahead = NULL;
}

/* Has the kernel ahead ended, in virtual time and for real? Then @op knows what
 * it did. */
bool vgpu_beside_over(struct vgpu_op *op)
{
    struct vgpu_clock *clock;

    if (!op->ahead || op->kernel.ahead_over)
        return true;
    if (!op->ahead->done || vgpu_time_end(vgpu_rt.time, op->ahead->time_id) < 0)
        return false;
    op->kernel.ahead_over = true;
    if (op->kernel.exec.base_ns < op->ahead->seen_ns)
        op->kernel.exec.base_ns = op->ahead->seen_ns;
    clock = vgpu_check_op_clock(op->ahead->check);
    vgpu_check_op_learn(op->check, clock);
    vgpu_clock_release(clock);
    return true;
}

/* A kernel that begins when @stream's newest kernel lets it. */
cudaError_t vgpu_beside_kernel(struct vgpu_op *op, struct vgpu_stream *stream,
                               const char *what, struct vgpu_call *call)
{
    struct vgpu_op *ahead = vgpu_op_ref(stream->kernel);
    cudaError_t error;

    op->kernel.exec.ahead_over = &op->kernel.ahead_over;
    if (!ahead->done && !ahead->kernel.run) {
        ahead->kernel.exec.let_go = &ahead->kernel.lets_go;
        ahead->kernel.dependent = op;
    }
    error = vgpu_beside(op, ahead, VGPU_EARLY_TRIGGER, stream, what, call);
    if (!error)
        error = vgpu_op_join(stream, op, "end of a dependent launch", call);
    if (!error) {
        vgpu_op_unref(stream->kernel);
        stream->kernel = vgpu_op_ref(op);
    }
    vgpu_op_unref(ahead);
    return error;
}

/* @event is recorded when all blocks of @kernel have begun. */
cudaError_t vgpu_beside_event(struct vgpu_event *event, struct vgpu_op *kernel,
                              struct vgpu_stream *stream,
                              struct vgpu_call *call)
{
    struct vgpu_op *mark = vgpu_op_new(VGPU_OP_MARK);
    cudaError_t error;

    if (!mark)
        return cudaErrorMemoryAllocation;
    error = vgpu_beside(mark, kernel, VGPU_EARLY_BEGUN, stream, "event record",
                        call);
    if (!error)
        vgpu_event_take(event, mark);
    vgpu_op_unref(mark);
    return error;
}
