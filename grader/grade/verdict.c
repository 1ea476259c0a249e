/* verdict.c: the cases, then checks, points and words, made of what they show
 */
#include "grade/grade.h"

#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "base/progress.h"
#include "judge/finding.h"

static struct check *add(struct verdict *verdict, int max_score,
                         const char *name)
{
    struct check *check = &verdict->checks[verdict->num_checks];

    if (verdict->num_checks < MAX_CHECKS - 1)
        verdict->num_checks++;
    memset(check, 0, sizeof *check);
    snprintf(check->name, sizeof check->name, "%s", name);
    check->max_score = max_score;
    return check;
}

/* Put the finding of a check that failed in words. @run: its case, or NULL. */
static void tell(struct check *check, const struct evidence *evidence,
                 const struct case_run *run)
{
    const char *const name = check->finding.id;

    if (check->passed || name == NULL)
        return;
    snprintf(check->mistake, sizeof check->mistake, "%.*s",
             (int)strcspn(name, "/"), name);
    words_find(evidence->words, &check->finding, run, &check->sentence,
               &check->read);
}

/* ---- builds -------------------------------------------------------------- */

static void check_builds(struct verdict *verdict, const struct evidence *ev)
{
    struct check *check = add(verdict, LAB_POINTS_BUILDS, "builds");

    if (ev->built == BUILD_OK) {
        check->passed = true;
        check->score = check->max_score;
        return;
    }
    text_printf(&check->seen, "it %s", build_words(ev->built));
    check->finding = finding_removed_member(text_string(&ev->messages));
    if (check->finding.id == NULL)
        check->finding = mistake_first((struct sign[]){
            {ev->built == BUILD_REFUSED, "does-not-compile/refused"},
            {ev->built == BUILD_UNLINKED, "does-not-compile/link"},
            {true, "does-not-compile"}});
    text_printf(&check->words, "%s", text_string(&ev->messages));
    tell(check, ev, NULL);
}

/* ---- cases --------------------------------------------------------------- */

/* Virtual devices without what was changed of them. */
static void add_models(struct out *seen, const char *profile)
{
    text_printf(seen, " (on %s ",
                strchr(profile, ',') ? "virtual GPUs" : "a virtual");
    while (*profile) {
        text_add(seen, profile, strcspn(profile, ":,"));
        profile += strcspn(profile, ",");
        text_printf(seen, "%s", *profile ? "," : "");
        profile += *profile == ',';
    }
    text_printf(seen, ")");
}

/* Where a case ran, if that is not where the lab runs. */
static void add_place(struct out *seen, const struct case_run *run)
{
    if (run->short_of_gpus)
        text_printf(seen, " (on %u virtual GPUs: this machine has too few)",
                    run->rules->gpus);
    else if (run->rules->profile ||
             (run->rules->profile_vgpu && run->profile &&
              strcmp(run->profile, run->evidence->job->virtual_device) != 0))
        add_models(seen, run->profile);
    else if (run->rules->gpus > 1 && run->backend == BACKEND_VGPU)
        text_printf(seen, " (on %u virtual GPUs)", run->rules->gpus);
}

/* Half points are the smallest. */
static double points_for(double share, int points)
{
    return (int)(share * points * 2 + 1e-9) / 2.0;
}

static void add_case(struct verdict *verdict, const struct evidence *ev,
                     size_t i)
{
    const struct lab_case *rules = &ev->lab->cases[i];
    struct check *check = add(verdict, rules->points, rules->name);
    const struct case_result *result;
    const struct speed *speed;

    if (ev->built != BUILD_OK) {
        check->skipped = true;
        text_printf(&check->seen, "not tried: it must compile first");
        return;
    }
    if (ev->cases == NULL)
        return;
    result = &ev->cases[i];
    text_printf(&check->seen, "%s", text_string(&result->judgement.seen));
    check->passed = result->judgement.passed;
    check->skipped = result->judgement.skipped;
    check->score = points_for(result->judgement.share, rules->points);
    check->finding = result->judgement.finding;
    if (!result->run.not_tried)
        add_place(&check->seen, &result->run);
    tell(check, ev, result->judgement.of ? result->judgement.of : &result->run);
    /* The lab's speed is that of its worst case: by what is shown of eta, or
     * the last digit of a clock would choose among equals. */
    speed = &result->judgement.speed;
    if (!(check->passed || check->skipped || speed->known || verdict->failed))
        verdict->failed = check;
    if (speed->known &&
        (!verdict->speed.known || speed->eta < verdict->speed.eta - 0.005))
        verdict->speed = *speed;
}

