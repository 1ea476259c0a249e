/*
 * chunks.cuh: the driver's part of labs 07 and 08, whose function decrypts an
 * array in chunks. The lab's own part says where the host's memory comes from.
 * A parameter says what there is to do:
 *
 *   job=decrypt  the function once, with iters= rounds. Input and output: the
 *                host's entries and their guard, then those of the device where
 *                there is room for them. With guard= a guard is as long as the
 *                data and so many entries more, without there is none.
 *   job=many     the function once on many= entries, with one round. Input and
 *                output: the last ones of the host; the others are zero before
 *   job=fast     the phases, the time without overlap and the function's
 *   job=memory   memory of the host, taken and given back
 *   job=none     nothing: judged from what other cases saw
 *
 * Without iters= there are as many rounds as make the kernel take as long as a
 * copy.
 *
 * What is made for one size is kept until another one comes, as programs do,
 * and the host's memory to the end (kept.cuh).
 */
#ifndef DRIVER_CHUNKS_CUH
#define DRIVER_CHUNKS_CUH

#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "cipher.h"
#include "driver_core.h"
#include "kept.cuh"
#include "lab.h"
#include "phases.cuh"

/* The lab's own: the host's memory for the student's function. */
static uint64_t *chunks_host_new(uint64_t num_entries);
static void chunks_host_free(uint64_t *memory);

/* ---- what lab.h promises ------------------------------------------------- */

static struct {
    uint64_t n, guard, iters;
    uint64_t num_streams;
    uint64_t *host, *device;
    cudaStream_t *streams;
} job;
static struct phases phases; /* num_gpus 0: not made */

static void job_make(uint64_t n, uint64_t guard, uint64_t num_streams)
{
    const uint64_t room = max(n + guard, (uint64_t)1);

    job.n = n;
    job.guard = guard;
    job.num_streams = num_streams;
    job.streams =
        (cudaStream_t *)realloc(job.streams, num_streams * sizeof *job.streams);
    for (uint64_t s = 0; s < num_streams; s++)
        job.streams[s] = driver_stream(cudaStreamDefault);
    job.host = kept_of(room, chunks_host_new, "chunks_host_new");
    job.device = driver_device(room);
    OWN(cudaMemset(job.device, 0, room * sizeof(uint64_t)));
}

/* ---- how much work ------------------------------------------------------- */

/* Below that, the fixed costs of small copies on a virtual device with a fast
 * link hide the overlap: twice the data, at twice the cost. */
#define SHORT_COPY_MS (DRIVER_REAL_GPU ? 0.0 : 0.6)

static void phases_make(uint64_t n)
{
    phases_create(&phases, n, 1, 1);
    phases_measure_copies(&phases);
}

/* Once for all runs, so that each does the same work. */
static void choose_work(const struct driver_case *c)
{
    const uint64_t asked = case_number(c, "entries");
    uint64_t n = asked;

    phases_make(n);
    while (phases.h2d_ms < SHORT_COPY_MS && n < 4 * asked) {
        phases_destroy(&phases);
        n *= 2;
        phases_make(n);
    }
    phases.rounds = case_number(c, "measured_rounds");
    if (phases.rounds == 0)
        phases_balance(&phases, case_number(c, "most_rounds"));
}

static void job_choose(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const uint64_t streams = case_number(c, "streams");

    /* Streams and buffers are numbered in pictures and in what the checker
     * says: the student's come first. */
    job_make(n, case_has(c, "guard") ? n + case_number(c, "guard") : 0,
             streams);
    job.iters = case_number(c, "iters");
    if (!case_has(c, "iters")) {
        if (phases.num_gpus == 0)
            choose_work(c);
        if (job.n != phases.num_entries)
            job_make(phases.num_entries, 0, streams);
        job.iters = phases.rounds;
    }
    fact_number(facts, "entries", (int64_t)job.n);
    fact_number(facts, "rounds", (int64_t)job.iters);
}

/* ---- runs ---------------------------------------------------------------- */

static void run_student(void *)
{
    decrypt_in_chunks(job.host, job.device, job.n, job.iters, job.streams,
                      job.num_streams);
}

/* The same without overlap, from pinned memory whatever the student has. */
static void run_serial(void)
{
    const cudaStream_t stream = job.streams[0];

    phases_queue_in(job.device, phases.host, job.n, stream);
    phases_queue_kernel(job.device, job.n, job.iters, stream);
    phases_queue_back(phases.host, job.device, job.n, stream);
    OWN(cudaStreamSynchronize(stream));
}

/* Asked at once when the function returns. */
static int count_running(void)
{
    int running = 0;

    for (uint64_t s = 0; s < job.num_streams; s++)
        running += cudaStreamQuery(job.streams[s]) == cudaErrorNotReady;
    running += cudaStreamQuery(0) == cudaErrorNotReady;
    cudaGetLastError(); /* NotReady is none, but is kept as one */
    return running;
}

