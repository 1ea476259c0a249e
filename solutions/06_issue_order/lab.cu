/* lab.cu: the same work issued in two orders, and which one to take. */
#include "lab.h"

void issue_depth_first(const struct addition *job)
{
    // solution>
    for (uint64_t s = 0; s < job->num_segments; s++) {
        copy_in(job, s);
        add(job, s);
        copy_back(job, s);
        flush(job->streams[s % NUM_STREAMS]);
    }
    //| // TODO 1: queue copy_in, add and copy_back of every segment, one whole
    //| // segment after the other.
    //| (void)job; // delete this line
    // <solution
}

void issue_breadth_first(const struct addition *job)
{
    // solution>
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
    //| // TODO 2: take NUM_STREAMS segments at a time, one for each stream.
    //| // Queue all their copy_in, then all their add, then all their
    //| // copy_back. The last group may have fewer segments.
    //| (void)job; // delete this line
    // <solution
}

void flush(cudaStream_t stream)
{
    // solution>
    // Asking is what sends the commands; the answer is of no interest here.
    // "Not ready" is no error, so it must not reach CHECK.
    const cudaError_t state = cudaStreamQuery(stream);

    if (state != cudaErrorNotReady)
        CHECK(state);
    //| // TODO 3: cudaStreamQuery(stream) makes the driver send what it still
    //| // holds back. Its result needs some care. Then call flush() in the two
    //| // functions above: what must not wait for what is queued after it?
    //| (void)stream; // delete this line
    // <solution
}

enum issue_order choose_order(int device)
{
    // solution>
    int copy_engines;

    CHECK(cudaDeviceGetAttribute(&copy_engines, cudaDevAttrAsyncEngineCount,
                                 device));
    // A single copy engine serves one queue. A copy back that waits there for
    // its kernel holds up the copies in behind it.
    return copy_engines == 1 ? BREADTH_FIRST : DEPTH_FIRST;
    //| // TODO 4: the answer depends on the device. Which of its attributes
    //| // (cudaDeviceGetAttribute) tells whether a copy back can be in the way
    //| // of a copy in?
    //| (void)device; // delete this line
    //| return DEPTH_FIRST;
    // <solution
}

void issue_chains(const struct chains *chains)
{
    // solution>
    // One step of every chain, so that what is next in a queue is ready to run.
    for (uint64_t k = 0; k < chains->num_steps; k++)
        for (uint64_t c = 0; c < chains->num_chains; c++)
            step(chains, c);
    //| // TODO 5: one chain after the other, which is right. But with more
    //| // streams than connections, a step that waits for its own chain is in
    //| // the way of a chain that could begin.
    //| for (uint64_t c = 0; c < chains->num_chains; c++)
    //|     for (uint64_t k = 0; k < chains->num_steps; k++)
    //|         step(chains, c);
    // <solution
}
