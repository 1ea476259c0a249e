/*
 * 11_multi_gpu.cu: the driver's part that knows lab 11. A parameter says what
 * there is to do:
 *
 *   job=parts    the parts of several sizes: into the output, lower and width
 *   job=memory   memory taken, looked at and given back
 *   job=decrypt  one job or more. Input and output: the entries of the host,
 *                then those of the GPUs, part after part
 *   job=large    the phases, one GPU's time, all GPUs' time
 *   job=none     nothing: judged from what another case saw
 *
 * use=G: that many GPUs, or as many as there are. current=D: device D is the
 * current one when the student's functions are called.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cipher.h"
#include "lab.h"

enum { MOST_GPUS = 8 };

#ifdef __VGPU__
enum { REPEATS = 1 }; /* virtual time is exact */
#else
enum { REPEATS = 7 };
#endif

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t gpus_used(const struct driver_case *c)
{
    const uint64_t wanted = case_number(c, "use");
    const uint64_t there = smaller((uint64_t)driver_num_gpus(), MOST_GPUS);

    return wanted > 0 ? smaller(wanted, there) : there;
}

static int current_wanted(const struct driver_case *c)
{
    return (int)smaller(case_number(c, "current"), gpus_used(c) - 1);
}

static int current_device(void)
{
    int device = -1;

    CHECK(cudaGetDevice(&device));
    return device;
}

/* "gpu2": a fact that each GPU has. */
static void fact_of(struct driver_facts *facts, const char *what, uint64_t gpu,
                    int64_t value)
{
    char key[32];

    snprintf(key, sizeof key, "%s%llu", what, (unsigned long long)gpu);
    fact_number(facts, key, value);
}

/* The first change of the current device that a function leaves behind. */
struct changed {
    const char *by;
    int from, to;
};

static void note_change(struct changed *changed, const char *by, int from)
{
    const int to = current_device();

    if (to != from && changed->by == NULL)
        *changed = (struct changed){by, from, to};
    CHECK(cudaSetDevice(from));
}

static void tell_change(const struct changed *changed,
                        struct driver_facts *facts)
{
    fact_number(facts, "asked", 1);
    if (changed->by == NULL)
        return;
    fact_text(facts, "changed_by", changed->by);
    fact_number(facts, "changed_from", changed->from);
    fact_number(facts, "changed_to", changed->to);
}

/* ---- job=parts ----------------------------------------------------------- */

/* sizes=7 n0=12 g0=3 n1=10 ... */
static void parts(const struct driver_case *c)
{
    uint64_t *out = (uint64_t *)c->output;

    for (uint64_t i = 0; i < case_number(c, "sizes"); i++) {
        char n[16], g[16];

        snprintf(n, sizeof n, "n%d", (int)i);
        snprintf(g, sizeof g, "g%d", (int)i);
        for (uint64_t gpu = 0; gpu < case_number(c, g); gpu++) {
            const struct part part =
                part_of_gpu(case_number(c, n), case_number(c, g), gpu);

            *out++ = part.lower;
            *out++ = part.width;
        }
    }
}

/* ---- job=memory ---------------------------------------------------------- */

