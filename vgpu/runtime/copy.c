/*
 * copy.c: copies, synchronous and not. The calls are in copy_calls.c, those
 * with device variables in symbol.c, with arrays in array.c.
 *
 * What a copy does to the host (manual, "API synchronization behavior"):
 *   from pageable to device  the stream is waited for first; returns once
 *                            the source is staged
 *   to pageable host         returns when it is complete
 *   Async, pageable          may be synchronous: time passes, no order given
 *   device to device         the host is not held
 *   host to host             done by the host itself
 */
#include "copy.h"
#include "array.h"
#include "capture.h"

#include <stdlib.h>
#include <string.h>

struct request {
    struct vgpu_place dst;
    struct vgpu_place src;
    struct vgpu_extent extent;
    bool async;
    enum cudaMemcpyKind kind;
    enum cudaMemcpySrcAccessOrder order; /* of a batch, or 0 */
    int64_t more_bytes;
    bool box;
};

/* Does the direction that the caller states fit the pointers? */
static cudaError_t check_kind(const struct request *r, enum cudaMemcpyKind kind)
{
    bool to_device =
        kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device =
        kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;

    if (kind == cudaMemcpyDefault)
        return cudaSuccess;
    if (to_device && !r->dst.device && !r->dst.memory)
        return vgpu_because(cudaErrorInvalidValue,
                            "the stated direction has its destination on a "
                            "device, and that is %s",
                            vgpu_memory_words(r->dst.base));
    if (from_device && !r->src.device && !r->src.memory)
        return vgpu_because(cudaErrorInvalidValue,
                            "the stated direction has its source on a device, "
                            "and that is %s",
                            vgpu_memory_words(r->src.base));
    return cudaSuccess;
}

/* A direction that is not where the bytes are plays no part (observed), but the
 * manual calls what it does undefined: nobody should rely on it. */
static void warn_kind(const struct request *r, enum cudaMemcpyKind kind,
                      const struct vgpu_call *call)
{
    static const char *const words[] = {"HostToHost", "HostToDevice",
                                        "DeviceToHost", "DeviceToDevice"};
    const unsigned so = (unsigned)r->src.device << 1 | r->dst.device;

    if (kind == cudaMemcpyDefault || (unsigned)kind == so || r->src.managed ||
        r->dst.managed)
        return;
    vgpu_warn(copy_direction, call->pc, .call = call->name,
              .stated = words[kind], .pointers = words[so]);
}

/* By where the bytes are; within the host, which only graphs have as an
 * operation, an engine brings them as it brings the device's. What the caller
 * said about the direction was checked and plays no part: cudaMemcpyDefault is
 * always right under unified addressing. */
static enum vgpu_time_kind find_way(const struct request *r)
{
    if (r->src.device && r->dst.device)
        return r->src.where == r->dst.where ? VGPU_TIME_D2D : VGPU_TIME_PEER;
    return r->dst.device ? VGPU_TIME_H2D : VGPU_TIME_D2H;
}

/* Of large pieces of memory the one given back last: the system would hand out
 * its pages one by one again, which takes longer than the copy. */
#define KEPT_LEAST ((size_t)1 << 20)
#define KEPT_MOST  ((size_t)256 << 20)

static void *kept;
static size_t kept_bytes;

/* Of a graph's copy, as far as it was asked (observed: graph_pageable). */
#define TAKEN_MOST ((size_t)256 << 10)

static void *captured_take(size_t bytes)
{
    void *taken = kept;

    if (bytes > kept_bytes || bytes < kept_bytes / 2)
        return malloc(bytes);
    kept = NULL;
    kept_bytes = 0;
    return taken;
}

void vgpu_captured_give(void *captured, const struct vgpu_extent *extent)
{
    const size_t bytes = vgpu_extent_bytes(extent);

    if (!captured || bytes < KEPT_LEAST || bytes > KEPT_MOST) {
        free(captured);
        return;
    }
    free(kept);
    kept = captured;
    kept_bytes = bytes;
}

/* Take the source's bytes now, packed; the host reads them.
 * @call  NULL: that is no access of its */
