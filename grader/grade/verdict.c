/* verdict.c: checks, points and words, made from the evidence */
#include "grade/verdict.h"

#include "judge/words.h"

#include <stdio.h>
#include <string.h>

struct check *verdict_add(struct verdict *verdict, int max_score,
                          const char *name)
{
    struct check *check = &verdict->checks[verdict->num_checks];

    if (verdict->num_checks < MAX_CHECKS - 1)
        verdict->num_checks++;
    memset(check, 0, sizeof *check);
    snprintf(check->name, sizeof check->name, "%s", name);
    check->max_score = max_score;
    check->finding = finding_none();
    return check;
}

static void pass(struct check *check)
{
    check->passed = true;
    check->score = check->max_score;
}

static void skip(struct check *check, const char *why)
{
    check->skipped = true;
    text_printf(&check->seen, "not tried: %s", why);
}

bool verdict_skip_unbuilt(struct check *check, const struct evidence *ev)
{
    if (ev->built == BUILD_OK)
        return false;
    skip(check, "it must compile first");
    return true;
}

void verdict_tell(struct check *check, const struct evidence *evidence,
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
    struct check *check =
        verdict_add(verdict, ev->lab->points_builds, "builds");

    if (ev->built == BUILD_OK) {
        pass(check);
        return;
    }
    text_printf(&check->seen, "it does not compile");
    check->finding = finding_removed_member(text_string(&ev->messages));
    if (check->finding.id == NULL)
        check->finding =
            finding_make("does-not-compile", NULL,
                         "The compiler refuses the file. Its first "
                         "message is the one to mend.");
    text_printf(&check->words, "%s", text_string(&ev->messages));
}

/* ---- right on every shape ------------------------------------------------ */

static const char *cell_words(enum cell cell)
{
    static const char *const words[] = {
        [CELL_RIGHT] = "right",
        [CELL_CIPHER] = "still encrypted",
        [CELL_UNTOUCHED] = "device memory that nothing was copied to",
        [CELL_UNTOUCHED_RUN] = "decrypted from memory nothing was copied to",
        [CELL_AGAIN] = "decrypted more than once",
        [CELL_ROUNDS] = "decrypted with another number of rounds",
        [CELL_MOVED] = "another entry's value",
        [CELL_MOVED_CIPHER] = "another entry, still encrypted",
        [CELL_UNKNOWN] = "wrong",
        [CELL_KINDS] = "-",
    };

    return words[cell];
}

static void describe_shape(struct text *seen, uint64_t entries,
                           uint64_t streams, unsigned gpus)
{
    text_printf(seen, "%llu %s, %llu %s", (unsigned long long)entries,
                entries == 1 ? "entry" : "entries", (unsigned long long)streams,
                streams == 1 ? "stream" : "streams");
    if (gpus > 0)
        text_printf(seen, " on each of %u GPUs", gpus);
}

static void describe_cells(struct text *seen, const struct cells *cells,
                           const struct lab_shape *shape)
{
    const unsigned long long first = cells->first_wrong;

    text_printf(seen, "%llu of %llu entries wrong;",
                (unsigned long long)cells->wrong,
                (unsigned long long)shape->entries);
    if (cells->around[0] != CELL_KINDS)
        text_printf(seen, " entry %llu is %s,", first - 1,
                    cell_words(cells->around[0]));
    text_printf(seen, " entry %llu is %s", first, cell_words(cells->around[1]));
    if (cells->around[2] != CELL_KINDS)
        text_printf(seen, ", entry %llu is %s", first + 1,
                    cell_words(cells->around[2]));
}

/* Right entries, and nothing else harmed. Return: passed. */
static bool describe_run(struct text *seen, const struct run_result *run,
                         const struct lab_shape *shape)
{
    if (!run->ran) {
        text_printf(seen, "%s", text_string(&run->ended));
        return false;
    }
    if (!run->right) {
        describe_cells(seen, &run->host, shape);
        return false;
    }
    if (run->overrun.any) {
        text_printf(seen, "the entries are right, but memory behind the end "
                          "of the data was touched");
        return false;
    }
    return true;
}

/* What shape 0 shows: a function that does nothing is right for no entries. */
static bool basics_right(const struct evidence *ev)
{
    return ev->shapes[0].ran && ev->shapes[0].right && !ev->off_device;
}

