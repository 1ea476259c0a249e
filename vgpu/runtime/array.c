/*
 * array.c: CUDA arrays: memory of a device whose texels are reached by
 * textures, surfaces and copies only.
 *
 * Source: manual, "Memory Management": cudaMalloc3DArray has the table of
 * extents.
 */
#include "array.h"
#include "copy.h"

#include <stdlib.h>
#include <string.h>

static struct cudaArray *arrays;

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* 1, 2 or 4 components of the same size. */
cudaError_t vgpu_channel_read(const struct cudaChannelFormatDesc *desc,
                              struct vgpu_image *image, size_t *bytes)
{
    const int bits = desc->x;
    const int channels = desc->w ? 4 : desc->z ? 3 : desc->y ? 2 : 1;

    if ((unsigned)desc->f > cudaChannelFormatKindFloat || channels == 3 ||
        (bits != 8 && bits != 16 && bits != 32) ||
        (bits == 8 && desc->f == cudaChannelFormatKindFloat) ||
        (channels >= 2 && desc->y != bits) ||
        (channels == 4 && (desc->z != bits || desc->w != bits)))
        return vgpu_because(cudaErrorInvalidChannelDescriptor,
                            "a texel has 1, 2 or 4 components, all of 8, 16 or "
                            "32 bits, and floats have 16 or 32");
    image->channels = channels;
    image->bits = bits;
    image->texels = desc->f == cudaChannelFormatKindSigned ? VGPU_TEXELS_SIGNED
                    : desc->f == cudaChannelFormatKindUnsigned
                        ? VGPU_TEXELS_UNSIGNED
                        : VGPU_TEXELS_FLOAT;
    *bytes = (size_t)(channels * bits / 8);
    return cudaSuccess;
}

struct cudaArray *vgpu_array_find(cudaArray_const_t handle)
{
    return vgpu_handle_find(handle) == VGPU_HANDLE_ARRAY
               ? (struct cudaArray *)(uintptr_t)handle
               : NULL;
}

/* ---- making and freeing -------------------------------------------------- */

/* Height and depth are 0 where the array has no such dimension. */
static bool fits(const struct cudaExtent *e, unsigned flags)
{
    if (flags & cudaArrayLayered)
        return e->width <= VGPU_ARRAY_LAYERED &&
               e->height <= VGPU_ARRAY_LAYERED && e->depth &&
               e->depth <= VGPU_ARRAY_LAYERS;
    if (e->depth)
        return e->height && e->width <= VGPU_ARRAY_BOX &&
               e->height <= VGPU_ARRAY_BOX && e->depth <= VGPU_ARRAY_BOX;
    if (!e->height && (flags & cudaArraySurfaceLoadStore))
        return e->width <= VGPU_SURFACE_LINE;
    return e->width <= VGPU_ARRAY_WIDTH && e->height <= VGPU_ARRAY_HEIGHT;
}

static cudaError_t array_fill(struct cudaArray *array,
                              const struct cudaChannelFormatDesc *desc,
                              const struct cudaExtent *extent, unsigned flags)
{
    struct vgpu_image *image = &array->image;
    cudaError_t error = vgpu_channel_read(desc, image, &array->texel_bytes);

    if (error)
        return error;
    if (!extent->width || !fits(extent, flags))
        return vgpu_invalid(extent->width
                                ? "an array of this kind cannot be so large"
                                : "an array has a width");
    array->channel = *desc;
    array->extent = *extent;
    array->flags = flags;
    image->extent[0] = (int)extent->width;
    image->extent[1] = extent->height ? (int)extent->height : 1;
    image->extent[2] = extent->depth ? (int)extent->depth : 1;
    image->pitch = extent->width * array->texel_bytes;
    image->slice = image->pitch * (size_t)image->extent[1];
    return cudaSuccess;
}

/* Its texels are device memory like any other, so that what is left behind and
 * who touches it are told as they are of that. */
