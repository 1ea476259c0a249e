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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime.h>

/* ---- labs of cases: NN_name.cu defines this ------------------------------ */

/* What one case works on. */
struct driver_case {
    const void *input; /* from the grader, read-only */
    void *output;      /* to the grader, zero at first */
    size_t input_bytes, output_bytes;
    const char *line; /* for the functions below */
};
struct driver_facts;

/*
 * Make what the student's functions need, call them, write what came out to
 * c->output, report what was measured, and free what was made. Which case it
 * is, the parameters tell.
 */
void lab_run_case(const struct driver_case *c, struct driver_facts *facts);

/* A parameter of the case; 0 where it has none of that name. */
uint64_t case_number(const struct driver_case *c, const char *key);
bool case_has(const struct driver_case *c, const char *key);
/* Is the parameter this word? case_is(c, "name", "ring") */
bool case_is(const struct driver_case *c, const char *key, const char *word);

/* Report something to the rules: case_fact() and case_text() there. */
void fact_number(struct driver_facts *facts, const char *key, int64_t value);
void fact_text(struct driver_facts *facts, const char *key, const char *value);
/* A time in ms, as a whole number of ns: the key ends with "_ns". */
void fact_ms(struct driver_facts *facts, const char *key, double ms);
/* Sorts @values. */
double driver_median(double *values, int count);

/*
 * How many rounds of the cipher a kernel needs so as to take @wanted: on the
 * line through @few rounds, which take @few_time, and three times as many,
 * which take
 * @more_time. All three times have one unit. It may be below 1, for what a
 * kernel takes without any; where more rounds took no longer it is 3 * @few.
 */
double driver_rounds_for(double wanted, uint64_t few, double few_time,
                         double more_time);

/* Send what is reported so far: if the program dies in what comes next, the
 * rules see it all the same. Rarely: the limit of time begins anew. */
void fact_send(const struct driver_facts *facts);

/* ---- labs of arrays: NN_name.cu defines these ---------------------------- */

enum { DRIVER_MAX_GPUS = 8 };

/* What one run works on. Made by the driver, as the lab's lab.h promises. */
struct driver_job {
    uint64_t *data_host; /* pinned, or as lab_host_new makes it */
    uint64_t *data_device;
    uint64_t num_entries;
    uint64_t num_iters;
    cudaStream_t *streams;
    uint64_t num_streams; /* of each GPU */
    /* With several GPUs; data_device and streams are those of GPU 0. A GPU's
     * part of the data is num_streams chunks, all chunks are equally long but
     * for the last ones, which may be shorter or empty. */
    uint64_t num_gpus;
    uint64_t *data_gpu[DRIVER_MAX_GPUS];        /* [gpu], of gpu_entries[gpu] */
    uint64_t gpu_lower[DRIVER_MAX_GPUS];        /* first entry of the part */
    uint64_t gpu_entries[DRIVER_MAX_GPUS];      /* 0 or more */
    cudaStream_t *gpu_streams[DRIVER_MAX_GPUS]; /* [gpu][stream] */
};

/* Call the student's function. */
void lab_run_student(const struct driver_job *job);

/* The same work done without overlap: what the student is compared with. */
void lab_run_serial(const struct driver_job *job);

/* The kernel alone, on data_device; in @stream. With several GPUs it is called
 * for each, with that GPU's part as data_device and num_entries. */
void lab_run_kernel(const struct driver_job *job, cudaStream_t stream);

/*
 * A lab of arrays may define these two: the host's memory for the student's
 * runs, where taking it is part of the lab. Called once for all runs of one
 * size, outside of the clock. Baseline and phases stay on pinned memory of
 * the driver's own.
 */
__attribute__((weak)) uint64_t *lab_host_new(uint64_t num_entries);
__attribute__((weak)) void lab_host_free(uint64_t *memory);

/*
 * A lab of several GPUs may define these two: memory and streams of the GPUs
 * for the student's runs, where taking them is part of the lab: data_gpu[gpu]
 * of gpu_entries[gpu] entries, gpu_streams[gpu] of num_streams streams. Called
 * once for all runs of one size, outside of the clock.
 */
__attribute__((weak)) void lab_gpus_new(struct driver_job *job);
__attribute__((weak)) void lab_gpus_free(struct driver_job *job);

/* ---- for both ------------------------------------------------------------ */

/* GPUs that the program sees. */
int driver_num_gpus(void);

/* Wait for all work on all GPUs. */
void driver_sync_all(void);

/*
 * Time a piece of work: all GPUs are idle at the start, and all that was left
 * running, wherever, counts. On the virtual GPU this is virtual time.
 */
void driver_clock_start(void);
uint64_t driver_clock_stop_ns(void);

/* Rounds of the cipher in a kernel that is timed to see how many would make it
 * take as long as a copy; so many, and three times as many. A real GPU is so
 * fast that fewer are lost in the launch. */
#ifdef __VGPU__
#define DRIVER_TRIAL_ITERS 40
#else
#define DRIVER_TRIAL_ITERS 400
#endif

/* Now, for what the host alone does. Waits for nothing. */
uint64_t driver_now_ns(void);

/* What lies between is the region of the trace: see query.h. */
void driver_region_start(void);
void driver_region_stop(void);

/* Copies that the checker sees as the host's reads: a result that is not
 * waited for becomes a hazard. */
void driver_copy_entries(uint64_t *to, const uint64_t *from, uint64_t count);
void driver_copy_bytes(void *to, const void *from, size_t bytes);

#endif
