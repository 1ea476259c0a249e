// expect: passed
// Attributes for everything, no properties.
#include "lab.h"

#include "check.h"

void read_device(int device, struct device_report *report)
{
    CHECK(cudaDeviceGetAttribute(&report->num_sms,
                                 cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaDeviceGetAttribute(&report->threads_per_sm,
                                 cudaDevAttrMaxThreadsPerMultiProcessor,
                                 device));
    CHECK(cudaDeviceGetAttribute(&report->copy_engines,
                                 cudaDevAttrAsyncEngineCount, device));
    CHECK(cudaDeviceGetAttribute(&report->concurrent_kernels,
                                 cudaDevAttrConcurrentKernels, device));
    CHECK(cudaDeviceGetAttribute(&report->unified_addressing,
                                 cudaDevAttrUnifiedAddressing, device));
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

double least_ms(const struct device_report *report, double in_ms,
                double kernel_ms, double back_ms)
{
    const double copies =
        report->copy_engines >= 2 ? max(in_ms, back_ms) : in_ms + back_ms;

    return report->copy_engines == 0 ? copies + kernel_ms
                                     : max(copies, kernel_ms);
}

int blocks_to_fill(const struct device_report *report)
{
    // Whole blocks only: a block does not spread over two multiprocessors.
    const int blocks_per_sm = report->threads_per_sm / BLOCK_THREADS;

    return report->num_sms * blocks_per_sm;
}
