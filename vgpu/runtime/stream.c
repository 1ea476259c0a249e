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

/* What an H200 reports: 0 (least) to -5 (greatest). */
int vgpu_stream_least_priority(void)
{
    return 0;
}

int vgpu_stream_greatest_priority(void)
{
    return -5;
}

/* As a report and the grader name it: people count streams, they do not know
 * addresses. */
static void label(const struct vgpu_stream *stream, char *text, size_t size)
{
    if (stream->inner)
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

/* @stream, which knows what kind it is, becomes one of @device's: numbers and
 * an agent. Return: @stream; NULL without memory, @stream is then freed. */
static struct vgpu_stream *stream_place(struct vgpu_stream *stream,
                                        struct vgpu_device *device)
{
    char text[80];

    stream->number = stream->legacy ? 0 : vgpu_rt.next_stream++;
    stream->time_stream = ++vgpu_rt.next_time_stream;
    stream->index = device->streams_created++;
    stream->device = device->index;
    label(stream, text, sizeof text);
    stream->agent = vgpu_agent_new(VGPU_AGENT_STREAM, device->index, text);
    if (stream->agent)
        return stream;
    free(stream);
    return NULL;
}

/* The first stream of a device is its legacy one. It is in no list: what goes
 * through all streams means the others. */
static struct vgpu_stream *stream_make(struct vgpu_device *device,
                                       unsigned flags, int priority,
                                       uint64_t pc, bool per_thread)
{
    struct vgpu_stream *stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    stream->legacy = !device->legacy;
    stream->per_thread = per_thread;
    stream->flags = flags;
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
 * per-thread form of a call has replaced 0 before (VGPU_TWINS). */
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
    vgpu_agent_free(stream->agent);
    free(stream);
}

/* Its last operation is kept by the mark that ends the launch. */
void vgpu_stream_retire(struct vgpu_stream *stream)
{
    stream_free(stream);
}

/* A destroyed stream's work must still be waited for: it goes only when the
 * host has been ordered after all of it. */
void vgpu_stream_sweep(struct vgpu_device *device)
{
    struct vgpu_stream **link = &device->streams;

    while (*link) {
        struct vgpu_stream *stream = *link;

        if (stream->destroyed && (!stream->last || stream->last->awaited)) {
            *link = stream->next;
            stream_free(stream);
        } else {
            link = &stream->next;
        }
    }
}

/* Priorities outside the range are brought into it and are no error (manual,
 * cudaStreamCreateWithPriority). */
static cudaError_t create(struct vgpu_call *call, cudaStream_t *out,
                          unsigned flags, int priority)
{
    struct vgpu_stream *stream;
    char name[VGPU_NAME_BYTES];

    vgpu_names_take(out, name);
    if (!out || (flags & ~(unsigned)cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    if (priority > vgpu_stream_least_priority())
        priority = vgpu_stream_least_priority();
    if (priority < vgpu_stream_greatest_priority())
        priority = vgpu_stream_greatest_priority();
    stream = vgpu_stream_make(vgpu_device_current(), flags, priority, call->pc);
    if (!stream)
        return cudaErrorMemoryAllocation;
    *out = (cudaStream_t)stream;
    vgpu_trace_stream(stream, name);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaStreamCreate", VGPU_PC, VGPU_CALL_CONTEXT);

    if (!error)
        error = create(&call, stream, cudaStreamDefault, 0);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_stream_create_ns);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaStreamCreateWithFlags",
                                        VGPU_PC, VGPU_CALL_CONTEXT);

    if (!error)
        error = create(&call, stream, flags, 0);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_stream_create_ns);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream,
                                         unsigned int flags, int priority)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaStreamCreateWithPriority",
                                        VGPU_PC, VGPU_CALL_CONTEXT);

    if (!error)
        error = create(&call, stream, flags, priority);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_stream_create_ns);
}

/* Returns at once; pending work completes. */
static cudaError_t destroy(cudaStream_t handle)
{
    struct vgpu_stream *stream;

    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return cudaErrorInvalidResourceHandle;
    stream = vgpu_stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    stream->destroyed = true;
    vgpu_handle_remove(stream);
    vgpu_stream_sweep(&vgpu_rt.devices[stream->device]);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaStreamDestroy", VGPU_PC, VGPU_CALL_CONTEXT);

    if (!error)
        error = destroy(stream);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_stream_destroy_ns);
}

/* Text that kernels printed comes out now, and not before: printf in device
 * code is flushed by calls that wait (guide, "Formatted Output"). */