static void check_shape(struct verdict *verdict, const struct evidence *ev,
                        size_t i)
{
    const struct lab_shape *shape = &ev->lab->shapes[i];
    struct check *check;
    char name[64];

    snprintf(name, sizeof name, "right: %s", shape->name);
    check = verdict_add(verdict, shape->points, name);
    if (verdict_skip_unbuilt(check, ev))
        return;
    if (i > 0 && shape->entries == 0 && !basics_right(ev)) {
        skip(check, "the divisible case must be right first");
        return;
    }
    if (ev->shapes[i].not_tried) {
        skip(check, "two shapes took too long before");
        return;
    }
    if (ev->off_device && ev->shapes[i].right) {
        text_printf(&check->seen, "right, but not by the device: its kernels "
                                  "did less than half of the work");
        check->finding = finding_make(
            "host-decrypt", NULL,
            "The entries are right, but they were not decrypted on the "
            "device: that is what the lab is about. Give every entry to the "
            "kernel, once, with all of its rounds.");
        return;
    }
    if (describe_run(&check->seen, &ev->shapes[i], shape)) {
        describe_shape(&check->seen, shape->entries, shape->streams,
                       ev->shapes[i].gpus);
        pass(check);
        return;
    }
    check->finding = finding_misbehaved(ev->shapes[i].end);
    if (check->finding.id == NULL)
        check->finding = ev->lab->explain_shape(ev, i);
}

static void check_large(struct verdict *verdict, const struct evidence *ev)
{
    const struct speed_result *speed = &ev->speed;
    const struct lab_shape shape = {.entries = speed->entries,
                                    .streams = speed->streams};
    struct check *check =
        verdict_add(verdict, ev->lab->points_large, "right: large");

    if (verdict_skip_unbuilt(check, ev))
        return;
    if (!speed->tried) {
        skip(check, "the divisible case must be right first");
    } else if (speed->ended.length > 0 && !speed->large.ran &&
               speed->large.ended.length == 0) {
        text_printf(&check->seen, "%s", text_string(&speed->ended));
    } else if (describe_run(&check->seen, &speed->large, &shape) &&
               speed->wrong == 0) {
        describe_shape(&check->seen, speed->entries, speed->streams,
                       ev->lab->virtual_gpus ? speed->gpus : 0);
        pass(check);
    } else if (speed->wrong > 0 && speed->large.right) {
        text_printf(&check->seen, "right at first, wrong when it was run "
                                  "again on other data");
        check->finding =
            finding_make("wrong-again", NULL,
                         "Each call must work on the data that it is given: "
                         "keep nothing from an earlier call.");
    }
}

/* ---- well ordered -------------------------------------------------------- */

static const struct order_result *worst_order(const struct evidence *ev)
{
    const struct order_result *worst = NULL;

    for (size_t i = 0; i < ev->lab->num_order_shapes; i++) {
        const struct order_result *one = &ev->order[i];

        if (one->checked.hazards + one->checked.faults > 0 || !one->run.ran)
            return one;
        if (!one->run.right && worst == NULL)
            worst = one;
    }
    return worst;
}

static void check_order(struct verdict *verdict, const struct evidence *ev)
{
    struct check *check =
        verdict_add(verdict, ev->lab->points_ordered, "well ordered");
    const struct order_result *worst = worst_order(ev);

    if (verdict_skip_unbuilt(check, ev))
        return;
    if (!ev->order_available) {
        /* Nobody loses points for what cannot be looked at here. */
        text_printf(&check->seen, "not checked: no virtual GPU here (run "
                                  "`make` first)");
        check->score = check->max_score;
        check->passed = true;
        return;
    }
    if (!ev->order_built) {
        text_printf(&check->seen, "it does not compile for the virtual GPU");
        return;
    }
    if (!basics_right(ev) && (worst == NULL || worst->checked.hazards == 0)) {
        skip(check, "the divisible case must be right first");
        return;
    }
    check->finding = finding_misbehaved(ev->order[0].run.end);
    if (check->finding.id == NULL)
        check->finding = ev->lab->explain_order(ev);
    if (worst && worst->checked.hazards > 0)
        text_printf(&check->seen, "%s",
                    text_string(&worst->checked.first_hazard));
    else if (worst && worst->checked.faults > 0)
        text_printf(&check->seen, "%s",
                    text_string(&worst->checked.first_fault));
    else if (worst && !worst->run.ran)
        text_printf(&check->seen, "%s", text_string(&worst->run.ended));
    else if (worst)
        describe_cells(&check->seen, &worst->run.host,
                       &ev->lab->shapes[worst->shape]);
    else if (check->finding.id == NULL)
        pass(check);
    if (check->passed)
        text_printf(&check->seen, "no hazard on the virtual GPU");
}

/* ---- fast ---------------------------------------------------------------- */

/* All points from the needed eta on; below, fewer in proportion. */
static double points_for_eta(double eta, double needed, int points)
{
    if (eta >= needed)
        return points;
    if (eta <= 0)
        return 0;
    return (int)(eta / needed * 0.8 * points * 2) / 2.0;
}

