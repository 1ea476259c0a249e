/*
 * 15_pipe_results.c: lab 15, what the consumer got. Why it is wrong, and where
 * it is right, whether it came from the device and through the ring's memory.
 */
#include <stdlib.h>
#include <string.h>

#include "15_pipe.h"
#include "cipher_entry.h"

/* ---- data ---------------------------------------------------------------- */

void pipe_compare(const struct case_run *run, struct difference *found)
{
    const uint64_t n = run->input_bytes / sizeof(uint64_t);
    const uint64_t step =
        case_fact(run, "step") > 0 ? (uint64_t)case_fact(run, "step") : 1;
    const uint64_t iters = (uint64_t)case_fact(run, "iters");
    const uint64_t *const input = run->input;
    uint64_t *expected = calloc(n + 1, sizeof *expected);
    uint64_t *still = calloc(n + 1, sizeof *still);
    struct judge_arrays arrays = {JUDGE_U64, run->output,
                                  expected,  n / step + (n % step != 0),
                                  0,         {{"still encrypted", still}},
                                  "result"};

    if (expected && still) {
        for (uint64_t i = 0; i < arrays.count; i++)
            still[i] = input[i * step];
        reference_decrypt(expected, still, arrays.count, iters);
        difference_arrays(found, &arrays);
    }
    free(expected);
    free(still);
}

enum { STILL_ENCRYPTED, ZERO, MOVED, OTHER }; /* difference.kinds */

uint64_t pipe_entries(const struct case_run *run)
{
    return run->input_bytes / sizeof(uint64_t);
}

/* ---- wrong results ------------------------------------------------------- */

static struct finding explain_count(const struct case_run *run)
{
    const uint64_t n = pipe_entries(run), chunk = case_param(run, "chunk");
    const uint64_t taken = (uint64_t)case_fact(run, "taken_later");

    if (case_fact(run, "strange") > 0)
        return mistake("argument-gone");
    if (taken > n)
        return mistake_with("tail-delivered", "taken=%llu\nn=%llu",
                            (unsigned long long)taken, (unsigned long long)n);
    if (taken < n && taken == n / chunk * chunk)
        return mistake_with("tail-left-out", "taken=%llu\nn=%llu",
                            (unsigned long long)(n - taken),
                            (unsigned long long)n);
    return finding_none();
}

static struct finding explain_wrong(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const bool argument = pipe_is_argument_hazard(run);
    struct finding found = finding_none();

    if (case_fact(run, "calls_later") == 0 && pipe_entries(run) > 0)
        return mistake("nothing-delivered");
    if (!argument && (pipe_is_host_hazard(run, true) ||
                      case_fact(run, "calls") < case_fact(run, "calls_later")))
        return mistake("not-waited");
    if (trace)
        found = pipe_explain_streams(trace);
    if (!found.id)
        found = pipe_explain_hazard(run);
    if (!found.id)
        found = explain_count(run);
    if (found.id || run->wrong_rounds == 0)
        return found;
    if (run->difference.kinds[STILL_ENCRYPTED] == run->difference.count)
        return mistake("no-kernel");
    if (run->difference.kinds[MOVED] > 0)
        return mistake("out-of-order");
    return finding_none();
}

/* ---- right results ------------------------------------------------------- */

/* A warning that is not about a wait for an event without a record: here, a
 * slot that nobody has used yet is rightly free. */
static const char *find_warning(const struct case_run *run, const char *part)
{
    const char *line = NULL;

    if (!run->virtual_run)
        return NULL;
    while ((line = checked_find(&run->virtual_run->checked, "warning", "text",
                                part, line)) != NULL) {
        struct text words = {0};
        bool counts;

        report_take_field(&words, line, "text");
        counts = strstr(text_string(&words), "never recorded") == NULL;
        text_free(&words);
        if (counts)
            return line;
    }
    return NULL;
}

