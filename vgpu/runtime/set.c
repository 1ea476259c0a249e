/*
 * set.c: memsets. Asynchronous to the host, except cudaMemset on pinned host
 * memory.
 */
#include "copy.h"

/* What is set, to what, and whether the host goes on meanwhile. */
struct request {
    void *base;
    size_t pitch;
    size_t slice;
    int value;
    struct vgpu_extent extent;
    bool async;
};

/* Who may reach it, apart from its device: of a pool's memory, whom the pool
 * lets. */
static uint64_t peers_of(const struct vgpu_memory *memory)
{
    uint64_t peers = 0;

    if (memory->flags & VGPU_MEMORY_POOL)
        return memory->peers;
    for (int d = 0; d < vgpu_rt.device_count; d++)
        peers |= (vgpu_rt.devices[d].peers >> memory->device & 1) << d;
    return peers;
}

/* A memset's target must be memory that the device reaches: its own, a peer's
 * with access, pinned or managed. */
static cudaError_t set(struct vgpu_call *call, const struct request *r,
                       cudaStream_t handle)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_op *op;
    cudaError_t error;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!r->extent.width || !r->extent.rows || !r->extent.slices)
        return cudaSuccess;
    op = vgpu_op_new(VGPU_OP_SET);
    if (!op)
        return cudaErrorMemoryAllocation;
    op->set.extent = r->extent;
    op->set.value = (unsigned char)r->value;
    op->set.element = 1;
    error =
        vgpu_place_find(&op->set.dst, r->base, r->pitch, r->slice, &r->extent);
    if (!error && !vgpu_place_is_there(&op->set.dst, stream))
        error = vgpu_because(cudaErrorInvalidValue,
                             "it uses memory of a graph that no launch has "
                             "left");
    if (!error && !op->set.dst.managed &&
        (!op->set.dst.memory || vgpu_memory_of_host_pool(op->set.dst.memory)))
        error = vgpu_because(cudaErrorInvalidValue,
                             "a device cannot write there: it is %s",
                             vgpu_memory_words(r->base));
    if (!error && op->set.dst.memory && op->set.dst.where != stream->device &&
        op->set.dst.memory->kind == VGPU_MEM_DEVICE &&
        !(peers_of(op->set.dst.memory) >> stream->device & 1))
        error = vgpu_because(cudaErrorInvalidValue,
                             "it is memory of device %d, which device %d "
                             "cannot use without peer access",
                             op->set.dst.where, stream->device);
    if (!error)
        error = vgpu_op_enqueue(op, stream, "memset", call);
    if (!error)
        error = vgpu_wait_launched(call, stream, op);
    if (!error && !r->async && !op->set.dst.device)
        error = vgpu_wait_op(call->thread, op, true);
    vgpu_op_unref(op);
    return error;
}

/* The host pays the same for a memset of any size: it only hands over the work.
 */
static cudaError_t run(struct vgpu_call *call, cudaStream_t stream,
                       struct request r)
{
    return r.extent.rows > 1 && r.pitch < r.extent.width
               ? vgpu_because(cudaErrorInvalidValue,
                              "rows of %zu bytes do not begin %zu bytes apart",
                              r.extent.width, r.pitch)
               : set(call, &r, stream);
}

/* The three shapes in which calls name memory, brought to one: rows of a pitch,
 * slices of rows. A plain range is one row. */
static struct request flat(void *base, int value, size_t bytes, bool async)
{
    return (struct request){base, bytes, bytes, value, {bytes, 1, 1}, async};
}

static struct request rows(void *base, size_t pitch, int value, size_t width,
                           size_t height, bool async)
{
    return (struct request){
        base, pitch, pitch * height, value, {width, height, 1}, async};
}

static struct request box(struct cudaPitchedPtr p, int value,
                          struct cudaExtent extent, bool async)
{
    return (struct request){p.ptr,
                            p.pitch,
                            p.pitch * p.ysize,
                            value,
                            {extent.width, extent.height, extent.depth},
                            async};
}

API(cudaMemset, void *pointer, int value, size_t bytes)
{
    return run(call, call->null_stream, flat(pointer, value, bytes, false));
}

API(cudaMemsetAsync, void *pointer, int value, size_t bytes,
    cudaStream_t stream)
{
    return run(call, stream, flat(pointer, value, bytes, true));
}

API(cudaMemset2D, void *pointer, size_t pitch, int value, size_t width,
    size_t height)
{
    return run(call, call->null_stream,
               rows(pointer, pitch, value, width, height, false));
}

API(cudaMemset2DAsync, void *pointer, size_t pitch, int value, size_t width,
    size_t height, cudaStream_t stream)
{
    return run(call, stream, rows(pointer, pitch, value, width, height, true));
}

API(cudaMemset3D, struct cudaPitchedPtr pointer, int value,
    struct cudaExtent extent)
{
    return run(call, call->null_stream, box(pointer, value, extent, false));
}

API(cudaMemset3DAsync, struct cudaPitchedPtr pointer, int value,
    struct cudaExtent extent, cudaStream_t stream)
{
    return run(call, stream, box(pointer, value, extent, true));
}
