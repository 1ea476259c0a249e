/* 90_sample.c: rules of a lab of cases that only the grader's tests have */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

static void compare(const struct case_run *run, struct difference *found)
{
    const uint64_t count = case_param(run, "n");
    const uint32_t *const input = run->input;
    uint32_t *const expected = malloc(run->input_bytes + 1);

    for (uint64_t i = 0; expected && i < count; i++)
        expected[i] = input[i] + 1;
    difference_arrays(found,
                      &(struct judge_arrays){.type = JUDGE_U32,
                                             .got = run->output,
                                             .expected = expected,
                                             .count = expected ? count : 0,
                                             .known = {{"as it was", input}}});
    free(expected);
}

static bool judge_add(const struct case_run *run, struct judgement *judgement)
{
    const struct trace_op *const in_default =
        query_first_default(case_trace(run), QUERY_KERNELS);

    if (!judge_right(run, judgement)) {
        if (run->difference.kinds[0] == run->difference.count &&
            !run->evidence->first_todo)
            judgement->finding = mistake("nothing-done");
        return false;
    }
    if (!judge_order(run, judgement) || !judge_clean(run, judgement))
        return false;
    if (in_default)
        judge_fail(judgement, mistake("kernel-default-stream"),
                   "a kernel in the default stream");
    else
        judge_pass(judgement, "%llu values",
                   (unsigned long long)case_param(run, "n"));
    return judgement->passed;
}

static bool judge_engines(const struct case_run *run,
                          struct judgement *judgement)
{
    const int64_t engines = case_fact(run, "engines");

    if (strcmp(case_text(run, "words"), "a b%c") != 0)
        judge_fail(judgement, finding_none(), "words: %s",
                   case_text(run, "words"));
    else if (engines != (int64_t)case_param(run, "expect"))
        judge_fail(judgement, mistake("wrong-engines"), "%lld copy engines",
                   (long long)engines);
    else if (case_fact(run, "gpus") != (run->rules->gpus ? 3 : 1))
        judge_fail(judgement, finding_none(), "%lld GPUs",
                   (long long)case_fact(run, "gpus"));
    else
        judge_pass(judgement, "%lld copy engines", (long long)engines);
    return judgement->passed;
}

static bool judge_free(const struct case_run *run, struct judgement *judgement)
{
    const int64_t held = case_fact(run, "call_ns");

    if (2 * held > case_fact(run, "total_ns"))
        judge_fail(judgement, finding_none(), "held for %lld ns",
                   (long long)held);
    else
        judge_pass(judgement, "the host is free");
    return judgement->passed;
}

/* What a round tells is compared with what that round made. */
static void compare_rounds(const struct case_run *run, struct difference *found)
{
    const int64_t *const output = run->output;

    found->count = 1;
    found->wrong = *output != case_fact(run, "round");
}

/* Two of the first three rounds are too slow, and one of four more. */
static bool judge_rounds(const struct case_run *run,
                         struct judgement *judgement)
{
    if (!judge_near(run, judgement, (double)case_fact(run, "took_ns"),
                    (double)case_fact(run, "limit_ns"), 0.05))
        return false;
    judge_pass(judgement, "judged of %d rounds", run->rounds);
    return true;
}

/* Once as it is, and once under the checker with other parameters. */
static bool judge_apart(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const other = run->virtual_run;

    if (other == NULL || other == run || case_fact(run, "checked") ||
        !case_fact(other, "checked") || case_param(run, "expect") != 1 ||
        case_param(other, "expect") != 2)
        judge_fail(judgement, finding_none(), "not two runs");
    else
        judge_pass(judgement, "two runs");
    return judgement->passed;
}

static const char *skip_apart(const struct case_run *run)
{
    return case_other(run, "adds")->wrong_rounds > 0 ? "it does not add" : NULL;
}

static const struct case_data values = {.inputs = 1,
                                        .outputs = 1,
                                        .entries = "n",
                                        .entry_bytes = sizeof(uint32_t),
                                        .compare = compare};
static const struct case_data one_time = {.outputs = 1,
                                          .compare = compare_rounds};

static const struct lab_case cases[] = {
    {.name = "adds",
     .points = 10,
     .params = "n=1003",
     .data = &values,
     .checked = true,
     .drawn = true,
     .asks = LAB_ASKS(judge_add)},
    {.name = "host is free",
     .points = 10,
     .params = "n=4000000",
     .data = &values,
     .timed = true,
     .needs = "adds",
     .asks = LAB_ASKS(judge_right, judge_free)},
    {.name = "rounds",
     .points = 5,
     .params = "round=1 entries=1",
     .data = &one_time,
     .timed = true,
     .asks = LAB_ASKS(judge_right, judge_rounds)},
    {.name = "apart",
     .points = 5,
     .params = "expect=1",
     .params_checked = "expect=2",
     .checked = true,
     .skip = skip_apart,
     .asks = LAB_ASKS(judge_apart)},
    {.name = "one copy engine",
     .points = 5,
     .params = "expect=1",
     .profile = "c1060",
     .asks = LAB_ASKS(judge_engines)},
    {.name = "two copy engines",
     .points = 5,
     .params = "expect=2",
     .profile = "k20",
     .asks = LAB_ASKS(judge_engines)},
    {.name = "three GPUs",
     .points = 5,
     .params = "expect=2",
     .gpus = 3,
     .asks = LAB_ASKS(judge_engines)},
};

LAB_RULES(.name = "90_sample",
          .flags = "--default-stream=per-thread -maxrregcount=*",
          .no_baseline = true);
