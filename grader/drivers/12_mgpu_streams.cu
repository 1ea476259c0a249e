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
 */
#include "driver.h"

#include <string.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

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
        job->num_gpus = driver_num_gpus();
}

/* As the rules have it, for what does not depend on the student's sizes. */
static void job_size(struct mgpu *job)
{
    job->stream_chunk =
        sdiv(job->num_entries, job->num_gpus * job->num_streams);
    job->gpu_chunk = job->stream_chunk * job->num_streams;
}

static uint64_t gpu_entries(const struct mgpu *job, uint64_t gpu)
{
    return driver_part_of(job->num_entries, job->num_gpus, job->num_streams,
                          gpu)
        .width;
}

/* ---- job=chunks, job=widths ---------------------------------------------- */

static void report_chunks(struct driver_facts *facts)
{
    static const uint64_t problems[][3] = {
        {8192, 2, 4}, {10007, 3, 5}, {10007, 4, 3}, {5, 4, 2},
        {1, 2, 8},    {100, 1, 7},   {0, 2, 4},     {1ull << 40 | 9, 3, 5}};
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
    fact_number(facts, "rows", count);
}

static void report_widths(struct driver_facts *facts)
{
    static const uint64_t chunks[][3] = {
        {0, 4, 10}, {8, 4, 10}, {10, 4, 10}, {12, 4, 10},
        {0, 16, 5}, {3, 5, 3},  {0, 0, 0},   {9, 1ull << 40, 1ull << 36}};
    const int count = (int)(sizeof chunks / sizeof *chunks);

    for (int i = 0; i < count; i++) {
        const uint64_t *const at = chunks[i];

        fact_indexed(facts, "lower", i, at[0]);
        fact_indexed(facts, "size", i, at[1]);
        fact_indexed(facts, "entries", i, at[2]);
        fact_indexed(facts, "width", i, chunk_width(at[0], at[1], at[2]));
    }
    fact_number(facts, "rows", count);
}

/* ---- job=create ---------------------------------------------------------- */

/* "-": no stream, "?": none of a GPU's own. */
static char stream_home(cudaStream_t stream)
{
    const int home = driver_stream_device(stream);

    return stream == NULL ? '-' : home < 0 ? '?' : (char)('0' + home);
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
            *at = stream_home(job->streams[g][s]);
            if (*at != '-' && is_twice(job, g, s))
                *at = '=';
            at++;
        }
        *at++ = g + 1 < job->num_gpus ? '/' : '\0';
    }
    fact_text(facts, "streams_on", words);
}

/* A letter for each GPU. */
static void report_memory(const struct mgpu *job, struct driver_facts *facts)
{
    char words[MAX_GPUS + 1] = "";

    for (uint64_t g = 0; g < job->num_gpus; g++)
        words[g] = driver_memory_home(job->data_gpu[g],
                                      gpu_entries(job, g) * sizeof(uint64_t));
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
    fact_number(facts, "taken", before - free_bytes(job.num_gpus));
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
    struct mgpu job;
    struct layout layout;
    uint64_t *host, all;

    job_read(&job, c);
    job_size(&job);
    layout = layout_of(&job, c);
    all = job.num_entries + layout.guard;
    own_create(&job, layout.room);
    CHECK(cudaMallocHost(&host, all * sizeof(uint64_t)));
    driver_copy_entries(host, c->input, all);
    copy_gpus(&job, layout.room, c->input + all, NULL);
    driver_sync_all();
    driver_region_start();
    mgpu_decrypt(&job, host, case_number(c, "iters"));
    driver_copy_entries(c->output, host, all);
    driver_sync_all();
    driver_region_stop();
    copy_gpus(&job, layout.room, NULL, c->output + all);
    CHECK(cudaFreeHost(host));
    own_destroy(&job);
}

/* ---- job=whole ----------------------------------------------------------- */

static void whole(const struct driver_case *c)
{
    const uint64_t n = case_number(c, "entries");
    struct mgpu job;
    uint64_t *host;

    job_read(&job, c);
    CHECK(cudaMallocHost(&host, (n + 1) * sizeof(uint64_t)));
    mgpu_choose_chunks(&job);
    mgpu_create(&job);
    for (int turn = 0; turn < 2; turn++) {
        driver_copy_entries(host, c->input, n);
        driver_sync_all();
        use_gpu(0);
        driver_region_start();
        mgpu_decrypt(&job, host, case_number(c, "iters"));
        driver_copy_entries(c->output, host, n);
        driver_sync_all();
        driver_region_stop();
    }
    mgpu_destroy(&job);
    use_gpu(0);
    CHECK(cudaFreeHost(host));
}

/* ---- job=large ----------------------------------------------------------- */

/* In each of the case's rounds. */
enum { RUNS = PHASES_REPEATS > 3 ? 3 : PHASES_REPEATS };

/* For all rounds: pinned memory takes longer to get than to use. */
static struct phases phases; /* num_gpus 0: not made */

static void run_student(const struct driver_case *c, struct mgpu *job,
                        uint64_t iters, struct driver_facts *facts)
{
    const uint64_t n = job->num_entries;
    double ms[RUNS];
    uint64_t *host;

    use_gpu(0);
    CHECK(cudaMallocHost(&host, n * sizeof(uint64_t)));
    mgpu_choose_chunks(job);
    mgpu_create(job);
    for (int i = RUNS > 1 ? -1 : 0; i < RUNS; i++) {
        const bool last = i == RUNS - 1; /* that one is drawn */
        int64_t ns;

        driver_copy_entries(host, c->input, n);
        driver_sync_all();
        use_gpu(0);
        DRIVER_REGION_IF(last,
                         ns = DRIVER_TIME_NS((mgpu_decrypt(job, host, iters),
                                              driver_look(host, c->input, n))));
        if (i >= 0)
            ms[i] = (double)ns / 1e6;
    }
    driver_copy_entries(c->output, host, n);
    mgpu_destroy(job);
    use_gpu(0);
    CHECK(cudaFreeHost(host));
    fact_ms(facts, "student_ns", driver_median(ms, RUNS));
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    const bool baseline = case_is(c, "who", "baseline");
    struct mgpu job;

    job_read(&job, c);
    if (phases.num_gpus == 0) {
        phases_create(&phases, job.num_entries, job.num_gpus, job.num_streams);
        phases_measure(&phases, 0);
    } else {
        phases_measure_copies(&phases);
        phases_measure_kernel(&phases);
    }
    if (baseline)
        phases_draw_serial(&phases);
    phases_report(&phases, facts);
    if (!baseline)
        run_student(c, &job, phases.rounds, facts);
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

void lab_end(void)
{
    if (phases.num_gpus > 0)
        phases_destroy(&phases);
}
