/*
 * finish.c: at exit: what was left behind is named, the trace is written, and
 * with VGPU_CHECK=1 a hazard makes the exit status non-zero.
 */
#include "array.h"
#include "capture.h"

#include <stdio.h>
#include <unistd.h>

/* Where an error has ended the context nothing can be destroyed any more: what
 * is left then says nothing of the program. */
static void warn_streams(struct vgpu_device *device)
{
    if (device->sticky)
        return;
    for (struct vgpu_stream *s = device->streams; s; s = s->next)
        if (!s->destroyed && !s->excused && !s->per_thread)
            vgpu_warn(stream_left, s->pc, .stream = s->number,
                      .owner = s->device);
}

static void warn_events(void)
{
    for (struct vgpu_event *e = vgpu_events; e; e = e->next) {
        vgpu_event_warn_early(e);
        if (!e->excused && !vgpu_rt.devices[e->device].sticky)
            vgpu_warn(event_left, e->pc);
    }
}

static void warn_memory(void)
{
    static const char *const names[] = {
        [VGPU_MEM_DEVICE] = "device memory",
        [VGPU_MEM_PINNED] = "pinned memory",
        [VGPU_MEM_MAPPED] = "pinned memory",
        [VGPU_MEM_MANAGED] = "managed memory",
        [VGPU_MEM_REGISTERED] = "registered memory",
    };

    for (int i = 0; i < vgpu_rt.device_count; i++)
        if (vgpu_rt.devices[i].sticky)
            return;
    for (struct vgpu_memory *m = vgpu_memory_first(); m;
         m = vgpu_memory_next(m))
        if (m->id && !vgpu_memory_of_graph(m) && /* id 0: variables */
            !(m->flags & VGPU_MEMORY_EXCUSED))
            vgpu_check_warn(m->kind == VGPU_MEM_REGISTERED
                                ? VGPU_REPORT_registration_left
                                : VGPU_REPORT_memory_left,
                            m->pc,
                            &(struct vgpu_report){.bytes = (int64_t)m->bytes,
                                                  .memory = names[m->kind]});
}

/* An error that nobody can have seen is a check that is missing, and what came
 * after it may be wrong because of it. Of a code that the program has taken
 * nothing is said: it may have looked at it. */
static void warn_errors(void)
{
    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (t->unasked.error && t->unasked.call)
            vgpu_warn(code_dropped, t->unasked.pc, .call = t->unasked.call,
                      .error = cudaGetErrorName(t->unasked.error),
                      .code = t->unasked.error);
        else if (t->unasked.error)
            vgpu_warn(launch_unasked, t->unasked.pc,
                      .error = cudaGetErrorName(t->unasked.error),
                      .code = t->unasked.error);
}

/* Run what is left, so that the trace has its times; the process would have
 * ended it unfinished. */
static void warn_pending(struct vgpu_stream *stream)
{
    struct vgpu_op *last = stream->last;

    if (!last)
        return;
    if (!last->done)
        vgpu_warn(work_left, last->pc,
                  .object = stream->legacy ? "the default stream" : "stream",
                  .stream = stream->number, .owner = stream->device);
    vgpu_op_run(last);
    vgpu_time_wait(vgpu_rt.time, last->time_id);
}

/* Leaks are told once nothing runs any more: work that is pending may free
 * memory. Not of what a destructor came too late (error 4) to give back. */
static void finish_runtime(void)
{
    vgpu_lock(&vgpu_rt.lock);
    if (vgpu_rt.ready) {
        for (int i = 0; i < vgpu_rt.device_count; i++) {
            struct vgpu_device *device = &vgpu_rt.devices[i];

            for (struct vgpu_stream *s = device->streams; s; s = s->next)
                warn_pending(s);
            warn_pending(device->legacy);
            warn_streams(device);
        }
        for (struct vgpu_op *op = vgpu_op_waiting(); op;
             op = op->kernel.next_waiting)
            vgpu_warn(flag_left, op->pc);
        vgpu_exec_flush_printf();
        vgpu_check_tell_unwritten();
        vgpu_capture_left();
        warn_events();
        vgpu_handle_warn();
        vgpu_texture_warn();
        warn_memory();
        warn_errors();
        if (vgpu_order.is_kept)
            vgpu_order_tell();
        vgpu_trace_close();
    }
    vgpu_unlock(&vgpu_rt.lock);
}

/* Who finds nothing may believe that all was looked at. A grader knows, and in
 * a browser there are no settings. */
static void name_races(void)
{
#ifndef __wasm__
    if (vgpu_rt.shared_ran && !vgpu_rt.races && !vgpu_rt.is_read &&
        !vgpu_check_warnings())
        fputs("vgpu: no warnings; races between the threads of a kernel, "
              "in __shared__ memory, are looked for with VGPU_CHECK=races\n",
              stderr);
#endif
}

/* The exit status changes only where the program asked for checks: without them
 * a hazard is nobody's business. */
void vgpu_finish(void)
{
    /* In a host function: who made it run holds the lock, and waits for it. */
    if (!vgpu_thread_self()->in_host_function)
        finish_runtime();
    fflush(NULL);
    if (!vgpu_rt.checking)
        return;
    vgpu_check_summary(stderr);
    if (vgpu_check_hazards())
        _exit(VGPU_EXIT_HAZARD);
    name_races();
}