static void *capture(const struct vgpu_place *src, const struct vgpu_extent *e,
                     const struct vgpu_call *call)
{
    char *packed = captured_take(vgpu_extent_bytes(e));
    size_t at = 0;

    if (!packed)
        return NULL;
    for (size_t z = 0; z < e->slices; z++)
        for (size_t y = 0; y < e->rows; y++) {
            const char *row = src->base + z * src->slice + y * src->pitch;

            if (call)
                vgpu_check_host_range(call->thread->agent, row, e->width,
                                      VGPU_READ, call->pc);
            memcpy(packed + at, row, e->width);
            at += e->width;
        }
    return packed;
}

/* That it was read early is nothing to rely on: it counts as read in its turn.
 * Without memory for it, it is. */
void vgpu_copy_take(struct vgpu_op *op)
{
    if (op->kind != VGPU_OP_COPY || !op->copy.pageable ||
        op->copy.way != VGPU_TIME_H2D ||
        vgpu_extent_bytes(&op->copy.extent) > TAKEN_MOST)
        return;
    op->copy.captured = capture(&op->copy.src, &op->copy.extent, NULL);
    op->copy.lent = true;
}

/* memmove: should the ranges overlap by mistake, what comes out must not depend
 * on this machine's memcpy. */
static void host_to_host(const struct request *r, struct vgpu_call *call)
{
    int64_t rate = vgpu_rt.host->host_memcpy_bytes_per_s;

    for (size_t z = 0; z < r->extent.slices; z++)
        for (size_t y = 0; y < r->extent.rows; y++) {
            const char *from =
                r->src.base + z * r->src.slice + y * r->src.pitch;
            char *to = r->dst.base + z * r->dst.slice + y * r->dst.pitch;

            vgpu_check_host_range(call->thread->agent, from, r->extent.width,
                                  VGPU_READ, call->pc);
            vgpu_check_host_range(call->thread->agent, to, r->extent.width,
                                  VGPU_WRITE, call->pc);
            memmove(to, from, r->extent.width);
        }
    if (rate)
        vgpu_thread_spend(call->thread,
                          (int64_t)((double)vgpu_extent_bytes(&r->extent) *
                                    1e9 / (double)rate));
}

/* The host does such a copy itself, but in its stream's turn, which for the
 * default stream and for blocking ones is not only after the stream's own
 * work. */
static cudaError_t wait_turn(struct vgpu_stream *stream, struct vgpu_call *call)
{
    struct vgpu_op *turn;
    cudaError_t error;

    turn = vgpu_op_new(VGPU_OP_MARK);
    if (!turn)
        return cudaErrorMemoryAllocation;
    error = vgpu_op_enqueue(turn, stream, "copy host to host", call);
    if (!error)
        error = vgpu_wait_op(call->thread, turn, true);
    vgpu_op_unref(turn);
    return error;
}

/* Host memory that work will touch after the call has returned. */
static void watch(const struct vgpu_place *place,
                  const struct vgpu_extent *extent)
{
    if (place->memory || place->managed)
        return;
    vgpu_check_watch(place->base, (extent->slices - 1) * place->slice +
                                      (extent->rows - 1) * place->pitch +
                                      extent->width);
}

/* Either direction is enough: the engine of one device does the copy, and that
 * one must reach the other. */
static bool peer_enabled(const struct request *r)
{
    return (vgpu_rt.devices[r->src.where].peers >> r->dst.where & 1) ||
           (vgpu_rt.devices[r->dst.where].peers >> r->src.where & 1);
}

/* Pinned and managed memory is known to the runtime; what is not must be
 * pageable, and then no engine can fetch it without the host's help. */
static struct vgpu_op *make_op(const struct request *r)
{
    struct vgpu_op *op = vgpu_op_new(VGPU_OP_COPY);

    if (!op)
        return NULL;
    op->copy.dst = r->dst;
    op->copy.src = r->src;
    op->copy.extent = r->extent;
    op->copy.kind = r->kind;
    op->copy.way = find_way(r);
    if (op->copy.way == VGPU_TIME_H2D)
        op->copy.pageable = !r->src.memory;
    if (op->copy.way == VGPU_TIME_D2H)
        op->copy.pageable = !r->dst.memory;
    op->copy.direct = op->copy.way == VGPU_TIME_PEER && peer_enabled(r);
    op->copy.more_bytes = r->more_bytes;
    return op;
}

