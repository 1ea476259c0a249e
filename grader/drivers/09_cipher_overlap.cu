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
 */
#include "driver.h"

#include <stdio.h>

#include "check.h"
#include "lab.h"

#include "cipher_program.cuh"

/* ---- job=decrypt --------------------------------------------------------- */

static void decrypt(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const uint64_t iters = case_number(c, "iters");
    const size_t bytes = n * sizeof(uint64_t);
    struct cipher cipher;

    cipher_create(&cipher, n, case_number(c, "streams"));
    for (uint64_t i = 0; i <= case_number(c, "again"); i++) {
        driver_copy_entries(cipher.data_host, c->input, n);
        CHECK(cudaMemcpy(cipher.data_device, c->input + n, bytes,
                         cudaMemcpyHostToDevice));
        driver_sync_all();
        driver_region_start();
        cipher_decrypt(&cipher, iters);
        driver_copy_entries(c->output, cipher.data_host, n);
        driver_sync_all();
        driver_region_stop();
        CHECK(cudaMemcpy(c->output + n, cipher.data_device, bytes,
                         cudaMemcpyDeviceToHost));
    }
    program_destroy(&cipher, facts);
}

/* ---- job=large ----------------------------------------------------------- */

static void run_student(const struct driver_case *c, uint64_t iters,
                        uint64_t streams, struct driver_facts *facts)
{
    struct program_times times;
    struct cipher cipher;

    cipher_create(&cipher, case_number(c, "entries"), streams);
    times = program_time(c, &cipher, iters, true, NULL);
    fact_ms(facts, "student_ns", times.clock_ms);
    fact_ms(facts, "timer_ns", times.timer_ms);
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const bool baseline = case_is(c, "who", "baseline");
    struct phases phases;
    uint64_t streams = case_number(c, "streams");

    phases_create(&phases, n, 1, 1);
    phases_measure(&phases, 0);
    if (baseline)
        phases_draw_serial(&phases);
    phases_destroy(&phases);
    phases_report(&phases, facts);
    if (baseline)
        return;
    if (!program_is_drawn(c))
        streams = cipher_sweep(n, phases.rounds);
    fact_number(facts, "best_gpus", 1);
    fact_number(facts, "best_streams", streams);
    /* Nobody knows what a student's sweep returns. */
    if (streams >= 1 && streams <= 1024)
        run_student(c, phases.rounds, streams, facts);
}

/* ---- job=point ----------------------------------------------------------- */

static void point(const struct driver_case *c, struct driver_facts *facts)
{
    struct phases p;

    phases_create(&p, case_number(c, "entries"), 1, 1);
    phases_measure(&p, 0);
    phases_destroy(&p);
    fact_number(facts, "rounds", p.rounds);
    fact_ms(facts, "serial_ns", p.h2d_ms + p.kernel_ms + p.d2h_ms);
    fact_ms(facts, "bound_ns", max(p.kernel_ms, p.both_ms));
    run_student(c, p.rounds, case_number(c, "streams"), facts);
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
        program_main(facts);
    fflush(stdout);
}
