/*
 * references.h: texture and surface references, which CUDA 12 took away; a part
 * of older.h. Each is a texture or surface object that binding makes.
 *
 * Source: CUDA 11.8 Runtime API manual, "Texture Reference Management" and
 * "Surface Reference Management".
 */
#ifndef VGPU_REFERENCES_H
#define VGPU_REFERENCES_H

#include "vgpu/texture.h"

struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    mutable unsigned long long vgpu_object;
};

/* clang's CUDA front end, which judges programs, takes them for device
 * variables. */
#ifdef __CUDA__
#define VGPU_BUILTIN(SORT) __attribute__((device_builtin_##SORT##_type))
#else
#define VGPU_BUILTIN(SORT)
#endif

template <class T, int Dimensions = cudaTextureType1D,
          enum cudaTextureReadMode Mode = cudaReadModeElementType>
struct VGPU_BUILTIN(texture) texture : textureReference {
    texture(int norm = 0,
            enum cudaTextureFilterMode filter = cudaFilterModePoint,
            enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(norm, filter, address, cudaCreateChannelDesc<T>())
    {
    }
    texture(int norm, enum cudaTextureFilterMode filter,
            enum cudaTextureAddressMode address, cudaChannelFormatDesc desc)
        : textureReference{
              norm, filter, {address, address, address}, desc, 0, 0, {}, 0, 0,
              0,    0}
    {
    }
};

/* What is read: T, or as many floats. */
template <class T, enum cudaTextureReadMode Mode>
struct vgpu_fetched {
    typedef T type;
};
template <int Count, bool Vector>
struct vgpu_floats {
    typedef float type;
};
template <>
struct vgpu_floats<1, true> {
    typedef float1 type;
};
template <>
struct vgpu_floats<2, true> {
    typedef float2 type;
};
template <>
struct vgpu_floats<4, true> {
    typedef float4 type;
};
template <class T>
struct vgpu_fetched<T, cudaReadModeNormalizedFloat> {
    typedef typename vgpu_floats<vgpu_texel_type<T>::count, __is_class(T)>::type
        type;
};

#define VGPU_REFERENCE(name, parameters, call)                                 \
    template <class T, enum cudaTextureReadMode Mode>                          \
    VGPU_TEXTURE typename vgpu_fetched<T, Mode>::type name parameters          \
    {                                                                          \
        const unsigned long long t = r.vgpu_object;                            \
                                                                               \
        return vgpu_texel_as<typename vgpu_fetched<T, Mode>::type>(call);      \
    }
#define VGPU_TEXTURE_OF(dimensions) const texture<T, dimensions, Mode> &r

VGPU_REFERENCE(tex1Dfetch, (VGPU_TEXTURE_OF(1), int x),
               vgpu_fetch_linear(t, x, VGPU_TEXTURE_PC))
VGPU_REFERENCE(tex1D, (VGPU_TEXTURE_OF(1), float x),
               vgpu_fetch(t, 1, x, 0, 0, 0, VGPU_TEXTURE_PC))
VGPU_REFERENCE(tex2D, (VGPU_TEXTURE_OF(2), float x, float y),
               vgpu_fetch(t, 2, x, y, 0, 0, VGPU_TEXTURE_PC))
VGPU_REFERENCE(tex3D, (VGPU_TEXTURE_OF(3), float x, float y, float z),
               vgpu_fetch(t, 3, x, y, z, 0, VGPU_TEXTURE_PC))
VGPU_REFERENCE(tex1DLayered, (VGPU_TEXTURE_OF(0xF1), float x, int layer),
               vgpu_fetch(t, 1, x, 0, 0, layer, VGPU_TEXTURE_PC))
VGPU_REFERENCE(tex2DLayered,
               (VGPU_TEXTURE_OF(0xF2), float x, float y, int layer),
               vgpu_fetch(t, 2, x, y, 0, layer, VGPU_TEXTURE_PC))

#undef VGPU_REFERENCE
#undef VGPU_TEXTURE_OF

/* ---- surfaces ------------------------------------------------------------ */

#define cudaSurfaceType1D        cudaTextureType1D
#define cudaSurfaceType2D        cudaTextureType2D
#define cudaSurfaceType3D        cudaTextureType3D
#define cudaSurfaceType1DLayered cudaTextureType1DLayered
#define cudaSurfaceType2DLayered cudaTextureType2DLayered

struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
    mutable unsigned long long vgpu_object;
};

