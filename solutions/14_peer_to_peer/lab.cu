/* lab.cu: a ring of GPUs that copy from, and read in, each other's memory. */
#include "lab.h"

#include "check.h"

bool enable_access(int gpu, int peer)
{
    // solution>
    cudaError_t error;
    int possible = 0;

    CHECK(cudaDeviceCanAccessPeer(&possible, gpu, peer));
    if (!possible)
        return false;
    // Access is one-way: for the current GPU, to the one that is named.
    CHECK(cudaSetDevice(gpu));
    error = cudaDeviceEnablePeerAccess(peer, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError(); // fine, but else the next check would find it
    else
        CHECK(error);
    return true;
    //| // TODO 1: ask whether it is possible. If so, enable it, for the right
    //| // one of the two. It may be enabled already: that is no failure.
    //| (void)gpu, (void)peer; // delete this line
    //| return false;
    // <solution
}

void connect_ring(struct ring *ring)
{
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        // solution>
        const int left = left_of(ring, gpu);

        ring->reads_left[gpu] = enable_access(gpu, left);
        enable_access(left, gpu); // the other way: for copies, and for writing
        //| // TODO 2: enable access between this GPU and the one on its left,
        //| // both ways, and note whether this one can read there.
        //| ring->reads_left[gpu] = false;
        // <solution
    }
}

/* The second half of a step. Only ever writes to this GPU's own next. */
static void launch_mix(const struct ring *ring, int gpu, const uint64_t *left)
{
    CHECK(cudaSetDevice(gpu));
    mix_gpu<<<RING_BLOCKS, RING_THREADS, 0, ring->stream[gpu]>>>(
        ring->now[gpu], left, ring->next[gpu], ring->num_entries);
    CHECK(cudaGetLastError());
}

void step_by_copy(const struct ring *ring, int gpu)
{
    // solution>
    const int left = left_of(ring, gpu);

    CHECK(cudaMemcpyPeerAsync(ring->inbox[gpu], gpu, ring->now[left], left,
                              ring->num_entries * sizeof(uint64_t),
                              ring->stream[gpu]));
    //| // TODO 3: nothing has come into the inbox yet.
    // <solution
    launch_mix(ring, gpu, ring->inbox[gpu]);
}

void step_direct(const struct ring *ring, int gpu)
{
    // solution>
    // Without access, the kernel would end with an illegal address.
    if (ring->reads_left[gpu])
        launch_mix(ring, gpu, ring->now[left_of(ring, gpu)]);
    else
        step_by_copy(ring, gpu);
    //| // TODO 4: this copies always. Where this GPU's kernels can read on the
    //| // left, let them.
    //| step_by_copy(ring, gpu);
    // <solution
}

void order_round(const struct ring *ring)
{
    // solution>
    for (int gpu = 0; gpu < ring->num_gpus; gpu++)
        CHECK(cudaEventRecord(ring->done[gpu], ring->stream[gpu]));
    // A loop of its own: a wait takes the latest record at the time of its
    // call, so all GPUs must have recorded theirs before.
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        const cudaStream_t stream = ring->stream[gpu];

        // The left one has written what this GPU is about to read.
        CHECK(cudaStreamWaitEvent(stream, ring->done[left_of(ring, gpu)], 0));
        // The right one has read what this GPU is about to overwrite.
        CHECK(cudaStreamWaitEvent(stream, ring->done[right_of(ring, gpu)], 0));
    }
    //| // TODO 5: nothing orders the GPUs. What does each of them have to wait
    //| // for before its next step, and on which GPUs?
    //| (void)ring; // delete this line
    // <solution
}

void run_ring(struct ring *ring, int num_rounds, bool direct)
{
    for (int round = 0; round < num_rounds; round++) {
        order_round(ring);
        for (int gpu = 0; gpu < ring->num_gpus; gpu++)
            if (direct)
                step_direct(ring, gpu);
            else
                step_by_copy(ring, gpu);
        for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
            uint64_t *const written = ring->next[gpu];

            ring->next[gpu] = ring->now[gpu];
            ring->now[gpu] = written;
        }
    }
}
