/*
 * vector_types.h: CUDA's built-in vector types and dim3, for C and C++.
 *
 * Alignment as the CUDA C++ Programming Guide lists it: types of two and of
 * four elements are aligned to their size, at most to 16 bytes; types of one
 * and of three elements as their element.
 */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

/* What kernels use is inlined: a function of its own would be instrumented even
 * where the kernel is not (vgpu/launch.h). */
#define VGPU_INLINE __attribute__((always_inline)) static inline

#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif

/* The words of CUDA in a header that a file of the host's includes, too. In a
 * .cu file they are the front end's, and an editor's are in vgpu/editor.h. */
#if !defined(__CUDACC__) && !defined(VGPU_EDITOR_H)
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __noinline__    /* system headers have the word in attributes */
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#endif

#define VGPU_VECTOR_1(name, element)                                           \
    struct name {                                                              \
        element x;                                                             \
    };                                                                         \
    typedef struct name name
#define VGPU_VECTOR_2(name, element, bytes)                                    \
    struct __align__(bytes) name                                               \
    {                                                                          \
        element x, y;                                                          \
    };                                                                         \
    typedef struct name name
#define VGPU_VECTOR_3(name, element)                                           \
    struct name {                                                              \
        element x, y, z;                                                       \
    };                                                                         \
    typedef struct name name
#define VGPU_VECTOR_4(name, element, bytes)                                    \
    struct __align__(bytes) name                                               \
    {                                                                          \
        element x, y, z, w;                                                    \
    };                                                                         \
    typedef struct name name

VGPU_VECTOR_1(char1, signed char);
VGPU_VECTOR_2(char2, signed char, 2);
VGPU_VECTOR_3(char3, signed char);
VGPU_VECTOR_4(char4, signed char, 4);

VGPU_VECTOR_1(uchar1, unsigned char);
VGPU_VECTOR_2(uchar2, unsigned char, 2);
VGPU_VECTOR_3(uchar3, unsigned char);
VGPU_VECTOR_4(uchar4, unsigned char, 4);

VGPU_VECTOR_1(short1, short);
VGPU_VECTOR_2(short2, short, 4);
VGPU_VECTOR_3(short3, short);
VGPU_VECTOR_4(short4, short, 8);

VGPU_VECTOR_1(ushort1, unsigned short);
VGPU_VECTOR_2(ushort2, unsigned short, 4);
VGPU_VECTOR_3(ushort3, unsigned short);
VGPU_VECTOR_4(ushort4, unsigned short, 8);

VGPU_VECTOR_1(int1, int);
VGPU_VECTOR_2(int2, int, 8);
VGPU_VECTOR_3(int3, int);
VGPU_VECTOR_4(int4, int, 16);

VGPU_VECTOR_1(uint1, unsigned int);
VGPU_VECTOR_2(uint2, unsigned int, 8);
VGPU_VECTOR_3(uint3, unsigned int);
VGPU_VECTOR_4(uint4, unsigned int, 16);

VGPU_VECTOR_1(long1, long);
VGPU_VECTOR_2(long2, long, 2 * sizeof(long));
VGPU_VECTOR_3(long3, long);
VGPU_VECTOR_4(long4, long, 16);

VGPU_VECTOR_1(ulong1, unsigned long);
VGPU_VECTOR_2(ulong2, unsigned long, 2 * sizeof(long));
VGPU_VECTOR_3(ulong3, unsigned long);
VGPU_VECTOR_4(ulong4, unsigned long, 16);

VGPU_VECTOR_1(longlong1, long long);
VGPU_VECTOR_2(longlong2, long long, 16);
VGPU_VECTOR_3(longlong3, long long);
VGPU_VECTOR_4(longlong4, long long, 16);

VGPU_VECTOR_1(ulonglong1, unsigned long long);
VGPU_VECTOR_2(ulonglong2, unsigned long long, 16);
VGPU_VECTOR_3(ulonglong3, unsigned long long);
VGPU_VECTOR_4(ulonglong4, unsigned long long, 16);

VGPU_VECTOR_1(float1, float);
VGPU_VECTOR_2(float2, float, 8);
VGPU_VECTOR_3(float3, float);
VGPU_VECTOR_4(float4, float, 16);

VGPU_VECTOR_1(double1, double);
VGPU_VECTOR_2(double2, double, 16);
VGPU_VECTOR_3(double3, double);
VGPU_VECTOR_4(double4, double, 16);

/* Four elements of 8 bytes with the alignment in the name (CUDA 13). */
VGPU_VECTOR_4(long4_16a, long, 16);
VGPU_VECTOR_4(long4_32a, long, 32);
VGPU_VECTOR_4(ulong4_16a, unsigned long, 16);
VGPU_VECTOR_4(ulong4_32a, unsigned long, 32);
VGPU_VECTOR_4(longlong4_16a, long long, 16);
VGPU_VECTOR_4(longlong4_32a, long long, 32);
VGPU_VECTOR_4(ulonglong4_16a, unsigned long long, 16);
VGPU_VECTOR_4(ulonglong4_32a, unsigned long long, 32);
VGPU_VECTOR_4(double4_16a, double, 16);
VGPU_VECTOR_4(double4_32a, double, 32);

#undef VGPU_VECTOR_1
#undef VGPU_VECTOR_2
#undef VGPU_VECTOR_3
#undef VGPU_VECTOR_4

/* A grid's or a block's extent. What is left out is 1. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __attribute__((always_inline)) constexpr dim3(unsigned int vx = 1,
                                                  unsigned int vy = 1,
                                                  unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __attribute__((always_inline)) constexpr dim3(uint3 v)
        : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif
