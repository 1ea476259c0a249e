/*
 * query.h: questions that rules ask of a trace. Only what lies in the region
 * that the driver marked is seen, or all of it where nothing is marked. In no
 * trace at all (NULL) there is nothing.
 */
#ifndef GRADER_QUERY_H
#define GRADER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "trace.h"

/* All zero asks for every operation. */
struct query {
    unsigned kinds; /* QUERY_KIND(TRACE_KIND_H2D) | ...; 0: any */
    unsigned mems;  /* QUERY_MEM(TRACE_MEM_PAGEABLE) | ...; 0: any */
    bool one_device, one_stream;
    unsigned device; /* with one_device */
    uint64_t stream; /* with one_stream; 0: the legacy default stream */
};
#define QUERY_KIND(kind) (1u << (kind))
#define QUERY_MEM(mem)   (1u << (mem))
#define QUERY_KERNELS    QUERY_KIND(TRACE_KIND_KERNEL)
#define QUERY_IN         QUERY_KIND(TRACE_KIND_H2D)
#define QUERY_BACK       QUERY_KIND(TRACE_KIND_D2H)
#define QUERY_COPIES     (QUERY_IN | QUERY_BACK)
#define QUERY_PEER       QUERY_KIND(TRACE_KIND_PEER)
/* Every operation of these kinds. */
#define QUERY_OF(which) (&(struct query){.kinds = (which)})

/* Operations: the next one by start time after @after (NULL: the first). */
const struct trace_op *query_next(const struct trace *trace,
                                  const struct query *query,
                                  const struct trace_op *after);
/* The first one of some kinds; and of those in the legacy default stream. */
const struct trace_op *query_first(const struct trace *trace, unsigned kinds);
const struct trace_op *query_first_default(const struct trace *trace,
                                           unsigned kinds);
unsigned query_count(const struct trace *trace, unsigned kinds);
/* Operations of @kinds whose call came before that of @op. */
unsigned query_ahead(const struct trace *trace, unsigned kinds,
                     const struct trace_op *op);
uint64_t query_bytes(const struct trace *trace, unsigned kinds);

/* Source-level operations of kernels; 0 on a real GPU. */
uint64_t query_work(const struct trace *trace, unsigned kinds);

/* Streams, but for the legacy default ones, and devices that they ran in. */
unsigned query_streams(const struct trace *trace, unsigned kinds);
unsigned query_devices(const struct trace *trace, unsigned kinds);

/* Was there a time in which one of each was running? */
bool query_overlap(const struct trace *trace, unsigned kinds, unsigned others);

/*
 * Host calls by name; "cudaMemcpy*" is all that begin so. Those of the grader's
 * own driver do not count. query_call() finds the first one.
 */
const struct trace_call *query_next_call(const struct trace *trace,
                                         const char *name,
                                         const struct trace_call *after);
/* Is this place in the grader's own driver? */
bool query_is_own(const char *at);
#define query_call(trace, name) query_next_call(trace, name, NULL)
unsigned query_calls(const struct trace *trace, const char *name);
/* Calls of @first that ended before the last call of @last began. */
unsigned query_calls_before(const struct trace *trace, const char *first,
                            const char *last);

/* The first call of @name, if one of them has copies or launches behind it. */
const struct trace_call *query_call_between(const struct trace *trace,
                                            const char *name);
/* By which the host waits for a stream, a device or an event: the first call,
 * in this order; with @between one that has copies or launches behind it. */
const struct trace_call *query_wait(const struct trace *trace, bool between);

/* The one that the student's code recorded last, or NULL. */
const struct trace_event *query_last_event(const struct trace *trace);

/* Does the host wait here? Is it a copy or a launch that is queued? */
bool query_is_wait(const struct trace_call *call);
bool query_is_issue(const struct trace_call *call);
/* A function that is called once: do its threads call CUDA, though it has
 * returned and the driver goes on? */
bool query_threads_left(const struct trace *trace);

/* The GPU that a stream belongs to, the current one's where @call is in the
 * default stream; TRACE_MAX_DEVICES for a stream that nothing ran in. */
unsigned query_home(const struct trace *trace, const struct trace_call *call);

/* The call that made an operation, or NULL. "lab.cu:31" of an operation or a
 * call without its folders; "" of none. */
const struct trace_call *query_call_of(const struct trace *trace,
                                       const struct trace_op *op);
const char *query_place(const char *at);

#endif
