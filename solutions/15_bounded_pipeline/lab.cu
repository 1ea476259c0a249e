/* lab.cu: more data than the device holds, through a ring of a few slots. */
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

        // solution>
        CHECK(cudaMalloc(&slot->device, bytes));
        CHECK(cudaMallocHost(&slot->host, bytes));
        // They only say who is next. Nobody asks them for the time.
        CHECK(cudaEventCreateWithFlags(&slot->copied, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&slot->taken, cudaEventDisableTiming));
        //| // TODO 1: take bytes of device memory and bytes of pinned memory,
        //| // and make both events. ring_destroy gives them back.
        //| (void)bytes; // delete this line
        //| slot->device = slot->host = NULL;
        //| slot->copied = slot->taken = NULL;
        // <solution
    }
}

void ring_destroy(struct ring *ring)
{
    // solution>
    for (uint64_t s = 0; s < ring->num_slots; s++) {
        struct slot *slot = &ring->slots[s];

        CHECK(cudaFree(slot->device));
        CHECK(cudaFreeHost(slot->host));
        CHECK(cudaEventDestroy(slot->copied));
        CHECK(cudaEventDestroy(slot->taken));
    }
    // <solution
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
    // solution>
    // One stream for all of them, so they come in order and one at a time.
    CHECK(cudaStreamWaitEvent(job->delivery, slot->copied, 0));
    CHECK(cudaLaunchHostFunc(job->delivery, deliver, delivery));
    CHECK(cudaEventRecord(slot->taken, job->delivery));
    //| // TODO 2: queue deliver(delivery) in the stream job->delivery, where
    //| // it must wait for the results, and must say when they are taken.
    //| // queue_chunk and decrypt_large have to do something for that, too.
    //| (void)job, (void)slot, (void)delivery, (void)deliver; // delete
    // <solution
}

/* Queue all that happens to chunk c. */
static void queue_chunk(const struct job *job, const struct ring *ring,
                        uint64_t c, struct delivery *delivery)
{
    const struct slot *slot = &ring->slots[c % ring->num_slots];
    const cudaStream_t stream = job->streams[c % job->num_streams];
    const uint64_t lower = c * ring->chunk;
    const uint64_t width = min(ring->chunk, job->num_entries - lower);
    // solution> 3 4
    const bool used = c >= ring->num_slots; // by chunk c - num_slots
    // <solution

    // solution>
    // That chunk may have been in another stream.
    if (used)
        CHECK(cudaStreamWaitEvent(stream, slot->copied, 0));
    //| // TODO 3: slot->device may still hold an earlier chunk. Whom has this
    //| // chunk to wait for, and in which case is there nobody?
    // <solution
    CHECK(cudaMemcpyAsync(slot->device, job->data_host + lower,
                          width * sizeof(uint64_t), cudaMemcpyHostToDevice,
                          stream));
    decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, stream>>>(
        slot->device, width, job->num_iters);
    CHECK(cudaGetLastError());

    // solution>
    // Only here: the consumer may take its time while this chunk is decrypted.
    if (used)
        CHECK(cudaStreamWaitEvent(stream, slot->taken, 0));
    //| // TODO 4: the consumer may not have taken the results of that earlier
    //| // chunk yet. They are in slot->host.
    // <solution
    CHECK(cudaMemcpyAsync(slot->host, slot->device, width * sizeof(uint64_t),
                          cudaMemcpyDeviceToHost, stream));
    // solution> 2
    CHECK(cudaEventRecord(slot->copied, stream));
    // <solution

    delivery->consumer = job->consumer;
    delivery->results = slot->host;
    delivery->count = width;
    queue_delivery(job, slot, delivery);
}

void decrypt_large(const struct job *job, const struct ring *ring)
{
    const uint64_t num_chunks = sdiv(job->num_entries, ring->chunk);
    // One for each chunk. The host is far ahead of the device: one that is
    // used again would be written before its host function has read it.
    struct delivery *deliveries =
        (struct delivery *)host_array(num_chunks, sizeof *deliveries);

    for (uint64_t c = 0; c < num_chunks; c++)
        queue_chunk(job, ring, c, &deliveries[c]);
    // solution> 2
    // The last delivery comes after everything else, in every stream.
    CHECK(cudaStreamSynchronize(job->delivery));
    // <solution
    free(deliveries);
}
