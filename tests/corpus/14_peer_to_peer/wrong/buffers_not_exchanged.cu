// expect: not-exchanged
/* every round starts from what there was at first */
#include "lab.h"

#include "check.h"

bool enable_access(int gpu, int peer)
{
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
}

void connect_ring(struct ring *ring)
{
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        const int left = left_of(ring, gpu);

        ring->reads_left[gpu] = enable_access(gpu, left);
        enable_access(left, gpu); // the other way: for copies, and for writing
    }
}

// The second half of a step. Only ever writes to this GPU's own next.
static void launch_mix(const struct ring *ring, int gpu, const uint64_t *left)
{
    CHECK(cudaSetDevice(gpu));
    mix_gpu<<<RING_BLOCKS, RING_THREADS, 0, ring->stream[gpu]>>>(
        ring->now[gpu], left, ring->next[gpu], ring->num_entries);
    CHECK(cudaGetLastError());
}

void step_by_copy(const struct ring *ring, int gpu)
{
    const int left = left_of(ring, gpu);

    CHECK(cudaMemcpyPeerAsync(ring->inbox[gpu], gpu, ring->now[left], left,
                              ring->num_entries * sizeof(uint64_t),
                              ring->stream[gpu]));
    launch_mix(ring, gpu, ring->inbox[gpu]);
}

void step_direct(const struct ring *ring, int gpu)
{
    // Without access, the kernel would end with an illegal address.
    if (ring->reads_left[gpu])
        launch_mix(ring, gpu, ring->now[left_of(ring, gpu)]);
    else
        step_by_copy(ring, gpu);
}

void order_round(const struct ring *ring)
{
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

            ring->now[gpu] = written;
        }
    }
}
