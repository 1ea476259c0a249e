/*
 * evidence.h: everything a grade has seen of one submission. The core fills
 * it in, the lab's rules read it to name the mistake.
 */
#ifndef GRADER_EVIDENCE_H
#define GRADER_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "build/build.h"
#include "base/job.h"
#include "cage/program.h"
#include "base/text.h"

struct case_result;
struct words;

/* A CUDA call that failed, as CHECK printed it before it ended the program; or,
 * where that call only showed the error of an earlier one, that one. */
struct api_error {
    char at[64];    /* "lab.cu:23"; "" for none */
    char call[96];  /* "cudaMemcpyAsync(...)", cut */
    char name[64];  /* "cudaErrorInvalidValue" */
    char shown[64]; /* of an earlier one: where CHECK ended the program */
    char why[256];  /* on the virtual GPU, where that is known; else "" */
};

/* How fast work is: with @eta 0 nothing overlaps, with 1 it is at the device's
 * limit; the others are times as fast as without overlap. */
struct speed {
    bool known;
    double eta, yours, bound, needed;
};

struct evidence {
    const struct grade_job *job; /* the core's */
    const struct lab_rules *lab;
    const struct words *words; /* for what went wrong */
    enum backend backend;
    const char *device; /* as CUDA reports it; NULL: nothing ran */
    struct out source;  /* the student's file: for the TODOs, no diagnosis */
    uint64_t todos;     /* that are left: the bits of their numbers */
    int first_todo;     /* the lowest of them, or 0 */
    enum build_result built;
    struct out messages;
    struct out no_start;  /* why no lab program runs here */
    bool order_available; /* a virtual GPU is there */
    bool order_built;
    struct case_result *cases; /* of lab->num_cases, or NULL; see case.h */
    int costly;                /* of them that took too long */
};

#endif
