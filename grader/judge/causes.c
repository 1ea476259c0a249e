/* causes.c: what was seen, and the cause that it shows */
#include "judge/causes.h"

#include <string.h>

/* @elsewhere: of what another case runs, which waits and takes memory by
 * itself, only what is between streams tells of this one. */
static const struct trace_order *worse(const struct trace *trace,
                                       const struct trace_order *worst,
                                       bool elsewhere)
{
    for (size_t i = 0; trace && i < trace->num_orders; i++) {
        const struct trace_order *const order = &trace->orders[i];

        if (strncmp(order->kind, "order_", 6) == 0 &&
            !query_is_own(order->at) &&
            !(elsewhere && (strcmp(order->kind, "order_host") == 0 ||
                            strcmp(order->kind, "order_memory") == 0)) &&
            (!worst || order->saved_ns > worst->saved_ns))
            worst = order;
    }
    return worst;
}

/* Another case may run other functions: the run's own trace goes first, then
 * that of the nearest case that it needs, and the others only where those have
 * none. */
const struct trace_order *cause_worst_order(const struct case_run *run)
{
    const struct lab_rules *lab = run->evidence ? run->evidence->lab : NULL;
    const struct trace_order *worst = NULL;

    for (const struct case_run *seen = run; lab && seen && !worst;
         seen = seen->rules->needs ? case_other(run, seen->rules->needs) : NULL)
        worst = worse(case_trace(seen), NULL, false);
    if (worst)
        return worst;
    for (size_t i = 0; lab && i < lab->num_cases; i++)
        worst =
            worse(case_trace(case_other(run, lab->cases[i].name)), worst, true);
    return worst;
}

/* By the words of the report, which begin with the call. */
static const char *name_of(const struct trace_order *order)
{
    static const struct {
        const char *kind, *call, *mistake;
    } causes[] = {
#define SLOW(KIND, CALL, MISTAKE) {KIND, CALL "*", MISTAKE},
#include "judge/causes.def"
    };

    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strcmp(order->kind, causes[i].kind) == 0 &&
            text_matches(order->text, causes[i].call))
            return causes[i].mistake;
    return NULL;
}

/* The call that queues a host function which the host sits and waits for, again
 * and again: what is queued behind that call comes when the function has run.
 */
static const struct trace_call *find_awaited(const struct trace *trace)
{
    const struct trace_op *op = NULL;
    const struct trace_call *call, *next, *found = NULL;
    const struct query functions = {.kinds = QUERY_KIND(TRACE_KIND_HOSTFN)};
    int times = 0;

    while ((op = query_next(trace, &functions, op)) != NULL) {
        call = next = query_call_of(trace, op);
        do
            next = next ? query_next_call(trace, "*", next) : NULL;
        while (next && next->thread != call->thread);
        if (next && query_is_issue(next) && next->start_ns >= op->end_ns &&
            op->end_ns > call->end_ns) {
            found = found ? found : call;
            times++;
        }
    }
    return times > 1 ? found : NULL;
}

/* Of the time of the run, does the host spend a third between calls of which
 * the second queues something? That one, behind the longest pause. */
static const struct trace_call *find_late(const struct trace *trace)
{
    const struct trace_call *call = NULL, *last = NULL, *found = NULL;
    uint64_t longest_ns = 0, all_ns = 0, begin_ns = 0;

    while ((call = query_next_call(trace, "*", call)) != NULL) {
        const uint64_t from_ns = last ? last->end_ns : call->start_ns;
        const uint64_t pause_ns =
            call->start_ns > from_ns && query_is_issue(call)
                ? call->start_ns - from_ns
                : 0;

        begin_ns = last ? begin_ns : call->start_ns;
        all_ns += pause_ns;
        if (pause_ns > longest_ns) {
            longest_ns = pause_ns;
            found = call;
        }
        last = call;
    }
    return last && 3 * all_ns > last->end_ns - begin_ns ? found : NULL;
}

/* Right, and the kernels did too little for it: what they left, the host did. A
 * kernel of one's own needs a few operations less. */
static bool is_part_by_host(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);

    return trace && run->data.work && run->wrong_rounds == 0 &&
           query_work(trace, QUERY_KERNELS) <
               2 * WORK_LEAST_OPS * run->data.work(run) / 4 * 3;
}

/* Slow, and nothing in CUDA says why: the host itself waits or works. Where it
 * has work of its own to do, there is none that kernels must do. */
