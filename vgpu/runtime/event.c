/*
 * event.c: events: a record is a snapshot of a stream at the call; a new record
 * replaces it; a wait uses the latest record at its own call.
 *
 * So an event holds one operation, a mark in the stream where it was recorded
 * last, and a wait is a mark in the other stream with that one as a
 * predecessor. What the event is recorded for afterwards is no matter to those
 * who wait already.
 *
 * Source: manual, "Event Management"; guide, "Events".
 */
#include "rt.h"
#include "capture.h"

#include <stdlib.h>
#include <string.h>

struct vgpu_event *vgpu_events;

struct vgpu_event *vgpu_event_find(cudaEvent_t handle)
{
    struct vgpu_event *event = (struct vgpu_event *)handle;

    if (vgpu_handle_find(handle) != VGPU_HANDLE_EVENT)
        return NULL;
    if (event->shared)
        vgpu_ipc_look(event);
    return event;
}

/* Processes have no clock in common: what they share has no times. */
cudaError_t vgpu_event_make(struct vgpu_call *call, cudaEvent_t *out,
                            unsigned flags)
{
    const unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    static uint64_t made;
    struct vgpu_event *event;

    if (!out || (flags & ~known))
        return vgpu_because(cudaErrorInvalidValue,
                            out ? "flags has a bit that is no flag of events"
                                : "there is no place for the event");
    if ((flags & (cudaEventInterprocess | cudaEventDisableTiming)) ==
        cudaEventInterprocess)
        return vgpu_because(cudaErrorInvalidValue,
                            "an event with cudaEventInterprocess must have "
                            "cudaEventDisableTiming, too");
    event = calloc(1, sizeof *event);
    if (!event || vgpu_handle_add(event, VGPU_HANDLE_EVENT)) {
        free(event);
        return cudaErrorMemoryAllocation;
    }
    event->flags = flags;
    event->device = call->thread->device;
    event->number = ++made;
    event->pc = call->pc;
    vgpu_names_take(out, event->name);
    event->next = vgpu_events;
    if (event->next)
        event->next->previous = event;
    vgpu_events = event;
    *out = (cudaEvent_t)event;
    return cudaSuccess;
}

API(cudaEventCreateWithFlags, cudaEvent_t *event, unsigned int flags)
{
    call->name = "cudaEventCreate";
    return vgpu_event_make(call, event, flags);
}

API(cudaEventCreate, cudaEvent_t *event)
{
    return vgpu_event_make(call, event, cudaEventDefault);
}

/* Waits that were made keep the operation that they wait for; the event was
 * only its name. */
static void forget(struct vgpu_event *event)
{
    if (event->previous)
        event->previous->next = event->next;
    else
        vgpu_events = event->next;
    if (event->next)
        event->next->previous = event->previous;
    vgpu_event_warn_early(event);
    vgpu_handle_remove(event);
    vgpu_capture_forget(event);
    vgpu_ipc_forget(event);
    vgpu_op_unref(event->op);
    free(event);
}

API(cudaEventDestroy, cudaEvent_t handle)
{
    cudaError_t error = cudaSuccess;
    struct vgpu_event *event = vgpu_event_find(handle);

    if (event) {
        vgpu_handle_ended(event, call->pc);
        forget(event);
    } else {
        error = cudaErrorInvalidResourceHandle;
    }
    return error;
}

void vgpu_event_take(struct vgpu_event *event, struct vgpu_op *op)
{
    vgpu_capture_forget(event);
    vgpu_op_unref(event->op);
    event->op = vgpu_op_ref(op);
    vgpu_trace_event(op, event);
    vgpu_ipc_recorded(event);
}

/* An event belongs to the device that was current when it was made, and only
 * that device's streams can record it; any stream can wait for it. */
static cudaError_t record(struct vgpu_call *call, cudaEvent_t handle,
                          cudaStream_t stream_handle, bool external)
{
    struct vgpu_event *event = vgpu_event_find(handle);
    struct vgpu_stream *stream = vgpu_stream_find(stream_handle);

    if (!event || !stream)
        return cudaErrorInvalidResourceHandle;
    if (event->device != stream->device)
        return vgpu_because(
            cudaErrorInvalidResourceHandle,
            "the event was made while device %d was current, and only streams "
            "of that device can record it; %s is not one",
            event->device, vgpu_stream_words(stream_handle));
    if (external)
        return vgpu_capture_event(stream, cudaGraphNodeTypeEventRecord, handle,
                                  call);
    return vgpu_event_mark(call, event, stream);
}

