/*
 * device.h: the built-in functions of device code, by CUDA's names. C++17.
 *
 * Functions that wait, or that touch memory, are in the library and are bound
 * by an assembler name, so that a message names the program's line. What is
 * not here (rounding modes other than to nearest) does not compile. Textures:
 * texture.h.
 */
#ifndef VGPU_DEVICE_H
#define VGPU_DEVICE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vgpu/launch.h"
#include "vgpu/math.h"
#include "vgpu/threads.h"

#define VGPU_TEXT_OF(x) #x
#define VGPU_TEXT(x)    VGPU_TEXT_OF(x)
#define VGPU_BOUND(name)                                                       \
    noexcept __asm__(VGPU_TEXT(__USER_LABEL_PREFIX__) "vgpu_" #name)

static const int warpSize = 32;

/* ---- barriers, fences, votes --------------------------------------------- */

void __syncthreads() VGPU_BOUND(syncthreads);
int __syncthreads_count(int predicate) VGPU_BOUND(syncthreads_count);
int __syncthreads_and(int predicate) VGPU_BOUND(syncthreads_and);
int __syncthreads_or(int predicate) VGPU_BOUND(syncthreads_or);
void __syncwarp(unsigned int mask = 0xffffffff) VGPU_BOUND(syncwarp);

void __threadfence_block() VGPU_BOUND(threadfence);
void __threadfence() VGPU_BOUND(threadfence);
void __threadfence_system() VGPU_BOUND(threadfence);

unsigned int __activemask() VGPU_BOUND(activemask);
unsigned int __ballot_sync(unsigned int mask, int predicate) VGPU_BOUND(ballot);
int __any_sync(unsigned int mask, int predicate) VGPU_BOUND(any);
int __all_sync(unsigned int mask, int predicate) VGPU_BOUND(all);

/* ---- shuffles, matches, reductions --------------------------------------- */

#define VGPU_EXCHANGES(name, type)                                             \
    type __shfl_sync(unsigned int mask, type value, int source,                \
                     int width = warpSize) VGPU_BOUND(shfl_idx_##name);        \
    type __shfl_up_sync(unsigned int mask, type value, unsigned int delta,     \
                        int width = warpSize) VGPU_BOUND(shfl_up_##name);      \
    type __shfl_down_sync(unsigned int mask, type value, unsigned int delta,   \
                          int width = warpSize) VGPU_BOUND(shfl_down_##name);  \
    type __shfl_xor_sync(unsigned int mask, type value, int lane_mask,         \
                         int width = warpSize) VGPU_BOUND(shfl_xor_##name);    \
    unsigned int __match_any_sync(unsigned int mask, type value)               \
        VGPU_BOUND(match_any_##name);                                          \
    unsigned int __match_all_sync(unsigned int mask, type value,               \
                                  int *predicate)                              \
        VGPU_BOUND(match_all_##name);

VGPU_EXCHANGES(int, int)
VGPU_EXCHANGES(uint, unsigned int)
VGPU_EXCHANGES(long, long)
VGPU_EXCHANGES(ulong, unsigned long)
VGPU_EXCHANGES(longlong, long long)
VGPU_EXCHANGES(ulonglong, unsigned long long)
VGPU_EXCHANGES(float, float)
VGPU_EXCHANGES(double, double)
#undef VGPU_EXCHANGES

int __reduce_add_sync(unsigned int mask, int value) VGPU_BOUND(reduce_add_int);
int __reduce_min_sync(unsigned int mask, int value) VGPU_BOUND(reduce_min_int);
int __reduce_max_sync(unsigned int mask, int value) VGPU_BOUND(reduce_max_int);
unsigned int __reduce_add_sync(unsigned int mask, unsigned int value)
    VGPU_BOUND(reduce_add_uint);
unsigned int __reduce_min_sync(unsigned int mask, unsigned int value)
    VGPU_BOUND(reduce_min_uint);
unsigned int __reduce_max_sync(unsigned int mask, unsigned int value)
    VGPU_BOUND(reduce_max_uint);
unsigned int __reduce_and_sync(unsigned int mask, unsigned int value)
    VGPU_BOUND(reduce_and_uint);
unsigned int __reduce_or_sync(unsigned int mask, unsigned int value)
    VGPU_BOUND(reduce_or_uint);
unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value)
    VGPU_BOUND(reduce_xor_uint);

/* ---- atomics ------------------------------------------------------------- */

/* As with nvcc, there is none for unsigned long (uint64_t on Linux). */
#define VGPU_ATOMIC(cuda_name, name, type)                                     \
    type cuda_name(type *address, type value) VGPU_BOUND(atomic_##name);       \
    type cuda_name##_block(type *address, type value)                          \
        VGPU_BOUND(atomic_##name);                                             \
    type cuda_name##_system(type *address, type value)                         \
        VGPU_BOUND(atomic_##name);
#define VGPU_ATOMIC_CAS(name, type)                                            \
    type atomicCAS(type *address, type compare, type value)                    \
        VGPU_BOUND(atomic_cas_##name);                                         \
    type atomicCAS_block(type *address, type compare, type value)              \
        VGPU_BOUND(atomic_cas_##name);                                         \
    type atomicCAS_system(type *address, type compare, type value)             \
        VGPU_BOUND(atomic_cas_##name);

VGPU_ATOMIC(atomicAdd, add_int, int)
VGPU_ATOMIC(atomicAdd, add_uint, unsigned int)
VGPU_ATOMIC(atomicAdd, add_ulonglong, unsigned long long)
VGPU_ATOMIC(atomicAdd, add_float, float)
VGPU_ATOMIC(atomicAdd, add_double, double)
VGPU_ATOMIC(atomicSub, sub_int, int)
VGPU_ATOMIC(atomicSub, sub_uint, unsigned int)
VGPU_ATOMIC(atomicExch, exch_int, int)
VGPU_ATOMIC(atomicExch, exch_uint, unsigned int)
VGPU_ATOMIC(atomicExch, exch_ulonglong, unsigned long long)
VGPU_ATOMIC(atomicExch, exch_float, float)
VGPU_ATOMIC(atomicMin, min_int, int)
VGPU_ATOMIC(atomicMin, min_uint, unsigned int)
VGPU_ATOMIC(atomicMin, min_longlong, long long)
VGPU_ATOMIC(atomicMin, min_ulonglong, unsigned long long)
VGPU_ATOMIC(atomicMax, max_int, int)
VGPU_ATOMIC(atomicMax, max_uint, unsigned int)
VGPU_ATOMIC(atomicMax, max_longlong, long long)
VGPU_ATOMIC(atomicMax, max_ulonglong, unsigned long long)
VGPU_ATOMIC(atomicInc, inc_uint, unsigned int)
VGPU_ATOMIC(atomicDec, dec_uint, unsigned int)
VGPU_ATOMIC(atomicAnd, and_int, int)
VGPU_ATOMIC(atomicAnd, and_uint, unsigned int)
VGPU_ATOMIC(atomicAnd, and_ulonglong, unsigned long long)
VGPU_ATOMIC(atomicOr, or_int, int)
VGPU_ATOMIC(atomicOr, or_uint, unsigned int)
VGPU_ATOMIC(atomicOr, or_ulonglong, unsigned long long)
VGPU_ATOMIC(atomicXor, xor_int, int)
VGPU_ATOMIC(atomicXor, xor_uint, unsigned int)
VGPU_ATOMIC(atomicXor, xor_ulonglong, unsigned long long)
VGPU_ATOMIC_CAS(int, int)
VGPU_ATOMIC_CAS(uint, unsigned int)
VGPU_ATOMIC_CAS(ulonglong, unsigned long long)
VGPU_ATOMIC_CAS(ushort, unsigned short)
#undef VGPU_ATOMIC
#undef VGPU_ATOMIC_CAS

/* ---- loads and stores with a cache hint ---------------------------------- */

/* What is fetched again each time is volatile, if it is one word. */
template <class T, bool = __is_class(T)>
struct __ldcv_of {
    typedef const volatile T *type;
};
template <class T>
struct __ldcv_of<T, true> {
    typedef const T *type;
};
template <class T>
struct __ldcv_of<T &, false> : __ldcv_of<T> {
};

/* Macros, so that the access is on the program's line. */
#define __ldg(address)  (*(address))
#define __ldcg(address) (*(address))
#define __ldca(address) (*(address))
#define __ldcs(address) (*(address))
#define __ldlu(address) (*(address))
#define __ldcv(address)                                                        \
    (*static_cast<typename ::__ldcv_of<decltype(*(address))>::type>(address))
#define __stwb(address, value) ((void)(*(address) = (value)))
#define __stcg(address, value) ((void)(*(address) = (value)))
#define __stcs(address, value) ((void)(*(address) = (value)))
#define __stwt(address, value) ((void)(*(address) = (value)))

/* ---- time, ending -------------------------------------------------------- */

VGPU_INLINE long long vgpu_clock64(const vgpu_cost &cost)
{
    return (long long)vgpu_clock_read(cost.n);
}
/* The front end gives every function a vgpu_c. */
#define clock64() (::vgpu_clock64(vgpu_c))

/* Costs as many operations as nanoseconds. */
VGPU_INLINE void __nanosleep(unsigned int ns)
{
    vgpu_cost_add(ns);
}

/* Source: device runtime API, cudaGraphSetConditional */
VGPU_INLINE void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
                                         unsigned int value)
{
    vgpu_condition_set(handle, value);
}

/* ---- addresses ----------------------------------------------------------- */

unsigned int __isGlobal(const void *address) VGPU_BOUND(is_global);
unsigned int __isShared(const void *address) VGPU_BOUND(is_shared);
unsigned int __isLocal(const void *address) VGPU_BOUND(is_local);
VGPU_INLINE unsigned int __isConstant(const void *)
{
    return 0; /* constant memory is read like any other */
}
VGPU_INLINE unsigned int __isGridConstant(const void *)
{
    return 0;
}
size_t __cvta_generic_to_shared(const void *address) VGPU_BOUND(to_shared);
void *__cvta_shared_to_generic(size_t place) VGPU_BOUND(from_shared);
VGPU_INLINE size_t __cvta_generic_to_global(const void *address)
{
    return (size_t)address;
}
VGPU_INLINE void *__cvta_global_to_generic(size_t address)
{
    return (void *)address;
}
VGPU_INLINE size_t __cvta_generic_to_local(const void *address)
{
    return (size_t)address;
}
VGPU_INLINE void *__cvta_local_to_generic(size_t address)
{
    return (void *)address;
}
VGPU_INLINE size_t __cvta_generic_to_constant(const void *address)
{
    return (size_t)address;
}
VGPU_INLINE void *__cvta_constant_to_generic(size_t address)
{
    return (void *)address;
}

/* ---- kernels that begin before the one ahead ends ------------------------ */

/* Source: device runtime API, programmatic dependent launch */
void cudaTriggerProgrammaticLaunchCompletion() VGPU_BOUND(trigger);
void cudaGridDependencySynchronize() VGPU_BOUND(dependency);

void __trap() VGPU_BOUND(trap);
void __brkpt() VGPU_BOUND(trap);

/* ---- min and max --------------------------------------------------------- */

#define VGPU_ORDER(type, left, right)                                          \
    VGPU_INLINE type min(left a, right b)                                      \
    {                                                                          \
        return (type)a < (type)b ? (type)a : (type)b;                          \
    }                                                                          \
    VGPU_INLINE type max(left a, right b)                                      \
    {                                                                          \
        return (type)a > (type)b ? (type)a : (type)b;                          \
    }
#define VGPU_ORDERS(type, unsigned_type)                                       \
    VGPU_ORDER(type, type, type)                                               \
    VGPU_ORDER(unsigned_type, unsigned_type, unsigned_type)                    \
    VGPU_ORDER(unsigned_type, type, unsigned_type)                             \
    VGPU_ORDER(unsigned_type, unsigned_type, type)

VGPU_ORDERS(int, unsigned int)
VGPU_ORDERS(long, unsigned long)
VGPU_ORDERS(long long, unsigned long long)
#undef VGPU_ORDERS
#undef VGPU_ORDER

/* A NaN loses, as on the device. */
VGPU_INLINE float min(float a, float b)
{
    return fminf(a, b);
}
VGPU_INLINE double min(double a, double b)
{
    return fmin(a, b);
}
VGPU_INLINE double min(float a, double b)
{
    return fmin((double)a, b);
}
VGPU_INLINE double min(double a, float b)
{
    return fmin(a, (double)b);
}
VGPU_INLINE float max(float a, float b)
{
    return fmaxf(a, b);
}
VGPU_INLINE double max(double a, double b)
{
    return fmax(a, b);
}
VGPU_INLINE double max(float a, double b)
{
    return fmax((double)a, b);
}
VGPU_INLINE double max(double a, float b)
{
    return fmax(a, (double)b);
}

VGPU_INLINE unsigned int umin(unsigned int a, unsigned int b)
{
    return min(a, b);
}
VGPU_INLINE unsigned int umax(unsigned int a, unsigned int b)
{
    return max(a, b);
}
VGPU_INLINE long long llmin(long long a, long long b)
{
    return min(a, b);
}
VGPU_INLINE long long llmax(long long a, long long b)
{
    return max(a, b);
}
VGPU_INLINE unsigned long long ullmin(unsigned long long a,
                                      unsigned long long b)
{
    return min(a, b);
}
VGPU_INLINE unsigned long long ullmax(unsigned long long a,
                                      unsigned long long b)
{
    return max(a, b);
}

/* ---- integers ------------------------------------------------------------ */

VGPU_INLINE int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}
VGPU_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
VGPU_INLINE int __clz(int x)
{
    return x ? __builtin_clz((unsigned int)x) : 32;
}
VGPU_INLINE int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
VGPU_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}
VGPU_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

VGPU_INLINE unsigned int __brev(unsigned int x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
VGPU_INLINE unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned int)x) << 32 |
           __brev((unsigned int)(x >> 32));
}

/* Four of the eight bytes of @y:@x; the selector has a digit for each. */
VGPU_INLINE unsigned int __byte_perm(unsigned int x, unsigned int y,
                                     unsigned int selector)
{
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned int result = 0;

    for (int i = 0; i < 4; i++) {
        unsigned int digit = selector >> 4 * i & 0xf;
        unsigned int byte = bytes >> 8 * (digit & 7) & 0xff;

        if (digit & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

/* The low 24 bits are a signed number. */
VGPU_INLINE int vgpu_low24(int x)
{
    return (int)((unsigned int)x << 8) >> 8;
}
VGPU_INLINE int __mul24(int a, int b)
{
    return (int)((long long)vgpu_low24(a) * vgpu_low24(b));
}
VGPU_INLINE unsigned int __umul24(unsigned int a, unsigned int b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
VGPU_INLINE int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
VGPU_INLINE unsigned int __umulhi(unsigned int a, unsigned int b)
{
    return (unsigned int)((unsigned long long)a * b >> 32);
}
VGPU_INLINE long long __mul64hi(long long a, long long b)
{
    return (long long)((__int128)a * b >> 64);
}
VGPU_INLINE unsigned long long __umul64hi(unsigned long long a,
                                          unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

VGPU_INLINE unsigned int __sad(int a, int b, unsigned int sum)
{
    return sum + (a < b ? (unsigned int)b - (unsigned int)a
                        : (unsigned int)a - (unsigned int)b);
}
VGPU_INLINE unsigned int __usad(unsigned int a, unsigned int b,
                                unsigned int sum)
{
    return sum + (a < b ? b - a : a - b);
}
VGPU_INLINE int __hadd(int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
VGPU_INLINE int __rhadd(int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
VGPU_INLINE unsigned int __uhadd(unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a + b) >> 1);
}
VGPU_INLINE unsigned int __urhadd(unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}

/* Shift @hi:@lo; the c forms stop at 32 instead of wrapping. */
VGPU_INLINE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi,
                                         unsigned int shift)
{
    return (
        unsigned int)((((unsigned long long)hi << 32 | lo) << (shift & 31)) >>
                      32);
}
VGPU_INLINE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi,
                                         unsigned int shift)
{
    return (unsigned int)(((unsigned long long)hi << 32 | lo) >> (shift & 31));
}
VGPU_INLINE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi,
                                          unsigned int shift)
{
    return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
VGPU_INLINE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi,
                                          unsigned int shift)
{
    return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

/* Sum of the products of four bytes each. */
VGPU_INLINE int __dp4a(int a, int b, int sum)
{
    for (int i = 0; i < 32; i += 8)
        sum += (signed char)(a >> i) * (signed char)(b >> i);
    return sum;
}
VGPU_INLINE unsigned int __dp4a(unsigned int a, unsigned int b,
                                unsigned int sum)
{
    for (int i = 0; i < 32; i += 8)
        sum += (a >> i & 0xff) * (b >> i & 0xff);
    return sum;
}

/* ---- bits of numbers ----------------------------------------------------- */

#define VGPU_REINTERPRET(name, from, to)                                       \
    VGPU_INLINE to name(from x)                                                \
    {                                                                          \
        to result;                                                             \
                                                                               \
        static_assert(sizeof(from) == sizeof(to), "");                         \
        __builtin_memcpy(&result, &x, sizeof x);                               \
        return result;                                                         \
    }

VGPU_REINTERPRET(__float_as_int, float, int)
VGPU_REINTERPRET(__int_as_float, int, float)
VGPU_REINTERPRET(__float_as_uint, float, unsigned int)
VGPU_REINTERPRET(__uint_as_float, unsigned int, float)
VGPU_REINTERPRET(__double_as_longlong, double, long long)
VGPU_REINTERPRET(__longlong_as_double, long long, double)
#undef VGPU_REINTERPRET

VGPU_INLINE int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
VGPU_INLINE int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
VGPU_INLINE double __hiloint2double(int hi, int lo)
{
    return __longlong_as_double(
        (long long)((unsigned long long)(unsigned int)hi << 32 |
                    (unsigned int)lo));
}

/* ---- conversions --------------------------------------------------------- */

/* A number that does not fit becomes the nearest that does, a NaN 0. */
template <class Integer, class Real>
VGPU_INLINE Integer vgpu_convert(Real rounded)
{
    const bool is_signed = (Integer)-1 < (Integer)0;
    const int bits = (int)sizeof(Integer) * 8 - is_signed;
    const Real limit = (Real)(1ULL << (bits - 1)) * 2;
    const Integer highest = (Integer)(~0ULL >> (64 - bits));

    if (rounded != rounded)
        return 0;
    if (rounded >= limit)
        return highest;
    if (rounded < (is_signed ? -limit : (Real)0))
        return is_signed ? (Integer)(-highest - 1) : (Integer)0;
    return (Integer)rounded;
}

#define VGPU_CONVERT(real, prefix, integer, name)                              \
    VGPU_INLINE integer prefix##2##name##_rn(real x)                           \
    {                                                                          \
        return vgpu_convert<integer>(rint(x));                                 \
    }                                                                          \
    VGPU_INLINE integer prefix##2##name##_rz(real x)                           \
    {                                                                          \
        return vgpu_convert<integer>(trunc(x));                                \
    }                                                                          \
    VGPU_INLINE integer prefix##2##name##_ru(real x)                           \
    {                                                                          \
        return vgpu_convert<integer>(ceil(x));                                 \
    }                                                                          \
    VGPU_INLINE integer prefix##2##name##_rd(real x)                           \
    {                                                                          \
        return vgpu_convert<integer>(floor(x));                                \
    }
#define VGPU_CONVERTS(integer, name)                                           \
    VGPU_CONVERT(float, __float, integer, name)                                \
    VGPU_CONVERT(double, __double, integer, name)                              \
    VGPU_INLINE float __##name##2float_rn(integer x)                           \
    {                                                                          \
        return (float)x;                                                       \
    }                                                                          \
    VGPU_INLINE double __##name##2double_rn(integer x)                         \
    {                                                                          \
        return (double)x;                                                      \
    }

VGPU_CONVERTS(int, int)
VGPU_CONVERTS(unsigned int, uint)
VGPU_CONVERTS(long long, ll)
VGPU_CONVERTS(unsigned long long, ull)
#undef VGPU_CONVERTS
#undef VGPU_CONVERT

VGPU_INLINE float __double2float_rn(double x)
{
    return (float)x;
}

/* ---- arithmetic ---------------------------------------------------------- */

/* Slots and instructions in double precision: see vgpu/math.h. Never fused:
 * programs are compiled with -ffp-contract=off. */
#define VGPU_TWO(name, type, slots, doubles, expression)                       \
    VGPU_INLINE type name(type a, type b)                                      \
    {                                                                          \
        if (slots)                                                             \
            vgpu_math_count(slots, doubles);                                   \
        return expression;                                                     \
    }
#define VGPU_ONE(name, type, slots, doubles, expression)                       \
    VGPU_INLINE type name(type a)                                              \
    {                                                                          \
        if (slots)                                                             \
            vgpu_math_count(slots, doubles);                                   \
        return expression;                                                     \
    }

VGPU_TWO(__fadd_rn, float, 0, 0, a + b)
VGPU_TWO(__fsub_rn, float, 0, 0, a - b)
VGPU_TWO(__fmul_rn, float, 0, 0, a *b)
VGPU_TWO(__fdiv_rn, float, 20, 0, a / b)
VGPU_TWO(__dadd_rn, double, 0, 0, a + b)
VGPU_TWO(__dsub_rn, double, 0, 0, a - b)
VGPU_TWO(__dmul_rn, double, 0, 0, a *b)
VGPU_TWO(__ddiv_rn, double, 25, 10, a / b)
VGPU_ONE(__frcp_rn, float, 14, 0, 1.0f / a)
VGPU_ONE(__drcp_rn, double, 20, 8, 1.0 / a)
VGPU_ONE(__fsqrt_rn, float, 18, 0, sqrtf(a))
VGPU_ONE(__dsqrt_rn, double, 25, 12, sqrt(a))
VGPU_ONE(__frsqrt_rn, float, 10, 0, (float)(1.0 / sqrt((double)a)))

VGPU_INLINE float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}
VGPU_INLINE double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}

VGPU_TWO(__fdividef, float, 10, 0, a / b)
VGPU_TWO(fdividef, float, 10, 0, a / b)
VGPU_ONE(__saturatef, float, 0, 0, a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f)

/* ---- what CUDA's math library has beyond C's ----------------------------- */

VGPU_ONE(rsqrt, double, 25, 10, 1.0 / sqrt(a))
VGPU_ONE(rsqrtf, float, 10, 0, (float)(1.0 / sqrt((double)a)))
VGPU_ONE(rcbrt, double, 45, 14, 1.0 / cbrt(a))
VGPU_ONE(rcbrtf, float, 29, 0, (float)(1.0 / cbrt((double)a)))
VGPU_ONE(sinpi, double, 35, 15, sin(M_PI *fmod(a, 2.0)))
VGPU_ONE(sinpif, float, 28, 0, (float)sin(M_PI *fmod((double)a, 2.0)))
VGPU_ONE(cospi, double, 35, 15, cos(M_PI *fmod(a, 2.0)))
VGPU_ONE(cospif, float, 28, 0, (float)cos(M_PI *fmod((double)a, 2.0)))
VGPU_ONE(normcdf, double, 120, 74, 0.5 * erfc(-a * M_SQRT1_2))
VGPU_ONE(normcdff, float, 75, 0, (float)(0.5 * erfc(-(double)a * M_SQRT1_2)))
VGPU_TWO(rhypot, double, 50, 16, 1.0 / hypot(a, b))
VGPU_TWO(rhypotf, float, 45, 0, (float)(1.0 / hypot((double)a, (double)b)))

VGPU_INLINE float rsqrt(float a)
{
    return rsqrtf(a);
}
VGPU_INLINE double norm3d(double a, double b, double c)
{
    return sqrt(a * a + b * b + c * c);
}
VGPU_INLINE float norm3df(float a, float b, float c)
{
    return (float)norm3d((double)a, (double)b, (double)c);
}
VGPU_INLINE double rnorm3d(double a, double b, double c)
{
    return 1.0 / norm3d(a, b, c);
}
VGPU_INLINE float rnorm3df(float a, float b, float c)
{
    return (float)rnorm3d((double)a, (double)b, (double)c);
}

#undef VGPU_ONE
#undef VGPU_TWO

#endif
