// expect: removed-member passed
// The compute mode from where it was before CUDA 13.
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

    report->compute_mode = prop.computeMode;
}

void find_overlap(struct device_report *report)
{
    // An engine works beside the kernels, but in one direction at a time.
    report->can_overlap = report->copy_engines >= 1;
    report->can_overlap_both_ways = report->copy_engines >= 2;
}

int blocks_to_fill(const struct device_report *report)
{
    // Whole blocks only: a block does not spread over two multiprocessors.
    const int blocks_per_sm = report->threads_per_sm / BLOCK_THREADS;

    return report->num_sms * blocks_per_sm;
}
