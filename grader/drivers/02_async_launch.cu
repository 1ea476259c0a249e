/*
 * 02_async_launch.cu: the driver's part that knows lab 02.
 *
 *   what=together gpu=N host=N iters=R    two parts of that size
 *   what=together gpu=N target_us=T       balanced: the GPU's part takes about
 *                                         T, the host's part as long; timed
 *   what=kernel gpu=N target_us=T busy=B  the student's kernel timer, with
 *                                         other work before it or not
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

/* Rounds to begin with, entries of the host to measure; at most. */
enum { FEW_ITERS = 64, SAMPLE = 4, MOST_ITERS = 1 << 24 };

struct parts {
    uint64_t *gpu_part, *data_device, *host_part;
    uint64_t num_gpu, num_host, num_iters;
};

/* ---- the work by itself -------------------------------------------------- */

static void launch(const struct parts *parts)
{
    decrypt_gpu<<<decrypt_blocks(parts->num_gpu), DECRYPT_THREADS>>>(
        parts->data_device, parts->num_gpu, parts->num_iters);
    CHECK(cudaGetLastError());
}

static void decrypt_gpu_part(const struct parts *parts)
{
    launch(parts);
    phases_queue_back(parts->gpu_part, parts->data_device, parts->num_gpu, 0);
    CHECK(cudaDeviceSynchronize());
}

static void decrypt_host_part(const struct parts *parts)
{
    for (uint64_t i = 0; i < parts->num_host; i++)
        parts->host_part[i] =
            decrypt_entry(parts->host_part[i], parts->num_iters);
}

static uint64_t sum(const uint64_t *entries, uint64_t count)
{
    uint64_t total = 0;

    for (uint64_t i = 0; i < count; i++)
        total += entries[i];
    return total;
}

static uint64_t sum_parts(const struct parts *parts)
{
    return sum(parts->gpu_part, parts->num_gpu) +
           sum(parts->host_part, parts->num_host);
}

/* What the student's function is compared with: one after the other. */
static uint64_t decrypt_in_turns(const struct parts *parts)
{
    decrypt_gpu_part(parts);
    decrypt_host_part(parts);
    return sum_parts(parts);
}

/* As the lab has it. */
static uint64_t decrypt_beside(const struct parts *parts)
{
    launch(parts);
    CHECK(cudaMemcpyAsync(parts->gpu_part, parts->data_device,
                          parts->num_gpu * sizeof(uint64_t),
                          cudaMemcpyDeviceToHost, 0));
    decrypt_host_part(parts);
    driver_sync_all();
    return sum_parts(parts);
}

/* ---- measuring ----------------------------------------------------------- */

/* The GPU's part alone. */
static double gpu_ns(void *of)
{
    return (double)DRIVER_TIME_NS(decrypt_gpu_part((const struct parts *)of));
}

/* Rounds with which the GPU's part takes about so long. */
static void choose_iters(struct parts *parts, uint64_t target_us)
{
    phases_rounds(gpu_ns, parts, &parts->num_iters, FEW_ITERS,
                  1e3 * (double)target_us, false, MOST_ITERS);
}

/* Entries with which the host is busy as long as the GPU. */
static void choose_host(struct parts *parts, uint64_t most)
{
    const double gpu = gpu_ns(parts);
    double one;

    parts->num_host = SAMPLE;
    decrypt_host_part(parts); /* what is new takes longer */
    one = (double)DRIVER_TIME_NS(decrypt_host_part(parts)) / SAMPLE;
    parts->num_host = one > 0 ? (uint64_t)(gpu / one + 0.5) : 1;
    parts->num_host = min(max(parts->num_host, (uint64_t)1), most);
}

static void report_phases(struct parts *parts, struct driver_facts *facts)
{
    volatile uint64_t used;

    fact_number(facts, "gpu_ns", (int64_t)gpu_ns(parts));
    fact_number(facts, "host_ns", DRIVER_TIME_NS(decrypt_host_part(parts)));
    fact_number(facts, "sum_ns", DRIVER_TIME_NS(used = sum_parts(parts)));
    (void)used;
}

/* ---- two parts ----------------------------------------------------------- */

static void parts_new(struct parts *parts, uint64_t num_gpu, uint64_t num_host)
{
    /* The host's page-locked, too, so that the checker knows it: of two threads
     * at work in it one has to wait for the other. And zeros behind, for a loop
     * that runs too far. */
    *parts = {driver_pinned(num_gpu),
              driver_device(num_gpu),
              driver_pinned(num_host + num_gpu),
              num_gpu,
              num_host,
              0};
    memset(parts->host_part, 0, (num_host + num_gpu) * sizeof(uint64_t));
}

