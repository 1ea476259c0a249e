/*
 * cuComplex.h: complex numbers as float2 and double2, for C and C++, on the
 * host and in kernels.
 *
 * Division and absolute value scale by the larger part, so that they do not
 * overflow where the result does not. Last bits may differ from a GPU's.
 */
#if !defined(CU_COMPLEX_H_)
#define CU_COMPLEX_H_

#include <math.h>
#include "vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* @type's functions: @f stands behind their names and behind the math's. */
#define VGPU_COMPLEX(type, real, f)                                            \
    VGPU_INLINE real cuCreal##f(type x)                                        \
    {                                                                          \
        return x.x;                                                            \
    }                                                                          \
    VGPU_INLINE real cuCimag##f(type x)                                        \
    {                                                                          \
        return x.y;                                                            \
    }                                                                          \
    VGPU_INLINE type vgpu_complex##f(real x, real y)                           \
    {                                                                          \
        type z;                                                                \
        z.x = x;                                                               \
        z.y = y;                                                               \
        return z;                                                              \
    }                                                                          \
    VGPU_INLINE type cuConj##f(type x)                                         \
    {                                                                          \
        return vgpu_complex##f(x.x, -x.y);                                     \
    }                                                                          \
    VGPU_INLINE type cuCadd##f(type x, type y)                                 \
    {                                                                          \
        return vgpu_complex##f(x.x + y.x, x.y + y.y);                          \
    }                                                                          \
    VGPU_INLINE type cuCsub##f(type x, type y)                                 \
    {                                                                          \
        return vgpu_complex##f(x.x - y.x, x.y - y.y);                          \
    }                                                                          \
    VGPU_INLINE type cuCmul##f(type x, type y)                                 \
    {                                                                          \
        return vgpu_complex##f(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);  \
    }                                                                          \
    VGPU_INLINE type cuCfma##f(type x, type y, type z)                         \
    {                                                                          \
        return cuCadd##f(cuCmul##f(x, y), z);                                  \
    }                                                                          \
    VGPU_INLINE type cuCdiv##f(type x, type y)                                 \
    {                                                                          \
        const real scale = fabs##f(y.x) + fabs##f(y.y);                        \
        const real c = y.x / scale, d = y.y / scale;                           \
        const real square = (c * c + d * d) * scale;                           \
        return vgpu_complex##f((x.x * c + x.y * d) / square,                   \
                               (x.y * c - x.x * d) / square);                  \
    }                                                                          \
    VGPU_INLINE real cuCabs##f(type x)                                         \
    {                                                                          \
        return hypot##f(x.x, x.y);                                             \
    }
VGPU_COMPLEX(cuFloatComplex, float, f)
VGPU_COMPLEX(cuDoubleComplex, double, )
#undef VGPU_COMPLEX

VGPU_INLINE cuFloatComplex make_cuFloatComplex(float x, float y)
{
    return vgpu_complexf(x, y);
}
VGPU_INLINE cuDoubleComplex make_cuDoubleComplex(double x, double y)
{
    return vgpu_complex(x, y);
}
VGPU_INLINE cuComplex make_cuComplex(float x, float y)
{
    return vgpu_complexf(x, y);
}
VGPU_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x)
{
    return vgpu_complex(x.x, x.y);
}
VGPU_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x)
{
    return vgpu_complexf((float)x.x, (float)x.y);
}

#endif
