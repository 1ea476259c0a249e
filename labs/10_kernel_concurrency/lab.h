/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

#define BLOCK_THREADS 256 /* of every launch of job_gpu */

/* Entries in device memory, to be decrypted in place. */
struct job {
    uint64_t *data_device;
    uint64_t num_entries; /* may be 0 */
    uint64_t num_iters;
};

/*
 * Decrypt entries 0 .. num_entries-1, each of them once, with any number of
 * blocks. Has launch bounds: no block has more than BLOCK_THREADS threads.
 */
__global__ void job_gpu(uint64_t *data, uint64_t num_entries,
                        uint64_t num_iters);

/* How many blocks of job_gpu the current device holds at once. */
unsigned resident_blocks(void);

/*
 * The grid for a job: a thread for each entry, but no more blocks than are
 * resident at once. 0 for no entries: nothing is launched then.
 */
unsigned choose_grid(uint64_t num_entries);

/*
 * Run all jobs, at the same time where the device lets them. All of them are
 * done when the function returns.
 *
 * @streams  num_jobs streams, made by the caller
 */
void run_jobs(const struct job *jobs, int num_jobs,
              const cudaStream_t *streams);

enum gain {
    /* There is nothing to gain: the device runs one kernel at a time, or one
     * of these kernels fills it. */
    GAIN_NONE,
    /* They will overlap, but have to share multiprocessors. Only a measurement
     * can tell whether that gains anything. */
    GAIN_PERHAPS,
    /* The device has a multiprocessor for each block of both kernels. */
    GAIN_SURE
};

/*
 * Two kernels job_gpu with @blocks blocks each (1 or more), in two streams: do
 * they gain anything, compared with one after the other, on the current
 * device?
 */
enum gain predict_gain(unsigned blocks);

#endif
