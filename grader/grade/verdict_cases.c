/* verdict_cases.c: the checks of a lab of cases, made from its judgements */
#include "grade/verdict.h"

#include <stdio.h>
#include <string.h>

#include "case/case.h"

/* Where a case ran, if that is not where the lab runs. */
static void add_place(struct text *seen, const struct case_run *run)
{
    if (run->short_of_gpus)
        text_printf(seen, " (on %u virtual GPUs: this machine has too few)",
                    run->rules->gpus);
    else if (run->rules->profile)
        text_printf(seen, " (on a virtual %s)", run->profile);
    else if (run->rules->gpus > 1 && run->backend == BACKEND_VGPU)
        text_printf(seen, " (on %u virtual GPUs)", run->rules->gpus);
}

/* Half points are the smallest. */
static double points_for(double share, int points)
{
    return (int)(share * points * 2 + 1e-9) / 2.0;
}

/* The lab's speed is that of its worst case. */
static void note_speed(struct verdict *verdict,
                       const struct judgement *judgement)
{
    if (!judgement->timed || (verdict->timed && verdict->eta <= judgement->eta))
        return;
    verdict->timed = true;
    verdict->eta = judgement->eta;
    verdict->speedup = judgement->speedup;
    verdict->bound_speedup = judgement->bound_speedup;
    verdict->needed_speedup = judgement->needed_speedup;
}

static void add_case(struct verdict *verdict, const struct evidence *ev,
                     size_t i)
{
    const struct lab_case *rules = &ev->lab->cases[i];
    struct check *check = verdict_add(verdict, rules->points, rules->name);
    const struct case_result *result;

    if (verdict_skip_unbuilt(check, ev) || ev->cases == NULL)
        return;
    result = &ev->cases[i];
    text_printf(&check->seen, "%s", text_string(&result->judgement.seen));
    check->passed = result->judgement.passed;
    check->skipped = result->judgement.skipped;
    check->score = points_for(result->judgement.share, rules->points);
    check->finding = result->judgement.finding;
    if (!result->run.not_tried)
        add_place(&check->seen, &result->run);
    verdict_tell(check, ev, &result->run);
    note_speed(verdict, &result->judgement);
}

void verdict_add_cases(struct verdict *verdict, const struct evidence *ev)
{
    for (size_t i = 0; i < ev->lab->num_cases; i++)
        add_case(verdict, ev, i);
}
