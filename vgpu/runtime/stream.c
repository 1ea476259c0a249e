/*
 * stream.c: streams: made, found by handle, destroyed, waited for.
 *
 * Three kinds: the legacy default stream, one per device, made with it; the
 * per-thread default streams, made when a thread first uses one; those that the
 * program creates. A graph's inner streams are a fourth that nobody sees. A
 * stream does little itself: it has a newest operation, an agent by which the
 * checker knows it, and a number by which the time model does.
 *
 * Source: guide, "Streams"; manual, "Stream Management".
 */
#include "rt.h"
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 0, GREATEST = -5 }; /* priorities, as an H200 reports them */

int vgpu_stream_clamp(int priority)
{
    return priority > LEAST ? LEAST : priority < GREATEST ? GREATEST : priority;
}

/* As a report and the grader name it: people count streams, they do not know
 * addresses. */
void vgpu_stream_label(const struct vgpu_stream *stream, char *text,
                       size_t size)
{
    if (stream->of)
        vgpu_stream_label(stream->of, text, size);
    else if (stream->inner)
        snprintf(text, size, "a branch of a graph on device %d",
                 stream->device);
    else if (stream->legacy)
        snprintf(text, size, "the default stream of device %d", stream->device);
    else if (stream->per_thread)
        snprintf(text, size, "a per-thread default stream (%u) of device %d",
                 stream->number, stream->device);
    else
        snprintf(text, size, "stream %u of device %d", stream->number,
                 stream->device);
}

/* Handles of destroyed streams: the next stream gets the last one (observed:
 * handles_again). Chained by @next. */
static struct vgpu_stream *free_handles;

static struct vgpu_stream *take_handle(void)
{
    struct vgpu_stream *stream = free_handles;

    if (!stream)
        return calloc(1, sizeof *stream);
    free_handles = stream->next;
    memset(stream, 0, sizeof *stream);
    return stream;
}

/* The one before it in its device's list points there. */
static struct vgpu_stream **link_to(const struct vgpu_stream *stream)
{
    return stream->previous ? &stream->previous->next
                            : &vgpu_rt.devices[stream->device].streams;
}

/* What is left to do of @stream is another's from now on, and its handle can be
 * given out again. A capture knows its streams by them: there, and without
 * memory, it stays. Return: who has what is left. */
static struct vgpu_stream *give_handle(struct vgpu_stream *stream)
{
    struct vgpu_stream *left = stream->capture ? NULL : malloc(sizeof *left);

    if (!left)
        return stream;
    *left = *stream;
    *link_to(stream) = left;
    if (left->next)
        left->next->previous = left;
    stream->next = free_handles;
    free_handles = stream;
    return left;
}

/* @stream, which knows what kind it is, becomes one of @device's: numbers and
 * an agent. Return: @stream; NULL without memory, @stream is then freed. */
static struct vgpu_stream *stream_place(struct vgpu_stream *stream,
                                        struct vgpu_device *device)
{
    char text[80];

    stream->number = stream->legacy ? 0
                     : stream->of   ? stream->of->number
                                    : vgpu_rt.next_stream++;
    stream->time_stream = ++vgpu_rt.next_time_stream;
    stream->index = device->streams_created++;
    stream->device = device->index;
    vgpu_stream_label(stream, text, sizeof text);
    stream->agent = vgpu_agent_new(
        stream->of ? VGPU_AGENT_EARLY : VGPU_AGENT_STREAM, device->index, text);
    if (stream->agent)
        return stream;
    free(stream);
    return NULL;
}

void vgpu_stream_reset(struct vgpu_stream *stream)
{
    memset(&stream->kept, 0, sizeof stream->kept);
    stream->kept.domain_map.remote = 1;
    stream->priority = 0;
}

/* The first stream of a device is its legacy one. It is in no list: what goes
 * through all streams means the others. */
