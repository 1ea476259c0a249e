/* lab.cu: what a device can do at the same time. */
#include "lab.h"

#include "check.h"

void read_device(int device, struct device_report *report)
{
    struct cudaDeviceProp prop;

    CHECK(cudaGetDeviceProperties(&prop, device));
    report->num_sms = prop.multiProcessorCount;
    // solution>
    report->threads_per_sm = prop.maxThreadsPerMultiProcessor;
    report->copy_engines = prop.asyncEngineCount;
    report->concurrent_kernels = prop.concurrentKernels;
    report->unified_addressing = prop.unifiedAddressing;
    //| // TODO 1: four facts more. Each of them is a member of prop.
    //| report->threads_per_sm = 0;
    //| report->copy_engines = 0;
    //| report->concurrent_kernels = 0;
    //| report->unified_addressing = 0;
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

int blocks_to_fill(const struct device_report *report)
{
    // solution>
    // Whole blocks only: a block does not spread over two multiprocessors.
    const int blocks_per_sm = report->threads_per_sm / BLOCK_THREADS;

    return report->num_sms * blocks_per_sm;
    //| // TODO 4: one block per multiprocessor leaves most of it empty. How
    //| // many are resident on one at the same time?
    //| return report->num_sms;
    // <solution
}
