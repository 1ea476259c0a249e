/* query.c: questions that rules ask of a trace */
#include "case/query.h"

#include <string.h>

#include "base/text.h"

/* ---- which ones ---------------------------------------------------------- */

/* Marks are in the order of time; between a stop and the next start nothing is
 * the student's. */
static bool in_region(const struct trace *trace, uint64_t start_ns)
{
    bool inside = trace->num_marks == 0;

    for (size_t i = 0; i < trace->num_marks; i++)
        if (trace->marks[i].t_ns <= start_ns)
            inside = trace->marks[i].start;
    return inside;
}

/* In the region is what was called there: work may start long after its call,
 * and run beyond the region's end. */
static bool matches(const struct trace *trace, const struct query *query,
                    const struct trace_op *op)
{
    return (query->kinds == 0 || (query->kinds & QUERY_KIND(op->kind))) &&
           (query->mems == 0 || (query->mems & QUERY_MEM(op->mem))) &&
           (!query->one_device || query->device == op->device) &&
           (!query->one_stream || query->stream == op->stream) &&
           in_region(trace, op->call && trace_find_call(trace, op->call)
                                ? trace_find_call(trace, op->call)->start_ns
                                : op->start_ns);
}

const struct trace_op *query_next(const struct trace *trace,
                                  const struct query *query,
                                  const struct trace_op *after)
{
    size_t i = after ? (size_t)(after - trace->ops) + 1 : 0;

    for (; trace && i < trace->num_ops; i++)
        if (matches(trace, query, &trace->ops[i]))
            return &trace->ops[i];
    return NULL;
}

const struct trace_op *query_first(const struct trace *trace, unsigned kinds)
{
    return query_next(trace, &(struct query){.kinds = kinds}, NULL);
}

const struct trace_op *query_first_default(const struct trace *trace,
                                           unsigned kinds)
{
    return query_next(
        trace, &(struct query){.kinds = kinds, .one_stream = true}, NULL);
}

#define FOR_EACH(op)                                                           \
    for (const struct trace_op *op = query_first(trace, kinds); op;            \
         op = query_next(trace, QUERY_OF(kinds), op))

#define SUM(type, name, value)                                                 \
    type name(const struct trace *trace, unsigned kinds)                       \
    {                                                                          \
        type sum = 0;                                                          \
                                                                               \
        FOR_EACH(op)                                                           \
        sum += (value);                                                        \
        return sum;                                                            \
    }

SUM(unsigned, query_count, 1)
SUM(uint64_t, query_bytes, op->bytes)
SUM(uint64_t, query_work, op->work)

/* Operations themselves are in the order in which they ran. */
unsigned query_ahead(const struct trace *trace, unsigned kinds,
                     const struct trace_op *op)
{
    const struct query query = {.kinds = kinds};
    const struct trace_op *other = NULL;
    unsigned count = 0;

    while ((other = query_next(trace, &query, other)) != NULL)
        count += other->call < op->call;
    return count;
}

/* Operations whose stream (or device) no earlier one had. */
static unsigned count_distinct(const struct trace *trace, unsigned kinds,
                               bool streams)
{
    unsigned count = 0;

    FOR_EACH(op)
    {
        const struct trace_op *other = query_first(trace, kinds);

        while (other != op && !(other->device == op->device &&
                                (!streams || other->stream == op->stream)))
            other = query_next(trace, QUERY_OF(kinds), other);
        count += other == op && (!streams || op->stream != 0);
    }
    return count;
}

unsigned query_streams(const struct trace *trace, unsigned kinds)
{
    return count_distinct(trace, kinds, true);
}

unsigned query_devices(const struct trace *trace, unsigned kinds)
{
    return count_distinct(trace, kinds, false);
}

/* What ends at a moment ends before what begins then: two that only touch do
 * not overlap. */
bool query_overlap(const struct trace *trace, unsigned kinds, unsigned others)
{
    const struct trace_op *other = NULL;

    FOR_EACH(op)
    while ((other = query_next(trace, QUERY_OF(others), other)) != NULL)
        if (other != op && op->start_ns < other->end_ns &&
            other->start_ns < op->end_ns)
            return true;
    return false;
}

