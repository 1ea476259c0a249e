/*
 * 01_meet_the_device.cu: the driver's part that knows lab 01.
 *
 *   what=facts device=D     read_device for that device, for all others, and
 *                           for it again, and what is so
 *   what=overlap            find_overlap, for a report with the device's facts
 *   what=overlap engines=E  the same for a device that has E engines
 *   what=least in=I kernel=K back=B   least_ms, with 0 to 2 engines; each in
 * tenths of a millisecond what=grid               blocks_to_fill, for the same
 * kind of report what=grid sms=S threads=T what=use chunks=C iters=R   an array
 * in C chunks, by the student's report
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

enum { MAX_CHUNKS = 16 };

/* The first members of a report, in their order: all are of type int. */
static const struct {
    const char *name;
    enum cudaDeviceAttr attribute;
} members[] = {
    {"num_sms", cudaDevAttrMultiProcessorCount},
    {"threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor},
    {"copy_engines", cudaDevAttrAsyncEngineCount},
    {"concurrent_kernels", cudaDevAttrConcurrentKernels},
    {"unified_addressing", cudaDevAttrUnifiedAddressing},
    {"compute_mode", cudaDevAttrComputeMode},
};
enum { MEMBERS = sizeof members / sizeof *members };
/* By the numbers of cudaComputeMode. */
static const char *const modes[] = {"default", "exclusive (thread)",
                                    "prohibited", "exclusive (process)"};

/* What is so. */
static void read_true(int device, struct device_report *report)
{
    memset(report, 0, sizeof *report);
    for (int i = 0; i < MEMBERS; i++)
        ((int *)report)[i] = driver_attribute(members[i].attribute, device);
}

/* By the names that they have in the report, or with "true_" before them. */
static void report_facts(struct driver_facts *facts, const char *prefix,
                         const struct device_report *report)
{
    for (int i = 0; i < MEMBERS; i++) {
        char name[40];

        snprintf(name, sizeof name, "%s%s", prefix, members[i].name);
        fact_number(facts, name, ((const int *)report)[i]);
    }
}

static void run_facts(const struct driver_case *c, struct driver_facts *facts)
{
    const int num_gpus = (int)driver_num_gpus();
    struct device_report report, so, other;
    int before, after, device, turn = 0;

    do {
        device = ((int)case_number(c, "device") + turn) % num_gpus;
        before = (device + 1) % num_gpus; /* not always the first */
        CHECK(cudaSetDevice(before));
        memset(&report, 0xff, sizeof report);
        read_device(device, &report);
        CHECK(cudaGetDevice(&after));
        CHECK(cudaSetDevice(0));
        read_true(device, &so);
    } while (before == after &&
             memcmp(&report, &so, MEMBERS * sizeof(int)) == 0 &&
             turn++ < num_gpus);
    read_true((device + 1) % num_gpus, &other);
    report_facts(facts, "", &report);
    report_facts(facts, "true_", &so);
    report_facts(facts, "other_", &other);
    fact_number(facts, "asked", device);
    fact_number(facts, "block_limit",
                driver_attribute(cudaDevAttrMaxThreadsPerBlock, device));
    fact_number(facts, "moved", before != after);
    fact_text(facts, "kernels",
              so.concurrent_kernels ? "overlap" : "one at a time");
    fact_text(facts, "spaces",
              so.unified_addressing ? "one address space"
                                    : "two address spaces");
    fact_text(facts, "mode", modes[so.compute_mode & 3]);
}

static void run_overlap(const struct driver_case *c, struct driver_facts *facts)
{
    struct device_report report;

    read_true(0, &report);
    if (case_has(c, "engines")) {
        report.copy_engines = (int)case_number(c, "engines");
        /* Of a device that is otherwise as those with two of them are not. */
        report.concurrent_kernels = report.copy_engines == 0;
        report.unified_addressing = report.copy_engines == 0;
    }
    report.can_overlap = report.can_overlap_both_ways = -1;
    fact_number(facts, "engines", report.copy_engines);
    find_overlap(&report);
    fact_number(facts, "one_way", report.can_overlap);
    fact_number(facts, "both_ways", report.can_overlap_both_ways);
}

/* With no engine, one and two; with kernels that may be the limit, and are. In
 * an order that is nobody's guess. */
static void run_least(const struct driver_case *c, struct driver_facts *facts)
{
    const double in_ms = (double)case_number(c, "in") / 10;
    const double kernel_ms = (double)case_number(c, "kernel") / 10;
    const double back_ms = (double)case_number(c, "back") / 10;
    struct device_report report;

    read_true(0, &report);
    for (int i = 0; i < 6; i++) {
        const int n = (int)(case_number(c, "in") + 5 * (uint64_t)i) % 6;

        report.copy_engines = n / 2;
        report.can_overlap = n / 2 > 0;
        report.can_overlap_both_ways = n / 2 > 1;
        fact_indexed(
            facts, "least", (uint64_t)n,
            fact_rounded(10 * least_ms(&report, in_ms,
                                       (n % 2 ? 4 : 1) * kernel_ms, back_ms)));
    }
}

/* Lanes for single precision of one multiprocessor. Source: the table of
 * arithmetic throughput in the CUDA C++ Programming Guide. */
static int cores_per_sm(void)
{
    /* By the major number; those of minor number 0 first, then the others'. */
    static const int cores[][2] = {{0, 0},     {8, 8},   {32, 48},
                                   {192, 192}, {0, 0},   {128, 128},
                                   {64, 128},  {64, 64}, {64, 128}};
    const int major = driver_attribute(cudaDevAttrComputeCapabilityMajor, 0);
    const int minor = driver_attribute(cudaDevAttrComputeCapabilityMinor, 0);

    return major < 9 ? cores[major][minor > 0] : 128;
}

static void run_grid(const struct driver_case *c, struct driver_facts *facts)
{
    struct device_report report;

    read_true(0, &report);
    find_overlap(&report);
    if (case_has(c, "sms")) {
        report.num_sms = (int)case_number(c, "sms");
        report.threads_per_sm = (int)case_number(c, "threads");
    }
    fact_number(facts, "sms", report.num_sms);
    fact_number(facts, "threads", report.threads_per_sm);
    fact_number(facts, "block_limit",
                driver_attribute(cudaDevAttrMaxThreadsPerBlock, 0));
    fact_number(facts, "block_slots",
                driver_attribute(cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    fact_number(facts, "cores_per_sm", cores_per_sm());
    fact_number(facts, "blocks", blocks_to_fill(&report));
}

/* ---- the report put to use ----------------------------------------------- */

struct pipeline {
    uint64_t *data_host, *data_device, width, iters;
    unsigned blocks;
    int num_chunks;
    cudaStream_t streams[MAX_CHUNKS];
};

/* Step 0 of a chunk is its copy in, 1 the kernel, 2 the copy back. */
static void queue_step(const struct pipeline *p, int chunk, int step)
{
    uint64_t *const host = p->data_host + (uint64_t)chunk * p->width;
    uint64_t *const device = p->data_device + (uint64_t)chunk * p->width;
    const cudaStream_t stream = p->streams[chunk];

    if (step == 0)
        phases_queue_in(device, host, p->width, stream);
    else if (step == 2)
        phases_queue_back(host, device, p->width, stream);
    else
        decrypt_gpu<<<p->blocks, BLOCK_THREADS, 0, stream>>>(device, p->width,
                                                             p->iters);
    CHECK(cudaGetLastError());
}

/* In the order in which chunks reach the engines: good for any number of
 * engines and queues. */
static void queue_all(const struct pipeline *p)
{
    for (int row = 0; row < p->num_chunks + 2; row++)
        for (int step = 0; step < 3; step++)
            if (row >= step && row - step < p->num_chunks)
                queue_step(p, row - step, step);
    driver_sync_all();
}

/* One thing after the other: the chunks take turns in one stream. */
static void queue_in_turns(const struct pipeline *p)
{
    for (int chunk = 0; chunk < p->num_chunks; chunk++)
        for (int step = 0; step < 3; step++)
            queue_step(p, chunk, step);
    driver_sync_all();
}

static void run_use(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t entries = c->input_bytes / sizeof(uint64_t);
    struct device_report report = {};
    struct pipeline p;
    bool overlap;

    read_device(0, &report);
    find_overlap(&report);
    p.num_chunks = (int)case_number(c, "chunks");
    p.width = entries / (uint64_t)p.num_chunks;
    p.iters = case_number(c, "iters");
    p.blocks = (unsigned)blocks_to_fill(&report);
    p.data_host = driver_pinned(entries);
    p.data_device = driver_device(entries);
    overlap = report.can_overlap > 0 && !case_is(c, "who", "baseline");
    for (int s = 0; s < p.num_chunks; s++)
        p.streams[s] = s == 0 || overlap ? driver_stream(0) : p.streams[0];
    driver_copy_bytes(p.data_host, c->input, c->input_bytes);
    driver_sync_all();
    driver_region_start();
    /* A launch of no blocks would be an error of the driver's. */
    if (p.blocks > 0 && overlap)
        queue_all(&p);
    else if (p.blocks > 0)
        queue_in_turns(&p);
    driver_region_stop();
    driver_copy_bytes(c->output, p.data_host, c->input_bytes);
    fact_number(facts, "blocks", p.blocks);
    fact_text(facts, "how", report.can_overlap ? "that overlap" : "in turns");
}

DRIVER_JOBS("what", {"facts", run_facts}, {"overlap", run_overlap},
            {"least", run_least}, {"grid", run_grid}, {"use", run_use});
