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

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

enum { DRIVER_MAX_GPUS = 8 };

/* Or the virtual one, whose time is exact and costs the processor's. */
#ifdef __VGPU__
#define DRIVER_REAL_GPU false
#else
#define DRIVER_REAL_GPU true
#endif

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

/* A lab whose cases say by a parameter what there is to do:
 *
 *     DRIVER_JOBS("job", {"parts", parts}, {"large", large});
 */
struct driver_job {
    const char *name;
    void (*run)(const struct driver_case *c, struct driver_facts *facts);
};
void driver_run_job(const struct driver_case *c, struct driver_facts *facts,
                    const char *key, const struct driver_job *jobs);
#define DRIVER_JOBS(key, ...)                                                  \
    void lab_run_case(const struct driver_case *c, struct driver_facts *facts) \
    {                                                                          \
        static const struct driver_job jobs[] = {__VA_ARGS__, {NULL, NULL}};   \
        driver_run_job(c, facts, key, jobs);                                   \
    }                                                                          \
    static_assert(true, "")

/* It may define this too: give back what was kept from case to case. */
__attribute__((weak)) void lab_end(void);

/* A parameter of the case; 0 where it has none of that name. */
uint64_t case_number(const struct driver_case *c, const char *key);
bool case_has(const struct driver_case *c, const char *key);
/* Is the parameter this word? case_is(c, "job", "ring") */
bool case_is(const struct driver_case *c, const char *key, const char *word);

/* Report something to the rules: case_fact() and case_text() there. */
void fact_number(struct driver_facts *facts, const char *key, int64_t value);
/* The same for one of several: "width3" */
void fact_indexed(struct driver_facts *facts, const char *key, uint64_t index,
                  int64_t value);
void fact_text(struct driver_facts *facts, const char *key, const char *value);
/* A time in ms, as a whole number of ns: the key ends with "_ns". */
void fact_ms(struct driver_facts *facts, const char *key, double ms);
/* Rounded; INT64_MIN for what is no number or as far from one. */
int64_t fact_rounded(double value);
/* Sorts @values. */
double driver_median(double *values, int count);

/* Send what is reported so far: if the program dies in what comes next, the
 * rules see it all the same. Rarely: the limit of time begins anew. */
void fact_send(const struct driver_facts *facts);

/* ---- helpers ------------------------------------------------------------- */

/* GPUs that the program sees, DRIVER_MAX_GPUS at most. */
uint64_t driver_num_gpus(void);
/* Memory of the current GPU, pinned memory, a stream: given back when the case
 * has ended. */
uint64_t *driver_device(uint64_t entries);
uint64_t *driver_pinned(uint64_t entries);
cudaStream_t driver_stream(unsigned flags);

/* Make it the current one, as the first is when a case begins. A program that
 * sees one GPU makes no such call. */
void driver_use_gpu(uint64_t gpu);
int driver_current_gpu(void);
int driver_attribute(enum cudaDeviceAttr which, int device);

/* Which entries a GPU has where each has @num_streams chunks, all of one size
 * but for those at the end of the data, which are shorter or empty. */
struct driver_part {
    uint64_t lower, width;
};
void driver_cut(struct driver_part *parts, uint64_t num_entries,
                uint64_t num_gpus, uint64_t num_streams);

/* Whatever a student's function left there: no memory and no stream is an
 * answer. No error stays behind. The type is an enum cudaMemoryType. */
int driver_memory_type(const void *memory);
/* Whose it is, or -1: not memory of a device; no stream, or a default one. */
int driver_memory_device(const void *memory);
int driver_stream_device(cudaStream_t stream);
/* Bytes in use of the device's pool, from which cudaMallocAsync takes. */
uint64_t driver_pool_used(int device);
/* The fact "memory_on": a letter for each GPU, the digit of the GPU that its
 * memory is on, "-" for none, "h" for what is not a GPU's, "<" for too little
 * room for its part. Another device may be the current one afterwards. */
void driver_report_homes(uint64_t *const *memory,
                         const struct driver_part *parts, uint64_t num_gpus,
                         struct driver_facts *facts);
/* Bytes that these GPUs have left, of all of them together; another device may
 * be the current one afterwards. */
size_t driver_free_bytes(uint64_t num_gpus);
/* What the device has now, by way of a stream that waits for nothing: work that
 * the student did not wait for is seen to be missing. */
void driver_peek(uint64_t *to, const uint64_t *device, uint64_t count);

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

/* What is timed next is the region of the trace: a picture and its number are
 * of the same time. */
void driver_draw_timed(void);

/* So timed, a call or an expression: int64_t, in ns. tests/fidelity/again.h
 * has it done several times. */
#ifndef DRIVER_TIME_NS
#define DRIVER_TIME_NS(work)                                                   \
    (driver_clock_start(), (work), (int64_t)driver_clock_stop_ns())
#endif

/* Time what is queued in @stream between the two, by its GPU, in ms. */
void driver_op_start(cudaStream_t stream);
double driver_op_stop_ms(cudaStream_t stream);
#define DRIVER_OP_MS(stream, work)                                             \
    (driver_op_start(stream), (work), driver_op_stop_ms(stream))

/* Now, for what the host alone does. Waits for nothing. */
uint64_t driver_now_ns(void);

/*
 * Did a call that is timed use the memory of the GPU that it was to use? A few
 * places of it are made alike before, and looked at when the clock has stopped:
 * those that still are alike are reported as untouched, of so many places. It
 * has room for @count entries; what is no device's memory is left out. So is
 * all of it where the first call, which is not timed, left most as it was.
 */
void driver_note_use(const uint64_t *before, const uint64_t *after,
                     uint64_t count);
void driver_watch(uint64_t *memory, uint64_t count);
void driver_watch_end(void);

/*
 * The student's function that decrypts @count entries of the host in place, by
 * way of @memory, of which each GPU has a part.
 */
struct driver_work {
    void (*call)(void *of);
    void *of;
    uint64_t *host;
    const uint64_t *input;
    uint64_t count;
    uint64_t *const *memory;
    uint64_t num_gpus;
};

/* The host gets the input's entries; others, by this number, where @other is
 * not 0. */
void driver_fill(const struct driver_work *work, uint64_t other);

/* What each GPU's memory has of the entries: filled, or with no @from read.
 * Return: false where one does not take its part, or has none. */
bool driver_copy_parts(const struct driver_work *work,
                       const struct driver_part *parts, const uint64_t *from,
                       uint64_t *to);

/*
 * One call, the region of the trace, with the case's current= device as the
 * current one. Input and output: the host's entries, then, with @parts, those
 * of the GPUs, each at the place of its part.
 */
void driver_run(const struct driver_case *c, const struct driver_work *work,
                const struct driver_part *parts, uint64_t other);

/* The call alone, of what is filled already: it waits for nothing before, so
 * that work which the student's other functions left is still under way. */
void driver_call(const struct driver_case *c, const struct driver_work *work);

/*
 * One call under the clock, on entries as driver_fill has them; the current
 * device is the same afterwards. A few entries, all over the array, that are as
 * before when the function returns, are reported as stale.
 *
 * @drawn  the region of the trace
 * Return: ms
 */
double driver_time_ms(const struct driver_work *work, uint64_t other,
                      bool drawn);

/* What lies between is the region of the trace: see query.h. */
#define driver_region_start() ((void)cudaProfilerStart())
#define driver_region_stop()  ((void)cudaProfilerStop())
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
