/*
 * copy_calls.c: the calls that copy, flat, in rows, in slices and between two
 * devices, each brought into the one shape that copy.c takes.
 */
#include "copy.h"

struct vgpu_sides vgpu_flat_sides(void *dst, const void *src, size_t bytes)
{
    return (struct vgpu_sides){vgpu_plain_side(dst, bytes, 1),
                               vgpu_plain_side(src, bytes, 1),
                               {bytes, 1, 1},
                               false,
                               false};
}

cudaError_t vgpu_copy_flat(struct vgpu_manner m, void *dst, const void *src,
                           size_t bytes)
{
    const struct vgpu_sides s = vgpu_flat_sides(dst, src, bytes);

    return vgpu_copy_run(m, &s);
}

static cudaError_t rows(struct vgpu_manner m, struct vgpu_side dst,
                        struct vgpu_side src, size_t width, size_t height)
{
    const struct vgpu_sides s = {dst, src, {width, height, 1}, false, false};

    return vgpu_copy_run(m, &s);
}

/* Positions are counted in bytes along x and in rows along y, where there is no
 * array (manual, cudaMemcpy3D). */
static struct vgpu_side box_side(const struct cudaPitchedPtr *p,
                                 cudaArray_t array, const struct cudaPos *at)
{
    const size_t slice = p->pitch * p->ysize;

    if (array)
        return (struct vgpu_side){NULL, 0, 0, array, *at, true};
    return (struct vgpu_side){(char *)p->ptr + at->z * slice +
                                  at->y * p->pitch + at->x,
                              p->pitch,
                              slice,
                              NULL,
                              *at,
                              false};
}

static struct vgpu_sides box_sides(const struct cudaMemcpy3DParms *p)
{
    return (struct vgpu_sides){
        box_side(&p->dstPtr, p->dstArray, &p->dstPos),
        box_side(&p->srcPtr, p->srcArray, &p->srcPos),
        {p->extent.width, p->extent.height, p->extent.depth},
        true,
        false};
}

/* An array or a pointer, not both (manual, cudaMemcpy3D). */
static cudaError_t slices(struct vgpu_manner m,
                          const struct cudaMemcpy3DParms *p)
{
    struct vgpu_sides s;

    if (!p)
        return vgpu_copy_refuse(m, cudaErrorInvalidValue);
    if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return vgpu_copy_refuse(
            m, vgpu_invalid("a side is an array and a pointer"));
    s = box_sides(p);
    m.kind = p->kind;
    return vgpu_copy_run(m, &s);
}

cudaError_t vgpu_copy_op(void *dst, const void *src, size_t bytes,
                         enum cudaMemcpyKind kind, struct vgpu_op **op)
{
    const struct vgpu_sides s = vgpu_flat_sides(dst, src, bytes);

    return vgpu_copy_pattern(&s, kind, op);
}

cudaError_t vgpu_copy_op_3d(const struct cudaMemcpy3DParms *parms,
                            struct vgpu_op **op)
{
    struct vgpu_sides s;

    *op = NULL;
    if (parms->srcArray || parms->dstArray)
        return vgpu_because(cudaErrorNotSupported,
                            "the virtual GPU's graphs copy no arrays");
    s = box_sides(parms);
    return vgpu_copy_pattern(&s, parms->kind, op);
}

/* Host memory that CUDA does not know is refused, not copied. */
static bool is_unknown(const void *pointer)
{
    return !vgpu_memory_find(pointer) && !vgpu_symbols_managed(pointer);
}

/* The copy itself, a call within that of the two devices. */
static cudaError_t peer_copy(struct vgpu_manner m, const struct vgpu_sides *s)
{
    struct vgpu_call inner = {
        .entry = m.call->entry, .name = m.call->name, .pc = m.call->pc};

    m.call = &inner;
    return vgpu_call_end(&inner, vgpu_copy_run(m, s));
}

/* cudaMemcpyPeer is ordered with all pending and later work on the current,
 * the source and the destination device; the Async form is not. */
