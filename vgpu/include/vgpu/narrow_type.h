/*
 * narrow_type.h: all that __half and __nv_bfloat16 have in common. Included
 * once for each, with
 *     VGPU_T, VGPU_T2          the type, and two of it
 *     VGPU_RAW, VGPU_RAW2      their bits
 *     VGPU_WORD, VGPU_WORD2    what they are called in names of functions
 *     VGPU_MANTISSA, VGPU_BIAS the format
 * An operation on two does twice what it does on one. Functions are rounded to
 * the nearest number; those of a GPU that approximate may be off by one more.
 */
#define VGPU_PASTE_(a, b, c) a##b##c
#define VGPU_PASTE(a, b, c)  VGPU_PASTE_(a, b, c)
#define VGPU_FN              static inline __attribute__((unused))

struct __attribute__((aligned(2))) VGPU_RAW {
    unsigned short x;
};
struct __attribute__((aligned(4))) VGPU_RAW2 {
    unsigned short x, y;
};

struct VGPU_T {
    unsigned short __x;

    VGPU_T() = default;
    constexpr VGPU_T(const VGPU_RAW &raw) : __x(raw.x)
    {
    }
    operator VGPU_RAW() const
    {
        return VGPU_RAW{__x};
    }
    VGPU_T(float v) : __x(bits(v))
    {
    }
    VGPU_T(double v) : __x(bits(v))
    {
    }
    VGPU_T(short v) : __x(bits(v))
    {
    }
    VGPU_T(unsigned short v) : __x(bits(v))
    {
    }
    VGPU_T(int v) : __x(bits(v))
    {
    }
    VGPU_T(unsigned int v) : __x(bits(v))
    {
    }
    VGPU_T(long v) : __x(whole(v))
    {
    }
    VGPU_T(unsigned long v) : __x(bits(vgpu_narrow_whole(false, v)))
    {
    }
    VGPU_T(long long v) : __x(whole(v))
    {
    }
    VGPU_T(unsigned long long v) : __x(bits(vgpu_narrow_whole(false, v)))
    {
    }
    operator float() const
    {
        return vgpu_widen(__x, VGPU_MANTISSA, VGPU_BIAS);
    }
    operator bool() const
    {
        return (__x & 0x7FFF) != 0;
    }
    operator signed char() const
    {
        return clamp<signed char>(SCHAR_MIN, SCHAR_MAX);
    }
    operator unsigned char() const
    {
        return clamp<unsigned char>(0, UCHAR_MAX);
    }
    operator char() const
    {
        return clamp<char>(CHAR_MIN, CHAR_MAX);
    }
    operator short() const
    {
        return clamp<short>(SHRT_MIN, SHRT_MAX);
    }
    operator unsigned short() const
    {
        return clamp<unsigned short>(0, USHRT_MAX);
    }
    operator int() const
    {
        return clamp<int>(INT_MIN, INT_MAX);
    }
    operator unsigned int() const
    {
        return clamp<unsigned int>(0, UINT_MAX);
    }
    operator long() const
    {
        return clamp<long>(LONG_MIN, LONG_MAX);
    }
    operator unsigned long() const
    {
        return clamp<unsigned long>(0, ULONG_MAX);
    }
    operator long long() const
    {
        return clamp<long long>(LLONG_MIN, LLONG_MAX);
    }
    operator unsigned long long() const
    {
        return clamp<unsigned long long>(0, ULLONG_MAX);
    }

    static unsigned short bits(double v, vgpu_rounding r = VGPU_NEAREST)
    {
        return vgpu_narrow(v, VGPU_MANTISSA, VGPU_BIAS, r);
    }
    static unsigned short whole(long long v, vgpu_rounding r = VGPU_NEAREST)
    {
        const unsigned long long units = (unsigned long long)v;

        return bits(vgpu_narrow_whole(v < 0, v < 0 ? 0 - units : units), r);
    }
    /* What is no number is 0, of 64 bits the first bit alone. */
    template <class I>
    I clamp(I low, I high, vgpu_rounding r = VGPU_TO_ZERO) const
    {
        const double v = vgpu_round_to_whole((float)*this, r);

        if (v != v)
            return sizeof(I) < 8 ? 0 : (I)(1ull << 63);
        if (v <= (double)low)
            return low;
        return v >= (double)high ? high : (I)v;
    }
};