/* Nobody fails without a word. What is known of a check where no mistake is:
 * how it ended, which entries are wrong. */
static void tell_what_is_known(struct check *check, const struct evidence *ev,
                               const struct case_result *result)
{
    const struct case_run *const run =
        result->judgement.of ? result->judgement.of : &result->run;
    const struct difference *const found = &run->difference;

    check->finding = mistake_first(
        (struct sign[]){{!run->ran, "not-known/end"},
                        {found->wrong > 0, "not-known/entries"},
                        {case_checked(run)->hazards > 0, "not-known/order"},
                        {result->judgement.speed.known, "not-known/slow"},
                        {true, "not-known"}});
    check->finding = mistake_with(
        check->finding.id, "noun=%s\nfirst=%llu\nlast=%llu",
        found->noun ? found->noun : "element", (unsigned long long)found->first,
        (unsigned long long)found->last);
    tell(check, ev, run);
}

/* Another check failed: no time is compared, and so none here. */
static void take_time_back(struct check *check, const struct check *failed)
{
    tl_out_free(&check->seen);
    text_printf(&check->seen, "%s by itself; times count when \"%s\" is right",
                check->passed ? "fast enough" : "too slow", failed->name);
}

/* ---- all of it ----------------------------------------------------------- */

void verdict_make(struct verdict *verdict, const struct evidence *ev,
                  const char *file)
{
    memset(verdict, 0, sizeof *verdict);
    verdict->lab = ev->lab;
    verdict->backend = ev->backend;
    verdict->file = file;
    verdict->device = ev->device ? ev->device : "";
    check_builds(verdict, ev);
    for (size_t i = 0; i < ev->lab->num_cases; i++)
        add_case(verdict, ev, i);
    /* If it built: then check 1 is the first case's. */
    for (int i = 1; ev->cases && i < verdict->num_checks; i++) {
        struct check *const check = &verdict->checks[i];
        const struct case_result *const result = &ev->cases[i - 1];

        if (!check->passed && !check->skipped &&
            !verdict_first_finding(verdict))
            tell_what_is_known(check, ev, result);
        if (result->judgement.speed.known && verdict->failed)
            take_time_back(check, verdict->failed);
    }
    verdict->speed.known &= !verdict->failed;
    verdict->passed = true;
    for (int i = 0; i < verdict->num_checks; i++) {
        verdict->passed &= verdict->checks[i].passed;
        verdict->score += verdict->checks[i].score;
        verdict->max_score += verdict->checks[i].max_score;
    }
}

bool grade_file(struct workplace *place, struct verdict *verdict, char **cause)
{
    struct evidence *const evidence = &place->evidence;

    if (evidence->built == BUILD_OK) {
        progress("lab %s: every case", evidence->lab->name);
        grade_cases(evidence);
        progress_done();
    }
    if (child_interrupted())
        *cause = text_format("interrupted");
    else if (evidence->no_start.length > 0)
        *cause = text_format("could not be graded here: %s",
                             text_string(&evidence->no_start));
    if (*cause)
        return false;
    verdict_make(verdict, evidence, place->job.file);
    verdict->seconds = process_now_s() - place->start_s;
    return true;
}

void verdict_free(struct verdict *verdict)
{
    for (int i = 0; i < verdict->num_checks; i++) {
        tl_out_free(&verdict->checks[i].seen);
        tl_out_free(&verdict->checks[i].words);
        tl_out_free(&verdict->checks[i].sentence);
        tl_out_free(&verdict->checks[i].read);
    }
    verdict->num_checks = 0;
}

const struct check *verdict_first_finding(const struct verdict *verdict)
{
    for (int i = 0; i < verdict->num_checks; i++)
        if (verdict->checks[i].mistake[0] != '\0')
            return &verdict->checks[i];
    return NULL;
}
