/* judge.c: what most judges of cases say */
#include "judge/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(struct judgement *judgement, const char *format, va_list args)
{
    char words[1000];

    vsnprintf(words, sizeof words, format, args);
    text_clear(&judgement->seen);
    text_printf(&judgement->seen, "%s", words);
}

void judge_pass(struct judgement *judgement, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(judgement, format, args);
    va_end(args);
    judgement->passed = true;
    judgement->share = 1;
    judgement->finding = finding_none();
}

void judge_fail(struct judgement *judgement, struct finding finding,
                const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(judgement, format, args);
    va_end(args);
    judgement->passed = false;
    judgement->share = 0;
    judgement->finding = finding;
}

void judge_partial(struct judgement *judgement, double share,
                   struct finding finding, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(judgement, format, args);
    va_end(args);
    judgement->passed = false;
    judgement->share = share < 0 ? 0 : share > 1 ? 1 : share;
    judgement->finding = finding;
}

/* ---- questions ----------------------------------------------------------- */

bool judge_right(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const other = run->virtual_run;
    struct text words = {0};

    if (run->wrong_rounds == 0 &&
        (!other || !other->ran || other == run || other->wrong_rounds == 0))
        return true;
    if (run->wrong_rounds == 0) {
        text_printf(&words, "on the virtual GPU: ");
        run = other;
    }
    difference_describe(&words, &run->difference);
    judge_fail(judgement, finding_none(), "%s", text_string(&words));
    text_free(&words);
    return false;
}

bool judge_order(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const checked = run->virtual_run;

    if (checked == NULL)
        return true;
    if (checked->checked.hazards > 0)
        judge_fail(judgement, finding_none(), "%s",
                   text_string(&checked->checked.first_hazard));
    else if (checked->checked.faults > 0)
        judge_fail(judgement, finding_none(), "%s",
                   text_string(&checked->checked.first_fault));
    else if (!checked->ran)
        judge_fail(judgement, finding_none(), "on the virtual GPU: %s",
                   text_string(&checked->ended));
    else
        return true;
    return false;
}

bool judge_clean(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const checked = run->virtual_run;

    if (run->pending[0] || run->late[0])
        judge_fail(judgement,
                   finding_make("cuda-error", NULL,
                                "A CUDA call failed with %s and nobody "
                                "looked: wrap every call in CHECK.",
                                run->pending[0] ? run->pending : run->late),
                   "left behind: %s",
                   run->pending[0] ? run->pending : run->late);
    else if (checked && checked->checked.warnings > 0)
        judge_fail(judgement, finding_leak(run), "%s",
                   text_string(&checked->checked.first_warning));
    else
        return true;
    return false;
}

bool judge_host_free(const struct case_run *run, struct judgement *judgement,
                     double busy_ns, double total_ns, double needed)
{
    const double free_part = total_ns > 0 ? 1 - busy_ns / total_ns : 0;

    if (free_part >= needed)
        return true;
    judgement->borderline =
        run->backend == BACKEND_CUDA && free_part > needed / 2;
    judge_fail(judgement, finding_none(),
               "the host was free for %.0f %% of the time, needs %.0f %%",
               free_part > 0 ? 100 * free_part : 0, 100 * needed);
    return false;
}

bool judge_near(const struct case_run *run, struct judgement *judgement,
                double ns, double best_ns, double slack)
{
    const double limit_ns = best_ns * (1 + slack);

    if (ns > 0 && ns <= limit_ns)
        return true;
    judgement->borderline = run->backend == BACKEND_CUDA && ns < limit_ns * 1.5;
    judge_fail(judgement, finding_none(),
               "%.3f ms, the best known is %.3f ms: %.0f %% slower, %.0f %% "
               "is allowed",
               ns / 1e6, best_ns / 1e6,
               best_ns > 0 ? 100 * (ns / best_ns - 1) : 0, 100 * slack);
    return false;
}

/* ---- speed --------------------------------------------------------------- */

/* Below the needed eta, fewer points in proportion. */
static double share_for_eta(double eta, double needed)
{
    return eta <= 0 ? 0 : eta / needed * 0.8;
}

