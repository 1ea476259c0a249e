/*
 * lab.h: the parts of the program that lab.cu holds. Read it, do not change
 * it. The grader calls the same parts as the program's own main does.
 *
 * How the entries are shared out, as in lab 12: a stream chunk is
 *
 *     num_entries / (num_gpus * num_streams), rounded up
 *
 * and a GPU chunk is num_streams of them, one after the other. GPU g has the
 * entries from g * gpu_chunk on. At the end of the data chunks are shorter, or
 * empty, and so may be the chunk of a whole GPU.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/* One job: its size, and all that the program takes for it. */
struct cipher {
    uint64_t num_entries;
    uint64_t num_gpus;      /* GPUs 0 .. num_gpus-1 do the work */
    uint64_t num_streams;   /* of each GPU */
    uint64_t *data_host;    /* num_entries; the caller fills and reads them */
    uint64_t **data_gpu;    /* [gpu]: memory of that GPU, for its part */
    cudaStream_t **streams; /* [gpu][stream]: streams of that GPU */
};

/*
 * Take memory and streams for a job, and note its size in @cipher.
 *
 * @num_entries  1 or more: not divisible by anything, or fewer than streams
 * @num_gpus     1 or more, but no more than there are
 * @num_streams  1 or more, for each GPU
 */
void cipher_create(struct cipher *cipher, uint64_t num_entries,
                   uint64_t num_gpus, uint64_t num_streams);

/* Give back all that cipher_create took. */
void cipher_destroy(struct cipher *cipher);

/*
 * Decrypt the entries of data_host in place, on all GPUs of the job. All the
 * work is done when the function returns. May be called again on other
 * entries. Any GPU may be the current one, before and after.
 *
 * @num_iters  rounds of the cipher per entry, as decrypt_gpu takes it
 * Return: milliseconds from the first copy in to the end of the last copy
 * back, on whatever GPU that is.
 */
double cipher_decrypt(struct cipher *cipher, uint64_t num_iters);

/* A point of the sweep. */
struct setting {
    uint64_t num_gpus, num_streams;
};

/*
 * Measure cipher_decrypt with each number of GPUs from 1 to all that there
 * are, and for each of them with 1, 2, 4 ... streams up to at least 8. Print
 * a row for each: GPUs, streams, milliseconds, speed-up.
 *
 * Return: the setting that was fastest.
 */
struct setting cipher_sweep(uint64_t num_entries, uint64_t num_iters);

/* The grader has a main of its own, and calls the program's by this name. */
#if __has_include("driver.h")
#define main cipher_main
int cipher_main(int argc, char **argv);
#endif

#endif
