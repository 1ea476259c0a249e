/*
 * 13_phases.cuh: which entries are a GPU's in lab 13, and the phases: on all
 * GPUs at work together, and the best of one GPU
 */
#ifndef DRIVER_13_PHASES_CUH
#define DRIVER_13_PHASES_CUH

#include <string.h>

#include "check.h"
#include "cipher.h"
#include "driver.h"

#ifdef __VGPU__
enum { REPEATS = 1 }; /* virtual time is exact */
#else
enum { REPEATS = 5 };
#endif

/* The kernel is measured on a part of the data: it takes longest to run on
 * the virtual GPU, and its time is in proportion. */
enum { KERNEL_PART = 4 };

/* Most streams on one GPU; those of a drawing. */
enum { ONE_GPU_STREAMS = 32, DRAWN_STREAMS = 16 };

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The entries of a GPU, as lab.h shares them out. */
struct part {
    uint64_t lower, width;
};

static struct part part_of(uint64_t n, uint64_t gpus, uint64_t streams,
                           uint64_t gpu)
{
    const uint64_t size = ceil_div(n, gpus * streams) * streams;
    const uint64_t lower = smaller(gpu * size, n);

    return {lower, smaller(size, n - lower)};
}

/* ---- the phases ---------------------------------------------------------- */

struct phases {
    uint64_t n, part, iters; /* entries: of all GPUs, of each */
    int gpus;
    uint64_t *host; /* 2 n entries: a half for each direction */
    uint64_t *device[DRIVER_MAX_GPUS]; /* 2 part entries; of GPU 0 also n */
    cudaStream_t in[DRIVER_MAX_GPUS], out[DRIVER_MAX_GPUS];
    cudaStream_t streams[ONE_GPU_STREAMS]; /* of GPU 0 */
    int num_streams;
    double h2d_ms, kernel_ms, d2h_ms, both_ms;
    double one_gpu_ms;
};

static void phases_create(struct phases *p, uint64_t n, int gpus,
                          int num_streams)
{
    memset(p, 0, sizeof *p);
    p->n = n;
    p->gpus = gpus;
    p->part = ceil_div(n, (uint64_t)gpus);
    CHECK(cudaMallocHost(&p->host, 2 * n * sizeof(uint64_t)));
    for (int g = 0; g < gpus; g++) {
        const uint64_t entries = g == 0 && n > 2 * p->part ? n : 2 * p->part;

        CHECK(cudaSetDevice(g));
        CHECK(cudaMalloc(&p->device[g], entries * sizeof(uint64_t)));
        CHECK(cudaStreamCreateWithFlags(&p->in[g], cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&p->out[g], cudaStreamNonBlocking));
    }
    CHECK(cudaSetDevice(0));
    p->num_streams = num_streams;
    for (int s = 0; s < p->num_streams; s++)
        CHECK(cudaStreamCreateWithFlags(&p->streams[s], cudaStreamNonBlocking));
}

static void phases_destroy(struct phases *p)
{
    for (int s = 0; s < p->num_streams; s++)
        CHECK(cudaStreamDestroy(p->streams[s]));
    for (int g = 0; g < p->gpus; g++) {
        CHECK(cudaStreamDestroy(p->in[g]));
        CHECK(cudaStreamDestroy(p->out[g]));
        CHECK(cudaFree(p->device[g]));
    }
    CHECK(cudaFreeHost(p->host));
}

static void run_kernel(uint64_t *data, uint64_t n, uint64_t iters,
                       cudaStream_t stream)
{
    decrypt_gpu<<<decrypt_blocks(n), DECRYPT_THREADS, 0, stream>>>(data, n,
                                                                   iters);
    CHECK(cudaGetLastError());
}

static struct part phase_part(const struct phases *p, int g)
{
    return part_of(p->n, (uint64_t)p->gpus, 1, (uint64_t)g);
}

/* Every GPU its part, in the directions asked for. */
static double copies_ms(struct phases *p, bool in, bool out)
{
    driver_clock_start();
    for (int g = 0; g < p->gpus; g++) {
        const struct part part = phase_part(p, g);
        const size_t bytes = part.width * sizeof(uint64_t);

        CHECK(cudaSetDevice(g));
        if (in && bytes > 0)
            CHECK(cudaMemcpyAsync(p->device[g], p->host + part.lower, bytes,
                                  cudaMemcpyHostToDevice, p->in[g]));
        if (out && bytes > 0)
            CHECK(cudaMemcpyAsync(p->host + p->n + part.lower,
                                  p->device[g] + p->part, bytes,
                                  cudaMemcpyDeviceToHost, p->out[g]));
    }
    CHECK(cudaSetDevice(0));
    return (double)driver_clock_stop_ns() / 1e6;
}