static void note_times(struct judgement *judgement,
                       const struct judge_speed *times, double needed_ns)
{
    const double serial = times->serial_ns;

    judgement->timed = true;
    judgement->eta = (serial - times->student_ns) / (serial - times->bound_ns);
    judgement->speedup = serial / times->student_ns;
    judgement->bound_speedup = serial / times->bound_ns;
    judgement->needed_speedup = serial / needed_ns;
}

bool judge_speed(const struct case_run *run, struct judgement *judgement,
                 const struct judge_speed *times)
{
    const double serial = times->serial_ns, needed = times->eta_needed;
    const double needed_ns = serial - needed * (serial - times->bound_ns);
    struct text words = {0};
    const bool impossible = times->student_ns < 0.95 * times->least_ns;

    if (serial <= 0 || times->student_ns <= 0 || times->bound_ns <= 0) {
        judge_fail(judgement, finding_none(), "no time was measured");
        return false;
    }
    if (serial < 1.15 * times->bound_ns) {
        judge_pass(judgement, "not gradable for speed here: the limit is %.2fx",
                   serial / times->bound_ns);
        return true;
    }
    note_times(judgement, times, needed_ns);
    judgement->borderline =
        run->backend == BACKEND_CUDA &&
        speed_is_doubtful(judgement->eta, needed, impossible);
    text_printf(&words,
                "needs %.1fx, yours %.1fx, limit %.1fx (eta %.2f, needs %.2f)",
                judgement->needed_speedup, judgement->speedup,
                judgement->bound_speedup, judgement->eta, needed);
    if (impossible)
        judge_fail(judgement,
                   finding_make("impossible-time", NULL,
                                "This is faster than the device can be: the "
                                "time cannot be right."),
                   "%s: faster than this device can be", text_string(&words));
    else if (judgement->eta >= needed)
        judge_pass(judgement, "%s", text_string(&words));
    else
        judge_partial(judgement, share_for_eta(judgement->eta, needed),
                      finding_none(), "%s", text_string(&words));
    text_free(&words);
    return judgement->passed;
}

/* ---- findings ------------------------------------------------------------ */

struct finding finding_open_todo(const struct evidence *evidence)
{
    if (evidence->first_todo > 0)
        return finding_make("open-todo", "What to do",
                            "TODO %d is the first that is still open.",
                            evidence->first_todo);
    return finding_none();
}

struct finding finding_leak(const struct case_run *run)
{
    const struct case_run *const checked = run->virtual_run;
    const char *const seen =
        checked ? text_string(&checked->checked.first_warning) : "";

    if (strstr(seen, "destroyed") || strstr(seen, "freed") ||
        strstr(seen, "unregistered"))
        return finding_make("leak", NULL,
                            "Something that the function makes is not given "
                            "back: destroy every stream and event, free "
                            "every memory that it made.");
    return finding_none();
}

struct finding finding_end(const struct case_run *run)
{
    const struct api_error *const error = &run->error;

    if (error->at[0] != '\0')
        return finding_make("cuda-error", NULL,
                            "%s returned %s at %s, and CHECK ended the "
                            "program.",
                            error->call, error->name, error->at);
    switch (run->end) {
    case CHILD_TIMEOUT:
        return finding_make("hang", NULL,
                            "The function does not return: look for a loop "
                            "whose condition never becomes false.");
    case CHILD_MEMORY:
        return finding_make("too-much-memory", NULL,
                            "The program takes more and more memory: free "
                            "what it no longer needs.");
    case CHILD_FLOOD:
        return finding_make("output-flood", NULL,
                            "The program prints without end. Take the "
                            "printing out of the loop.");
    case CHILD_EXITED:
        if (run->late[0] != '\0')
            return finding_none();
        return finding_make("early-exit", NULL,
                            "The program ended itself with status %d before "
                            "the function returned. Return to the caller "
                            "instead of calling exit.",
                            run->code);
    case CHILD_SIGNALLED:
        return finding_make("crash", NULL,
                            "The host code crashed: look at every index and "
                            "pointer that it uses.");
    default:
        return finding_none();
    }
}
