/* array.h: arrays, and what textures and surfaces ask of them: array.c,
 * texture.c. */
#ifndef VGPU_ARRAY_H
#define VGPU_ARRAY_H

#include "rt.h"

struct cudaArray {
    struct vgpu_image image; /* its texels; no object yet */
    struct cudaChannelFormatDesc channel;
    struct cudaExtent extent; /* as it was asked for */
    unsigned flags;
    size_t texel_bytes;
    struct cudaArray *next;
};

/* What devices since compute capability 6.0 have (guide, "Technical
 * Specifications per Compute Capability"); those before have less. */
enum {
    VGPU_ARRAY_WIDTH = 131072,
    VGPU_ARRAY_HEIGHT = 65536,
    VGPU_ARRAY_BOX = 16384, /* of three dimensions, each */
    VGPU_ARRAY_LAYERED = 32768,
    VGPU_ARRAY_LAYERS = 2048,
    VGPU_CUBE_LAYERS = 2046,   /* told; none are here */
    VGPU_SURFACE_LINE = 32768, /* of one dimension */
    VGPU_LINEAR_TEXELS = 1 << 28,
    VGPU_PITCH2D_HEIGHT = 65000,
    VGPU_PITCH2D_PITCH = 2097120,
    VGPU_TEXTURE_ALIGN = 512,
    VGPU_TEXTURE_PITCH_ALIGN = 32,
};

/* NULL: not an array that is alive. */
struct cudaArray *vgpu_array_find(cudaArray_const_t handle);
/* Those of a device, and objects of them, when it is reset. */
void vgpu_array_reset(int device);
void vgpu_texture_reset(int device);
uint64_t vgpu_texture_changes(void);
/* The format of texels. Return: cudaErrorInvalidChannelDescriptor for none that
 * a texture can have; @bytes: of a texel. */
cudaError_t vgpu_channel_read(const struct cudaChannelFormatDesc *desc,
                              struct vgpu_image *image, size_t *bytes);
/* Where a copy begins in an array, if it fits in.
 * @x  in bytes */
cudaError_t vgpu_array_corner(const struct cudaArray *array, size_t x, size_t y,
                              size_t z, const struct vgpu_extent *extent,
                              char **corner);
/* Warn of texture and surface objects that are left behind. */
void vgpu_texture_warn(void);
/* It is not told. */
void vgpu_texture_excuse(unsigned long long number);

#endif