/* What the student's pointers point to: -1 where it is no GPU's memory. */
static int device_of(const void *memory)
{
    struct cudaPointerAttributes attributes;

    if (memory == NULL)
        return -1;
    CHECK(cudaPointerGetAttributes(&attributes, memory));
    return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

/* Is there room for the part? Asked of the device that has the memory. */
static int has_room(const struct driver_case *c, uint64_t *memory,
                    uint64_t width)
{
    const cudaError_t error = cudaMemcpy(
        memory, c->input, width * sizeof(uint64_t), cudaMemcpyHostToDevice);

    cudaGetLastError();
    return error == cudaSuccess;
}

static void look_at_memory(const struct driver_case *c, uint64_t **data,
                           struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries"), gpus = gpus_used(c);

    for (uint64_t g = 0; g < gpus; g++) {
        const uint64_t width = part_of_gpu(n, gpus, g).width;
        const int device = device_of(data[g]);

        fact_of(facts, "device", g, device);
        if (device >= 0)
            fact_of(facts, "room", g, has_room(c, data[g], width));
    }
    driver_sync_all();
}

static void memory(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries"), gpus = gpus_used(c);
    const int current = current_wanted(c);
    struct changed changed = {NULL, 0, 0};
    uint64_t *data[MOST_GPUS + 1] = {NULL}, *taken[MOST_GPUS + 1];
    uint64_t beyond = 0;

    CHECK(cudaSetDevice(current));
    driver_region_start();
    memory_create(data, n, gpus);
    note_change(&changed, "memory_create", current);
    driver_region_stop();
    look_at_memory(c, data, facts);
    for (uint64_t g = gpus; g <= MOST_GPUS; g++)
        beyond += data[g] != NULL;
    memcpy(taken, data, sizeof taken);
    if (beyond == 0)
        memory_destroy(data, gpus);
    note_change(&changed, "memory_destroy", current);
    for (uint64_t g = 0; g < gpus; g++)
        fact_of(facts, "left", g, device_of(taken[g]) >= 0);
    fact_number(facts, "gpus", (int64_t)gpus);
    fact_number(facts, "beyond", (int64_t)beyond);
    tell_change(&changed, facts);
    CHECK(cudaSetDevice(0));
}

/* ---- job=decrypt --------------------------------------------------------- */

struct job {
    uint64_t n, iters, gpus;
    int current;
    uint64_t *host, *data[MOST_GPUS];
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
        if (from)
            CHECK(cudaMemcpy(job->data[g], from + part.lower, bytes,
                             cudaMemcpyHostToDevice));
        else
            CHECK(cudaMemcpy(to + part.lower, job->data[g], bytes,
                             cudaMemcpyDeviceToHost));
    }
    driver_sync_all();
}

/* Other entries for each run but the last one: @other 0 is the input itself. */
static void fill_host(const struct job *job, const struct driver_case *c,
                      uint64_t other)
{
    const uint64_t *const input = (const uint64_t *)c->input;

    for (uint64_t i = 0; i < job->n; i++)
        job->host[i] = input[i] ^ other;
}

static void decrypt(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t again = case_number(c, "again");
    const uint64_t *const input = (const uint64_t *)c->input;
    uint64_t *const output = (uint64_t *)c->output;
    struct changed changed = {NULL, 0, 0};
    struct job job;

    job_create(&job, c);
    for (uint64_t i = 0; i <= again; i++) {
        fill_host(&job, c, again - i);
        copy_parts(&job, NULL, input + job.n);
        driver_region_start();
        decrypt_on_gpus(job.host, job.data, job.n, job.iters, job.gpus);
        note_change(&changed, "decrypt_on_gpus", job.current);
        driver_copy_entries(output, job.host, job.n);
        driver_sync_all();
        driver_region_stop();
        copy_parts(&job, output + job.n, NULL);
    }
    job_destroy(&job);
    for (uint64_t g = 0; g < job.gpus; g++) {
        const struct part part = part_of_gpu(job.n, job.gpus, g);

        fact_of(facts, "lower", g, (int64_t)part.lower);
        fact_of(facts, "width", g, (int64_t)part.width);
    }
    fact_number(facts, "gpus", (int64_t)job.gpus);
    tell_change(&changed, facts);
}

/* ---- job=large: the phases ----------------------------------------------- */

/* What each of some GPUs has to do at the same time. */
struct lane {
    uint64_t lower, width;
    uint64_t *device;
    cudaStream_t stream;
    cudaEvent_t start, stop;
};

struct lanes {
    uint64_t gpus, iters;
    uint64_t *host;
    struct lane lane[MOST_GPUS];
};

enum phase { PHASE_IN, PHASE_KERNEL, PHASE_BACK };

