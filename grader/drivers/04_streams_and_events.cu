/*
 * 04_streams_and_events.cu: the driver's part that knows lab 04.
 * Output: a, b and c, as far as the case has them.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

enum { FEW_ITERS = 60, MOST_ITERS = 5000 };

struct bench {
    struct joined job;
    const struct driver_case *c;
    uint64_t n;
    cudaStream_t stream_a, stream_b;
    double back_ms; /* one copy back */
};

__global__ void combine_gpu(const uint64_t *a, const uint64_t *b, uint64_t *c,
                            uint64_t num_entries, uint64_t num_iters)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = thread; i < num_entries; i += stride)
        c[i] = decrypt_entry(a[i] ^ b[i], num_iters);
}

/* ---- memory and streams -------------------------------------------------- */

static void pipeline_new(struct pipeline *pipeline, uint64_t n)
{
    pipeline->num_entries = n;
    pipeline->num_iters = FEW_ITERS;
    pipeline->data_host = driver_pinned(n);
    pipeline->data_device = driver_device(n);
}

static void bench_new(struct bench *bench, const struct driver_case *c)
{
    bench->c = c;
    bench->n = c->input_bytes / 2 / sizeof(uint64_t);
    pipeline_new(&bench->job.a, bench->n);
    pipeline_new(&bench->job.b, bench->n);
    bench->job.c_host = driver_pinned(bench->n);
    bench->job.c_device = driver_device(bench->n);
    /* The default stream has nothing to do with them, so that nothing is in
     * order by accident. */
    bench->stream_a = driver_stream(cudaStreamNonBlocking);
    bench->stream_b = driver_stream(cudaStreamNonBlocking);
}

static void bench_fill(const struct bench *bench)
{
    driver_sync_all();
    driver_copy_entries(bench->job.a.data_host, bench->c->input, bench->n);
    driver_copy_entries(bench->job.b.data_host, bench->c->input + bench->n,
                        bench->n);
    for (uint64_t i = 0; i < bench->n; i++)
        bench->job.c_host[i] = 0;
}

/* ---- the driver's own runs ----------------------------------------------- */

static void own_in(const struct pipeline *pipeline, cudaStream_t stream)
{
    phases_queue_in(pipeline->data_device, pipeline->data_host,
                    pipeline->num_entries, stream);
}

static void own_decrypt(const struct pipeline *pipeline, cudaStream_t stream)
{
    decrypt_gpu<<<PIPELINE_BLOCKS, PIPELINE_THREADS, 0, stream>>>(
        pipeline->data_device, pipeline->num_entries, pipeline->num_iters);
    CHECK(cudaGetLastError());
}

static void own_back(const struct pipeline *pipeline, cudaStream_t stream)
{
    phases_queue_back(pipeline->data_host, pipeline->data_device,
                      pipeline->num_entries, stream);
}

static void own_combine(const struct joined *job, cudaStream_t stream)
{
    combine_gpu<<<PIPELINE_BLOCKS, PIPELINE_THREADS, 0, stream>>>(
        job->a.data_device, job->b.data_device, job->c_device,
        job->a.num_entries, job->a.num_iters);
    CHECK(cudaGetLastError());
    phases_queue_back(job->c_host, job->c_device, job->a.num_entries, stream);
}

static void own_pipelines(const struct bench *bench, cudaStream_t stream_a,
                          cudaStream_t stream_b)
{
    const struct joined *const job = &bench->job;

    own_in(&job->a, stream_a);
    own_decrypt(&job->a, stream_a);
    own_back(&job->a, stream_a);
    own_in(&job->b, stream_b);
    own_decrypt(&job->b, stream_b);
    own_back(&job->b, stream_b);
}

static void own_joined(const struct bench *bench, cudaStream_t stream_a,
                       cudaStream_t stream_b)
{
    const struct joined *const job = &bench->job;
    cudaEvent_t decrypted;

    CHECK(cudaEventCreateWithFlags(&decrypted, cudaEventDisableTiming));
    own_in(&job->a, stream_a);
    own_decrypt(&job->a, stream_a);
    own_in(&job->b, stream_b);
    own_decrypt(&job->b, stream_b);
    CHECK(cudaEventRecord(decrypted, stream_b));
    own_back(&job->b, stream_b);
    CHECK(cudaStreamWaitEvent(stream_a, decrypted, 0));
    own_combine(job, stream_a);
    CHECK(cudaEventDestroy(decrypted));
}

/* As run_both is to do it: making the streams is part of it. */
static void own_both(const struct bench *bench)
{
    cudaStream_t stream_a, stream_b;

    CHECK(cudaStreamCreate(&stream_a));
    CHECK(cudaStreamCreate(&stream_b));
    own_pipelines(bench, stream_a, stream_b);
    CHECK(cudaStreamSynchronize(stream_a));
    CHECK(cudaStreamSynchronize(stream_b));
    CHECK(cudaStreamDestroy(stream_a));
    CHECK(cudaStreamDestroy(stream_b));
}

/* In two streams, or one after the other in one. */
static void own_run(const struct bench *bench, bool together)
{
    if (case_is(bench->c, "run", "joined"))
        own_joined(bench, bench->stream_a,
                   together ? bench->stream_b : bench->stream_a);
    else if (together)
        own_both(bench);
    else
        own_pipelines(bench, bench->stream_a, bench->stream_a);
    driver_sync_all();
}

