/*
 * 05_default_stream.cu: the driver's part that knows lab 05, and the library
 * that the lab calls. Compiled without the student's options.
 * Output: all entries, the log's two numbers, the library's sum.
 */
#include "driver.h"

#include "check.h"
#include "lab.h"
#include "phases.cuh"

enum { FEW_ITERS = 4000, MOST_ITERS = 100000000 };

enum {
    ENTRIES = NUM_WORKERS * WORKER_ENTRIES,
    LAST = ENTRIES,
    STARTED,
    SUM,
    OUTPUT
};

/* All that a case works on. */
struct bench {
    struct workload load;
    uint64_t *data;  /* of the device: all workers' entries, log, sum */
    uint64_t *names; /* pinned */
    cudaStream_t streams[NUM_WORKERS + 1];
    const struct driver_case *c;
};

/* ---- the library --------------------------------------------------------- */

static uint64_t *library_sum; /* of the device */

__global__ void library_note_gpu(uint64_t *started)
{
    *started += 1;
}

__global__ void library_sum_gpu(const uint64_t *data, uint64_t *sum)
{
    for (int i = 0; i < WORKER_ENTRIES; i++)
        *sum += data[i];
}

void library_note(const struct workload *load, int worker)
{
    CHECK(cudaMemcpyAsync(load->last_device, load->names_host + worker,
                          sizeof(uint64_t), cudaMemcpyHostToDevice,
                          cudaStreamLegacy));
    library_note_gpu<<<1, 1, 0, cudaStreamLegacy>>>(load->started_device);
    CHECK(cudaGetLastError());
}

void library_add_up(const struct workload *load)
{
    for (int w = 0; w < NUM_WORKERS; w++) {
        library_sum_gpu<<<1, 1, 0, cudaStreamLegacy>>>(load->data_device[w],
                                                       library_sum);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaStreamSynchronize(cudaStreamLegacy));
}

/* ---- memory and streams -------------------------------------------------- */

static void bench_fill(struct bench *bench)
{
    driver_sync_all();
    CHECK(cudaMemset(bench->data, 0, OUTPUT * sizeof(uint64_t)));
    CHECK(cudaMemcpy(bench->data, bench->c->input, ENTRIES * sizeof(uint64_t),
                     cudaMemcpyHostToDevice));
    driver_sync_all();
}

static void bench_new(struct bench *bench, const struct driver_case *c)
{
    struct workload *const load = &bench->load;

    bench->c = c;
    bench->data = driver_device(OUTPUT);
    bench->names = driver_pinned(NUM_WORKERS);
    driver_copy_entries(bench->names, c->input + ENTRIES, NUM_WORKERS);
    for (int s = 0; s <= NUM_WORKERS; s++)
        bench->streams[s] = driver_stream(cudaStreamDefault);
    for (int w = 0; w < NUM_WORKERS; w++)
        load->data_device[w] = bench->data + w * WORKER_ENTRIES;
    load->num_iters = 1;
    load->names_host = bench->names;
    load->last_device = bench->data + LAST;
    load->started_device = bench->data + STARTED;
    library_sum = bench->data + SUM;
}

/* ---- the driver's own runs ----------------------------------------------- */

__global__ void own_work_gpu(uint64_t *data, uint64_t num_iters)
{
    data[threadIdx.x] = decrypt_entry(data[threadIdx.x], num_iters);
}

static void own_work(const struct bench *bench, int worker, int stream)
{
    own_work_gpu<<<1, WORKER_ENTRIES, 0, bench->streams[stream]>>>(
        bench->load.data_device[worker], bench->load.num_iters);
    CHECK(cudaGetLastError());
}

static void own_note(const struct bench *bench, int worker)
{
    const cudaStream_t stream = bench->streams[NUM_WORKERS];

    CHECK(cudaMemcpyAsync(bench->load.last_device, bench->names + worker,
                          sizeof(uint64_t), cudaMemcpyHostToDevice, stream));
}

/* So many workers, in a stream each or in one. */
static void own_workers(const struct bench *bench, int workers, bool together)
{
    for (int w = 0; w < workers; w++)
        own_work(bench, w, together ? w : 0);
    driver_sync_all();
}

/* The same and a log in a stream of its own, as a cure has it. */
static void own_cure(const struct bench *bench, bool log)
{
    for (int w = 0; w < NUM_WORKERS; w++) {
        own_work(bench, w, w);
        if (log)
            own_note(bench, w);
    }
    driver_sync_all();
}

/* The accident that the lab is about. */
static void own_accident(const struct bench *bench)
{
    for (int w = 0; w < NUM_WORKERS; w++) {
        own_work(bench, w, w);
        library_note(&bench->load, w);
    }
    driver_sync_all();
}

/* ---- the student's ------------------------------------------------------- */

static void student_run(const struct bench *bench)
{
    if (case_is(bench->c, "run", "named"))
        run_named(&bench->load, bench->streams);
    else if (case_is(bench->c, "run", "non_blocking"))
        run_non_blocking(&bench->load);
    else if (case_is(bench->c, "run", "option"))
        run_with_option(&bench->load, bench->streams);
    else
        run_threads(&bench->load);
}

/* ---- the case ------------------------------------------------------------ */

static int64_t time_own(struct bench *bench, int workers, bool together)
{
    bench_fill(bench);
    return DRIVER_TIME_NS(own_workers(bench, workers, together));
}

static double single_ns(void *of)
{
    return (double)time_own((struct bench *)of, 1, false);
}

/* As many rounds as take @us microseconds on this device. */
static void balance(struct bench *bench, uint64_t us)
{
    phases_rounds(single_ns, bench, &bench->load.num_iters, FEW_ITERS,
                  1e3 * (double)us, true, MOST_ITERS);
}

/* A launch in this thread's default stream, so that the grader learns which
 * one in the trace that is. */
static void mark_default_stream(const struct bench *bench)
{
    library_note_gpu<<<1, 1, 0, cudaStreamPerThread>>>(bench->data);
    CHECK(cudaGetLastError());
}

/* What it did not wait for is not there yet. */
static void run_and_peek(const struct bench *bench)
{
    DRIVER_REGION(case_is(bench->c, "who", "baseline") ? own_accident(bench)
                                                       : student_run(bench));
    driver_peek(bench->c->output, bench->data, OUTPUT);
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    struct bench bench;
    const bool threads = case_is(c, "run", "threads");
    int64_t serial_ns, student_ns;

    bench_new(&bench, c);
    balance(&bench, case_number(c, "us"));
    fact_number(facts, "rounds", bench.load.num_iters); /* as they are given */
    serial_ns = time_own(&bench, NUM_WORKERS, false);
    fact_number(facts, "serial_ns", serial_ns);
    /* One thread launches one after the other; eight may do so at once. */
    fact_number(facts, "bound_ns",
                time_own(&bench, threads ? 1 : NUM_WORKERS, true));
    mark_default_stream(&bench);
    bench_fill(&bench);
    driver_peek(c->output, bench.data, OUTPUT); /* takes its memory */
    student_ns = DRIVER_TIME_NS(run_and_peek(&bench));
    fact_number(facts, "student_ns", student_ns);
    /* A device that runs kernels one at a time, or whose driver collects
     * commands, shows no cure: phases_show(). */
    if (!DRIVER_REAL_GPU && 2 * student_ns > serial_ns) {
        bench_fill(&bench);
        driver_sync_all();
        fact_number(facts, "shown_ns",
                    DRIVER_TIME_NS(own_cure(&bench, !threads)));
    }
}
