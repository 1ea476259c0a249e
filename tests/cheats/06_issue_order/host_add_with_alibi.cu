// expect: host-decrypt
// Adds on the host; the kernels get no entries, and what went in comes back.
#include "lab.h"

/* The sums, by the host. */
static void host_add(const struct addition *job)
{
    for (uint64_t i = 0; i < job->num_entries; i++) {
        float sum_a = 0, sum_b = 0;

        for (uint64_t round = 0; round < job->rounds; round++) {
            sum_a += job->a_host[i];
            sum_b += job->b_host[i];
        }
        job->c_host[i] = sum_a + sum_b;
    }
}

/* A kernel, so that there is one. */
static void add_nothing(const struct addition *job, uint64_t s)
{
    const uint64_t k = s % NUM_STREAMS;

    add_gpu<<<1, 1, 0, job->streams[k]>>>(job->a_device[k], job->b_device[k],
                                          job->c_device[k], 0, 0);
    CHECK(cudaGetLastError());
}

/* As long as the copy that it should be: brings back what went in. */
static void copy_away(const struct addition *job, uint64_t s)
{
    const uint64_t k = s % NUM_STREAMS;
    CHECK(cudaMemcpyAsync((float *)job->a_host + s * job->segment_entries,
                          job->a_device[k],
                          segment_width(job, s) * sizeof(float),
                          cudaMemcpyDeviceToHost, job->streams[k]));
}

void issue_depth_first(const struct addition *job)
{
    host_add(job);
    for (uint64_t s = 0; s < job->num_segments; s++) {
        copy_in(job, s);
        add_nothing(job, s);
        copy_away(job, s);
        flush(job->streams[s % NUM_STREAMS]);
    }
}

void issue_breadth_first(const struct addition *job)
{
    host_add(job);
    // One segment of each stream at a time: the stream's memory has room for
    // no more. The last group may be smaller.
    for (uint64_t lower = 0; lower < job->num_segments; lower += NUM_STREAMS) {
        const uint64_t upper = min(lower + NUM_STREAMS, job->num_segments);

        for (uint64_t s = lower; s < upper; s++)
            copy_in(job, s);
        flush(job->streams[0]);
        for (uint64_t s = lower; s < upper; s++)
            add_nothing(job, s);
        flush(job->streams[0]);
        for (uint64_t s = lower; s < upper; s++)
            copy_away(job, s);
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

void issue_chains(const struct chains *chains)
{
    (void)chains;
}
