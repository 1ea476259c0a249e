/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime.h>

#define RING_MAX_GPUS 8
#define RING_BLOCKS   1024
#define RING_THREADS  256

/*
 * GPUs 0 to num_gpus - 1 sit in a ring. On the left of each is the one with
 * the number before, on the right the one with the number after. The ring is
 * closed: the last GPU is on the left of GPU 0. A GPU alone is its own
 * neighbour on both sides.
 *
 * All memory, streams and events are there. They belong to the GPU that the
 * index names. The streams are not blocking ones: the default stream has
 * nothing to do with them.
 */
struct ring {
    int num_gpus;                   /* 1 or more */
    uint64_t num_entries;           /* that each GPU holds */
    uint64_t *now[RING_MAX_GPUS];   /* what it holds */
    uint64_t *next[RING_MAX_GPUS];  /* what it holds after the round */
    uint64_t *inbox[RING_MAX_GPUS]; /* room for a copy of the left's now */
    cudaStream_t stream[RING_MAX_GPUS];
    cudaEvent_t done[RING_MAX_GPUS]; /* for your use */
    bool reads_left[RING_MAX_GPUS];  /* its kernels can use the memory of the
                                        GPU on its left; see connect_ring */
};

/* The neighbours. In C the remainder of a negative number is negative: hence
 * "+ num_gpus". */
static inline int left_of(const struct ring *ring, int gpu)
{
    return (gpu + ring->num_gpus - 1) % ring->num_gpus;
}

static inline int right_of(const struct ring *ring, int gpu)
{
    return (gpu + 1) % ring->num_gpus;
}

/*
 * result = 3 * own + left, entry by entry, modulo 2^64. In place of a real
 * use: one step of a simulation, or of a sum over all GPUs.
 */
__global__ void mix_gpu(const uint64_t *own, const uint64_t *left,
                        uint64_t *result, uint64_t num_entries);

/*
 * Let kernels on @gpu use the memory of @peer, where the machine can do that.
 * Access that is enabled already is as good as new. No error is left behind,
 * whatever happens. Which GPU is current, before and after, is open.
 * Return: can they now?
 */
bool enable_access(int gpu, int peer);

/*
 * Enable access between all neighbours of the ring, both ways, where possible,
 * and note in ring->reads_left[gpu] which GPUs can read on their left.
 */
void connect_ring(struct ring *ring);

/*
 * Queue one step of @gpu in its stream: copy what the GPU on its left holds
 * now, from GPU to GPU, into @gpu's inbox, then mix_gpu. Waits for nothing.
 */
void step_by_copy(const struct ring *ring, int gpu);

/*
 * The same without a copy: mix_gpu reads the memory of the GPU on the left.
 * Where @gpu cannot do that (reads_left), the step goes by a copy.
 */
void step_direct(const struct ring *ring, int gpu);

/*
 * Put order between two rounds, for all GPUs of the ring: what follows in
 * their streams finds its left neighbour's entries written, and overwrites
 * nothing that its right neighbour still has to read. The host does not wait,
 * and the GPUs stay free to work at the same time.
 */
void order_round(const struct ring *ring);

/*
 * Queue so many rounds. In each, every GPU makes one step, and all of them
 * mix what there was *before* the round. What the GPUs hold in the end is in
 * ring->now. Waits for nothing: the caller waits for all streams.
 */
void run_ring(struct ring *ring, int num_rounds, bool direct);

#endif
