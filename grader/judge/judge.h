/*
 * judge.h: what most judges of cases say.
 *
 * A question (judge_right, judge_order, ...) returns true when all is well and
 * leaves the judgement alone, or says so with judge_yes(); else it has failed
 * the case, with words. A row of a table asks one after another (.asks), and a
 * question may ask others:
 *
 *     return judge_right(run, judgement) && judge_order(run, judgement) &&
 *            judge_yes(run, judgement, "{entries} entries");
 *
 * Who knows the mistake names it: judgement->finding = ...; who does not leaves
 * it alone, and the first open TODO is named if there is one.
 */
#ifndef GRADER_JUDGE_H
#define GRADER_JUDGE_H

#include "case/case.h"
#include "judge/finding.h"

void judge_say(struct judgement *judgement, bool passed, struct finding finding,
               const char *format, ...) __attribute__((format(printf, 4, 5)));
#define judge_pass(judgement, ...)                                             \
    judge_say(judgement, true, finding_none(), __VA_ARGS__)
#define judge_fail(judgement, finding, ...)                                    \
    judge_say(judgement, false, finding, __VA_ARGS__)

/*
 * The same with words that name what they show, "{blocks} blocks, and should be
 * {full}": see judge/words.h; a failed case fills them in from the finding's
 * values, too. Return: passed.
 */
bool judge_words(const struct case_run *run, struct judgement *judgement,
                 bool passed, struct finding finding, const char *words);
#define judge_no(run, judgement, finding, words)                               \
    judge_words(run, judgement, false, finding, words)
#define judge_yes(run, judgement, words)                                       \
    judge_words(run, judgement, true, finding_none(), words)

/* All that the case's row of the table asks: see struct lab_case. */
void judge_row(const struct case_run *run, struct judgement *judgement);

/* ---- questions ----------------------------------------------------------- */

/* Was the output right in every round, the run under the checker included? */
bool judge_right(const struct case_run *run, struct judgement *judgement);

/* No hazard and no fault under the checker? True where it was not checked. */
bool judge_order(const struct case_run *run, struct judgement *judgement);

/* No stream, event or memory left, no error pending, no work unwaited for? */
bool judge_clean(const struct case_run *run, struct judgement *judgement);

/* Of a row that asks more than these three. */
#define JUDGE_ALL judge_right, judge_order, judge_clean

/* In a row's list alone: the row's .speed, see judge_speed(). */
bool judge_fast(const struct case_run *run, struct judgement *judgement);

/* Is @ns at most (1 + @slack) times the best that is known? */
bool judge_near(const struct case_run *run, struct judgement *judgement,
                double ns, double best_ns, double slack);

/* ---- speed --------------------------------------------------------------- */

/*
 * Pass, partial or fail, by eta = (serial - student) / (serial - bound), from
 * the round's facts. Where the bound is about the serial time, "not gradable
 * for speed here" passes; what is faster than the limit fails. On a real GPU a
 * result that is not clear is measured again. Return: passed.
 */
bool judge_speed(const struct case_run *run, struct judgement *judgement,
                 const struct lab_times *times);

/*
 * The limit that is shown, in ns: the bound, which is computed from parts that
 * were measured, or @ns where right work took less: then the bound was an
 * estimate. So no speed on a screen is above the limit. @ns: 0 for none.
 */
double judge_limit_ns(double bound_ns, double ns);

/* ---- arrays -------------------------------------------------------------- */

/* By the bytes of an element. */
enum judge_type { JUDGE_U32 = 4, JUDGE_F32 = 4, JUDGE_U64 = 8 };

/*
 * Compare @count elements. What a wrong element is found to be, in this order:
 * one of @known (same index), "zero", "another element's value" (of expected),
 * else "wrong". found->kinds counts them in that order: known[0], ...,
 * known[n-1], zero, another, wrong.
 */
struct judge_arrays {
    enum judge_type type;
    const void *got, *expected;
    uint64_t count;
    struct {
        const char *words; /* "still its input" */
        const void *values;
    } known[MAX_KINDS - 3];
    const char *noun; /* NULL: "element" */
    /* As data's: see base/lab.h. */
    const char *part; /* NULL: none */
    uint64_t part_begin, part_entries, num_parts;
    bool part_again;
};
void difference_arrays(struct difference *found,
                       const struct judge_arrays *arrays);

/* The parts that the case's data names. */
void difference_in_parts(const struct case_run *run,
                         struct judge_arrays *arrays);

/* For cases whose data says what to expect: lab_case.compare of them. */
void difference_expected(const struct case_run *run, struct difference *found);

/* Which of the parts are wrong: "every second batch, from 1 on". */
void difference_add_part(struct difference *found, uint64_t part);
void difference_which(struct out *words, const struct difference *found);
/* The mistake "parts-wrong", with these words. */
struct finding finding_parts(const struct difference *found);

/* Words: "3 of 100 elements wrong; element 4 is right, element 5 is zero". */
void difference_describe(struct out *words, const struct difference *found);

/* ---- findings ------------------------------------------------------------ */

/* Helpers of rules for usual mistakes; each may be without an id. */
/* The open TODO, else @finding: a mistake in what nobody has written yet. */
struct finding finding_todo_or(const struct case_run *run,
                               struct finding finding);
/* Is this what an open TODO shows, by the lab's table? */
bool finding_is_undone(const struct case_run *run,
                       const struct finding *finding);
/* Of a run on the virtual GPU that was right: did its kernels do @work
 * operations, and if @copied, on entries= that were copied in and back? */
struct finding finding_device(const struct case_run *run, uint64_t work,
                              bool copied);
struct finding finding_end(const struct case_run *run);
/* The same, after what the lab's rules know of it. */
struct finding finding_ended(const struct case_run *run);
/* The time between two events was asked for too early, and nobody looked at the
 * code: "not-ready", or none. */
struct finding finding_untimed(const struct case_run *run);
/* By the kind of the checker's first warning: what is not given back, ... */
struct finding finding_warned(const struct checked *seen);
/* Did the host's code crash over memory: an address, or the C library's? */
bool finding_is_memory(const struct case_run *run);

#endif
