/*
 * 06_issue_order.cu: the driver's part that knows lab 06. Output: c, and what
 * was reported are times of the student's orders and of the driver's own.
 */
#include "driver.h"

#include <string.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

enum { FEW_ROUNDS = 64 };

__global__ void add_gpu(const float *a, const float *b, float *c,
                        uint64_t num_entries, uint64_t rounds)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum_a = 0, sum_b = 0;

    if (i >= num_entries)
        return;

    const float entry_a = a[i], entry_b = b[i];

    for (uint64_t round = 0; round < rounds; round++) {
        sum_a += entry_a;
        sum_b += entry_b;
    }
    c[i] = sum_a + sum_b;
}

__global__ void step_gpu(float *value, uint64_t rounds)
{
    float sum = *value;

    for (uint64_t round = 0; round < rounds; round++)
        sum += 1;
    *value = sum;
}

/* ---- the driver's own orders --------------------------------------------- */

typedef void issue_fn(const struct addition *job);

static void send(const struct addition *job)
{
    const cudaError_t state = cudaStreamQuery(job->streams[0]);

    if (state != cudaErrorNotReady)
        CHECK(state);
}

static void wait_all(const struct addition *job)
{
    for (int k = 0; k < NUM_STREAMS; k++)
        CHECK(cudaStreamSynchronize(job->streams[k]));
}

/* One segment after the other, and what is done behind each. */
static void one_by_one(const struct addition *job, issue_fn *behind)
{
    for (uint64_t s = 0; s < job->num_segments; s++) {
        copy_in(job, s);
        add(job, s);
        copy_back(job, s);
        behind(job);
    }
}

static void own_breadth_first(const struct addition *job)
{
    static void (*const steps[])(const struct addition *,
                                 uint64_t) = {copy_in, add, copy_back};

    for (uint64_t g = 0; g < job->num_segments; g += NUM_STREAMS)
        for (int k = 0; k < 3; k++) {
            for (uint64_t s = g; s < min(g + NUM_STREAMS, job->num_segments);
                 s++)
                steps[k](job, s);
            send(job);
        }
}

static void issue_chosen(const struct addition *job)
{
    if (choose_order(driver_current_gpu()) == BREADTH_FIRST)
        issue_breadth_first(job);
    else
        issue_depth_first(job);
}

/* ---- memory and streams -------------------------------------------------- */

/* Entries first .. first + n - 1 of the case, in so many segments. */
static void job_new(struct addition *job, const struct driver_case *c,
                    uint64_t first, uint64_t n, uint64_t segments)
{
    const float *const input = (const float *)c->input;
    const uint64_t all = c->output_bytes / sizeof(float);
    float *const a = (float *)driver_pinned(n), *const b =
                                                    (float *)driver_pinned(n);

    job->num_entries = n;
    job->segment_entries = sdiv(n, segments);
    job->num_segments = n > 0 ? sdiv(n, job->segment_entries) : 0;
    job->rounds = case_number(c, "rounds");
    job->c_host = (float *)driver_pinned(n);
    memset(job->c_host, 0, n * sizeof(float));
    driver_copy_bytes(a, input + first, n * sizeof(float));
    driver_copy_bytes(b, input + all + first, n * sizeof(float));
    job->a_host = a;
    job->b_host = b;
    for (int k = 0; k < NUM_STREAMS; k++) {
        job->streams[k] = driver_stream(cudaStreamDefault);
        job->a_device[k] = (float *)driver_device(job->segment_entries);
        job->b_device[k] = (float *)driver_device(job->segment_entries);
        job->c_device[k] = (float *)driver_device(job->segment_entries);
    }
}

static void run(const struct addition *job, issue_fn *issue)
{
    issue(job);
    wait_all(job);
}

/* ---- times --------------------------------------------------------------- */

static double back_ms(void *of)
{
    const struct addition *const job = (const struct addition *)of;

    return DRIVER_OP_MS(job->streams[0], copy_back(job, 0));
}

static double add_ms(void *of)
{
    const struct addition *const job = (const struct addition *)of;

    return DRIVER_OP_MS(job->streams[0], add(job, 0));
}

/*
 * As many rounds as take @percent of the time that a segment's copy back takes,
 * on this device: a fixed number would suit only one. What the kernel takes
 * without any rounds comes on top.
 */
static void balance(struct addition *job, uint64_t percent, uint64_t most)
{
    double wanted_ms;

    copy_in(job, 0);
    driver_sync_all();
    wanted_ms = phases_median(back_ms, job) * (double)percent / 100;
    phases_rounds(add_ms, job, &job->rounds, FEW_ROUNDS, wanted_ms, true, most);
}

