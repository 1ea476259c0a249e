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
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lab.h"

#include "cipher_program.cuh"

/* Most streams on one GPU; those of a drawing. */
enum { ONE_GPU_STREAMS = 32, DRAWN_STREAMS = 16 };

/* ---- the parts of a job -------------------------------------------------- */

/* Entries for the parts on the devices. Return: false where one does not take
 * its part. */
static bool fill_devices(const struct cipher *cipher, const uint64_t *from,
                         uint64_t n, uint64_t gpus, uint64_t streams)
{
    bool filled = true;

    for (uint64_t g = 0; g < gpus; g++) {
        const struct driver_part part = driver_part_of(n, gpus, streams, g);

        if (part.width == 0)
            continue;
        if (driver_memory_device(cipher->data_gpu[g]) < 0 ||
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
        const struct driver_part part = driver_part_of(n, gpus, streams, g);

        if (part.width > 0 && driver_memory_device(cipher->data_gpu[g]) >= 0)
            cudaMemcpy(to + part.lower, cipher->data_gpu[g],
                       part.width * sizeof(uint64_t), cudaMemcpyDeviceToHost);
        cudaGetLastError();
    }
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
    const uint64_t n = case_number(c, "entries");
    const uint64_t gpus = case_number(c, "gpus");
    const uint64_t streams = case_number(c, "streams");
    struct cipher cipher;

    memset(&cipher, 0, sizeof cipher);
    cipher_create(&cipher, n, gpus, streams);
    report_places(&cipher, gpus, streams, facts);
    fact_number(facts, "filled",
                fill_devices(&cipher, c->input, n, gpus, streams));
    driver_sync_all();
    program_destroy(&cipher, facts);
}

/* ---- job=decrypt --------------------------------------------------------- */

static void decrypt(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const uint64_t gpus = case_number(c, "gpus");
    const uint64_t streams = case_number(c, "streams");
    struct cipher cipher;

    memset(&cipher, 0, sizeof cipher);
    cipher_create(&cipher, n, gpus, streams);
    for (uint64_t i = 0; i <= case_number(c, "again"); i++) {
        driver_copy_entries(cipher.data_host, c->input, n);
        fill_devices(&cipher, c->input + n, n, gpus, streams);
        driver_sync_all();
        CHECK(cudaSetDevice((int)case_number(c, "current")));
        driver_region_start();
        cipher_decrypt(&cipher, case_number(c, "iters"));
        driver_copy_entries(c->output, cipher.data_host, n);
        driver_sync_all();
        driver_region_stop();
        read_devices(&cipher, c->output + n, n, gpus, streams);
    }
    program_destroy(&cipher, facts);
}

/* ---- job=large ----------------------------------------------------------- */

/* Chunks of all entries in streams of one GPU, the best of lab 09. */
static void queue_on_one_gpu(const struct phases *one, cudaStream_t *streams,
                             uint64_t num_streams)
{
    const uint64_t chunk = sdiv(one->num_entries, num_streams);
    uint64_t *const device = one->lanes[0].device;

    for (uint64_t s = 0; s * chunk < one->num_entries; s++) {
        const uint64_t lower = s * chunk;
        const uint64_t width = min(chunk, one->num_entries - lower);

        phases_queue_in(device + lower, one->host + lower, width, streams[s]);
        phases_queue_kernel(device + lower, width, one->rounds, streams[s]);
        phases_queue_back(one->host + lower, device + lower, width, streams[s]);
    }
}

/* What the program is compared with: phases of one GPU and of all, and as many
 * streams as are best for one. GPUs may share the host's memory with others,
 * which are busy now and idle then: so what is compared is measured in turns
 * with the program. */
static struct {
    struct phases one, all;
    cudaStream_t streams[ONE_GPU_STREAMS];
    uint64_t num_streams;
    double one_gpu_ms; /* with these */
    double one_ms[PHASES_REPEATS], both_ms[PHASES_REPEATS];
} beside;

static void beside_destroy(void)
{
    for (int s = 0; s < ONE_GPU_STREAMS && beside.streams[s]; s++)
        CHECK(cudaStreamDestroy(beside.streams[s]));
    phases_destroy(&beside.one);
    phases_destroy(&beside.all);
    memset(&beside, 0, sizeof beside);
}

static double one_gpu_ms(uint64_t num_streams)
{
    return 1e-6 * (double)DRIVER_TIME_NS(queue_on_one_gpu(
                      &beside.one, beside.streams, num_streams));
}

static void measure_beside(int run)
{
    beside.one_ms[run] = one_gpu_ms(beside.num_streams);
    beside.both_ms[run] = phases_once_ms(&beside.all, PHASE_H2D | PHASE_D2H);
}

static double best_one_gpu_ms(void *, uint64_t num_streams)
{
    return one_gpu_ms(num_streams);
}

/* What one GPU is worth: with how many streams it is best; with @drawn a
 * picture. */
static void choose_one_gpu(bool drawn)
{
    for (int s = 0; s < ONE_GPU_STREAMS; s++)
        CHECK(cudaStreamCreateWithFlags(&beside.streams[s],
                                        cudaStreamNonBlocking));
    if (drawn) {
        driver_region_start();
        queue_on_one_gpu(&beside.one, beside.streams, DRAWN_STREAMS);
        driver_sync_all();
        driver_region_stop();
    }
    for (uint64_t n = 8; !drawn && n <= ONE_GPU_STREAMS; n *= 2) {
        const double ms = phases_median(best_one_gpu_ms, NULL, n);

        if (beside.num_streams == 0 || ms < beside.one_gpu_ms) {
            beside.one_gpu_ms = ms;
            beside.num_streams = n;
        }
        if (PHASES_REPEATS == 1 && n == 16)
            break; /* more are slower, and cost the processor's time */
    }
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

static struct program_times run_student(const struct driver_case *c,
                                        uint64_t iters, struct setting setting,
                                        bool drawn, bool compared)
{
    struct cipher cipher;

    memset(&cipher, 0, sizeof cipher);
    cipher_create(&cipher, case_number(c, "entries"), setting.num_gpus,
                  setting.num_streams);
    return program_time(c, &cipher, iters, drawn,
                        compared ? measure_beside : NULL);
}

/* The program with the setting that its sweep returned, whatever that is, and
 * with one GPU. */
static void run_program(const struct driver_case *c, uint64_t iters,
                        struct driver_facts *facts)
{
    const uint64_t gpus = driver_num_gpus();
    struct setting best = {gpus, case_number(c, "streams")};
    struct program_times times;
    bool compared;

    if (!program_is_drawn(c))
        best = cipher_sweep(case_number(c, "entries"), iters);
    program_use_first();
    fact_number(facts, "best_gpus", best.num_gpus);
    fact_number(facts, "best_streams", best.num_streams);
    if (best.num_gpus < 1 || best.num_gpus > gpus || best.num_streams < 1 ||
        best.num_streams > 1024)
        return;
    if (!program_is_drawn(c)) {
        times = run_student(c, iters, {1, best.num_streams}, false, false);
        fact_ms(facts, "one_student_ns", times.clock_ms);
        fact_ms(facts, "one_timer_ns", times.timer_ms);
    }
    /* Virtual time is exact: what was measured before is as good. */
    compared = PHASES_REPEATS > 1 && !program_is_drawn(c);
    times = run_student(c, iters, best, true, compared);
    fact_ms(facts, "student_ns", times.clock_ms);
    fact_ms(facts, "timer_ns", times.timer_ms);
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
    if (beside.one_gpu_ms > 0)
        fact_ms(facts, "one_gpu_ns", beside.one_gpu_ms);
    phases_report(&beside.all, facts);
    /* Not before: a device clears what it got back, and copies that are timed
     * meanwhile would share with that. */
    beside_destroy();
}

/* ---- job=point ----------------------------------------------------------- */

static void point(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t gpus = min(case_number(c, "gpus"), driver_num_gpus());
    const struct setting setting = {gpus, case_number(c, "streams")};

    measure_phases(c, gpus);
    fact_number(facts, "serial_ns",
                DRIVER_TIME_NS(phases_queue_serial(&beside.one)));
    fact_number(facts, "rounds", beside.all.rounds);
    fact_ms(facts, "bound_ns", max(beside.all.kernel_ms, beside.all.both_ms));
    fact_ms(facts, "student_ns",
            run_student(c, beside.all.rounds, setting, false, false).clock_ms);
    beside_destroy();
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
        program_main(facts);
    fflush(stdout);
}
