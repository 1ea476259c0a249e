/*
 * 15_pipe_speed.c: lab 15, the time that many chunks take
 */
#include <string.h>

#include "15_pipe.h"

#define ETA_NEEDED 0.80

/* A wait of the host with work queued behind it. */
static const struct trace_call *find_wait_between(const struct trace *trace)
{
    static const char *const names[] = {
        "cudaMemcpy",           "cudaStreamSynchronize",
        "cudaEventSynchronize", "cudaDeviceSynchronize",
        "cudaStreamQuery",      "cudaEventQuery"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (query_calls_before(trace, names[i], "cudaMemcpyAsync") > 0 ||
            query_calls_before(trace, names[i], "cudaLaunchKernel") > 0)
            return query_next_call(trace, names[i], NULL);
    return NULL;
}

/* ---- speed --------------------------------------------------------------- */

static struct finding explain_slow(const struct case_run *run)
{
    const struct query in = {.kinds = PIPE_IN};
    const struct query rest = {.kinds = PIPE_KERNEL | PIPE_BACK};
    const struct query all = {.kinds = PIPE_IN | PIPE_KERNEL | PIPE_BACK};
    const struct trace *const trace = case_trace(run);
    const struct trace_call *wait;
    struct finding found;

    if (!trace)
        return finding_none();
    found = pipe_explain_streams(trace);
    if (found.id)
        return found;
    wait = find_wait_between(trace);
    if (wait && strcmp(wait->name, "cudaMemcpy") == 0)
        return mistake_with("blocking-copy", "at=%s", query_place(wait->at));
    if (wait && case_fact(run, "by_host") > 0)
        return mistake_with("consumed-by-the-host", "at=%s",
                            query_place(wait->at));
    if (wait)
        return mistake_with("host-sync", "at=%s", query_place(wait->at));
    if (query_streams(trace, &all) == 1)
        return mistake("one-stream");
    if (query_overlap_ns(trace, &in, &rest) == 0)
        return mistake("ring-of-one");
    return finding_none();
}

/*
 * The limit is the longest of the phases. Where the grader's own ring stays far
 * from it, as on devices with a single copy engine, the device does not allow
 * more, and that ring is the limit.
 */
static double take_bound(const struct case_run *run, double serial)
{
    static const char *const phases[] = {"copies_ns", "kernels_ns",
                                         "consumer_ns"};
    const double own = (double)case_fact(run, "own_ns");
    double bound = 0;

    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        if ((double)case_fact(run, phases[i]) > bound)
            bound = (double)case_fact(run, phases[i]);
    if (serial - own < (ETA_NEEDED + 0.05) * (serial - bound))
        return own;
    return bound;
}

void pipe_judge_fast(const struct case_run *run, struct judgement *judgement)
{
    const double serial = (double)case_fact(run, "serial_ns");
    const struct judge_speed times = {
        .serial_ns = serial,
        .student_ns = (double)case_fact(run, "student_ns"),
        .bound_ns = take_bound(run, serial),
        .eta_needed = ETA_NEEDED,
    };

    if (pipe_judge_results(run, judgement) &&
        !judge_speed(run, judgement, &times) && !case_todo_is_open(run) &&
        !judgement->finding.id)
        judgement->finding = explain_slow(run);
}
