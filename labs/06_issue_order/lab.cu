/* lab.cu: the same work issued in two orders, and which one to take. */
#include "lab.h"

void issue_depth_first(const struct addition *job)
{
    // TODO 1: queue copy_in, add and copy_back of every segment, one whole
    // segment after the other.
    (void)job; // delete this line
}

void issue_breadth_first(const struct addition *job)
{
    // TODO 2: take NUM_STREAMS segments at a time, one for each stream.
    // Queue all their copy_in, then all their add, then all their
    // copy_back. The last group may have fewer segments.
    (void)job; // delete this line
}

void flush(cudaStream_t stream)
{
    // TODO 3: cudaStreamQuery(stream) makes the driver send what it still
    // holds back. Its result needs some care. Then call flush() in the two
    // functions above: what must not wait for what is queued after it?
    (void)stream; // delete this line
}

enum issue_order choose_order(int device)
{
    // TODO 4: the answer depends on the device. Which of its attributes
    // (cudaDeviceGetAttribute) tells whether a copy back can be in the way
    // of a copy in?
    (void)device; // delete this line
    return DEPTH_FIRST;
}

void issue_chains(const struct chains *chains)
{
    // TODO 5: one chain after the other, which is right. But with more
    // streams than connections, a step that waits for its own chain is in
    // the way of a chain that could begin.
    for (uint64_t c = 0; c < chains->num_chains; c++)
        for (uint64_t k = 0; k < chains->num_steps; k++)
            step(chains, c);
}
