/*
 * 11_multi_gpu.cu: the driver's part that knows lab 11. A parameter says what
 * there is to do:
 *
 *   job=parts    the parts of several sizes
 *   job=memory   memory taken, looked at and given back
 *   job=decrypt  one job or more. Input and output: the entries of the host,
 *                then those of the GPUs, part after part
 *   job=large    the phases, one GPU's time, all GPUs' time
 *
 * use=G: that many GPUs, or as many as there are. current=D: device D is the
 * current one when the student's functions are called, used or not.
 */
#include "driver.h"

#include <string.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

static uint64_t gpus_used(const struct driver_case *c)
{
    const uint64_t wanted = case_number(c, "use");

    return wanted > 0 ? min(wanted, driver_num_gpus()) : driver_num_gpus();
}

static int current_wanted(const struct driver_case *c)
{
    return (int)min(case_number(c, "current"), driver_num_gpus() - 1);
}

/* The first change of the current device that a function leaves behind. */
struct changed {
    const char *by;
    int from, to;
};

static void note_change(struct changed *changed, const char *by, int from)
{
    int to = -1;

    CHECK(cudaGetDevice(&to));
    if (to != from && changed->by == NULL)
        *changed = (struct changed){by, from, to};
    CHECK(cudaSetDevice(from));
}

static void tell_change(const struct changed *changed,
                        struct driver_facts *facts)
{
    if (changed->by == NULL)
        return;
    fact_text(facts, "changed_by", changed->by);
    fact_number(facts, "changed_from", changed->from);
    fact_number(facts, "changed_to", changed->to);
}

/* ---- job=parts ----------------------------------------------------------- */

/* Facts with a number for each row, and for each row and GPU. */
static void parts(struct driver_facts *facts)
{
    static const uint64_t sizes[][2] = {
        {12, 3}, {10, 3}, {10, 7}, {10007, 4}, {5, 4},
        {3, 8},  {1, 2},  {7, 1},  {0, 3},     {1ull << 35 | 7, 3}};
    const uint64_t rows = sizeof sizes / sizeof *sizes;

    for (uint64_t i = 0; i < rows; i++) {
        const uint64_t n = sizes[i][0], gpus = sizes[i][1];

        fact_indexed(facts, "entries", i, n);
        fact_indexed(facts, "gpus", i, gpus);
        for (uint64_t gpu = 0; gpu < gpus; gpu++) {
            const struct part part = part_of_gpu(n, gpus, gpu);

            fact_indexed(facts, "lower", i * DRIVER_MAX_GPUS + gpu, part.lower);
            fact_indexed(facts, "width", i * DRIVER_MAX_GPUS + gpu, part.width);
        }
    }
    fact_number(facts, "rows", rows);
}

/* ---- job=memory ---------------------------------------------------------- */

/* A letter for each GPU. */
static void look_at_memory(const struct driver_case *c, uint64_t **data,
                           struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries"), gpus = gpus_used(c);
    char on[DRIVER_MAX_GPUS + 1] = "";

    for (uint64_t g = 0; g < gpus; g++)
        on[g] = driver_memory_home(data[g], part_of_gpu(n, gpus, g).width *
                                                sizeof(uint64_t));
    fact_text(facts, "memory_on", on);
    driver_sync_all();
}

static void memory(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries"), gpus = gpus_used(c);
    const int current = current_wanted(c);
    struct changed changed = {NULL, 0, 0};
    uint64_t *data[DRIVER_MAX_GPUS + 1] = {NULL}, *taken[DRIVER_MAX_GPUS + 1];
    uint64_t used[DRIVER_MAX_GPUS], beyond = 0, left = 0;

    CHECK(cudaSetDevice(current));
    driver_region_start();
    memory_create(data, n, gpus);
    note_change(&changed, "memory_create", current);
    driver_region_stop();
    look_at_memory(c, data, facts);
    CHECK(cudaSetDevice(current));
    for (uint64_t g = gpus; g <= DRIVER_MAX_GPUS; g++)
        beyond += data[g] != NULL;
    for (uint64_t g = 0; g < gpus; g++)
        used[g] = driver_pool_used((int)g);
    memcpy(taken, data, sizeof taken);
    if (beyond == 0)
        memory_destroy(data, gpus);
    note_change(&changed, "memory_destroy", current);
    /* A pool gets memory back in its stream's order, and may then keep it. */
    driver_sync_all();
    for (uint64_t g = 0; g < gpus; g++)
        left |= (uint64_t)(driver_memory_device(taken[g]) >= 0 &&
                           driver_pool_used((int)g) >= used[g])
                << g;
    fact_number(facts, "left", left); /* a bit for each GPU */
    fact_number(facts, "gpus", gpus);
    fact_number(facts, "beyond", beyond);
    tell_change(&changed, facts);
    CHECK(cudaSetDevice(0));
}

/* ---- job=decrypt --------------------------------------------------------- */

struct job {
    uint64_t n, iters, gpus;
    int current;
    uint64_t *host, *data[DRIVER_MAX_GPUS];
};

static void job_create(struct job *job, const struct driver_case *c)
{
    job->n = case_number(c, "entries");
    job->iters = case_number(c, "iters");
    job->gpus = gpus_used(c);
    job->current = current_wanted(c);
    memset(job->data, 0, sizeof job->data);
    CHECK(cudaMallocHost(&job->host, (job->n + 1) * sizeof(uint64_t)));
    CHECK(cudaSetDevice(job->current));
    memory_create(job->data, job->n, job->gpus);
    CHECK(cudaSetDevice(job->current));
}

