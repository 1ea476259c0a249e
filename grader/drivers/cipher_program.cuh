/*
 * cipher_program.cuh: labs 09 and 13 hold the parts of one program, on one GPU
 * and on several. What their drivers have in common. Include lab.h first.
 */
#ifndef DRIVER_CIPHER_PROGRAM_CUH
#define DRIVER_CIPHER_PROGRAM_CUH

#include "driver.h"

#include "phases.cuh"

/* A run that is only drawn needs no sweep, and no other program's time. */
static bool program_is_drawn(const struct driver_case *c)
{
    return case_has(c, "picture");
}

/* The program's parts may leave any GPU as the current one. */
static void program_use_first(void)
{
    if (driver_num_gpus() > 1)
        CHECK(cudaSetDevice(0));
}

/* First what the rules should know if it dies there. */
static void program_destroy(struct cipher *cipher, struct driver_facts *facts)
{
    fact_number(facts, "gives_back_pinned",
                driver_memory_type(cipher->data_host) == cudaMemoryTypeHost);
    fact_send(facts);
    cipher_destroy(cipher);
    program_use_first();
}

/* The clock's time and what the program says of it. */
struct program_times {
    double clock_ms, timer_ms;
};

/* @drawn: the last run is the region of the trace. @compare, or NULL, measures
 * what the program is compared with, ahead of each run. Gives the job back. */
static struct program_times program_time(const struct driver_case *c,
                                         struct cipher *cipher, uint64_t iters,
                                         bool drawn, void (*compare)(int run))
{
    const uint64_t n = case_number(c, "entries");
    double clock_ms[PHASES_REPEATS], timer_ms[PHASES_REPEATS];

    for (int i = 0; i < PHASES_REPEATS; i++) {
        const bool region = drawn && i == PHASES_REPEATS - 1;
        int64_t ns;

        if (compare)
            compare(i);
        driver_copy_entries(cipher->data_host, c->input, n);
        program_use_first();
        DRIVER_REGION_IF(
            region,
            ns = DRIVER_TIME_NS((timer_ms[i] = cipher_decrypt(cipher, iters),
                                 driver_look(cipher->data_host, c->input, n))));
        clock_ms[i] = (double)ns / 1e6;
    }
    driver_copy_entries(c->output, cipher->data_host, n);
    cipher_destroy(cipher);
    program_use_first();
    return {driver_median(clock_ms, PHASES_REPEATS),
            driver_median(timer_ms, PHASES_REPEATS)};
}

/* job=main */
static void program_main(struct driver_facts *facts)
{
    char name[] = "cipher", entries[] = "5003", rounds[] = "12";
    char *argv[] = {name, entries, rounds, NULL};

    fact_number(facts, "status", cipher_main(3, argv));
    program_use_first();
}

#endif
