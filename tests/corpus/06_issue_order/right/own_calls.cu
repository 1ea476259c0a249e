// expect: passed
// Without the helpers of lab.h.
#include "lab.h"

void issue_depth_first(const struct addition *job)
{
    for (uint64_t s = 0; s < job->num_segments; s++) {
        const uint64_t lower = s * job->segment_entries;
        const uint64_t width =
            min(job->segment_entries, job->num_entries - lower);
        const uint64_t k = s % NUM_STREAMS;
        const cudaStream_t stream = job->streams[k];

        CHECK(cudaMemcpyAsync(job->b_device[k], job->b_host + lower,
                              width * sizeof(float), cudaMemcpyDefault,
                              stream));
        CHECK(cudaMemcpyAsync(job->a_device[k], job->a_host + lower,
                              width * sizeof(float), cudaMemcpyDefault,
                              stream));
        add_gpu<<<(unsigned)(width / 128 + 1), 128, 0, stream>>>(
            job->a_device[k], job->b_device[k], job->c_device[k], width,
            job->rounds);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(job->c_host + lower, job->c_device[k],
                              width * sizeof(float), cudaMemcpyDefault,
                              stream));
        flush(stream);
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
