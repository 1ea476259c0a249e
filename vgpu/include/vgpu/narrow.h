/*
 * narrow.h: numbers of 16 bits, __half and __nv_bfloat16, by their bits. A
 * format is how many bits its fraction has and what its exponent is biased by.
 *
 * All arithmetic is done in double and rounded once. That gives the nearest
 * number of the format where the double is exact, and also where it is rounded
 * itself, because a double has more than twice as many digits and two more;
 * but for a sum of a product and a number, which is taken care of.
 *
 * Source: CUDA Math API, "Half Precision Intrinsics", "Bfloat16 Precision
 * Intrinsics"; IEEE 754-2019, 4.3.
 */
#ifndef VGPU_NARROW_H
#define VGPU_NARROW_H

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum vgpu_rounding {
    VGPU_NEAREST, /* to even */
    VGPU_TO_ZERO,
    VGPU_DOWN,
    VGPU_UP,
};

#define VGPU_NARROW_NAN 0x7FFF

static inline uint64_t vgpu_double_bits(double value)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double vgpu_bits_double(uint64_t bits)
{
    double value;

    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* @value is not a number that the format has: what comes instead of infinity
 * where rounding leads away from it. */
static inline unsigned vgpu_narrow_overflow(int mantissa, bool negative,
                                            enum vgpu_rounding rounding)
{
    const unsigned infinity = 0x7FFFu >> mantissa << mantissa;
    const bool away = rounding == VGPU_NEAREST ||
                      rounding == (negative ? VGPU_DOWN : VGPU_UP);

    return away ? infinity : infinity - 1;
}

/* Units of the last place of what is cut off: does it count as one more? */
static inline bool vgpu_narrow_carries(uint64_t units, uint64_t rest,
                                       uint64_t half, bool negative,
                                       enum vgpu_rounding rounding)
{
    switch (rounding) {
    case VGPU_NEAREST:
        return rest > half || (rest == half && (units & 1));
    case VGPU_TO_ZERO:
        return false;
    case VGPU_DOWN:
        return rest && negative;
    default:
        return rest && !negative;
    }
}

/* Below the smallest normal number the last place stays where it is, so that
 * the bits count on from there; a carry out of the fraction is one more of the
 * exponent, which is what it should be. */
static inline unsigned short vgpu_narrow(double value, int mantissa, int bias,
                                         enum vgpu_rounding rounding)
{
    const uint64_t bits = vgpu_double_bits(value);
    const bool negative = bits >> 63;
    const unsigned sign = negative ? 0x8000u : 0;
    const int exponent = (int)(bits >> 52 & 0x7FF) - 1023;
    const bool normal = exponent >= 1 - bias;
    const int cut = 52 - mantissa + (normal ? 0 : 1 - bias - exponent);
    const unsigned infinity = 0x7FFFu >> mantissa << mantissa;
    uint64_t whole = (bits & 0xFFFFFFFFFFFFF) | (uint64_t)1 << 52;
    uint64_t units, rest, half;
    unsigned result;

    if (value != value)
        return VGPU_NARROW_NAN;
    if (exponent == 1024)
        return (unsigned short)(sign | infinity);
    if (exponent > bias)
        return (unsigned short)(sign | vgpu_narrow_overflow(mantissa, negative,
                                                            rounding));
    if (!(bits << 1))
        return (unsigned short)sign;
    units = cut < 64 ? whole >> cut : 0;
    rest = cut < 64 ? whole & (((uint64_t)1 << cut) - 1) : 1;
    half = cut < 64 ? (uint64_t)1 << (cut - 1) : 2;
    if (vgpu_narrow_carries(units, rest, half, negative, rounding))
        units++;
    result = (unsigned)units;
    if (normal)
        result += ((unsigned)(exponent + bias) - 1) << mantissa;
    if (result >= infinity)
        result = vgpu_narrow_overflow(mantissa, negative, rounding);
    return (unsigned short)(sign | result);
}

/* A format with a float's exponent is a float's first bits, whatever they say.
 * Of others what is no number comes as the one that CUDA has for it. */
static inline float vgpu_widen(unsigned short narrow, int mantissa, int bias)
{
    const uint32_t sign = (uint32_t)(narrow & 0x8000) << 16;
    const unsigned exponent = (narrow & 0x7FFFu) >> mantissa;
    uint32_t bits = (uint32_t)(narrow & 0x7FFF) << (23 - mantissa);
    float value;

    if (bias != 127 && exponent == 2 * (unsigned)bias + 1)
        bits = narrow & ((1u << mantissa) - 1) ? 0x7FFFFFFF : 0x7F800000 | sign;
    else if (bias != 127 && !exponent) {
        value = (float)(narrow & 0x7FFF) *
                (float)vgpu_bits_double((uint64_t)(1023 + 1 - bias - mantissa)
                                        << 52);
        return sign ? -value : value;
    } else
        bits = (bits + ((uint32_t)(127 - bias) << 23)) | sign;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * a * b + c, inexact in the last bit of the double only in a way that tells:
 * the bit is set. So the second rounding cannot take it for a tie. The product
 * is exact; the sum's error is found by subtracting (Knuth).
 */
static inline double vgpu_narrow_fma(double a, double b, double c)
{
    const double product = a * b;
    const double sum = product + c;
    const double other = sum - product;
    const double error = (product - (sum - other)) + (c - other);
    const uint64_t bits = vgpu_double_bits(sum);

    if (!(error != 0) || isinf(sum) || (bits & 1))
        return sum;
    return vgpu_bits_double((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* A whole number of 64 bits as a double that rounds as it would itself: see
 * vgpu_narrow_fma. */
static inline double vgpu_narrow_whole(bool negative, unsigned long long units)
{
    double value;

    if (units >> 53)
        value = (double)(units >> 11 | ((units & 0x7FF) != 0)) * 2048.0;
    else
        value = (double)units;
    return negative ? -value : value;
}

static inline double vgpu_round_to_whole(double value,
                                         enum vgpu_rounding rounding)
{
    switch (rounding) {
    case VGPU_NEAREST:
        return nearbyint(value);
    case VGPU_TO_ZERO:
        return trunc(value);
    case VGPU_DOWN:
        return floor(value);
    default:
        return ceil(value);
    }
}

#endif