static cudaError_t peer(struct vgpu_manner m, int dst_device, int src_device,
                        const struct vgpu_sides *s)
{
    const bool some = vgpu_extent_bytes(&s->extent);
    cudaError_t error = vgpu_call_late(m.call, VGPU_CALL_CONTEXT);
    struct vgpu_stream *here = error ? NULL : vgpu_device_current()->legacy;

    m.call->cost_ns = 0; /* the copy's */
    if (!error &&
        (!vgpu_device_exists(dst_device) || !vgpu_device_exists(src_device)))
        error = cudaErrorInvalidDevice;
    if (!error && some && (is_unknown(s->dst.base) || is_unknown(s->src.base)))
        error =
            vgpu_invalid("it is no memory that CUDA has allocated: the %s",
                         is_unknown(s->dst.base) ? "destination" : "source");
    if (!error && !m.async)
        error = vgpu_copy_order_before(m.call, src_device, here);
    if (!error && !m.async)
        error = vgpu_copy_order_before(m.call, dst_device, here);
    if (!error && some) {
        vgpu_peer_warn(m.call, "destination", dst_device, s->dst.base);
        vgpu_peer_warn(m.call, "source", src_device, s->src.base);
    }
    if (!error)
        error = peer_copy(m, s);
    if (!error && !m.async)
        error = vgpu_copy_order_after(m.call, src_device, here);
    if (!error && !m.async)
        error = vgpu_copy_order_after(m.call, dst_device, here);
    return error;
}

static cudaError_t peer_flat(struct vgpu_manner m, void *dst, int dst_device,
                             const void *src, int src_device, size_t bytes)
{
    const struct vgpu_sides s = vgpu_flat_sides(dst, src, bytes);

    return peer(m, dst_device, src_device, &s);
}

static cudaError_t peer_slices(struct vgpu_manner m,
                               const struct cudaMemcpy3DPeerParms *p)
{
    struct cudaMemcpy3DParms box = {0};
    struct vgpu_sides s;

    if (!p)
        return vgpu_copy_refuse(m, cudaErrorInvalidValue);
    if (p->srcArray || p->dstArray)
        return vgpu_copy_refuse(
            m, vgpu_because(cudaErrorNotSupported,
                            "the virtual GPU copies no arrays between peers"));
    box.dstPos = p->dstPos;
    box.dstPtr = p->dstPtr;
    box.srcPos = p->srcPos;
    box.srcPtr = p->srcPtr;
    box.extent = p->extent;
    s = box_sides(&box);
    return peer(m, p->dstDevice, p->srcDevice, &s);
}

API(cudaMemcpy, void *dst, const void *src, size_t bytes,
    enum cudaMemcpyKind kind)
{
    return vgpu_copy_flat(NOW(kind), dst, src, bytes);
}

API(cudaMemcpyAsync, void *dst, const void *src, size_t bytes,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return vgpu_copy_flat(ASYNC(kind), dst, src, bytes);
}

API(cudaMemcpy2D, void *dst, size_t dpitch, const void *src, size_t spitch,
    size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return rows(NOW(kind), vgpu_plain_side(dst, dpitch, height),
                vgpu_plain_side(src, spitch, height), width, height);
}

API(cudaMemcpy2DAsync, void *dst, size_t dpitch, const void *src, size_t spitch,
    size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return rows(ASYNC(kind), vgpu_plain_side(dst, dpitch, height),
                vgpu_plain_side(src, spitch, height), width, height);
}

API(cudaMemcpy3D, const struct cudaMemcpy3DParms *parms)
{
    return slices(NOW(cudaMemcpyDefault), parms);
}

API(cudaMemcpy3DAsync, const struct cudaMemcpy3DParms *parms,
    cudaStream_t stream)
{
    return slices(ASYNC(cudaMemcpyDefault), parms);
}

API(cudaMemcpyPeer, void *dst, int dst_device, const void *src, int src_device,
    size_t bytes)
{
    return peer_flat(NOW(cudaMemcpyDefault), dst, dst_device, src, src_device,
                     bytes);
}

API(cudaMemcpyPeerAsync, void *dst, int dst_device, const void *src,
    int src_device, size_t bytes, cudaStream_t stream)
{
    return peer_flat(ASYNC(cudaMemcpyDefault), dst, dst_device, src, src_device,
                     bytes);
}

API(cudaMemcpy3DPeer, const struct cudaMemcpy3DPeerParms *parms)
{
    return peer_slices(NOW(cudaMemcpyDefault), parms);
}

API(cudaMemcpy3DPeerAsync, const struct cudaMemcpy3DPeerParms *parms,
    cudaStream_t stream)
{
    return peer_slices(ASYNC(cudaMemcpyDefault), parms);
}
