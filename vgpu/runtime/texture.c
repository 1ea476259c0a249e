/*
 * texture.c: texture and surface objects: what they are made of, and what of it
 * is allowed. What kernels do with them is in device/texels.c.
 *
 * Source: manual, "Texture Object Management", "Surface Object Management".
 */
#include "array.h"

#include <stdlib.h>
#include <string.h>

struct object {
    struct vgpu_image image; /* first: it is found by it */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    uint64_t pc; /* where it was made; 0: of a texture reference */
};

/* How often an object, or what a reference is bound to, has come or gone:
 * kernels find them by numbers, not in memory. */
static uint64_t changes;

uint64_t vgpu_texture_changes(void)
{
    return changes;
}

static struct object *object_find(unsigned long long number, bool surface)
{
    struct vgpu_image *image = vgpu_image_find(number);

    return image && image->surface == surface ? (struct object *)image : NULL;
}

static void object_drop(unsigned long long number)
{
    struct vgpu_image *image = vgpu_image_find(number);

    vgpu_image_remove(number);
    free(image);
    changes++;
}

/* ---- what it is of ------------------------------------------------------- */

/* Memory that a device can read. How far it goes is seen at each fetch. */
static bool is_readable(const void *pointer)
{
    const struct vgpu_memory *memory = vgpu_memory_find(pointer);

    return memory ? !memory->free_pc : vgpu_symbols_managed(pointer);
}

static cudaError_t take_memory(struct vgpu_image *image, void *base,
                               size_t width, size_t height, size_t pitch)
{
    if (!is_readable(base))
        return vgpu_invalid("a device cannot read there: it is %s",
                            vgpu_memory_words(base));
    if ((uintptr_t)base % VGPU_TEXTURE_ALIGN || !width || !height)
        return vgpu_invalid(width && height
                                ? "the address is no multiple of the device's "
                                  "textureAlignment, %d"
                                : "it has no texels",
                            VGPU_TEXTURE_ALIGN);
    image->base = base;
    image->pitch = image->slice = pitch;
    image->extent[0] = (int)width;
    image->extent[1] = (int)height;
    image->extent[2] = 1;
    image->device = vgpu_thread_self()->device;
    return cudaSuccess;
}

/* An array has its format; plain memory gets that of the description. The
 * limits are those of the manual's cudaCreateTextureObject. */
static cudaError_t take_resource(struct vgpu_image *image,
                                 const struct cudaResourceDesc *r)
{
    const struct cudaArray *array;
    size_t bytes = 1;
    cudaError_t error;

    switch (r->resType) {
    case cudaResourceTypeArray:
        array = vgpu_array_find(r->res.array.array);
        if (!array)
            return vgpu_invalid("there is no such array");
        *image = array->image;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        error = vgpu_channel_read(&r->res.linear.desc, image, &bytes);
        if (!error && r->res.linear.sizeInBytes / bytes > VGPU_LINEAR_TEXELS)
            error = vgpu_invalid("linear memory of more than %d texels",
                                 VGPU_LINEAR_TEXELS);
        return error ? error
                     : take_memory(image, r->res.linear.devPtr,
                                   r->res.linear.sizeInBytes / bytes, 1,
                                   r->res.linear.sizeInBytes);
    case cudaResourceTypePitch2D:
        error = vgpu_channel_read(&r->res.pitch2D.desc, image, &bytes);
        if (!error && (r->res.pitch2D.width > VGPU_ARRAY_WIDTH ||
                       r->res.pitch2D.height > VGPU_PITCH2D_HEIGHT ||
                       r->res.pitch2D.pitchInBytes > VGPU_PITCH2D_PITCH ||
                       r->res.pitch2D.pitchInBytes % VGPU_TEXTURE_PITCH_ALIGN))
            error = vgpu_invalid("rows are to begin a multiple of %d and at "
                                 "most %d bytes apart, and to be at most %d, "
                                 "of %d texels each",
                                 VGPU_TEXTURE_PITCH_ALIGN, VGPU_PITCH2D_PITCH,
                                 VGPU_PITCH2D_HEIGHT, VGPU_ARRAY_WIDTH);
        return error ? error
                     : take_memory(image, r->res.pitch2D.devPtr,
                                   r->res.pitch2D.width, r->res.pitch2D.height,
                                   r->res.pitch2D.pitchInBytes);
    case cudaResourceTypeMipmappedArray:
        return cudaErrorNotSupported;
    }
    return vgpu_invalid("resType is none of cudaResourceType");
}

