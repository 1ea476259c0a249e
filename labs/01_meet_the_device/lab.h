/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <cuda_runtime.h>

#define BLOCK_THREADS 256

struct device_report {
    /* Facts: what the device says of itself. */
    int num_sms;            /* multiprocessors */
    int threads_per_sm;     /* most that can be resident on one of them */
    int copy_engines;       /* that work beside the multiprocessors; or 0 */
    int concurrent_kernels; /* 1: kernels of several streams may run at once */
    int unified_addressing; /* 1: host and device share one address space */
    int compute_mode;       /* a value of enum cudaComputeMode */
    /* Conclusions. */
    int can_overlap;           /* 1: a kernel and a copy at the same time */
    int can_overlap_both_ways; /* 1: a kernel, a copy in and a copy back */
};

/*
 * Ask device number @device for its facts, and set the first six members. The
 * current device stays the one that it was.
 */
void read_device(int device, struct device_report *report);

/* Set the last two members from the first six. */
void find_overlap(struct device_report *report);

/*
 * The least time in which data can be copied in, processed and copied back,
 * in very many small chunks: only what the device cannot do at the same time
 * takes turns. From all members of @report.
 *
 * @in_ms, @kernel_ms, @back_ms  what each takes for all data, by itself
 */
double least_ms(const struct device_report *report, double in_ms,
                double kernel_ms, double back_ms);

/*
 * How many blocks of BLOCK_THREADS threads it takes to fill the device: so
 * many are resident at the same time, if nothing but their threads limits
 * them. From the first six members of @report.
 */
int blocks_to_fill(const struct device_report *report);

#endif
