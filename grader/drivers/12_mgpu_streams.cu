/*
 * 12_mgpu_streams.cu: the driver's part that knows lab 12. A parameter says
 * what there is to do:
 *
 *   job=chunks   the sizes of the chunks, for a few problems
 *   job=widths   the width of a few chunks
 *   job=create   what is made, and on which GPUs
 *   job=back     make it and give it back
 *   job=decrypt  mgpu_decrypt alone, in memory and streams of the driver's.
 *                Input and output: the host's entries and a guard, then the
 *                memory of each GPU, which has room for more than its part
 *   job=whole    everything by the student, twice. The host's entries only
 *   job=large    the phases, and everything by the student against the clock
 *   job=none     nothing: judged from what another case saw
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "cipher.h"
#include "lab.h"

#ifdef __VGPU__
enum { REPEATS = 1 }; /* virtual time is exact */
#else
enum { REPEATS = 5 };
#endif

/* The kernel is measured on a part of the data: it takes longest to run on
 * the virtual GPU, and its time is in proportion. */
enum { KERNEL_PART = 4 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void use_gpu(uint64_t gpu)
{
    CHECK(cudaSetDevice((int)gpu));
}

static void job_read(struct mgpu *job, const struct driver_case *c)
{
    memset(job, 0, sizeof *job);
    job->num_entries = case_number(c, "entries");
    job->num_gpus = case_number(c, "gpus");
    job->num_streams = case_number(c, "streams");
    if (job->num_gpus == 0) /* all of them */
        job->num_gpus = smaller((uint64_t)driver_num_gpus(), MAX_GPUS);
}

/* As the rules have it, for what does not depend on the student's sizes. */
static void job_size(struct mgpu *job)
{
    const uint64_t chunks = job->num_gpus * job->num_streams;

    job->stream_chunk =
        job->num_entries / chunks + (job->num_entries % chunks != 0);
    job->gpu_chunk = job->stream_chunk * job->num_streams;
}

static uint64_t gpu_lower(const struct mgpu *job, uint64_t gpu)
{
    return smaller(gpu * job->gpu_chunk, job->num_entries);
}

static uint64_t gpu_entries(const struct mgpu *job, uint64_t gpu)
{
    return gpu_lower(job, gpu + 1) - gpu_lower(job, gpu);
}

/* ---- job=chunks, job=widths ---------------------------------------------- */

static void fact_indexed(struct driver_facts *facts, const char *key, int i,
                         uint64_t value)
{
    char name[32];

    snprintf(name, sizeof name, "%s%d", key, i);
    fact_number(facts, name, (int64_t)value);
}

static void report_chunks(struct driver_facts *facts)
{
    static const uint64_t problems[][3] = {
        {8192, 2, 4}, {10007, 3, 5}, {10007, 4, 3}, {37, 3, 4}, {5, 4, 2},
        {1, 2, 8},    {100, 1, 7},   {7, 8, 1},     {0, 2, 4}};
    const int count = (int)(sizeof problems / sizeof *problems);

    for (int i = 0; i < count; i++) {
        struct mgpu job;

        memset(&job, 0, sizeof job);
        job.num_entries = problems[i][0];
        job.num_gpus = problems[i][1];
        job.num_streams = problems[i][2];
        mgpu_choose_chunks(&job);
        fact_indexed(facts, "entries", i, problems[i][0]);
        fact_indexed(facts, "gpus", i, problems[i][1]);
        fact_indexed(facts, "streams", i, problems[i][2]);
        fact_indexed(facts, "stream_chunk", i, job.stream_chunk);
        fact_indexed(facts, "gpu_chunk", i, job.gpu_chunk);
    }
    fact_number(facts, "count", count);
}

static void report_widths(struct driver_facts *facts)
{
    static const uint64_t chunks[][3] = {{0, 4, 10},  {4, 4, 10},  {8, 4, 10},
                                         {10, 4, 10}, {12, 4, 10}, {40, 8, 10},
                                         {0, 16, 5},  {3, 5, 3},   {0, 0, 0}};
    const int count = (int)(sizeof chunks / sizeof *chunks);

    for (int i = 0; i < count; i++) {
        const uint64_t *const at = chunks[i];

        fact_indexed(facts, "lower", i, at[0]);
        fact_indexed(facts, "size", i, at[1]);
        fact_indexed(facts, "entries", i, at[2]);
        fact_indexed(facts, "width", i, chunk_width(at[0], at[1], at[2]));
    }
    fact_number(facts, "count", count);
}

/* ---- job=create ---------------------------------------------------------- */

/* An event can be recorded only in a stream of its own device. */
static char stream_home(cudaStream_t stream, uint64_t num_gpus)
{
    char home = '?';

    if (stream == NULL)
        return '-';
    for (uint64_t g = 0; g < num_gpus; g++) {
        cudaEvent_t event;

        use_gpu(g);
        CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        if (cudaEventRecord(event, stream) == cudaSuccess)
            home = (char)('0' + g);
        cudaGetLastError();
        CHECK(cudaEventDestroy(event));
    }
    return home;
}

static bool is_twice(const struct mgpu *job, uint64_t gpu, uint64_t s)
{
    for (uint64_t g = 0; g <= gpu; g++)
        for (uint64_t k = 0; k < (g < gpu ? job->num_streams : s); k++)
            if (job->streams[g][k] == job->streams[gpu][s])
                return true;
    return false;
}

/* A word for each GPU, a letter for each of its streams: the GPU it is on, "-"
 * for none, "=" for one that is there already. */
static void report_streams(const struct mgpu *job, struct driver_facts *facts)
{
    char words[MAX_GPUS * (MAX_STREAMS + 1) + 1], *at = words;

    for (uint64_t g = 0; g < job->num_gpus; g++) {
        for (uint64_t s = 0; s < job->num_streams; s++) {
            *at = stream_home(job->streams[g][s], job->num_gpus);
            if (*at != '-' && is_twice(job, g, s))
                *at = '=';
            at++;
        }
        *at++ = '/';
    }
    *at = '\0';
    fact_text(facts, "streams_on", words);
}

/* A letter for each GPU: the one that its memory is on, "-" for none, "h" for
 * host memory, "<" for too little. */
static char memory_home(const struct mgpu *job, uint64_t gpu)
{
    const size_t bytes = gpu_entries(job, gpu) * sizeof(uint64_t);
    struct cudaPointerAttributes attributes;

    if (job->data_gpu[gpu] == NULL)
        return '-';
    if (cudaPointerGetAttributes(&attributes, job->data_gpu[gpu]) !=
            cudaSuccess ||
        attributes.type != cudaMemoryTypeDevice) {
        cudaGetLastError();
        return 'h';
    }
    use_gpu((uint64_t)attributes.device);
    if (cudaMemset(job->data_gpu[gpu], 0, bytes) != cudaSuccess) {
        cudaGetLastError();
        return '<';
    }
    return (char)('0' + attributes.device);
}

static void report_memory(const struct mgpu *job, struct driver_facts *facts)
{
    char words[MAX_GPUS + 1] = "";

    for (uint64_t g = 0; g < job->num_gpus; g++)
        words[g] = memory_home(job, g);
    fact_text(facts, "memory_on", words);
}

static size_t free_bytes(uint64_t num_gpus)
{
    size_t all = 0;

    for (uint64_t g = 0; g < num_gpus; g++) {
        size_t left, total;

        use_gpu(g);
        CHECK(cudaMemGetInfo(&left, &total));
        all += left;
    }
    return all;
}

static void create(const struct driver_case *c, struct driver_facts *facts)
{
    struct mgpu job;
    size_t before;

    job_read(&job, c);
    job_size(&job);
    before = free_bytes(job.num_gpus);
    use_gpu(0);
    mgpu_create(&job);
    fact_number(facts, "taken",
                (int64_t)before - (int64_t)free_bytes(job.num_gpus));
    report_streams(&job, facts);
    report_memory(&job, facts);
}

static void give_back(const struct driver_case *c)
{
    struct mgpu job;

    job_read(&job, c);
    job_size(&job);
    mgpu_create(&job);
    driver_sync_all();
    use_gpu(0);
    mgpu_destroy(&job);
}

/* ---- job=decrypt --------------------------------------------------------- */

struct layout {
    uint64_t guard; /* entries behind the host's */
    uint64_t room;  /* of a GPU */
};

/* Room enough that an offset of the host's harms nobody on a GPU. */
static struct layout layout_of(const struct mgpu *job,
                               const struct driver_case *c)
{
    const uint64_t guard = case_number(c, "guard");

    return (struct layout){guard, job->num_entries + job->gpu_chunk + guard};
}

static void own_create(struct mgpu *job, uint64_t room)
{
    for (uint64_t g = 0; g < job->num_gpus; g++) {
        use_gpu(g);
        for (uint64_t s = 0; s < job->num_streams; s++)
            CHECK(cudaStreamCreate(&job->streams[g][s]));
        CHECK(cudaMalloc(&job->data_gpu[g], room * sizeof(uint64_t)));
    }
    use_gpu(0);
}

static void own_destroy(struct mgpu *job)
{
    for (uint64_t g = 0; g < job->num_gpus; g++) {
        use_gpu(g);
        for (uint64_t s = 0; s < job->num_streams; s++)
            CHECK(cudaStreamDestroy(job->streams[g][s]));
        CHECK(cudaFree(job->data_gpu[g]));
    }
    use_gpu(0);
}

/* All GPUs' memory from @from, or to @to. */
static void copy_gpus(const struct mgpu *job, uint64_t room,
                      const uint64_t *from, uint64_t *to)
{
    const size_t bytes = room * sizeof(uint64_t);

    for (uint64_t g = 0; g < job->num_gpus; g++) {
        use_gpu(g);
        if (from)
            CHECK(cudaMemcpy(job->data_gpu[g], from + g * room, bytes,
                             cudaMemcpyHostToDevice));
        else
            CHECK(cudaMemcpy(to + g * room, job->data_gpu[g], bytes,
                             cudaMemcpyDeviceToHost));
    }
    use_gpu(0);
}

static void decrypt(const struct driver_case *c)
{
    const uint64_t *const input = (const uint64_t *)c->input;
    uint64_t *const output = (uint64_t *)c->output;
    struct mgpu job;
    struct layout layout;
    uint64_t *host, all;

    job_read(&job, c);
    job_size(&job);
    layout = layout_of(&job, c);
    all = job.num_entries + layout.guard;
    own_create(&job, layout.room);
    CHECK(cudaMallocHost(&host, all * sizeof(uint64_t)));
    driver_copy_entries(host, input, all);
    copy_gpus(&job, layout.room, input + all, NULL);
    driver_sync_all();
    driver_region_start();
    mgpu_decrypt(&job, host, case_number(c, "iters"));
    driver_copy_entries(output, host, all);
    driver_sync_all();
    driver_region_stop();
    copy_gpus(&job, layout.room, NULL, output + all);
    CHECK(cudaFreeHost(host));
    own_destroy(&job);
}

/* ---- job=whole ----------------------------------------------------------- */

static void whole(const struct driver_case *c)
{
    const uint64_t *const input = (const uint64_t *)c->input;
    uint64_t *const output = (uint64_t *)c->output;
    const uint64_t n = case_number(c, "entries");
    struct mgpu job;
    uint64_t *host;

    job_read(&job, c);
    CHECK(cudaMallocHost(&host, (n + 1) * sizeof(uint64_t)));
    mgpu_choose_chunks(&job);
    mgpu_create(&job);
    for (int turn = 0; turn < 2; turn++) {
        driver_copy_entries(host, input, n);
        driver_sync_all();
        use_gpu(0);
        driver_region_start();
        mgpu_decrypt(&job, host, case_number(c, "iters"));
        driver_copy_entries(output, host, n);
        driver_sync_all();
        driver_region_stop();
    }
    mgpu_destroy(&job);
    use_gpu(0);
    CHECK(cudaFreeHost(host));
}

/* ---- the phases: every GPU works on its part at the same time -------------
 */

struct lane {
    uint64_t lower, entries;
    uint64_t *device; /* 2 * entries: a half for each direction */
    cudaStream_t in, out;
    cudaEvent_t at[4];
};

struct phases {
    uint64_t n, gpus, iters;
    uint64_t *host; /* 2 n */
    struct lane lanes[MAX_GPUS];
    double h2d_ms, kernel_ms, d2h_ms, both_ms;
};

static void lane_create(struct lane *lane)
{
    const uint64_t room = lane->entries ? 2 * lane->entries : 1;

    CHECK(cudaMalloc(&lane->device, room * sizeof(uint64_t)));
    CHECK(cudaStreamCreateWithFlags(&lane->in, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&lane->out, cudaStreamNonBlocking));
    for (int i = 0; i < 4; i++)
        CHECK(cudaEventCreate(&lane->at[i]));
}

static void phases_create(struct phases *p, const struct mgpu *job)
{
    const uint64_t n = job->num_entries;

    memset(p, 0, sizeof *p);
    p->n = n;
    p->gpus = job->num_gpus;
    CHECK(cudaMallocHost(&p->host, 2 * n * sizeof(uint64_t)));
    memset(p->host, 0, 2 * n * sizeof(uint64_t));
    for (uint64_t g = 0; g < p->gpus; g++) {
        p->lanes[g].lower = gpu_lower(job, g);
        p->lanes[g].entries = gpu_entries(job, g);
        use_gpu(g);
        lane_create(&p->lanes[g]);
    }
}

static void phases_destroy(struct phases *p)
{
    for (uint64_t g = 0; g < p->gpus; g++) {
        use_gpu(g);
        for (int i = 0; i < 4; i++)
            CHECK(cudaEventDestroy(p->lanes[g].at[i]));
        CHECK(cudaStreamDestroy(p->lanes[g].in));
        CHECK(cudaStreamDestroy(p->lanes[g].out));
        CHECK(cudaFree(p->lanes[g].device));
    }
    use_gpu(0);
    CHECK(cudaFreeHost(p->host));
}

static void lane_kernel(const struct lane *lane, uint64_t entries,
                        uint64_t iters)
{
    if (entries == 0)
        return;
    decrypt_gpu<<<decrypt_blocks(entries), DECRYPT_THREADS, 0, lane->in>>>(
        lane->device, entries, iters);
    CHECK(cudaGetLastError());
}

static void lane_copies(const struct phases *p, const struct lane *lane,
                        bool in, bool out)
{
    const size_t bytes = lane->entries * sizeof(uint64_t);
    uint64_t *const host = p->host + lane->lower;

    if (in) {
        CHECK(cudaEventRecord(lane->at[0], lane->in));
        CHECK(cudaMemcpyAsync(lane->device, host, bytes, cudaMemcpyHostToDevice,
                              lane->in));
        CHECK(cudaEventRecord(lane->at[1], lane->in));
    }
    if (out) {
        CHECK(cudaEventRecord(lane->at[2], lane->out));
        CHECK(cudaMemcpyAsync(host + p->n, lane->device + lane->entries, bytes,
                              cudaMemcpyDeviceToHost, lane->out));
        CHECK(cudaEventRecord(lane->at[3], lane->out));
    }
}

/* The slowest GPU counts. */
static double longest_ms(const struct phases *p, bool first, bool second)
{
    double longest = 0;

    driver_sync_all();
    for (uint64_t g = 0; g < p->gpus; g++)
        for (int i = first ? 0 : 2; i < (second ? 4 : 2); i += 2) {
            const struct lane *const lane = &p->lanes[g];
            float ms;

            CHECK(cudaEventElapsedTime(&ms, lane->at[i], lane->at[i + 1]));
            longest = ms > longest ? ms : longest;
        }
    return longest;
}

static double copies_ms(const struct phases *p, bool in, bool out)
{
    for (uint64_t g = 0; g < p->gpus; g++) {
        use_gpu(g);
        lane_copies(p, &p->lanes[g], in, out);
    }
    return longest_ms(p, in, out);
}

static double kernel_ms(const struct phases *p, uint64_t iters)
{
    for (uint64_t g = 0; g < p->gpus; g++) {
        const struct lane *const lane = &p->lanes[g];

        use_gpu(g);
        CHECK(cudaEventRecord(lane->at[0], lane->in));
        lane_kernel(lane, lane->entries / KERNEL_PART, iters);
        CHECK(cudaEventRecord(lane->at[1], lane->in));
    }
    return KERNEL_PART * longest_ms(p, true, false);
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

static double median_copies_ms(const struct phases *p, bool in, bool out)
{
    double ms[REPEATS];

    if (REPEATS > 1) /* a real device is warmed up */
        copies_ms(p, in, out);
    for (int i = 0; i < REPEATS; i++)
        ms[i] = copies_ms(p, in, out);
    return median(ms, REPEATS);
}

static double median_kernel_ms(const struct phases *p, uint64_t iters)
{
    double ms[REPEATS];

    if (REPEATS > 1)
        kernel_ms(p, iters);
    for (int i = 0; i < REPEATS; i++)
        ms[i] = kernel_ms(p, iters);
    return median(ms, REPEATS);
}

/* The rounds with which the kernel takes as long as a copy: a line through two
 * points that the arithmetic limits, and not the device's memory. */
static uint64_t choose_rounds(const struct phases *p)
{
    const uint64_t few = 30, more = 90;
    const double few_ms = median_kernel_ms(p, few);
    const double more_ms = median_kernel_ms(p, more);
    const double slope = (more_ms - few_ms) / (double)(more - few);
    const double rounds =
        slope > 0 ? (double)few + (p->h2d_ms - few_ms) / slope : (double)more;

    return rounds < 8 ? 8 : rounds > 1000000 ? 1000000 : (uint64_t)rounds;
}

static void phases_measure(struct phases *p)
{
    p->h2d_ms = median_copies_ms(p, true, false);
    p->d2h_ms = median_copies_ms(p, false, true);
    p->both_ms = median_copies_ms(p, true, true);
    p->iters = choose_rounds(p);
    p->kernel_ms = median_kernel_ms(p, p->iters);
}

/* ---- job=large ----------------------------------------------------------- */

static int64_t to_ns(double ms)
{
    return (int64_t)(ms * 1e6 + 0.5);
}

/* For a timeline: all GPUs, but each does its part in one piece. */
static void run_baseline(const struct phases *p)
{
    driver_sync_all();
    driver_region_start();
    for (uint64_t g = 0; g < p->gpus; g++) {
        const struct lane *const lane = &p->lanes[g];
        const size_t bytes = lane->entries * sizeof(uint64_t);

        use_gpu(g);
        CHECK(cudaMemcpyAsync(lane->device, p->host + lane->lower, bytes,
                              cudaMemcpyHostToDevice, lane->in));
        lane_kernel(lane, lane->entries, p->iters);
        CHECK(cudaMemcpyAsync(p->host + lane->lower, lane->device, bytes,
                              cudaMemcpyDeviceToHost, lane->in));
    }
    driver_sync_all();
    driver_region_stop();
}

static void report_phases(const struct phases *p, struct driver_facts *facts)
{
    fact_number(facts, "gpus", (int64_t)p->gpus);
    fact_number(facts, "rounds", (int64_t)p->iters);
    fact_number(facts, "h2d_ns", to_ns(p->h2d_ms));
    fact_number(facts, "kernel_ns", to_ns(p->kernel_ms));
    fact_number(facts, "d2h_ns", to_ns(p->d2h_ms));
    fact_number(facts, "both_ns", to_ns(p->both_ms));
}

static void run_student(const struct driver_case *c, struct mgpu *job,
                        uint64_t iters, struct driver_facts *facts)
{
    const uint64_t n = job->num_entries;
    double ms[REPEATS];
    uint64_t *host;

    use_gpu(0);
    CHECK(cudaMallocHost(&host, n * sizeof(uint64_t)));
    mgpu_choose_chunks(job);
    mgpu_create(job);
    for (int i = REPEATS > 1 ? -1 : 0; i < REPEATS; i++) {
        uint64_t ns;

        driver_copy_entries(host, (const uint64_t *)c->input, n);
        driver_sync_all();
        use_gpu(0);
        driver_region_start();
        driver_clock_start();
        mgpu_decrypt(job, host, iters);
        use_gpu(0); /* the clock's device */
        ns = driver_clock_stop_ns();
        driver_region_stop();
        if (i >= 0)
            ms[i] = (double)ns / 1e6;
    }
    driver_copy_entries((uint64_t *)c->output, host, n);
    mgpu_destroy(job);
    use_gpu(0);
    CHECK(cudaFreeHost(host));
    fact_number(facts, "student_ns", to_ns(median(ms, REPEATS)));
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    struct phases phases;
    struct mgpu job;

    job_read(&job, c);
    job_size(&job);
    phases_create(&phases, &job);
    phases_measure(&phases);
    if (case_is(c, "who", "baseline"))
        run_baseline(&phases);
    phases_destroy(&phases);
    report_phases(&phases, facts);
    if (case_is(c, "who", "baseline"))
        return;
    job_read(&job, c);
    run_student(c, &job, phases.iters, facts);
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    if (case_is(c, "job", "chunks"))
        report_chunks(facts);
    else if (case_is(c, "job", "widths"))
        report_widths(facts);
    else if (case_is(c, "job", "create"))
        create(c, facts);
    else if (case_is(c, "job", "back"))
        give_back(c);
    else if (case_is(c, "job", "decrypt"))
        decrypt(c);
    else if (case_is(c, "job", "whole"))
        whole(c);
    else if (case_is(c, "job", "large"))
        large(c, facts);
    use_gpu(0);
}
