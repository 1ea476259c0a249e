/*
 * 11_multi_speed.c: lab 11, many entries: on one GPU, on all of them, and why
 * that is not faster
 */
#include "11_multi.h"

#define ETA_NEEDED 0.80

/* ---- large --------------------------------------------------------------- */

static double ms(const struct case_run *run, const char *fact)
{
    return (double)case_fact(run, fact) / 1e6;
}

void multi_judge_large(const struct case_run *run, struct judgement *judgement)
{
    if (judge_right(run, judgement))
        judge_pass(judgement,
                   "one GPU %.3f ms, %u GPUs %.3f ms; all at once: copy in "
                   "%.3f, kernel %.3f, copy back %.3f ms",
                   ms(run, "one_ns"), multi_gpus(run), ms(run, "student_ns"),
                   ms(run, "h2d_ns"), ms(run, "kernel_ns"), ms(run, "d2h_ns"));
}

/* ---- fast ---------------------------------------------------------------- */

static const char *place_of_call(const struct trace *trace, const char *name)
{
    const struct trace_call *const call = query_next_call(trace, name, NULL);

    return call ? query_place(call->at) : "";
}

/* A wait of the host with work queued behind it, or NULL. */
static const struct trace_call *find_wait(const struct trace *trace)
{
    static const char *const names[] = {"cudaDeviceSynchronize",
                                        "cudaStreamSynchronize",
                                        "cudaEventSynchronize"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (query_calls_before(trace, names[i], "cudaMemcpyAsync") > 0 ||
            query_calls_before(trace, names[i], "cudaLaunchKernel") > 0)
            return query_next_call(trace, names[i], NULL);
    return NULL;
}

static struct finding explain_copies(const struct trace *trace, uint64_t bytes)
{
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const struct query back = {.kinds = QUERY_KIND(TRACE_KIND_D2H)};
    const struct query pageable = {.kinds = QUERY_COPIES,
                                   .mems = QUERY_MEM(TRACE_MEM_PAGEABLE)};
    const struct query between = {.kinds = QUERY_KIND(TRACE_KIND_PEER)};

    if (query_count(trace, &between) > 0)
        return mistake("through-another-gpu");
    if (query_calls(trace, "cudaMemcpy") > 0)
        return mistake_with("blocking-copy", "cudamemcpy=%s",
                            place_of_call(trace, "cudaMemcpy"));
    if (query_count(trace, &pageable) > 0)
        return mistake("pageable-memory");
    if (query_bytes(trace, &in) > bytes * 3 / 2 ||
        query_bytes(trace, &back) > bytes * 3 / 2)
        return mistake("whole-array/copies");
    return finding_none();
}

/* A GPU that computes, and whose copies are all in the queues of others. The
 * order is right, since such a copy waits in the queues of both. */
static bool has_other_queues(const struct trace *trace, unsigned gpus,
                             enum trace_kind kind)
{
    for (unsigned g = 0; g < gpus; g++) {
        const struct query kernels = {.kinds = QUERY_KIND(TRACE_KIND_KERNEL),
                                      .one_device = true,
                                      .device = g};
        const struct query copies = {
            .kinds = QUERY_KIND(kind), .one_device = true, .device = g};

        if (query_count(trace, &kernels) > 0 &&
            query_count(trace, &copies) == 0)
            return true;
    }
    return false;
}

static struct finding explain_queues(const struct case_run *run,
                                     const struct trace *trace)
{
    const bool in = has_other_queues(trace, multi_gpus(run), TRACE_KIND_H2D);

    if (!in && !has_other_queues(trace, multi_gpus(run), TRACE_KIND_D2H))
        return finding_none();
    return mistake_with("queue-of-another-gpu", "result=%s",
                        in ? "that brings its data" : "of its result");
}

static struct finding explain_slow(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct trace *const trace = case_trace(even);
    const struct trace_call *wait;
    struct finding found;

    if (trace == NULL)
        return finding_none();
    found =
        explain_copies(trace, case_param(even, "entries") * sizeof(uint64_t));
    if (found.id)
        return found;
    found = explain_queues(even, trace);
    if (found.id)
        return found;
    wait = find_wait(trace);
    if (wait)
        return mistake_with("sync-in-loop", "at=%s", query_place(wait->at));
    if (query_calls(trace, "cudaMalloc*") + query_calls(trace, "cudaFree*") > 0)
        return mistake("allocates-each-time");
    return finding_none();
}

void multi_judge_fast(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const double in = (double)case_fact(large, "h2d_ns");
    const double kernel = (double)case_fact(large, "kernel_ns");
    const double back = (double)case_fact(large, "d2h_ns");
    const struct judge_speed times = {
        .serial_ns = (double)case_fact(large, "one_ns"),
        .student_ns = (double)case_fact(large, "student_ns"),
        .bound_ns = in + kernel + back,
        .least_ns = in > back ? in : back,
        .eta_needed = ETA_NEEDED,
    };

    if (!judge_speed(run, judgement, &times) && judgement->finding.id == NULL)
        judgement->finding = explain_slow(run);
}
