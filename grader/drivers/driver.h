/*
 * driver.h: between the common part of a lab program (driver.cu) and the
 * part that knows the lab (NN_name.cu).
 *
 * The lab program is the child of build/bin/grade. It is told what to do line
 * by line, runs the student's function on data that the grader supplies, and
 * hands back what came out. It knows no expected value and gives no verdict.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdint.h>

#include <cuda_runtime.h>

/* What one run works on. Made by driver.cu, as the lab's lab.h promises. */
struct driver_job {
    uint64_t *data_host; /* pinned, or as lab_host_new makes it */
    uint64_t *data_device;
    uint64_t num_entries;
    uint64_t num_iters;
    cudaStream_t *streams;
    uint64_t num_streams;
};

/* ---- every lab's NN_name.cu defines these ------------------------------- */

/* Call the student's function. */
void lab_run_student(const struct driver_job *job);

/* The same work done without overlap: what the student is compared with. */
void lab_run_serial(const struct driver_job *job);

/* The kernel alone, on data that is on the device; in @stream. */
void lab_run_kernel(const struct driver_job *job, cudaStream_t stream);

/* ---- and may define these, both or none --------------------------------- */

/*
 * The host's memory for the student's runs, where taking it is part of the
 * lab. Called once for all runs of one size, outside of the clock. Baseline
 * and phases stay on pinned memory of the driver's own.
 */
__attribute__((weak)) uint64_t *lab_host_new(uint64_t num_entries);
__attribute__((weak)) void lab_host_free(uint64_t *memory);

#endif
