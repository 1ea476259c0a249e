// expect: memory-reused
// All copies in before the first kernel: a stream has room for one.
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
    for (uint64_t s = 0; s < job->num_segments; s++)
        copy_in(job, s);
    for (uint64_t s = 0; s < job->num_segments; s++)
        add(job, s);
    for (uint64_t s = 0; s < job->num_segments; s++)
        copy_back(job, s);
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
    int copy_engines;

    CHECK(cudaDeviceGetAttribute(&copy_engines, cudaDevAttrAsyncEngineCount,
                                 device));
    // A single copy engine serves one queue. A copy back that waits there for
    // its kernel holds up the copies in behind it.
    return copy_engines == 1 ? BREADTH_FIRST : DEPTH_FIRST;
}