static struct vgpu_stream *stream_make(struct vgpu_device *device,
                                       unsigned flags, int priority,
                                       uint64_t pc, bool per_thread)
{
    struct vgpu_stream *stream = take_handle();

    if (!stream)
        return NULL;
    stream->legacy = !device->legacy;
    stream->per_thread = per_thread;
    stream->flags = flags;
    vgpu_stream_reset(stream);
    stream->priority = priority;
    stream->pc = pc;
    stream = stream_place(stream, device);
    if (!stream)
        return NULL;
    if (vgpu_handle_add(stream, VGPU_HANDLE_STREAM)) {
        vgpu_agent_free(stream->agent);
        free(stream);
        return NULL;
    }
    if (!stream->legacy) {
        stream->next = device->streams;
        if (stream->next)
            stream->next->previous = stream;
        device->streams = stream;
    }
    return stream;
}

/* In no list and without a handle: no call can name it, no device-wide wait
 * need look at it, since a mark in the launch's stream stands for all of a
 * graph. */
struct vgpu_stream *vgpu_stream_make_inner(struct vgpu_device *device)
{
    struct vgpu_stream *stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    stream->inner = true;
    return stream_place(stream, device);
}

/* In turn, since what follows in one waits for what is there. */
struct vgpu_stream *vgpu_stream_beside(struct vgpu_stream *stream)
{
    struct vgpu_stream **at = &stream->beside[stream->besides++ % 3], *made;

    if (*at)
        return *at;
    made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->inner = true;
    made->is_beside = true;
    made->of = stream;
    made->priority = stream->priority;
    *at = stream_place(made, &vgpu_rt.devices[stream->device]);
    if (*at)
        (*at)->of = NULL; /* which may be gone before it */
    return *at;
}

struct vgpu_stream *vgpu_stream_make(struct vgpu_device *device, unsigned flags,
                                     int priority, uint64_t pc)
{
    return stream_make(device, flags, priority, pc, false);
}

/* Made when a thread first uses it, as in CUDA: a program that never does has
 * no such stream in its timeline. */
static struct vgpu_stream *per_thread_stream(struct vgpu_thread *thread)
{
    struct vgpu_stream **slot = &thread->per_thread[thread->device];

    if (!*slot)
        *slot = stream_make(&vgpu_rt.devices[thread->device], 0, 0, 0, true);
    return *slot;
}

/* 0 means the legacy stream here, whatever the file was compiled to have: the
 * per-thread form of a call has replaced 0 before (calls.c). */
struct vgpu_stream *vgpu_stream_find(cudaStream_t handle)
{
    struct vgpu_thread *thread = vgpu_thread_self();
    struct vgpu_stream *stream = (struct vgpu_stream *)handle;

    if (!handle || handle == cudaStreamLegacy)
        return vgpu_rt.devices[thread->device].legacy;
    if (handle == cudaStreamPerThread)
        return per_thread_stream(thread);
    if (vgpu_handle_find(handle) != VGPU_HANDLE_STREAM || stream->destroyed)
        return NULL;
    return stream;
}

/* The last operation may live on, in an event or in what waits for it; the
 * stream has only its own share of it. */
static void stream_free(struct vgpu_stream *stream)
{
    vgpu_op_unref(stream->last);
    vgpu_staging_clear(&stream->staging);
    vgpu_agent_free(stream->agent);
    free(stream);
}

/* Its last operation is kept by the mark that ends the launch. */
void vgpu_stream_retire(struct vgpu_stream *stream)
{
    stream_free(stream);
}

/* A destroyed stream's work must still be waited for: it goes only when the
 * host has been ordered after all of it; and never from under a capture. */
void vgpu_stream_sweep(struct vgpu_device *device)
{
    struct vgpu_stream **link = &device->destroyed;

    device->destroyed_left = 0;
    while (*link) {
        struct vgpu_stream *stream = *link;

        if (!stream->capture && (!stream->last || stream->last->awaited)) {
            *link = stream->next_destroyed;
            *link_to(stream) = stream->next;
            if (stream->next)
                stream->next->previous = stream->previous;
            stream_free(stream);
        } else {
            device->destroyed_left++;
            link = &stream->next_destroyed;
        }
    }
    device->destroyed_more = 0;
}

/* Priorities outside the range are brought into it and are no error (manual,
 * cudaStreamCreateWithPriority). */
