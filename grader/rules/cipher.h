/*
 * cipher.h: what labs of cases share that decrypt entries: those with a run on
 * several GPUs (11, 12), and those whose file is the whole cipher program (09
 * and 13). Cases have the parameters entries= and iters=; input and output hold
 * the entries of the host first.
 */
#ifndef GRADER_RULES_CIPHER_H
#define GRADER_RULES_CIPHER_H

#include "chunks.h"
#include "judge/judge.h"

/* For .profile: models with no name, and numbers that nobody knows. */
#define C1060 "c1060:name=A:sms=23..33/2:max_threads_per_sm=896..1408/256"
#define C2050 "c2050:name=B:sms=10..18/2:max_threads_per_sm=1024..1792/128"
#define H200  "h200:name=C:sms=120..140/2:max_threads_per_sm=1792..2304/128"

/* ---- one job ------------------------------------------------------------- */

/* The parameter entries=, or the fact "entries" where the driver took more of
 * them; never more than there is room for. */
uint64_t cipher_entries(const struct case_run *run);

/* What a run that is compared whole was given and must give: behind the host's
 * entries, and a guard as long as they and guard= more, stand the device's.
 * Return: the expected entries, to be freed; NULL without memory. */
uint64_t *cipher_reference(const struct case_run *run, struct reference *ref);
/* What is in both buffers: behind the entries of the host, input and output
 * hold those of the device or devices. Return: false without memory. */
bool cipher_compare_cells(const struct case_run *run, struct cells *host,
                          struct cells *device);
/* In case_data: compared are the host's entries, each decrypted. */
uint64_t cipher_expect(const struct case_run *run, void *expected);
#define CIPHER_ENTRIES                                                         \
    .expect = cipher_expect, .still = "still encrypted", .noun = "entry"
/* case_data.compare of a large job of which the driver reported the fact
 * "rounds", and "student_ns" if there is an output. */
void cipher_compare_large(const struct case_run *run, struct difference *found);

/* A fact that counts. */
static inline uint64_t fact(const struct case_run *run, const char *key)
{
    return (uint64_t)case_fact(run, key);
}

/* Room for more than all entries, where half as much again may be noise? */
static inline bool cipher_takes_too_much(const struct case_run *run)
{
    const struct case_run *const seen = seen_run(run);

    return fact(seen, "taken") > case_param(seen, "entries") * 12;
}

/* Is the first wrong entry what another number of rounds makes of it? @at: its
 * place in the input. */
bool cipher_is_other_rounds(const struct case_run *run, uint64_t at);

/* Of its data: kernels decrypt, entries that were copied. */
#define CIPHER_WORK .work = case_cipher_work, .copied = true

/* The same finding, in words for a second call where it is of that. */
struct finding cipher_explain_again(const struct case_run *run,
                                    struct finding found);
/* The last entries of @chunks chunks are left out: rounded down, or not. */
struct finding cipher_explain_tail(uint64_t entries, uint64_t chunks,
                                   const struct cells *host);
/* Of a large run: a number of 16 bits, or what the row says. */
struct finding cipher_explain_narrow(const struct case_run *run,
                                     enum ask failed);
/* ---- whole programs: labs 09 and 13 -------------------------------------- */

/*
 * Their file is a whole program, and the driver calls its parts. One case runs
 * the program's sweep and measures it; the rows behind it are judged from what
 * that one saw. On several GPUs, so says .gpus of the row, more can go wrong,
 * and the sweep has two loops.
 */
/* What the lab is about, not how many this machine has. */
static inline bool on_several(const struct case_run *run)
{
    return run->rules->gpus > 1;
}

#define CIPHER_LARGE "large"
#define CIPHER_FEWER "fewer entries than streams" /* in lab 09 */
#define CIPHER_AGAIN "called again"               /* in lab 13 */

/* Both buffers there and back; the entries of the host alone; many of them. */
extern const struct case_data cipher_job_data, cipher_host_data,
    cipher_large_data;