static cudaError_t stream_sync(cudaStream_t handle, uint64_t pc)
{
    struct vgpu_call call;
    struct vgpu_stream *stream = NULL;
    int64_t ns = vgpu_rt.host->host_sync_ns;
    int device;
    cudaError_t error = vgpu_call_begin(&call, "cudaStreamSynchronize", pc,
                                        VGPU_CALL_CONTEXT | VGPU_CALL_UNSAFE);

    if (!error) {
        stream = vgpu_stream_find(handle);
        call.stream = stream;
        error = stream ? vgpu_capture_wait_stream(stream)
                       : cudaErrorInvalidResourceHandle;
        device = stream ? stream->device : 0;
        if (!error)
            error = vgpu_wait_stream(call.thread, stream, true);
        if (!error)
            ns += vgpu_pool_waited(device);
        vgpu_exec_flush_printf();
    }
    return vgpu_call_end(&call, error, ns);
}

/* As for events: "not ready" is an answer, not an error that stays. A stream
 * found ready gives the host the same order that waiting for it would. */
static cudaError_t stream_query(cudaStream_t handle, uint64_t pc)
{
    struct vgpu_call call;
    struct vgpu_stream *stream;
    int64_t cost = vgpu_rt.host->host_query_ns;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaStreamQuery", pc, VGPU_CALL_CONTEXT);

    if (!error) {
        stream = vgpu_stream_find(handle);
        call.stream = stream;
        error = stream ? vgpu_capture_wait_stream(stream)
                       : cudaErrorInvalidResourceHandle;
        if (error)
            ;
        else if (!vgpu_wait_test_stream(call.thread, stream))
            error = cudaErrorNotReady;
        else
            error = vgpu_rt.devices[stream->device].sticky;
    }
    /* Polling must get somewhere even where calls cost nothing. */
    return vgpu_call_end(&call, error, cost ? cost : 1);
}

/* The four facts of a stream that can be asked for. */
enum fact { FLAGS, PRIORITY, ID, DEVICE };

/* The four calls differ in a name and in a type, and in nothing else that can
 * go wrong. */
static cudaError_t stream_fact(cudaStream_t handle, enum fact fact, void *out,
                               const char *name, uint64_t pc)
{
    struct vgpu_call call;
    struct vgpu_stream *s;
    cudaError_t error = vgpu_call_begin(&call, name, pc, VGPU_CALL_CONTEXT);

    if (error)
        return vgpu_call_end(&call, error, 0);
    s = vgpu_stream_find(handle);
    if (!s)
        error = cudaErrorInvalidResourceHandle;
    else if (!out)
        error = cudaErrorInvalidValue;
    else if (fact == FLAGS)
        *(unsigned *)out = s->flags;
    else if (fact == PRIORITY)
        *(int *)out = s->priority;
    else if (fact == ID)
        *(unsigned long long *)out = s->time_stream;
    else
        *(int *)out = s->device;
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* ---- the legacy and the per-thread form of each call --------------------- */

VGPU_TWINS(cudaStreamSynchronize, _ptsz, (cudaStream_t stream),
           stream_sync(VGPU_STREAM(stream), VGPU_PC))

VGPU_TWINS(cudaStreamQuery, _ptsz, (cudaStream_t stream),
           stream_query(VGPU_STREAM(stream), VGPU_PC))

VGPU_TWINS(cudaStreamGetFlags, _ptsz,
           (cudaStream_t stream, unsigned int *flags),
           stream_fact(VGPU_STREAM(stream), FLAGS, flags, "cudaStreamGetFlags",
                       VGPU_PC))

VGPU_TWINS(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int *priority),
           stream_fact(VGPU_STREAM(stream), PRIORITY, priority,
                       "cudaStreamGetPriority", VGPU_PC))

VGPU_TWINS(cudaStreamGetId, _ptsz,
           (cudaStream_t stream, unsigned long long *id),
           stream_fact(VGPU_STREAM(stream), ID, id, "cudaStreamGetId", VGPU_PC))

VGPU_TWINS(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int *device),
           stream_fact(VGPU_STREAM(stream), DEVICE, device,
                       "cudaStreamGetDevice", VGPU_PC))

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(
        &call, "cudaDeviceGetStreamPriorityRange", VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && least)
        *least = vgpu_stream_least_priority();
    if (!error && greatest)
        *greatest = vgpu_stream_greatest_priority();
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}
