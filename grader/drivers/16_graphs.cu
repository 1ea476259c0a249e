/*
 * 16_graphs.cu: the driver's part that knows lab 16.
 *
 *   job=frames frames=F channels=C channel=N layers=L iters=I
 *              F frames, one after the other. With flow=1 the host waits for
 *              none of them: each comes and goes by a copy in the stream that
 *              the student is given. With then=I2 the number of rounds is set
 *              before every second frame, the first one too: iters_of(). The
 *              caller's struct has other memory once a receiver is made.
 *   job=fast   turns=T times the same memory, that is T frames, each of them
 *              what the one before left: by streams, by a graph, and by the
 *              student's functions
 *
 * Input and output: the frames; of a fast one the first, and what is left of
 * it.
 */
#include "driver.h"

#include "cipher.h"
#include "driver_core.h"
#include "lab.h"
#include "phases.cuh"

struct bench {
    const struct driver_case *c;
    struct job job;
    uint64_t entries; /* of a frame */
    /* For the driver's own frames. */
    cudaEvent_t begun, done[MAX_CHANNELS];
    cudaGraphExec_t graph, least;
    struct receiver *receiver;
};

static void bench_new(struct bench *bench, const struct driver_case *c)
{
    struct job *const job = &bench->job;
    static cudaStream_t streams[MAX_CHANNELS];

    bench->c = c;
    *job = {};
    job->channel_entries = case_number(c, "channel");
    job->num_channels = case_number(c, "channels");
    job->num_layers = case_number(c, "layers");
    job->num_iters = case_number(c, "iters");
    job->stream = driver_stream(cudaStreamDefault);
    for (uint64_t i = 0; i < job->num_channels; i++)
        streams[i] = driver_stream(cudaStreamDefault);
    job->streams = streams;
    bench->entries = job->num_channels * job->channel_entries;
    job->frame_host = driver_pinned(bench->entries);
    job->frame_device = driver_device(bench->entries);
    /* A kernel's code is loaded at its first launch. */
    phases_queue_kernel(job->frame_device, bench->entries, 1, job->stream);
    driver_sync_all();
}

/* ---- frames, one after the other ----------------------------------------- */

/* The host brings each frame, and waits for it. */
static void run_in_turns(const struct bench *bench, struct receiver *receiver)
{
    const uint64_t frames = case_number(bench->c, "frames");
    const struct job *const job = &bench->job;

    for (uint64_t f = 0; f < frames; f++) {
        const uint64_t lower = f * bench->entries;

        driver_copy_entries(job->frame_host, bench->c->input + lower,
                            bench->entries);
        receiver_decrypt(receiver);
        OWN(cudaStreamSynchronize(job->stream));
        driver_copy_entries(bench->c->output + lower, job->frame_host,
                            bench->entries);
    }
}

/* As in rules/16_graphs.c: another number for every second frame, and always
 * less than at first. */
static uint64_t iters_of(const struct driver_case *c, uint64_t frame)
{
    return 2 + (case_number(c, "then") + frame / 2 * 5) % 13;
}

/* On a real GPU a stream that is idle would do at once what is queued: all
 * numbers are set, and all frames queued, before the first of them begins. */
static void hold(cudaStream_t stream)
{
    enum { LONG = 400000 };

    if (DRIVER_REAL_GPU)
        phases_queue_kernel(driver_device(1), 1, LONG, stream);
}

/* Each frame comes from @inbox and goes to @outbox, on the device. */
static void run_in_flow(const struct bench *bench, struct receiver *receiver,
                        const uint64_t *inbox, uint64_t *outbox)
{
    const uint64_t frames = case_number(bench->c, "frames");
    const struct job *const job = &bench->job;
    const bool sets = case_has(bench->c, "then");

    if (sets)
        hold(job->stream);
    for (uint64_t f = 0; f < frames; f++) {
        const uint64_t lower = f * bench->entries;

        if (sets && f % 2 == 0)
            receiver_set_iters(receiver, iters_of(bench->c, f));
        phases_queue_back(job->frame_host, inbox + lower, bench->entries,
                          job->stream);
        receiver_decrypt(receiver);
        phases_queue_in(outbox + lower, job->frame_host, bench->entries,
                        job->stream);
    }
    OWN(cudaStreamSynchronize(job->stream));
}

/* Frames that nobody is given: what is in them at the end was brought there by
 * who still looks at the caller's struct. */
static uint64_t count_other(const uint64_t *frame, uint64_t entries)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < entries; i++)
        count += frame[i] != 0;
    return count;
}

static void frames(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t total = c->input_bytes / sizeof(uint64_t);
    struct receiver *receiver;
    uint64_t *inbox, *outbox;
    struct bench bench;
    struct job given;

    bench_new(&bench, c);
    inbox = driver_device(total);
    outbox = driver_device(total);
    CHECK(cudaMemcpy(inbox, c->input, c->input_bytes, cudaMemcpyHostToDevice));
    /* The struct that the student is given has other memory afterwards. */
    given = bench.job;
    uint64_t *const other = driver_pinned(bench.entries);
    uint64_t *const other_device = driver_device(bench.entries);
    CHECK(cudaMemset(other_device, 0, bench.entries * sizeof *other));
    memset(other, 0, bench.entries * sizeof *other);
    driver_sync_all();
    driver_region_start();
    receiver = receiver_create(&given);
    given.frame_host = other;
    given.frame_device = other_device;
    if (case_has(c, "flow"))
        run_in_flow(&bench, receiver, inbox, outbox);
    else
        run_in_turns(&bench, receiver);
    receiver_destroy(receiver);
    driver_region_stop();
    driver_take_pending();
    if (driver_take_late())
        fact_number(facts, "other", (int64_t)count_other(other, bench.entries));
    if (case_has(c, "flow") && driver_take_late())
        OWN(cudaMemcpy(c->output, outbox, c->output_bytes,
                       cudaMemcpyDeviceToHost));
}

