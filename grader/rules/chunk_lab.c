/* chunk_lab.c: what labs 07 and 08 have in common, see chunk_lab.h */
#include "chunk_lab.h"

#include <stdlib.h>
#include <string.h>

#include "judge/causes.h"
#include "number.h"

/* ---- other cases --------------------------------------------------------- */

static const struct chunk_lab *lab_of(const struct case_run *run)
{
    return run->evidence->lab->own;
}

bool chunk_is_right(const struct case_run *run)
{
    return run->ran && run->wrong_rounds == 0;
}

const struct case_run *chunk_first(const struct case_run *run)
{
    return case_other(run, run->evidence->lab->cases[0].name);
}

/* Right, but not by the device, or not with what was copied to it. */
static struct finding find_off_device(const struct case_run *run)
{
    const struct case_run *const seen = run->virtual_run;

    if (!seen || !chunk_is_right(seen))
        return finding_none();
    if (query_first(&seen->trace, QUERY_KIND(TRACE_KIND_D2D)))
        return mistake_with("bad-host-memory",
                            "did=the copies are within the device");
    return finding_device(seen, case_cipher_work(seen), true);
}

/* The evidence as chunks.c looks at it; @trace is filled in for it. */
static struct chunks view(const struct case_run *run, struct trace_facts *trace)
{
    const struct case_run *const first = chunk_first(run);
    const struct case_run *seen = case_other(run, lab_of(run)->ordered[0]);

    if (case_trace(seen) == NULL)
        seen = first;
    trace_facts_take(trace, case_trace(seen) && seen->virtual_run->traced
                                ? case_trace(seen)
                                : NULL);
    return (struct chunks){.entries = case_param(first, "entries"),
                           .streams = case_param(first, "streams"),
                           .trace = trace,
                           .trace_entries = case_param(seen, "entries"),
                           .trace_streams = case_param(seen, "streams"),
                           .first_todo = run->evidence->first_todo};
}

/* ---- one size ------------------------------------------------------------ */

/* A small size: a large one has no room for it. */
static bool has_guard(const struct case_run *run)
{
    return case_param(run, "guard") > 0;
}

/* What is in both buffers and behind them. Return: false without memory. */
static bool look(const struct case_run *run, struct chunks_left *left)
{
    const uint64_t *const output = run->output;
    struct reference ref;
    OWNED uint64_t *const plain = cipher_reference(run, &ref);
    const uint64_t *const device = output + ref.entries + ref.guard;

    memset(left, 0, sizeof *left);
    left->running = case_fact(run, "running") > 0;
    left->pending = run->pending;
    left->seen = case_checked(run);
    if (plain == NULL)
        return false;
    if (!has_guard(run))
        ref.device = NULL;
    reference_compare(&ref, output, &left->host);
    if (has_guard(run) && run->late[0] == '\0') {
        reference_compare(&ref, device, &left->device);
        chunks_find_overrun(&ref, output + ref.entries, device + ref.entries,
                            &left->overrun);
    }
    return true;
}

static void compare(const struct case_run *run, struct difference *found)
{
    struct chunks_left left;
    const struct cells *const host = &left.host;

    found->noun = "entry";
    found->count = cipher_entries(run);
    if (!look(run, &left))
        return;
    found->wrong = host->wrong;
    found->first = host->first_wrong;
    found->last = host->last_wrong;
    for (int k = 0; k < 3; k++)
        found->around[k] = reference_cell_words(host->around[k]);
}

static uint64_t count_with_guard(const struct case_run *run)
{
    return 2 * case_param(run, "entries") + case_param(run, "guard");
}

static uint64_t count_large(const struct case_run *run)
{
    return case_param(run, "entries") * (run->backend == BACKEND_VGPU ? 4 : 1);
}

const struct case_data chunk_buffers = {
    .inputs = 2, .outputs = 2, .count = count_with_guard, .compare = compare};
const struct case_data chunk_large = {.count = count_large, .compare = compare};
const struct case_data chunk_timed = {.count = count_large,
                                      .compare = cipher_compare_large};

/* By the lab's own knowledge of sizes, or by what is wrong where all chunks
 * are of one size, or by what nobody waited for. */
