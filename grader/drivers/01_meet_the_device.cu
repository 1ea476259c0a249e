/*
 * 01_meet_the_device.cu: the driver's part that knows lab 01.
 *
 *   what=facts device=D     read_device for that device, for all others, and
 *                           for it again, and what is so
 *   what=overlap            find_overlap, for a report with the device's facts
 *   what=overlap engines=E  the same for a device that has E engines
 *   what=grid               blocks_to_fill, for the same kind of report
 *   what=grid sms=S threads=T
 *   what=use chunks=C iters=R   an array in C chunks, by the student's report
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"
#include "lab.h"

enum { MAX_CHUNKS = 16 };

static int attribute(enum cudaDeviceAttr which, int device)
{
    int value;

    CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/* What is so. */
static void read_true(int device, struct device_report *report)
{
    memset(report, 0, sizeof *report);
    report->num_sms = attribute(cudaDevAttrMultiProcessorCount, device);
    report->threads_per_sm =
        attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device);
    report->copy_engines = attribute(cudaDevAttrAsyncEngineCount, device);
    report->concurrent_kernels =
        attribute(cudaDevAttrConcurrentKernels, device);
    report->unified_addressing =
        attribute(cudaDevAttrUnifiedAddressing, device);
    report->compute_mode = attribute(cudaDevAttrComputeMode, device);
}

static bool is_right(const struct device_report *report,
                     const struct device_report *so)
{
    return report->num_sms == so->num_sms &&
           report->threads_per_sm == so->threads_per_sm &&
           report->copy_engines == so->copy_engines &&
           report->concurrent_kernels == so->concurrent_kernels &&
           report->unified_addressing == so->unified_addressing &&
           report->compute_mode == so->compute_mode;
}

/* By the names that they have in the report, or with "true_" before them. */
static void report_facts(struct driver_facts *facts, const char *prefix,
                         const struct device_report *report)
{
    const struct {
        const char *member;
        int value;
    } all[] = {{"num_sms", report->num_sms},
               {"threads_per_sm", report->threads_per_sm},
               {"copy_engines", report->copy_engines},
               {"concurrent_kernels", report->concurrent_kernels},
               {"unified_addressing", report->unified_addressing},
               {"compute_mode", report->compute_mode}};
    char name[40];

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, all[i].member);
        fact_number(facts, name, all[i].value);
    }
}

static void run_facts(const struct driver_case *c, struct driver_facts *facts)
{
    const int num_gpus = (int)driver_num_gpus();
    struct device_report report, so, other;
    int before, after, device, turn = 0;

    CHECK(cudaGetDevice(&before));
    do {
        device = ((int)case_number(c, "device") + turn) % num_gpus;
        memset(&report, 0xff, sizeof report);
        read_device(device, &report);
        CHECK(cudaGetDevice(&after));
        CHECK(cudaSetDevice(before));
        read_true(device, &so);
    } while (before == after && is_right(&report, &so) && turn++ < num_gpus);
    read_true((device + 1) % num_gpus, &other);
    report_facts(facts, "", &report);
    report_facts(facts, "true_", &so);
    report_facts(facts, "other_", &other);
    fact_number(facts, "asked", device);
    fact_number(facts, "block_limit",
                attribute(cudaDevAttrMaxThreadsPerBlock, device));
    fact_number(facts, "moved", before != after);
}

static void run_overlap(const struct driver_case *c, struct driver_facts *facts)
{
    struct device_report report;

    read_true(0, &report);
    if (case_has(c, "engines"))
        report.copy_engines = (int)case_number(c, "engines");
    report.can_overlap = report.can_overlap_both_ways = -1;
    find_overlap(&report);
    fact_number(facts, "engines", report.copy_engines);
    fact_number(facts, "one_way", report.can_overlap);
    fact_number(facts, "both_ways", report.can_overlap_both_ways);
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
                attribute(cudaDevAttrMaxThreadsPerBlock, 0));
    fact_number(facts, "block_slots",
                attribute(cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    fact_number(facts, "major",
                attribute(cudaDevAttrComputeCapabilityMajor, 0));
    fact_number(facts, "minor",
                attribute(cudaDevAttrComputeCapabilityMinor, 0));
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
    const size_t bytes = p->width * sizeof(uint64_t);
    const cudaStream_t stream = p->streams[chunk];

    if (step == 1) {
        decrypt_gpu<<<p->blocks, BLOCK_THREADS, 0, stream>>>(device, p->width,
                                                             p->iters);
        CHECK(cudaGetLastError());
    } else {
        CHECK(cudaMemcpyAsync(
            step == 0 ? device : host, step == 0 ? host : device, bytes,
            step == 0 ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
            stream));
    }
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
    struct device_report report;
    struct pipeline p;
    int num_streams;
    bool overlap;

    memset(&report, 0, sizeof report);
    read_device(0, &report);
    find_overlap(&report);
    p.num_chunks = (int)case_number(c, "chunks");
    p.width = entries / (uint64_t)p.num_chunks;
    p.iters = case_number(c, "iters");
    p.blocks = (unsigned)blocks_to_fill(&report);
    CHECK(cudaMallocHost(&p.data_host, c->input_bytes));
    CHECK(cudaMalloc(&p.data_device, c->input_bytes));
    overlap = report.can_overlap > 0 && !case_is(c, "who", "baseline");
    num_streams = overlap ? p.num_chunks : 1;
    for (int s = 0; s < num_streams; s++)
        CHECK(cudaStreamCreate(&p.streams[s]));
    for (int s = num_streams; s < p.num_chunks; s++)
        p.streams[s] = p.streams[0];
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
    fact_number(facts, "overlap", report.can_overlap);
    for (int s = 0; s < num_streams; s++)
        CHECK(cudaStreamDestroy(p.streams[s]));
    CHECK(cudaFree(p.data_device));
    CHECK(cudaFreeHost(p.data_host));
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    if (case_is(c, "what", "facts"))
        run_facts(c, facts);
    else if (case_is(c, "what", "overlap"))
        run_overlap(c, facts);
    else if (case_is(c, "what", "grid"))
        run_grid(c, facts);
    else
        run_use(c, facts);
}
