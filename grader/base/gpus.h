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
 * Ask the driver, in a process of its own: programs start sooner while that
 * keeps it awake. All zero where there is none. No kinds where @nvcc does not
 * know how to compile for one of them: what it makes when it is not told runs
 * on all, since the driver compiles it anew.
 */
void gpus_find(struct gpus *gpus, const char *nvcc);

#endif