static struct finding explain_right(const struct case_run *run,
                                    const struct chunks_left *left)
{
    const struct case_run *const first = chunk_first(run);
    struct chunks_left of_first = {0};
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    const struct finding found = lab_of(run)->explain_right(run, left);
    const bool seen = first->ran && look(first, &of_first);

    /* Where all chunks are of one size, none is a shorter one. */
    if (chunk_is_right(first) && of_first.overrun.kernel &&
        !of_first.overrun.copy_in)
        return mistake("kernel-too-long/beyond");
    if (found.id)
        return found;
    if (!chunk_is_right(first))
        return !seen && first->ran ? found
                                   : chunks_explain_wrong(&chunks, &of_first);
    return left->running ? chunks_explain_not_waited(&chunks)
                         : cipher_explain_narrow(run, ASK_RIGHT);
}

bool chunk_judge_right(const struct case_run *run, struct judgement *judgement)
{
    OWNED_TEXT words = {0};
    struct chunks_left left = {0};
    struct finding off = find_off_device(run);

    if (off.id == NULL)
        off = find_off_device(chunk_first(run));
    if (chunk_is_right(run) && off.id)
        return judge_no(run, judgement, off, "right, but {did}");
    /* Of a large run nothing is known but what is in the host's buffer. */
    if (has_guard(run))
        look(run, &left);
    if (!chunk_is_right(run))
        difference_describe(&words, &run->difference);
    else if (left.overrun.any)
        text_printf(&words, "the entries are right, but memory beyond the end "
                            "of the data was touched");
    if (words.length > 0)
        return judge_no(run, judgement,
                        has_guard(run) ? explain_right(run, &left)
                                       : cipher_explain_narrow(run, ASK_RIGHT),
                        text_string(&words));
    return judge_yes(run, judgement,
                     case_fact(run, "entries") == 1
                         ? "1 entry, {streams} stream{streams:s}"
                         : "{entries} entries, {streams} stream{streams:s}");
}

struct finding chunk_explain_end(const struct case_run *run)
{
    /* What a small size shows is known; a large one would only repeat it. */
    if (!has_guard(run) && !run->apart)
        return finding_none();
    return lab_of(run)->explain_end(run);
}

/* ---- well ordered -------------------------------------------------------- */

/* One of the two runs that the order is judged by, or NULL. */
static const struct case_run *checked_run(const struct case_run *run, int i)
{
    return case_other(run, lab_of(run)->ordered[i])->virtual_run;
}

/* The run under the checker that shows a mistake, or else the one that was
 * never had because the program died before; NULL where all is well. */
static const struct case_run *worst_order(const struct case_run *run)
{
    const struct case_run *worst = NULL;

    for (int i = 0; i < 2; i++) {
        const struct case_run *const seen = checked_run(run, i);

        if (seen == NULL)
            return case_other(run, lab_of(run)->ordered[i]);
        if (!seen->ran || seen->checked.hazards + seen->checked.faults > 0)
            return seen;
        if (!chunk_is_right(seen) && worst == NULL)
            worst = seen;
    }
    return worst;
}

/* The run whose mistake can be named: not always the worst. */
static const struct case_run *explained_run(const struct case_run *run)
{
    const struct case_run *const seen = checked_run(run, 0);

    return seen && seen->checked.hazards + seen->checked.faults == 0
               ? checked_run(run, 1)
               : seen;
}

static struct finding explain_order(const struct case_run *run,
                                    const struct case_run *seen)
{
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct finding found =
        seen ? finding_misbehaved(seen->end) : finding_none();

    if (seen == NULL || found.id)
        return found;
    /* An error that CHECK ended on is told before a hazard. */
    if (seen->error.at[0] == '\0')
        found = chunks_explain_order(&chunks, &seen->checked);
    return found.id || seen->ran ? found : lab_of(run)->explain_end(seen);
}

static void describe_order(struct out *words, const struct case_run *worst)
{
    if (worst->error.at[0] != '\0')
        text_printf(words, "%s", text_string(&worst->ended));
    else if (worst->checked.hazards > 0)
        text_printf(words, "%s", text_string(&worst->checked.first_hazard));
    else if (worst->checked.faults > 0)
        text_printf(words, "%s", text_string(&worst->checked.first_fault));
    else if (!worst->ran)
        text_printf(words, "%s", text_string(&worst->ended));
    else
        difference_describe(words, &worst->difference);
}

bool chunk_judge_ordered(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct evidence *const ev = run->evidence;
    const struct case_run *const worst = worst_order(run);
    OWNED_TEXT words = {0};

    if (!ev->order_available) {
        /* Nobody loses points for what cannot be looked at here. */
        judge_pass(judgement,
                   "not checked: no virtual GPU here (run `make` first)");
    } else if (!ev->order_built) {
        judge_fail(judgement, finding_none(),
                   "it does not compile for the virtual GPU");
    } else if (worst == NULL) {
        judge_pass(judgement, "no hazard on the virtual GPU");
    } else {
        describe_order(&words, worst);
        judgement->of = explained_run(run);
        judge_fail(judgement, explain_order(run, judgement->of), "%s",
                   text_string(&words));
    }
    return judgement->passed;
}

