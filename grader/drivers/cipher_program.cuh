/*
 * cipher_program.cuh: labs 09 and 13 hold the parts of one program, on one GPU
 * and on several. What their drivers have in common. Include lab.h first.
 */
#ifndef DRIVER_CIPHER_PROGRAM_CUH
#define DRIVER_CIPHER_PROGRAM_CUH

#include "driver.h"

#include <inttypes.h>
#include <stdio.h>

#include "phases.cuh"

/* More are not measured: the rules know it. */
#define PROGRAM_STREAMS ((uint64_t)768)
/* The lab's own: cipher_create, and the memory of each GPU that it took. */
static void program_create(struct cipher *cipher, uint64_t entries,
                           uint64_t gpus, uint64_t streams);
static uint64_t *const *program_memory(const struct cipher *cipher);

/* A run that is only drawn needs no sweep, and no other program's time. */
static bool program_is_drawn(const struct driver_case *c)
{
    return case_has(c, "picture");
}

/* First what the rules should know if it dies there. */
static void program_destroy(struct cipher *cipher, struct driver_facts *facts)
{
    fact_number(facts, "gives_back_pinned",
                driver_memory_type(cipher->data_host) == cudaMemoryTypeHost);
    fact_send(facts);
    cipher_destroy(cipher);
}

/* A program that runs, and what it says of its time in the last calls. */
struct program {
    struct cipher cipher;
    uint64_t iters;
    unsigned calls;
    double timer_ms[PHASES_REPEATS];
};

static void program_call(void *of)
{
    struct program *const program = (struct program *)of;

    program->timer_ms[program->calls++ % PHASES_REPEATS] =
        cipher_decrypt(&program->cipher, program->iters);
}

static struct driver_work program_new(const struct driver_case *c,
                                      struct program *program, uint64_t gpus,
                                      uint64_t streams, uint64_t iters)
{
    const uint64_t n = case_number(c, "entries");
    struct cipher *const cipher = &program->cipher;

    program_create(cipher, n, gpus, streams);
    program->iters = iters;
    program->calls = 0;
    return {program_call,           program, cipher->data_host, c->input, n,
            program_memory(cipher), gpus};
}

/* ---- job=decrypt --------------------------------------------------------- */

static void program_decrypt(const struct driver_case *c,
                            struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const uint64_t gpus = max(case_number(c, "gpus"), (uint64_t)1);
    const uint64_t streams = case_number(c, "streams");
    struct program program;
    const struct driver_work work =
        program_new(c, &program, gpus, streams, case_number(c, "iters"));
    struct driver_part parts[DRIVER_MAX_GPUS];

    driver_cut(parts, n, gpus, streams);
    for (uint64_t i = 0; i <= case_number(c, "again"); i++) {
        driver_run(c, &work, parts, 0);
        driver_note_use(c->input + n, c->output + n, n);
    }
    if (case_has(c, "again"))
        driver_device(1); /* a device that is reset has lost it */
    /* Of few entries: not all streams, or GPUs, are done at the same time. */
    if (case_has(c, "clock")) {
        program.iters = case_number(c, "clock");
        fact_ms(facts, "student_ns", driver_time_ms(&work, 0, false));
        fact_ms(facts, "timer_ns",
                program.timer_ms[(program.calls - 1) % PHASES_REPEATS]);
    }
    program_destroy(&program.cipher, facts);
}

/* ---- job=large, job=point ------------------------------------------------ */

/* The clock's time and what the program says of it. @alone: one of several GPUs
 * by itself, or another number of streams, which is not drawn. @beside as in
 * phases_student_ms. Return: ms of the clock. */
static double program_time(const struct driver_case *c, uint64_t gpus,
                           uint64_t streams, uint64_t iters, bool alone,
                           void (*beside)(int run), struct driver_facts *facts)
{
    struct program program;
    const struct driver_work work =
        program_new(c, &program, gpus, streams, iters);

    const double ms =
        phases_student_ms(&work, c->output, PHASES_REPEATS, !alone, beside);

    fact_ms(facts, alone ? "one_student_ns" : "student_ns", ms);
    fact_ms(facts, alone ? "one_timer_ns" : "timer_ns",
            driver_median(program.timer_ms, PHASES_REPEATS));
    if (alone)
        fact_number(facts, "one_streams", streams);
    cipher_destroy(&program.cipher);
    driver_use_gpu(0);
    return ms;
}

/* ---- job=main ------------------------------------------------------------ */

static void program_main(const struct driver_case *c,
                         struct driver_facts *facts)
{
    char name[] = "cipher", entries[24], rounds[24];
    char *argv[] = {name, entries, rounds, NULL};

    snprintf(entries, sizeof entries, "%" PRIu64, case_number(c, "entries"));
    snprintf(rounds, sizeof rounds, "%" PRIu64, case_number(c, "iters"));
    fact_number(facts, "status", cipher_main(3, argv));
}

#endif