template <class Void, int Dimensions = cudaSurfaceType1D>
struct VGPU_BUILTIN(surface) surface : surfaceReference {
};

#define VGPU_REFERENCE(read, write, dimensions, parameters, arguments)         \
    template <class T>                                                         \
    VGPU_TEXTURE T read(const surface<void, dimensions> &r,                    \
                        VGPU_UNPACK parameters,                                \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)   \
    {                                                                          \
        return read<T>(r.vgpu_object, VGPU_UNPACK arguments, mode);            \
    }                                                                          \
    template <class T>                                                         \
    VGPU_TEXTURE void read(                                                    \
        T *value, const surface<void, dimensions> &r, VGPU_UNPACK parameters,  \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                   \
    {                                                                          \
        read(value, r.vgpu_object, VGPU_UNPACK arguments, mode);               \
    }                                                                          \
    template <class T>                                                         \
    VGPU_TEXTURE void write(                                                   \
        T value, const surface<void, dimensions> &r, VGPU_UNPACK parameters,   \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                   \
    {                                                                          \
        write(value, r.vgpu_object, VGPU_UNPACK arguments, mode);              \
    }
#define VGPU_UNPACK(...) __VA_ARGS__

VGPU_REFERENCE(surf1Dread, surf1Dwrite, 1, (int x), (x))
VGPU_REFERENCE(surf2Dread, surf2Dwrite, 2, (int x, int y), (x, y))
VGPU_REFERENCE(surf3Dread, surf3Dwrite, 3, (int x, int y, int z), (x, y, z))
VGPU_REFERENCE(surf1DLayeredread, surf1DLayeredwrite, 0xF1, (int x, int layer),
               (x, layer))
VGPU_REFERENCE(surf2DLayeredread, surf2DLayeredwrite, 0xF2,
               (int x, int y, int layer), (x, y, layer))

#undef VGPU_REFERENCE
#undef VGPU_UNPACK

/* ---- binding ------------------------------------------------------------- */

static inline cudaError_t vgpu_reference_bind(const char *name,
                                              const struct textureReference &r,
                                              enum cudaTextureReadMode read,
                                              const struct cudaResourceDesc &of)
{
    struct cudaTextureDesc desc = {};

    for (int d = 0; d < 3; d++)
        desc.addressMode[d] = r.addressMode[d];
    desc.filterMode = r.filterMode;
    desc.readMode = read;
    desc.normalizedCoords = r.normalized;
    desc.sRGB = r.sRGB;
    return vgpu_texture_bind(name, &r.vgpu_object, &of, &desc);
}

/* Memory at any address is bound from a multiple of the alignment on, where the
 * program can be told how far before it that is. */
static inline void *vgpu_reference_base(const void *pointer, size_t *offset)
{
    const size_t beyond = offset ? (size_t)pointer % 512 : 0;

    if (offset)
        *offset = beyond;
    return (char *)pointer - beyond;
}

/* @bytes  UINT_MAX: as many as a texture can have */
static inline struct cudaResourceDesc
vgpu_reference_line(size_t *offset, const void *pointer,
                    const cudaChannelFormatDesc &desc, size_t bytes,
                    size_t element)
{
    struct cudaResourceDesc of = {};

    of.resType = cudaResourceTypeLinear;
    of.res.linear.devPtr = vgpu_reference_base(pointer, offset);
    of.res.linear.desc = desc;
    of.res.linear.sizeInBytes =
        bytes == 0xffffffff ? element << 27 : bytes + (offset ? *offset : 0);
    return of;
}

static inline struct cudaResourceDesc
vgpu_reference_rows(size_t *offset, const void *pointer,
                    const cudaChannelFormatDesc &desc, size_t width,
                    size_t height, size_t pitch, size_t element)
{
    struct cudaResourceDesc of = {};

    of.resType = cudaResourceTypePitch2D;
    of.res.pitch2D.devPtr = vgpu_reference_base(pointer, offset);
    of.res.pitch2D.desc = desc;
    of.res.pitch2D.width = width + (offset ? *offset / element : 0);
    of.res.pitch2D.height = height;
    of.res.pitch2D.pitchInBytes = pitch;
    return of;
}

static inline struct cudaResourceDesc
vgpu_reference_array(cudaArray_const_t array)
{
    struct cudaResourceDesc of = {};

    of.resType = cudaResourceTypeArray;
    of.res.array.array = (cudaArray_t)array;
    return of;
}

/* One form with a channel format, and one that takes the reference's. */
#define VGPU_BIND(name, parameters, format, after, of)                         \
    template <class T, int D, enum cudaTextureReadMode Mode>                   \
    VGPU_OLDER cudaError_t name(                                               \
        VGPU_UNPACK parameters VGPU_UNPACK format VGPU_UNPACK after)           \
    {                                                                          \
        VGPU_OLDER_SITE;                                                       \
        return vgpu_reference_bind(#name, r, Mode, of);                        \
    }
#define VGPU_UNPACK(...) __VA_ARGS__
#define VGPU_OF          const texture<T, D, Mode> &r

VGPU_BIND(cudaBindTexture, (size_t * offset, VGPU_OF, const void *p),
          (, const cudaChannelFormatDesc &desc), (, size_t bytes = 0xffffffff),
          vgpu_reference_line(offset, p, desc, bytes, sizeof(T)))
VGPU_BIND(cudaBindTexture, (size_t * offset, VGPU_OF, const void *p), (),
          (, size_t bytes = 0xffffffff),
          vgpu_reference_line(offset, p, r.channelDesc, bytes, sizeof(T)))
VGPU_BIND(cudaBindTexture2D, (size_t * offset, VGPU_OF, const void *p),
          (, const cudaChannelFormatDesc &desc),
          (, size_t width, size_t height, size_t pitch),
          vgpu_reference_rows(offset, p, desc, width, height, pitch, sizeof(T)))
VGPU_BIND(cudaBindTexture2D, (size_t * offset, VGPU_OF, const void *p), (),
          (, size_t width, size_t height, size_t pitch),
          vgpu_reference_rows(offset, p, r.channelDesc, width, height, pitch,
                              sizeof(T)))
VGPU_BIND(cudaBindTextureToArray, (VGPU_OF, cudaArray_const_t array),
          (, const cudaChannelFormatDesc &), (), vgpu_reference_array(array))
VGPU_BIND(cudaBindTextureToArray, (VGPU_OF, cudaArray_const_t array), (), (),
          vgpu_reference_array(array))

#undef VGPU_BIND
#undef VGPU_UNPACK

template <class T, int D, enum cudaTextureReadMode Mode>
VGPU_OLDER cudaError_t cudaUnbindTexture(VGPU_OF)
{
    VGPU_OLDER_SITE;
    return vgpu_texture_bind("cudaUnbindTexture", &r.vgpu_object, nullptr,
                             nullptr);
}
#undef VGPU_OF

template <int D>
VGPU_OLDER cudaError_t cudaBindSurfaceToArray(const surface<void, D> &r,
                                              cudaArray_const_t array)
{
    const struct cudaResourceDesc of = vgpu_reference_array(array);

    VGPU_OLDER_SITE;
    return vgpu_texture_bind("cudaBindSurfaceToArray", &r.vgpu_object, &of,
                             nullptr);
}
template <int D>
VGPU_OLDER cudaError_t cudaBindSurfaceToArray(const surface<void, D> &r,
                                              cudaArray_const_t array,
                                              const cudaChannelFormatDesc &)
{
    return cudaBindSurfaceToArray(r, array);
}

#endif