/* ---- the driver's own frames --------------------------------------------- */

static void queue_part(const struct job *job, uint64_t lower, uint64_t count,
                       cudaStream_t stream)
{
    phases_queue_in(job->frame_device + lower, job->frame_host + lower, count,
                    stream);
    for (uint64_t layer = 0; layer < job->num_layers; layer++)
        phases_queue_kernel(job->frame_device + lower, count, job->num_iters,
                            stream);
    phases_queue_back(job->frame_host + lower, job->frame_device + lower, count,
                      stream);
}

static void by_streams(const struct bench *bench)
{
    const struct job *const job = &bench->job;

    CHECK(cudaEventRecord(bench->begun, job->stream));
    for (uint64_t c = 0; c < job->num_channels; c++) {
        CHECK(cudaStreamWaitEvent(job->streams[c], bench->begun, 0));
        queue_part(job, c * job->channel_entries, job->channel_entries,
                   job->streams[c]);
        CHECK(cudaEventRecord(bench->done[c], job->streams[c]));
        CHECK(cudaStreamWaitEvent(job->stream, bench->done[c], 0));
    }
}

/* As few operations as a frame can have whose layers are kernels. */
static void by_few(const struct bench *bench)
{
    queue_part(&bench->job, 0, bench->entries, bench->job.stream);
}

static cudaGraphExec_t own_graph(const struct bench *bench,
                                 void (*queue)(const struct bench *bench))
{
    const cudaStream_t stream = bench->job.stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    queue(bench);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void own_create(struct bench *bench)
{
    CHECK(cudaEventCreateWithFlags(&bench->begun, cudaEventDisableTiming));
    for (uint64_t c = 0; c < bench->job.num_channels; c++)
        CHECK(
            cudaEventCreateWithFlags(&bench->done[c], cudaEventDisableTiming));
    bench->graph = own_graph(bench, by_streams);
    bench->least = own_graph(bench, by_few);
}

static void own_destroy(struct bench *bench)
{
    CHECK(cudaGraphExecDestroy(bench->graph));
    CHECK(cudaGraphExecDestroy(bench->least));
    CHECK(cudaEventDestroy(bench->begun));
    for (uint64_t c = 0; c < bench->job.num_channels; c++)
        CHECK(cudaEventDestroy(bench->done[c]));
}

static void by_graph(const struct bench *bench)
{
    CHECK(cudaGraphLaunch(bench->graph, bench->job.stream));
}

static void by_least(const struct bench *bench)
{
    CHECK(cudaGraphLaunch(bench->least, bench->job.stream));
}

static void by_student(const struct bench *bench)
{
    receiver_decrypt(bench->receiver);
}

/* ---- times --------------------------------------------------------------- */

/* A way to do a frame, and what one of many takes: until the host has queued
 * it, and until it is done. */
struct way {
    void (*turn)(const struct bench *bench);
    const char *host_fact, *fact;
    double host_ns[PHASES_REPEATS], ns[PHASES_REPEATS];
};

enum { STUDENT = 3, NUM_WAYS };

static void turns(const struct bench *bench, struct way *way, int repeat,
                  bool drawn)
{
    const struct job *const job = &bench->job;
    const uint64_t count =
        case_has(bench->c, "picture") ? 2 : case_number(bench->c, "turns");
    uint64_t start, ns;

    way->turn(bench); /* what is new takes longer */
    driver_sync_all();
    driver_copy_entries(job->frame_host, bench->c->input, bench->entries);
    if (way->turn == by_student)
        driver_watch(job->frame_device, bench->entries);
    if (drawn)
        driver_draw_timed();
    driver_clock_start();
    start = driver_now_ns();
    for (uint64_t t = 0; t < count; t++)
        way->turn(bench);
    way->host_ns[repeat] = (double)(driver_now_ns() - start) / (double)count;
    ns = driver_clock_stop_ns();
    way->ns[repeat] = (double)ns / (double)count;
    driver_watch_end();
}

/* Where calls take no time, nobody is faster than another. */
static void report_time(struct driver_facts *facts, const char *key, double *ns)
{
    fact_number(facts, key,
                (int64_t)max(driver_median(ns, PHASES_REPEATS), 1.0));
}

static void fast(const struct driver_case *c, struct driver_facts *facts)
{
    const bool baseline = case_is(c, "who", "baseline");
    struct way ways[NUM_WAYS] = {
        {by_streams, "streams_host_ns", "streams_ns", {}, {}},
        {by_graph, "graph_host_ns", "graph_ns", {}, {}},
        {by_least, "least_host_ns", "least_ns", {}, {}},
        {by_student, "host_ns", "student_ns", {}, {}}};
    struct bench bench;

    bench_new(&bench, c);
    own_create(&bench);
    bench.receiver = receiver_create(&bench.job);
    for (int i = 0; i < PHASES_REPEATS; i++)
        for (int w = 0; w < NUM_WAYS; w++)
            turns(&bench, &ways[w], i,
                  i == PHASES_REPEATS - 1 && w == (baseline ? 0 : STUDENT));
    driver_copy_entries(c->output, bench.job.frame_host, bench.entries);
    for (int w = 0; w < NUM_WAYS; w++) {
        report_time(facts, ways[w].host_fact, ways[w].host_ns);
        report_time(facts, ways[w].fact, ways[w].ns);
    }
    receiver_destroy(bench.receiver);
    own_destroy(&bench);
}

DRIVER_JOBS("job", {"frames", frames}, {"fast", fast});
