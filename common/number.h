/*
 * number.h: least, greatest, order and round-up division of 64-bit numbers,
 * for the C tools: timelines, grader, their tests. Labs have sdiv() of
 * helper.h, which their texts explain.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* For qsort(). A difference would not do: it need not fit into an int. */
static inline int order_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/*
 * How many boxes of @b hold @a things; @b must not be 0. Right for every @a:
 * the usual (a + b - 1) / b overflows near 2^64.
 */
static inline uint64_t div_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

#endif
