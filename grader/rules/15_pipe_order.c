/*
 * 15_pipe_order.c: lab 15, what nothing orders. The two sides of a hazard, and
 * which of the ring's events is missing or in the wrong place.
 */
#include <string.h>

#include "15_pipe.h"

/* ---- hazards ------------------------------------------------------------- */

/* What the two sides of a hazard are. */
enum side {
    SIDE_OTHER,
    SIDE_ON_DEVICE, /* copy in, kernel */
    SIDE_BACK,
    SIDE_HOSTFN,
    SIDE_HOST
};

static enum side take_side(const char *line, const char *what_key)
{
    struct text words = {0};
    const char *what;
    enum side side = SIDE_OTHER;

    report_take_field(&words, line, what_key);
    what = text_string(&words);
    if (strstr(what, "host to device") || strstr(what, "kernel"))
        side = SIDE_ON_DEVICE;
    else if (strstr(what, "device to host"))
        side = SIDE_BACK;
    else if (strstr(what, "host function"))
        side = SIDE_HOSTFN;
    else if (strstr(what, "host code"))
        side = SIDE_HOST;
    text_free(&words);
    return side;
}

/* A hazard whose two accesses were of these kinds, in this order, or NULL. */
static const char *find_hazard(const struct case_run *run, enum side first,
                               enum side second)
{
    const char *line = NULL;

    if (!run->virtual_run)
        return NULL;
    while ((line = checked_find(&run->virtual_run->checked, "hazard", "first",
                                "", line)) != NULL)
        if (take_side(line, "first_what") == first &&
            take_side(line, "second_what") == second)
            return line;
    return NULL;
}

/* Two chunks in one piece of the device's memory. */
static bool is_device_hazard(const struct case_run *run)
{
    return find_hazard(run, SIDE_ON_DEVICE, SIDE_ON_DEVICE) ||
           find_hazard(run, SIDE_ON_DEVICE, SIDE_BACK) ||
           find_hazard(run, SIDE_BACK, SIDE_ON_DEVICE);
}

/* A host function, and the host behind it: the student's code, or the
 * grader's that reads what came out. */
bool pipe_is_host_hazard(const struct case_run *run, bool graders)
{
    const struct checked *const checked =
        run->virtual_run ? &run->virtual_run->checked : NULL;
    const char *line = NULL;

    while (checked && (line = checked_find(checked, "hazard", "second_what",
                                           "host code", line)) != NULL) {
        struct text place = {0};
        bool found = take_side(line, "first_what") == SIDE_HOSTFN;

        report_take_field(&place, line, "second");
        found &=
            graders == (strstr(text_string(&place), "grader/drivers/") != NULL);
        text_free(&place);
        if (found)
            return true;
    }
    return false;
}

bool pipe_is_argument_hazard(const struct case_run *run)
{
    return pipe_is_host_hazard(run, false) ||
           find_hazard(run, SIDE_HOST, SIDE_HOSTFN);
}

/* ---- events in the wrong place ------------------------------------------- */

/* The first chunk's way; call ids tell what came first. */
struct way {
    uint64_t back_call, hostfn_call, delivery; /* delivery: a stream */
    /* The last wait in the stream of the host function that comes before it,
     * and the last record before that wait, or before the host function. */
    const struct trace_call *wait, *record;
    const struct trace_call *first_record; /* behind the first copy in */
};

static struct way read_way(const struct trace *trace)
{
    const struct query backs = {.kinds = PIPE_BACK};
    const struct query hostfns = {.kinds = QUERY_KIND(TRACE_KIND_HOSTFN)};
    const struct trace_op *const back = query_next(trace, &backs, NULL);
    const struct trace_op *op = NULL;
    const struct trace_call *call = NULL;
    struct way way = {.hostfn_call = UINT64_MAX};

