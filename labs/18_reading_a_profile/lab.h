/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/* ---- part 1: what three timelines tell ----------------------------------- */

/* What may keep a program from being as fast as its device allows. */
enum fault {
    FAULT_OPEN, /* no answer yet */
    FAULT_PAGEABLE_MEMORY,
    FAULT_BLOCKING_COPY,  /* cudaMemcpy */
    FAULT_DEFAULT_STREAM, /* a call that names no stream, and has to */
    FAULT_ONE_STREAM,     /* everything in the same one */
    FAULT_WAIT_TOO_EARLY, /* of the host, before it has queued the rest */
    FAULT_NEEDLESS_EVENT, /* a stream waits for one that is not its business */
    FAULT_CHUNKS_TOO_SMALL,
    FAULT_SLOW_KERNEL, /* nothing but the kernel is in the way */
    FAULT_ONE_COPY_ENGINE
};

/* The rows of the pictures. */
enum row { ROW_OPEN, ROW_HOST, ROW_H2D, ROW_KERNELS, ROW_D2H };

/* Of run_a.cu, run_b.cu and run_c.cu, in this order. */
#define NUM_RUNS 3
struct answer {
    enum fault fault;
    enum row row; /* where the picture shows it, */
    double at_ms; /* and when: any moment at which it does */
    int line;     /* of run_X.cu: what has to be changed */
};
extern const struct answer answers[NUM_RUNS];

/* ---- part 2: a program with five mistakes -------------------------------- */

/* The numbers in front of the lines that are wrong, in any order. */
#define NUM_MISTAKES 5
extern const int mistakes[NUM_MISTAKES];

/* Memory of the host for results, and the end of it. */
uint64_t *results_new(uint64_t num_entries);
void results_free(uint64_t *results);

/* What is to be done. */
struct job {
    const uint64_t *input;  /* pinned, encrypted; leave it as it is */
    uint64_t *results;      /* from results_new */
    uint64_t *device;       /* room for all entries */
    uint64_t num_entries;   /* any number, 0 too */
    uint64_t num_chunks;    /* 1 or more; may be more than entries */
    uint64_t num_iters;     /* rounds of the cipher, for decrypt_gpu */
    cudaStream_t *streams;  /* chunk c is copied in and decrypted in number */
    uint64_t num_streams;   /* c % num_streams, */
    cudaEvent_t *decrypted; /* of each stream: its chunk can be copied back */
    cudaStream_t back;      /* ... in here */
};

/* Decrypt all entries. When it returns, job->results has them. */
void decrypt_all(const struct job *job);

#endif
