/*
 * lab.h: what the grader's core needs to know of a lab: its rules.
 *
 * One file of rules per lab, rules/NN_name.c: named cases that the lab's own
 * driver part runs and the lab's own judge judges (see case.h), their points,
 * and the lab's own eye for what went wrong. Everything else is the core's.
 */
#ifndef GRADER_LAB_H
#define GRADER_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct case_run;
struct difference;
struct judgement;

/* What went wrong, by its name; judge/words.h has the words for it. */
struct finding {
    const char *id;   /* "floor-division"; NULL: nothing */
    char values[400]; /* what the words leave open: "at=lab.cu:3\nleft=4" */
};

/*
 * A question about a case whose function returned: judge/judge.h has those of
 * most labs, rules have their own. Return: true where all is well, with words
 * that say so or without; false where the judgement is made, and nothing else
 * is asked.
 */
typedef bool lab_question(const struct case_run *run,
                          struct judgement *judgement);
#define LAB_ASKS(...) ((lab_question *const[]){__VA_ARGS__, NULL})

/* Which question failed, for who explains it: judge_right, judge_order,
 * judge_clean or judge_fast. Others name the mistake themselves. */
enum ask { ASK_NONE, ASK_RIGHT, ASK_ORDER, ASK_CLEAN, ASK_SPEED };

/* Times of a case by the names of the facts that hold them, in ns: "a_ns",
 * "a_ns+b_ns" for one after the other, "a_ns|b_ns" for the longer one. */
struct lab_times {
    const char *serial, *student, *bound;
    const char *least; /* nothing can be faster; default: the bound */
    double eta_needed; /* 0: speed is not asked */
    /* On a real GPU, where times scatter much; default: the same. */
    double eta_needed_cuda;
};

/*
 * What cases work on: buffers of as many entries as a parameter of theirs
 * says, so many of them in, fresh in each round, and out, zero before it.
 */
struct case_data {
    unsigned inputs, outputs; /* default: one each */
    const char *entries;      /* the parameter; default: "entries" */
    const char *times;        /* another one: so many times as long */
    /* So many entries, where no parameter says it. */
    uint64_t (*count)(const struct case_run *run);
    size_t entry_bytes; /* default: 8 */
    /* Make the output that must come out; @expected is zero before. Return: so
     * many entries are compared. What is wrong is described with @noun
     * ("element"), and @still is said of what is as it was in the input. */
    uint64_t (*expect)(const struct case_run *run, void *expected);
    const char *still, *noun;
    /* What they come in, "batch", and the parameters that say how many elements
     * each has and how many of them there are; one of both is enough. Which of
     * them is wrong is then told: the first alone, every second. So many
     * elements are ahead of the first; behind the last is nothing, or the first
     * again. */
    const char *part, *part_entries, *parts;
    uint64_t part_begin;
    bool part_again;
    /* Make other input than random bytes. Return: false without memory. */
    bool (*fill)(struct case_run *run, void *input);
    /* Compare run->output with what must come out, where @expect cannot say it.
     * Default of both: not compared. */
    void (*compare)(const struct case_run *run, struct difference *found);
    /* Rounds of the cipher, of all entries together, that kernels must do in
     * the region: case_cipher_work() for entries= of iters=. Looked at on the
     * virtual GPU, checked or not. Default: nobody asks who did the work. */
    uint64_t (*work)(const struct case_run *run);
    bool copied; /* asked with it: are entries= copied in and back? */
};

