/* judge.c: what most judges of cases say */
#include "judge/judge.h"

#include "case/query.h"
#include "judge/causes.h"
#include "judge/words.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The last word counts, those before are gone. Takes @seen over. */
static void settle(struct judgement *judgement, bool passed,
                   struct finding finding, struct out seen)
{
    tl_out_free(&judgement->seen);
    judgement->seen = seen;
    judgement->passed = passed;
    judgement->share = passed;
    judgement->finding = finding;
}

void judge_say(struct judgement *judgement, bool passed, struct finding finding,
               const char *format, ...)
{
    struct out seen = {0};
    va_list args;

    va_start(args, format);
    text_vprintf(&seen, format, args);
    va_end(args);
    settle(judgement, passed, finding, seen);
}

bool judge_words(const struct case_run *run, struct judgement *judgement,
                 bool passed, struct finding finding, const char *words)
{
    struct out seen = {0};

    words_fill(&seen, words, finding.values, run);
    settle(judgement, passed, finding, seen);
    return passed;
}

/* ---- questions ----------------------------------------------------------- */

bool judge_right(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const other = run->virtual_run;
    struct out words = {0};

    if (run->wrong_rounds == 0 &&
        (!other || !other->ran || other == run || other->wrong_rounds == 0))
        return true;
    if (run->wrong_rounds == 0) {
        text_printf(&words, "on the virtual GPU: ");
        run = other;
    }
    difference_describe(&words, &run->difference);
    settle(judgement, false, finding_none(), words);
    return false;
}

bool judge_order(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const other = run->virtual_run;
    const struct checked *const seen = other ? &other->checked : NULL;
    const bool unordered = seen && seen->hazards > 0;

    if (!seen || (other->ran && seen->hazards + seen->faults == 0))
        return true;
    if (unordered || seen->faults > 0)
        judge_fail(
            judgement, finding_none(), "%s",
            text_string(unordered ? &seen->first_hazard : &seen->first_fault));
    else
        judge_fail(judgement, finding_none(), "on the virtual GPU: %s",
                   text_string(&other->ended));
    return false;
}

/* Most other warnings say all that is known. */
struct finding finding_warned(const struct checked *seen)
{
    return mistake_first((struct sign[]){
        {seen->warned & REPORTED(copy_direction), "copy-direction"},
        {seen->warned & REPORTED(copy_device), "copy-devices"},
        {seen->warned & (REPORTED(freed_at_work) | REPORTED(destroyed_at_work)),
         "freed-at-work"},
        {seen->warned & REPORTED(foreign_stream), "stream-of-another-gpu"},
        {seen->warned & REPORTED_LEFT, "leak"}});
}

static void judge_left(const struct checked *seen, struct judgement *judgement,
                       const char *left)
{
    const struct finding found = cause_of_error(seen, left);

    judge_fail(judgement, found, "left behind: %s", left);
}

