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

/* As the student's function has them. */
static void cut(struct driver_part *parts, uint64_t n, uint64_t gpus)
{
    for (uint64_t g = 0; g < gpus; g++) {
        const struct part part = part_of_gpu(n, gpus, g);

        parts[g] = {part.lower, part.width};
    }
}

/* ---- job=parts ----------------------------------------------------------- */

/* Facts with a number for each row, and for each row and GPU. */
static void parts(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t some = case_number(c, "unknown");
    const uint64_t sizes[][2] = {
        {12, 3}, {10, 3}, {10, 7}, {10007, 4}, {some, 6},          {5, 4},
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

/* The caller's array has so many pointers: what lies past them is marked. */
static uint64_t *const mark = (uint64_t *)(uintptr_t)0xa5a5a5a0;

static uint64_t count_beyond(uint64_t *const *data, uint64_t gpus)
{
    uint64_t beyond = 0;

    for (uint64_t g = gpus; g <= DRIVER_MAX_GPUS; g++)
        beyond += data[g] != mark;
    return beyond;
}

static void memory(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries"), gpus = gpus_used(c);
    const int current = current_wanted(c);
    struct changed changed = {NULL, 0, 0};
    uint64_t *data[DRIVER_MAX_GPUS + 1] = {NULL}, *taken[DRIVER_MAX_GPUS + 1];
    uint64_t used[DRIVER_MAX_GPUS], beyond, left = 0;
    const size_t before = driver_free_bytes(gpus);
    struct driver_part parts[DRIVER_MAX_GPUS];

    for (uint64_t g = gpus; g <= DRIVER_MAX_GPUS; g++)
        data[g] = mark;
    CHECK(cudaSetDevice(current));
    driver_region_start();
    memory_create(data, n, gpus);
    note_change(&changed, "memory_create", current);
    driver_region_stop();
    fact_number(facts, "taken", (int64_t)(before - driver_free_bytes(gpus)));
    cut(parts, n, gpus);
    driver_report_homes(data, parts, gpus, facts);
    CHECK(cudaSetDevice(current));
    beyond = count_beyond(data, gpus);
    for (uint64_t g = 0; g < gpus; g++)
        used[g] = driver_pool_used((int)g);
    memcpy(taken, data, sizeof taken);
    if (beyond == 0)
        memory_destroy(data, gpus);
    beyond = count_beyond(data, gpus);
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
}

/* ---- job=decrypt --------------------------------------------------------- */

struct job {
    uint64_t n, iters, gpus;
    int current;
    uint64_t *host, *data[DRIVER_MAX_GPUS];
    struct changed changed;
};

static void call_student(void *of)
{
    const struct job *const job = (const struct job *)of;

    decrypt_on_gpus(job->host, job->data, job->n, job->iters, job->gpus);
}

static void call_and_look(void *of)
{
    struct job *const job = (struct job *)of;

    call_student(of);
    note_change(&job->changed, "decrypt_on_gpus", job->current);
}

static struct driver_work job_create(struct job *job,
                                     const struct driver_case *c)
{
    *job = {};
    job->n = case_number(c, "entries");
    job->iters = case_number(c, "iters");
    job->gpus = gpus_used(c);
    job->current = current_wanted(c);
    job->host = driver_pinned(job->n);
    CHECK(cudaSetDevice(job->current));
    memset(job->data, 0xa5,
           sizeof job->data); /* all is the function's to set */
    memory_create(job->data, job->n, job->gpus);
    CHECK(cudaSetDevice(job->current));
    return {call_student, job,       job->host, c->input,
            job->n,       job->data, job->gpus};
}

static void decrypt(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t again = case_number(c, "again");
    struct driver_part parts[DRIVER_MAX_GPUS];
    struct job job;
    struct driver_work work = job_create(&job, c);

    work.call = call_and_look;
    cut(parts, job.n, job.gpus);
    if (again) /* nothing to do is no reason to leave another device */
        decrypt_on_gpus(job.host, job.data, 0, job.iters, job.gpus);
    note_change(&job.changed, "decrypt_on_gpus", job.current);
    for (uint64_t i = 0; i <= again; i++) {
        driver_run(c, &work, parts, again - i);
        driver_note_use(c->input + job.n, c->output + job.n, job.n);
    }
    memory_destroy(job.data, job.gpus);
    for (uint64_t g = 0; g < job.gpus; g++) {
        fact_indexed(facts, "lower", g, parts[g].lower);
        fact_indexed(facts, "width", g, parts[g].width);
    }
    fact_number(facts, "gpus", job.gpus);
    tell_change(&job.changed, facts);
}

/* ---- job=large ----------------------------------------------------------- */

/* How long each phase takes on all GPUs, with rounds that suit one of them, or
 * as many as a virtual GPU should run.
 * Return: the time of all phases, or where the driver's own version is far from
 * that, as where each call costs more than its work, that version's. */
static double measure_phases(struct phases *one, const struct job *job,
                             uint64_t rounds, struct driver_facts *facts)
{
    struct phases all;
    double limit_ms, own_ms = 0;

    one->rounds = rounds;
    if (rounds == 0) {
        phases_measure_copies(one);
        phases_balance(one, 0);
    }
    phases_create(&all, job->n, job->gpus, 1);
    all.rounds = one->rounds;
    phases_measure(&all, 0);
    phases_report(&all, facts);
    limit_ms = all.h2d_ms + all.kernel_ms + all.d2h_ms;
    if (!DRIVER_REAL_GPU)
        own_ms = (double)DRIVER_TIME_NS(phases_queue_serial(&all)) / 1e6;
    phases_destroy(&all);
    return own_ms > 2 * limit_ms ? own_ms : limit_ms;
}

/* The same work on one GPU, one thing after another: in turn with the student's
 * runs, so that both meet the same machine. */
static struct {
    struct phases phases;
    double ms[PHASES_REPEATS];
} one;

static void run_on_one(int run)
{
    one.ms[run] =
        (double)DRIVER_TIME_NS(phases_queue_serial(&one.phases)) / 1e6;
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    struct job job;
    const struct driver_work work = job_create(&job, c);

    phases_create(&one.phases, job.n, 1, 1);
    fact_ms(facts, "limit_ns",
            measure_phases(&one.phases, &job, case_number(c, "rounds"), facts));
    job.iters = one.phases.rounds;
    if (case_is(c, "who", "baseline")) {
        phases_draw_serial(&one.phases);
    } else {
        fact_ms(facts, "student_ns",
                phases_student_ms(&work, c->output, PHASES_REPEATS, true,
                                  run_on_one));
        fact_ms(facts, "one_ns", driver_median(one.ms, PHASES_REPEATS));
    }
    phases_destroy(&one.phases);
    memory_destroy(job.data, job.gpus);
}

DRIVER_JOBS("job", {"parts", parts}, {"memory", memory}, {"decrypt", decrypt},
            {"large", large});