/* ---- fast ---------------------------------------------------------------- */

bool chunk_ask_again(const struct case_run *run, struct judgement *judgement)
{
    return run->wrong_rounds == 0 ||
           judge_no(run, judgement, mistake("wrong-again"),
                    "right at first, wrong when it was run again on other "
                    "data");
}

struct finding chunk_explain_fast(const struct case_run *run, enum ask failed)
{
    const struct chunk_lab *const lab = lab_of(run);
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);
    struct finding found = finding_none();

    if (failed == ASK_SPEED && lab->explain_fast)
        found = lab->explain_fast(run, &trace);
    return failed == ASK_SPEED && found.id == NULL
               ? chunks_explain_slow(&chunks)
               : found;
}

/* ---- clean --------------------------------------------------------------- */

/* The first size after which something was left, or NULL. Work that was not
 * waited for is counted once: where it is out of order, too, there. */
static const struct case_run *find_left(const struct case_run *run)
{
    const struct lab_rules *const lab = run->evidence->lab;
    const struct case_run *const worst = worst_order(run);
    const bool unordered = worst && worst->checked.hazards > 0;

    for (size_t i = 0; i < lab->num_cases; i++) {
        const struct case_run *const one = case_other(run, lab->cases[i].name);

        if (one && one->ran && one->data.compare == compare &&
            ((case_fact(one, "running") > 0 && !unordered) || one->pending[0] ||
             one->late[0]))
            return one;
    }
    return NULL;
}

/* What the checker says of the runs that the order is judged by; of one that
 * CHECK has ended, what is left says nothing. */
static const struct checked *seen_of(const struct case_run *run, int i)
{
    static const struct checked nothing;
    const struct case_run *const seen = checked_run(run, i);

    return seen && seen->ran ? &seen->checked : &nothing;
}

static const char *warning_of(const struct case_run *run, int i)
{
    return text_string(&seen_of(run, i)->first_warning);
}

static struct finding explain_clean(const struct case_run *run,
                                    const char *error)
{
    if (lab_of(run)->empty_left &&
        strcmp(error, "cudaErrorInvalidConfiguration") == 0)
        return mistake(lab_of(run)->empty_left);
    if (error[0] != '\0')
        return cause_of_error(seen_of(run, 0), error);
    return finding_warned(seen_of(run, 0));
}

/* Of all sizes, since each of them may leave something else. */
bool chunk_judge_clean(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const left = find_left(run);
    const char *const warning =
        *warning_of(run, 0) ? warning_of(run, 0) : warning_of(run, 1);
    const char *const size = left ? left->rules->name + strlen("right: ") : "";
    const char *const error = left == NULL       ? ""
                              : left->pending[0] ? left->pending
                                                 : left->late;
    struct trace_facts trace;
    const struct chunks chunks = view(run, &trace);

    if (left && case_fact(left, "running") > 0)
        judge_fail(judgement,
                   has_guard(left) ? chunks_explain_not_waited(&chunks)
                                   : mistake("no-final-sync/large"),
                   "left behind (%s): work was still running when the "
                   "function returned",
                   size);
    else if (left)
        judge_fail(judgement, explain_clean(run, error), "left behind (%s): %s",
                   size, error);
    else if (*warning)
        judge_no(run, judgement, explain_clean(run, ""), warning);
    else
        judge_pass(judgement, "no error left, no leak");
    return judgement->passed;
}

/* ---- what needs not be tried --------------------------------------------- */

const char *chunk_skip(const struct case_run *run)
{
    const struct case_run *const first = chunk_first(run);
    const struct case_run *const all = case_other(run, CHUNK_ALL);

    /* A mistake in the order, or something left, is told all the same. */
    if (case_is(run, CHUNK_ORDERED) &&
        (!run->evidence->order_built ||
         (worst_order(run) && worst_order(run)->checked.hazards > 0)))
        return NULL;
    if (case_is(run, CHUNK_CLEAN) && find_left(run))
        return NULL;
    if (!chunk_is_right(first) || find_off_device(first).id)
        return "the first case must be right first";
    if (case_is(run, CHUNK_FAST) && !chunk_is_right(all))
        return "the large case must be right first";
    return NULL;
}
