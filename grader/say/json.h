/*
 * json.h: verdicts as JSON.
 *
 * One object: {"version": "1.0.0", "missing_fences": [], "labs": [LAB, ...]},
 * of the grader; a fence that the system lacks is "landlock", "seccomp" or
 * "namespaces". LAB has
 *
 *   lab            "08_uneven_chunks"
 *   file           that was graded, "labs/08_uneven_chunks/lab.cu"
 *   backend        "cuda" or "vgpu"
 *   device         as the CUDA runtime reports it; "" when nothing ran
 *   passed         true or false
 *   score, max_score
 *   eta            0 no overlap .. 1 the device's limit; null: not measured
 *   baseline       what speedup is over, in words: "without overlap"
 *   speedup        over the same work done that way, or null
 *   bound_speedup  the most that this device allows, or null
 *   needed_speedup that passes, or null
 *   seconds        that the grade took: the only value that differs between
 *                  two grades of one file on the virtual GPU
 *   checks         [{name, passed, score, max_score, line, diagnosis,
 *                    diagnosis_id, read}]
 *
 * line is what was observed, as the terminal shows it. diagnosis is "" for a
 * check that passed; diagnosis_id is the short name of the mistake, or null
 * when the grader cannot tell; read is the section of the lab's README.md about
 * it, or null.
 */
#ifndef GRADER_JSON_H
#define GRADER_JSON_H

#include "base/text.h"
#include "grade/verdict.h"

/* Names with ", " between them, as the member missing_fences: a list. */
void json_add_missing(struct out *json, const char *names);

/* A lab's object, behind those that are there. */
void json_add_lab(struct out *json, const struct verdict *verdict);

#endif
