/*
 * 12_phases.cuh: which entries are a GPU's in lab 12, and the phases: every GPU
 * works on its entries at the same time
 */
#ifndef DRIVER_12_PHASES_CUH
#define DRIVER_12_PHASES_CUH

#include <string.h>

#include "check.h"
#include "cipher.h"
#include "driver.h"
#include "lab.h"

#ifdef __VGPU__
enum { REPEATS = 1 }; /* virtual time is exact */
#else
enum { REPEATS = 5 };
#endif

/* The kernel is measured on a part of the data: it takes longest to run on
 * the virtual GPU, and its time is in proportion. */
enum { KERNEL_PART = 4 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void use_gpu(uint64_t gpu)
{
    CHECK(cudaSetDevice((int)gpu));
}

static uint64_t gpu_lower(const struct mgpu *job, uint64_t gpu)
{
    return smaller(gpu * job->gpu_chunk, job->num_entries);
}

static uint64_t gpu_entries(const struct mgpu *job, uint64_t gpu)
{
    return gpu_lower(job, gpu + 1) - gpu_lower(job, gpu);
}

/* ---- the phases ---------------------------------------------------------- */

struct lane {
    uint64_t lower, entries;
    uint64_t *device; /* 2 * entries: a half for each direction */
    cudaStream_t in, out;
    cudaEvent_t at[4];
};

struct phases {
    uint64_t n, gpus, iters;
    uint64_t *host; /* 2 n */
    struct lane lanes[MAX_GPUS];
    double h2d_ms, kernel_ms, d2h_ms, both_ms;
};

static void lane_create(struct lane *lane)
{
    const uint64_t room = lane->entries ? 2 * lane->entries : 1;

    CHECK(cudaMalloc(&lane->device, room * sizeof(uint64_t)));
    CHECK(cudaStreamCreateWithFlags(&lane->in, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&lane->out, cudaStreamNonBlocking));
    for (int i = 0; i < 4; i++)
        CHECK(cudaEventCreate(&lane->at[i]));
}

static void phases_create(struct phases *p, const struct mgpu *job)
{
    const uint64_t n = job->num_entries;

    memset(p, 0, sizeof *p);
    p->n = n;
    p->gpus = job->num_gpus;
    CHECK(cudaMallocHost(&p->host, 2 * n * sizeof(uint64_t)));
    memset(p->host, 0, 2 * n * sizeof(uint64_t));
    for (uint64_t g = 0; g < p->gpus; g++) {
        p->lanes[g].lower = gpu_lower(job, g);
        p->lanes[g].entries = gpu_entries(job, g);
        use_gpu(g);
        lane_create(&p->lanes[g]);
    }
}

static void phases_destroy(struct phases *p)
{
    for (uint64_t g = 0; g < p->gpus; g++) {
        use_gpu(g);
        for (int i = 0; i < 4; i++)
            CHECK(cudaEventDestroy(p->lanes[g].at[i]));
        CHECK(cudaStreamDestroy(p->lanes[g].in));
        CHECK(cudaStreamDestroy(p->lanes[g].out));
        CHECK(cudaFree(p->lanes[g].device));
    }
    use_gpu(0);
    CHECK(cudaFreeHost(p->host));
}

static void lane_kernel(const struct lane *lane, uint64_t entries,
                        uint64_t iters)
{
    if (entries == 0)
        return;
    decrypt_gpu<<<decrypt_blocks(entries), DECRYPT_THREADS, 0, lane->in>>>(
        lane->device, entries, iters);
    CHECK(cudaGetLastError());
}

static void lane_copies(const struct phases *p, const struct lane *lane,
                        bool in, bool out)
{
    const size_t bytes = lane->entries * sizeof(uint64_t);
    uint64_t *const host = p->host + lane->lower;

    if (in) {
        CHECK(cudaEventRecord(lane->at[0], lane->in));
        CHECK(cudaMemcpyAsync(lane->device, host, bytes, cudaMemcpyHostToDevice,
                              lane->in));
        CHECK(cudaEventRecord(lane->at[1], lane->in));
    }
    if (out) {
        CHECK(cudaEventRecord(lane->at[2], lane->out));
        CHECK(cudaMemcpyAsync(host + p->n, lane->device + lane->entries, bytes,
                              cudaMemcpyDeviceToHost, lane->out));
        CHECK(cudaEventRecord(lane->at[3], lane->out));
    }
}

/* The slowest GPU counts. */
static double longest_ms(const struct phases *p, bool first, bool second)
{
    double longest = 0;

    driver_sync_all();
    for (uint64_t g = 0; g < p->gpus; g++)
        for (int i = first ? 0 : 2; i < (second ? 4 : 2); i += 2) {
            const struct lane *const lane = &p->lanes[g];
            float ms;

            CHECK(cudaEventElapsedTime(&ms, lane->at[i], lane->at[i + 1]));
            longest = ms > longest ? ms : longest;
        }
    return longest;
}

static double copies_ms(const struct phases *p, bool in, bool out)
{
    for (uint64_t g = 0; g < p->gpus; g++) {
        use_gpu(g);
        lane_copies(p, &p->lanes[g], in, out);
    }
    return longest_ms(p, in, out);
}

static double kernel_ms(const struct phases *p, uint64_t iters)
{
    for (uint64_t g = 0; g < p->gpus; g++) {
        const struct lane *const lane = &p->lanes[g];

        use_gpu(g);
        CHECK(cudaEventRecord(lane->at[0], lane->in));
        lane_kernel(lane, lane->entries / KERNEL_PART, iters);
        CHECK(cudaEventRecord(lane->at[1], lane->in));
    }
    return KERNEL_PART * longest_ms(p, true, false);
}

static double median_copies_ms(const struct phases *p, bool in, bool out)
{
    double ms[REPEATS];

    if (REPEATS > 1) /* a real device is warmed up */
        copies_ms(p, in, out);
    for (int i = 0; i < REPEATS; i++)
        ms[i] = copies_ms(p, in, out);
    return driver_median(ms, REPEATS);
}

static double median_kernel_ms(const struct phases *p, uint64_t iters)
{
    double ms[REPEATS];

    if (REPEATS > 1)
        kernel_ms(p, iters);
    for (int i = 0; i < REPEATS; i++)
        ms[i] = kernel_ms(p, iters);
    return driver_median(ms, REPEATS);
}

/* The rounds with which the kernel takes as long as a copy: a line through two
 * points that the arithmetic limits, and not the device's memory. */
static uint64_t choose_rounds(const struct phases *p)
{
    const uint64_t few = 30;
    const double few_ms = median_kernel_ms(p, few);
    const double more_ms = median_kernel_ms(p, 3 * few);
    const double rounds = driver_rounds_for(p->h2d_ms, few, few_ms, more_ms);

    return rounds < 8 ? 8 : rounds > 1000000 ? 1000000 : (uint64_t)rounds;
}

static void phases_measure(struct phases *p)
{
    p->h2d_ms = median_copies_ms(p, true, false);
    p->d2h_ms = median_copies_ms(p, false, true);
    p->both_ms = median_copies_ms(p, true, true);
    p->iters = choose_rounds(p);
    p->kernel_ms = median_kernel_ms(p, p->iters);
}

#endif
