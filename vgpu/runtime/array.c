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
        return cudaErrorInvalidChannelDescriptor;
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
        return cudaErrorInvalidValue;
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

static cudaError_t array_new(const char *name, uint64_t pc, cudaArray_t *out,
                             const struct cudaChannelFormatDesc *desc,
                             struct cudaExtent extent, unsigned flags)
{
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore;
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, name, pc, VGPU_CALL_CONTEXT | VGPU_CALL_UNSAFE);

    if (!error && (!out || !desc))
        error = cudaErrorInvalidValue;
    if (!error && (flags & ~known)) {
        vgpu_warn(refused, call.pc, .call = name,
                  .reason = "of the flags the virtual GPU has "
                            "cudaArrayLayered and cudaArraySurfaceLoadStore "
                            "only");
        error = cudaErrorNotSupported;
    }
    if (!error)
        error = array_make(&call, out, desc, &extent, flags);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_malloc_ns);
}

cudaError_t cudaMallocArray(cudaArray_t *array,
                            const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags)
{
    return array_new("cudaMallocArray", VGPU_PC, array, desc,
                     (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                              const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags)
{
    return array_new("cudaMalloc3DArray", VGPU_PC, array, desc, extent, flags);
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

cudaError_t cudaFreeArray(cudaArray_t handle)
{
    struct vgpu_call call;
    struct vgpu_memory *memory;
    cudaError_t error = vgpu_call_begin(&call, "cudaFreeArray", VGPU_PC,
                                        VGPU_CALL_CONTEXT | VGPU_CALL_UNSAFE);

    if (!error && handle && !vgpu_array_find(handle))
        error = cudaErrorInvalidValue;
    if (!error && handle) {
        memory = vgpu_memory_find(handle->image.base);
        error = vgpu_memory_drain(&call, memory);
        vgpu_memory_release(memory, call.pc);
        array_drop(handle);
    }
    return vgpu_call_end(&call, error, vgpu_rt.host->host_free_ns);
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

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
                             struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t handle)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaArrayGetInfo", VGPU_PC, VGPU_CALL_CONTEXT);
    const struct cudaArray *array = vgpu_array_find(handle);

    if (!error && !array)
        error = cudaErrorInvalidResourceHandle;
    if (!error && desc)
        *desc = array->channel;
    if (!error && extent)
        *extent = array->extent;
    if (!error && flags)
        *flags = array->flags;
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
                               cudaArray_const_t handle)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaGetChannelDesc", VGPU_PC,
                                        VGPU_CALL_CONTEXT);
    const struct cudaArray *array = vgpu_array_find(handle);

    if (!error && (!desc || !array))
        error = cudaErrorInvalidValue;
    if (!error)
        *desc = array->channel;
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
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

    if (!within(x, extent->width, image->pitch) ||
        !within(y, extent->rows, (size_t)image->extent[1]) ||
        !within(z, extent->slices, (size_t)image->extent[2]) ||
        x % array->texel_bytes || extent->width % array->texel_bytes)
        return cudaErrorInvalidValue;
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

VGPU_TWINS(cudaMemcpy2DToArray, _ptds,
           (cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
            size_t width, size_t height, enum cudaMemcpyKind kind),
           rows_of(NOW(cudaMemcpy2DToArray), array_side(dst, x, y),
                   vgpu_plain_side(src, spitch, height), width, height))

VGPU_TWINS(cudaMemcpy2DToArrayAsync, _ptsz,
           (cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
            size_t width, size_t height, enum cudaMemcpyKind kind,
            cudaStream_t stream),
           rows_of(ASYNC(cudaMemcpy2DToArrayAsync), array_side(dst, x, y),
                   vgpu_plain_side(src, spitch, height), width, height))

VGPU_TWINS(cudaMemcpy2DFromArray, _ptds,
           (void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y,
            size_t width, size_t height, enum cudaMemcpyKind kind),
           rows_of(NOW(cudaMemcpy2DFromArray),
                   vgpu_plain_side(dst, dpitch, height), array_side(src, x, y),
                   width, height))

VGPU_TWINS(cudaMemcpy2DFromArrayAsync, _ptsz,
           (void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y,
            size_t width, size_t height, enum cudaMemcpyKind kind,
            cudaStream_t stream),
           rows_of(ASYNC(cudaMemcpy2DFromArrayAsync),
                   vgpu_plain_side(dst, dpitch, height), array_side(src, x, y),
                   width, height))

VGPU_TWINS(cudaMemcpy2DArrayToArray, _ptds,
           (cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
            size_t src_x, size_t src_y, size_t width, size_t height,
            enum cudaMemcpyKind kind),
           rows_of(NOW(cudaMemcpy2DArrayToArray), array_side(dst, dst_x, dst_y),
                   array_side(src, src_x, src_y), width, height))

VGPU_TWINS(cudaMemcpyToArray, _ptds,
           (cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
            enum cudaMemcpyKind kind),
           bytes_of(NOW(cudaMemcpyToArray), array_side(dst, x, y),
                    vgpu_plain_side(src, bytes, 1), bytes))

VGPU_TWINS(cudaMemcpyToArrayAsync, _ptsz,
           (cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
            enum cudaMemcpyKind kind, cudaStream_t stream),
           bytes_of(ASYNC(cudaMemcpyToArrayAsync), array_side(dst, x, y),
                    vgpu_plain_side(src, bytes, 1), bytes))

VGPU_TWINS(cudaMemcpyFromArray, _ptds,
           (void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
            enum cudaMemcpyKind kind),
           bytes_of(NOW(cudaMemcpyFromArray), vgpu_plain_side(dst, bytes, 1),
                    array_side(src, x, y), bytes))

VGPU_TWINS(cudaMemcpyFromArrayAsync, _ptsz,
           (void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
            enum cudaMemcpyKind kind, cudaStream_t stream),
           bytes_of(ASYNC(cudaMemcpyFromArrayAsync),
                    vgpu_plain_side(dst, bytes, 1), array_side(src, x, y),
                    bytes))

VGPU_TWINS(cudaMemcpyArrayToArray, _ptds,
           (cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
            size_t src_x, size_t src_y, size_t bytes, enum cudaMemcpyKind kind),
           bytes_of(NOW(cudaMemcpyArrayToArray), array_side(dst, dst_x, dst_y),
                    array_side(src, src_x, src_y), bytes))
