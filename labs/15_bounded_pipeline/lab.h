/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

#define MAX_SLOTS 8

/* One place of the ring: room for a chunk, on the device and on the host. */
struct slot {
    uint64_t *device;
    uint64_t *host;     /* pinned: where the results arrive */
    cudaEvent_t copied; /* the results are in host: device is free again */
    cudaEvent_t taken;  /* the consumer has them: host is free again */
};

/* Chunk c goes through slot c % num_slots. */
struct ring {
    uint64_t chunk;     /* entries for which a slot has room, 1 or more */
    uint64_t num_slots; /* 1 to MAX_SLOTS */
    struct slot slots[MAX_SLOTS];
};

/* Take the memory and make the events of all slots; note both sizes. */
void ring_create(struct ring *ring, uint64_t chunk, uint64_t num_slots);

/* Give back all that ring_create took. */
void ring_destroy(struct ring *ring);

/* Who wants the results. Keeps no more than it must: not your memory. */
struct consumer;

/*
 * Hand over the next @count results. They must come in order, chunk 0 first,
 * and from one call at a time. They are read during the call only. Host code:
 * makes no CUDA call.
 */
void consumer_take(struct consumer *consumer, const uint64_t *results,
                   uint64_t count);

/* What is to be done. Nothing orders the streams with one another. */
struct job {
    const uint64_t *data_host; /* pinned, encrypted; leave them as they are */
    uint64_t num_entries;      /* any number, 0 too; not a multiple of chunk */
    uint64_t num_iters;        /* rounds of the cipher, for decrypt_gpu */
    cudaStream_t *streams;     /* chunk c in stream c % num_streams */
    uint64_t num_streams;      /* 1 or more; need not be num_slots */
    cudaStream_t delivery;     /* one more: for what the consumer gets */
    struct consumer *consumer;
};

/*
 * Decrypt all entries and hand them to the consumer. The device has no memory
 * left but what is in @ring. When the function returns, the consumer has all
 * results, and the ring can be used for another job.
 */
void decrypt_large(const struct job *job, const struct ring *ring);

#endif
