/*
 * walk.c: permutations of a grid's blocks by arithmetic: no array of a million
 * blocks is shuffled.
 */
#include "walk.h"

uint64_t walk_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* A step without a common divisor with the count visits every number once. */
struct walk walk_make(uint64_t count, uint64_t *random)
{
    struct walk walk = {count, count, 0, 1};

    if (*random && count > 1) {
        walk.first = walk_random(random) % count;
        do {
            walk.step = 1 + walk_random(random) % (count - 1);
        } while (common_divisor(walk.step, count) != 1);
    }
    return walk;
}

struct walk walk_sample(uint64_t count, uint64_t sample)
{
    uint64_t step = count / sample;

    return (struct walk){count, sample, step / 2, step};
}

/* a * b modulo @m, without 128 bits: most grids need no loop. */
static uint64_t product(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t sum = 0;

    if (a <= UINT32_MAX && b <= UINT32_MAX)
        return a * b % m;
    for (; b; b >>= 1) {
        if (b & 1)
            sum = sum >= m - a ? sum - (m - a) : sum + a;
        a = a >= m - a ? a - (m - a) : a + a;
    }
    return sum;
}

uint64_t walk_at(const struct walk *walk, uint64_t i)
{
    uint64_t by = product(i, walk->step, walk->of);

    return by >= walk->of - walk->first ? by - (walk->of - walk->first)
                                        : by + walk->first;
}

/* Euclid's algorithm: x with a * x = 1 modulo @m. */
static uint64_t inverse(uint64_t a, uint64_t m)
{
    int64_t x = 1, y = 0, r = (int64_t)a, s = (int64_t)m;

    while (s) {
        int64_t q = r / s, old = s;

        s = r - q * s;
        r = old;
        old = y;
        y = x - q * y;
        x = old;
    }
    return (uint64_t)(x < 0 ? x + (int64_t)m : x);
}

struct spread spread_make(uint64_t count)
{
    const uint64_t inner = count - 2;
    struct spread spread = {count, inner * 618034 / 1000000, 1};

    while (common_divisor(spread.step, inner) != 1)
        spread.step++;
    spread.back = inverse(spread.step, inner);
    return spread;
}

uint64_t spread_at(const struct spread *spread, uint64_t i)
{
    const uint64_t inner = spread->count - 2;

    if (i < 2)
        return i * (spread->count - 1);
    return 1 + (i - 2) * spread->step % inner;
}

uint64_t spread_place(const struct spread *spread, uint64_t block)
{
    const uint64_t inner = spread->count - 2;

    if (block == 0 || block == spread->count - 1)
        return block != 0;
    return 2 + (block - 1) * spread->back % inner;
}