static cudaError_t array_make(struct vgpu_call *call, cudaArray_t *out,
                              const struct cudaChannelFormatDesc *desc,
                              const struct cudaExtent *extent, unsigned flags)
{
    struct cudaArray *array = calloc(1, sizeof *array);
    void *base = NULL;
    cudaError_t error = cudaErrorMemoryAllocation;

    if (!array)
        return error;
    error = array_fill(array, desc, extent, flags);
    if (!error)
        error = vgpu_memory_allocate(
            call, &base, array->image.slice * (size_t)array->image.extent[2],
            VGPU_MEM_DEVICE, 0);
    if (!error && vgpu_handle_add(array, VGPU_HANDLE_ARRAY)) {
        vgpu_memory_release(vgpu_memory_find(base), call->pc);
        error = cudaErrorMemoryAllocation;
    }
    if (error) {
        free(array);
        return error;
    }
    array->image.base = base;
    array->image.device = call->thread->device;
    array->next = arrays;
    arrays = array;
    *out = array;
    return cudaSuccess;
}

static cudaError_t array_new(struct vgpu_call *call, cudaArray_t *out,
                             const struct cudaChannelFormatDesc *desc,
                             struct cudaExtent extent, unsigned flags)
{
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore;

    if (!out || !desc)
        return cudaErrorInvalidValue;
    if (flags & ~known) {
        vgpu_warn(refused, call->pc, .call = call->name,
                  .reason = "of the flags the virtual GPU has "
                            "cudaArrayLayered and cudaArraySurfaceLoadStore "
                            "only");
        return cudaErrorNotSupported;
    }
    return array_make(call, out, desc, &extent, flags);
}

API(cudaMallocArray, cudaArray_t *array,
    const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
    unsigned int flags)
{
    return array_new(call, array, desc, (struct cudaExtent){width, height, 0},
                     flags);
}

API(cudaMalloc3DArray, cudaArray_t *array,
    const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
    unsigned int flags)
{
    return array_new(call, array, desc, extent, flags);
}

static void array_drop(struct cudaArray *array)
{
    struct cudaArray **at = &arrays;

    while (*at != array)
        at = &(*at)->next;
    *at = array->next;
    vgpu_handle_remove(array);
    free(array);
}

API(cudaFreeArray, cudaArray_t handle)
{
    struct vgpu_memory *memory;
    cudaError_t error = cudaSuccess;

    if (handle && !vgpu_array_find(handle))
        return cudaErrorInvalidValue;
    if (handle) {
        memory = vgpu_memory_find(handle->image.base);
        error = vgpu_memory_drain(call, memory);
        vgpu_memory_release(memory, call->pc);
        vgpu_handle_ended(handle, call->pc);
        array_drop(handle);
    }
    return error;
}

/* Its memory goes with the device's. */
void vgpu_array_reset(int device)
{
    struct cudaArray *next;

    for (struct cudaArray *array = arrays; array; array = next) {
        next = array->next;
        if (array->image.device == device)
            array_drop(array);
    }
}

/* ---- questions ----------------------------------------------------------- */

API(cudaArrayGetInfo, struct cudaChannelFormatDesc *desc,
    struct cudaExtent *extent, unsigned int *flags, cudaArray_t handle)
{
    const struct cudaArray *array = vgpu_array_find(handle);

    if (!array)
        return cudaErrorInvalidResourceHandle;
    if (desc)
        *desc = array->channel;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

API(cudaGetChannelDesc, struct cudaChannelFormatDesc *desc,
    cudaArray_const_t handle)
{
    const struct cudaArray *array = vgpu_array_find(handle);

    if (!desc || !array)
        return cudaErrorInvalidValue;
    *desc = array->channel;
    return cudaSuccess;
}

/* ---- copies -------------------------------------------------------------- */

/* From @at on there are @most, and @wanted of them. */
static bool within(size_t at, size_t wanted, size_t most)
{
    return at <= most && wanted <= most - at;
}

cudaError_t vgpu_array_corner(const struct cudaArray *array, size_t x, size_t y,
                              size_t z, const struct vgpu_extent *extent,
                              char **corner)
{
    const struct vgpu_image *image = &array->image;

    if (x % array->texel_bytes || extent->width % array->texel_bytes)
        return vgpu_invalid("a row of %zu bytes from byte %zu on is not one of "
                            "whole texels, of %zu bytes",
                            extent->width, x, array->texel_bytes);
    if (!within(x, extent->width, image->pitch) ||
        !within(y, extent->rows, (size_t)image->extent[1]) ||
        !within(z, extent->slices, (size_t)image->extent[2]))
        return vgpu_invalid("it goes past the end of the array, of %d x %d x "
                            "%d texels of %zu bytes",
                            image->extent[0], image->extent[1],
                            image->extent[2], array->texel_bytes);
    *corner = image->base + z * image->slice + y * image->pitch + x;
    return cudaSuccess;
}

static struct vgpu_side array_side(cudaArray_const_t array, size_t x, size_t y)
{
    return (struct vgpu_side){NULL, 0, 0, array, {x, y, 0}, true};
}

static cudaError_t rows_of(struct vgpu_manner m, struct vgpu_side dst,
                           struct vgpu_side src, size_t width, size_t height)
{
    const struct vgpu_sides s = {dst, src, {width, height, 1}, false, false};

