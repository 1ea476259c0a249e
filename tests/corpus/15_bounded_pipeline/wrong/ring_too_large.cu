// expect: ring-too-large
// Each slot gets the memory of the whole ring.
#include "lab.h"

#include <stdlib.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

void ring_create(struct ring *ring, uint64_t chunk, uint64_t num_slots)
{
    const size_t bytes = chunk * sizeof(uint64_t);

    ring->chunk = chunk;
    ring->num_slots = num_slots;
    for (uint64_t s = 0; s < num_slots; s++) {
        struct slot *slot = &ring->slots[s];

        CHECK(cudaMalloc(&slot->device, num_slots * bytes));
        CHECK(cudaMallocHost(&slot->host, bytes));
        // They only say who is next. Nobody asks them for the time.
        CHECK(cudaEventCreateWithFlags(&slot->copied, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&slot->taken, cudaEventDisableTiming));
    }
}

void ring_destroy(struct ring *ring)
{
    for (uint64_t s = 0; s < ring->num_slots; s++) {
        struct slot *slot = &ring->slots[s];

        CHECK(cudaFree(slot->device));
        CHECK(cudaFreeHost(slot->host));
        CHECK(cudaEventDestroy(slot->copied));
        CHECK(cudaEventDestroy(slot->taken));
    }
    ring->num_slots = 0;
}

/* What the host function is told of a chunk. */
struct delivery {
    struct consumer *consumer;
    const uint64_t *results;
    uint64_t count;
};

/* Runs in a thread of CUDA's own, when its stream gets there. */
static void CUDART_CB deliver(void *argument)
{
    const struct delivery *delivery = (const struct delivery *)argument;

    consumer_take(delivery->consumer, delivery->results, delivery->count);
}

static void queue_delivery(const struct job *job, const struct slot *slot,
                           struct delivery *delivery)
{
    // One stream for all of them, so they come in order and one at a time.
    CHECK(cudaStreamWaitEvent(job->delivery, slot->copied, 0));
    CHECK(cudaLaunchHostFunc(job->delivery, deliver, delivery));
    CHECK(cudaEventRecord(slot->taken, job->delivery));
}

/* Queue all that happens to chunk c. */
static void queue_chunk(const struct job *job, const struct ring *ring,
                        uint64_t c, struct delivery *delivery)
{
    const struct slot *slot = &ring->slots[c % ring->num_slots];
    const cudaStream_t stream = job->streams[c % job->num_streams];
    const uint64_t lower = c * ring->chunk;
    const uint64_t width = min(ring->chunk, job->num_entries - lower);

    CHECK(cudaStreamWaitEvent(stream, slot->copied, 0));
    CHECK(cudaMemcpyAsync(slot->device, job->data_host + lower,
                          width * sizeof(uint64_t), cudaMemcpyHostToDevice,
                          stream));
    decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, stream>>>(
        slot->device, width, job->num_iters);
    CHECK(cudaGetLastError());

    CHECK(cudaStreamWaitEvent(stream, slot->taken, 0));
    CHECK(cudaMemcpyAsync(slot->host, slot->device, width * sizeof(uint64_t),
                          cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(slot->copied, stream));

    *delivery = (struct delivery){job->consumer, slot->host, width};
    queue_delivery(job, slot, delivery);
}

void decrypt_large(const struct job *job, const struct ring *ring)
{
    const uint64_t num_chunks = sdiv(job->num_entries, ring->chunk);
    // One for each chunk. The host is far ahead of the device: one that is
    // used again would be written before its host function has read it.
    struct delivery *deliveries =
        (struct delivery *)calloc(num_chunks + 1, sizeof *deliveries);

    for (uint64_t c = 0; c < num_chunks; c++)
        queue_chunk(job, ring, c, &deliveries[c]);
    // The last delivery comes after everything else, in every stream.
    CHECK(cudaStreamSynchronize(job->delivery));
    free(deliveries);
}
