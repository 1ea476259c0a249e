/*
 * batch.c: copies that one call enqueues together.
 *
 * A batch has its place in the stream; its copies have no order among them, and
 * a program that relies on one is found out: the last comes first. Nothing of a
 * batch is enqueued where one of its copies is refused.
 *
 * Source: manual, cudaMemcpyBatchAsync and cudaMemcpy3DBatchAsync; what each
 * argument is refused with: observed (batch_arguments).
 */
#include "copy.h"
#include "array.h"

/* The default stream is refused in its legacy form, and a capture, which goes
 * on. */
cudaError_t vgpu_batch_stream(cudaStream_t handle)
{
    const struct vgpu_stream *stream = vgpu_stream_find(handle);

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (stream->legacy)
        return vgpu_invalid("a batch cannot be in the legacy default stream");
    return stream->capture ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

bool vgpu_batch_indexed(const size_t *first, size_t entries, size_t count)
{
    if (!first || !entries || entries > count || first[0])
        return false;
    for (size_t i = 1; i < entries; i++)
        if (first[i] <= first[i - 1] || first[i] >= count)
            return false;
    return true;
}

cudaError_t vgpu_batch_unordered(void)
{
    return vgpu_invalid(
        "the first indices are to begin with 0, to rise, and to "
        "be less than count");
}

static bool is_order(enum cudaMemcpySrcAccessOrder order)
{
    return order >= cudaMemcpySrcAccessOrderStream &&
           order <= cudaMemcpySrcAccessOrderAny;
}

/* ---- pieces ---------------------------------------------------------------
 */

struct pieces {
    void *const *dsts;
    const void *const *srcs;
    const size_t *sizes;
    size_t count;
    const struct cudaMemcpyAttributes *attrs;
    const size_t *first; /* that each of them is of */
    size_t num_attrs;
};

/* A hint changes nothing, and has to be one. */
static bool is_location(const struct cudaMemLocation *location)
{
    return location->type == cudaMemLocationTypeDevice
               ? vgpu_device_exists(location->id)
               : (unsigned)location->type <= cudaMemLocationTypeHostNumaCurrent;
}

static bool is_attribute(const struct cudaMemcpyAttributes *a)
{
    return is_order(a->srcAccessOrder) && is_location(&a->srcLocHint) &&
           is_location(&a->dstLocHint) &&
           a->flags <= cudaMemcpyFlagPreferOverlapWithCompute;
}

static cudaError_t check_pieces(const struct pieces *b)
{
    cudaError_t error = cudaSuccess;

    if (!b->dsts || !b->srcs || !b->sizes || !b->attrs)
        return cudaErrorInvalidValue;
    if (!vgpu_batch_indexed(b->first, b->num_attrs, b->count))
        return vgpu_batch_unordered();
    for (size_t i = 0; i < b->num_attrs; i++)
        if (!is_attribute(&b->attrs[i]))
            return vgpu_invalid("attribute %zu has an order, a place or a flag "
                                "that there is not",
                                i);
    for (size_t i = 0; i < b->count && !error; i++) {
        const struct vgpu_sides sides =
            vgpu_flat_sides(b->dsts[i], b->srcs[i], b->sizes[i]);

        error = b->sizes[i] ? vgpu_copy_check(&sides)
                            : vgpu_invalid("copy %zu is of 0 bytes", i);
    }
    return error;
}

static bool overlap(const void *a, size_t a_bytes, const void *b,
                    size_t b_bytes)
{
    return (uintptr_t)a < (uintptr_t)b + b_bytes &&
           (uintptr_t)b < (uintptr_t)a + a_bytes;
}

/* Does a copy write what another one of the batch reads or writes? */
static bool are_dependent(const struct pieces *b)
{
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (i != k &&
                (overlap(b->dsts[i], b->sizes[i], b->dsts[k], b->sizes[k]) ||
                 overlap(b->dsts[i], b->sizes[i], b->srcs[k], b->sizes[k])))
                return true;
    return false;
}

/* From where to where, as far as an engine cares. */
static unsigned way_of(const struct pieces *b, size_t i)
{
    const struct vgpu_memory *dst = vgpu_memory_find(b->dsts[i]);
    const struct vgpu_memory *src = vgpu_memory_find(b->srcs[i]);
    const unsigned to = dst ? 2 + dst->kind + 8 * (unsigned)dst->device : 0;

    return to << 16 | (src ? 2 + src->kind + 8 * (unsigned)src->device : 0);
}

/* An engine goes from copy to copy without a pause (measured): those of one way
 * that follow each other are one to it, and the one enqueued first, number @i,
 * stands for all. */
static int64_t more_bytes(const struct pieces *b, size_t i)
{
    const unsigned way = way_of(b, i);
    int64_t more = 0;

    if (i + 1 < b->count && way_of(b, i + 1) == way)
        return -(int64_t)b->sizes[i];
    while (i-- && way_of(b, i) == way)
        more += (int64_t)b->sizes[i];
    return more;
}

API(cudaMemcpyBatchAsync, void *const *dsts, const void *const *srcs,
    const size_t *sizes, size_t count, struct cudaMemcpyAttributes *attrs,
    size_t *first, size_t num_attrs, cudaStream_t stream)
{
    const struct pieces b = {dsts, srcs, sizes, count, attrs, first, num_attrs};
    struct vgpu_manner m = ASYNC(cudaMemcpyDefault);
    cudaError_t error = vgpu_batch_stream(stream);
    size_t at = num_attrs;

    if (!error)
        error = check_pieces(&b);
    if (!error && are_dependent(&b))
        vgpu_warn(batch_order, call->pc, .call = call->name);
    for (size_t i = count; i-- && !error;) {
        const struct vgpu_sides sides =
            vgpu_flat_sides(dsts[i], srcs[i], sizes[i]);

        while (at == num_attrs || first[at] > i)
            at--;
        m.order = attrs[at].srcAccessOrder;
        m.more_bytes = more_bytes(&b, i);
        error = vgpu_copy_enqueue(m, &sides);
    }
    return error;
}

/* ---- boxes ----------------------------------------------------------------
 */

/* Lengths are in elements, of plain memory bytes, and 0 says that nothing lies
 * between the rows or the layers. */
static cudaError_t box_side(const struct cudaMemcpy3DOperand *from,
                            const struct cudaExtent *box, size_t element,
                            struct vgpu_side *to)
{
    const size_t row = from->op.ptr.rowLength;
    const size_t layer = from->op.ptr.layerHeight;

    if (from->type == cudaMemcpyOperandTypeArray) {
        const struct cudaOffset3D *at = &from->op.array.offset;

        *to = (struct vgpu_side){
            NULL, 0, 0, from->op.array.array, {at->x, at->y, at->z}, true};
        return vgpu_array_find(to->array)
                   ? cudaSuccess
                   : vgpu_invalid("there is no such array");
    }
    if (from->type != cudaMemcpyOperandTypePointer || !from->op.ptr.ptr)
        return vgpu_invalid("a side is neither an array nor a pointer");
    if ((row && row < box->width) || (layer && layer < box->height))
        return vgpu_invalid("rowLength or layerHeight is less than the box");
    *to = vgpu_plain_side(from->op.ptr.ptr, (row ? row : box->width) * element,
                          layer ? layer : box->height);
    return cudaSuccess;
}

static size_t element_of(const struct cudaMemcpy3DOperand *operand)
{
    const struct cudaArray *array =
        operand->type == cudaMemcpyOperandTypeArray
            ? vgpu_array_find(operand->op.array.array)
            : NULL;

    return array ? array->texel_bytes : 0;
}

static cudaError_t box_sides(const struct cudaMemcpy3DBatchOp *op,
                             struct vgpu_sides *s)
{
    const struct cudaExtent *box = &op->extent;
    const size_t dst = element_of(&op->dst), src = element_of(&op->src);
    const size_t element = dst ? dst : src ? src : 1;
    cudaError_t error;

    if (!is_order(op->srcAccessOrder) || !box->width || !box->height ||
        !box->depth || op->flags > cudaMemcpyFlagPreferOverlapWithCompute)
        return vgpu_invalid("a copy of nothing, or one with an order or a flag "
                            "that there is not");
    *s = (struct vgpu_sides){.extent = {box->width, box->height, box->depth},
                             .box = true};
    error = box_side(&op->dst, box, element, &s->dst);
    if (!error)
        error = box_side(&op->src, box, element, &s->src);
    return error ? error : vgpu_copy_check(s);
}

API(cudaMemcpy3DBatchAsync, size_t count, struct cudaMemcpy3DBatchOp *ops,
    unsigned long long flags, cudaStream_t stream)
{
    struct vgpu_manner m = ASYNC(cudaMemcpyDefault);
    struct vgpu_sides sides;
    const cudaError_t taken = vgpu_batch_stream(stream);
    cudaError_t error =
        taken == cudaErrorStreamCaptureUnsupported ? cudaSuccess : taken;

    if (!error && (!ops || !count || flags))
        error = !ops ? cudaErrorInvalidValue
                     : vgpu_invalid(flags ? "flags is not 0" : "count is 0");
    for (size_t i = 0; i < count && !error; i++)
        error = box_sides(&ops[i], &sides);
    if (!error)
        error = taken;
    for (size_t i = count; i-- && !error;) {
        m.order = ops[i].srcAccessOrder;
        error = box_sides(&ops[i], &sides);
        if (!error)
            error = vgpu_copy_enqueue(m, &sides);
    }
    return error;
}
