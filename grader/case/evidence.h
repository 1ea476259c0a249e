/*
 * evidence.h: everything a grade has seen of one submission. The core fills
 * it in, the lab's rules read it to name the mistake.
 */
#ifndef GRADER_EVIDENCE_H
#define GRADER_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "build/build.h"
#include "case/checked.h"
#include "base/lab.h"
#include "cage/program.h"
#include "case/reference.h"
#include "base/text.h"
#include "base/tools.h"

enum { MAX_SHAPES = 16 };

struct case_result;
struct trace;
struct words;

/* A CUDA call that failed, as CHECK printed it before it ended the program. */
struct api_error {
    char at[64];   /* "lab.cu:23"; "" for none */
    char call[96]; /* "cudaMemcpyAsync(...)", cut */
    char name[64]; /* "cudaErrorInvalidValue" */
};

/* How one run of the student's function went. */
struct run_result {
    bool not_tried;
    bool ran;   /* the function returned */
    bool right; /* every entry */
    struct cells host, device;
    struct overrun overrun;
    unsigned gpus;      /* it ran on; 0: a lab of one */
    uint64_t running;   /* streams with work left, at return */
    char pending[64];   /* CUDA error left at return, or "" */
    char late[64];      /* that came later, or "" */
    enum child_end end; /* where it did not return */
    int code;
    struct api_error error;
    struct text ended; /* the end, in words */
    struct text fault; /* the virtual GPU's word on it */
};

/* A round of the cipher is twice as many operations: a kernel that did fewer
 * has not done it. */
enum { WORK_LEAST_OPS = 7 };

/* What a trace of the virtual GPU shows of one run. */
struct trace_facts {
    bool there;
    unsigned kernels, copies_in, copies_back;
    unsigned kernels_default; /* in the legacy default stream */
    unsigned copies_default;
    unsigned streams;         /* other streams that were used */
    unsigned waits;           /* of the host, by the student */
    unsigned waits_between;   /* those with work issued after */
    unsigned blocking_copies; /* cudaMemcpy */
    unsigned pageable;
    uint64_t bytes_in, bytes_back;
    uint64_t work; /* of kernels, operations as the virtual GPU counts them */
    char kernel_at[64], wait_at[64]; /* the first of them, or "" */
    char copy_at[64];
};

/* One run under the checker. */
struct order_result {
    size_t shape;
    struct run_result run;
    struct trace_facts trace;
    struct checked checked;
};

struct speed_result {
    bool tried, measured;
    bool gradable;   /* else the bound is about 1 */
    bool impossible; /* faster than the copies alone */
    uint64_t entries, streams, iters;
    unsigned gpus;
    uint64_t h2d_ns, kernel_ns, d2h_ns, both_ns;
    uint64_t serial_ns, student_ns, bound_ns, needed_ns;
    double eta, speedup, bound_speedup, needed_speedup;
    uint64_t wrong;          /* entries, over all timed runs */
    struct run_result large; /* the untimed run of that size */
    struct text ended;       /* where it did not get to the end */
};

struct evidence {
    const struct lab_rules *lab;
    const struct words *words; /* for what went wrong */
    enum backend backend;
    char device[160];
    struct text source; /* the student's file: for the TODOs, no diagnosis */
    int first_todo;     /* number of the first left, or 0 */
    enum build_result built;
    struct text messages;
    struct text no_start; /* why no lab program runs here */
    struct run_result shapes[MAX_SHAPES];
    bool order_available; /* a virtual GPU is there */
    bool order_built;
    struct order_result order[MAX_SHAPES];
    bool off_device; /* right, but not by the work of kernels: order.c */
    struct speed_result speed;
    struct case_result *cases; /* of lab->num_cases, or NULL; see case.h */
};

struct grade_job {
    const struct tools *tools;
    const char *folder;
    const char *file;
    const char *virtual_device;
    const char *recorder; /* of traces on a real GPU, or NULL */
    double seconds;
};

/* shapes.c: GPUs that a shape runs on, with this backend. */
unsigned shape_gpus(const struct lab_rules *lab, const struct grade_job *job,
                    enum backend backend, unsigned wanted);

/* run.c: one run with given data, in a program that lives. */
void run_student(struct program *program, const struct reference *reference,
                 const char *who, bool full, struct run_result *result);
bool run_setup(struct program *program, const struct lab_shape *shape,
               uint64_t guard, struct run_result *result);
void run_free(struct run_result *result);

/* shapes.c, order.c, speed.c: fill in their part of the evidence. */
void grade_shapes(struct evidence *evidence, const struct grade_job *job,
                  int program_fd);
void grade_order(struct evidence *evidence, const struct grade_job *job,
                 int program_fd);
/*
 * speed.c: must a speed on a real GPU be measured again? Where it decides by
 * little, cannot be, or is too low though the work does overlap: other work on
 * the machine, for part of a second, makes all of a few runs slow.
 */
bool speed_is_doubtful(double eta, double eta_needed, bool impossible);
void grade_speed(struct evidence *evidence, const struct grade_job *job,
                 int program_fd);

/* facts.c */
void trace_facts_read(struct trace_facts *facts, const char *path);
void trace_facts_take(struct trace_facts *facts, const struct trace *trace);
void api_error_find(struct api_error *error, const char *printed);

/* run.c: "key=9/cudaErrorInvalidValue" in an answer: the name, "" for none. */
void error_take(char *name, size_t size, const char *answer, const char *key);
/* shapes.c: note that no program runs here, whatever the student wrote. */
void note_no_start(struct evidence *evidence, const struct program *program);
/* Ends that take long to reach; a third would tell nothing more. */
bool is_costly(enum child_end end);

/* finding.c: helpers for rules. */
/* A mistake by its name; with values for its words, each on a line of its own:
 * mistake_with("past-the-end", "at=%s\nleft=%u", at, left). */
struct finding mistake(const char *name);
struct finding mistake_with(const char *name, const char *values, ...)
    __attribute__((format(printf, 2, 3)));
/* With the place of a call or an operation for {at}. */
struct finding mistake_at(const char *name, const char *at);
/* What speaks for a mistake, and its name; NULL: for none that is known. */
struct sign {
    bool seen;
    const char *mistake;
};
/* The mistake of the first sign that is seen. The last one must be. */
struct finding mistake_first(const struct sign *signs);
struct finding finding_make(const char *id, const char *read,
                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct finding finding_none(void);
/* Is it this mistake, in whatever words? */
bool finding_is(const struct finding *finding, const char *name);
/* What a lab's rules need not say: a program that left its place. */
struct finding finding_misbehaved(enum child_end end);

void evidence_free(struct evidence *evidence);

#endif