/* Nothing of 32 bits is a fraction, and rows of a pitch may lie in each other
 * (observed). Of linear
 * memory neither filter nor addresses count; wrap and mirror are for normalized
 * coordinates (manual, cudaCreateTextureObject). */
static cudaError_t take_texture(struct vgpu_image *image,
                                const struct cudaTextureDesc *t, bool linear)
{
    if (t->sRGB || t->seamlessCubemap)
        return cudaErrorNotSupported;
    image->normalized = t->normalizedCoords != 0;
    image->fractions = t->readMode == cudaReadModeNormalizedFloat &&
                       image->texels != VGPU_TEXELS_FLOAT && image->bits < 32;
    image->filters = t->filterMode == cudaFilterModeLinear && !linear;
    if (image->filters && image->texels != VGPU_TEXELS_FLOAT &&
        !image->fractions)
        return vgpu_because(cudaErrorInvalidFilterSetting,
                            "only what is read as floats can be filtered: "
                            "cudaReadModeNormalizedFloat, or texels of floats");
    if (t->readMode == cudaReadModeNormalizedFloat && image->bits == 32)
        return vgpu_because(cudaErrorInvalidNormSetting,
                            "texels of 32 bits cannot be read as fractions");
    for (int d = 0; d < 3; d++)
        image->address[d] = (enum vgpu_address)t->addressMode[d];
    for (int c = 0; c < 4; c++)
        image->border[c] = t->borderColor[c];
    return cudaSuccess;
}

/* ---- making and asking --------------------------------------------------- */

