/*
 * 13_cipher_mgpu.cu: the driver's part that knows lab 13. A parameter says
 * what there is to do:
 *
 *   job=places    where cipher_create takes memory and streams
 *   job=decrypt   a program's job: create, decrypt, destroy. Input and output:
 *                 the entries of the host, then those of the devices
 *   job=large     the phases on all GPUs, one GPU by itself, the program's
 *                 sweep, and its time with the setting that the sweep returned
 *   job=sweep     the sweep alone, of few entries
 *   job=point     one setting of a sweep: the time with gpus= and streams=
 *   job=main      the program itself, small
 */
#include "driver.h"

#include "check.h"
#include "lab.h"

#include "cipher_program.cuh"

enum { DRAWN_STREAMS = 16 }; /* on one GPU */

static void program_create(struct cipher *cipher, uint64_t entries,
                           uint64_t gpus, uint64_t streams)
{
    *cipher = {};
    cipher_create(cipher, entries, gpus, streams);
}

static uint64_t *const *program_memory(const struct cipher *cipher)
{
    return cipher->data_gpu;
}

/* ---- job=places ---------------------------------------------------------- */

/* Counts of what is where it belongs. */
static void report_places(const struct cipher *cipher, uint64_t gpus,
                          uint64_t streams, struct driver_facts *facts)
{
    uint64_t memory = 0, memory_none = 0, memory_first = 0;
    uint64_t good = 0, none = 0, on_first = 0;

    for (uint64_t g = 0; g < gpus; g++) {
        const int device = driver_memory_device(cipher->data_gpu[g]);

        memory += device == (int)g;
        memory_none += device < 0;
        memory_first += device == 0;
        for (uint64_t s = 0; s < streams; s++) {
            const int where = driver_stream_device(
                cipher->streams[g] ? cipher->streams[g][s] : NULL);

            good += where == (int)g;
            none += where < 0;
            on_first += where == 0;
        }
    }
    fact_number(facts, "all_streams", gpus * streams);
    fact_number(facts, "memory_placed", memory);
    fact_number(facts, "memory_none", memory_none);
    fact_number(facts, "memory_first", memory_first);
    fact_number(facts, "streams_placed", good);
    fact_number(facts, "streams_none", none);
    fact_number(facts, "streams_first", on_first);
}

static void places(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t gpus = case_number(c, "gpus");
    const uint64_t streams = case_number(c, "streams");
    const size_t before = driver_free_bytes(gpus);
    struct program program;
    struct driver_part parts[DRIVER_MAX_GPUS];

    driver_use_gpu(0);

    const struct driver_work work = program_new(c, &program, gpus, streams, 0);

    fact_number(facts, "taken", (int64_t)(before - driver_free_bytes(gpus)));
    report_places(&program.cipher, gpus, streams, facts);
    driver_cut(parts, work.count, gpus, streams);
    fact_number(facts, "filled",
                driver_copy_parts(&work, parts, c->input, NULL));
    driver_sync_all();
    program_destroy(&program.cipher, facts);
}

/* ---- job=large ----------------------------------------------------------- */

/* What the program is compared with: phases of one GPU and of all, and as many
 * streams as are best for one. GPUs may share the host's memory with others,
 * which are busy now and idle then: so what is compared is measured in turns
 * with the program. */
static struct {
    struct phases one, all;
    double one_gpu_ms; /* in chunks: the best of lab 09 */
    double one_ms[PHASES_REPEATS], both_ms[PHASES_REPEATS];
} beside;

static void beside_destroy(void)
{
    phases_destroy(&beside.one);
    phases_destroy(&beside.all);
    beside = {};
}

static void measure_beside(int run)
{
    beside.one_ms[run] = phases_chunks_ms(&beside.one);
    beside.all.what = PHASE_H2D | PHASE_D2H;
    beside.both_ms[run] = phases_once_ms(&beside.all);
}

/* With how many streams is one GPU best? With @drawn a picture. Where what is
 * queued costs more than it gains, with one. */