static void check_fast(struct verdict *verdict, const struct evidence *ev)
{
    const struct speed_result *speed = &ev->speed;
    const double needed = ev->lab->speed.eta_needed;
    struct check *check = verdict_add(verdict, ev->lab->points_fast, "fast");

    if (verdict_skip_unbuilt(check, ev))
        return;
    if (!speed->tried || (speed->tried && !speed->large.right) ||
        speed->wrong > 0) {
        skip(check, speed->tried ? "the large case must be right first"
                                 : "the divisible case must be right first");
        return;
    }
    if (!speed->measured) {
        text_printf(&check->seen, "%s", text_string(&speed->ended));
        return;
    }
    if (!speed->gradable) {
        pass(check);
        text_printf(&check->seen,
                    "not gradable for speed here: the limit is %.2fx",
                    speed->bound_speedup);
        return;
    }
    text_printf(&check->seen,
                "needs %.1fx, yours %.1fx, limit %.1fx (eta "
                "%.2f, needs %.2f)",
                speed->needed_speedup, speed->speedup, speed->bound_speedup,
                speed->eta, needed);
    check->finding = ev->lab->explain_speed(ev);
    if (speed->impossible) {
        text_printf(&check->seen, ": faster than this device can be");
        return;
    }
    if (speed->eta >= needed && check->finding.id == NULL) {
        pass(check);
        return;
    }
    if (speed->eta < needed)
        check->score = points_for_eta(speed->eta, needed, check->max_score);
}

/* ---- clean --------------------------------------------------------------- */

static const char *first_leftover(const struct evidence *ev, struct text *where)
{
    for (size_t i = 0; i < ev->lab->num_shapes; i++) {
        const struct run_result *run = &ev->shapes[i];

        if (run->ran && (run->running > 0 || run->pending[0] || run->late[0])) {
            text_printf(where, "%s", ev->lab->shapes[i].name);
            return run->running > 0  ? "work was still running when the "
                                       "function returned"
                   : run->pending[0] ? run->pending
                                     : run->late;
        }
    }
    if (ev->speed.large.ran && ev->speed.large.running > 0) {
        text_printf(where, "large");
        return "work was still running when the function returned";
    }
    return NULL;
}

static void check_clean(struct verdict *verdict, const struct evidence *ev)
{
    struct check *check = verdict_add(verdict, ev->lab->points_clean, "clean");
    struct text where = {0};
    const char *left = first_leftover(ev, &where);

    if (verdict_skip_unbuilt(check, ev))
        return;
    if (left) {
        text_printf(&check->seen, "left behind (%s): %s", text_string(&where),
                    left);
    } else if (!basics_right(ev)) {
        skip(check, "the divisible case must be right first");
    } else {
        for (size_t i = 0; i < ev->lab->num_order_shapes && !left; i++)
            if (ev->order[i].checked.warnings > 0)
                left = text_string(&ev->order[i].checked.first_warning);
        if (left)
            text_printf(&check->seen, "%s", left);
        else
            pass(check);
    }
    if (check->passed)
        text_printf(&check->seen, "no error left, no work left, no leak");
    else if (!check->skipped)
        check->finding = ev->lab->explain_clean(ev);
    text_free(&where);
}

/* ---- all of it ----------------------------------------------------------- */

static void check_arrays(struct verdict *verdict, const struct evidence *ev)
{
    for (size_t i = 0; i < ev->lab->num_shapes; i++)
        check_shape(verdict, ev, i);
    check_large(verdict, ev);
    check_order(verdict, ev);
    check_fast(verdict, ev);
    check_clean(verdict, ev);
    if (!ev->speed.measured)
        return;
    verdict->timed = true;
    verdict->eta = ev->speed.eta;
    verdict->speedup = ev->speed.speedup;
    verdict->bound_speedup = ev->speed.bound_speedup;
    verdict->needed_speedup = ev->speed.needed_speedup;
}

void verdict_make(struct verdict *verdict, const struct evidence *ev,
                  const char *file)
{
    memset(verdict, 0, sizeof *verdict);
    verdict->lab = ev->lab;
    verdict->backend = ev->backend;
    verdict->file = file;
    memcpy(verdict->device, ev->device, sizeof verdict->device);
    check_builds(verdict, ev);
    verdict_add_cases(verdict, ev);
    if (ev->lab->num_shapes > 0)
        check_arrays(verdict, ev);
    verdict->passed = true;
    for (int i = 0; i < verdict->num_checks; i++) {
        if (verdict->checks[i].mistake[0] == '\0')
            verdict_tell(&verdict->checks[i], ev, NULL);
        verdict->passed &= verdict->checks[i].passed;
        verdict->score += verdict->checks[i].score;
        verdict->max_score += verdict->checks[i].max_score;
    }
}

void verdict_free(struct verdict *verdict)
{
    for (int i = 0; i < verdict->num_checks; i++) {
        text_free(&verdict->checks[i].seen);
        text_free(&verdict->checks[i].words);
        text_free(&verdict->checks[i].sentence);
        text_free(&verdict->checks[i].read);
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
