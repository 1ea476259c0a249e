/*
 * bench.h: what all parts of a calibration use: memory, streams, the profile
 * that is written, and a way to time a stretch of work in one stream.
 */
#ifndef BENCH_H
#define BENCH_H

#include "measure.h"

enum { MAX_GPUS = 16, MANY = 256 };

static char *host, *device;
static cudaStream_t streams[MANY];
static cudaEvent_t start, stop, mark; /* the last one without timing */
static FILE *out;
static double ticks_per_us; /* of the device's clock */

/* ---- what is written ----------------------------------------------------- */

static void write_key(const char *key, double value, const char *how)
{
    char left[80];

    if (!out)
        return;
    snprintf(left, sizeof left, "%s = %lld", key,
             (long long)(value < 0 ? 0 : value + 0.5));
    fprintf(out, "%-43s # %s\n", left, how);
}

static void measured(const char *key, double value)
{
    printf("%-28s %.0f\n", key, value);
    write_key(key, value, "measured");
}

static void stated(const char *key, double value)
{
    write_key(key, value, "not measured here: stated");
}

static void heading(const char *text)
{
    if (out)
        fprintf(out, "\n# %s\n", text);
}

/* ---- a stretch of work in one stream, by the device's clock -------------- */

typedef void work_fn(int i);

/* Mean of @count, queued behind a kernel that waits until all are, in ns. */
static double queued_ns(work_fn *work, int count, cudaStream_t stream)
{
    double ns[REPEATS];
    float ms;

    for (int r = 0; r < REPEATS; r++) {
        hold<<<1, 1, 0, stream>>>(
            (long long)(ticks_per_us * (200 + 12.0 * count)));
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(start, stream));
        for (int i = 0; i < count; i++)
            work(i);
        CHECK(cudaEventRecord(stop, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        ns[r] = (double)ms * 1e6 / count;
    }
    return median_of(ns, REPEATS);
}

#endif