/* What rows of a job with streams= on each of gpus= have in common. */
#define CIPHER_JOB                                                             \
    .data = &cipher_job_data, .asks = LAB_ASKS(judge_right, judge_order)
/* Nothing is run: judged is what the large case saw. */
#define CIPHER_SEEN(title, worth)                                              \
    .name = title, .points = worth, .needs = CIPHER_LARGE,                     \
    .of = LAB_CASES(CIPHER_LARGE)
#define CIPHER_TIMER                                                           \
    "{timer_ns:ms} ms, the grader's clock says {student_ns:ms} ms"
#define CIPHER_TIMER_AND_SWEEP(worth)                                          \
    {CIPHER_SEEN("timer", 10), .asks = LAB_ASKS(cipher_judge_timer),           \
     .passed = CIPHER_TIMER},                                                  \
    {                                                                          \
        CIPHER_SEEN("sweep", worth), .asks = LAB_ASKS(cipher_judge_sweep)      \
    }

/* The run under the checker that explains a case: its own, one needed, NULL. */
const struct case_run *cipher_seen(const struct case_run *run);
/* What chunks.h asks for. @trace is filled in, and used by what is returned. */
struct chunks cipher_view(const struct case_run *run,
                          struct trace_facts *trace);

/* For lab_rules.explain_end. On several GPUs, more is the lab's to say. */
struct finding cipher_explain_end(const struct case_run *run);
/* Memory was reached that is not there? */
bool cipher_is_outside(const struct case_run *run);

/* A hazard whose accesses were made by these, in this order: DONE_BY(kernel) |
 * DONE_BY(h2d), and by the student's part or the grader's where one of them is
 * named. */
#define DONE_BY_ANY      0U
#define DONE_BY_STUDENT  (1U << 30)
#define DONE_BY_GRADER   (1U << 31)
#define DONE_BY_SOMEBODY (DONE_BY_STUDENT | DONE_BY_GRADER)
#define DONE_BY_COPY                                                           \
    (DONE_BY(h2d) | DONE_BY(d2h) | DONE_BY(d2d) | DONE_BY(peer) |              \
     DONE_BY(h2h) | DONE_BY(copy))
bool cipher_has_hazard(const struct case_run *run, unsigned first,
                       unsigned second);

/* Fails as @name with a report's line, unless there is none. */
bool cipher_judge_warning(const char *line, const char *name,
                          struct judgement *judgement);
/* Each for lab_case.asks. */
/* Does every copy go the way that it says? */
bool cipher_judge_direction(const struct case_run *run,
                            struct judgement *judgement);
/* That, and was all given back, as the checker saw it? */
bool cipher_judge_tidy(const struct case_run *run, struct judgement *judgement);
/* Did main return 0, and did its sweep and its job do what they say, and leave
 * nothing behind? */
bool cipher_judge_main(const struct case_run *run, struct judgement *judgement);
/* Of the large case: is what the sweep returned a setting; does the program's
 * own clock agree with the grader's; is the sweep's table whole, measured, and
 * its best row the setting that was returned? */
bool cipher_judge_setting(const struct case_run *run,
                          struct judgement *judgement);
struct finding cipher_explain_timer(const struct case_run *run);
bool cipher_judge_timer(const struct case_run *run,
                        struct judgement *judgement);
bool cipher_judge_sweep(const struct case_run *run,
                        struct judgement *judgement);

/* Is a time that was told off by about a thousand or a million? */
bool cipher_is_other_unit(double told, double real);

/* ---- speed --------------------------------------------------------------- */

/* For the speed of a row, by what phases_report() of the drivers reports and
 * student_ns: the phases one after the other at worst, at best the longest. */
#define CIPHER_TIMES                                                           \
    .serial = "h2d_ns+kernel_ns+d2h_ns", .student = "student_ns",              \
    .bound = "kernel_ns|both_ns"

#endif