struct __attribute__((aligned(4))) VGPU_T2 {
    VGPU_T x, y;

    VGPU_T2() = default;
    constexpr VGPU_T2(const VGPU_T &a, const VGPU_T &b) : x(a), y(b)
    {
    }
    VGPU_T2(const VGPU_RAW2 &raw) : x(VGPU_RAW{raw.x}), y(VGPU_RAW{raw.y})
    {
    }
    operator VGPU_RAW2() const
    {
        return VGPU_RAW2{x.__x, y.__x};
    }
};

/* ---- bits and conversions ------------------------------------------------ */

#define VGPU_OF(bits) VGPU_T(VGPU_RAW{(unsigned short)(bits)})
#define VGPU_ONE      VGPU_OF(VGPU_BIAS << VGPU_MANTISSA)

VGPU_FN VGPU_T VGPU_PASTE(__float2, VGPU_WORD, )(float v)
{
    return v;
}
VGPU_FN VGPU_T VGPU_PASTE(__double2, VGPU_WORD, )(double v)
{
    return v;
}
VGPU_FN float VGPU_PASTE(__, VGPU_WORD, 2float)(VGPU_T v)
{
    return v;
}

/* One function for each way to round. */
#define VGPU_ROUNDED(make)                                                     \
    make(_rn, VGPU_NEAREST) make(_rz, VGPU_TO_ZERO) make(_rd, VGPU_DOWN)       \
        make(_ru, VGPU_UP)
#define VGPU_FROM_FLOAT(suffix, r)                                             \
    VGPU_FN VGPU_T VGPU_PASTE(__float2, VGPU_WORD, suffix)(float v)            \
    {                                                                          \
        return VGPU_OF(VGPU_T::bits(v, r));                                    \
    }