/* The host moves pageable bytes to where the engine can fetch them. */
static void stage(const struct vgpu_op *op, struct vgpu_call *call)
{
    int64_t rate =
        vgpu_rt.devices[op->device].profile->pageable_h2d_bytes_per_s;

    if (rate)
        vgpu_thread_spend(call->thread, (int64_t)((double)vgpu_extent_bytes(
                                                      &op->copy.extent) *
                                                  1e9 / (double)rate));
}

/* A few bytes for the device the host writes into the queue itself, and that
 * takes the longer the more they are. */
static void write_into_queue(const struct vgpu_op *op, struct vgpu_call *call)
{
    const struct vgpu_profile *host = vgpu_rt.host;
    const size_t bytes = vgpu_extent_bytes(&op->copy.extent);

    if (op->copy.way == VGPU_TIME_H2D && !op->copy.pageable &&
        bytes <= (size_t)host->host_inline_bytes)
        vgpu_thread_spend(call->thread,
                          host->host_inline_ns +
                              (int64_t)((double)bytes * 1e9 /
                                        (double)host->host_inline_bytes_per_s));
}

/*
 * Does a copy of a batch hold the host until it is done? Hardware takes a batch
 * at its word where it says when a source is read (observed: batch_order):
 * pageable memory in the stream's turn, or other memory during the call. Boxes
 * are as cudaMemcpy3DAsync has them, and wait wherever the source is read
 * during the call.
 */
static bool batch_waits(const struct vgpu_op *op, const struct request *r)
{
    const bool from_pageable = op->copy.way == VGPU_TIME_H2D &&
                               op->copy.pageable && !op->copy.captured;

    if (r->order == cudaMemcpySrcAccessOrderDuringApiCall)
        return r->box || !(op->copy.way == VGPU_TIME_H2D && op->copy.pageable);
    if (r->box)
        return op->copy.way == VGPU_TIME_D2H && op->copy.pageable;
    return from_pageable && r->order == cudaMemcpySrcAccessOrderStream;
}

/* Pageable bytes in the stream's turn are read before the call returns, which
 * no manual promises; of many, the engine may still be at work then. */
static cudaError_t settle_batch(struct vgpu_op *op, const struct request *r,
                                struct vgpu_call *call)
{
    const bool many = vgpu_extent_bytes(&r->extent) > 2 * VGPU_CAPTURE_BYTES;
    cudaError_t error = cudaSuccess;

    if (op->copy.way != VGPU_TIME_H2D || !op->copy.pageable)
        return vgpu_wait_op(call->thread, op, false);
    if (!many)
        error = vgpu_wait_op(call->thread, op, false);
    for (int i = 0; many && i < op->before_count && !error; i++)
        error = vgpu_wait_op(call->thread, op->before[i], false);
    if (many)
        stage(op, call);
    vgpu_op_run(op);
    return error;
}

/* To pageable memory: the call holds the host on every GPU that was asked, so
 * that the bytes are there, and gives it no order. */
static cudaError_t bring(struct vgpu_op *op, struct vgpu_call *call)
{
    const cudaError_t error = vgpu_wait_op(call->thread, op, false);

    for (int i = 0; i < op->before_count && !error; i++)
        vgpu_op_run(op->before[i]);
    if (!error && !op->done)
        vgpu_copy_bring(op);
    return error;
}

/* After the operation is in its stream: what the call waits for. */
static cudaError_t settle(struct vgpu_op *op, const struct request *r,
                          struct vgpu_call *call)
{
    bool h2d = op->copy.way == VGPU_TIME_H2D;

    if (r->order)
        return batch_waits(op, r) ? settle_batch(op, r, call) : cudaSuccess;
    if (r->async) {
        if (!h2d && (op->copy.pageable ||
                     vgpu_memory_of_host_pool(op->copy.dst.memory)))
            return bring(op, call);
        if (!op->copy.pageable || (op->copy.captured && !op->copy.lent))
            return cudaSuccess;
        stage(op, call); /* the host's own part of it */
        return cudaSuccess;
    }
    if (op->copy.way == VGPU_TIME_D2D || op->copy.way == VGPU_TIME_PEER)
        return cudaSuccess;
    if (h2d && op->copy.captured) /* staged; the rest may be pending */
        return vgpu_wait_op(call->thread, op, false);
    return vgpu_wait_op(call->thread, op, true);
}

/* ---- copies that concern another device ---------------------------------- */

#define TWO_DEVICES "order of two devices"

