/* gpus.h: which GPUs the CUDA driver reports, and for what nvcc compiles */
#ifndef GRADER_GPUS_H
#define GRADER_GPUS_H

enum { GPUS_MAX_KINDS = 8 };

struct gpus {
    int count;
    /* Compute capabilities, each once: 90 is 9.0. Those beyond the room here
     * are left out. */
    int kinds[GPUS_MAX_KINDS], num_kinds;
};

/*
 * Ask the driver, in a process of its own, so that no driver lives in the
 * grader. All zero where there is none.
 */
void gpus_find(struct gpus *gpus);

/* Leave only the kinds that @nvcc knows how to compile for. */
void gpus_keep_known(struct gpus *gpus, const char *nvcc);

#endif