cudaError_t vgpu_event_mark(struct vgpu_call *call, struct vgpu_event *event,
                            struct vgpu_stream *stream)
{
    struct vgpu_op *op;
    cudaError_t error;

    if (stream->capture)
        return vgpu_capture_record(event, stream);
    op = vgpu_op_new(VGPU_OP_MARK);
    if (!op)
        return cudaErrorMemoryAllocation;
    op->timed = !(event->flags & cudaEventDisableTiming);
    error = vgpu_op_enqueue(op, stream, "event record", call);
    if (!error) {
        vgpu_event_note_record(event, op, stream);
        vgpu_event_take(event, op);
    }
    vgpu_op_unref(op);
    return error;
}

/* An event without timing is less work for the driver. */
static int64_t record_ns(cudaEvent_t handle)
{
    const struct vgpu_profile *host = vgpu_rt.host;
    const struct vgpu_event *event = vgpu_event_find(handle);

    return event && event->flags & cudaEventDisableTiming &&
                   host->host_event_mark_ns > 0
               ? host->host_event_mark_ns
               : host->host_event_record_ns;
}

API(cudaEventRecordWithFlags, cudaEvent_t event, cudaStream_t stream,
    unsigned int flags)
{
    call->name = "cudaEventRecord";
    vgpu_thread_spend(call->thread, record_ns(event));
    call->cost_ns = 0;
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return vgpu_because(cudaErrorInvalidValue,
                            "flags is neither 0 nor cudaEventRecordExternal");
    return record(call, event, stream, flags);
}

API(cudaEventRecord, cudaEvent_t event, cudaStream_t stream)
{
    return vgpu_do_cudaEventRecordWithFlags(call, event, stream, 0);
}

/* To wait for an event that was never recorded is no error and waits for
 * nothing (manual, cudaStreamWaitEvent): a frequent mistake, hence a warning.
 * But a loop may mean it, whose first rounds have nothing to wait for: the same
 * line waits for the event again when it has been recorded. So the warning
 * waits for the event's end. */
API(cudaStreamWaitEvent, cudaStream_t stream_handle, cudaEvent_t handle,
    unsigned int flags)
{
    struct vgpu_stream *stream = vgpu_stream_find(stream_handle);
    struct vgpu_event *event = vgpu_event_find(handle);

    if (flags & ~(unsigned)cudaEventWaitExternal)
        return vgpu_because(cudaErrorInvalidValue,
                            "flags is neither 0 nor cudaEventWaitExternal");
    if (!event || !stream)
        return cudaErrorInvalidResourceHandle;
    if (flags)
        return vgpu_capture_event(stream, cudaGraphNodeTypeWaitEvent, handle,
                                  call);
    if (event->capture && !vgpu_capture_has(event)) /* of one that has ended */
        return vgpu_capture_failed(stream, vgpu_capture_ask_event(event));
    if (event->capture || (stream->capture && event->op))
        return vgpu_capture_wait(stream, event);
    vgpu_event_note_wait(event, stream->agent, call);
    if (!event->op) {
        vgpu_event_note_early(event, call);
        return cudaSuccess;
    }
    return vgpu_op_join(stream, event->op, "event wait", call);
}

/* Within a host function, while its stream's owner stands still: nothing is run
 * and no time goes by until the function ends. */
static bool has_been(const struct vgpu_event *event)
{
    return !event->op || event->op->done;
}

/* Even where calls cost nothing a query costs a nanosecond: a loop that polls
 * must get somewhere in virtual time. */
API(cudaEventQuery, cudaEvent_t handle)
{
    struct vgpu_event *event = vgpu_event_find(handle);
    cudaError_t error =
        event ? vgpu_capture_wait_event(event) : cudaErrorInvalidResourceHandle;

    call->cost_ns += !call->cost_ns;
    if (!error && !call->locked)
        return has_been(event) ? cudaSuccess : cudaErrorNotReady;
    if (!error)
        error = vgpu_capture_unsafe(call->thread);
    if (error)
        return error;
    if (!vgpu_wait_test(call->thread, event->op))
        return cudaErrorNotReady;
    vgpu_event_note_wait(event, call->thread->agent, call);
    return vgpu_rt.devices[event->device].sticky;
}