cudaError_t vgpu_copy_order_before(struct vgpu_call *call, int device,
                                   struct vgpu_stream *here)
{
    struct vgpu_stream *there = vgpu_rt.devices[device].legacy;
    cudaError_t error;

    if (device == here->device)
        return cudaSuccess;
    error = vgpu_op_join(there, NULL, TWO_DEVICES, call);
    return error ? error : vgpu_op_join(here, there->last, TWO_DEVICES, call);
}

cudaError_t vgpu_copy_order_after(struct vgpu_call *call, int device,
                                  struct vgpu_stream *here)
{
    if (device == here->device)
        return cudaSuccess;
    return vgpu_op_join(vgpu_rt.devices[device].legacy, here->last, TWO_DEVICES,
                        call);
}

/*
 * A copy between the host and memory of a device that is not current takes,
 * in the default stream, its turn on both devices (observed:
 * copy_other_current). Return: the other device, or the stream's own.
 */
static int other_device(const struct request *r,
                        const struct vgpu_stream *stream)
{
    const struct vgpu_place *place = r->dst.device ? &r->dst : &r->src;

    if (!stream->legacy || place->managed || r->dst.device == r->src.device)
        return stream->device;
    return place->where;
}

/* An asynchronous copy from pageable memory, of more than the manual says is
 * taken before the call returns. */
static bool is_long_staged(const struct request *r, const struct vgpu_op *op)
{
    return r->async && op->copy.way == VGPU_TIME_H2D && op->copy.pageable &&
           vgpu_extent_bytes(&r->extent) > VGPU_CAPTURE_BYTES;
}

/* Are a source's bytes taken at the call? By a synchronous copy from pageable
 * memory, and by an asynchronous one: so every GPU does that was asked, but the
 * checker credits what the manual says, up to 64 KiB. By a batch unless it says
 * another order, or up to 64 KiB; else it is read late. */
static bool takes_source(const struct request *r, const struct vgpu_op *op)
{
    if (op->copy.way != VGPU_TIME_H2D)
        return false;
    if (r->order == cudaMemcpySrcAccessOrderDuringApiCall && !op->copy.pageable)
        return true;
    if (!op->copy.pageable || !r->order)
        return op->copy.pageable;
    return (r->box || r->order != cudaMemcpySrcAccessOrderStream) &&
           !is_long_staged(r, op);
}

/* What is lent until the copy is done, and what is to be watched until then. */
static void lend(const struct request *r, struct vgpu_op *op,
                 const struct vgpu_call *call)
{
    op->copy.lent = r->async && (!op->copy.captured ||
                                 (!r->order && is_long_staged(r, op)));
    if (!op->copy.lent)
        return;
    watch(&r->src, &r->extent);
    watch(&r->dst, &r->extent);
    if (!op->copy.pageable)
        return;
    vgpu_copy_lend(op);
    if (!r->order || batch_waits(op, r))
        vgpu_warn(pageable_copy, call->pc, .call = call->name);
}

/* Into its stream, by way of where pageable bytes lie until then. */
static cudaError_t enqueue(const struct request *r, struct vgpu_op *op,
                           struct vgpu_stream *stream, struct vgpu_call *call)
{
    const bool staged =
        r->async && op->copy.pageable && op->copy.captured &&
        vgpu_rt.devices[stream->device].profile->staging_bytes > 0;
    cudaError_t error = cudaSuccess;

    if (staged)
        error = vgpu_staging_wait(stream, vgpu_extent_bytes(&r->extent),
                                  call->thread);
    if (!error)
        error = vgpu_op_enqueue(op, stream, vgpu_does_words(vgpu_op_does(op)),
                                call);
    if (!error && staged)
        error = vgpu_staging_add(stream, op);
    return error;
}

/* The host's part before, around and after the operation. */
static cudaError_t issue(struct request *r, struct vgpu_stream *stream,
                         struct vgpu_call *call)
{
    const int other = other_device(r, stream);
    struct vgpu_op *op = make_op(r);
    cudaError_t error = cudaSuccess;

