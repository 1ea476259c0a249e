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

#include "check.h"
#include "lab.h"

#include "cipher_program.cuh"

static void program_create(struct cipher *cipher, uint64_t entries, uint64_t,
                           uint64_t streams)
{
    cipher_create(cipher, entries, streams);
}

static uint64_t *const *program_memory(const struct cipher *cipher)
{
    return &cipher->data_device;
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const bool baseline = case_is(c, "who", "baseline");
    struct phases phases;
    double student_ms = 0;
    uint64_t streams = case_number(c, "streams");

    phases_create(&phases, n, 1, 1);
    phases_measure(&phases, 0);
    if (baseline)
        phases_draw_serial(&phases);
    /* Real memory may be short. */
    if (DRIVER_REAL_GPU || program_is_drawn(c))
        phases_destroy(&phases);
    phases_report(&phases, facts);
    if (baseline)
        return;
    if (!program_is_drawn(c))
        streams = cipher_sweep(n, phases.rounds);
    fact_number(facts, "best_gpus", 1);
    fact_number(facts, "best_streams", streams);
    /* Nobody knows what a student's sweep returns. */
    if (streams >= 1)
        student_ms = program_time(c, 1, min(streams, PROGRAM_STREAMS),
                                  phases.rounds, false, NULL, facts);
    /* Nor which of its rows is measured here. On a real GPU one run is not like
     * another: only where one stream is the best, which a wrong clock says. */
    if (streams >= 1 && (!DRIVER_REAL_GPU || streams == 1) &&
        !program_is_drawn(c))
        program_time(c, 1, (uint64_t)2 << case_number(c, "other"),
                     phases.rounds, true, NULL, facts);
    if (!DRIVER_REAL_GPU && !program_is_drawn(c)) {
        phases_show(&phases, 8, student_ms, facts);
        phases_destroy(&phases);
    }
}

static void point(const struct driver_case *c, struct driver_facts *facts)
{
    struct phases p;

    phases_create(&p, case_number(c, "entries"), 1, 1);
    phases_measure(&p, 0);
    phases_destroy(&p);
    phases_report(&p, facts);
    fact_ms(facts, "serial_ns", p.h2d_ms + p.kernel_ms + p.d2h_ms);
    program_time(c, 1, case_number(c, "streams"), p.rounds, false, NULL, facts);
}

DRIVER_JOBS("job", {"decrypt", program_decrypt}, {"large", large},
            {"point", point}, {"main", program_main});
