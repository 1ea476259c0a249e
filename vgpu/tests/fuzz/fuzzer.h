/*
 * fuzzer.h: what the fuzzers that write whole programs share: their numbers by
 * chance, their clock and their command line.
 */
#ifndef TESTS_FUZZER_H
#define TESTS_FUZZER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state; /* of pick(): a program's seed */

/* Return: one of 0 to @count - 1. */
static int pick(int count)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (int)((z ^ z >> 31) % (uint64_t)count);
}

static double now_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

struct fuzz_options {
    const char *seed; /* of one program, which is then shown; or NULL: many */
    uint64_t first;   /* their seeds begin with it */
    double seconds;
    int count; /* 0: as many as there is time for */
    bool verbose;
};

static struct fuzz_options read_options(int argc, char **argv)
{
    struct fuzz_options options = {.seconds = 10};

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";

        if (!strcmp(argv[i], "--verbose")) {
            options.verbose = true;
            continue;
        }
        if (!strcmp(argv[i], "--seed"))
            options.seed = value;
        else if (!strcmp(argv[i], "--first"))
            options.first = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--count"))
            options.count = atoi(value);
        else if (!strcmp(argv[i], "--seconds"))
            options.seconds = atof(value);
        i++;
    }
    return options;
}

#endif
