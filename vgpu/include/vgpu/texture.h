/*
 * texture.h: what device code does with texture and surface objects. C++17.
 *
 * Source: CUDA C++ Programming Guide, "Texture Functions", "Surface Functions"
 * and the appendix "Texture Fetching". The library (device/texels.c) does the
 * work and says what a GPU may round otherwise.
 *
 * None is inlined, so that the caller's address is a line of the program; and
 * none is instrumented: the library tells the checker which texels are used.
 */
#ifndef VGPU_TEXTURE_H
#define VGPU_TEXTURE_H

#include "vgpu/threads.h"

#define VGPU_TEXTURE                                                           \
    __attribute__((noinline, unused, no_sanitize("thread"))) inline
#define VGPU_TEXTURE_PC static_cast<const void *>(VGPU_CALLER())

/* ---- texels -------------------------------------------------------------- */

/* The components' type, and how many there are. */
template <class T, bool = __is_class(T)>
struct vgpu_component {
    typedef T type;
};
template <class T>
struct vgpu_component<T, true> {
    typedef decltype(T::x) type;
};
template <class T>
struct vgpu_texel_type {
    typedef typename vgpu_component<T>::type type;
    static constexpr int count = sizeof(T) / sizeof(type);
    static constexpr bool exists =
        sizeof(type) <= 4 && count <= 4 && count != 3 && !__is_same(type, bool);
};

template <class T>
VGPU_TEXTURE T vgpu_texel_as(const vgpu_texel &texel)
{
    typedef vgpu_texel_type<T> texel_type;
    typename texel_type::type value[texel_type::count];
    T result;

    static_assert(texel_type::exists,
                  "a texture has 1, 2 or 4 components of at most 32 bits");
    for (int i = 0; i < texel_type::count; i++)
        if constexpr (sizeof value[0] == 4)
            __builtin_memcpy(&value[i], &texel.word[i], 4);
        else
            value[i] = (typename texel_type::type)texel.word[i];
    __builtin_memcpy(&result, value, sizeof result);
    return result;
}

template <class T>
VGPU_TEXTURE cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef vgpu_texel_type<T> texel;
    const int bits = texel::exists ? 8 * (int)sizeof(typename texel::type) : 0;
    const bool is_signed = (typename texel::type) - 1 < 0;

    return {bits, texel::count >= 2 ? bits : 0, texel::count == 4 ? bits : 0,
            texel::count == 4 ? bits : 0,
            !texel::exists                    ? cudaChannelFormatKindNone
            : (typename texel::type)0.5f != 0 ? cudaChannelFormatKindFloat
            : is_signed                       ? cudaChannelFormatKindSigned
                                              : cudaChannelFormatKindUnsigned};
}

#define VGPU_HALF_DESC(name, x, y, z, w)                                       \
    VGPU_TEXTURE cudaChannelFormatDesc cudaCreateChannelDescHalf##name()       \
    {                                                                          \
        return {x, y, z, w, cudaChannelFormatKindFloat};                       \
    }
VGPU_HALF_DESC(, 16, 0, 0, 0)
VGPU_HALF_DESC(1, 16, 0, 0, 0)
VGPU_HALF_DESC(2, 16, 16, 0, 0)
VGPU_HALF_DESC(4, 16, 16, 16, 16)
#undef VGPU_HALF_DESC

/* ---- textures ------------------------------------------------------------ */

/* Each by value, and through a pointer to the result. */
#define VGPU_FETCH(name, parameters, call)                                     \
    template <class T>                                                         \
    VGPU_TEXTURE T name parameters                                             \
    {                                                                          \
        return vgpu_texel_as<T>(call);                                         \
    }                                                                          \
    template <class T>                                                         \
    VGPU_TEXTURE void name(T *vgpu_to, VGPU_UNPACK parameters)                 \
    {                                                                          \
        *vgpu_to = vgpu_texel_as<T>(call);                                     \
    }
#define VGPU_UNPACK(...) __VA_ARGS__

VGPU_FETCH(tex1Dfetch, (cudaTextureObject_t t, int x),
           vgpu_fetch_linear(t, x, VGPU_TEXTURE_PC))
VGPU_FETCH(tex1D, (cudaTextureObject_t t, float x),
           vgpu_fetch(t, 1, x, 0, 0, 0, VGPU_TEXTURE_PC))
VGPU_FETCH(tex2D, (cudaTextureObject_t t, float x, float y),
           vgpu_fetch(t, 2, x, y, 0, 0, VGPU_TEXTURE_PC))
VGPU_FETCH(tex3D, (cudaTextureObject_t t, float x, float y, float z),
           vgpu_fetch(t, 3, x, y, z, 0, VGPU_TEXTURE_PC))
VGPU_FETCH(tex1DLayered, (cudaTextureObject_t t, float x, int layer),
           vgpu_fetch(t, 1, x, 0, 0, layer, VGPU_TEXTURE_PC))
VGPU_FETCH(tex2DLayered, (cudaTextureObject_t t, float x, float y, int layer),
           vgpu_fetch(t, 2, x, y, 0, layer, VGPU_TEXTURE_PC))

#undef VGPU_FETCH
#undef VGPU_UNPACK

/* ---- surfaces: x in bytes ------------------------------------------------ */

#define VGPU_SURFACE(read, write, parameters, x, y, z)                         \
    template <class T>                                                         \
    VGPU_TEXTURE T read(cudaSurfaceObject_t s, VGPU_UNPACK parameters,         \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)   \
    {                                                                          \
        T value;                                                               \
                                                                               \
        vgpu_surface(s, mode, x, y, z, &value, sizeof value, 0,                \
                     VGPU_TEXTURE_PC);                                         \
        return value;                                                          \
    }                                                                          \
    template <class T>                                                         \
    VGPU_TEXTURE void read(                                                    \
        T *value, cudaSurfaceObject_t s, VGPU_UNPACK parameters,               \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                   \
    {                                                                          \
        vgpu_surface(s, mode, x, y, z, value, sizeof *value, 0,                \
                     VGPU_TEXTURE_PC);                                         \
    }                                                                          \
    template <class T>                                                         \
    VGPU_TEXTURE void write(                                                   \
        T value, cudaSurfaceObject_t s, VGPU_UNPACK parameters,                \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                   \
    {                                                                          \
        vgpu_surface(s, mode, x, y, z, &value, sizeof value, 1,                \
                     VGPU_TEXTURE_PC);                                         \
    }
#define VGPU_UNPACK(...) __VA_ARGS__

VGPU_SURFACE(surf1Dread, surf1Dwrite, (int x), x, 0, 0)
VGPU_SURFACE(surf2Dread, surf2Dwrite, (int x, int y), x, y, 0)
VGPU_SURFACE(surf3Dread, surf3Dwrite, (int x, int y, int z), x, y, z)
VGPU_SURFACE(surf1DLayeredread, surf1DLayeredwrite, (int x, int layer), x, 0,
             layer)
VGPU_SURFACE(surf2DLayeredread, surf2DLayeredwrite, (int x, int y, int layer),
             x, y, layer)

#undef VGPU_SURFACE
#undef VGPU_UNPACK

#endif