/*
 * One run as the region of the trace, and what it left running. A stream that
 * says it is done counts as waited for, so under the checker nobody asks: there
 * a result that is read too early is a hazard, and that read has to be in the
 * region, as has what nobody waited for. Return: is the device still good?
 */
static bool run_marked(const struct driver_case *c, struct driver_facts *facts)
{
    const bool ask = !case_has(c, "checked");
    int running = 0;
    bool good;

    driver_region_start();
    if (case_is(c, "who", "baseline"))
        run_serial();
    else
        run_student(NULL);
    driver_take_pending();
    if (ask)
        running = count_running();
    if (ask && running == 0)
        driver_region_stop();
    driver_copy_entries((uint64_t *)c->output, job.host, job.n + job.guard);
    good = driver_take_late();
    if (!ask || running > 0)
        driver_region_stop();
    fact_number(facts, "running", running);
    return good;
}

/* ---- what there is to do ------------------------------------------------- */

static void decrypt(const struct driver_case *c, struct driver_facts *facts)
{
    job_choose(c, facts);

    const uint64_t all = job.n + job.guard;
    const size_t bytes = all * sizeof(uint64_t);
    const bool both = job.guard > 0;
    const uint64_t *const input = (const uint64_t *)c->input;

    driver_copy_entries(job.host, input, all);
    if (both)
        OWN(cudaMemcpy(job.device, input + all, bytes, cudaMemcpyHostToDevice));
    driver_sync_all();
    if (run_marked(c, facts) && both) {
        OWN(cudaMemcpy((uint64_t *)c->output + all, job.device, bytes,
                       cudaMemcpyDeviceToHost));
        driver_note_use(input + all, c->output + all, job.n);
    }
}

/* One of the two versions under the clock, as fast() has them. */
static void draw(const struct driver_case *c, struct driver_facts *facts)
{
    job_choose(c, facts);
    driver_copy_entries(job.host, c->input, job.n);
    driver_draw_timed();
    (void)DRIVER_TIME_NS(case_is(c, "who", "baseline") ? run_serial()
                                                       : run_student(NULL));
    driver_take_pending();
    driver_copy_entries((uint64_t *)c->output, job.host, job.n);
}

/* Both versions in turn, and the phases that set the limit. */
static void fast(const struct driver_case *c, struct driver_facts *facts)
{
    double student_ms;

    if (case_has(c, "picture")) {
        /* The clock waits for what was not waited for, which would be no
         * hazard then. */
        (case_has(c, "checked") ? decrypt : draw)(c, facts);
        return;
    }
    job_choose(c, facts);

    const struct driver_work student = {
        run_student, NULL, job.host, c->input, job.n, &job.device, 1};

    phases_measure(&phases, 0);
    phases_report(&phases, facts);
    fact_number(facts, "serial_ns", DRIVER_TIME_NS(run_serial()));
    student_ms = driver_time_ms(&student, 0, false);
    fact_ms(facts, "student_ns", student_ms);
    driver_copy_entries((uint64_t *)c->output, job.host, job.n);
    phases_show(&phases, job.num_streams, student_ms, facts);
}

/* Not by the host's memory of the other sizes, which is kept to the end. */
static void many(const struct driver_case *c, struct driver_facts *)
{
    const uint64_t n = case_number(c, "many");
    uint64_t *last;

    job_make(0, 0, case_number(c, "streams"));
    job.n = n;
    job.iters = case_number(c, "iters");
    job.device = driver_device(n);
    job.host = driver_pinned(n);
    last = job.host + n - case_number(c, "entries");
    driver_copy_bytes(last, c->input, c->input_bytes);
    driver_sync_all();
    run_student(NULL);
    driver_take_pending();
    driver_copy_bytes(c->output, last, c->output_bytes);
    driver_sync_all();
}

static void memory(const struct driver_case *c, struct driver_facts *facts)
{
    uint64_t *const taken = chunks_host_new(case_number(c, "entries"));
    const int type = driver_memory_type(taken);

    driver_device(1); /* a device that is reset has lost it */
    fact_number(facts, "pageable", type == cudaMemoryTypeUnregistered);
    fact_number(facts, "pinned", type == cudaMemoryTypeHost);
    chunks_host_free(taken);
    fact_number(facts, "left", driver_memory_type(taken) == cudaMemoryTypeHost);
}

DRIVER_JOBS("job", {"decrypt", decrypt}, {"many", many}, {"fast", fast},
            {"memory", memory});

void lab_end(void)
{
    free(job.streams);
    kept_give_back(chunks_host_free);
    if (phases.num_gpus > 0)
        phases_destroy(&phases);
}

#endif