/* An event that was never recorded is done: there is nothing to wait for. */
API(cudaEventSynchronize, cudaEvent_t handle)
{
    struct vgpu_event *event = vgpu_event_find(handle);
    const int device = event ? event->device : 0;
    cudaError_t error =
        event ? vgpu_capture_wait_event(event) : cudaErrorInvalidResourceHandle;

    if (!error && !call->locked)
        return has_been(event)
                   ? cudaSuccess
                   : vgpu_because(cudaErrorNotPermitted,
                                  "the event has not happened yet, and a host "
                                  "function that waits may wait for ever");
    if (!error)
        error = vgpu_capture_unsafe(call->thread);
    if (!error) {
        vgpu_event_note_wait(event, call->thread->agent, call);
        error = vgpu_wait_op(call->thread, event->op, true);
    }
    if (!error)
        call->cost_ns += vgpu_pool_waited(device);
    vgpu_exec_flush_printf();
    return error;
}

/* A GPU stamps events with a clock of its own that ticks in steps of up to half
 * a microsecond; differences of short times show it. */
static int64_t stamp_ns(const struct vgpu_event *event)
{
    const int64_t tick = vgpu_rt.devices[event->device].profile->event_tick_ns;
    const int64_t ns = vgpu_time_stamp(vgpu_rt.time, event->op->time_id);

    return tick > 1 ? ns / tick * tick : ns;
}

/* What keeps an event from having a time; which of both is @which. */
static cudaError_t check_timed(const struct vgpu_event *event,
                               const char *which)
{
    if (event->flags & cudaEventDisableTiming)
        return vgpu_because(cudaErrorInvalidResourceHandle,
                            "the %s event has no times: it was made with "
                            "cudaEventDisableTiming, at %s",
                            which, vgpu_at(event->pc));
    if (!event->op)
        return vgpu_because(cudaErrorInvalidResourceHandle,
                            "the %s event was never recorded", which);
    return cudaSuccess;
}

static cudaError_t check_ended(const struct vgpu_call *call,
                               const struct vgpu_event *event,
                               const char *which)
{
    if (call->locked ? vgpu_time_done(vgpu_rt.time, event->op->time_id,
                                      call->thread->now_ns)
                     : stamp_ns(event) >= 0)
        return cudaSuccess;
    return vgpu_because(cudaErrorNotReady,
                        "the %s event, recorded at %s, has not happened yet, "
                        "and no time is written; wait for it first: "
                        "cudaEventSynchronize(%s)",
                        which, vgpu_at(event->op->pc),
                        *event->name ? event->name : which);
}

/* Both events must have ended by the host's present time: asking does not wait,
 * and does not run anything that nobody waits for. */
static cudaError_t elapsed(struct vgpu_call *call, float *ms,
                           struct vgpu_event *start, struct vgpu_event *end)
{
    cudaError_t error = start ? vgpu_capture_ask_event(start) : cudaSuccess;

    if (!error && end)
        error = vgpu_capture_ask_event(end);
    if (error)
        return error;
    if (!start || !end)
        return cudaErrorInvalidResourceHandle;
    if ((error = check_timed(start, "start")) ||
        (error = check_timed(end, "end")))
        return error;
    if (start->device != end->device)
        return vgpu_because(cudaErrorInvalidResourceHandle,
                            "the start event is of device %d and the end event "
                            "of device %d: two devices have no common clock",
                            start->device, end->device);
    if ((error = check_ended(call, start, "start")) ||
        (error = check_ended(call, end, "end")))
        return error;
    *ms = (float)((double)(stamp_ns(end) - stamp_ns(start)) / 1e6);
    if (call->locked)
        vgpu_event_note_elapsed(start, end, call);
    return cudaSuccess;
}

API(cudaEventElapsedTime, float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return cudaErrorInvalidValue;
    return elapsed(call, ms, vgpu_event_find(start), vgpu_event_find(end));
}
