/*
 * measure.h: clocks, and the operations that calibrate.cu and its kin time.
 *
 * All of it runs on a real GPU and on the virtual one, whose calibration must
 * give back its own profile: that is the test of how things are measured.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#ifdef __VGPU__
enum { REPEATS = 1 }; /* virtual time is exact */
#else
enum { REPEATS = 7 };
#endif

enum { KIB = 1 << 10, MIB = 1 << 20 };

static inline double wall_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* @values are sorted. */
static inline double median_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), compare_doubles);
    return values[count / 2];
}

static inline double least_of(const double *values, int count)
{
    double least = values[0];

    for (int i = 1; i < count; i++)
        least = values[i] < least ? values[i] : least;
    return least;
}

/* Keeps a stream busy for @ticks of the device's clock, so that what follows is
 * all queued when it begins. */
__global__ static void hold(long long ticks)
{
    const long long from = clock64();

    while (clock64() - from < ticks)
        ;
}

__global__ static void nothing(void)
{
}

/* ---- loops whose operations the virtual GPU counts ----------------------- */

/* Operators in the text of one round, the whole of the header among them: what
 * virtual time goes by. */
enum { SHIFT_OPS = 9, HASH_OPS = 10, POLY_OPS = 9 };

__device__ static uint32_t shift_rounds(uint32_t x, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

__device__ static uint32_t hash_rounds(uint32_t x, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        x = (x + i) * 0x85ebca6bu;
        x ^= x >> 13;
        x += 7u;
        x ^= i;
    }
    return x;
}

__device__ static float poly_rounds(float x, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        x = x * 0.75f + 0.125f;
        x = x * 0.5f + 0.25f;
    }
    return x;
}

#endif