    if (!op)
        return cudaErrorMemoryAllocation;
    write_into_queue(op, call);
    if (stream->capture) { /* a pattern: nothing is taken now */
        error = vgpu_op_enqueue(op, stream, vgpu_does_words(vgpu_op_does(op)),
                                call);
        vgpu_op_unref(op);
        return error;
    }
    if (stream->legacy)
        error = vgpu_capture_legacy(stream);
    if (!error)
        error = vgpu_copy_order_before(call, other, stream);
    if (error) {
        vgpu_op_unref(op);
        return error;
    }
    if (op->copy.way == VGPU_TIME_H2D && op->copy.pageable && !r->async)
        error = vgpu_wait_stream(call->thread, stream, true);
    if (!error && takes_source(r, op)) {
        op->copy.captured = capture(&r->src, &r->extent, call);
        if (!op->copy.captured)
            error = cudaErrorMemoryAllocation;
    }
    lend(r, op, call);
    if (!error)
        error = enqueue(r, op, stream, call);
    if (!error)
        error = vgpu_copy_order_after(call, other, stream);
    if (!error && op->copy.way == VGPU_TIME_D2D)
        error = vgpu_wait_launched(call, stream, op);
    if (!error)
        error = settle(op, r, call);
    vgpu_op_unref(op);
    return error;
}

/* Does the host do it itself? Of a batch only what is read during the call, and
 * is pageable: the rest an engine does (observed). */
static bool is_hosts(const struct request *r)
{
    if (r->src.device || r->dst.device)
        return false;
    if (!r->order || r->box)
        return true;
    return r->order == cudaMemcpySrcAccessOrderDuringApiCall &&
           !(r->src.memory && r->dst.memory);
}

/* A copy of nothing is no operation, but wants a valid stream and kind all the
 * same. */
static cudaError_t copy(struct request *r, enum cudaMemcpyKind kind,
                        cudaStream_t handle, struct vgpu_call *call)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    cudaError_t error;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    call->stream = stream;
    r->kind = kind;
    if ((int)kind < 0 || kind > cudaMemcpyDefault)
        return vgpu_because(cudaErrorInvalidMemcpyDirection,
                            "%d is no direction of cudaMemcpyKind", (int)kind);
    if (!vgpu_extent_bytes(&r->extent))
        return cudaSuccess;
    if (!vgpu_place_is_there(&r->dst, stream) ||
        !vgpu_place_is_there(&r->src, stream))
        return vgpu_because(cudaErrorInvalidValue, "it uses memory of a graph "
                                                   "that no launch has left");
    error = check_kind(r, kind);
    if (error)
        return error;
    warn_kind(r, kind, call);
    if (is_hosts(r) && !stream->capture) {
        error = r->order ? cudaSuccess : wait_turn(stream, call);
        if (!error)
            host_to_host(r, call);
        return error;
    }
    return issue(r, stream, call);
}

/* ---- the calls ----------------------------------------------------------- */

/* From elements to bytes; of plain memory the one byte of each is counted. */
static void count_side(struct vgpu_side *side, size_t element)
{
    if (side->in_array)
        side->at.x *= element;
    else
        side->base += side->at.x * (element - 1);
}

/* A box with an array counts in the array's elements, at both sides (manual,
 * cudaMemcpy3D; observed), and two arrays must have the same. */
static cudaError_t count_bytes(struct vgpu_sides *s)
{
    const struct cudaArray *dst = vgpu_array_find(s->dst.array);
    const struct cudaArray *src = vgpu_array_find(s->src.array);
    size_t element;

    if (!dst && !src)
        return cudaSuccess;
    if (dst && src && dst->texel_bytes != src->texel_bytes)
        return vgpu_because(cudaErrorInvalidValue,
                            "the elements of one array have %zu bytes, those "
                            "of the other %zu",
                            dst->texel_bytes, src->texel_bytes);
    element = dst ? dst->texel_bytes : src->texel_bytes;
    s->extent.width *= element;
    count_side(&s->dst, element);
    count_side(&s->src, element);
    return cudaSuccess;
}

/* The memory that is meant by a place in an array. Packed bytes fit if the last
 * is in the array, whose rows have no gaps. */
static cudaError_t find_array(struct vgpu_side *side,
                              const struct vgpu_sides *s)
{
    const struct cudaArray *array = vgpu_array_find(side->array);
    const struct vgpu_extent first = {0, 1, 1};
    char *corner = NULL;
    cudaError_t error;

    if (!side->in_array)
        return cudaSuccess;
    if (!array)
        return cudaErrorInvalidResourceHandle;
    error = vgpu_array_corner(array, side->at.x, side->at.y, side->at.z,
                              s->packed ? &first : &s->extent, &corner);
    side->base = corner;
    side->pitch = s->packed ? s->extent.width : array->image.pitch;
    side->slice = array->image.slice;
    return error;
}

