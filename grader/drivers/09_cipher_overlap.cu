/*
 * 09_cipher_overlap.cu: the driver's part that knows lab 09. A parameter says
 * what there is to do:
 *
 *   job=decrypt   a program's job: create, decrypt, destroy. Input and output:
 *                 the entries of the host, then those of the device
 *   job=large     the phases, the program's sweep, and its time with the number
 *                 of streams that the sweep returned
 *   job=point     one setting of a sweep: the time with streams=
 *   job=main      the program itself, small
 *   job=none      nothing: judged from what another case saw
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cipher.h"
#include "lab.h"

#ifdef __VGPU__
enum { REPEATS = 1 }; /* virtual time is exact */
#else
enum { REPEATS = 5 };
#endif

/* The kernel is measured on a part of the data: it takes longest to run on
 * the virtual GPU, and its time is in proportion. */
enum { KERNEL_PART = 4 };

/* ---- job=decrypt --------------------------------------------------------- */

/* What the rules should know if it dies there. */
static void destroy(struct cipher *cipher, struct driver_facts *facts)
{
    cudaPointerAttributes attributes;
    const bool known =
        cudaPointerGetAttributes(&attributes, cipher->data_host) == cudaSuccess;

    if (!known)
        cudaGetLastError();
    fact_number(facts, "gives_back_pinned",
                known && attributes.type == cudaMemoryTypeHost);
    fact_send(facts);
    cipher_destroy(cipher);
}

static void decrypt(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const uint64_t iters = case_number(c, "iters");
    const size_t bytes = n * sizeof(uint64_t);
    const uint64_t *const input = (const uint64_t *)c->input;
    uint64_t *const output = (uint64_t *)c->output;
    struct cipher cipher;

    cipher_create(&cipher, n, case_number(c, "streams"));
    for (uint64_t i = 0; i <= case_number(c, "again"); i++) {
        driver_copy_entries(cipher.data_host, input, n);
        CHECK(cudaMemcpy(cipher.data_device, input + n, bytes,
                         cudaMemcpyHostToDevice));
        driver_sync_all();
        driver_region_start();
        cipher_decrypt(&cipher, iters);
        driver_copy_entries(output, cipher.data_host, n);
        driver_sync_all();
        driver_region_stop();
        CHECK(cudaMemcpy(output + n, cipher.data_device, bytes,
                         cudaMemcpyDeviceToHost));
    }
    destroy(&cipher, facts);
}

/* ---- the phases ---------------------------------------------------------- */

struct phases {
    uint64_t n, iters;
    uint64_t *host, *device; /* 2 n entries: a half for each direction */
    cudaStream_t in, out;
    cudaEvent_t at[4];
    double h2d_ms, kernel_ms, d2h_ms, both_ms;
};

static void phases_create(struct phases *p, uint64_t n)
{
    const size_t bytes = 2 * n * sizeof(uint64_t);

    p->n = n;
    CHECK(cudaMallocHost(&p->host, bytes));
    CHECK(cudaMalloc(&p->device, bytes));
    CHECK(cudaStreamCreateWithFlags(&p->in, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&p->out, cudaStreamNonBlocking));
    for (int i = 0; i < 4; i++)
        CHECK(cudaEventCreate(&p->at[i]));
}

static void phases_destroy(struct phases *p)
{
    for (int i = 0; i < 4; i++)
        CHECK(cudaEventDestroy(p->at[i]));
    CHECK(cudaStreamDestroy(p->in));
    CHECK(cudaStreamDestroy(p->out));
    CHECK(cudaFree(p->device));
    CHECK(cudaFreeHost(p->host));
}

static void run_kernel(uint64_t *data, uint64_t n, uint64_t iters,
                       cudaStream_t stream)
{
    decrypt_gpu<<<decrypt_blocks(n), DECRYPT_THREADS, 0, stream>>>(data, n,
                                                                   iters);
    CHECK(cudaGetLastError());
}

static double copies_ms(struct phases *p, bool in, bool out)
{
    const size_t bytes = p->n * sizeof(uint64_t);
    float in_ms = 0, out_ms = 0;

    CHECK(cudaEventRecord(p->at[0], p->in));
    if (in)
        CHECK(cudaMemcpyAsync(p->device, p->host, bytes, cudaMemcpyHostToDevice,
                              p->in));
    CHECK(cudaEventRecord(p->at[1], p->in));
    CHECK(cudaEventRecord(p->at[2], p->out));
    if (out)
        CHECK(cudaMemcpyAsync(p->host + p->n, p->device + p->n, bytes,
                              cudaMemcpyDeviceToHost, p->out));
    CHECK(cudaEventRecord(p->at[3], p->out));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&in_ms, p->at[0], p->at[1]));
    CHECK(cudaEventElapsedTime(&out_ms, p->at[2], p->at[3]));
    return in_ms > out_ms ? in_ms : out_ms;
}

