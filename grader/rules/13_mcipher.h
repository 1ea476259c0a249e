/*
 * 13_mcipher.h: between the files of lab 13's rules.
 *
 *   13_mcipher_places.c   streams and memory, each on its own GPU
 *   13_mcipher_job.c      one run of cipher_decrypt, entry by entry
 *   13_mcipher_sweep.c    many entries with the setting that the sweep chose
 *   13_mcipher_speed.c    the program's own clock, and its speed
 *   13_cipher_mgpu.c      a program that did not return, what is left behind,
 *                         and the table of all cases
 *
 * What lab 09 needs as well is in cipher.h, and in chunks.h what all labs need
 * that cut an array into chunks.
 */
#ifndef GRADER_RULES_13_MCIPHER_H
#define GRADER_RULES_13_MCIPHER_H

#include "chunks.h"
#include "cipher.h"

/* Sections of README.md. */
#define TASK  "What to do"
#define PARTS CIPHER_PARTS
#define ORDER "In which order?"

/* Names of cases that other code asks for. */
#define PLACES "places"
#define ONE    "one GPU"
#define EVEN   "all GPUs"
#define UNEVEN "uneven, three GPUs"
#define EMPTY  "a GPU without entries"
#define LARGE  "large"

#define ULL(value) ((unsigned long long)(value))

/* ---- 13_mcipher_places.c ------------------------------------------------- */

void mcipher_judge_places(const struct case_run *run,
                          struct judgement *judgement);

/* ---- 13_mcipher_job.c ---------------------------------------------------- */

/* What chunks.h asks for, of a case. @trace is filled in, and used by what is
 * returned: facts of the case's own run under the checker, or else of EVEN's or
 * ONE's. */
struct chunks mcipher_view(const struct case_run *run,
                           struct trace_facts *trace);

void mcipher_judge_job(const struct case_run *run, struct judgement *judgement);

/* ---- 13_mcipher_sweep.c -------------------------------------------------- */

void mcipher_judge_large(const struct case_run *run,
                         struct judgement *judgement);
/* Asks the case LARGE for what the sweep printed and returned. */
void mcipher_judge_sweep(const struct case_run *run,
                         struct judgement *judgement);

/* ---- 13_mcipher_speed.c -------------------------------------------------- */

/* Both ask the case LARGE for times. */
void mcipher_judge_timer(const struct case_run *run,
                         struct judgement *judgement);
void mcipher_judge_fast(const struct case_run *run,
                        struct judgement *judgement);

#endif
