/*
 * walk.h: in which order the blocks of a grid run, and which of them stand for
 * all.
 */
#ifndef VGPU_WALK_H
#define VGPU_WALK_H

#include <stdbool.h>
#include <stdint.h>

/* Every number below @of once, or @count of them: from @first on in steps of
 * @step. */
struct walk {
    uint64_t of;
    uint64_t count;
    uint64_t first;
    uint64_t step;
};

/* SplitMix64: the same sequence on every machine, which rand() is not. */
uint64_t walk_random(uint64_t *state);

/* All of @count, shuffled unless *@random is 0. */
struct walk walk_make(uint64_t count, uint64_t *random);
/* @sample of them, spread over the grid, for its end may have less to do than
 * its beginning. */
struct walk walk_sample(uint64_t count, uint64_t sample);
/* The number at place @i, 0 to @walk->count - 1. */
uint64_t walk_at(const struct walk *walk, uint64_t i);

/*
 * The order in which blocks are taken to stand for all of @count: the first,
 * the last, then others in steps of about 0.62 of the grid, so that those
 * taken so far are spread evenly, and over rows and columns, too.
 */
struct spread {
    uint64_t count;
    uint64_t step, back; /* step * back is 1 modulo count - 2 */
};

/* Grids of fewer are never told from some of their blocks; nor larger ones. */
#define SPREAD_LEAST 8
#define SPREAD_MOST  UINT32_MAX

struct spread spread_make(uint64_t count);
uint64_t spread_at(const struct spread *spread, uint64_t i);
/* The place at which @block is taken. */
uint64_t spread_place(const struct spread *spread, uint64_t block);

#endif