API(cudaStreamCreateWithPriority, cudaStream_t *out, unsigned int flags,
    int priority)
{
    struct vgpu_stream *stream;
    char name[VGPU_NAME_BYTES];

    vgpu_names_take(out, name);
    if (!out || (flags & ~(unsigned)cudaStreamNonBlocking))
        return vgpu_because(cudaErrorInvalidValue,
                            out ? "flags is neither cudaStreamDefault nor "
                                  "cudaStreamNonBlocking"
                                : "there is no place for the stream");
    stream = vgpu_stream_make(vgpu_device_current(), flags,
                              vgpu_stream_clamp(priority), call->pc);
    if (!stream)
        return cudaErrorMemoryAllocation;
    *out = (cudaStream_t)stream;
    vgpu_trace_stream(stream, name);
    return cudaSuccess;
}

API(cudaStreamCreate, cudaStream_t *stream)
{
    return vgpu_do_cudaStreamCreateWithPriority(call, stream, cudaStreamDefault,
                                                0);
}

API(cudaStreamCreateWithFlags, cudaStream_t *stream, unsigned int flags)
{
    return vgpu_do_cudaStreamCreateWithPriority(call, stream, flags, 0);
}

/* Returns at once; pending work completes. */
API(cudaStreamDestroy, cudaStream_t handle)
{
    struct vgpu_device *device;
    struct vgpu_stream *stream;

    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return vgpu_because(cudaErrorInvalidResourceHandle,
                            "a default stream cannot be destroyed");
    stream = vgpu_stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    device = &vgpu_rt.devices[stream->device];
    stream->destroyed = true;
    vgpu_handle_remove(stream);
    vgpu_handle_ended(stream, call->pc);
    stream = give_handle(stream);
    stream->next_destroyed = device->destroyed;
    device->destroyed = stream;
    /* Not all that are left are looked at each time. */
    if (++device->destroyed_more > device->destroyed_left)
        vgpu_stream_sweep(device);
    return cudaSuccess;
}

/* Text that kernels printed comes out now, and not before: printf in device
 * code is flushed by calls that wait (guide, "Formatted Output"). */
API(cudaStreamSynchronize, cudaStream_t handle)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    const int device = stream ? stream->device : 0;
    cudaError_t error = stream ? vgpu_capture_wait_stream(stream)
                               : cudaErrorInvalidResourceHandle;

    call->stream = stream;
    if (!error)
        error = vgpu_capture_unsafe(call->thread);
    if (!error)
        error = vgpu_wait_stream(call->thread, stream, true);
    if (!error)
        call->cost_ns += vgpu_pool_waited(device);
    vgpu_exec_flush_printf();
    return error;
}

/* As for events: "not ready" is an answer, not an error that stays. A stream
 * found ready gives the host the same order that waiting for it would. Polling
 * must get somewhere even where calls cost nothing. */
API(cudaStreamQuery, cudaStream_t handle)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    cudaError_t error = stream ? vgpu_capture_wait_stream(stream)
                               : cudaErrorInvalidResourceHandle;

    call->stream = stream;
    call->cost_ns += !call->cost_ns;
    if (!error)
        error = vgpu_capture_unsafe(call->thread);
    if (error)
        return error;
    if (!vgpu_wait_test_stream(call->thread, stream))
        return cudaErrorNotReady;
    return vgpu_rt.devices[stream->device].sticky;
}

/* Each of a stream's facts has a call of its own. Two of them cannot be asked
 * for in a captured stream, and nobody knows why (observed: an H200). */
#define FACT(name, type, fact, in_capture)                                     \
    API(name, cudaStream_t handle, type *out)                                  \
    {                                                                          \
        struct vgpu_stream *stream = vgpu_stream_find(handle);                 \
                                                                               \
        if (!stream)                                                           \
            return cudaErrorInvalidResourceHandle;                             \
        if (!out)                                                              \
            return cudaErrorInvalidValue;                                      \
        if (!in_capture && stream->capture)                                    \
            return vgpu_capture_failed(stream,                                 \
                                       cudaErrorStreamCaptureUnsupported);     \
        *out = fact;                                                           \
        return cudaSuccess;                                                    \
    }
FACT(cudaStreamGetFlags, unsigned int, stream->flags, false)
FACT(cudaStreamGetPriority, int, stream->priority, true)
FACT(cudaStreamGetId, unsigned long long, stream->time_stream, false)
FACT(cudaStreamGetDevice, int, stream->device, true)

API(cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
    if (least)
        *least = LEAST;
    if (greatest)
        *greatest = GREATEST;
    return cudaSuccess;
}
