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
        return finding_make("no-concurrent-kernels", GAIN,
                            "This device runs one kernel at a time: "
                            "cudaDevAttrConcurrentKernels is 0. No grid gains "
                            "anything there.");
    if (blocks == kernels_resident(run) &&
        case_numbered_fact(run, "gain", NUM_PREDICTIONS - 1) == GAIN_NONE)
        return finding_make("exactly-full", GAIN,
                            "%lld blocks are just as many as are resident: "
                            "the device is full, and no block of another "
                            "kernel finds room.",
                            (long long)blocks);
    return finding_make("full-device-gain", GAIN,
                        "One kernel of %lld blocks fills the device, and the "
                        "other waits until it leaves room, in whatever stream "
                        "it is: measured here, both together are %.2fx as fast "
                        "as one after the other.",
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
        return finding_make("gain-missed", GAIN,
                            "%lld blocks do not fill this device, which holds "
                            "%lld: there is room for another kernel.",
                            (long long)blocks,
                            (long long)kernels_resident(run));
    if (right == GAIN_SURE)
        return finding_make("too-careful", GAIN,
                            "%lld multiprocessors, and 2 times %lld blocks: "
                            "each block has one of its own, so the gain is "
                            "sure.",
                            (long long)sms, (long long)blocks);
    if (blocks <= sms && case_numbered_fact(run, "gain", HALF) != GAIN_SURE)
        return finding_make("one-kernel-counted", GAIN,
                            "%lld multiprocessors are enough for the %lld "
                            "blocks of one kernel. There are two kernels.",
                            (long long)sms, (long long)blocks);
    return finding_make("room-is-not-gain", GAIN,
                        "There is room for blocks of the second kernel, but "
                        "they share multiprocessors that are busy already. "
                        "Measured here, two kernels of half a device each "
                        "are %.2fx as fast together: overlap is not gain.",
                        half);
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