/* One case. What is 0 or NULL takes the default. */
struct lab_case {
    const char *name; /* "one copy engine": on the check's line */
    int points;
    /* For the driver: "entries=10007 streams=7". "us=250..450" is drawn anew
     * for each submission, case/draw.h; so are numbers in .profile. */
    const char *params;
    const char *params_cuda; /* on a real GPU; default: params */
    /* For the run under the checker, which is then one of its own, on a
     * virtual GPU too, and takes place even where a CUDA error ended the case:
     * its buffers may be shorter, or its questions others. Default: params, and
     * a case on a virtual GPU runs once, under the checker. */
    const char *params_checked;
    /* A virtual device for this case, whatever the backend is; default: the
     * backend's device. */
    const char *profile;
    /* The same where the backend is a virtual GPU: a time that a fast link
     * would not show on so few entries. What is run for a person takes its own.
     */
    const char *profile_vgpu;
    unsigned gpus; /* default 1; virtual ones where the machine has less */
    /* Real ones that are enough, where the driver's part takes as many as there
     * are: driver_num_gpus(). Default: gpus. */
    unsigned gpus_needed;
    bool checked; /* under the virtual GPU's checker, and traced */
    bool looked;  /* traced on the virtual GPU though not checked: run->trace */
    bool timed;   /* repeated on a real GPU; the median counts */
    bool alone;   /* looks at what is left of a GPU's memory: nobody else's */
    bool drawn;   /* `make labNN` draws this one */
    bool ends;    /* the student's code must end the program: then it passed */
    /* `make sweep` runs this case with these parameters, and with streams=,
     * and with gpus= where it has several; NULL: it does not. See sweep.c. */
    const char *sweep, *sweep_cuda;
    /* Name of a case that must pass before this one; default: the first .of. */
    const char *needs;
    /* Nothing is run: the row's questions are put to what these cases did, in
     * turn, which get their runs, and so does .explain. Who was not run is
     * left out. */
    const char *const *of; /* LAB_CASES("even", "uneven") */
    /* Asked before the case is run: words why that is no use, after "not
     * tried: ", or NULL. Who asks decides: the case is tried even after others
     * that took too long. Default: it depends on @needs only. */
    const char *(*skip)(const struct case_run *run);
    const struct case_data *data; /* default: neither input nor output */
    double seconds;               /* limit for one round; default: the user's */
    /*
     * What is asked, in this order, until one says no: LAB_ASKS(judge_right,
     * ask_parts), default JUDGE_ALL; judge_fast comes last where there is a
     * .speed and it does not stand elsewhere.
     * @passed: words for all is well, "{entries} entries", see judge/words.h;
     * of a speed, what is said behind it. @explain: the mistake behind the
     * question that failed; where it names none, that of the question itself
     * stays.
     */
    lab_question *const *asks;
    struct lab_times speed;
    const char *passed;
    struct finding (*explain)(const struct case_run *run, enum ask failed);
    const char *mistake; /* whatever fails: in place of @explain */
};

/* What right work shows as long as a TODO is open, whose mistake would have the
 * same name: tests/cli/steps.t does some of the TODOs and finds what is missing
 * here. So the TODO is named, and the mistake where those are done. */
struct undone {
    const char *mistake; /* in whatever words */
    uint64_t todos;      /* LAB_TODO(3) | LAB_TODO(4): either is enough */
};
#define LAB_TODO(number) (UINT64_C(1) << (number))
#define LAB_UNDONE(...)  ((const struct undone[]){__VA_ARGS__, {0}})

enum { LAB_POINTS_BUILDS = 5 }; /* a file that compiles, in every lab */

struct lab_rules {
    const char *name;           /* "08_uneven_chunks" */
    const char *virtual_device; /* profile, unless VGPU_DEVICE is set; "k20" */
    const char *flags; /* compiler options that students may set: flags.h */
    const struct lab_case *cases;
    size_t num_cases;
    const struct undone *undone; /* LAB_UNDONE({"no-kernel", LAB_TODO(3)}) */
    const void *own;             /* for judges that several labs share */
    /* The driver part has, for drawing, no version "who=baseline". */
    bool no_baseline;
    /* What the student is compared with, "2x as fast as ..."; default:
     * "without overlap". */
    const char *baseline;
    /* Name the mistake behind a case whose function did not return; default:
     * the core's words for hangs, crashes and CUDA errors. */
    struct finding (*explain_end)(const struct case_run *run);
};

#define LAB_CASES(...) ((const char *const[]){__VA_ARGS__, NULL})

/*
 * Make the lab known whose cases stand above, in a table "cases":
 *
 *     LAB_RULES(.name = "08_uneven_chunks", .explain_end = explain_end);
 */
#define LAB_RULES(...)                                                         \
    static const struct lab_rules this_lab = {                                 \
        .cases = cases,                                                        \
        .num_cases = sizeof cases / sizeof *cases,                             \
        __VA_ARGS__,                                                           \
    };                                                                         \
    static const struct lab_rules *const this_lab_entry                        \
        __attribute__((used, section("lab_rules"))) = &this_lab

/* All labs that can be graded, by number; ends with NULL. */
const struct lab_rules *const *lab_list(void);

/* The lab's words for its baseline, and its device; defaults filled in. */
const char *lab_baseline(const struct lab_rules *lab);
const char *lab_virtual_device(const struct lab_rules *lab);

/* So many real GPUs are enough for a case; 0: one. */
static inline unsigned lab_gpus_needed(const struct lab_case *rules)
{
    return rules->gpus_needed > 0 ? rules->gpus_needed : rules->gpus;
}

/* "08" or "08_uneven_chunks". Return: NULL where there is none. */
const struct lab_rules *lab_find(const char *name);

#endif
