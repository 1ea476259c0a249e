/*
 * lab.h: what lab.cu offers to the program that grades it, and the library
 * that it calls. Read it, do not change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

#define NUM_WORKERS    8
#define WORKER_ENTRIES 64 /* one block of so many threads */

/* Eight workers that have nothing to do with one another, and a log. */
struct workload {
    uint64_t *data_device[NUM_WORKERS]; /* a worker decrypts its own in place */
    uint64_t num_iters;
    /* The log holds who was started last, and how many were. */
    const uint64_t *names_host; /* pinned, one for each worker */
    uint64_t *last_device;
    uint64_t *started_device;
};

/*
 * Each of these runs all workers of @load, all at the same time. The work is
 * done when the function returns.
 *
 * @streams  NUM_WORKERS + 1 streams, made by the caller with cudaStreamCreate
 */
void run_named(const struct workload *load, const cudaStream_t *streams);
void run_non_blocking(const struct workload *load);
void run_with_option(const struct workload *load, const cudaStream_t *streams);
/* Part two. */
void run_threads(const struct workload *load);

/* ---- an old library ------------------------------------------------------ */

/*
 * It knows nothing of streams: all that it does is in the legacy default
 * stream. It is compiled already, and nobody can change it.
 */

/* Note in the log that a worker was started. Does not wait. */
void library_note(const struct workload *load, int worker);

/* Add up all entries of all workers. Waits until that is done. */
void library_add_up(const struct workload *load);

#endif
