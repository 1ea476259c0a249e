/*
 * plain.c: the kernels of check_cost.cu as plain C loops over blocks and
 * threads, built without the checker's instrumentation: what a run in check
 * mode is compared with.
 */
#include <stdint.h>
#include "cipher_entry.h"

/* What a CUDA thread has for itself. */
struct place {
    uint64_t blocks, threads; /* of the grid, of a block */
    uint64_t block, thread;
};

static void saxpy_thread(const struct place *at, float *y, const float *x,
                         float a, uint64_t n)
{
    for (uint64_t i = at->block * at->threads + at->thread; i < n;
         i += at->blocks * at->threads)
        y[i] = a * x[i] + y[i];
}

static void decrypt_thread(const struct place *at, uint64_t *data, uint64_t n,
                           uint64_t num_iters)
{
    for (uint64_t i = at->block * at->threads + at->thread; i < n;
         i += at->blocks * at->threads)
        data[i] = decrypt_entry(data[i], num_iters);
}

void plain_saxpy(float *y, const float *x, float a, uint64_t n, uint64_t blocks,
                 uint64_t threads)
{
    struct place at = {blocks, threads, 0, 0};

    for (at.block = 0; at.block < blocks; at.block++)
        for (at.thread = 0; at.thread < threads; at.thread++)
            saxpy_thread(&at, y, x, a, n);
}

void plain_decrypt(uint64_t *data, uint64_t n, uint64_t num_iters,
                   uint64_t blocks, uint64_t threads)
{
    struct place at = {blocks, threads, 0, 0};

    for (at.block = 0; at.block < blocks; at.block++)
        for (at.thread = 0; at.thread < threads; at.thread++)
            decrypt_thread(&at, data, n, num_iters);
}

/* The order of loops that a C programmer takes: b is read row by row. */
void plain_multiply(float *c, const float *a, const float *b, int n)
{
    for (int row = 0; row < n; row++)
        for (int k = 0; k < n; k++)
            for (int column = 0; column < n; column++)
                c[row * n + column] += a[row * n + k] * b[k * n + column];
}