/* @texture  NULL: a surface */
static cudaError_t object_make(unsigned long long *out,
                               const struct cudaResourceDesc *resource,
                               const struct cudaTextureDesc *texture,
                               uint64_t pc)
{
    struct object *object = calloc(1, sizeof *object);
    cudaError_t error = cudaErrorMemoryAllocation;

    if (!object)
        return error;
    error = take_resource(&object->image, resource);
    if (!error && texture)
        error = take_texture(&object->image, texture,
                             resource->resType == cudaResourceTypeLinear);
    object->image.surface = !texture;
    object->resource = *resource;
    if (texture)
        object->texture = *texture;
    object->pc = pc;
    if (!error) {
        *out = vgpu_image_add(&object->image);
        changes++;
        error = *out ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (error)
        free(object);
    return error;
}

static cudaError_t warn_refused(const struct vgpu_call *call, cudaError_t error)
{
    if (error == cudaErrorNotSupported)
        vgpu_warn(refused, call->pc, .call = call->name,
                  .reason = "the virtual GPU has no mipmaps, views, cubemaps "
                            "or sRGB");
    return error;
}

API(cudaCreateTextureObject, cudaTextureObject_t *out,
    const struct cudaResourceDesc *resource,
    const struct cudaTextureDesc *texture,
    const struct cudaResourceViewDesc *view)
{
    if (!out || !resource)
        return cudaErrorInvalidValue;
    if (!texture)
        return vgpu_because(cudaErrorInvalidResourceHandle, /* observed */
                            "texture is NULL");
    return warn_refused(call,
                        view ? cudaErrorNotSupported
                             : object_make(out, resource, texture, call->pc));
}

API(cudaCreateSurfaceObject, cudaSurfaceObject_t *out,
    const struct cudaResourceDesc *resource)
{
    const struct cudaArray *array = NULL;

    if (resource && resource->resType == cudaResourceTypeArray)
        array = vgpu_array_find(resource->res.array.array);
    /* Whether it was made for surfaces is not asked (observed). */
    if (!out || !array)
        return vgpu_invalid(out ? "a surface is one of an array that there is"
                                : "object is NULL");
    return object_make(out, resource, NULL, call->pc);
}

/* What is enqueued may still use it: today it can, as it seems, but no manual
 * says so. */
static cudaError_t destroy(struct vgpu_call *call, unsigned long long number,
                           bool surface)
{
    if (!number)
        return cudaSuccess; /* none is no error, as of free() (observed) */
    if (!object_find(number, surface))
        return cudaErrorInvalidValue;
    if (vgpu_rt.checking && vgpu_op_works())
        vgpu_warn(destroyed_at_work, call->pc, .call = call->name);
    vgpu_wait_work();
    object_drop(number);
    return cudaSuccess;
}

API(cudaDestroyTextureObject, cudaTextureObject_t object)
{
    return destroy(call, object, false);
}

API(cudaDestroySurfaceObject, cudaSurfaceObject_t object)
{
    return destroy(call, object, true);
}

static cudaError_t ask_resource(unsigned long long number, bool surface,
                                struct cudaResourceDesc *resource)
{
    const struct object *object = object_find(number, surface);

    if (!object || !resource)
        return cudaErrorInvalidValue;
    *resource = object->resource;
    return cudaSuccess;
}

API(cudaGetTextureObjectResourceDesc, struct cudaResourceDesc *resource,
    cudaTextureObject_t object)
{
    return ask_resource(object, false, resource);
}

API(cudaGetSurfaceObjectResourceDesc, struct cudaResourceDesc *resource,
    cudaSurfaceObject_t object)
{
    return ask_resource(object, true, resource);
}

API(cudaGetTextureObjectTextureDesc, struct cudaTextureDesc *texture,
    cudaTextureObject_t number)
{
    const struct object *object = object_find(number, false);

    if (!object || !texture)
        return cudaErrorInvalidValue;
    *texture = object->texture;
    return cudaSuccess;
}

/* None has one, which is no error (observed). */
API(cudaGetTextureObjectResourceViewDesc, struct cudaResourceViewDesc *view,
    cudaTextureObject_t object)
{
    if (!object_find(object, false) || !view)
        return cudaErrorInvalidValue;
    memset(view, 0, sizeof *view);
    return cudaSuccess;
}

/* ---- texture and surface references -------------------------------------- */

/* A launch takes what its references are bound to: so what is enqueued is done
 * before one is bound anew. */
cudaError_t vgpu_texture_bind(const char *name, unsigned long long *object,
                              const struct cudaResourceDesc *resource,
                              const struct cudaTextureDesc *texture)
{
    const struct vgpu_entry entry = {name, VGPU_CALL_CONTEXT, NS(call), NULL};
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, &entry, VGPU_PC);

    if (!error && *object) {
        vgpu_wait_work();
        object_drop(*object);
        *object = 0;
    }
    if (!error && resource)
        error = object_make(object, resource, texture, 0);
    return vgpu_call_end(&call, warn_refused(&call, error));
}

/* ---- the end ------------------------------------------------------------- */

void vgpu_texture_reset(int device)
{
    for (unsigned long long i = 1; i <= vgpu_image_last(); i++) {
        const struct vgpu_image *image = vgpu_image_find(i);

        if (image && image->device == device)
            object_drop(i);
    }
}

void vgpu_texture_excuse(unsigned long long number)
{
    struct object *object = (struct object *)vgpu_image_find(number);

    if (object)
        object->pc = 0;
}

void vgpu_texture_warn(void)
{
    for (unsigned long long i = 1; i <= vgpu_image_last(); i++) {
        const struct object *object = (struct object *)vgpu_image_find(i);

        if (object && object->pc)
            vgpu_warn(object_left, object->pc,
                      .object = object->image.surface ? "surface" : "texture");
    }
}
