/*
 * 13_mcipher_speed.c: lab 13, the time that the program says, and the time that
 * it takes
 */
#include "13_mcipher.h"

/* ---- the program's own clock --------------------------------------------- */

/* On the virtual GPU both clocks show computed times. What lies between is the
 * start of the grader's, and waits for GPUs that have nothing to do. */
static double clock_slack(const struct case_run *run)
{
    return run->backend == BACKEND_VGPU ? 0.07 : 0.2;
}

void mcipher_judge_timer(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const double slack = clock_slack(large);
    const bool one_early =
        (double)case_fact(large, "one_timer_ns") <
        (1 - slack) * (double)case_fact(large, "one_student_ns");
    struct finding early = mistake("timer-too-early");

    if (!one_early)
        early = mistake("timer-of-one-gpu");
    cipher_judge_timer(judgement, (double)case_fact(large, "timer_ns"),
                       (double)case_fact(large, "student_ns"), slack, early);
}

/* ---- fast ---------------------------------------------------------------- */

/* The host waits in between: for each GPU, or for each chunk? */
static struct finding explain_waits(const struct trace_facts *trace,
                                    const struct case_run *even)
{
    const uint64_t gpus = case_param(even, "gpus");

    if (trace->waits_between <= gpus * case_param(even, "streams") &&
        trace->waits_between % case_param(even, "streams") == 0 &&
        trace->waits_between == (gpus - 1) * case_param(even, "streams"))
        return mistake_with("gpu-after-gpu", "at=%s", trace->wait_at);
    if (trace->waits_between == gpus - 1)
        return mistake_with("gpu-after-gpu/waits", "at=%s", trace->wait_at);
    return finding_none();
}

static struct finding explain_slow(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct case_run *const large = case_other(run, LARGE);
    struct trace_facts trace;
    const struct chunks chunks = mcipher_view(run, &trace);
    struct finding found = finding_none();

    if (trace.kernels == case_param(even, "gpus"))
        return mistake("one-piece");
    if (trace.pageable > 0)
        return mistake("pageable-memory");
    if (trace.there && trace.waits_between > 0)
        found = explain_waits(&trace, even);
    if (found.id == NULL)
        found = chunks_explain_slow(&chunks);
    if (found.id)
        return found;
    return mistake_with("bad-setting",
                        "best_gpus=%lld\ns=%s\nbest_streams=%lld\ns2=%s",
                        (long long)case_fact(large, "best_gpus"),
                        case_fact(large, "best_gpus") == 1 ? "" : "s",
                        (long long)case_fact(large, "best_streams"),
                        case_fact(large, "best_streams") == 1 ? "" : "s");
}

/* Below that, the host's calls on a virtual device with a fast link hide what
 * the GPUs gain. */
enum { SHORT_COPY_NS = 250000 };

void mcipher_judge_fast(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const large = case_other(run, LARGE);
    const double h2d = (double)case_fact(large, "h2d_ns");
    const double d2h = (double)case_fact(large, "d2h_ns");
    const double kernel = (double)case_fact(large, "kernel_ns");
    const double both = (double)case_fact(large, "both_ns");
    const struct judge_speed times = {
        .serial_ns = (double)case_fact(large, "one_gpu_ns"),
        .student_ns = (double)case_fact(large, "student_ns"),
        .bound_ns = kernel > both ? kernel : both,
        .least_ns = h2d > d2h ? h2d : d2h,
        .eta_needed = 0.77,
    };

    if (run->backend == BACKEND_VGPU && both < SHORT_COPY_NS)
        judge_pass(judgement,
                   "not gradable for speed here: all entries are copied in and "
                   "back in %.3f ms",
                   both / 1e6);
    else if (!judge_speed(run, judgement, &times) &&
             judgement->finding.id == NULL)
        judgement->finding = run->evidence->first_todo > 0
                                 ? finding_open_todo(run->evidence)
                                 : explain_slow(run);
}
