/*
 * chunk_lab.h: what labs 07 and 08 have in common. Their file is one function
 * that decrypts an array in chunks, one per stream. What is tried and how it is
 * judged is the same; which sizes there are, and which mistakes those bring, is
 * each lab's own.
 *
 *     static const struct lab_case cases[] = {
 *         {CHUNK_RIGHT("even", 5, 8192, 8), CHUNK_CHECKED(8192, 8)},
 *         {CHUNK_RIGHT("one stream", 5, 1000, 1)},
 *         CHUNK_LARGE("491520..524288/1024", "16777216", 40),
 *     };
 *
 * The chunks of the first case are of one size, and it is checked: what is
 * wrong there is explained for all cases, and its trace is asked whenever a
 * trace is. Without it nothing large is tried.
 */
#ifndef GRADER_RULES_CHUNK_LAB_H
#define GRADER_RULES_CHUNK_LAB_H

#include "chunks.h"
#include "cipher.h"

/* lab_rules.own of such a lab. */
struct chunk_lab {
    /* Cases by whose runs under the checker the order is judged. */
    const char *ordered[2];
    /*
     * Name the mistake behind a case that failed. Each returns the finding
     * that the evidence supports, or one without an id.
     */
    /* It did not return. */
    struct finding (*explain_end)(const struct case_run *run);
    /* What only this lab knows of wrong entries and of harm behind them. */
    struct finding (*explain_right)(const struct case_run *run,
                                    const struct chunks_left *left);
    /* It is slow, in a way that chunks.h does not know; NULL: there is none. */
    struct finding (*explain_fast)(const struct case_run *run,
                                   const struct trace_facts *trace);
    /* An error left: that of a launch without blocks. */
    const char *empty_left;
};

/* ---- cases --------------------------------------------------------------- */

/* Names of cases that other code asks for. */
#define CHUNK_ALL     "right: large"
#define CHUNK_ORDERED "well ordered"
#define CHUNK_FAST    "fast"
#define CHUNK_CLEAN   "clean"

/*
 * The driver's part gets the host's entries, which are followed by a guard as
 * long as the data and guard= entries more, and then the same of the device. A
 * whole array that is copied to the last chunk's place is seen so, and does no
 * harm. Under the checker there are no guards: the buffers are as long as
 * promised, and only the host's entries come and go.
 */
#define CHUNK_TASK(entries, streams)                                           \
    "job=decrypt entries=" entries " streams=" streams " iters=12"
#define CHUNK_JOB(entries, streams) CHUNK_TASK(#entries, #streams)

/* One size that the student's function must get right. */
#define CHUNK_RIGHT(title, worth, entries, streams)                            \
    .name = "right: " title, .points = (worth),                                \
    .params = CHUNK_JOB(entries, streams) " guard=64", .data = &chunk_buffers, \
    .asks = LAB_ASKS(chunk_judge_right)
#define CHUNK_CHECKED(entries, streams)                                        \
    .checked = true, .params_checked = CHUNK_JOB(entries, streams)

/*
 * The other four, all that there is behind the sizes. On a virtual GPU the
 * processor does the work, so few entries show there, on a device with a slow
 * link, what many show on a real one, and with a fast link there are twice as
 * many. Of a real one's entries all are looked at, so there are few rounds
 * where that is the question. The needed eta lies between what two of the three
 * phases at once reach (0.5) and two streams (0.75): calls from several host
 * threads, which wait for each other, cost 0.1 on a real GPU. @seen: a size
 * under the checker, which tells why it is slow.
 */
#define CHUNK_LARGE(seen, vgpu, cuda, worth_fast)                              \
    {.name = CHUNK_ALL,                                                        \
     .points = 5,                                                              \
     .params = "job=decrypt entries=" vgpu " streams=16 most_rounds=1000",     \
     .params_cuda = CHUNK_TASK(cuda, "32"),                                    \
     .data = &chunk_large,                                                     \
     .seconds = CHUNK_SECONDS,                                                 \
     .skip = chunk_skip,                                                       \
     .asks = LAB_ASKS(chunk_judge_right)},                                     \
        {.name = CHUNK_ORDERED,                                                \
         .points = 15,                                                         \
         .params = "job=none",                                                 \
         .skip = chunk_skip,                                                   \
         .asks = LAB_ASKS(chunk_judge_ordered)},                               \
        {.name = CHUNK_FAST,                                                   \
         .points = (worth_fast),                                               \
         .params = "job=fast entries=" vgpu " streams=16 most_rounds=1000",    \
         .params_cuda = "job=fast entries=" cuda " streams=32",                \
         .data = &chunk_timed,                                                 \
         .seconds = CHUNK_SECONDS,                                             \
         .timed = true,                                                        \
         .drawn = true,                                                        \
         .sweep = "job=fast entries=" vgpu " most_rounds=1000",                \
         .sweep_cuda = "job=fast entries=" cuda,                               \
         .needs = "right: " seen,                                              \
         .skip = chunk_skip,                                                   \
         .asks = LAB_ASKS(chunk_ask_again),                                    \
         .speed = {"serial_ns", "student_ns", "kernel_ns|both_ns",             \
                   .eta_needed = 0.60},                                        \
         .explain = chunk_explain_fast},                                       \
    {                                                                          \
        .name = CHUNK_CLEAN, .points = 10, .params = "job=none",               \
        .skip = chunk_skip, .asks = LAB_ASKS(chunk_judge_clean)                \
    }
#define CHUNK_SECONDS 30

/* Both buffers with their guards; a large array, which the driver may take
 * twice as much of on a virtual GPU; the same, compared by a sample. */
extern const struct case_data chunk_buffers, chunk_large, chunk_timed;

const char *chunk_skip(const struct case_run *run);
bool chunk_judge_right(const struct case_run *run, struct judgement *judgement);
bool chunk_judge_ordered(const struct case_run *run,
                         struct judgement *judgement);
bool chunk_ask_again(const struct case_run *run, struct judgement *judgement);
struct finding chunk_explain_fast(const struct case_run *run, enum ask failed);
bool chunk_judge_clean(const struct case_run *run, struct judgement *judgement);

/* ---- for the labs' own explanations -------------------------------------- */

/* Did it return, with all entries right? */
bool chunk_is_right(const struct case_run *run);
/* The lab's first case. */
const struct case_run *chunk_first(const struct case_run *run);
/* lab_rules.explain_end */
struct finding chunk_explain_end(const struct case_run *run);

#endif