static void parts_load(struct parts *parts, const uint64_t *input)
{
    memset(parts->gpu_part, 0, parts->num_gpu * sizeof(uint64_t));
    CHECK(cudaMemcpy(parts->data_device, input,
                     parts->num_gpu * sizeof(uint64_t),
                     cudaMemcpyHostToDevice));
    memcpy(parts->host_part, input + parts->num_gpu,
           parts->num_host * sizeof(uint64_t));
    driver_sync_all();
}

static void run_together(const struct driver_case *c,
                         struct driver_facts *facts)
{
    const uint64_t num_gpu = case_number(c, "gpu");
    const uint64_t most = c->input_bytes / sizeof(uint64_t) - num_gpu;
    struct parts parts;
    uint64_t total, ns;
    char text[32];

    parts_new(&parts, num_gpu, most);
    parts.num_iters = case_number(c, "iters");
    if (case_has(c, "target_us")) {
        CHECK(cudaMemset(parts.data_device, 0, num_gpu * sizeof(uint64_t)));
        choose_iters(&parts, case_number(c, "target_us"));
        choose_host(&parts, most);
        report_phases(&parts, facts);
    }
    parts_load(&parts, c->input);
    driver_region_start();
    driver_clock_start();
    if (case_is(c, "who", "baseline"))
        total = decrypt_in_turns(&parts);
    else
        total =
            decrypt_together(parts.gpu_part, parts.data_device, parts.num_gpu,
                             parts.host_part, parts.num_host, parts.num_iters);
    ns = case_has(c, "target_us") ? driver_clock_stop_ns() : 0;
    /* Untimed, what was not waited for is not there yet. */
    driver_copy_entries(c->output, parts.gpu_part, num_gpu);
    driver_region_stop();
    driver_copy_entries(c->output + num_gpu, parts.host_part, parts.num_host);
    snprintf(text, sizeof text, "%llu", (unsigned long long)total);
    fact_text(facts, "sum", text);
    fact_number(facts, "iters", parts.num_iters);
    fact_number(facts, "host", parts.num_host);
    fact_number(facts, "beyond", parts.host_part[parts.num_host] != 0);
    fact_number(facts, "ns", ns);
    /* Where a driver collects commands, the launch is not sent before the host
     * waits: see phases_show(). What the student left under way is over. */
    if (!DRIVER_REAL_GPU && case_has(c, "target_us")) {
        driver_sync_all();
        fact_number(facts, "shown_ns", DRIVER_TIME_NS(decrypt_beside(&parts)));
    }
}

/* ---- the kernel's time --------------------------------------------------- */

static double time_by_events(const struct parts *parts)
{
    driver_sync_all();
    return 1e6 * DRIVER_OP_MS(0, launch(parts));
}

static void time_student(const struct driver_case *c, struct parts *parts,
                         int row, struct driver_facts *facts)
{
    struct kernel_times times = {-1, -1};
    const double reference = time_by_events(parts);

    parts_load(parts, c->input);
    if (case_number(c, "busy"))
        launch(parts);
    DRIVER_REGION_IF(row == 1, time_kernel(&times, parts->data_device,
                                           parts->num_gpu, parts->num_iters));
    fact_indexed(facts, "running", row,
                 cudaStreamQuery(0) == cudaErrorNotReady);
    driver_sync_all();
    CHECK(cudaMemcpy(c->output, parts->data_device, c->output_bytes,
                     cudaMemcpyDeviceToHost));
    fact_indexed(facts, "launch_ns", row, (int64_t)(times.launch_ms * 1e6));
    fact_indexed(facts, "kernel_ns", row, (int64_t)(times.kernel_ms * 1e6));
    fact_indexed(facts, "reference_ns", row,
                 (int64_t)((reference + time_by_events(parts)) / 2));
}

/* Half of the rounds, then all: no time that is known by heart suits both. */
static void run_kernel(const struct driver_case *c, struct driver_facts *facts)
{
    struct parts parts;
    uint64_t iters;

    parts_new(&parts, case_number(c, "gpu"), 0);
    parts_load(&parts, c->input);
    choose_iters(&parts, case_number(c, "target_us"));
    iters = parts.num_iters;
    fact_number(facts, "rows", 2);
    for (int row = 0; row < 2; row++) {
        parts.num_iters = sdiv(iters * (row + 1), 2);
        time_student(c, &parts, row, facts);
    }
    fact_number(facts, "iters", iters);
}

DRIVER_JOBS("what", {"together", run_together}, {"kernel", run_kernel});
