/* NN_name.c: rules of lab NN. What is asked, and what the mistakes look like.
 */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

/* ---- data ---------------------------------------------------------------- */

static void compare(const struct case_run *run, struct difference *found)
{
    const uint64_t *const input = run->input;
    const uint64_t count = run->output_bytes / sizeof *input;
    uint64_t *const expected = malloc(run->output_bytes + 1);
    const struct judge_arrays arrays = {.type = JUDGE_U64,
                                        .got = run->output,
                                        .expected = expected,
                                        .count = count,
                                        .known = {{"still its input", input}},
                                        .noun = "value"};

    if (expected == NULL)
        return;
    for (uint64_t i = 0; i < count; i++)
        expected[i] = input[i] + 1;
    difference_arrays(found, &arrays);
    free(expected);
}

/* ---- mistakes ------------------------------------------------------------ */

/* The driver reads the result itself: what it meets was not waited for. */
static struct finding explain(const struct case_run *run, enum ask failed)
{
    const struct case_run *const seen = run->virtual_run;

    if (failed != ASK_CLEAN && seen && seen->checked.by_driver)
        return mistake("no-final-wait");
    return finding_none();
}

/* ---- the rules ----------------------------------------------------------- */

static const struct case_data values = {
    .inputs = 1, .outputs = 1, .compare = compare};

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
