/*
 * vector_functions.h: make_int2(x, y) and its kin, for C and C++.
 */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define VGPU_MAKE_1(name, element)                                             \
    VGPU_INLINE struct name make_##name(element x)                             \
    {                                                                          \
        struct name v = {x};                                                   \
        return v;                                                              \
    }
#define VGPU_MAKE_2(name, element)                                             \
    VGPU_INLINE struct name make_##name(element x, element y)                  \
    {                                                                          \
        struct name v = {x, y};                                                \
        return v;                                                              \
    }
#define VGPU_MAKE_3(name, element)                                             \
    VGPU_INLINE struct name make_##name(element x, element y, element z)       \
    {                                                                          \
        struct name v = {x, y, z};                                             \
        return v;                                                              \
    }
#define VGPU_MAKE_4(name, element)                                             \
    VGPU_INLINE struct name make_##name(element x, element y, element z,       \
                                        element w)                             \
    {                                                                          \
        struct name v = {x, y, z, w};                                          \
        return v;                                                              \
    }
#define VGPU_MAKE(name, element)                                               \
    VGPU_MAKE_1(name##1, element)                                              \
    VGPU_MAKE_2(name##2, element)                                              \
    VGPU_MAKE_3(name##3, element)                                              \
    VGPU_MAKE_4(name##4, element)

VGPU_MAKE(char, signed char)
VGPU_MAKE(uchar, unsigned char)
VGPU_MAKE(short, short)
VGPU_MAKE(ushort, unsigned short)
VGPU_MAKE(int, int)
VGPU_MAKE(uint, unsigned int)
VGPU_MAKE(long, long)
VGPU_MAKE(ulong, unsigned long)
VGPU_MAKE(longlong, long long)
VGPU_MAKE(ulonglong, unsigned long long)
VGPU_MAKE(float, float)
VGPU_MAKE(double, double)
VGPU_MAKE_4(long4_16a, long)
VGPU_MAKE_4(long4_32a, long)
VGPU_MAKE_4(ulong4_16a, unsigned long)
VGPU_MAKE_4(ulong4_32a, unsigned long)
VGPU_MAKE_4(longlong4_16a, long long)
VGPU_MAKE_4(longlong4_32a, long long)
VGPU_MAKE_4(ulonglong4_16a, unsigned long long)
VGPU_MAKE_4(ulonglong4_32a, unsigned long long)
VGPU_MAKE_4(double4_16a, double)
VGPU_MAKE_4(double4_32a, double)

#undef VGPU_MAKE
#undef VGPU_MAKE_1
#undef VGPU_MAKE_2
#undef VGPU_MAKE_3
#undef VGPU_MAKE_4

#endif
