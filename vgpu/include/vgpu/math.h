/*
 * math.h: math functions of device code, with what they cost. C++17.
 *
 * Where device code calls sinf, the front end writes vgpu_math_sinf
 * (frontend/math.c has the names). Each counts the instructions that the
 * function is on a GPU and has the C library work out its value.
 *
 * Where the numbers come from: where `make calibrate` times a function, what it
 * said of an H200 (docs/measured/fidelity-*, calibrate.txt, lines "math"), and
 * its nearest relative has the same; there a double instruction is 1.9 slots.
 * Of all others nvcc 13 makes a kernel with this one call for
 * compute capability 9.0, and its instructions are counted on the way that
 * usual arguments take, each by how long it keeps the SM busy: 1 slot is a
 * single-precision add. That is rather too much, since units work side by side.
 * By the table "Throughput of Native Arithmetic
 * Instructions" of the CUDA C++ Programming Guide that is 8 slots for a result
 * of the special function units (reciprocal, square root, sine, 2^x, log2) and
 * for a conversion from or to a whole number, and 2 for a product of whole
 * numbers. Instructions in double precision are counted apart: how many slots
 * one is differs most between devices (profile.h, double_slots).
 */
#ifndef VGPU_MATH_H
#define VGPU_MATH_H

/*
 * Sines, cosines and tangents of large arguments: the guide's chapter
 * "Arithmetic Instructions" says from where on the slow path is taken. It
 * multiplies the argument with 2/pi in many digits, which is kept in memory.
 */
enum { VGPU_MATH_FAR = 235, VGPU_MATH_FAR_DOUBLE = 258 };

VGPU_INLINE void vgpu_math_far(float x)
{
    if (__builtin_fabsf(x) >= 105615.0f)
        vgpu_math_count(VGPU_MATH_FAR, 0);
}
VGPU_INLINE void vgpu_math_far(double x)
{
    if (__builtin_fabs(x) >= 2147483648.0)
        vgpu_math_count(VGPU_MATH_FAR_DOUBLE, 0);
}
template <class T>
VGPU_INLINE void vgpu_math_near(T)
{
}

/*
 * A function of each precision: the name, slots in single precision, slots and
 * double instructions in double precision, and vgpu_math_far or _near. Other
 * arguments (whole numbers, a program's own types) go where they would without
 * this, at the price of what comes back.
 */
#define VGPU_MATH_ONE(name, single, slots, doubles, reach)                     \
    VGPU_INLINE float vgpu_math_##name##f(float x)                             \
    {                                                                          \
        vgpu_math_count(single, 0);                                            \
        vgpu_math_##reach(x);                                                  \
        return ::name##f(x);                                                   \
    }                                                                          \
    VGPU_INLINE float vgpu_math_##name(float x)                                \
    {                                                                          \
        return vgpu_math_##name##f(x);                                         \
    }                                                                          \
    VGPU_INLINE double vgpu_math_##name(double x)                              \
    {                                                                          \
        vgpu_math_count(slots, doubles);                                       \
        vgpu_math_##reach(x);                                                  \
        return ::name(x);                                                      \
    }                                                                          \
    template <class T>                                                         \
    VGPU_INLINE auto vgpu_math_##name(const T &x)->decltype(name(x))           \
    {                                                                          \
        vgpu_math_count(slots, doubles);                                       \
        return name(x);                                                        \
    }

#define VGPU_MATH_TWO(name, single, slots, doubles)                            \
    VGPU_INLINE float vgpu_math_##name##f(float x, float y)                    \
    {                                                                          \
        vgpu_math_count(single, 0);                                            \
        return ::name##f(x, y);                                                \
    }                                                                          \
    VGPU_INLINE float vgpu_math_##name(float x, float y)                       \
    {                                                                          \
        return vgpu_math_##name##f(x, y);                                      \
    }                                                                          \
    VGPU_INLINE double vgpu_math_##name(double x, double y)                    \
    {                                                                          \
        vgpu_math_count(slots, doubles);                                       \
        return ::name(x, y);                                                   \
    }                                                                          \
    template <class T, class U>                                                \
    VGPU_INLINE auto vgpu_math_##name(const T &x, const U &y)                  \
        ->decltype(name(x, y))                                                 \
    {                                                                          \
        if (sizeof(name(x, y)) == sizeof(float))                               \
            vgpu_math_count(single, 0);                                        \
        else                                                                   \
            vgpu_math_count(slots, doubles);                                   \
        return name(x, y);                                                     \
    }

