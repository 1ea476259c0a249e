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

enum { DRIVER_MAX_GPUS = 8 };

/* ---- NN_name.cu defines this --------------------------------------------- */

/* What one case works on. */
struct driver_case {
    const uint64_t *input; /* from the grader, read-only */
    uint64_t *output;      /* to the grader, zero at first */
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

/* It may define this too: give back what was kept from case to case. */
__attribute__((weak)) void lab_end(void);

/* A parameter of the case; 0 where it has none of that name. */
uint64_t case_number(const struct driver_case *c, const char *key);
bool case_has(const struct driver_case *c, const char *key);
/* Is the parameter this word? case_is(c, "name", "ring") */
bool case_is(const struct driver_case *c, const char *key, const char *word);

/* Report something to the rules: case_fact() and case_text() there. */
void fact_number(struct driver_facts *facts, const char *key, int64_t value);
/* The same for one of several: "width3" */
void fact_indexed(struct driver_facts *facts, const char *key, uint64_t index,
                  int64_t value);
void fact_text(struct driver_facts *facts, const char *key, const char *value);
/* A time in ms, as a whole number of ns: the key ends with "_ns". */
void fact_ms(struct driver_facts *facts, const char *key, double ms);
/* Sorts @values. */
double driver_median(double *values, int count);

/* Send what is reported so far: if the program dies in what comes next, the
 * rules see it all the same. Rarely: the limit of time begins anew. */
void fact_send(const struct driver_facts *facts);

/* ---- helpers ------------------------------------------------------------- */

/* GPUs that the program sees, DRIVER_MAX_GPUS at most. */
uint64_t driver_num_gpus(void);

/* Which entries a GPU has where each has @num_streams chunks, all of one size
 * but for those at the end of the data, which are shorter or empty. */
struct driver_part {
    uint64_t lower, width;
};
struct driver_part driver_part_of(uint64_t num_entries, uint64_t num_gpus,
                                  uint64_t num_streams, uint64_t gpu);

/* Whatever a student's function left there: no memory and no stream is an
 * answer. No error stays behind. The type is an enum cudaMemoryType. */
int driver_memory_type(const void *memory);
/* Whose it is, or -1: not memory of a device; no stream, or a default one. */
int driver_memory_device(const void *memory);
int driver_stream_device(cudaStream_t stream);
/* Bytes in use of the device's pool, from which cudaMallocAsync takes. */
uint64_t driver_pool_used(int device);
/* Where memory is: the digit of its GPU, "-" for none, "h" for what is not a
 * GPU's, "<" for less than @bytes. Its GPU may be the current one afterwards.
 */
char driver_memory_home(void *memory, size_t bytes);

/* Take note of the error that the student's calls left, before a call of the
 * driver's own may bring another one: the rules see it as pending. Without,
 * that is what the case left at its end. */
void driver_take_pending(void);
/* Wait for all work, and take note of the error that it ends with: the rules
 * see it as late. Without, a device that is lost ends the program when the
 * driver next asks something of it. Return: false where it is lost. */
bool driver_take_late(void);

/* Wait for all work on all GPUs. */
void driver_sync_all(void);

/*
 * Time a piece of work: all GPUs are idle at the start, and all that was left
 * running, wherever, counts. On the virtual GPU this is virtual time.
 */
void driver_clock_start(void);
uint64_t driver_clock_stop_ns(void);

/* So timed, a call or an expression: int64_t, in ns. */
#define DRIVER_TIME_NS(work)                                                   \
    (driver_clock_start(), (work), (int64_t)driver_clock_stop_ns())

/* Time what is queued in @stream between the two, by its GPU, in ms. */
void driver_op_start(cudaStream_t stream);
double driver_op_stop_ms(cudaStream_t stream);

/* Now, for what the host alone does. Waits for nothing. */
uint64_t driver_now_ns(void);

/* Look at a few of @count entries, all over the array: those that are as they
 * were @before, when the function that is timed has returned, are reported as
 * stale. Quick, and free on the virtual GPU: meant for while the clock runs. */
void driver_look(const uint64_t *now, const uint64_t *before, uint64_t count);

/* What lies between is the region of the trace: see query.h. */
void driver_region_start(void);
void driver_region_stop(void);
#define DRIVER_REGION(work)                                                    \
    (driver_region_start(), (work), driver_region_stop())
/* The same where @drawn; the work is done in any case. */
#define DRIVER_REGION_IF(drawn, work)                                          \
    ((drawn) ? DRIVER_REGION(work) : (void)(work))

/* Copies that the checker sees as the host's reads: a result that is not
 * waited for becomes a hazard. */
void driver_copy_entries(uint64_t *to, const uint64_t *from, uint64_t count);
void driver_copy_bytes(void *to, const void *from, size_t bytes);

#endif
