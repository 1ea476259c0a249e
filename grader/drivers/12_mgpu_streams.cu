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

#include "check.h"
#include "lab.h"
#include "phases.cuh"

static void job_read(struct mgpu *job, const struct driver_case *c)
{
    *job = {};
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

/* The student's function, with what it works on. */
struct run {
    struct mgpu job;
    uint64_t *host, iters;
};

static void call_student(void *of)
{
    struct run *const run = (struct run *)of;

    mgpu_decrypt(&run->job, run->host, run->iters);
}

static struct driver_work work_of(struct run *run, const struct driver_case *c,
                                  uint64_t count)
{
    run->host = driver_pinned(count);
    return {call_student,     run,   run->host,
            c->input,         count, run->job.data_gpu,
            run->job.num_gpus};
}

/* ---- job=chunks, job=widths ---------------------------------------------- */

static void report_chunks(const struct driver_case *c,
                          struct driver_facts *facts)
{
    const uint64_t some = case_number(c, "unknown");
    const uint64_t problems[][3] = {
        {8192, 2, 4}, {10007, 3, 5}, {10007, 4, 3}, {5, 4, 2},
        {1, 2, 8},    {some, 1, 7},  {0, 2, 4},     {1ull << 40 | 9, 3, 5}};
    const int count = (int)(sizeof problems / sizeof *problems);

    for (int i = 0; i < count; i++) {
        struct mgpu job = {};

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

static void report_widths(const struct driver_case *c,
                          struct driver_facts *facts)
{
    const uint64_t some = case_number(c, "unknown");
    const uint64_t chunks[][3] = {
        {0, 4, 10}, {5, 8, some}, {10, 4, 10}, {12, 4, 10},
        {0, 16, 5}, {3, 5, 3},    {0, 0, 0},   {9, 1ull << 40, 1ull << 36}};
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

/* ---- job=create, job=back ------------------------------------------------ */

/* "-": no stream, "?": none of a GPU's own. */
static char stream_home(cudaStream_t stream)
{
    const int home = driver_stream_device(stream);

    return stream == NULL ? '-' : home < 0 ? '?' : (char)('0' + home);
}

/* A word for each GPU, a letter for each of its streams: the GPU it is on, "-"
 * for none, "=" for one that is there already. */
static void report_streams(const struct mgpu *job, struct driver_facts *facts)
{
    char words[MAX_GPUS * (MAX_STREAMS + 1) + 1], *at = words;
    cudaStream_t seen[MAX_GPUS * MAX_STREAMS];
    int num_seen = 0;

    for (uint64_t g = 0; g < job->num_gpus; g++) {
        for (uint64_t s = 0; s < job->num_streams; s++) {
            const cudaStream_t stream = job->streams[g][s];

            *at = stream_home(stream);
            for (int i = 0; i < num_seen; i++)
                if (stream && stream == seen[i])
                    *at = '=';
            seen[num_seen++] = stream;
            at++;
        }
        *at++ = g + 1 < job->num_gpus ? '/' : '\0';
    }
    fact_text(facts, "streams_on", words);
}

static void create(const struct driver_case *c, struct driver_facts *facts)
{
    struct driver_part parts[DRIVER_MAX_GPUS];
    struct mgpu job;
    size_t before;

    job_read(&job, c);
    job_size(&job);
    before = driver_free_bytes(job.num_gpus);
    driver_use_gpu(0);
    mgpu_create(&job);
    fact_number(facts, "taken", before - driver_free_bytes(job.num_gpus));
    report_streams(&job, facts);
    driver_cut(parts, job.num_entries, job.num_gpus, job.num_streams);
    driver_report_homes(job.data_gpu, parts, job.num_gpus, facts);
    if (case_is(c, "job", "back")) {
        fact_send(facts);
        driver_use_gpu(0);
        mgpu_destroy(&job);
    }
}

/* ---- job=decrypt --------------------------------------------------------- */

static void own_create(struct mgpu *job, uint64_t room)
{
    for (uint64_t g = 0; g < job->num_gpus; g++) {
        driver_use_gpu(g);
        for (uint64_t s = 0; s < job->num_streams; s++)
            job->streams[g][s] = driver_stream(cudaStreamDefault);
        job->data_gpu[g] = driver_device(room);
    }
    driver_use_gpu(0);
}

static void decrypt(const struct driver_case *c, struct driver_facts *)
{
    struct driver_part parts[DRIVER_MAX_GPUS];
    struct run run;
    struct mgpu *const job = &run.job;
    uint64_t all, room;

    job_read(job, c);
    job_size(job);
    run.iters = case_number(c, "iters");
    all = job->num_entries + case_number(c, "guard");
    /* Enough that an offset of the host's harms nobody on a GPU. */
    room = all + job->gpu_chunk;
    own_create(job, room);
    for (uint64_t g = 0; g < job->num_gpus; g++)
        parts[g] = {g * room, room};

    const struct driver_work work = work_of(&run, c, all);

    driver_run(c, &work, parts, 0);
}

/* ---- job=whole ----------------------------------------------------------- */

static void whole(const struct driver_case *c, struct driver_facts *)
{
    struct run run;

    job_read(&run.job, c);
    run.iters = case_number(c, "iters");

    const struct driver_work work = work_of(&run, c, run.job.num_entries);

    driver_fill(&work, 0);
    driver_sync_all();
    mgpu_choose_chunks(&run.job);
    mgpu_create(&run.job);
    driver_call(c, &work); /* beside what mgpu_create may have left */
    driver_run(c, &work, NULL, 0);
    mgpu_destroy(&run.job);
}

/* ---- job=large ----------------------------------------------------------- */

/* In each of the case's rounds. */
enum { RUNS = PHASES_REPEATS > 3 ? 3 : PHASES_REPEATS };

/* For all rounds: pinned memory takes longer to get than to use. */
static struct phases phases; /* num_gpus 0: not made */

static void run_student(const struct driver_case *c, struct run *run,
                        struct driver_facts *facts)
{
    struct mgpu *const job = &run->job;
    double student_ms;

    driver_use_gpu(0);

    const struct driver_work work = work_of(run, c, job->num_entries);

    mgpu_choose_chunks(job);
    mgpu_create(job);
    student_ms = phases_student_ms(&work, c->output, RUNS, true, NULL);
    fact_ms(facts, "student_ns", student_ms);
    mgpu_destroy(job);
    phases_show(&phases, job->num_streams, student_ms, facts);
}

static void large(const struct driver_case *c, struct driver_facts *facts)
{
    const bool baseline = case_is(c, "who", "baseline");
    struct run run;
    const struct mgpu *const job = &run.job;

    job_read(&run.job, c);
    if (phases.num_gpus == 0)
        phases_create(&phases, job->num_entries, job->num_gpus,
                      job->num_streams);
    phases_measure(&phases, 0);
    if (baseline)
        phases_draw_serial(&phases);
    phases_report(&phases, facts);
    run.iters = phases.rounds;
    if (baseline)
        return;
    run_student(c, &run, facts);
}

DRIVER_JOBS("job", {"chunks", report_chunks}, {"widths", report_widths},
            {"create", create}, {"back", create}, {"decrypt", decrypt},
            {"whole", whole}, {"large", large});

void lab_end(void)
{
    if (phases.num_gpus > 0)
        phases_destroy(&phases);
}