    way.back_call = back ? back->call : 0;
    while ((op = query_next(trace, &hostfns, op)) != NULL)
        if (op->call < way.hostfn_call) {
            way.hostfn_call = op->call;
            way.delivery = op->stream;
        }
    while ((call = query_next_call(trace, "cudaStreamWaitEvent", call)))
        if (call->id < way.hostfn_call &&
            (call->stream == way.delivery ||
             /* Of an event that was never recorded. */
             (call->stream == TRACE_NO_STREAM && call->id > way.back_call)))
            way.wait = call;
    while ((call = query_next_call(trace, "cudaEventRecord*", call))) {
        if (call->id < (way.wait ? way.wait->id : way.hostfn_call))
            way.record = call;
        if (!way.first_record)
            way.first_record = call;
    }
    return way;
}

static struct finding explain_delivered_early(const struct trace *trace)
{
    const struct way way = read_way(trace);

    if (!way.wait)
        return mistake("delivered-early");
    if (!way.record)
        return mistake_with("wait-before-record", "at=%s",
                            query_place(way.wait->at));
    if (way.record->stream == way.delivery)
        return mistake_with("copied-wrong-stream", "at=%s",
                            query_place(way.record->at));
    if (way.record->id < way.back_call)
        return mistake_with("copied-early", "at=%s",
                            query_place(way.record->at));
    return mistake("delivered-early/read");
}

/* Of the records in the host functions' stream, and of those elsewhere. */
static unsigned count_records(const struct trace *trace, uint64_t delivery,
                              bool there)
{
    const struct trace_call *call = NULL;
    unsigned count = 0;

    while ((call = query_next_call(trace, "cudaEventRecord*", call)))
        count += (call->stream == delivery) == there;
    return count;
}

static struct finding explain_host_reused(const struct trace *trace)
{
    const struct query hostfns = {.kinds = QUERY_KIND(TRACE_KIND_HOSTFN)};
    const unsigned chunks = query_count(trace, &hostfns);
    const struct way way = read_way(trace);
    const struct trace_call *call = NULL;

    while ((call = query_next_call(trace, "cudaEventRecord*", call)))
        if (call->stream == way.delivery)
            break;
    if (call && call->id < way.hostfn_call)
        return mistake_with("taken-early", "at=%s", query_place(call->at));
    if (!call && count_records(trace, way.delivery, false) < 2 * chunks)
        return mistake("taken-not-recorded");
    if (!call)
        return mistake("taken-wrong-stream");
    return mistake("host-reused-early");
}

/* ---- the verdict --------------------------------------------------------- */

static const struct trace_op *in_default_stream(const struct trace *trace,
                                                unsigned kinds)
{
    const struct query query = {.kinds = kinds, .one_stream = true};

    return query_next(trace, &query, NULL);
}

struct finding pipe_explain_streams(const struct trace *trace)
{
    const struct trace_op *const copy =
        in_default_stream(trace, PIPE_IN | PIPE_BACK);
    const struct trace_op *const kernel = in_default_stream(trace, PIPE_KERNEL);

    if (copy && query_call_of(trace, copy) &&
        strcmp(query_call_of(trace, copy)->name, "cudaMemcpyAsync") == 0)
        return mistake_with("copy-default-stream", "at=%s",
                            query_place(copy->at));
    if (kernel)
        return mistake_with("kernel-default-stream", "at=%s",
                            query_place(kernel->at));
    return finding_none();
}

struct finding pipe_explain_hazard(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);

    if (pipe_is_argument_hazard(run))
        return mistake("argument-reused");
    if (find_hazard(run, SIDE_HOSTFN, SIDE_HOSTFN))
        return mistake("deliveries-unordered");
    if (trace && find_hazard(run, SIDE_BACK, SIDE_HOSTFN))
        return explain_delivered_early(trace);
    if (is_device_hazard(run))
        return mistake("device-reused-early");
    if (trace && find_hazard(run, SIDE_HOSTFN, SIDE_BACK))
        return explain_host_reused(trace);
    return finding_none();
}
