/*
 * 06_issue_order.cu: the driver's part that knows lab 06. Output: c, and what
 * was reported are times of the student's orders and of the driver's own.
 */
#include "driver.h"

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

/* ---- the driver's own orders --------------------------------------------- */

typedef void issue_fn(const struct addition *job);

static void send(const struct addition *job)
{
    const cudaError_t state = cudaStreamQuery(job->streams[0]);

    if (state != cudaErrorNotReady)
        CHECK(state);
}

static void own_depth_first(const struct addition *job)
{
    for (uint64_t s = 0; s < job->num_segments; s++) {
        copy_in(job, s);
        add(job, s);
        copy_back(job, s);
        send(job);
    }
}

static void own_breadth_first(const struct addition *job)
{
    for (uint64_t g = 0; g < job->num_segments; g += NUM_STREAMS) {
        const uint64_t end = min(g + NUM_STREAMS, job->num_segments);

        for (uint64_t s = g; s < end; s++)
            copy_in(job, s);
        send(job);
        for (uint64_t s = g; s < end; s++)
            add(job, s);
        send(job);
        for (uint64_t s = g; s < end; s++)
            copy_back(job, s);
        send(job);
    }
}

static void own_serial(const struct addition *job)
{
    for (uint64_t s = 0; s < job->num_segments; s++) {
        copy_in(job, s);
        add(job, s);
        copy_back(job, s);
        CHECK(cudaStreamSynchronize(job->streams[s % NUM_STREAMS]));
    }
}

static void issue_chosen(const struct addition *job)
{
    int device;

    CHECK(cudaGetDevice(&device));
    if (choose_order(device) == BREADTH_FIRST)
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
    float *a, *b;

    job->num_entries = n;
    job->segment_entries = sdiv(n, segments);
    job->num_segments = n > 0 ? sdiv(n, job->segment_entries) : 0;
    job->rounds = case_number(c, "rounds");
    CHECK(cudaMallocHost(&a, (n + 1) * sizeof(float)));
    CHECK(cudaMallocHost(&b, (n + 1) * sizeof(float)));
    CHECK(cudaMallocHost(&job->c_host, (n + 1) * sizeof(float)));
    driver_copy_bytes(a, input + first, n * sizeof(float));
    driver_copy_bytes(b, input + all + first, n * sizeof(float));
    job->a_host = a;
    job->b_host = b;
    for (int k = 0; k < NUM_STREAMS; k++) {
        const size_t bytes = (job->segment_entries + 1) * sizeof(float);

        CHECK(cudaStreamCreate(&job->streams[k]));
        CHECK(cudaMalloc(&job->a_device[k], bytes));
        CHECK(cudaMalloc(&job->b_device[k], bytes));
        CHECK(cudaMalloc(&job->c_device[k], bytes));
    }
}

static void job_free(struct addition *job)
{
    for (int k = 0; k < NUM_STREAMS; k++) {
        CHECK(cudaStreamDestroy(job->streams[k]));
        CHECK(cudaFree(job->a_device[k]));
        CHECK(cudaFree(job->b_device[k]));
        CHECK(cudaFree(job->c_device[k]));
    }
    CHECK(cudaFreeHost((void *)job->a_host));
    CHECK(cudaFreeHost((void *)job->b_host));
    CHECK(cudaFreeHost(job->c_host));
}

static void clear_result(const struct addition *job)
{
    for (uint64_t i = 0; i < job->num_entries; i++)
        job->c_host[i] = 0;
}

static void run(const struct addition *job, issue_fn *issue)
{
    issue(job);
    for (int k = 0; k < NUM_STREAMS; k++)
        CHECK(cudaStreamSynchronize(job->streams[k]));
}

/* ---- times --------------------------------------------------------------- */

static double back_ms(void *of, uint64_t unused)
{
    const struct addition *const job = (const struct addition *)of;

    (void)unused;
    driver_op_start(job->streams[0]);
    copy_back(job, 0);
    return driver_op_stop_ms(job->streams[0]);
}

static double add_ms(void *of, uint64_t rounds)
{
    struct addition *const job = (struct addition *)of;

    job->rounds = rounds;
    driver_op_start(job->streams[0]);
    add(job, 0);
    return driver_op_stop_ms(job->streams[0]);
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
    wanted_ms = phases_median(back_ms, job, 0) * (double)percent / 100;
    job->rounds = phases_rounds(add_ms, job, FEW_ROUNDS, wanted_ms, true, most);
}

static void measure(const struct addition *job, struct driver_facts *facts)
{
    int device;

    CHECK(cudaGetDevice(&device));
    fact_number(facts, "own_depth_ns", DRIVER_TIME_NS(own_depth_first(job)));
    fact_number(facts, "own_breadth_ns",
                DRIVER_TIME_NS(own_breadth_first(job)));
    fact_number(facts, "order", choose_order(device));
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
        clear_result(&job);
        if (i < 2)
            run(&job, issue);
        else
            DRIVER_REGION(run(&job, issue));
        driver_copy_bytes(output + parts[i].first, job.c_host,
                          parts[i].n * sizeof(float));
        job_free(&job);
    }
}

/* Both orders and the choice on one device. */
static void run_device(const struct driver_case *c, struct driver_facts *facts)
{
    struct addition job;

    job_new(&job, c, 0, c->output_bytes / sizeof(float),
            case_number(c, "segments"));
    balance(&job, case_number(c, "percent"), case_number(c, "most"));
    clear_result(&job);
    if (case_is(c, "who", "baseline")) {
        DRIVER_REGION(run(&job, own_serial));
    } else {
        measure(&job, facts);
        if (case_has(c, "drawn"))
            DRIVER_REGION(run(&job, issue_chosen));
    }
    fact_number(facts, "rounds", job.rounds);
    driver_copy_bytes(c->output, job.c_host, c->output_bytes);
    job_free(&job);
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    if (case_has(c, "issue"))
        run_order(c);
    else
        run_device(c, facts);
}