static void job_destroy(struct job *job)
{
    memory_destroy(job->data, job->gpus);
    CHECK(cudaSetDevice(0));
    CHECK(cudaFreeHost(job->host));
}

/* Entries of the GPUs: into their memory, or out of it. */
static void copy_parts(const struct job *job, uint64_t *to,
                       const uint64_t *from)
{
    for (uint64_t g = 0; g < job->gpus; g++) {
        const struct part part = part_of_gpu(job->n, job->gpus, g);
        const size_t bytes = part.width * sizeof(uint64_t);

        if (bytes == 0)
            continue;
        /* Memory of a pool is there for its own GPU only. */
        CHECK(cudaSetDevice((int)g));
        if (from)
            CHECK(cudaMemcpy(job->data[g], from + part.lower, bytes,
                             cudaMemcpyHostToDevice));
        else
            CHECK(cudaMemcpy(to + part.lower, job->data[g], bytes,
                             cudaMemcpyDeviceToHost));
    }
    CHECK(cudaSetDevice(job->current));
    driver_sync_all();
}

/* Other entries for each run but the last one: @other 0 is the input itself. */
static void fill_host(const struct job *job, const struct driver_case *c,
                      uint64_t other)
{
    for (uint64_t i = 0; i < job->n; i++)
        job->host[i] = c->input[i] ^ other;
}

static void decrypt(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t again = case_number(c, "again");
    struct changed changed = {NULL, 0, 0};
    struct job job;

    job_create(&job, c);
    if (again) /* nothing to do is no reason to leave another device */
        decrypt_on_gpus(job.host, job.data, 0, job.iters, job.gpus);
    note_change(&changed, "decrypt_on_gpus", job.current);
    for (uint64_t i = 0; i <= again; i++) {
        fill_host(&job, c, again - i);
        copy_parts(&job, NULL, c->input + job.n);
        driver_region_start();
        decrypt_on_gpus(job.host, job.data, job.n, job.iters, job.gpus);
        note_change(&changed, "decrypt_on_gpus", job.current);
        driver_copy_entries(c->output, job.host, job.n);
        driver_sync_all();
        driver_region_stop();
        copy_parts(&job, c->output + job.n, NULL);
    }
    job_destroy(&job);
    for (uint64_t g = 0; g < job.gpus; g++) {
        const struct part part = part_of_gpu(job.n, job.gpus, g);

        fact_indexed(facts, "lower", g, part.lower);
        fact_indexed(facts, "width", g, part.width);
    }
    fact_number(facts, "gpus", job.gpus);
    tell_change(&changed, facts);
}

/* ---- job=large ----------------------------------------------------------- */

/* The last run is drawn. */
static double student_ms(const struct driver_case *c, const struct job *job,
                         int runs_left)
{
    int64_t ns;

    fill_host(job, c, (uint64_t)runs_left);
    DRIVER_REGION_IF(
        runs_left == 0,
        ns = DRIVER_TIME_NS((decrypt_on_gpus(job->host, job->data, job->n,
                                             job->iters, job->gpus),
                             driver_look(job->host, c->input, job->n))));
    CHECK(cudaSetDevice(job->current));
    return (double)ns / 1e6;
}

/* How long each phase takes on all GPUs, with rounds that suit one of them, or
 * as many as a virtual GPU should run. */
static void measure_phases(struct phases *one, const struct job *job,
                           uint64_t rounds, struct driver_facts *facts)
{
    struct phases all;

    one->rounds = rounds;
    if (rounds == 0) {
        phases_measure_copies(one);
        phases_balance(one, 0);
    }
    phases_create(&all, job->n, job->gpus, 1);
    all.rounds = one->rounds;
    phases_measure_copies(&all);
    phases_measure_kernel(&all);
    phases_report(&all, facts);
    phases_destroy(&all);
}

/* In turn with the same work on one GPU, one thing after another, so that both
 * meet the same machine. */
static void run_in_turn(const struct driver_case *c, const struct job *job,
                        const struct phases *one, struct driver_facts *facts)
{
    double one_ms[PHASES_REPEATS], all_ms[PHASES_REPEATS];

    if (PHASES_REPEATS > 1)
        student_ms(c, job, PHASES_REPEATS);
    for (int i = 0; i < PHASES_REPEATS; i++) {
        one_ms[i] = (double)DRIVER_TIME_NS(phases_queue_serial(one)) / 1e6;
        all_ms[i] = student_ms(c, job, PHASES_REPEATS - 1 - i);
    }
    driver_copy_entries(c->output, job->host, job->n);
    fact_ms(facts, "one_ns", driver_median(one_ms, PHASES_REPEATS));
    fact_ms(facts, "student_ns", driver_median(all_ms, PHASES_REPEATS));
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    struct phases one;
    struct job job;

    job_create(&job, c);
    phases_create(&one, job.n, 1, 1);
    measure_phases(&one, &job, case_number(c, "rounds"), facts);
    job.iters = one.rounds;
    if (case_is(c, "who", "baseline"))
        phases_draw_serial(&one);
    else
        run_in_turn(c, &job, &one, facts);
    phases_destroy(&one);
    job_destroy(&job);
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    if (case_is(c, "job", "parts"))
        parts(facts);
    else if (case_is(c, "job", "memory"))
        memory(c, facts);
    else if (case_is(c, "job", "decrypt"))
        decrypt(c, facts);
    else if (case_is(c, "job", "large"))
        large(c, facts);
}
