// expect: passed
// A table of attributes, a switch that falls through, a loop that counts.
#include "lab.h"

#include <stddef.h>

#include "check.h"

void read_device(int device, struct device_report *report)
{
    const struct {
        enum cudaDeviceAttr which;
        int *where;
    } facts[] = {
        {cudaDevAttrMultiProcessorCount, &report->num_sms},
        {cudaDevAttrMaxThreadsPerMultiProcessor, &report->threads_per_sm},
        {cudaDevAttrAsyncEngineCount, &report->copy_engines},
        {cudaDevAttrConcurrentKernels, &report->concurrent_kernels},
        {cudaDevAttrUnifiedAddressing, &report->unified_addressing},
        {cudaDevAttrComputeMode, &report->compute_mode},
    };

    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        CHECK(cudaDeviceGetAttribute(facts[i].where, facts[i].which, device));
}

void find_overlap(struct device_report *report)
{
    report->can_overlap = 0;
    report->can_overlap_both_ways = 0;
    switch (report->copy_engines) {
    default:
        report->can_overlap_both_ways = 1;
        // fall through
    case 1:
        report->can_overlap = 1;
        // fall through
    case 0:
        break;
    }
}

double least_ms(const struct device_report *report, double in_ms,
                double kernel_ms, double back_ms)
{
    const double copies = report->can_overlap_both_ways
                              ? (in_ms > back_ms ? in_ms : back_ms)
                              : in_ms + back_ms;

    if (!report->can_overlap)
        return copies + kernel_ms;
    return copies > kernel_ms ? copies : kernel_ms;
}

int blocks_to_fill(const struct device_report *report)
{
    int blocks = 0, left = report->threads_per_sm;

    while ((left -= BLOCK_THREADS) >= 0)
        blocks += report->num_sms;
    return blocks;
}
