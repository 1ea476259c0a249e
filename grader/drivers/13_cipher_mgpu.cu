/*
 * 13_cipher_mgpu.cu: the driver's part that knows lab 13. A parameter says
 * what there is to do:
 *
 *   job=places    where cipher_create takes memory and streams
 *   job=decrypt   a program's job: create, decrypt, destroy. Input and output:
 *                 the entries of the host, then those of the devices
 *   job=large     the phases on all GPUs, one GPU by itself, the program's
 *                 sweep, and its time with the setting that the sweep returned
 *   job=point     one setting of a sweep: the time with gpus= and streams=
 *   job=main      the program itself, small
 *   job=none      nothing: judged from what another case saw
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "13_phases.cuh"
#include "check.h"
#include "cipher.h"
#include "lab.h"

static int num_gpus(void)
{
    return driver_num_gpus() < DRIVER_MAX_GPUS ? driver_num_gpus()
                                               : DRIVER_MAX_GPUS;
}

/* ---- the parts of a job -------------------------------------------------- */

/* -1: not memory of a device. */
static int device_of_memory(const void *memory)
{
    cudaPointerAttributes attributes;

    if (memory == NULL ||
        cudaPointerGetAttributes(&attributes, memory) != cudaSuccess ||
        attributes.type != cudaMemoryTypeDevice) {
        cudaGetLastError();
        return -1;
    }
    return attributes.device;
}

/* An event can be recorded in the streams of its own device only. -1: this is
 * no stream, or the default stream. */
static int device_of_stream(cudaStream_t stream)
{
    int found = -1;

    for (int d = 0; stream && d < num_gpus() && found < 0; d++) {
        cudaEvent_t event;

        CHECK(cudaSetDevice(d));
        CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        if (cudaEventRecord(event, stream) == cudaSuccess)
            found = d;
        cudaGetLastError();
        CHECK(cudaEventDestroy(event));
    }
    CHECK(cudaSetDevice(0));
    return found;
}

/* Entries for the parts on the devices. Return: false where one does not take
 * its part. */
static bool fill_devices(const struct cipher *cipher, const uint64_t *from,
                         uint64_t n, uint64_t gpus, uint64_t streams)
{
    bool filled = true;

    for (uint64_t g = 0; g < gpus; g++) {
        const struct part part = part_of(n, gpus, streams, g);

        if (part.width == 0)
            continue;
        if (device_of_memory(cipher->data_gpu[g]) < 0 ||
            cudaMemcpy(cipher->data_gpu[g], from + part.lower,
                       part.width * sizeof(uint64_t),
                       cudaMemcpyHostToDevice) != cudaSuccess)
            filled = false;
        cudaGetLastError();
    }
    return filled;
}

static void read_devices(const struct cipher *cipher, uint64_t *to, uint64_t n,
                         uint64_t gpus, uint64_t streams)
{
    for (uint64_t g = 0; g < gpus; g++) {
        const struct part part = part_of(n, gpus, streams, g);

        if (part.width > 0 && device_of_memory(cipher->data_gpu[g]) >= 0)
            cudaMemcpy(to + part.lower, cipher->data_gpu[g],
                       part.width * sizeof(uint64_t), cudaMemcpyDeviceToHost);
        cudaGetLastError();
    }
}

/* ---- the end of a job ---------------------------------------------------- */

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
    CHECK(cudaSetDevice(0));
}

/* ---- job=places ---------------------------------------------------------- */

/* Counts of what is where it belongs, and the devices of the first that is
 * not. */
static void report_places(const struct cipher *cipher, uint64_t gpus,
                          uint64_t streams, struct driver_facts *facts)
{
    uint64_t memory = 0, memory_none = 0, memory_first = 0;
    uint64_t good = 0, none = 0, on_first = 0;

    for (uint64_t g = 0; g < gpus; g++) {
        const int device = device_of_memory(cipher->data_gpu[g]);

        memory += device == (int)g;
        memory_none += device < 0;
        memory_first += device == 0;
        for (uint64_t s = 0; s < streams; s++) {
            const int where = device_of_stream(
                cipher->streams[g] ? cipher->streams[g][s] : NULL);

            good += where == (int)g;
            none += where < 0;
            on_first += where == 0;
        }
    }
    fact_number(facts, "memory", (int64_t)memory);
    fact_number(facts, "memory_none", (int64_t)memory_none);
    fact_number(facts, "memory_first", (int64_t)memory_first);
    fact_number(facts, "streams", (int64_t)good);
    fact_number(facts, "streams_none", (int64_t)none);
    fact_number(facts, "streams_first", (int64_t)on_first);
}

static void places(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const uint64_t gpus = case_number(c, "gpus");
    const uint64_t streams = case_number(c, "streams");
    struct cipher cipher;

    memset(&cipher, 0, sizeof cipher);
    cipher_create(&cipher, n, gpus, streams);
    report_places(&cipher, gpus, streams, facts);
    fact_number(
        facts, "filled",
        fill_devices(&cipher, (const uint64_t *)c->input, n, gpus, streams));
    driver_sync_all();
    destroy(&cipher, facts);
}

/* ---- job=decrypt --------------------------------------------------------- */