#define VGPU_FROM(name, type, suffix, r)                                       \
    VGPU_FN VGPU_T VGPU_PASTE(__##name##2, VGPU_WORD, suffix)(type v)          \
    {                                                                          \
        return VGPU_OF(VGPU_T::whole(v, r));                                   \
    }
#define VGPU_INTO(name, type, low, high, suffix, r)                            \
    VGPU_FN type VGPU_PASTE(__, VGPU_WORD, 2##name##suffix)(VGPU_T v)          \
    {                                                                          \
        return v.clamp<type>(low, high, r);                                    \
    }
#define VGPU_WHOLE(suffix, r)                                                  \
    VGPU_FROM(short, short, suffix, r)                                         \
    VGPU_FROM(ushort, unsigned short, suffix, r)                               \
    VGPU_FROM(int, int, suffix, r)                                             \
    VGPU_FROM(uint, unsigned int, suffix, r)                                   \
    VGPU_FROM(ll, long long, suffix, r)                                        \
    VGPU_FN VGPU_T VGPU_PASTE(__ull2, VGPU_WORD, suffix)(unsigned long long v) \
    {                                                                          \
        return VGPU_OF(VGPU_T::bits(vgpu_narrow_whole(false, v), r));          \
    }                                                                          \
    VGPU_INTO(short, short, SHRT_MIN, SHRT_MAX, suffix, r)                     \
    VGPU_INTO(ushort, unsigned short, 0, USHRT_MAX, suffix, r)                 \
    VGPU_INTO(int, int, INT_MIN, INT_MAX, suffix, r)                           \
    VGPU_INTO(uint, unsigned int, 0, UINT_MAX, suffix, r)                      \
    VGPU_INTO(ll, long long, LLONG_MIN, LLONG_MAX, suffix, r)                  \
    VGPU_INTO(ull, unsigned long long, 0, ULLONG_MAX, suffix, r)
VGPU_ROUNDED(VGPU_FROM_FLOAT)
VGPU_ROUNDED(VGPU_WHOLE)
VGPU_INTO(char, signed char, SCHAR_MIN, SCHAR_MAX, _rz, VGPU_TO_ZERO)
VGPU_INTO(uchar, unsigned char, 0, UCHAR_MAX, _rz, VGPU_TO_ZERO)
#undef VGPU_WHOLE
#undef VGPU_INTO
#undef VGPU_FROM
#undef VGPU_FROM_FLOAT
#undef VGPU_ROUNDED

VGPU_FN short VGPU_PASTE(__, VGPU_WORD, _as_short)(VGPU_T v)
{
    return (short)v.__x;
}
VGPU_FN unsigned short VGPU_PASTE(__, VGPU_WORD, _as_ushort)(VGPU_T v)
{
    return v.__x;
}
VGPU_FN VGPU_T VGPU_PASTE(__short_as_, VGPU_WORD, )(short v)
{
    return VGPU_OF(v);
}
VGPU_FN VGPU_T VGPU_PASTE(__ushort_as_, VGPU_WORD, )(unsigned short v)
{
    return VGPU_OF(v);
}

/* ---- two of them --------------------------------------------------------- */

VGPU_FN VGPU_T2 VGPU_PASTE(make_, VGPU_WORD2, )(VGPU_T x, VGPU_T y)
{
    return VGPU_T2(x, y);
}
VGPU_FN VGPU_T2 VGPU_PASTE(__halves2, VGPU_WORD2, )(VGPU_T x, VGPU_T y)
{
    return VGPU_T2(x, y);
}
VGPU_FN VGPU_T2 VGPU_PASTE(VGPU_PASTE(__, VGPU_WORD, 2), VGPU_WORD2, )(VGPU_T v)
{
    return VGPU_T2(v, v);
}
VGPU_FN VGPU_T2 VGPU_PASTE(__float2, VGPU_WORD2, _rn)(float v)
{
    return VGPU_T2(VGPU_T(v), VGPU_T(v));
}
VGPU_FN VGPU_T2 VGPU_PASTE(__floats2, VGPU_WORD2, _rn)(float x, float y)
{
    return VGPU_T2(VGPU_T(x), VGPU_T(y));
}
VGPU_FN VGPU_T2 VGPU_PASTE(__float22, VGPU_WORD2, _rn)(float2 v)
{
    return VGPU_T2(VGPU_T(v.x), VGPU_T(v.y));
}
VGPU_FN float2 VGPU_PASTE(__, VGPU_WORD2, 2float2)(VGPU_T2 v)
{
    return make_float2((float)v.x, (float)v.y);
}
VGPU_FN float __low2float(VGPU_T2 v)
{
    return v.x;
}
VGPU_FN float __high2float(VGPU_T2 v)
{
    return v.y;
}
VGPU_FN VGPU_T VGPU_PASTE(__low2, VGPU_WORD, )(VGPU_T2 v)
{
    return v.x;
}
VGPU_FN VGPU_T VGPU_PASTE(__high2, VGPU_WORD, )(VGPU_T2 v)
{
    return v.y;
}
VGPU_FN VGPU_T2 VGPU_PASTE(__low2, VGPU_WORD2, )(VGPU_T2 v)
{
    return VGPU_T2(v.x, v.x);
}
VGPU_FN VGPU_T2 VGPU_PASTE(__high2, VGPU_WORD2, )(VGPU_T2 v)
{
    return VGPU_T2(v.y, v.y);
}
VGPU_FN VGPU_T2 VGPU_PASTE(__lows2, VGPU_WORD2, )(VGPU_T2 a, VGPU_T2 b)
{
    return VGPU_T2(a.x, b.x);
}
VGPU_FN VGPU_T2 VGPU_PASTE(__highs2, VGPU_WORD2, )(VGPU_T2 a, VGPU_T2 b)
{
    return VGPU_T2(a.y, b.y);
}
VGPU_FN VGPU_T2 __lowhigh2highlow(VGPU_T2 v)
{
    return VGPU_T2(v.y, v.x);
}

/* ---- arithmetic ---------------------------------------------------------- */

VGPU_FN double vgpu_wide(VGPU_T v)
{
    return (float)v;
}
/* Between 0 and 1; what is no number is 0. */
VGPU_FN VGPU_T vgpu_saturated(VGPU_T v)
{
    return !((float)v > 0.0f) ? VGPU_OF(0) : (float)v > 1.0f ? VGPU_ONE : v;
}

#define VGPU_BINARY(name, expression)                                          \
    VGPU_FN VGPU_T name(VGPU_T a, VGPU_T b)                                    \
    {                                                                          \
        return VGPU_T(expression);                                             \
    }
#define VGPU_BOTH(name2, name)                                                 \
    VGPU_FN VGPU_T2 name2(VGPU_T2 a, VGPU_T2 b)                                \
    {                                                                          \
        return VGPU_T2(name(a.x, b.x), name(a.y, b.y));                        \
    }
#define VGPU_ARITHMETIC(name, op)                                              \
    VGPU_BINARY(__h##name, vgpu_wide(a) op vgpu_wide(b))                       \
    VGPU_BINARY(__h##name##_rn, vgpu_wide(a) op vgpu_wide(b))                  \
    VGPU_BINARY(__h##name##_sat, vgpu_saturated(__h##name(a, b)))              \
    VGPU_BOTH(__h##name##2, __h##name)                                         \
    VGPU_BOTH(__h##name##2_rn, __h##name)                                      \
    VGPU_BOTH(__h##name##2_sat, __h##name##_sat)
VGPU_ARITHMETIC(add, +)
VGPU_ARITHMETIC(sub, -)
VGPU_ARITHMETIC(mul, *)
VGPU_BINARY(__hdiv, vgpu_wide(a) / vgpu_wide(b))
VGPU_BOTH(__h2div, __hdiv)

VGPU_FN VGPU_T __hfma(VGPU_T a, VGPU_T b, VGPU_T c)
{
    return VGPU_T(vgpu_narrow_fma(vgpu_wide(a), vgpu_wide(b), vgpu_wide(c)));
}
VGPU_FN VGPU_T __hfma_sat(VGPU_T a, VGPU_T b, VGPU_T c)
{
    return vgpu_saturated(__hfma(a, b, c));
}
VGPU_FN VGPU_T __hfma_relu(VGPU_T a, VGPU_T b, VGPU_T c)
{
    const VGPU_T v = __hfma(a, b, c);

    return (float)v <= 0.0f ? VGPU_OF(0) : v;
}
#define VGPU_FMA2(name2, name)                                                 \
    VGPU_FN VGPU_T2 name2(VGPU_T2 a, VGPU_T2 b, VGPU_T2 c)                     \
    {                                                                          \
        return VGPU_T2(name(a.x, b.x, c.x), name(a.y, b.y, c.y));              \
    }
VGPU_FMA2(__hfma2, __hfma)
VGPU_FMA2(__hfma2_sat, __hfma_sat)
VGPU_FMA2(__hfma2_relu, __hfma_relu)

/* a * b + c of complex numbers. */
VGPU_FN VGPU_T2 __hcmadd(VGPU_T2 a, VGPU_T2 b, VGPU_T2 c)
{
    const VGPU_T x = __hfma(a.x, b.x, c.x), y = __hfma(a.x, b.y, c.y);

    return VGPU_T2(__hfma(VGPU_OF(a.y.__x ^ 0x8000), b.y, x),
                   __hfma(a.y, b.x, y));
}

#define VGPU_UNARY(name2, name, expression)                                    \
    VGPU_FN VGPU_T name(VGPU_T a)                                              \
    {                                                                          \
        return expression;                                                     \
    }                                                                          \
    VGPU_FN VGPU_T2 name2(VGPU_T2 a)                                           \
    {                                                                          \
        return VGPU_T2(name(a.x), name(a.y));                                  \
    }
VGPU_UNARY(__habs2, __habs, VGPU_T(fabs(vgpu_wide(a))))
VGPU_UNARY(__hneg2, __hneg, VGPU_T(-vgpu_wide(a)))

/* ---- comparisons --------------------------------------------------------- */

/* Ordered ones are false where one is no number, the others (u) true. */
#define VGPU_COMPARE(name, condition)                                          \
    VGPU_FN bool __h##name(VGPU_T p, VGPU_T q)                                 \
    {                                                                          \
        const float a = p, b = q;                                              \
        return condition;                                                      \
    }                                                                          \
    VGPU_FN VGPU_T2 __h##name##2(VGPU_T2 a, VGPU_T2 b)                         \
    {                                                                          \
        return VGPU_T2(__h##name(a.x, b.x) ? VGPU_ONE : VGPU_OF(0),            \
                       __h##name(a.y, b.y) ? VGPU_ONE : VGPU_OF(0));           \
    }                                                                          \
    VGPU_FN unsigned __h##name##2_mask(VGPU_T2 a, VGPU_T2 b)                   \
    {                                                                          \
        return (__h##name(a.x, b.x) ? 0xFFFFu : 0) |                           \
               (__h##name(a.y, b.y) ? 0xFFFF0000u : 0);                        \
    }                                                                          \
    VGPU_FN bool __hb##name##2(VGPU_T2 a, VGPU_T2 b)                           \
    {                                                                          \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                     \
    }
VGPU_COMPARE(eq, a == b)
VGPU_COMPARE(ne, a<b || a> b)
VGPU_COMPARE(lt, a < b)
VGPU_COMPARE(le, a <= b)
VGPU_COMPARE(gt, a > b)
VGPU_COMPARE(ge, a >= b)
VGPU_COMPARE(equ, !(a < b || a > b))
VGPU_COMPARE(neu, a != b)
VGPU_COMPARE(ltu, !(a >= b))
VGPU_COMPARE(leu, !(a > b))
VGPU_COMPARE(gtu, !(a <= b))
VGPU_COMPARE(geu, !(a < b))
#undef VGPU_COMPARE

VGPU_FN bool __hisnan(VGPU_T a)
{
    return (float)a != (float)a;
}
VGPU_FN VGPU_T2 __hisnan2(VGPU_T2 a)
{
    return VGPU_T2(__hisnan(a.x) ? VGPU_ONE : VGPU_OF(0),
                   __hisnan(a.y) ? VGPU_ONE : VGPU_OF(0));
}
VGPU_FN int __hisinf(VGPU_T a)
{
    return !isinf((float)a) ? 0 : a.__x & 0x8000 ? -1 : 1;
}

/* -0 is less than +0. */
VGPU_FN bool vgpu_is_less(VGPU_T a, VGPU_T b)
{
    if ((float)a == (float)b)
        return (a.__x & 0x8000) > (b.__x & 0x8000);
    return (float)a < (float)b;
}
#define VGPU_EXTREME(name, less)                                               \
    VGPU_FN VGPU_T name(VGPU_T a, VGPU_T b)                                    \
    {                                                                          \
        if (__hisnan(a) || __hisnan(b))                                        \
            return __hisnan(a) && __hisnan(b) ? VGPU_OF(VGPU_NARROW_NAN)       \
                   : __hisnan(a)              ? b                              \
                                              : a;                                          \
        return less ? a : b;                                                   \
    }                                                                          \
    VGPU_FN VGPU_T name##_nan(VGPU_T a, VGPU_T b)                              \
    {                                                                          \
        return __hisnan(a) || __hisnan(b) ? VGPU_OF(VGPU_NARROW_NAN)           \
                                          : name(a, b);                        \
    }                                                                          \
    VGPU_BOTH(name##2, name)                                                   \
    VGPU_BOTH(name##2_nan, name##_nan)
VGPU_EXTREME(__hmin, vgpu_is_less(a, b))
VGPU_EXTREME(__hmax, vgpu_is_less(b, a))
#undef VGPU_EXTREME

/* ---- functions ----------------------------------------------------------- */

#define VGPU_MATH(name, expression)                                            \
    VGPU_FN VGPU_T h##name(VGPU_T v)                                           \
    {                                                                          \
        const double a = (float)v;                                             \
        return VGPU_T(expression);                                             \
    }                                                                          \
    VGPU_FN VGPU_T2 h2##name(VGPU_T2 v)                                        \
    {                                                                          \
        return VGPU_T2(h##name(v.x), h##name(v.y));                            \
    }
VGPU_MATH(sqrt, sqrt(a))
VGPU_MATH(rsqrt, 1.0 / sqrt(a))
VGPU_MATH(rcp, 1.0 / a)
VGPU_MATH(exp, exp(a))
VGPU_MATH(exp2, exp2(a))
VGPU_MATH(exp10, pow(10.0, a))
VGPU_MATH(log, log(a))
VGPU_MATH(log2, log2(a))
VGPU_MATH(log10, log10(a))
VGPU_MATH(sin, sin(a))
VGPU_MATH(cos, cos(a))
VGPU_MATH(tanh, tanh(a))
VGPU_MATH(tanh_approx, tanh(a))
VGPU_MATH(ceil, ceil(a))
VGPU_MATH(floor, floor(a))
VGPU_MATH(rint, nearbyint(a))
VGPU_MATH(trunc, trunc(a))
#undef VGPU_MATH

/* ---- operators ----------------------------------------------------------- */

#define VGPU_OPERATOR(op, name, name2)                                         \
    VGPU_FN VGPU_T operator op(const VGPU_T &a, const VGPU_T &b)               \
    {                                                                          \
        return name(a, b);                                                     \
    }                                                                          \
    VGPU_FN VGPU_T &operator op##=(VGPU_T &a, const VGPU_T &b)                 \
    {                                                                          \
        return a = name(a, b);                                                 \
    }                                                                          \
    VGPU_FN VGPU_T2 operator op(const VGPU_T2 &a, const VGPU_T2 &b)            \
    {                                                                          \
        return name2(a, b);                                                    \
    }                                                                          \
    VGPU_FN VGPU_T2 &operator op##=(VGPU_T2 &a, const VGPU_T2 &b)              \
    {                                                                          \
        return a = name2(a, b);                                                \
    }
VGPU_OPERATOR(+, __hadd, __hadd2)
VGPU_OPERATOR(-, __hsub, __hsub2)
VGPU_OPERATOR(*, __hmul, __hmul2)
VGPU_OPERATOR(/, __hdiv, __h2div)
#undef VGPU_OPERATOR

#define VGPU_RELATION(op, name)                                                \
    VGPU_FN bool operator op(const VGPU_T &a, const VGPU_T &b)                 \
    {                                                                          \
        return __h##name(a, b);                                                \
    }                                                                          \
    VGPU_FN bool operator op(const VGPU_T2 &a, const VGPU_T2 &b)               \
    {                                                                          \
        return __hb##name##2(a, b);                                            \
    }
VGPU_RELATION(==, eq)
VGPU_RELATION(!=, neu)
VGPU_RELATION(<, lt)
VGPU_RELATION(<=, le)
VGPU_RELATION(>, gt)
VGPU_RELATION(>=, ge)
#undef VGPU_RELATION

#define VGPU_STEP(type, op, how)                                               \
    VGPU_FN type &operator op##op(type &a)                                     \
    {                                                                          \
        return a = a op how;                                                   \
    }                                                                          \
    VGPU_FN type operator op##op(type &a, int)                                 \
    {                                                                          \
        const type before = a;                                                 \
        a = a op how;                                                          \
        return before;                                                         \
    }
VGPU_STEP(VGPU_T, +, VGPU_ONE)
VGPU_STEP(VGPU_T, -, VGPU_ONE)
VGPU_STEP(VGPU_T2, +, VGPU_T2(VGPU_ONE, VGPU_ONE))
VGPU_STEP(VGPU_T2, -, VGPU_T2(VGPU_ONE, VGPU_ONE))
#undef VGPU_STEP

VGPU_FN VGPU_T operator+(const VGPU_T &a)
{
    return a;
}
VGPU_FN VGPU_T operator-(const VGPU_T &a)
{
    return __hneg(a);
}
VGPU_FN VGPU_T2 operator+(const VGPU_T2 &a)
{
    return a;
}
VGPU_FN VGPU_T2 operator-(const VGPU_T2 &a)
{
    return __hneg2(a);
}

/* ---- between threads ----------------------------------------------------- */

VGPU_FN unsigned vgpu_pack(VGPU_T v)
{
    return v.__x;
}
VGPU_FN unsigned vgpu_pack(VGPU_T2 v)
{
    return v.x.__x | (unsigned)v.y.__x << 16;
}
VGPU_FN void vgpu_unpack(unsigned bits, VGPU_T &v)
{
    v = VGPU_OF(bits);
}
VGPU_FN void vgpu_unpack(unsigned bits, VGPU_T2 &v)
{
    v = VGPU_T2(VGPU_OF(bits), VGPU_OF(bits >> 16));
}

#define VGPU_SHUFFLE(type, name, from)                                         \
    VGPU_FN type name(unsigned mask, type value, from where,                   \
                      int width = warpSize)                                    \
    {                                                                          \
        vgpu_unpack(name(mask, vgpu_pack(value), where, width), value);        \
        return value;                                                          \
    }
#define VGPU_SHUFFLES(type)                                                    \
    VGPU_SHUFFLE(type, __shfl_sync, int)                                       \
    VGPU_SHUFFLE(type, __shfl_up_sync, unsigned)                               \
    VGPU_SHUFFLE(type, __shfl_down_sync, unsigned)                             \
    VGPU_SHUFFLE(type, __shfl_xor_sync, int)
VGPU_SHUFFLES(VGPU_T)
VGPU_SHUFFLES(VGPU_T2)
#undef VGPU_SHUFFLES
#undef VGPU_SHUFFLE

/* The two of a pair are added each for itself, which nobody can tell from both
 * at once here. */
VGPU_FN VGPU_T atomicAdd(VGPU_T *address, VGPU_T value)
{
    unsigned short *at = (unsigned short *)(void *)address;
    unsigned short found = atomicCAS(at, (unsigned short)0, (unsigned short)0);
    unsigned short before;

    do {
        before = found;
        found = atomicCAS(at, before, __hadd(VGPU_OF(before), value).__x);
    } while (found != before);
    return VGPU_OF(before);
}
VGPU_FN VGPU_T2 atomicAdd(VGPU_T2 *address, VGPU_T2 value)
{
    const VGPU_T x = atomicAdd(&address->x, value.x);

    return VGPU_T2(x, atomicAdd(&address->y, value.y));
}

#undef VGPU_UNARY
#undef VGPU_FMA2
#undef VGPU_ARITHMETIC
#undef VGPU_BOTH
#undef VGPU_BINARY
#undef VGPU_ONE
#undef VGPU_OF
#undef VGPU_FN
#undef VGPU_PASTE
#undef VGPU_PASTE_
#undef VGPU_T
#undef VGPU_T2
#undef VGPU_RAW
#undef VGPU_RAW2
#undef VGPU_WORD
#undef VGPU_WORD2
#undef VGPU_MANTISSA
#undef VGPU_BIAS