static void lanes_create(struct lanes *lanes, uint64_t *host, uint64_t n,
                         uint64_t gpus)
{
    const uint64_t most = n / gpus + (n % gpus != 0);

    lanes->gpus = gpus;
    lanes->host = host;
    for (uint64_t g = 0; g < gpus; g++) {
        struct lane *const lane = &lanes->lane[g];

        lane->lower = smaller(g * most, n);
        lane->width = smaller(most, n - lane->lower);
        CHECK(cudaSetDevice((int)g));
        CHECK(cudaMalloc(&lane->device, lane->width * sizeof(uint64_t)));
        CHECK(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&lane->start));
        CHECK(cudaEventCreate(&lane->stop));
    }
    CHECK(cudaSetDevice(0));
}

static void lanes_destroy(struct lanes *lanes)
{
    for (uint64_t g = 0; g < lanes->gpus; g++) {
        struct lane *const lane = &lanes->lane[g];

        CHECK(cudaSetDevice((int)g));
        CHECK(cudaEventDestroy(lane->stop));
        CHECK(cudaEventDestroy(lane->start));
        CHECK(cudaStreamDestroy(lane->stream));
        CHECK(cudaFree(lane->device));
    }
    CHECK(cudaSetDevice(0));
}

/* The device must be the current one: decrypt_blocks asks it. */
static void lane_queue(const struct lanes *lanes, uint64_t gpu, enum phase what)
{
    const struct lane *const lane = &lanes->lane[gpu];
    const size_t bytes = lane->width * sizeof(uint64_t);
    uint64_t *const host = lanes->host + lane->lower;

    if (what == PHASE_IN)
        CHECK(cudaMemcpyAsync(lane->device, host, bytes, cudaMemcpyHostToDevice,
                              lane->stream));
    else if (what == PHASE_BACK)
        CHECK(cudaMemcpyAsync(host, lane->device, bytes, cudaMemcpyDeviceToHost,
                              lane->stream));
    else
        decrypt_gpu<<<decrypt_blocks(lane->width), DECRYPT_THREADS, 0,
                      lane->stream>>>(lane->device, lane->width, lanes->iters);
    CHECK(cudaGetLastError());
}

/* All GPUs at once; the slowest one counts. */
static double phase_once_ms(const struct lanes *lanes, enum phase what)
{
    double longest = 0;

    for (uint64_t g = 0; g < lanes->gpus; g++) {
        const struct lane *const lane = &lanes->lane[g];

        CHECK(cudaSetDevice((int)g));
        CHECK(cudaEventRecord(lane->start, lane->stream));
        lane_queue(lanes, g, what);
        CHECK(cudaEventRecord(lane->stop, lane->stream));
    }
    for (uint64_t g = 0; g < lanes->gpus; g++) {
        float ms;

        CHECK(cudaEventSynchronize(lanes->lane[g].stop));
        CHECK(cudaEventElapsedTime(&ms, lanes->lane[g].start,
                                   lanes->lane[g].stop));
        longest = ms > longest ? ms : longest;
    }
    CHECK(cudaSetDevice(0));
    return longest;
}

static double median(double *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
            const double swap = values[k];

            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
    return values[count / 2];
}

static double phase_ms(const struct lanes *lanes, enum phase what)
{
    double ms[REPEATS];

    if (REPEATS > 1)
        phase_once_ms(lanes, what);
    for (int i = 0; i < REPEATS; i++)
        ms[i] = phase_once_ms(lanes, what);
    return median(ms, REPEATS);
}

/* The rounds with which one GPU's kernel takes as long as its copy in, or the
 * most that a virtual GPU should run: a line through two points. */
static uint64_t choose_rounds(struct lanes *lanes, uint64_t most)
{
    double few_ms, more_ms, rounds;

    if (most > 0)
        return most;
    lanes->iters = 30;
    few_ms = phase_ms(lanes, PHASE_KERNEL);
    lanes->iters = 90;
    more_ms = phase_ms(lanes, PHASE_KERNEL);
    rounds = more_ms > few_ms ? 30 + (phase_ms(lanes, PHASE_IN) - few_ms) * 60 /
                                         (more_ms - few_ms)
                              : 90;
    return rounds < 8 ? 8 : (uint64_t)rounds;
}

