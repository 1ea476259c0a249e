/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

#define MAX_AT_ONCE 8

/* Entries that are to be decrypted in place. */
struct batch {
    uint64_t *data;       /* pinned memory of the host */
    uint64_t num_entries; /* 1 or more; batches differ */
};

/* A round of work. A stream for each engine; nothing orders them. */
struct job {
    const struct batch *batches;
    uint64_t num_batches; /* 0 or more */
    uint64_t num_iters;   /* rounds of the cipher, for decrypt_gpu */
    uint64_t at_once;     /* 1 to MAX_AT_ONCE: so many batches, one after the
                             other, may have memory of the device at a time */
    cudaStream_t in;      /* copies to the device */
    cudaStream_t work;    /* kernels */
    cudaStream_t back;    /* copies to the host */
};

/* What is yours from the first round to the last one. */
struct session {
    cudaMemPool_t pool;            /* the default one of the device */
    cudaEvent_t copied, decrypted; /* a batch's steps, for the next stream */
    /* Batch b has place b % at_once: its memory, and when it is back. */
    uint64_t *device[MAX_AT_ONCE];
    cudaEvent_t back[MAX_AT_ONCE];
};

/*
 * Begin. Between two rounds the pool may hold @keep_bytes of the device's
 * memory and should, so that the next round finds it there; no more than that.
 */
void session_begin(struct session *session, uint64_t keep_bytes);

/*
 * Decrypt all batches. When the function returns, they are back, and no memory
 * of the device is in use. It comes from the device's default pool.
 */
void decrypt_round(struct session *session, const struct job *job);

/* End: the device has all of its memory back. */
void session_end(struct session *session);

#endif
