/*
 * 10_kernels_predict.c: lab 10, what the student expects two kernels of so many
 * blocks to gain, and what they do
 */
#include "10_kernels.h"

enum { GAIN_NONE, GAIN_PERHAPS, GAIN_SURE }; /* as in lab.h */

/* ---- predictions --------------------------------------------------------- */

/* As in the driver: a half of what is resident is the fifth. */
enum { HALF = 4, NUM_PREDICTIONS = 8 };

static const char *const gain_words[] = {"none", "perhaps", "sure"};

static int true_gain(const struct case_run *run, int64_t blocks)
{
    if (case_fact(run, "concurrent") == 0 || blocks >= kernels_resident(run))
        return GAIN_NONE;
    return 2 * blocks <= case_fact(run, "sms") ? GAIN_SURE : GAIN_PERHAPS;
}

static struct finding explain_no_gain(const struct case_run *run,
                                      int64_t blocks)
{
    const double measured = (double)case_fact(run, "full_permille") / 1000;

    if (case_fact(run, "concurrent") == 0)
        return mistake("no-concurrent-kernels");
    if (blocks == kernels_resident(run) &&
        case_numbered_fact(run, "gain", NUM_PREDICTIONS - 1) == GAIN_NONE)
        return mistake_with("exactly-full", "blocks=%lld", (long long)blocks);
    return mistake_with("full-device-gain", "run=%lld\nmeasured=%.2f",
                        (long long)kernels_resident(run), measured);
}

static struct finding explain_gain(const struct case_run *run, int64_t blocks,
                                   int64_t got)
{
    const int64_t sms = case_fact(run, "sms");
    const double half = (double)case_fact(run, "half_permille") / 1000;
    const int right = true_gain(run, blocks);

    if (right == GAIN_NONE)
        return explain_no_gain(run, blocks);
    if (got == GAIN_NONE)
        return mistake_with("gain-missed", "blocks=%lld\nrun=%lld",
                            (long long)blocks,
                            (long long)kernels_resident(run));
    if (right == GAIN_SURE)
        return mistake_with("too-careful", "sms=%lld\nblocks=%lld",
                            (long long)sms, (long long)blocks);
    if (blocks <= sms && case_numbered_fact(run, "gain", HALF) != GAIN_SURE)
        return mistake_with("one-kernel-counted", "sms=%lld\nblocks=%lld",
                            (long long)sms, (long long)blocks);
    return mistake_with("room-is-not-gain", "half=%.2f", half);
}

void kernels_judge_predict(const struct case_run *run,
                           struct judgement *judgement)
{
    for (int i = 0; i < NUM_PREDICTIONS; i++) {
        const int64_t blocks = case_numbered_fact(run, "blocks", i);
        const int64_t got = case_numbered_fact(run, "gain", i);
        const int right = true_gain(run, blocks);

        if (got == right)
            continue;
        judge_fail(judgement,
                   kernels_todo_or(run, explain_gain(run, blocks, got)),
                   "two kernels of %lld block%s: %s, and should be %s",
                   (long long)blocks, blocks == 1 ? "" : "s",
                   got >= GAIN_NONE && got <= GAIN_SURE ? gain_words[got]
                                                        : "no such answer",
                   gain_words[right]);
        return;
    }
    judge_pass(judgement,
               "measured: two of 1 block %.2fx, of %lld %.2fx, of %lld %.2fx",
               (double)case_fact(run, "one_permille") / 1000,
               (long long)case_fact(run, "resident") / 2,
               (double)case_fact(run, "half_permille") / 1000,
               (long long)case_fact(run, "resident"),
               (double)case_fact(run, "full_permille") / 1000);
}