static struct finding of_host(const struct case_run *run)
{
    const struct lab_rules *const lab = run->evidence->lab;
    struct finding found = finding_none();

    for (size_t i = 0; !found.id && i < lab->num_cases; i++) {
        const struct case_run *const seen = case_other(run, lab->cases[i].name);
        const struct trace *const trace = case_trace(seen);

        if (seen && is_part_by_host(seen))
            return mistake_with("host-decrypt/part",
                                "did=the kernels did a part of the work");
        found = mistake_first((struct sign[]){
            SIGN_AT("over-ordered/host-function", find_awaited(trace)),
            SIGN_AT("over-ordered/host-work", find_late(trace))});
    }
    return found;
}

/* Below a twentieth of the run something else makes it slow, and where the lab
 * has found something, below a fifth. Why the host waits there, a lab may know
 * better than that it does. */
struct finding cause_of_order(const struct case_run *run, struct finding found)
{
    const struct trace_order *const order = cause_worst_order(run);
    const bool placed = strncmp(found.values, "at=", 3) == 0 ||
                        strstr(found.values, "\nat=") != NULL;
    const char *const name =
        order && (found.id ? 5 : 20) * order->saved_ns >= order->run_ns
            ? name_of(order)
            : NULL;

    if (name && !placed && run->evidence->first_todo == 0 &&
        !(found.id && strcmp(order->kind, "order_host") == 0))
        return mistake_at(name, order->at);
    return found.id || run->evidence->first_todo > 0 ? found : of_host(run);
}

struct finding cause_of_error(const struct checked *seen, const char *error)
{
    const char *line = NULL;
    OWNED_TEXT call = {0}, at = {0};

    do
        line = checked_find(seen, REPORTED(call_failed), "error", error, line);
    while (line && report_is_drivers(line, "at"));
    if (!line)
        return mistake_with("cuda-error/unchecked", "error_left=%s", error);
    report_take_field(&call, line, "call");
    report_take_place(&at, line, "at");
    return mistake_with("cuda-error/unchecked-at",
                        "error_left=%s\ncall_left=%s\nat_left=%s", error,
                        text_string(&call), text_string(&at));
}

struct finding cause_of_pending(const struct case_run *run)
{
    struct finding found = finding_none();

    for (const struct case_run *seen = run;
         seen && !strstr(found.values, "at_");
         seen = seen->rules->needs ? case_other(run, seen->rules->needs) : NULL)
        found = cause_of_error(case_checked(seen), run->pending);
    return found;
}

/* The last error is asked for behind a launch that failed, too, what spoils a
 * capture is not the call that is told of it, and the same error twice comes of
 * the same mistake: rules know these. */
struct finding cause_of_unlooked(const struct case_run *run)
{
    const char *line = NULL;
    OWNED_TEXT call = {0}, at = {0};

    if (run->error.at[0] == '\0' || case_failed(run, "*LastError*", NULL))
        return finding_none();
    do
        line = report_find(text_string(&run->reported), REPORTED(call_failed),
                           NULL, NULL, line);
    while (line && (report_is_drivers(line, "at") ||
                    report_holds(line, "error", "NotReady")));
    if (!line || report_holds(line, "error", "StreamCapture") ||
        report_holds(line, "error", run->error.name))
        return finding_none();
    report_take_place(&at, line, "at");
    report_take_field(&call, line, "call");
    return strcmp(text_string(&at), run->error.at) == 0
               ? finding_none()
               : mistake_with("earlier-error/call", "call_left=%s\nat_left=%s",
                              text_string(&call), text_string(&at));
}

/* A memset, an allocation in a stream's order, or a kernel that is launched
 * ahead of all entries or of what is looked at: with nothing that waits for it,
 * whoever works with that memory may come too early. */
static bool makes_ready(const struct trace *trace, const char *line)
{
    const unsigned by = report_does(line, "first_does");
    const struct trace_op *const in = query_first(trace, QUERY_IN);
    const struct trace_call *call = NULL;
    OWNED_TEXT from = {0};

    if (!trace || !(by & DONE_BY(kernel)))
        return by & (DONE_BY(memset) | DONE_BY(alloc));
    report_take_place(&from, line, "first_from");
    do
        call = query_next_call(trace, "cudaLaunchKernel*", call);
    while (call && strcmp(query_place(call->at), text_string(&from)) != 0);
    return !call || (in && call->id < in->call);
}

