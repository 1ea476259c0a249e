// expect: not-ready-checked
// "Not ready" taken for an error.
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

        for (uint64_t s = lower; s < upper; s++)
            copy_in(job, s);
        flush(job->streams[0]);
        for (uint64_t s = lower; s < upper; s++)
            add(job, s);
        flush(job->streams[0]);
        for (uint64_t s = lower; s < upper; s++)
            copy_back(job, s);
        flush(job->streams[0]);
    }
}

void flush(cudaStream_t stream)
{
    CHECK(cudaStreamQuery(stream));
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
