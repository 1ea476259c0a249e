/* facts.c: what a trace and what a program's words tell */
#include "case/evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_read.h"

/* "labs/08_x/lab.cu:31" becomes "lab.cu:31". */
static void take_place(char *to, size_t size, const char *at)
{
    const char *slash = strrchr(at, '/');

    if (to[0] == '\0')
        snprintf(to, size, "%.*s", (int)size - 1, slash ? slash + 1 : at);
}

static bool in_region(const struct trace *trace, uint64_t start_ns)
{
    bool inside = trace->num_marks == 0;

    for (size_t i = 0; i < trace->num_marks; i++)
        if (trace->marks[i].t_ns <= start_ns)
            inside = trace->marks[i].start;
    return inside;
}

static bool is_copy(const struct trace_op *op)
{
    return op->kind == TRACE_KIND_H2D || op->kind == TRACE_KIND_D2H;
}

static void count_op(struct trace_facts *facts, const struct trace_op *op)
{
    if (op->kind == TRACE_KIND_KERNEL) {
        facts->kernels++;
        facts->work += op->work;
        if (op->stream == 0) {
            facts->kernels_default++;
            take_place(facts->kernel_at, sizeof facts->kernel_at, op->at);
        }
    }
    if (!is_copy(op))
        return;
    if (op->kind == TRACE_KIND_H2D) {
        facts->copies_in++;
        facts->bytes_in += op->bytes;
    } else {
        facts->copies_back++;
        facts->bytes_back += op->bytes;
    }
    facts->pageable += op->mem == TRACE_MEM_PAGEABLE;
    if (op->stream == 0) {
        facts->copies_default++;
        take_place(facts->copy_at, sizeof facts->copy_at, op->at);
    }
}

static void count_streams(struct trace_facts *facts, const struct trace *trace)
{
    uint64_t seen[256];

    for (size_t i = 0; i < trace->num_ops; i++) {
        const struct trace_op *op = &trace->ops[i];
        unsigned k = 0;

        if (op->stream == 0 || !in_region(trace, op->start_ns) ||
            !(is_copy(op) || op->kind == TRACE_KIND_KERNEL))
            continue;
        while (k < facts->streams && seen[k] != op->stream)
            k++;
        if (k == facts->streams && k < 256)
            seen[facts->streams++] = op->stream;
    }
}

static bool is_wait(const struct trace_call *call)
{
    return strcmp(call->name, "cudaStreamSynchronize") == 0 ||
           strcmp(call->name, "cudaDeviceSynchronize") == 0 ||
           strcmp(call->name, "cudaEventSynchronize") == 0;
}

static bool is_issue(const struct trace_call *call)
{
    return strncmp(call->name, "cudaMemcpy", 10) == 0 ||
           strcmp(call->name, "cudaLaunchKernel") == 0;
}

static void count_calls(struct trace_facts *facts, const struct trace *trace)
{
    uint64_t last_issue_ns = 0;

    for (size_t i = 0; i < trace->num_calls; i++)
        if (is_issue(&trace->calls[i]) &&
            in_region(trace, trace->calls[i].start_ns) &&
            trace->calls[i].start_ns > last_issue_ns)
            last_issue_ns = trace->calls[i].start_ns;
    for (size_t i = 0; i < trace->num_calls; i++) {
        const struct trace_call *call = &trace->calls[i];

        if (!in_region(trace, call->start_ns))
            continue;
        if (strcmp(call->name, "cudaMemcpy") == 0) {
            facts->blocking_copies++;
            take_place(facts->copy_at, sizeof facts->copy_at, call->at);
        }
        facts->waits += is_wait(call) && !strstr(call->at, "grader/drivers/");
        if (is_wait(call) && call->end_ns <= last_issue_ns) {
            facts->waits_between++;
            take_place(facts->wait_at, sizeof facts->wait_at, call->at);
        }
    }
}

void trace_facts_take(struct trace_facts *facts, const struct trace *trace)
{
    memset(facts, 0, sizeof *facts);
    facts->there = true;
    for (size_t i = 0; i < trace->num_ops; i++)
        if (in_region(trace, trace->ops[i].start_ns))
            count_op(facts, &trace->ops[i]);
    count_streams(facts, trace);
    count_calls(facts, trace);
}

void trace_facts_read(struct trace_facts *facts, const char *path)
{
    struct trace trace;
    struct trace_error error;

    memset(facts, 0, sizeof *facts);
    if (trace_read(path, true, &trace, &error) != TRACE_OK)
        return;
    trace_facts_take(facts, &trace);
    trace_free(&trace);
}

/* ---- what CHECK prints --------------------------------------------------- */

/* Two lines: "FILE:LINE: CALL" and "    NAME: words". */
static bool take_check(struct api_error *error, const char *line,
                       const char *next)
{
    const char *colon = strstr(line, ": ");
    const int call = colon ? (int)strcspn(colon + 2, "\n(") : 0;
    char place[256];

    if (colon == NULL || colon > strchr(line, '\n') ||
        strncmp(next, "    cuda", 8) != 0)
        return false;
    snprintf(place, sizeof place, "%.*s", (int)(colon - line), line);
    error->at[0] = '\0';
    take_place(error->at, sizeof error->at, place);
    snprintf(error->call, sizeof error->call, "%.*s", call, colon + 2);
    snprintf(error->name, sizeof error->name, "%.*s",
             (int)strcspn(next + 4, ":\n"), next + 4);
    return true;
}

void api_error_find(struct api_error *error, const char *printed)
{
    memset(error, 0, sizeof *error);
    for (const char *line = printed; line && *line;) {
        const char *next = strchr(line, '\n');

        if (next == NULL)
            return;
        take_check(error, line, next + 1);
        line = next + 1;
    }
}