    return vgpu_copy_run(m, &s);
}

static cudaError_t bytes_of(struct vgpu_manner m, struct vgpu_side dst,
                            struct vgpu_side src, size_t bytes)
{
    const struct vgpu_sides s = {dst, src, {bytes, 1, 1}, false, true};

    return vgpu_copy_run(m, &s);
}

API(cudaMemcpy2DToArray, cudaArray_t dst, size_t x, size_t y, const void *src,
    size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return rows_of(NOW(kind), array_side(dst, x, y),
                   vgpu_plain_side(src, spitch, height), width, height);
}

API(cudaMemcpy2DToArrayAsync, cudaArray_t dst, size_t x, size_t y,
    const void *src, size_t spitch, size_t width, size_t height,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return rows_of(ASYNC(kind), array_side(dst, x, y),
                   vgpu_plain_side(src, spitch, height), width, height);
}

API(cudaMemcpy2DFromArray, void *dst, size_t dpitch, cudaArray_const_t src,
    size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return rows_of(NOW(kind), vgpu_plain_side(dst, dpitch, height),
                   array_side(src, x, y), width, height);
}

API(cudaMemcpy2DFromArrayAsync, void *dst, size_t dpitch, cudaArray_const_t src,
    size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind,
    cudaStream_t stream)
{
    return rows_of(ASYNC(kind), vgpu_plain_side(dst, dpitch, height),
                   array_side(src, x, y), width, height);
}

API(cudaMemcpy2DArrayToArray, cudaArray_t dst, size_t dst_x, size_t dst_y,
    cudaArray_const_t src, size_t src_x, size_t src_y, size_t width,
    size_t height, enum cudaMemcpyKind kind)
{
    return rows_of(NOW(kind), array_side(dst, dst_x, dst_y),
                   array_side(src, src_x, src_y), width, height);
}

API(cudaMemcpyToArray, cudaArray_t dst, size_t x, size_t y, const void *src,
    size_t bytes, enum cudaMemcpyKind kind)
{
    return bytes_of(NOW(kind), array_side(dst, x, y),
                    vgpu_plain_side(src, bytes, 1), bytes);
}

API(cudaMemcpyToArrayAsync, cudaArray_t dst, size_t x, size_t y,
    const void *src, size_t bytes, enum cudaMemcpyKind kind,
    cudaStream_t stream)
{
    return bytes_of(ASYNC(kind), array_side(dst, x, y),
                    vgpu_plain_side(src, bytes, 1), bytes);
}

API(cudaMemcpyFromArray, void *dst, cudaArray_const_t src, size_t x, size_t y,
    size_t bytes, enum cudaMemcpyKind kind)
{
    return bytes_of(NOW(kind), vgpu_plain_side(dst, bytes, 1),
                    array_side(src, x, y), bytes);
}

API(cudaMemcpyFromArrayAsync, void *dst, cudaArray_const_t src, size_t x,
    size_t y, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return bytes_of(ASYNC(kind), vgpu_plain_side(dst, bytes, 1),
                    array_side(src, x, y), bytes);
}

API(cudaMemcpyArrayToArray, cudaArray_t dst, size_t dst_x, size_t dst_y,
    cudaArray_const_t src, size_t src_x, size_t src_y, size_t bytes,
    enum cudaMemcpyKind kind)
{
    return bytes_of(NOW(kind), array_side(dst, dst_x, dst_y),
                    array_side(src, src_x, src_y), bytes);
}