static void decrypt(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const uint64_t gpus = case_number(c, "gpus");
    const uint64_t streams = case_number(c, "streams");
    const uint64_t *const input = (const uint64_t *)c->input;
    uint64_t *const output = (uint64_t *)c->output;
    struct cipher cipher;

    memset(&cipher, 0, sizeof cipher);
    cipher_create(&cipher, n, gpus, streams);
    for (uint64_t i = 0; i <= case_number(c, "again"); i++) {
        driver_copy_entries(cipher.data_host, input, n);
        fill_devices(&cipher, input + n, n, gpus, streams);
        driver_sync_all();
        CHECK(cudaSetDevice((int)case_number(c, "current")));
        driver_region_start();
        cipher_decrypt(&cipher, case_number(c, "iters"));
        driver_copy_entries(output, cipher.data_host, n);
        driver_sync_all();
        driver_region_stop();
        read_devices(&cipher, output + n, n, gpus, streams);
    }
    destroy(&cipher, facts);
}

/* ---- job=large ----------------------------------------------------------- */

/* A run that is only drawn needs no sweep, and no other program's time. */
static bool is_drawn(const struct driver_case *c)
{
    return case_has(c, "picture");
}

/* For a timeline. */
static void run_baseline(struct phases *p)
{
    driver_region_start();
    queue_on_one_gpu(p, DRAWN_STREAMS);
    driver_sync_all();
    driver_region_stop();
}

/* The clock's time and what the program says of it. */
struct times {
    double clock_ms, timer_ms;
};

static struct times run_student(const struct driver_case *c, uint64_t n,
                                uint64_t iters, struct setting setting,
                                bool region)
{
    struct cipher cipher;
    double clock_ms[REPEATS], timer_ms[REPEATS];

    memset(&cipher, 0, sizeof cipher);
    cipher_create(&cipher, n, setting.num_gpus, setting.num_streams);
    for (int i = 0; i < REPEATS; i++) {
        const bool drawn = region && i == REPEATS - 1;

        driver_copy_entries(cipher.data_host, (const uint64_t *)c->input, n);
        CHECK(cudaSetDevice(0));
        if (drawn)
            driver_region_start();
        driver_clock_start();
        timer_ms[i] = cipher_decrypt(&cipher, iters);
        CHECK(cudaSetDevice(0));
        clock_ms[i] = (double)driver_clock_stop_ns() / 1e6;
        if (drawn)
            driver_region_stop();
    }
    driver_copy_entries((uint64_t *)c->output, cipher.data_host, n);
    cipher_destroy(&cipher);
    CHECK(cudaSetDevice(0));
    return {driver_median(clock_ms, REPEATS), driver_median(timer_ms, REPEATS)};
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const int gpus = num_gpus();
    struct setting best = {(uint64_t)gpus, case_number(c, "streams")};
    const bool baseline = case_is(c, "who", "baseline");
    struct phases phases;

    phases_create(&phases, n, gpus,
                  baseline      ? DRAWN_STREAMS
                  : is_drawn(c) ? 0
                                : ONE_GPU_STREAMS);
    phases_measure(&phases, case_number(c, "most_rounds"));
    if (baseline)
        run_baseline(&phases);
    phases_destroy(&phases);
    phases_report(&phases, facts);
    if (baseline)
        return;
    if (!is_drawn(c))
        best = cipher_sweep(n, phases.iters);
    CHECK(cudaSetDevice(0));
    fact_number(facts, "best_gpus", (int64_t)best.num_gpus);
    fact_number(facts, "best_streams", (int64_t)best.num_streams);
    if (best.num_gpus < 1 || best.num_gpus > (uint64_t)gpus ||
        best.num_streams < 1 || best.num_streams > 1024)
        return;
    if (!is_drawn(c)) {
        const struct times one =
            run_student(c, n, phases.iters, {1, best.num_streams}, false);

        fact_ms(facts, "one_student_ns", one.clock_ms);
        fact_ms(facts, "one_timer_ns", one.timer_ms);
    }
    const struct times all = run_student(c, n, phases.iters, best, true);

    fact_ms(facts, "student_ns", all.clock_ms);
    fact_ms(facts, "timer_ns", all.timer_ms);
}

/* ---- job=point ----------------------------------------------------------- */

static void point(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const uint64_t gpus = smaller(case_number(c, "gpus"), (uint64_t)num_gpus());
    const struct setting setting = {gpus, case_number(c, "streams")};
    struct phases p;

    phases_create(&p, n, (int)gpus, ONE_GPU_STREAMS);
    phases_measure(&p, case_number(c, "most_rounds"));
    fact_ms(facts, "serial_ns", one_gpu_ms(&p, 1));
    phases_destroy(&p);
    fact_number(facts, "rounds", (int64_t)p.iters);
    fact_ms(facts, "bound_ns",
            p.kernel_ms > p.both_ms ? p.kernel_ms : p.both_ms);
    fact_ms(facts, "student_ns",
            run_student(c, n, p.iters, setting, false).clock_ms);
}

/* ---- job=main ------------------------------------------------------------ */

static void run_main(struct driver_facts *facts)
{
    char name[] = "cipher", entries[] = "5003", rounds[] = "12";
    char *argv[] = {name, entries, rounds, NULL};

    fact_number(facts, "status", cipher_main(3, argv));
    CHECK(cudaSetDevice(0));
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    if (case_is(c, "job", "places"))
        places(c, facts);
    else if (case_is(c, "job", "decrypt"))
        decrypt(c, facts);
    else if (case_is(c, "job", "large"))
        large(c, facts);
    else if (case_is(c, "job", "point"))
        point(c, facts);
    else if (case_is(c, "job", "main"))
        run_main(facts);
    fflush(stdout);
}
