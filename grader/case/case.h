/*
 * case.h: one case of a lab of cases, as a judge sees it, and what a judge may
 * say. judge.h has helpers for what most judges say.
 */
#ifndef GRADER_CASE_H
#define GRADER_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "case/checked.h"
#include "case/evidence.h"
#include "base/lab.h"
#include "case/query.h"

enum { MAX_ROUNDS = 15, MAX_KINDS = 8, MAX_PARTS = 256 };

/*
 * How output differs from what must come out. difference_arrays() of judge.h
 * fills it in for arrays; what else is compared may set it by hand.
 */
struct difference {
    uint64_t count, wrong; /* of elements */
    uint64_t first, last;  /* wrong ones */
    /* What the first wrong one and its neighbours are: "right", "zero",
     * "still its input"; NULL at the ends. */
    const char *around[3];
    const char *noun;                                /* "element" */
    const char *part;                                /* "batch", or NULL */
    uint64_t num_parts, wrong_parts[MAX_PARTS / 64]; /* bits: who is wrong */
    bool whole_parts; /* wrong are whole parts alone, and not all of them */
    uint64_t kinds[MAX_KINDS]; /* wrong elements by kind: judge.h */
};

/* A round of the cipher is twice as many operations: a kernel that did fewer
 * has not done it. */
enum { WORK_LEAST_OPS = 7 };

/* One case, run in all its rounds. */
struct case_run {
    const struct evidence *evidence;
    const struct lab_case *rules;
    const char *params; /* those of this backend */
    enum backend backend;
    const char *profile; /* virtual device; NULL on a real GPU */
    char drawn[256], drawn_profile[256]; /* see draw.h */
    const char *who; /* "baseline" for a picture of it; default: "student" */
    char device[160];
    bool short_of_gpus; /* virtual GPUs, for the machine has too few */
    struct case_data data;
    size_t input_bytes, output_bytes;

    bool not_tried;
    bool apart; /* the run under the checker, where that is one of its own */
    bool ran;   /* returned, in every round */
    enum child_end end;
    int code;
    bool lent_is_gone; /* what the driver made, and gives back itself */
    struct api_error error;
    struct out ended, fault;    /* the end, in words */
    struct out reported;        /* lines of the virtual GPU, till then */
    char pending[64], late[64]; /* CUDA error left at return, or "" */

    void *input;        /* of the last round, as it was sent */
    const void *output; /* of the last round */
    void *output_copy;
    /* The rules' own, made by fill(); freed with own_free. */
    void *own;
    void (*own_free)(void *own);
    int rounds, wrong_rounds;
    struct out facts[MAX_ROUNDS];   /* "key NUL value NUL", by round */
    struct out printed[MAX_ROUNDS]; /* by the student's code, the beginning */
    int judged; /* the round that a judge reads: 1 is the first, 0 the last */
    int row;    /* of the numbers that it reads: see case_fact() */
    struct difference difference; /* of the first wrong round */

    /* Under the checker, where the case is checked. */
    struct checked checked;
    struct trace trace; /* no operations: not traced */
    bool traced;
    /* The run under the checker: this one, or another one where the case ran
     * on a real GPU or has parameters of its own there; NULL: not checked, or
     * no virtual GPU here. */
    const struct case_run *virtual_run;
};

/* ---- what a judge reads -------------------------------------------------- */

/* A parameter of the case, 0 without it. */
uint64_t case_param(const struct case_run *run, const char *key);

/*
 * A fact of the round that is judged; 0 or "" where it was not reported. On a
 * real GPU each round of a timed case is judged by itself, since it chooses
 * anew how much work there is, and the verdict is the median one.
 *
 * A driver's part that asks a student's function many times reports "rows", how
 * often, and each time in facts with a number, "width0", "width1". Then the
 * case is judged for each of them, until one is wrong, and "width" is that
 * row's.
 */
bool case_has(const struct case_run *run, const char *key);
int64_t case_fact(const struct case_run *run, const char *key);
const char *case_text(const struct case_run *run, const char *key);

/* What the student's code printed in that round, the beginning of it. */
const char *case_printed(const struct case_run *run);

/* Is a parameter of the case this word? */
bool case_says(const struct case_run *run, const char *key, const char *word);

/* A fact of one of several: "room2" for case_numbered_fact(run, "room", 2). */
int64_t case_numbered_fact(const struct case_run *run, const char *key,
                           unsigned number);

/* For case_data.work: the parameter "entries" times the fact "rounds", or times
 * the parameter "iters" where the driver reported none. */
uint64_t case_cipher_work(const struct case_run *run);

/* The first line of what the virtual GPU reported of the case's end, of one of
 * these kinds; NULL: none. */
const char *case_reported(const struct case_run *run, reported_t kinds);
/* Did a CUDA call end the case, @call with the error cudaError@error? Each may
 * have stars, for any characters; NULL: any. */
bool case_failed(const struct case_run *run, const char *call,
                 const char *error);

/* A case of this name, or NULL before it ran; @run's lab's for a judge. */
struct case_run *case_find(const struct evidence *evidence, const char *name);
const struct case_run *case_other(const struct case_run *run, const char *name);
/* Is it the case of this name? */
bool case_is(const struct case_run *run, const char *name);

/* Is TODO @todo, or one before it, still open in the student's file? */
bool case_is_open(const struct case_run *run, int todo);
/* The same of the case's parameter todo=. */
bool case_todo_is_open(const struct case_run *run);

/* What the run under the checker did; NULL where there was none, or no @run. A
 * trace that a program spoilt is one without operations. */
const struct trace *case_trace(const struct case_run *run);

/* What the checker saw of it: of a case that it did not look at, nothing. */
const struct checked *case_checked(const struct case_run *run);

/* Input for case_data.fill: random bytes (the default), in whole words: there
 * is room for the last one. */
bool case_fill_random(struct case_run *run, void *input);

/* ---- what a judge says --------------------------------------------------- */

struct judgement {
    bool passed, skipped;
    double share;    /* of the points, 0 to 1 */
    bool borderline; /* measure again before this is called */
    struct out seen;
    struct finding finding;
    const struct case_run *of; /* whose facts its words show; NULL: its own */
    struct speed speed;
};

/* ---- the core ------------------------------------------------------------ */

struct case_result {
    struct case_run run, under_checker;
    struct judgement judgement;
};

/* case_facts.c: take the answer of a round apart. */
void facts_read(struct out *facts, const char *answer);
const char *facts_find(const struct out *facts, const char *key);
/* "9/cudaErrorInvalidValue" in a fact: the name, the first one stays. */
void error_take(char *name, size_t size, const struct out *facts,
                const char *key);
/* What CHECK printed before it ended the program; "" where it did not. */
void api_error_find(struct api_error *error, const char *printed);

/* ---- case_round.c: a lab program that runs cases --------------------------
 */

/* A program that lives from case to case, unless it is checked or traced. */
struct case_session {
    struct program program;
    bool alive;
    size_t out_before; /* of what it printed so far */
};

/* Take the program that is there, or start one. Return: false where it does
 * not start; run->ended and run->end tell. */
bool case_session_open(struct case_session *session,
                       const struct program_options *options,
                       struct case_run *run);

/* One round: fresh input, the driver's part, facts, comparison. What cannot
 * go on sets run->ran to false. */
void case_round(struct case_session *session, struct case_run *run);

/* End it. Its trace and the checker's reports, where it has them, go to @run,
 * which may be NULL. */
void case_session_close(struct case_session *session, struct case_run *run);

#endif