static double kernel_ms(struct phases *p, uint64_t iters)
{
    float ms;

    CHECK(cudaEventRecord(p->at[0], p->in));
    run_kernel(p->device, p->n / KERNEL_PART, iters, p->in);
    CHECK(cudaEventRecord(p->at[1], p->in));
    CHECK(cudaEventSynchronize(p->at[1]));
    CHECK(cudaEventElapsedTime(&ms, p->at[0], p->at[1]));
    return KERNEL_PART * (double)ms;
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

/* The rounds with which the kernel takes as long as a copy: a line through
 * two points that the arithmetic limits, and not the device's memory. */
static uint64_t choose_rounds(struct phases *p)
{
    const uint64_t few = 30;
    const double few_ms = median_kernel_ms(p, few);
    const double more_ms = median_kernel_ms(p, 3 * few);
    const double rounds = driver_rounds_for(p->h2d_ms, few, few_ms, more_ms);

    return rounds < 8 ? 8 : (uint64_t)rounds;
}

static void phases_measure(struct phases *p)
{
    p->h2d_ms = median_copies_ms(p, true, false);
    p->d2h_ms = median_copies_ms(p, false, true);
    p->both_ms = median_copies_ms(p, true, true);
    p->iters = choose_rounds(p);
    p->kernel_ms = median_kernel_ms(p, p->iters);
}

/* ---- job=large ----------------------------------------------------------- */

/* For a timeline: one piece, one stream. */
static void run_baseline(struct phases *p)
{
    const size_t bytes = p->n * sizeof(uint64_t);

    driver_region_start();
    CHECK(cudaMemcpyAsync(p->device, p->host, bytes, cudaMemcpyHostToDevice,
                          p->in));
    run_kernel(p->device, p->n, p->iters, p->in);
    CHECK(cudaMemcpyAsync(p->host, p->device, bytes, cudaMemcpyDeviceToHost,
                          p->in));
    CHECK(cudaStreamSynchronize(p->in));
    driver_region_stop();
}

static void run_student(const struct driver_case *c, uint64_t n, uint64_t iters,
                        uint64_t streams, struct driver_facts *facts)
{
    struct cipher cipher;
    double clock_ms[REPEATS], timer_ms[REPEATS];

    cipher_create(&cipher, n, streams);
    for (int i = 0; i < REPEATS; i++) {
        const bool last = i == REPEATS - 1; /* that one is drawn */

        driver_copy_entries(cipher.data_host, (const uint64_t *)c->input, n);
        if (last)
            driver_region_start();
        driver_clock_start();
        timer_ms[i] = cipher_decrypt(&cipher, iters);
        clock_ms[i] = (double)driver_clock_stop_ns() / 1e6;
        if (last)
            driver_region_stop();
    }
    driver_copy_entries((uint64_t *)c->output, cipher.data_host, n);
    cipher_destroy(&cipher);
    fact_ms(facts, "student_ns", driver_median(clock_ms, REPEATS));
    fact_ms(facts, "timer_ns", driver_median(timer_ms, REPEATS));
}

/* A run that is only drawn needs no sweep. */
static bool is_drawn(const struct driver_case *c)
{
    return case_has(c, "picture");
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    struct phases phases;
    uint64_t streams = case_number(c, "streams");

    phases_create(&phases, n);
    phases_measure(&phases);
    if (case_is(c, "who", "baseline"))
        run_baseline(&phases);
    phases_destroy(&phases);
    fact_number(facts, "rounds", (int64_t)phases.iters);
    fact_ms(facts, "h2d_ns", phases.h2d_ms);
    fact_ms(facts, "kernel_ns", phases.kernel_ms);
    fact_ms(facts, "d2h_ns", phases.d2h_ms);
    fact_ms(facts, "both_ns", phases.both_ms);
    if (case_is(c, "who", "baseline"))
        return;
    if (!is_drawn(c))
        streams = cipher_sweep(n, phases.iters);
    fact_number(facts, "best", (int64_t)streams);
    if (streams >= 1 && streams <= 1024)
        run_student(c, n, phases.iters, streams, facts);
}

/* ---- job=point ----------------------------------------------------------- */

static void point(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    struct phases p;

    phases_create(&p, n);
    phases_measure(&p);
    phases_destroy(&p);
    fact_number(facts, "rounds", (int64_t)p.iters);
    fact_ms(facts, "serial_ns", p.h2d_ms + p.kernel_ms + p.d2h_ms);
    fact_ms(facts, "bound_ns",
            p.kernel_ms > p.both_ms ? p.kernel_ms : p.both_ms);
    run_student(c, n, p.iters, case_number(c, "streams"), facts);
}

/* ---- job=main ------------------------------------------------------------ */

static void run_main(struct driver_facts *facts)
{
    char name[] = "cipher", entries[] = "5003", rounds[] = "12";
    char *argv[] = {name, entries, rounds, NULL};

    fact_number(facts, "status", cipher_main(3, argv));
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    if (case_is(c, "job", "decrypt"))
        decrypt(c, facts);
    else if (case_is(c, "job", "large"))
        large(c, facts);
    else if (case_is(c, "job", "point"))
        point(c, facts);
    else if (case_is(c, "job", "main"))
        run_main(facts);
    fflush(stdout);
}