static void measure(const struct addition *job, struct driver_facts *facts)
{
    fact_number(facts, "own_depth_ns", DRIVER_TIME_NS(one_by_one(job, send)));
    fact_number(facts, "own_breadth_ns",
                DRIVER_TIME_NS(own_breadth_first(job)));
    fact_number(facts, "order", choose_order(driver_current_gpu()));
    if (driver_current_gpu() > 0)
        fact_number(facts, "order_0", choose_order(0)); /* is one kept? */
    fact_number(facts, "depth_ns", DRIVER_TIME_NS(issue_depth_first(job)));
    fact_number(facts, "breadth_ns", DRIVER_TIME_NS(issue_breadth_first(job)));
}

/* ---- the cases ----------------------------------------------------------- */

/* One order: no entry, then a single one, then the others. */
static void run_order(const struct driver_case *c)
{
    issue_fn *const issue =
        case_is(c, "issue", "depth") ? issue_depth_first : issue_breadth_first;
    float *const output = (float *)c->output;
    const uint64_t n = c->output_bytes / sizeof(float);
    const struct {
        uint64_t first, n, segments;
    } parts[] = {{0, 0, 1}, {0, 1, 1}, {1, n - 1, case_number(c, "segments")}};

    for (int i = 0; i < 3; i++) {
        struct addition job;

        job_new(&job, c, parts[i].first, parts[i].n, parts[i].segments);
        if (i < 2)
            run(&job, issue);
        else
            DRIVER_REGION(run(&job, issue));
        driver_copy_bytes(output + parts[i].first, job.c_host,
                          parts[i].n * sizeof(float));
    }
}

/* Both orders and the choice on one device. */
static void run_device(const struct driver_case *c, struct driver_facts *facts)
{
    struct addition job;

    CHECK(cudaSetDevice((int)case_number(c, "device")));
    job_new(&job, c, 0, c->output_bytes / sizeof(float),
            case_number(c, "segments"));
    balance(&job, case_number(c, "percent"), case_number(c, "most"));
    fact_number(facts, "rounds", job.rounds); /* as they are given */
    memset(job.c_host, 0, c->output_bytes);
    if (case_is(c, "who", "baseline")) {
        DRIVER_REGION(one_by_one(&job, wait_all));
    } else {
        measure(&job, facts);
        if (case_has(c, "drawn"))
            DRIVER_REGION(run(&job, issue_chosen));
    }
    driver_copy_bytes(c->output, job.c_host, c->output_bytes);
}

/* ---- chains -------------------------------------------------------------- */

enum { MOST_CHAINS = 32 };

static void own_chain_by_chain(const struct chains *chains)
{
    for (uint64_t c = 0; c < chains->num_chains; c++)
        for (uint64_t k = 0; k < chains->num_steps; k++)
            step(chains, c);
}

static void own_row_by_row(const struct chains *chains)
{
    for (uint64_t k = 0; k < chains->num_steps; k++)
        for (uint64_t c = 0; c < chains->num_chains; c++)
            step(chains, c);
}

/* From the case's input each time. */
static int64_t time_chains(const struct chains *chains,
                           const struct driver_case *c,
                           void (*issue)(const struct chains *))
{
    driver_sync_all();
    CHECK(cudaMemcpy(chains->values, c->input, c->output_bytes,
                     cudaMemcpyHostToDevice));
    return DRIVER_TIME_NS(issue(chains));
}

static void run_chains(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = min(case_number(c, "entries"), (uint64_t)MOST_CHAINS);
    float *const values = (float *)driver_device(n);
    cudaStream_t streams[MOST_CHAINS];
    const struct chains chains = {n, case_number(c, "steps"),
                                  case_number(c, "rounds"), values, streams};

    for (uint64_t s = 0; s < n; s++)
        streams[s] = driver_stream(cudaStreamDefault);
    fact_number(facts, "chains_ns",
                time_chains(&chains, c, own_chain_by_chain));
    fact_number(facts, "rows_ns", time_chains(&chains, c, own_row_by_row));
    driver_region_start();
    fact_number(facts, "student_ns", time_chains(&chains, c, issue_chains));
    driver_region_stop();
    CHECK(
        cudaMemcpy(c->output, values, c->output_bytes, cudaMemcpyDeviceToHost));
}

/* A flush behind a kernel that used memory which is not there. */
static void run_flush(void)
{
    add_gpu<<<1, 1>>>(NULL, NULL, NULL, 1, 1);
    driver_take_late();
    flush(0);
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    if (case_has(c, "flush"))
        run_flush();
    else if (case_has(c, "steps"))
        run_chains(c, facts);
    else if (case_has(c, "issue"))
        run_order(c);
    else
        run_device(c, facts);
}