bool judge_clean(const struct case_run *run, struct judgement *judgement)
{
    const struct checked *const seen = case_checked(run);
    const char *const left = run->pending[0] ? run->pending : run->late;

    if (left[0])
        judge_left(seen, judgement, left);
    else if (seen->warnings > 0)
        judge_fail(judgement, finding_warned(seen), "%s",
                   text_string(&seen->first_warning));
    else
        return true;
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

/* "a_ns+b_ns" or "a_ns|b_ns": see struct lab_times. */
static double time_of(const struct case_run *run, const char *facts)
{
    double time_ns = 0;

    for (char sign = '+'; facts && *facts;) {
        const size_t length = strcspn(facts, "+|");
        char name[40];
        double ns;

        snprintf(name, sizeof name, "%.*s", (int)length, facts);
        ns = (double)case_fact(run, name);
        time_ns = sign == '+' ? time_ns + ns : ns > time_ns ? ns : time_ns;
        sign = facts[length];
        facts += length + (sign != '\0');
    }
    return time_ns;
}

double judge_limit_ns(double bound_ns, double ns)
{
    return ns > 0 && ns < bound_ns ? ns : bound_ns;
}

/* Too slow: which line that is, and what it costs. */
static void add_order(const struct case_run *run, struct out *words)
{
    const struct trace_order *const order = cause_worst_order(run);

    if (order)
        text_printf(words, "; under the checker, %s: %s",
                    query_place(order->at), order->text);
}

/* Where the driver's own version takes longer than that, the device is why. */
static bool is_no_gain(const struct case_run *run, struct judgement *judgement,
                       double ns)
{
    return (double)case_fact(run, "shown_ns") > ns &&
           judge_yes(run, judgement,
                     "not gradable for speed here: on this device the grader's "
                     "own version gains nothing, either");
}

/* 1.15: below that, what separates good from bad is within what two runs of
 * one program differ by. Who is beyond the limit did less than was asked while
 * the clock ran. Virtual time is exact; on a real GPU, whose limit is measured,
 * right programs took 0.88 of it. */
bool judge_speed(const struct case_run *run, struct judgement *judgement,
                 const struct lab_times *times)
{
    const double serial = time_of(run, times->serial);
    const double student = time_of(run, times->student);
    const double bound = time_of(run, times->bound);
    const bool real = run->backend == BACKEND_CUDA;
    const double needed = real && times->eta_needed_cuda > 0
                              ? times->eta_needed_cuda
                              : times->eta_needed;
    const bool beyond =
        student < (real ? 0.75 : 0.97) *
                      time_of(run, times->least ? times->least : times->bound);
    struct speed *const speed = &judgement->speed;
    struct out words = {0};

    if (serial <= 0 || student <= 0 || bound <= 0) {
        judge_fail(judgement, finding_none(), "no time was measured");
        return false;
    }
    if (is_no_gain(run, judgement, serial - needed / 2 * (serial - bound)))
        return true;
    if (serial < 1.15 * bound) {
        judge_pass(judgement, "not gradable for speed here: the limit is %.2fx",
                   serial / bound);
        judgement->borderline = real; /* a busy host may be why */
        return true;
    }
    *speed = (struct speed){
        .known = !beyond,
        .eta = (serial - student) / (serial - bound),
        .yours = serial / student,
        .bound = serial / judge_limit_ns(bound, student),
        .needed = serial / (serial - needed * (serial - bound)),
    };
    /* It decides by little, cannot be, or is too low though the work does
     * overlap: other work on the machine makes all of a few runs slow. */
    judgement->borderline =
        real && (beyond || (speed->eta > 0.1 && speed->eta < needed + 0.06));
    if (beyond)
        text_printf(&words,
                    "timed at %.1fx: faster than this can be done here, where "
                    "%.1fx is the limit",
                    speed->yours, serial / bound);
    else
        text_printf(
            &words,
            "needs %.1fx, yours %.1fx, limit %.1fx (eta %.2f, needs %.2f)",
            speed->needed, speed->yours, speed->bound, speed->eta, needed);
    if (!beyond && speed->eta < needed)
        add_order(run, &words);
    settle(judgement, !beyond && speed->eta >= needed,
           beyond ? mistake("faster-than-limit") : finding_none(), words);
    /* Below the needed eta, fewer points in proportion. */
    if (!beyond && !judgement->passed && speed->eta > 0)
        judgement->share = speed->eta / needed * 0.8;
    return judgement->passed;
}

/* ---- what a row of the table asks ---------------------------------------- */

/* On a real GPU, what the run under the checker shows too is explained from
 * that one: its trace and its buffers belong together, and so does the number
 * of its GPUs. What is wrong here, and right but not ordered there, is so by
 * that. */
static const struct case_run *explained_by(const struct case_run *run,
                                           enum ask *failed)
{
    const struct case_run *const other = run->virtual_run;
    const bool wrong =
        other && (other->ran ? other->wrong_rounds > 0
                             : other->end != CHILD_TIMEOUT); /* it is slow */

    if (!other || (*failed != ASK_RIGHT && *failed != ASK_ORDER))
        return run;
    if (*failed == ASK_RIGHT && !wrong && other->checked.hazards > 0)
        *failed = ASK_ORDER;
    return *failed == ASK_ORDER || wrong ? other : run;
}

/* The mistake behind a question that failed, if the rules know it. Wrong, and a
 * copy goes another way than it says: that is the reason of the rest. */
static void explain(const struct lab_case *row, const struct case_run *own,
                    struct judgement *judgement, enum ask failed)
{
    const struct case_run *const run = explained_by(own, &failed);
    const struct checked *const seen = case_checked(run);
    const struct finding threads = failed == ASK_RIGHT || failed == ASK_ORDER
                                       ? cause_of_threads(run)
                                       : finding_none();
    /* An error that nobody took is that of a call which did nothing. */
    const bool pending = failed != ASK_CLEAN && run->ran && run->pending[0];
    struct finding finding =
        threads.id ? threads
        : pending  ? cause_of_pending(run)
        : failed == ASK_RIGHT && seen->warned & REPORTED(copy_direction)
            ? mistake_with("copy-arguments", "warning=%s",
                           text_string(&seen->first_warning))
        : !run->ran    ? finding_ended(run)
        : row->explain ? row->explain(run, failed)
                       : mistake(row->mistake);

    if (failed == ASK_SPEED)
        finding = cause_of_order(run, finding);
    if (!finding.id && failed == ASK_ORDER)
        finding = cause_of_making(run);
    if (run != own)
        judgement->of = run;
    if (finding.id)
        judgement->finding = finding;
}

bool judge_fast(const struct case_run *run, struct judgement *judgement)
{
    return judge_speed(run, judgement, &run->rules->speed);
}

/* Those whose mistake the row explains. */
static enum ask ask_of(lab_question *question)
{
    return question == judge_right   ? ASK_RIGHT
           : question == judge_order ? ASK_ORDER
           : question == judge_clean ? ASK_CLEAN
           : question == judge_fast  ? ASK_SPEED
                                     : ASK_NONE;
}

/* Right in the end, and was not yet when the function returned. */
static bool judge_stale(const struct case_run *run, struct judgement *judgement)
{
    return case_fact(run, "stale") <= 0 ||
           judge_no(run, judgement, mistake("no-final-sync/large"),
                    "of the entries that were looked at when the function "
                    "returned, {stale} were still as before");
}

/* Where there is a trace, judge_work() knows better. */
static bool judge_used(const struct case_run *run, struct judgement *judgement)
{
    return run->traced ||
           2 * case_fact(run, "untouched") <= case_fact(run, "places") ||
           judge_no(run, judgement, mistake("zero-copy/untouched"),
                    "of {places} places that were looked at in the GPU's "
                    "memory, {untouched} were not used while the clock ran");
}

/* The speed, of @row's times. */
static bool ask_speed(const struct lab_case *row, const struct case_run *run,
                      struct judgement *judgement)
{
    /* A time that cannot be has its words already. */
    if (!judge_speed(run, judgement, &row->speed) &&
        judgement->finding.id == NULL)
        explain(row, run, judgement, ASK_SPEED);
    else if (judgement->passed && row->passed)
        words_fill(&judgement->seen, row->passed, NULL, run);
    return judgement->passed;
}

/* One question, and the mistake behind it. A row that is made for more GPUs
 * than a machine may have asks the lab's own of the run under the checker, too:
 * that one has them. */
static bool ask_one(const struct lab_case *row, lab_question *question,
                    const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const other = run->virtual_run;
    const enum ask ask = ask_of(question);

    if (ask == ASK_SPEED)
        return judge_used(run, judgement) && ask_speed(row, run, judgement);
    if (!question(run, judgement)) {
        if (ask != ASK_NONE)
            explain(row, run, judgement, ask);
        return false;
    }
    if (ask != ASK_NONE || row->gpus_needed == 0 || !other || other == run ||
        !other->ran || question(other, judgement))
        return true;
    judgement->of = other;
    return false;
}

/* Is whether the work was right, ordered or clean still to be asked? */
static bool is_work_asked(lab_question *const *asks)
{
    while (*asks && (ask_of(*asks) == ASK_NONE || *asks == judge_fast))
        asks++;
    return *asks;
}

/* What @row asks, asked of a run: its own, or that of another case. */
static bool ask_row(const struct lab_case *row, const struct case_run *run,
                    struct judgement *judgement)
{
    lab_question *const *asks = row->asks ? row->asks : LAB_ASKS(JUDGE_ALL);
    bool well = true, last = row->speed.eta_needed > 0;

    tl_out_free(&judgement->seen);
    for (; well && is_work_asked(asks); asks++)
        well = ask_one(row, *asks, run, judgement);
    well = well && judge_stale(run, judgement);
    for (; well && *asks; asks++) {
        last = last && *asks != judge_fast;
        well = ask_one(row, *asks, run, judgement);
    }
    if (well)
        well = last ? ask_one(row, judge_fast, run, judgement)
                    : judge_used(run, judgement);
    if (well && judgement->seen.length == 0)
        judge_yes(run, judgement, row->passed ? row->passed : "right");
    return well;
}

void judge_row(const struct case_run *run, struct judgement *judgement)
{
    const char *const *of = run->rules->of;
    bool well = of || ask_row(run->rules, run, judgement);

    for (; well && of && *of; of++) {
        const struct case_run *const other = case_other(run, *of);

        if (other && other->ran) {
            judgement->of = other;
            well = ask_row(run->rules, other, judgement);
        }
    }
}

/* ---- findings ------------------------------------------------------------ */

/* Who has the host decrypt, with kernels for show, gets nothing for it; nor who
 * has kernels reach for the host's memory. Half of the work is enough, since
 * kernels of one's own need fewer operations. What is copied needs as many
 * bytes by any program: of the entries that are not, the kernels' work tells
 * whether they reached them in another way. */
struct finding finding_device(const struct case_run *run, uint64_t work,
                              bool copied)
{
    const uint64_t bytes = case_param(run, "entries") * sizeof(uint64_t);
    const struct trace *const trace = &run->trace;

    if (!run->traced || run->backend != BACKEND_VGPU)
        return finding_none();
    if (query_work(trace, QUERY_KERNELS) < WORK_LEAST_OPS * work)
        return mistake_with("host-decrypt",
                            "did=the kernels did less than half of the work");
    /* Managed memory counts as the device's. */
    if (copied &&
        query_bytes(trace, QUERY_COPIES | QUERY_KIND(TRACE_KIND_D2D)) <
            2 * bytes / 10 * 9)
        return mistake_with(query_work(trace, QUERY_KERNELS) <
                                    2 * WORK_LEAST_OPS * work / 10 * 9
                                ? "host-decrypt/part"
                                : "zero-copy",
                            "did=not all entries were copied there and back");
    return finding_none();
}

struct finding finding_todo_or(const struct case_run *run,
                               struct finding finding)
{
    return run->evidence->first_todo > 0 ? mistake("open-todo") : finding;
}

bool finding_is_undone(const struct case_run *run,
                       const struct finding *finding)
{
    const struct undone *undone = run->evidence->lab->undone;

    for (; undone && undone->mistake; undone++)
        if (finding_is(finding, undone->mistake) &&
            (run->evidence->todos & undone->todos) != 0)
            return true;
    return false;
}

/* Code that ends itself says what is wrong with it by the signal, by what it
 * printed last, and by what the virtual GPU saw. */
static struct finding finding_crash(const struct case_run *run)
{
    const char *const said = text_string(&run->ended);
    const bool aborted = run->code == SIGABRT;
    const struct sign signs[] = {
        {run->code == SIGFPE, "crash/division"},
        {run->code == SIGXFSZ, "crash/file"},
        {case_reported(run, REPORTED(crash_stack)), "crash/stack"},
        {strstr(said, "terminate called without"), "crash/thread"},
        {strstr(said, "terminate called"), "crash/exception"},
        {aborted && (strstr(said, "free") || strstr(said, "chunk()") ||
                     strstr(said, "corrupt") || strstr(said, "alloc()")),
         "crash/heap"},
        {aborted, "crash/abort"},
        {run->code == SIGSEGV || run->code == SIGBUS, "crash/memory"},
        {true, "crash/signal"},
    };

    return mistake_first(signs);
}

bool finding_is_memory(const struct case_run *run)
{
    const char *const name =
        run->end == CHILD_SIGNALLED ? finding_crash(run).id : "";

    return strcmp(name, "crash/memory") == 0 || strcmp(name, "crash/heap") == 0;
}

/* With a thousand times the data of what it needs, which returned. */
static bool is_larger(const struct case_run *run)
{
    const char *const needs = run->rules->needs;
    const struct case_run *const small = needs ? case_other(run, needs) : NULL;

    return small && small->ran &&
           case_param(run, "entries") > 1000 * case_param(small, "entries");
}

/* What an error that CHECK ended on means, where its causes are few. */
struct finding finding_end(const struct case_run *run)
{
    const char *const invalid = "InvalidValue";
    const struct sign signs[] = {
        {run->error.shown[0] && !case_failed(run, "*LastError*", NULL),
         "earlier-error"},
        {case_failed(run, NULL, "NotReady"), "not-ready"},
        {case_failed(run, "cudaEventElapsedTime*", NULL), "event-not-recorded"},
        {case_failed(run, NULL, "InvalidResourceHandle"), "cuda-error/handle"},
        {case_failed(run, "cudaMemcpy*", invalid), "cuda-error/copy"},
        {case_failed(run, NULL, "IllegalAddress"), "cuda-error/kernel"},
        {case_failed(run, "cuda*LastError*", invalid),
         run->error.why[0] ? "cuda-error/launch-because" : "cuda-error/launch"},
        {case_failed(run, "cuda*Free*", invalid), "free-mismatch/call"},
        {case_failed(run, "cuda*Destroy*", invalid), "cuda-error/gone"},
        {case_failed(run, "cudaGraph*", invalid), "cuda-error/gone"},
        {run->error.at[0] != '\0', "cuda-error"},
        {run->end == CHILD_TIMEOUT, run->code        ? "hang/asleep"
                                    : is_larger(run) ? "hang/large"
                                                     : "hang"},
        {run->end == CHILD_EXITED, run->late[0] ? NULL : "early-exit"},
        {run->end == CHILD_MEMORY, "too-much-memory"},
        {run->end == CHILD_FLOOD, "output-flood"}};

    return run->end == CHILD_SIGNALLED && run->error.at[0] == '\0'
               ? finding_crash(run)
               : mistake_first(signs);
}

/* Any other error of that call stays, and somebody finds it. */
struct finding finding_untimed(const struct case_run *run)
{
    const char *line = NULL;
    OWNED_TEXT at = {0};

    while (run && (line = checked_find(case_checked(run), REPORTED(call_failed),
                                       "call", "EventElapsedTime", line)))
        if (report_holds(line, "error", "NotReady") &&
            !report_is_drivers(line, "at")) {
            report_take_place(&at, line, "at");
            return mistake_at("not-ready", text_string(&at));
        }
    return finding_none();
}

struct finding finding_ended(const struct case_run *run)
{
    const struct lab_rules *lab = run->evidence ? run->evidence->lab : NULL;
    struct finding finding = finding_misbehaved(run->end);

    if (run->lent_is_gone)
        finding = mistake("gives-back-what-is-lent");
    if (finding.id == NULL)
        finding = cause_of_thread_left(run);
    if (finding.id == NULL)
        finding = cause_of_unlooked(run);
    if (finding.id == NULL && lab->explain_end)
        finding = lab->explain_end(run);
    return finding.id ? finding : finding_end(run);
}
