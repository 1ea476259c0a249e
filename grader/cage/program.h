/*
 * program.h: a running lab program and the talk with its driver.
 */
#ifndef GRADER_PROGRAM_H
#define GRADER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "cage/child.h"
#include "base/job.h"

struct program_options {
    const struct grade_job *job;
    enum backend backend;
    const char *virtual_device; /* VGPU_DEVICE */
    unsigned virtual_gpus;      /* VGPU_COUNT; 0: one */
    const char *trace;          /* where a trace goes, or NULL */
    bool check;                 /* VGPU_CHECK and its reports */
    double seconds;             /* for one answer */
    size_t room;                /* bytes of the input and of the output */
};

struct program {
    struct child child;
    struct child_spec spec;
    struct fence fence;
    struct program_options options;
    char device[160]; /* as the driver reports it */
    int files[2];     /* input, output */
    uint64_t *input, *output;
    char *env[24];
    struct out answer; /* the last one */
    struct out so_far; /* of the last command: see fact_send in driver.h */
};

/*
 * From now on run every program by this command and without the cage: for
 * tools such as compute-sanitizer, never for marks.
 */
void program_run_under(const char *command);
/* Do programs run under such a tool? */
bool program_is_under(void);

/* Start it and hear its greeting. Return: false when none came: see child.end
 * and the answer. */
bool program_start(struct program *program,
                   const struct program_options *options);

/* Send a command. Return: true when the answer begins with "ok". */
bool program_ask(struct program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Several answers in one turn on the machine's GPUs, @alone where times are
 * compared: what another grading left for the GPU to do then slows the first at
 * most. Nothing on the virtual GPU, and under a tool, where no time counts.
 * Return: false where it was refused.
 */
bool program_turn_begin(enum backend backend, bool alone);
void program_turn_end(enum backend backend);
/* Why the last turn was refused, in a line, or NULL. Then no program was asked
 * for anything. */
const char *program_turn_refused(void);
/* So long may others have a turn that this grading waits for. */
void program_turn_most(double seconds);

/* Let it end by itself, so that reports at its end are made. */
void program_finish(struct program *program);
void program_free(struct program *program);

/*
 * How it ended, in words: "did not finish within 10 s". "" while it runs.
 * Says nothing that differs from run to run.
 */
void program_describe_end(const struct program *program, struct out *words);

#endif