static bool judge_left(const struct case_run *run, struct judgement *judgement)
{
    const char *const call = find_warning(run, "cudaErrorNotPermitted");
    struct text place = {0};

    if (call) {
        report_take_place(&place, call, "at");
        judge_fail(judgement,
                   mistake_with("cuda-in-host-function/call", "place=%s",
                                text_string(&place)),
                   "%s: a CUDA call in a host function", text_string(&place));
        text_free(&place);
        return false;
    }
    if (run->pending[0] || run->late[0] || find_warning(run, ""))
        return judge_clean(run, judgement);
    return true;
}

/* Managed memory is not the device's alone, so it can be had although the
 * device is full. */
static bool judge_managed(const struct case_run *run,
                          struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const call =
        trace ? query_next_call(trace, "cudaMallocManaged", NULL) : NULL;

    if (!call)
        return true;
    judge_fail(judgement,
               mistake_with("beyond-the-ring/allocation", "at=%s",
                            query_place(call->at)),
               "right, but not in the ring's memory");
    return false;
}

/* How much of the host's pinned memory was used, as the consumer saw it. */
static bool judge_bounded(const struct case_run *run,
                          struct judgement *judgement)
{
    const int64_t places = case_fact(run, "places");
    const int64_t slots = (int64_t)case_param(run, "slots");

    if (places <= slots)
        return true;
    judge_fail(
        judgement,
        mistake_with("staging-unbounded", "than=%s\nplaces=%lld\nslots=%lld",
                     places >= 32 ? "more than " : "",
                     (long long)(places >= 32 ? 31 : places), (long long)slots),
        "right, but not in the ring's memory");
    return false;
}

/* The results are right, but was it the device that decrypted them? */
static bool judge_work(const struct case_run *run, struct judgement *judgement)
{
    const struct query kernels = {.kinds = PIPE_KERNEL};
    const struct case_run *const checked = run->virtual_run;
    const struct trace_op *op = NULL;
    double spent_ns = 0, expected_ns;

    if (!checked || pipe_entries(checked) < 2 * case_param(checked, "chunk"))
        return true;
    expected_ns =
        (double)case_fact(checked, "kernel_ns") *
        (double)(pipe_entries(checked) / case_param(checked, "chunk"));
    while ((op = query_next(&checked->trace, &kernels, op)) != NULL)
        spent_ns += (double)(op->end_ns - op->start_ns);
    if (spent_ns >= 0.4 * expected_ns)
        return true;
    judge_fail(judgement, mistake("host-decrypt"),
               "right, but the device did less than half of the work");
    return false;
}

bool pipe_judge_results(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const other = run->virtual_run;

    if (judge_right(run, judgement) && judge_order(run, judgement) &&
        (uint64_t)case_fact(run, "taken_later") == pipe_entries(run))
        return judge_left(run, judgement) && judge_bounded(run, judgement) &&
               judge_managed(run, judgement) && judge_work(run, judgement);
    if (judgement->seen.length == 0)
        judge_fail(judgement, finding_none(),
                   "the consumer got %lld results of %llu",
                   (long long)case_fact(run, "taken_later"),
                   (unsigned long long)pipe_entries(run));
    if (case_todo_is_open(run))
        return false;
    if (other && other != run && !other->ran)
        judgement->finding = run->evidence->lab->explain_end(other);
    else if (find_warning(run, "cudaErrorNotPermitted"))
        judge_left(run, judgement);
    else
        judgement->finding = explain_wrong(run);
    return false;
}

void pipe_judge_round(const struct case_run *run, struct judgement *judgement)
{
    const uint64_t n = pipe_entries(run), chunk = case_param(run, "chunk");
    const uint64_t chunks = n / chunk + (n % chunk != 0);
    const uint64_t slots = case_param(run, "slots");

    if (pipe_judge_results(run, judgement))
        judge_pass(judgement, "%llu chunk%s through %llu slot%s",
                   (unsigned long long)chunks, chunks == 1 ? "" : "s",
                   (unsigned long long)slots, slots == 1 ? "" : "s");
}