VGPU_MATH_ONE(sin, 29, 20, 17, far)
VGPU_MATH_ONE(cos, 30, 20, 17, far)
VGPU_MATH_ONE(tan, 26, 50, 32, far)
VGPU_MATH_ONE(exp, 10, 7, 16, near)
VGPU_MATH_ONE(exp2, 7, 35, 17, near)
VGPU_MATH_ONE(exp10, 16, 40, 18, near)
VGPU_MATH_ONE(expm1, 35, 45, 21, near)
VGPU_MATH_ONE(log, 26, 28, 30, near)
VGPU_MATH_ONE(log2, 28, 58, 32, near)
VGPU_MATH_ONE(log10, 33, 58, 32, near)
VGPU_MATH_ONE(log1p, 37, 75, 35, near)
VGPU_MATH_ONE(sqrt, 9, 3, 12, near)
VGPU_MATH_ONE(cbrt, 17, 45, 13, near)
VGPU_MATH_ONE(asin, 23, 50, 30, near)
VGPU_MATH_ONE(acos, 32, 55, 32, near)
VGPU_MATH_ONE(atan, 19, 55, 28, near)
VGPU_MATH_ONE(sinh, 38, 70, 35, near)
VGPU_MATH_ONE(cosh, 29, 50, 21, near)
VGPU_MATH_ONE(tanh, 17, 70, 34, near)
VGPU_MATH_ONE(asinh, 56, 130, 60, near)
VGPU_MATH_ONE(acosh, 50, 130, 60, near)
VGPU_MATH_ONE(atanh, 46, 130, 60, near)
VGPU_MATH_ONE(erf, 24, 85, 42, near)
VGPU_MATH_ONE(erfc, 68, 110, 63, near)
VGPU_MATH_ONE(tgamma, 100, 250, 130, near)
VGPU_MATH_ONE(lgamma, 120, 250, 120, near)
VGPU_MATH_TWO(pow, 77, 77, 80)
VGPU_MATH_TWO(fmod, 29, 150, 9)
VGPU_MATH_TWO(remainder, 70, 160, 12)
VGPU_MATH_TWO(atan2, 35, 100, 45)
VGPU_MATH_TWO(hypot, 26, 45, 15)
#undef VGPU_MATH_ONE
#undef VGPU_MATH_TWO

/* One reduction of the argument for both. */
VGPU_INLINE void vgpu_math_sincosf(float x, float *sine, float *cosine)
{
    vgpu_math_count(55, 0);
    vgpu_math_far(x);
    sincosf(x, sine, cosine);
}
VGPU_INLINE void vgpu_math_sincos(double x, double *sine, double *cosine)
{
    vgpu_math_count(65, 23);
    vgpu_math_far(x);
    sincos(x, sine, cosine);
}
VGPU_INLINE void vgpu_math_sincos(float x, float *sine, float *cosine)
{
    vgpu_math_sincosf(x, sine, cosine);
}

/* The fast functions: one or two results of the special function units. They
 * are no less exact than the others here. */
#define VGPU_MATH_FAST(name, slots, call)                                      \
    VGPU_INLINE float vgpu_math_##name(float a)                                \
    {                                                                          \
        vgpu_math_count(slots, 0);                                             \
        return call;                                                           \
    }

VGPU_MATH_FAST(__sinf, 7, sinf(a))
VGPU_MATH_FAST(__cosf, 7, cosf(a))
VGPU_MATH_FAST(__tanf, 27, tanf(a))
VGPU_MATH_FAST(__tanhf, 8, tanhf(a))
VGPU_MATH_FAST(__expf, 7, expf(a))
VGPU_MATH_FAST(__exp10f, 7, powf(10.0f, a))
VGPU_MATH_FAST(__logf, 7, logf(a))
VGPU_MATH_FAST(__log2f, 7, log2f(a))
VGPU_MATH_FAST(__log10f, 7, log10f(a))
#undef VGPU_MATH_FAST

VGPU_INLINE float vgpu_math___powf(float a, float b)
{
    vgpu_math_count(14, 0);
    return powf(a, b);
}
VGPU_INLINE void vgpu_math___sincosf(float a, float *sine, float *cosine)
{
    vgpu_math_count(14, 0);
    sincosf(a, sine, cosine);
}

#endif
