/*
 * 12_mgpu.h: between the files of lab 12's rules.
 *
 *   12_mgpu_made.c     sizes of chunks; streams and memory; giving back
 *   12_mgpu_places.c   one run of mgpu_decrypt, entry by entry
 *   12_mgpu_work.c     the same run: its streams, its waits, and the verdict
 *   12_mgpu_streams.c  a function that did not return, the whole job, the
 *                      speed, and the table of all cases
 */
#ifndef GRADER_RULES_12_MGPU_H
#define GRADER_RULES_12_MGPU_H

#include "judge/judge.h"
#include "number.h"

/* Sections of README.md. */
#define TASK    "What to do"
#define OFFSETS "One entry, two places"

typedef unsigned long long ull;

/* ---- 12_mgpu_made.c ------------------------------------------------------ */

void mgpu_judge_chunks(const struct case_run *run, struct judgement *judgement);
void mgpu_judge_widths(const struct case_run *run, struct judgement *judgement);
void mgpu_judge_made(const struct case_run *run, struct judgement *judgement);
void mgpu_judge_given_back(const struct case_run *run,
                           struct judgement *judgement);

/* ---- 12_mgpu_places.c ---------------------------------------------------- */

/* Layout as the driver's part has it: the host's entries and their guard, then
 * the room of each GPU. */
struct mgpu_view {
    const struct case_run *run;
    uint64_t n, gpus, streams, iters, guard, room;
    uint64_t stream_chunk, gpu_chunk;
    const uint64_t *in, *out; /* the host's */
    uint64_t *plain;
    struct trace_facts trace;
};

bool mgpu_view_open(struct mgpu_view *v, const struct case_run *run);
void mgpu_view_close(struct mgpu_view *v);

/* What a GPU held before and after, at entry @at of its memory. */
uint64_t mgpu_before(const struct mgpu_view *v, uint64_t gpu, uint64_t at);
uint64_t mgpu_after(const struct mgpu_view *v, uint64_t gpu, uint64_t at);
/* A GPU's part of the data. */
uint64_t mgpu_part_lower(const struct mgpu_view *v, uint64_t gpu);
uint64_t mgpu_part_entries(const struct mgpu_view *v, uint64_t gpu);
/* Does every GPU hold what it should when all is done? */
bool mgpu_parts_right(const struct mgpu_view *v);

/* Each names one sort of mistake, by what is where; or is without an id. */
struct finding mgpu_explain_global(const struct mgpu_view *v);
struct finding mgpu_explain_gpu_lower(const struct mgpu_view *v);
struct finding mgpu_explain_stream_offset(const struct mgpu_view *v);
struct finding mgpu_explain_copy_back(const struct mgpu_view *v);
struct finding mgpu_explain_left_out(const struct mgpu_view *v);
struct finding mgpu_explain_overrun(const struct mgpu_view *v);

/* ---- 12_mgpu_work.c ------------------------------------------------------ */

/* The GPU that a stream belongs to; TRACE_MAX_DEVICES where nothing ran. */
uint64_t mgpu_device_of_stream(const struct trace *trace, uint64_t stream);

/* A kernel on GPU @user met memory of GPU @owner. */
struct finding mgpu_explain_unreachable(const struct case_run *run,
                                        unsigned owner, unsigned user);

void mgpu_compare_job(const struct case_run *run, struct difference *found);
void mgpu_judge_job(const struct case_run *run, struct judgement *judgement);

#endif
