/*
 * lab.h: the parts of the program that lab.cu holds. Read it, do not change
 * it. The grader calls the same parts as the program's own main does.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/* One job: its size, and all that the program takes for it. */
struct cipher {
    uint64_t num_entries;
    uint64_t num_streams;
    uint64_t *data_host;   /* num_entries; the caller fills and reads them */
    uint64_t *data_device; /* num_entries */
    cudaStream_t *streams; /* num_streams */
};

/*
 * Take memory and streams for a job, and note its size in @cipher.
 *
 * @num_entries  1 or more: not divisible by @num_streams, or fewer than that
 * @num_streams  1 or more
 */
void cipher_create(struct cipher *cipher, uint64_t num_entries,
                   uint64_t num_streams);

/* Give back all that cipher_create took. */
void cipher_destroy(struct cipher *cipher);

/*
 * Decrypt the entries of data_host in place, on the device. All the work is
 * done when the function returns. May be called again on other entries.
 *
 * @num_iters  rounds of the cipher per entry, as decrypt_gpu takes it
 * Return: milliseconds from the first copy in to the end of the last copy
 * back.
 */
double cipher_decrypt(struct cipher *cipher, uint64_t num_iters);

/*
 * Measure cipher_decrypt with 1, 2, 4 ... streams up to at least 32, and print
 * a row for each: number of streams, milliseconds, speed-up.
 *
 * Return: the number of streams that was fastest.
 */
uint64_t cipher_sweep(uint64_t num_entries, uint64_t num_iters);

/* The grader has a main of its own, and calls the program's by this name. */
#if __has_include("driver.h")
#define main cipher_main
int cipher_main(int argc, char **argv);
#endif

#endif
