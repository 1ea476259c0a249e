/*
 * set.c: memsets. Asynchronous to the host, except cudaMemset on pinned host
 * memory.
 */
#include "rt.h"

static cudaError_t set(struct vgpu_call *call, void *base, size_t pitch,
                       size_t slice, int value, struct vgpu_extent extent,
                       cudaStream_t handle, bool async)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_op *op;
    cudaError_t error;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!extent.width || !extent.rows || !extent.slices)
        return cudaSuccess;
    op = vgpu_op_new(VGPU_OP_SET);
    if (!op)
        return cudaErrorMemoryAllocation;
    op->set.extent = extent;
    op->set.value = (unsigned char)value;
    op->set.element = 1;
    error = vgpu_place_find(&op->set.dst, base, pitch, slice, &extent);
    if (!error && !op->set.dst.memory && !op->set.dst.symbol)
        error = cudaErrorInvalidValue; /* pageable host memory */
    if (!error && op->set.dst.memory && op->set.dst.where != stream->device &&
        op->set.dst.memory->kind == VGPU_MEM_DEVICE &&
        !(vgpu_rt.devices[stream->device].peers >> op->set.dst.where & 1))
        error = cudaErrorInvalidValue; /* another device's */
    if (!error)
        error = vgpu_op_enqueue(op, stream, "memset", call);
    if (!error && !async && !op->set.dst.device)
        error = vgpu_wait_op(call->thread, op, true);
    vgpu_op_unref(op);
    return error;
}

static cudaError_t run(const char *name, uint64_t pc, void *base, size_t pitch,
                       size_t slice, int value, struct vgpu_extent extent,
                       cudaStream_t stream, bool async)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, name, pc, VGPU_CALL_CONTEXT);

    vgpu_thread_spend(call.thread, vgpu_rt.profile.host_copy_async_ns);
    if (!error && extent.rows > 1 && pitch < extent.width)
        error = cudaErrorInvalidValue;
    if (!error)
        error = set(&call, base, pitch, slice, value, extent, stream, async);
    return vgpu_call_end(&call, error, 0);
}

static struct vgpu_extent box(size_t width, size_t rows, size_t slices)
{
    struct vgpu_extent extent = {width, rows, slices};

    return extent;
}

#define TWINS(name, suffix, parameters, base, pitch, slice, extent, legacy,    \
              per_thread, async)                                               \
    cudaError_t name parameters                                                \
    {                                                                          \
        return run(#name, VGPU_PC, base, pitch, slice, value, extent, legacy,  \
                   async);                                                     \
    }                                                                          \
    cudaError_t name##suffix parameters;                                       \
    cudaError_t name##suffix parameters                                        \
    {                                                                          \
        return run(#name, VGPU_PC, base, pitch, slice, value, extent,          \
                   per_thread, async);                                         \
    }

TWINS(cudaMemset, _ptds, (void *pointer, int value, size_t bytes), pointer,
      bytes, bytes, box(bytes, 1, 1), 0, cudaStreamPerThread, false)

TWINS(cudaMemsetAsync, _ptsz,
      (void *pointer, int value, size_t bytes, cudaStream_t stream), pointer,
      bytes, bytes, box(bytes, 1, 1), stream, PTSZ(stream), true)

TWINS(cudaMemset2D, _ptds,
      (void *pointer, size_t pitch, int value, size_t width, size_t height),
      pointer, pitch, pitch *height, box(width, height, 1), 0,
      cudaStreamPerThread, false)

TWINS(cudaMemset2DAsync, _ptsz,
      (void *pointer, size_t pitch, int value, size_t width, size_t height,
       cudaStream_t stream),
      pointer, pitch, pitch *height, box(width, height, 1), stream,
      PTSZ(stream), true)

TWINS(cudaMemset3D, _ptds,
      (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent),
      pointer.ptr, pointer.pitch, pointer.pitch *pointer.ysize,
      box(extent.width, extent.height, extent.depth), 0, cudaStreamPerThread,
      false)

TWINS(cudaMemset3DAsync, _ptsz,
      (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
       cudaStream_t stream),
      pointer.ptr, pointer.pitch, pointer.pitch *pointer.ysize,
      box(extent.width, extent.height, extent.depth), stream, PTSZ(stream),
      true)