/* ---- job=large: whole runs ----------------------------------------------- */

/* What is compared with: the same work on one GPU, one thing after another. */
static double one_gpu_ms(const struct lanes *one)
{
    driver_clock_start();
    lane_queue(one, 0, PHASE_IN);
    lane_queue(one, 0, PHASE_KERNEL);
    lane_queue(one, 0, PHASE_BACK);
    CHECK(cudaStreamSynchronize(one->lane[0].stream));
    return (double)driver_clock_stop_ns() / 1e6;
}

static double student_ms(const struct driver_case *c, const struct job *job,
                         int runs_left)
{
    const bool drawn = runs_left == 0;
    double ms;

    fill_host(job, c, (uint64_t)runs_left);
    if (drawn)
        driver_region_start();
    driver_clock_start();
    decrypt_on_gpus(job->host, job->data, job->n, job->iters, job->gpus);
    ms = (double)driver_clock_stop_ns() / 1e6;
    if (drawn)
        driver_region_stop();
    CHECK(cudaSetDevice(job->current));
    return ms;
}

static void fact_ms(struct driver_facts *facts, const char *key, double ms)
{
    fact_number(facts, key, (int64_t)(ms * 1e6 + 0.5));
}

static void measure_phases(const struct driver_case *c, struct job *job,
                           struct driver_facts *facts)
{
    struct lanes one, all;

    lanes_create(&one, job->host, job->n, 1);
    job->iters = choose_rounds(&one, case_number(c, "rounds"));
    lanes_destroy(&one);
    lanes_create(&all, job->host, job->n, job->gpus);
    all.iters = job->iters;
    fact_number(facts, "rounds", (int64_t)job->iters);
    fact_number(facts, "gpus", (int64_t)job->gpus);
    fact_ms(facts, "in_ns", phase_ms(&all, PHASE_IN));
    fact_ms(facts, "kernel_ns", phase_ms(&all, PHASE_KERNEL));
    fact_ms(facts, "back_ns", phase_ms(&all, PHASE_BACK));
    lanes_destroy(&all);
}

/* For a timeline: only the one GPU. */
static void draw_one_gpu(struct job *job)
{
    struct lanes one;

    lanes_create(&one, job->host, job->n, 1);
    one.iters = job->iters;
    driver_region_start();
    one_gpu_ms(&one);
    driver_region_stop();
    lanes_destroy(&one);
}

/* In turn, so that both meet the same machine. */
static void large(const struct driver_case *c, struct driver_facts *facts)
{
    double one_ms[REPEATS], all_ms[REPEATS];
    struct lanes one;
    struct job job;

    job_create(&job, c);
    measure_phases(c, &job, facts);
    if (case_is(c, "who", "baseline")) {
        draw_one_gpu(&job);
        job_destroy(&job);
        return;
    }
    if (REPEATS > 1)
        student_ms(c, &job, REPEATS);
    for (int i = 0; i < REPEATS; i++) {
        lanes_create(&one, job.host, job.n, 1);
        one.iters = job.iters;
        one_ms[i] = one_gpu_ms(&one);
        lanes_destroy(&one);
        all_ms[i] = student_ms(c, &job, REPEATS - 1 - i);
    }
    driver_copy_entries((uint64_t *)c->output, job.host, job.n);
    job_destroy(&job);
    fact_ms(facts, "one_ns", median(one_ms, REPEATS));
    fact_ms(facts, "student_ns", median(all_ms, REPEATS));
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    if (case_is(c, "job", "parts"))
        parts(c);
    else if (case_is(c, "job", "memory"))
        memory(c, facts);
    else if (case_is(c, "job", "decrypt"))
        decrypt(c, facts);
    else if (case_is(c, "job", "large"))
        large(c, facts);
}
