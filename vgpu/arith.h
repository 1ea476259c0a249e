/*
 * arith.h: lesser of two numbers, division that rounds up. For all parts of
 * the virtual GPU; programs do not see it.
 */
#ifndef VGPU_ARITH_H
#define VGPU_ARITH_H

#include <stdint.h>

static inline int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How many boxes of @b hold @a things; @b is not 0. Right for every @a: the
 * usual (a + b - 1) / b overflows near 2^64. */
static inline uint64_t div_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* The least multiple of @unit that is not below @a. */
static inline uint64_t round_up(uint64_t a, uint64_t unit)
{
    return div_up(a, unit) * unit;
}

#endif
