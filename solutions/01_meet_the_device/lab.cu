/* lab.cu: what a device can do at the same time. */
#include "lab.h"

#include "check.h"

void read_device(int device, struct device_report *report)
{
    struct cudaDeviceProp prop;

    CHECK(cudaGetDeviceProperties(&prop, device));
    report->num_sms = prop.multiProcessorCount;
    report->concurrent_kernels = prop.concurrentKernels;
    report->unified_addressing = prop.unifiedAddressing;
    // solution>
    report->threads_per_sm = prop.maxThreadsPerMultiProcessor;
    report->copy_engines = prop.asyncEngineCount;
    //| // TODO 1: two facts more, of which the rest follows. Both are members
    //| // of prop.
    //| report->threads_per_sm = 0;
    //| report->copy_engines = 0;
    // <solution

    // solution>
    // No member of prop any more since CUDA 13: it may change at any time.
    CHECK(cudaDeviceGetAttribute(&report->compute_mode, cudaDevAttrComputeMode,
                                 device));
    //| // TODO 2: the compute mode. CUDA 13 has no member of prop for it any
    //| // more. There is another call, which asks for one fact at a time.
    //| report->compute_mode = -1;
    // <solution
}

void find_overlap(struct device_report *report)
{
    // solution>
    // An engine works beside the kernels, but in one direction at a time.
    report->can_overlap = report->copy_engines >= 1;
    report->can_overlap_both_ways = report->copy_engines >= 2;
    //| // TODO 3: which fact decides about each of the two?
    //| report->can_overlap = 0;
    //| report->can_overlap_both_ways = 0;
    // <solution
}

double least_ms(const struct device_report *report, double in_ms,
                double kernel_ms, double back_ms)
{
    // solution>
    if (!report->can_overlap)
        return in_ms + kernel_ms + back_ms;
    if (!report->can_overlap_both_ways)
        return max(in_ms + back_ms, kernel_ms);
    return max(max(in_ms, back_ms), kernel_ms);
    //| // TODO 4: add up what takes turns on this device. Of what works side
    //| // by side, the longest counts.
    //| (void)report, (void)in_ms, (void)kernel_ms, (void)back_ms; // delete
    //| return 0;
    // <solution
}

int blocks_to_fill(const struct device_report *report)
{
    // solution>
    // Whole blocks only: a block does not spread over two multiprocessors.
    const int blocks_per_sm = report->threads_per_sm / BLOCK_THREADS;

    return report->num_sms * blocks_per_sm;
    //| // TODO 5: one block per multiprocessor leaves most of it empty. How
    //| // many are resident on one at the same time?
    //| return report->num_sms;
    // <solution
}