/* ---- calls --------------------------------------------------------------- */

bool query_is_own(const char *at)
{
    return strstr(at, "grader/drivers/") != NULL;
}

static bool call_matches(const struct trace *trace, const char *name,
                         const struct trace_call *call)
{
    return text_matches(call->name, name) && !query_is_own(call->at) &&
           in_region(trace, call->start_ns);
}

const struct trace_call *query_next_call(const struct trace *trace,
                                         const char *name,
                                         const struct trace_call *after)
{
    size_t i = after ? (size_t)(after - trace->calls) + 1 : 0;

    for (; trace && i < trace->num_calls; i++)
        if (call_matches(trace, name, &trace->calls[i]))
            return &trace->calls[i];
    return NULL;
}

unsigned query_calls(const struct trace *trace, const char *name)
{
    const struct trace_call *call = NULL;
    unsigned count = 0;

    while ((call = query_next_call(trace, name, call)) != NULL)
        count++;
    return count;
}

unsigned query_calls_before(const struct trace *trace, const char *first,
                            const char *last)
{
    const struct trace_call *call = NULL;
    uint64_t last_ns = 0;
    unsigned count = 0;

    while ((call = query_next_call(trace, last, call)) != NULL)
        last_ns = call->start_ns > last_ns ? call->start_ns : last_ns;
    while ((call = query_next_call(trace, first, call)) != NULL)
        count += call->end_ns <= last_ns;
    return count;
}

const struct trace_call *query_call_between(const struct trace *trace,
                                            const char *name)
{
    if (query_calls_before(trace, name, "cudaMemcpyAsync") > 0 ||
        query_calls_before(trace, name, "cudaLaunchKernel") > 0)
        return query_next_call(trace, name, NULL);
    return NULL;
}

static const char *const waits[] = {
    "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize",
    "cudaStreamQuery", "cudaEventQuery"};
enum { NUM_WAITS = 3, NUM_ASKS = 5 };

const struct trace_call *query_wait(const struct trace *trace, bool between)
{
    const struct trace_call *call = NULL;

    /* More questions than work: it waits by asking. */
    for (size_t i = 0; i < NUM_ASKS && !call; i++)
        if (i < NUM_WAITS ||
            query_calls(trace, waits[i]) > 2 * query_count(trace, 0))
            call = between ? query_call_between(trace, waits[i])
                           : query_next_call(trace, waits[i], NULL);
    return call;
}

bool query_is_wait(const struct trace_call *call)
{
    for (size_t i = 0; i < NUM_WAITS; i++)
        if (strcmp(call->name, waits[i]) == 0)
            return true;
    return false;
}

bool query_is_issue(const struct trace_call *call)
{
    return text_matches(call->name, "cudaMemcpy*") ||
           text_matches(call->name, "cudaLaunchKernel*");
}

const struct trace_event *query_last_event(const struct trace *trace)
{
    for (size_t i = trace->num_events; i > 0; i--)
        if (!query_is_own(trace->events[i - 1].at))
            return &trace->events[i - 1];
    return NULL;
}

/* Calls are in the order in which they were made. */
bool query_threads_left(const struct trace *trace)
{
    bool begun = false, returned = false;

    for (size_t i = 0; trace && i < trace->num_calls; i++) {
        const struct trace_call *const call = &trace->calls[i];

        if (returned && !query_is_own(call->at) && call->thread != 0)
            return true;
        begun |= !query_is_own(call->at) && query_is_issue(call);
        returned |= begun && query_is_own(call->at);
    }
    return false;
}

const struct trace_call *query_call_of(const struct trace *trace,
                                       const struct trace_op *op)
{
    return op->call ? trace_find_call(trace, op->call) : NULL;
}

unsigned query_home(const struct trace *trace, const struct trace_call *call)
{
    if (call->stream == 0)
        return call->device;
    for (size_t i = 0; i < trace->num_ops; i++)
        if (trace->ops[i].stream == call->stream)
            return trace->ops[i].device;
    return TRACE_MAX_DEVICES;
}

const char *query_place(const char *at)
{
    const char *const slash = at ? strrchr(at, '/') : NULL;

    return slash ? slash + 1 : at ? at : "";
}
