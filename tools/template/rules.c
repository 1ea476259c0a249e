/* NN_name.c: rules of lab NN. What is asked, and what the mistakes look like.
 */
#include "judge/judge.h"

/* ---- data ---------------------------------------------------------------- */

static uint64_t expect(const struct case_run *run, void *expected)
{
    const uint64_t *const input = run->input;
    const uint64_t count = case_param(run, "entries");
    uint64_t *const values = expected;

    for (uint64_t i = 0; i < count; i++)
        values[i] = input[i] + 1;
    return count;
}

/* ---- mistakes ------------------------------------------------------------ */

/* The driver reads the result itself: what it meets was not waited for. */
static struct finding explain(const struct case_run *run, enum ask failed)
{
    if (failed != ASK_CLEAN && case_checked(run)->by_driver)
        return mistake("no-final-wait");
    return finding_none();
}

/* ---- the rules ----------------------------------------------------------- */

static const struct case_data values = {.inputs = 1,
                                        .outputs = 1,
                                        .expect = expect,
                                        .still = "still its input",
                                        .noun = "value"};

static const struct lab_case cases[] = {
    {.name = "many values",
     .points = 60,
     .params = "entries=10007",
     .data = &values,
     .checked = true,
     .drawn = true,
     .explain = explain,
     .passed = "{entries} values"},
    {.name = "one value",
     .points = 35,
     .params = "entries=1",
     .data = &values,
     .checked = true,
     .needs = "many values",
     .explain = explain,
     .passed = "{entries} value"},
};

LAB_RULES(.name = "NN_name", .no_baseline = true);
