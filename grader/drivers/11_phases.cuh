/*
 * 11_phases.cuh: lab 11's phases, each on all GPUs at the same time: copy in,
 * kernel, copy back
 */
#ifndef DRIVER_11_PHASES_CUH
#define DRIVER_11_PHASES_CUH

#include "check.h"
#include "cipher.h"
#include "driver.h"

enum { MOST_GPUS = 8 };

#ifdef __VGPU__
enum { REPEATS = 1 }; /* virtual time is exact */
#else
enum { REPEATS = 7 };
#endif

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What each of some GPUs has to do at the same time. */
struct lane {
    uint64_t lower, width;
    uint64_t *device;
    cudaStream_t stream;
    cudaEvent_t start, stop;
};

struct lanes {
    uint64_t gpus, iters;
    uint64_t *host;
    struct lane lane[MOST_GPUS];
};

enum phase { PHASE_IN, PHASE_KERNEL, PHASE_BACK };

static void lanes_create(struct lanes *lanes, uint64_t *host, uint64_t n,
                         uint64_t gpus)
{
    const uint64_t most = n / gpus + (n % gpus != 0);

    lanes->gpus = gpus;
    lanes->host = host;
    for (uint64_t g = 0; g < gpus; g++) {
        struct lane *const lane = &lanes->lane[g];

        lane->lower = smaller(g * most, n);
        lane->width = smaller(most, n - lane->lower);
        CHECK(cudaSetDevice((int)g));
        CHECK(cudaMalloc(&lane->device, lane->width * sizeof(uint64_t)));
        CHECK(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&lane->start));
        CHECK(cudaEventCreate(&lane->stop));
    }
    CHECK(cudaSetDevice(0));
}

static void lanes_destroy(struct lanes *lanes)
{
    for (uint64_t g = 0; g < lanes->gpus; g++) {
        struct lane *const lane = &lanes->lane[g];

        CHECK(cudaSetDevice((int)g));
        CHECK(cudaEventDestroy(lane->stop));
        CHECK(cudaEventDestroy(lane->start));
        CHECK(cudaStreamDestroy(lane->stream));
        CHECK(cudaFree(lane->device));
    }
    CHECK(cudaSetDevice(0));
}

/* The device must be the current one: decrypt_blocks asks it. */
static void lane_queue(const struct lanes *lanes, uint64_t gpu, enum phase what)
{
    const struct lane *const lane = &lanes->lane[gpu];
    const size_t bytes = lane->width * sizeof(uint64_t);
    uint64_t *const host = lanes->host + lane->lower;

    if (what == PHASE_IN)
        CHECK(cudaMemcpyAsync(lane->device, host, bytes, cudaMemcpyHostToDevice,
                              lane->stream));
    else if (what == PHASE_BACK)
        CHECK(cudaMemcpyAsync(host, lane->device, bytes, cudaMemcpyDeviceToHost,
                              lane->stream));
    else
        decrypt_gpu<<<decrypt_blocks(lane->width), DECRYPT_THREADS, 0,
                      lane->stream>>>(lane->device, lane->width, lanes->iters);
    CHECK(cudaGetLastError());
}

/* All GPUs at once; the slowest one counts. */
static double phase_once_ms(const struct lanes *lanes, enum phase what)
{
    double longest = 0;

    for (uint64_t g = 0; g < lanes->gpus; g++) {
        const struct lane *const lane = &lanes->lane[g];

        CHECK(cudaSetDevice((int)g));
        CHECK(cudaEventRecord(lane->start, lane->stream));
        lane_queue(lanes, g, what);
        CHECK(cudaEventRecord(lane->stop, lane->stream));
    }
    for (uint64_t g = 0; g < lanes->gpus; g++) {
        float ms;

        CHECK(cudaEventSynchronize(lanes->lane[g].stop));
        CHECK(cudaEventElapsedTime(&ms, lanes->lane[g].start,
                                   lanes->lane[g].stop));
        longest = ms > longest ? ms : longest;
    }
    CHECK(cudaSetDevice(0));
    return longest;
}

static double phase_ms(const struct lanes *lanes, enum phase what)
{
    double ms[REPEATS];

    if (REPEATS > 1)
        phase_once_ms(lanes, what);
    for (int i = 0; i < REPEATS; i++)
        ms[i] = phase_once_ms(lanes, what);
    return driver_median(ms, REPEATS);
}

/* The rounds with which one GPU's kernel takes as long as its copy in, or the
 * most that a virtual GPU should run: a line through two points. */
static uint64_t choose_rounds(struct lanes *lanes, uint64_t most)
{
    const uint64_t few = 30;
    double few_ms, more_ms, rounds;

    if (most > 0)
        return most;
    lanes->iters = few;
    few_ms = phase_ms(lanes, PHASE_KERNEL);
    lanes->iters = 3 * few;
    more_ms = phase_ms(lanes, PHASE_KERNEL);
    rounds = driver_rounds_for(phase_ms(lanes, PHASE_IN), few, few_ms, more_ms);
    return rounds < 8 ? 8 : (uint64_t)rounds;
}

#endif