static cudaError_t find_places(struct request *r,
                               const struct vgpu_sides *given)
{
    struct vgpu_sides s = *given;
    cudaError_t error = s.box ? count_bytes(&s) : cudaSuccess;

    memset(r, 0, sizeof *r);
    if (!error)
        error = find_array(&s.dst, &s);
    if (!error)
        error = find_array(&s.src, &s);
    if (error)
        return error;
    r->extent = s.extent;
    if (s.dst.pitch < s.extent.width || s.src.pitch < s.extent.width)
        return vgpu_because(
            s.box || s.dst.in_array || s.src.in_array
                ? cudaErrorInvalidPitchValue
                : cudaErrorInvalidValue,
            "rows of %zu bytes do not begin %zu bytes apart", s.extent.width,
            s.dst.pitch < s.extent.width ? s.dst.pitch : s.src.pitch);
    error = vgpu_place_find(&r->dst, s.dst.base, s.dst.pitch, s.dst.slice,
                            &r->extent);
    if (error)
        return error;
    /* Registered so that a device only reads it. */
    if (r->dst.memory && r->dst.memory->kind == VGPU_MEM_REGISTERED &&
        (r->dst.memory->flags & cudaHostRegisterReadOnly))
        return vgpu_because(cudaErrorInvalidValue,
                            "its destination was registered with "
                            "cudaHostRegisterReadOnly");
    return vgpu_place_find(&r->src, s.src.base, s.src.pitch, s.src.slice,
                           &r->extent);
}

/* An array is the device's: here a direction is not overlooked (observed). */
static cudaError_t check_arrays(const struct vgpu_sides *s,
                                enum cudaMemcpyKind kind)
{
    const bool to_host =
        kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
    const bool from_host =
        kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;

    return (s->dst.in_array && to_host) || (s->src.in_array && from_host)
               ? vgpu_because(cudaErrorInvalidMemcpyDirection,
                              "an array is a device's, and the stated "
                              "direction has it on the host")
               : cudaSuccess;
}

/* The host pays for the call whether or not anything is copied; what it waits
 * for comes on top of that (settle). */
cudaError_t vgpu_copy_run(struct vgpu_manner m, const struct vgpu_sides *s)
{
    const cudaError_t error = vgpu_call_late(m.call, VGPU_CALL_PAID);

    return error ? error : vgpu_copy_enqueue(m, s);
}

cudaError_t vgpu_copy_enqueue(struct vgpu_manner m, const struct vgpu_sides *s)
{
    struct request r;
    cudaError_t error = check_arrays(s, m.kind);

    if (!error)
        error = find_places(&r, s);
    if (error)
        return error;
    r.async = m.async;
    r.order = m.order;
    r.more_bytes = m.more_bytes;
    r.box = s->box;
    return copy(&r, m.kind, m.stream, m.call);
}

cudaError_t vgpu_copy_check(const struct vgpu_sides *s)
{
    struct request r;

    return find_places(&r, s);
}

cudaError_t vgpu_copy_refuse(struct vgpu_manner m, cudaError_t error)
{
    vgpu_call_late(m.call, VGPU_CALL_PLAIN);
    m.call->cost_ns = 0;
    return error;
}

/* For a graph's node: everything but a stream and a time is known. The host
 * memory is watched from now on, since no later call names it. */
cudaError_t vgpu_copy_pattern(const struct vgpu_sides *s,
                              enum cudaMemcpyKind kind, struct vgpu_op **op)
{
    struct request r;
    cudaError_t error = find_places(&r, s);

    *op = NULL;
    if (!error && ((int)kind < 0 || kind > cudaMemcpyDefault))
        error = vgpu_because(cudaErrorInvalidMemcpyDirection,
                             "%d is no direction of cudaMemcpyKind", (int)kind);
    if (!error)
        error = check_kind(&r, kind);
    if (!error && !vgpu_extent_bytes(&r.extent))
        error = vgpu_invalid("a node copies at least one byte");
    if (error)
        return error;
    r.async = true;
    r.kind = kind;
    watch(&r.src, &r.extent);
    watch(&r.dst, &r.extent);
    *op = make_op(&r);
    return *op ? cudaSuccess : cudaErrorMemoryAllocation;
}