struct finding cause_of_making(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    OWNED_TEXT first = {0}, second = {0}, what = {0};
    const char *line = NULL;

    while ((line = checked_find(case_checked(run), REPORTED(unordered), NULL,
                                NULL, line)) != NULL) {
        if (!makes_ready(trace, line))
            continue;
        report_take_place(&first, line,
                          report_does(line, "first_does") & DONE_BY(kernel)
                              ? "first_from"
                              : "first");
        report_take_place(&second, line,
                          report_does(line, "second_does") & DONE_BY(kernel)
                              ? "second_from"
                              : "second");
        report_take_field(&what, line, "first_what");
        return mistake_with(report_is_drivers(line, "second")
                                ? "made-not-waited/caller"
                                : "made-not-waited",
                            "first=%s\nsecond=%s\nwhat=%s", text_string(&first),
                            text_string(&second), text_string(&what));
    }
    return finding_none();
}

/* A thread begins with GPU 0. It queued work for another one, never chose it,
 * and waits for what is on GPU 0. */
static bool is_on_wrong_gpu(const struct trace *trace,
                            const struct trace_call *call)
{
    const uint64_t thread = call->thread;
    bool elsewhere = false;

    if (thread == 0 || call->device != 0 || query_is_own(call->at) ||
        strcmp(call->name, "cudaDeviceSynchronize") != 0)
        return false;
    while (call-- > trace->calls)
        if (call->thread == thread && strcmp(call->name, "cudaSetDevice") == 0)
            return false;
        else if (call->thread == thread && query_is_issue(call))
            elsewhere |= query_home(trace, call) != 0;
    return elsewhere;
}

/* Two host threads met in the same memory: what one of them should wait for is
 * the other, whatever the lab is about. */
static struct finding of_threads_that_met(const struct case_run *run)
{
    OWNED_TEXT first = {0}, second = {0};
    const char *line = NULL;

    while ((line = checked_find(case_checked(run), REPORTED_HAZARDS, NULL, NULL,
                                line)) != NULL) {
        if (!(report_does(line, "first_does") &
              report_does(line, "second_does") & DONE_BY(host)))
            continue;
        report_take_place(&first, line, "first");
        report_take_place(&second, line, "second");
        return mistake_with("host-threads", "first=%s\nsecond=%s",
                            text_string(&first), text_string(&second));
    }
    return finding_none();
}

/* Another thread queues work, and nothing of the student's waits from then on:
 * the wait that there is came too early. */
static struct finding of_threads_too_late(const struct trace *trace)
{
    const struct trace_call *call = NULL, *wait = NULL, *late = NULL;

    while ((call = query_next_call(trace, "*", call)) != NULL)
        if (query_is_wait(call) || strcmp(call->name, "cudaMemcpy") == 0) {
            wait = call;
            late = NULL;
        } else if (wait && !late && call->thread != 0 && query_is_issue(call))
            late = call;
    return late && wait->thread == 0
               ? mistake_with("host-threads/late", "first=%s\nsecond=%s",
                              query_place(late->at), query_place(wait->at))
               : finding_none();
}

/* A thread that nobody has joined launches when the function has returned, and
 * its caller has freed what the kernel is given. */
struct finding cause_of_thread_left(const struct case_run *run)
{
    const char *const line = case_reported(run, REPORTED(after_free));
    const struct trace *const trace = &run->trace;
    const struct trace_call *late = NULL;
    OWNED_TEXT place = {0};
    const char *freed;

    if (!line)
        return finding_none();
    report_take_field(&place, line, "place");
    freed = strstr(text_string(&place), "freed at ");
    if (!freed || !query_is_own(freed + strlen("freed at ")))
        return finding_none();
    for (size_t i = 0; i < trace->num_calls; i++)
        if (trace->calls[i].thread != 0 && query_is_issue(&trace->calls[i]))
            late = &trace->calls[i];
    return late ? mistake_at("host-threads/left", late->at) : finding_none();
}

struct finding cause_of_threads(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct finding late = of_threads_too_late(trace);

    for (size_t i = 0; trace && i < trace->num_calls; i++)
        if (is_on_wrong_gpu(trace, &trace->calls[i]))
            return mistake_at("thread-on-gpu-0", trace->calls[i].at);
    return late.id ? late : of_threads_that_met(run);
}
