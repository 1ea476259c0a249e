/*
 * sizes.cu: from too little data to enough: lab 09's job in one piece, and in
 * the best number of streams, for more and more entries, and the host alone.
 * Built with the solution of lab 09, whose main has another name:
 * measure.sh sizes does it.
 *
 *     sizes [MIB [RUNS]]      up to 256 MiB, medians of 11 runs
 *
 * All times are the host's clock around finished work. The rounds are the same
 * in each row: with them, a kernel for the most data takes as long as a copy.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"
#include "../../labs/09_cipher_overlap/lab.h"
#undef main

enum { MOST_RUNS = 101, LEAST_BYTES = 4 << 10 };

static int runs = 11;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* With memory, streams and a first run that are not counted. */
static double gpu_ms(uint64_t entries, uint64_t rounds, uint64_t streams)
{
    double ms[MOST_RUNS];
    struct host_timer timer;
    struct cipher cipher;

    cipher_create(&cipher, entries, streams);
    for (uint64_t i = 0; i < entries; i++)
        cipher.data_host[i] = i;
    cipher_decrypt(&cipher, rounds);
    for (int r = 0; r < runs; r++) {
        host_timer_start(&timer);
        cipher_decrypt(&cipher, rounds);
        ms[r] = host_timer_stop(&timer);
    }
    cipher_destroy(&cipher);
    qsort(ms, (size_t)runs, sizeof(*ms), compare);
    return ms[runs / 2];
}

#ifndef __VGPU__
/* On all cores. */
static double host_ms(uint64_t entries, uint64_t rounds)
{
    uint64_t *const data = (uint64_t *)host_array(entries, sizeof(*data));
    struct host_timer timer;

    for (uint64_t i = 0; i < entries; i++)
        data[i] = i;
    host_timer_start(&timer);
    decrypt_host(data, entries, rounds);
    const double ms = host_timer_stop(&timer);
    free(data);
    return ms;
}
#endif

/* In one piece the time is that of two copies and a kernel. With one round
 * there is nearly no kernel; the rest grows with the rounds. */
static uint64_t choose_rounds(uint64_t entries)
{
    const double copies = gpu_ms(entries, 1, 1);
    const double more = gpu_ms(entries, 65, 1) - copies;

    return (uint64_t)(64 * copies / 2 / more + 0.5) + 1;
}

static void show_row(uint64_t entries, uint64_t rounds)
{
    const double one = gpu_ms(entries, rounds, 1);
    double best = one;
    uint64_t streams = 1;

    for (uint64_t n = 2; n <= 32; n *= 2) {
        const double ms = gpu_ms(entries, rounds, n);

        if (ms < best) {
            best = ms;
            streams = n;
        }
    }
    printf("%9llu %9.0f KiB %10.3f ms %10.3f ms %8llu %7.2fx",
           (unsigned long long)entries, (double)entries * 8 / 1024, one, best,
           (unsigned long long)streams, one / best);
#ifndef __VGPU__ /* a virtual clock says nothing of this host */
    printf(" %10.3f ms", host_ms(entries, rounds));
#endif
    printf("\n");
}

int main(int argc, char **argv)
{
    const uint64_t most = (argc > 1 ? (uint64_t)atoi(argv[1]) : 256) << 20;
    uint64_t rounds;

    if (argc > 2)
        runs = min(max(atoi(argv[2]), 1), (int)MOST_RUNS);
    rounds = choose_rounds(most / 8);
    printf("%d rounds\n", (int)rounds);
    printf("%9s %13s %13s %13s %8s %8s %13s\n", "entries", "", "one piece",
           "best", "streams", "speed", "host alone");
    for (uint64_t bytes = LEAST_BYTES; bytes <= most; bytes *= 4)
        show_row(bytes / 8, rounds);
    return 0;
}
