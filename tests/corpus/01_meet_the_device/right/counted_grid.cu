// expect: passed
// Puts block after block on a multiprocessor until one more does not fit.
#include "lab.h"

#include "check.h"

void read_device(int device, struct device_report *report)
{
    struct cudaDeviceProp prop;

    CHECK(cudaGetDeviceProperties(&prop, device));
    report->num_sms = prop.multiProcessorCount;
    report->threads_per_sm = prop.maxThreadsPerMultiProcessor;
    report->copy_engines = prop.asyncEngineCount;
    report->concurrent_kernels = prop.concurrentKernels;
    report->unified_addressing = prop.unifiedAddressing;

    // No member of prop any more since CUDA 13: it may change at any time.
    CHECK(cudaDeviceGetAttribute(&report->compute_mode, cudaDevAttrComputeMode,
                                 device));
}

void find_overlap(struct device_report *report)
{
    // An engine works beside the kernels, but in one direction at a time.
    report->can_overlap = report->copy_engines >= 1;
    report->can_overlap_both_ways = report->copy_engines >= 2;
}

int blocks_to_fill(const struct device_report *report)
{
    int threads = 0;
    int blocks = 0;

    while (threads + BLOCK_THREADS <= report->threads_per_sm) {
        threads += BLOCK_THREADS;
        blocks += report->num_sms;
    }
    return blocks;
}