/* All entries, on one GPU. */
static double kernel_ms(struct phases *p, uint64_t iters)
{
    driver_clock_start();
    run_kernel(p->device[0], p->n / KERNEL_PART, iters, p->in[0]);
    return KERNEL_PART * (double)driver_clock_stop_ns() / 1e6;
}

/* The best of lab 09: one GPU, chunks in streams. */
static void queue_on_one_gpu(struct phases *p, uint64_t streams)
{
    const uint64_t chunk = ceil_div(p->n, streams);

    for (uint64_t s = 0; s * chunk < p->n; s++) {
        const uint64_t lower = s * chunk;
        const uint64_t width = smaller(chunk, p->n - lower);
        const size_t bytes = width * sizeof(uint64_t);

        CHECK(cudaMemcpyAsync(p->device[0] + lower, p->host + lower, bytes,
                              cudaMemcpyHostToDevice, p->streams[s]));
        run_kernel(p->device[0] + lower, width, p->iters, p->streams[s]);
        CHECK(cudaMemcpyAsync(p->host + lower, p->device[0] + lower, bytes,
                              cudaMemcpyDeviceToHost, p->streams[s]));
    }
}

static double one_gpu_ms(struct phases *p, uint64_t streams)
{
    driver_clock_start();
    queue_on_one_gpu(p, streams);
    return (double)driver_clock_stop_ns() / 1e6;
}

static double median_copies_ms(struct phases *p, bool in, bool out)
{
    double ms[REPEATS];

    if (REPEATS > 1)
        copies_ms(p, in, out);
    for (int i = 0; i < REPEATS; i++)
        ms[i] = copies_ms(p, in, out);
    return driver_median(ms, REPEATS);
}

static double median_kernel_ms(struct phases *p, uint64_t iters)
{
    double ms[REPEATS];

    if (REPEATS > 1)
        kernel_ms(p, iters);
    for (int i = 0; i < REPEATS; i++)
        ms[i] = kernel_ms(p, iters);
    return driver_median(ms, REPEATS);
}

static double best_one_gpu_ms(struct phases *p)
{
    double best = 0;

    for (uint64_t streams = 8; streams <= ONE_GPU_STREAMS; streams *= 2) {
        double ms[REPEATS];

        for (int i = 0; i < REPEATS; i++)
            ms[i] = one_gpu_ms(p, streams);
        if (best == 0 || driver_median(ms, REPEATS) < best)
            best = driver_median(ms, REPEATS);
        if (REPEATS == 1 && streams == 16)
            break; /* more are slower, and cost the processor's time */
    }
    return best;
}

/* The rounds with which the kernel takes as long as a copy in, on one GPU: a
 * line through two points that the arithmetic limits, and not the memory. */
static uint64_t choose_rounds(struct phases *p, double copy_ms, uint64_t most)
{
    const uint64_t few = 30;
    const double few_ms = median_kernel_ms(p, few);
    const double more_ms = median_kernel_ms(p, 3 * few);
    const double rounds = driver_rounds_for(copy_ms, few, few_ms, more_ms);

    if (rounds < 8)
        return 8;
    return most > 0 && rounds > (double)most ? most : (uint64_t)rounds;
}

/* One copy of all entries to GPU 0. */
static double one_copy_ms(struct phases *p)
{
    double ms[REPEATS];

    for (int i = 0; i < REPEATS; i++) {
        driver_clock_start();
        CHECK(cudaMemcpyAsync(p->device[0], p->host, p->n * sizeof(uint64_t),
                              cudaMemcpyHostToDevice, p->in[0]));
        ms[i] = (double)driver_clock_stop_ns() / 1e6;
    }
    return driver_median(ms, REPEATS);
}

static void phases_measure(struct phases *p, uint64_t most_rounds)
{
    p->iters = choose_rounds(p, one_copy_ms(p), most_rounds);
    p->h2d_ms = median_copies_ms(p, true, false);
    p->d2h_ms = median_copies_ms(p, false, true);
    p->both_ms = median_copies_ms(p, true, true);
    p->kernel_ms = median_kernel_ms(p, p->iters) / p->gpus;
    if (p->num_streams == ONE_GPU_STREAMS)
        p->one_gpu_ms = best_one_gpu_ms(p);
}

static void phases_report(const struct phases *p, struct driver_facts *facts)
{
    fact_number(facts, "gpus", p->gpus);
    fact_number(facts, "rounds", (int64_t)p->iters);
    fact_ms(facts, "h2d_ns", p->h2d_ms);
    fact_ms(facts, "kernel_ns", p->kernel_ms);
    fact_ms(facts, "d2h_ns", p->d2h_ms);
    fact_ms(facts, "both_ns", p->both_ms);
    fact_ms(facts, "one_gpu_ns", p->one_gpu_ms);
}

#endif