static void choose_one_gpu(bool drawn)
{
    struct phases *const one = &beside.one;
    uint64_t best = 0;

    phases_streams_create(one);
    one->num_streams = DRAWN_STREAMS;
    if (drawn)
        DRIVER_REGION((phases_queue_all_chunks(one), driver_sync_all()));
    for (uint64_t n = DRIVER_REAL_GPU ? 8 : 1; !drawn && n <= PHASES_STREAMS;
         n *= n < 8 ? 8 : 2) {
        double ms;

        one->num_streams = n;
        ms = phases_median(phases_chunks_ms, one);
        if (best == 0 || ms < beside.one_gpu_ms) {
            beside.one_gpu_ms = ms;
            best = n;
        }
        if (!DRIVER_REAL_GPU && n == 16)
            break; /* more are slower, and cost the processor's time */
    }
    one->num_streams = best;
}

/* The time of a program counts the calls to all GPUs: so do its phases. The
 * kernels share nothing, so that one GPU's time tells that of all. */
static void measure_phases(const struct driver_case *c, uint64_t gpus)
{
    struct phases *const one = &beside.one, *const all = &beside.all;
    const uint64_t n = case_number(c, "entries");

    phases_create(one, n, 1, 1);
    phases_create(all, n, gpus, 1);
    one->by_clock = all->by_clock = true;
    phases_measure(one, case_number(c, "most_rounds"));
    phases_measure_copies(all);
    all->rounds = one->rounds;
    all->kernel_ms = one->kernel_ms / (double)gpus;
}

/* The setting that the program's sweep returns, whatever that is. */
static struct setting sweep(uint64_t entries, uint64_t iters,
                            struct driver_facts *facts)
{
    const struct setting best = cipher_sweep(entries, iters);

    fact_number(facts, "best_gpus", best.num_gpus);
    fact_number(facts, "best_streams", best.num_streams);
    return best;
}

/* Another best one than that of the large job. */
static void sweep_few(const struct driver_case *c, struct driver_facts *facts)
{
    fact_number(facts, "gpus", driver_num_gpus());
    sweep(case_number(c, "entries"), case_number(c, "iters"), facts);
}

/* The program with the setting that its sweep returned, and with one GPU. */
static void run_program(const struct driver_case *c, uint64_t iters,
                        struct driver_facts *facts)
{
    const uint64_t gpus = driver_num_gpus();
    struct setting best = {gpus, case_number(c, "streams")};
    bool compared;

    if (!program_is_drawn(c))
        best = sweep(case_number(c, "entries"), iters, facts);
    driver_use_gpu(0);
    if (best.num_gpus < 1 || best.num_gpus > gpus || best.num_streams < 1)
        return;
    best.num_streams = min(best.num_streams, PROGRAM_STREAMS);
    if (!program_is_drawn(c))
        program_time(c, 1, best.num_streams, iters, true, NULL, facts);
    /* Virtual time is exact: what was measured before is as good. */
    compared = DRIVER_REAL_GPU && !program_is_drawn(c);
    program_time(c, best.num_gpus, best.num_streams, iters, false,
                 compared ? measure_beside : NULL, facts);
    if (compared) {
        beside.one_gpu_ms = driver_median(beside.one_ms, PHASES_REPEATS);
        beside.all.both_ms = driver_median(beside.both_ms, PHASES_REPEATS);
    }
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    const bool baseline = case_is(c, "who", "baseline");

    measure_phases(c, driver_num_gpus());
    if (baseline || !program_is_drawn(c))
        choose_one_gpu(baseline);
    if (!baseline)
        run_program(c, beside.all.rounds, facts);
    if (beside.one_gpu_ms > 0) {
        fact_ms(facts, "one_gpu_ns", beside.one_gpu_ms);
        beside.all.num_streams = beside.one.num_streams;
        fact_ms(facts, "limit_ns",
                phases_limit_ms(&beside.all, beside.one_gpu_ms));
    }
    phases_report(&beside.all, facts);
    /* Not before: a device clears what it got back, and copies that are timed
     * meanwhile would share with that. */
    beside_destroy();
}

/* ---- job=point ----------------------------------------------------------- */

static void point(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t gpus = min(case_number(c, "gpus"), driver_num_gpus());

    measure_phases(c, gpus);
    program_time(c, gpus, case_number(c, "streams"), beside.all.rounds, false,
                 NULL, facts);
    fact_number(facts, "serial_ns",
                DRIVER_TIME_NS(phases_queue_serial(&beside.one)));
    phases_report(&beside.all, facts);
    beside_destroy();
}

DRIVER_JOBS("job", {"places", places}, {"decrypt", program_decrypt},
            {"large", large}, {"sweep", sweep_few}, {"point", point},
            {"main", program_main});