static int64_t time_own(const struct bench *bench, bool together)
{
    bench_fill(bench);
    return DRIVER_TIME_NS(own_run(bench, together));
}

typedef void op_fn(const struct pipeline *pipeline, cudaStream_t stream);

static double time_op(const struct bench *bench, op_fn *op)
{
    return DRIVER_OP_MS(bench->stream_a, op(&bench->job.a, bench->stream_a));
}

static double back_ms(void *of)
{
    return time_op((const struct bench *)of, own_back);
}

static double decrypt_ms(void *of)
{
    return time_op((const struct bench *)of, own_decrypt);
}

/* As many rounds as make a kernel take as long as a copy, on this device. */
static void balance(struct bench *bench)
{
    bench_fill(bench);
    own_in(&bench->job.b, bench->stream_a);
    time_op(bench, own_in);
    bench->back_ms = phases_median(back_ms, bench);
    phases_rounds(decrypt_ms, bench, &bench->job.a.num_iters, FEW_ITERS,
                  bench->back_ms, false, MOST_ITERS);
    bench->job.b.num_iters = bench->job.a.num_iters;
}

/* ---- the student's ------------------------------------------------------- */

/* Only the streams that the work should be in are waited for. */
static void student_run(const struct bench *bench)
{
    const struct joined *const job = &bench->job;

    if (case_is(bench->c, "run", "one")) {
        queue_pipeline(&job->a, bench->stream_a);
    } else if (case_is(bench->c, "run", "both")) {
        run_both(&job->a, &job->b);
        return;
    } else {
        queue_joined(job, bench->stream_a, bench->stream_b);
        CHECK(cudaStreamSynchronize(bench->stream_b));
    }
    CHECK(cudaStreamSynchronize(bench->stream_a));
}

/* ---- the cases ----------------------------------------------------------- */

static void take_output(const struct bench *bench, uint64_t *output)
{
    driver_copy_entries(output, bench->job.a.data_host, bench->n);
    driver_copy_entries(output + bench->n, bench->job.b.data_host, bench->n);
    driver_copy_entries(output + 2 * bench->n, bench->job.c_host, bench->n);
}

static void run_work(struct bench *bench, struct driver_facts *facts)
{
    const bool baseline = case_is(bench->c, "who", "baseline");
    uint64_t *const timed = (uint64_t *)calloc(3 * bench->n, sizeof *timed);

    if (!baseline) {
        fact_number(facts, "serial_ns", time_own(bench, false));
        fact_number(facts, "bound_ns", time_own(bench, true));
        fact_number(facts, "backs_ns", (int64_t)(2e6 * bench->back_ms));
        bench_fill(bench);
        fact_number(facts, "student_ns", DRIVER_TIME_NS(student_run(bench)));
        take_output(bench, timed);
    }
    /* Once more, and read at once: what is not waited for is seen. */
    bench_fill(bench);
    DRIVER_REGION(baseline ? own_run(bench, false) : student_run(bench));
    take_output(bench, bench->c->output);
    fact_number(facts, "alike",
                memcmp(timed, bench->c->output, bench->c->output_bytes) == 0);
    free(timed);
}

/* The kernel that is to be timed has another one ahead of it in its stream. How
 * long it takes depends on the grid, which is the student's: the driver's
 * launch tells, or what lies between the call's ends where that is less. */
static void time_student(struct bench *bench, int row,
                         struct driver_facts *facts)
{
    const struct pipeline *const a = &bench->job.a;
    double own_ms;
    float ms;

    own_decrypt(&bench->job.b, bench->stream_a);
    own_ms = time_op(bench, own_decrypt);
    bench_fill(bench);
    own_in(a, bench->stream_a);
    own_decrypt(&bench->job.b, bench->stream_a);
    own_ms =
        min(own_ms,
            DRIVER_OP_MS(bench->stream_a,
                         DRIVER_REGION_IF(
                             row == 1, ms = time_decrypt(a, bench->stream_a))));
    fact_indexed(facts, "kernel_ns", row, (int64_t)(own_ms * 1e6));
    own_back(a, bench->stream_a);
    CHECK(cudaStreamSynchronize(bench->stream_a));
    take_output(bench, bench->c->output);
    fact_indexed(facts, "told_ns", row,
                 ms > -1e6f && ms < 1e6f ? (int64_t)(ms * 1e6f) : -1);
}

/* Half of the rounds, then all: no time that is known by heart suits both. */
static void run_timing(struct bench *bench, struct driver_facts *facts)
{
    const uint64_t iters = bench->job.a.num_iters;

    fact_number(facts, "rows", 2);
    for (int row = 0; row < 2; row++) {
        bench->job.a.num_iters = sdiv(iters * (row + 1), 2);
        time_student(bench, row, facts);
    }
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    struct bench bench;

    bench_new(&bench, c);
    balance(&bench);
    fact_number(facts, "iters", bench.job.a.num_iters); /* as they are given */
    if (case_is(c, "run", "timing"))
        run_timing(&bench, facts);
    else
        run_work(&bench, facts);
}
