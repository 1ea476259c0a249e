/*
 * ptx.h: what single PTX instructions do (frontend/ptx.c). C++17.
 *
 * Registers have no types in PTX, only sizes: an operand is taken as the
 * instruction's type, bit for bit where the sizes are the same.
 *
 * Source: PTX ISA, "Instruction Set"
 */
#ifndef VGPU_PTX_H
#define VGPU_PTX_H

#include <stdint.h>
#include <string.h>
#include <math.h>

#include <type_traits>

namespace vgpu_ptx
{

template <class T, class A>
VGPU_INLINE T get(const A &a)
{
    if constexpr (sizeof(T) == sizeof(A)) {
        T value;

        memcpy(&value, &a, sizeof value);
        return value;
    } else {
        return (T)a;
    }
}

template <class D, class T>
VGPU_INLINE void set(D &d, const T &value)
{
    d = get<D>(value);
}

/* Memory has a type, and the register may be wider. */
template <class A, class T>
VGPU_INLINE void put(const A &a, T &place)
{
    place = get<std::remove_cv_t<T>>(a);
}

template <class D, class T>
VGPU_INLINE void load(D &d, T &place)
{
    d = get<D>((std::remove_cv_t<T>)place);
}

template <class T, class A>
VGPU_INLINE T &at(const A &address, long long offset)
{
    return *(T *)((uintptr_t)get<unsigned long long>(address) +
                  (uintptr_t)offset);
}

/* ---- threads ------------------------------------------------------------- */

VGPU_INLINE unsigned linear()
{
    const uint3 i = ::vgpu_thread_index(), n = ::vgpu_block_extent();

    return i.x + n.x * (i.y + n.y * i.z);
}

VGPU_INLINE unsigned lane()
{
    return linear() % 32;
}

VGPU_INLINE unsigned warp()
{
    return linear() / 32;
}

/* Blocks are dealt out one after the other. */
VGPU_INLINE unsigned sm()
{
    const uint3 i = ::vgpu_block_index(), n = ::vgpu_grid_extent();

    return (i.x + n.x * (i.y + n.y * i.z)) % ::vgpu_sm_count();
}

/* The cluster's place in the grid, and how many there are. */
VGPU_INLINE uint3 cluster()
{
    const uint3 at = ::vgpu_block_index(), of = ::vgpu_cluster_extent();

    return uint3{at.x / of.x, at.y / of.y, at.z / of.z};
}

VGPU_INLINE uint3 clusters()
{
    const uint3 grid = ::vgpu_grid_extent(), of = ::vgpu_cluster_extent();

    return uint3{grid.x / of.x, grid.y / of.y, grid.z / of.z};
}

VGPU_INLINE unsigned cluster_size()
{
    const uint3 of = ::vgpu_cluster_extent();

    return of.x * of.y * of.z;
}

/* ---- arithmetic ---------------------------------------------------------- */

/* Whole numbers wrap around. */
template <class T, bool = std::is_integral<T>::value>
struct bits {
    typedef std::make_unsigned_t<T> type;
};
template <class T>
struct bits<T, false> {
    typedef T type;
};
template <class T>
using bits_t = typename bits<T>::type;

template <class T>
using wide = std::conditional_t<
    sizeof(T) == 4,
    std::conditional_t<std::is_signed<T>::value, long long, unsigned long long>,
    std::conditional_t<std::is_signed<T>::value, int, unsigned>>;

#define VGPU_PTX_2(name, type, expression)                                     \
    template <class T>                                                         \
    VGPU_INLINE type name(T a, T b)                                            \
    {                                                                          \
        return (type)(expression);                                             \
    }
VGPU_PTX_2(add, T, (bits_t<T>)a + (bits_t<T>)b)
VGPU_PTX_2(sub, T, (bits_t<T>)a - (bits_t<T>)b)
VGPU_PTX_2(mul, T, (bits_t<T>)a *(bits_t<T>)b)
VGPU_PTX_2(mul_hi, T, (wide<T>)a *(wide<T>)b >> 8 * sizeof(T))
VGPU_PTX_2(mul_wide, wide<T>, (wide<T>)a *(wide<T>)b)
VGPU_PTX_2(div, T, a / b)
VGPU_PTX_2(rem, T, a % b)
VGPU_PTX_2(least, T, min(a, b))
VGPU_PTX_2(most, T, max(a, b))
VGPU_PTX_2(bit_and, T, a &b)
VGPU_PTX_2(bit_or, T, a | b)
VGPU_PTX_2(bit_xor, T, a ^ b)
#undef VGPU_PTX_2

#define VGPU_PTX_1(name, type, expression)                                     \
    template <class T>                                                         \
    VGPU_INLINE type name(T a)                                                 \
    {                                                                          \
        return (type)(expression);                                             \
    }
VGPU_PTX_1(same, T, a)
VGPU_PTX_1(bit_not, T, ~a)
VGPU_PTX_1(neg, T, -a)
VGPU_PTX_1(absolute, T, a < 0 ? -a : a)
VGPU_PTX_1(popc, unsigned, __builtin_popcountll((bits_t<T>)a))
VGPU_PTX_1(clz, unsigned,
           a ? __builtin_clzll((bits_t<T>)a) - 64 + 8 * (int)sizeof(T)
             : 8 * (int)sizeof(T))
VGPU_PTX_1(brev, T, sizeof(T) == 8 ? __brevll(a) : __brev((unsigned)a))
VGPU_PTX_1(root, T, ::vgpu_math_sqrt(a))
VGPU_PTX_1(reciprocal, T, 1 / a)
VGPU_PTX_1(root_reciprocal, T, 1 / ::vgpu_math_sqrt(a))
VGPU_PTX_1(exp2, T, ::vgpu_math_exp2(a))
VGPU_PTX_1(log2, T, ::vgpu_math_log2(a))
VGPU_PTX_1(sine, T, ::vgpu_math_sin(a))
VGPU_PTX_1(cosine, T, ::vgpu_math_cos(a))
#undef VGPU_PTX_1

template <class T>
VGPU_INLINE T fma(T a, T b, T c)
{
    return ::fma(a, b, c);
}

template <class T>
VGPU_INLINE T mad(T a, T b, T c)
{
    return add<T>(mul<T>(a, b), c);
}

template <class T>
VGPU_INLINE wide<T> mad_wide(T a, T b, wide<T> c)
{
    return add<wide<T>>(mul_wide<T>(a, b), c);
}

/* Not by the count modulo the width, as processors do. */
template <class T>
VGPU_INLINE T shl(T a, unsigned count)
{
    return count < 8 * sizeof(T) ? (T)((bits_t<T>)a << count) : 0;
}

template <class T>
VGPU_INLINE T shr(T a, unsigned count)
{
    const unsigned most = 8 * (unsigned)sizeof(T) - 1;

    if (count > most)
        return std::is_signed<T>::value && a < 0 ? (T)-1 : 0;
    return (T)(a >> count);
}

/* Source: PTX ISA, "bfe": signed fields keep the sign of their last bit. */
template <class T>
VGPU_INLINE T bfe(T a, unsigned from, unsigned count)
{
    const unsigned width = 8 * (unsigned)sizeof(T);
    const unsigned at = from & 0xff, n = count & 0xff;
    const unsigned last = at + n - 1 < width - 1 ? at + n - 1 : width - 1;
    const bool sign = std::is_signed<T>::value && n && (a >> last & 1);
    T field = sign ? (T)-1 : 0;

    for (unsigned i = 0; i < n && i < width; i++) {
        const bool bit = at + i < width ? a >> (at + i) & 1 : sign;

        field = (T)((field & ~((bits_t<T>)1 << i)) | (bits_t<T>)bit << i);
    }
    return field;
}

template <class T>
VGPU_INLINE T bfi(T field, T into, unsigned from, unsigned count)
{
    const unsigned at = from & 0xff, n = count & 0xff;

    for (unsigned i = 0; i < n && at + i < 8 * sizeof(T); i++)
        into = (T)((into & ~((bits_t<T>)1 << (at + i))) |
                   ((bits_t<T>)field >> i & 1) << (at + i));
    return into;
}

template <class T>
VGPU_INLINE unsigned prmt(unsigned a, unsigned b, unsigned selector)
{
    return __byte_perm(a, b, selector);
}

template <class T>
VGPU_INLINE unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table)
{
    unsigned result = 0;

    for (int i = 0; i < 32; i++) {
        const unsigned at =
            (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);

        result |= (table >> at & 1) << i;
    }
    return result;
}

/* To a whole number: rounded, and the nearest there is; NaN is 0. */
template <class D, class A, class R>
VGPU_INLINE D convert(A a, R round)
{
    if constexpr (std::is_integral<D>::value && !std::is_integral<A>::value) {
        const double x = round((double)a);
        const double most =
            ldexp(1.0, 8 * (int)sizeof(D) - std::is_signed<D>::value);

        if (x != x)
            return 0;
        if (x >= most)
            return (D)(std::is_signed<D>::value
                           ? ~((bits_t<D>)1 << (8 * sizeof(D) - 1))
                           : ~(bits_t<D>)0);
        if (x < (std::is_signed<D>::value ? -most : 0.0))
            return std::is_signed<D>::value
                       ? (D)((bits_t<D>)1 << (8 * sizeof(D) - 1))
                       : 0;
        return (D)x;
    } else {
        return (D)a;
    }
}

} // namespace vgpu_ptx

#endif
