/* chunks.c: mistakes in the operations of a chunk, told apart */
#include "chunks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cipher_entry.h"
#include "judge/causes.h"
#include "judge/judge.h"
#include "number.h"

/* ---- what a trace shows -------------------------------------------------- */

static void take_place(char to[64], const char *at)
{
    if (to[0] == '\0')
        snprintf(to, 64, "%s", query_place(at));
}

/* Places are those of the first: there a student looks first. */
static void count_op(struct trace_facts *facts, const struct trace_op *op)
{
    if (op->kind == TRACE_KIND_KERNEL) {
        facts->kernels++;
        facts->most_work = max_u64(facts->most_work, op->work);
        facts->least_work = facts->kernels == 1
                                ? op->work
                                : min_u64(facts->least_work, op->work);
        if (op->stream == 0) {
            facts->kernels_default++;
            take_place(facts->kernel_at, op->at);
        }
    } else {
        struct trace_way *const way =
            op->kind == TRACE_KIND_H2D ? &facts->in : &facts->back;

        way->copies++;
        way->bytes += op->bytes;
        way->longest = max_u64(way->longest, op->bytes);
        take_place(way->at, op->at);
        facts->pageable += op->mem == TRACE_MEM_PAGEABLE;
        if (op->stream == 0) {
            facts->copies_default++;
            take_place(facts->copy_at, op->at);
        }
    }
}

/* An event stands for what is ahead of it: a wait for one that was recorded
 * before the work is too early, wherever it stands. */
static void count_calls(struct trace_facts *facts, const struct trace *trace)
{
    const struct trace_call *call = NULL;
    uint64_t first_issue_ns = UINT64_MAX, last_issue_ns = 0, record_ns = 0;
    uint64_t for_ns;
    bool of_event;

    while ((call = query_next_call(trace, "cuda*", call)) != NULL) {
        if (query_is_issue(call)) {
            first_issue_ns = min_u64(call->start_ns, first_issue_ns);
            last_issue_ns = max_u64(call->start_ns, last_issue_ns);
        }
        if (text_matches(call->name, "cudaEventRecord*")) {
            record_ns = max_u64(call->start_ns, record_ns);
            facts->records++;
        }
    }
    while ((call = query_next_call(trace, "cuda*", call)) != NULL) {
        facts->by_threads |= call->thread != 0;
        if (strcmp(call->name, "cudaMemcpy") == 0) {
            facts->blocking_copies++;
            take_place(facts->copy_at, call->at);
        }
        if (!query_is_wait(call))
            continue;
        of_event = strcmp(call->name, "cudaEventSynchronize") == 0;
        for_ns = of_event ? record_ns : call->start_ns;
        facts->waits++;
        facts->waits_of_events += of_event;
        if (for_ns < first_issue_ns) {
            facts->waits_early++;
            take_place(facts->early_at, call->at);
        }
        if (for_ns < last_issue_ns) {
            facts->waits_short++;
            take_place(facts->short_at, call->at);
        }
        if (call->end_ns <= last_issue_ns) {
            facts->waits_between++;
            take_place(facts->wait_at, call->at);
        }
    }
}

/* 1024 leave most of any GPU idle, where each has more than 16 entries; so does
 * one block that has to go on when each of its threads has done an entry. */
static const struct trace_op *find_few_threads(const struct trace *trace)
{
    const struct trace_op *const copy = query_first(trace, QUERY_IN);
    const uint64_t entries = copy ? copy->bytes / sizeof(uint64_t) : UINT64_MAX;
    const struct trace_op *op = NULL;

    while ((op = query_next(trace, QUERY_OF(QUERY_KERNELS), op)) != NULL) {
        const uint64_t threads =
            strtoull(op->grid, NULL, 10) * strtoull(op->block, NULL, 10);

        if (strstr(op->grid, "x1x1") && strstr(op->block, "x1x1") &&
            ((threads < 1024 && entries / 16 > threads) ||
             (entries > threads && strncmp(op->grid, "1x", 2) == 0)))
            return op;
    }
    return NULL;
}

struct finding trace_explain_slow(const struct trace *trace)
{
    const struct trace_op *const few = find_few_threads(trace);
    const struct finding found = trace_explain_default(trace);

    return found.id || !few ? found : mistake_at("few-threads", few->at);
}

void trace_facts_take(struct trace_facts *facts, const struct trace *trace)
{
    const struct query work = {.kinds = QUERY_KERNELS | QUERY_COPIES};
    const struct trace_op *op = NULL;

    memset(facts, 0, sizeof *facts);
    facts->there = trace != NULL;
    facts->unordered = trace && trace->num_hazards > 0;
    while ((op = query_next(trace, &work, op)) != NULL)
        if (!query_is_own(op->at))
            count_op(facts, op);
    op = query_first(trace, QUERY_KERNELS);
    facts->kernel_first = op && query_ahead(trace, QUERY_IN, op) == 0;
    facts->streams = query_streams(trace, work.kinds);
    facts->apart =
        query_streams(trace, QUERY_IN) != query_streams(trace, QUERY_BACK);
    count_calls(facts, trace);
    facts->few_threads = find_few_threads(trace);
    facts->threads_left = query_threads_left(trace);
}

/* Such a size cannot be a chunk's by chance. */
struct finding trace_explain_bytes(const struct trace_facts *facts,
                                   uint64_t bytes)
{
    for (unsigned parts = 2; parts <= 8 && parts <= bytes; parts *= 2) {
        const bool in = facts->in.longest == bytes / parts;

        if (in || facts->back.longest == bytes / parts)
            return mistake_with("bytes-not-entries", "at=%s\npercent=%u",
                                in ? facts->in.at : facts->back.at,
                                100 / parts);
    }
    return finding_none();
}

/* The streams do not wait for the default stream: what is in it is in nobody's
 * order. A copy that holds the host is there, too, and its name says more. */
struct finding trace_explain_default(const struct trace *trace)
{
    return mistake_first((struct sign[]){
        SIGN_AT("blocking-copy", query_call(trace, "cudaMemcpy")),
        SIGN_AT("copy-default-stream",
                query_first_default(trace, QUERY_COPIES)),
        SIGN_AT("kernel-default-stream",
                query_first_default(trace, QUERY_KERNELS))});
}

int trace_only_waited(const struct trace *trace, const char *name)
{
    const struct trace_call *call = NULL;
    int only = -1;

    while ((call = query_next_call(trace, name, call))) {
        const bool of_device = strcmp(call->name, "cudaDeviceSynchronize") == 0;
        int gpu;

        if (!query_is_wait(call))
            continue;
        gpu = (int)(of_device ? call->device : query_home(trace, call));
        if (strcmp(call->name, "cudaEventSynchronize") == 0 ||
            (only >= 0 && gpu != only))
            return -1;
        only = gpu;
    }
    return only;
}

/* ---- predicates ---------------------------------------------------------- */

bool cells_all(const struct cells *cells, enum cell kind, uint64_t entries)
{
    return cells->count[kind] == entries;
}

bool cells_cover(const struct cells *cells, enum cell kind, uint64_t from,
                 uint64_t to)
{
    return cells->count[kind] == to - from && to > from &&
           cells->first[kind] == from && cells->last[kind] == to - 1;
}

/* ---- a function that did not return -------------------------------------- */

bool chunks_is_illegal_address(const struct case_run *run)
{
    return case_failed(run, NULL, "IllegalAddress") ||
           strcmp(run->late, "cudaErrorIllegalAddress") == 0;
}

/* CUDA 13 on an H200 says InvalidValue to it. */
bool chunks_is_empty_launch(const struct case_run *run)
{
    const char *const why = run->error.why;

    return case_failed(run, NULL, "InvalidConfiguration") ||
           (case_failed(run, "cuda*LastError*", "InvalidValue") &&
            (!why[0] || text_matches(why, "*has no blocks*")));
}

struct finding chunks_explain_end(const struct case_run *run)
{
    const bool lost = run->late[0] != '\0' || run->fault.length > 0;
    const struct finding found = mistake_first((struct sign[]){
        {case_failed(run, "cudaMemcpy*", "InvalidValue"), "outside-the-array"},
        {run->end == CHILD_MEMORY, "too-much-memory/chunk"},
        {lost && run->end != CHILD_TIMEOUT && run->end != CHILD_FLOOD,
         "outside-the-array/chunk"}});

    return found.id ? found : finding_end(run);
}

/* ---- not waited for ------------------------------------------------------ */

struct finding chunks_explain_not_waited(const struct chunks *chunks)
{
    const struct trace_facts *const trace = chunks->trace;

    return mistake_first((struct sign[]){
        {trace->by_threads, "partial-sync/threads"},
        {trace->waits == 0, "no-final-sync/chunk"},
        {trace->copies_default > 0, "copy-default-stream", trace->copy_at},
        {trace->kernels_default > 0, "kernel-default-stream", trace->kernel_at},
        {trace->waits == trace->waits_early, "no-final-sync/early",
         trace->early_at},
        {trace->waits == trace->waits_short, "partial-sync/before-back",
         trace->short_at},
        {trace->waits == trace->waits_of_events &&
             trace->records > trace->waits,
         "partial-sync/one-event"},
        {true, "partial-sync/chunk"}});
}

/* ---- wrong entries ------------------------------------------------------- */

/* Entries are as they were, on the host and on the device: whole chunks? */
static struct finding explain_missing(const struct chunks_left *left,
                                      uint64_t chunk, uint64_t entries)
{
    const struct cells *const host = &left->host, *const device = &left->device;
    const uint64_t first = host->first_wrong, wrong = host->wrong;

    if (wrong == 0 || host->count[CELL_CIPHER] != wrong ||
        device->count[CELL_UNTOUCHED] != wrong ||
        device->first[CELL_UNTOUCHED] != first)
        return finding_none();
    return mistake_with(wrong % chunk || first % chunk ? "entries-missed/all"
                        : first == 0                   ? "chunk-missing/first"
                        : first + wrong == entries     ? "chunk-missing"
                                                       : "chunk-missing/some",
                        "first=%llu\nwrong=%llu", (unsigned long long)first,
                        (unsigned long long)wrong);
}

/* The device's buffer is as it should be; the host's is not. Whose chunks all
 * go to the first one's place has another's entries there: where these are
 * right, the others were copied back ahead of their kernels. */
static struct finding explain_copy_back(const struct chunks *chunks,
                                        const struct cells *host,
                                        uint64_t chunk, uint64_t entries)
{
    const bool none_came = cells_all(host, CELL_CIPHER, entries);
    const struct sign signs[] = {
        {none_came, "no-copy-back/chunk"},
        {cells_cover(host, CELL_CIPHER, chunk, entries) &&
             host->wrong > host->count[CELL_CIPHER],
         "copy-back-host-offset"},
        {host->count[CELL_MOVED] > 0 || host->count[CELL_UNKNOWN] > 0,
         "copy-back-device-offset"}};

    return none_came && chunks->trace->back.copies > 0
               ? chunks_explain_not_waited(chunks)
               : mistake_first(signs);
}

/* By what the device holds, as the data go: the copy in, then the kernel, which
 * cannot be told from a copy that went wrong before. Whoever copies the start
 * of the array to all places has no entry right behind the first chunk. */
static struct finding explain_device(const struct chunks *chunks,
                                     const struct cells *device, uint64_t chunk,
                                     uint64_t entries)
{
    const struct trace_facts *const trace = chunks->trace;
    const uint64_t *const count = device->count;
    const uint64_t stale = count[CELL_UNTOUCHED_RUN] + count[CELL_UNTOUCHED];
    const bool run = count[CELL_UNTOUCHED_RUN] > 0;
    const bool again = count[CELL_AGAIN] > 0;
    const bool too_much =
        trace->in.bytes > chunks->trace_entries * sizeof(uint64_t);
    const struct sign signs[] = {
        {run && stale == entries, "no-copy-in"},
        {run && stale >= entries - chunk && !trace->apart,
         "copy-in-device-offset"},
        {!again && stale == 0 && device->first_wrong == chunk &&
             device->wrong == entries - chunk &&
             count[CELL_MOVED] + count[CELL_UNKNOWN] > 0,
         "copy-in-host-offset"},
        {cells_all(device, CELL_CIPHER, entries) && too_much &&
             trace->back.copies == 0,
         "copied-in-twice"},
        {cells_all(device, CELL_CIPHER, entries),
         trace->kernels == 0   ? "no-kernel"
         : trace->kernel_first ? "kernel-first/copy"
                               : "kernel-elsewhere"},
        {again && device->first[CELL_AGAIN] < chunk && count[CELL_CIPHER] > 0 &&
             device->first[CELL_CIPHER] >= chunk,
         "kernel-offset"},
        {count[CELL_ROUNDS] > 0, "wrong-rounds"},
        {again && chunks->trace_streams > 1 &&
             trace->in.longest == chunks->trace_entries * sizeof(uint64_t),
         "whole-array"},
        {again && (too_much || count[CELL_UNTOUCHED] > 0), "chunks-overlap"},
        {again, "decrypted-again"},
        {stale == 0 && count[CELL_UNKNOWN] > 0, "kernel-arguments"}};

    return mistake_with(mistake_first(signs).id, "first=%llu",
                        (unsigned long long)device->first[CELL_AGAIN]);
}

const char *chunks_short_operation(const struct chunks_left *left,
                                   uint64_t entries)
{
    const uint64_t *const host = left->host.count;
    const uint64_t *const device = left->device.count;
    const uint64_t right = device[CELL_RIGHT];
    const bool still = host[CELL_CIPHER] > 0 &&
                       host[CELL_RIGHT] + host[CELL_CIPHER] == entries;

    return still && right == entries                         ? "copy back"
           : still && right + device[CELL_CIPHER] == entries ? "kernel"
           : right < entries && right + device[CELL_UNTOUCHED_RUN] == entries
               ? "copy in"
               : NULL;
}

/* What is too long reaches its own entries, too: none of them is as it was. */
struct finding chunks_explain_shift(const struct chunks_left *left)
{
    const struct cells *const host = &left->host;

    return !left->overrun.copy_back || left->running || host->wrong == 0 ||
                   host->count[CELL_CIPHER] != host->wrong
               ? finding_none()
               : mistake_with("chunks-elsewhere", "first=%llu",
                              (unsigned long long)host->first_wrong);
}

/* In the order of the work, since what is wrong early is wrong behind it, too:
 * where the device's data are right, the copies back are at fault. */
struct finding chunks_explain_wrong(const struct chunks *chunks,
                                    const struct chunks_left *left)
{
    const uint64_t entries = chunks->entries;
    const uint64_t chunk = entries / chunks->streams;
    const char *missing;
    struct finding found;

    if (left->pending && left->pending[0] != '\0')
        return cause_of_error(left->seen, left->pending);
    if (chunks->trace->threads_left)
        return chunks_explain_not_waited(chunks);
    if (cells_all(&left->device, CELL_UNTOUCHED, entries) &&
        cells_all(&left->host, CELL_CIPHER, entries))
        return chunks->first_todo > 0
                   ? mistake_with("open-todo/chunk", "todo=%d",
                                  chunks->first_todo)
                   : mistake("nothing-done");
    /* What is decrypted more than once, no waiting mends. */
    if (left->running && left->device.count[CELL_AGAIN] == 0)
        return chunks_explain_not_waited(chunks);
    found = trace_explain_bytes(
        chunks->trace,
        div_up(chunks->trace_entries, max_u64(chunks->trace_streams, 1)) *
            sizeof(uint64_t));
    if (!found.id)
        found = explain_missing(left, chunk, entries);
    if (!found.id)
        found = chunks_explain_shift(left);
    if (!found.id && left->overrun.copy_back && !left->overrun.copy_in &&
        !left->overrun.kernel)
        return mistake("copy-back-too-long");
    if (found.id)
        return found;
    found = cells_all(&left->device, CELL_RIGHT, entries)
                ? explain_copy_back(chunks, &left->host, chunk, entries)
                : explain_device(chunks, &left->device, chunk, entries);
    missing = chunks_short_operation(left, entries);
    return found.id || !missing || chunks->trace->unordered
               ? found
               : mistake_with("entries-missed", "missing=%s\nfirst=%llu",
                              missing,
                              (unsigned long long)left->host.first_wrong);
}

/* ---- order --------------------------------------------------------------- */

struct finding chunks_explain_order(const struct chunks *chunks,
                                    const struct checked *checked)
{
    const struct trace_facts *const trace = chunks->trace;
    /* Though no copy is longer than the others. */
    const bool too_long =
        trace->in.longest * trace->in.copies < trace->in.bytes * 5 / 4 &&
        trace->most_work > trace->least_work * 5 / 4;

    return checked->by_driver
               ? chunks_explain_not_waited(chunks)
               : mistake_first((struct sign[]){{checked->hazards == 0, NULL},
                                               {too_long, "kernel-too-long"},
                                               {true, "hazard/chunk"}});
}

/* ---- speed --------------------------------------------------------------- */

/* What holds up most comes first: it may bring what stands behind it. */
struct finding chunks_explain_slow(const struct chunks *chunks)
{
    const struct trace_facts *trace = chunks->trace;
    const uint64_t most = chunks->trace_entries * sizeof(uint64_t) * 3 / 2;
    const struct finding found = mistake_first((struct sign[]){
        {!trace->there, NULL},
        {trace->kernels == 0, "host-decrypt/no-kernel"},
        {trace->blocking_copies > 0, "blocking-copy/chunk", trace->copy_at},
        {trace->kernels_default > 0, "kernel-default-stream/chunk",
         trace->kernel_at},
        {trace->copies_default > 0, "copy-default-stream/chunk",
         trace->copy_at},
        {trace->in.bytes > most || trace->back.bytes > most, "whole-array"},
        {trace->waits_between > 0, "sync-in-loop/chunk", trace->wait_at},
        SIGN_AT("few-threads", trace->few_threads),
        {trace->streams >= chunks->trace_streams, NULL},
        {true, "few-streams/chunk"},
    });

    return mistake_with(found.id, "streams=%u\ntrace_streams=%u\n%s",
                        trace->streams, (unsigned)chunks->trace_streams,
                        found.values);
}

/* ---- behind the last entry ----------------------------------------------- */

/* A guard differs on host and device, so its value tells what brought it. */
void chunks_find_overrun(const struct reference *ref,
                         const uint64_t *host_guard,
                         const uint64_t *device_guard, struct overrun *overrun)
{
    const uint64_t *const before = ref->device + ref->entries;

    memset(overrun, 0, sizeof *overrun);
    for (uint64_t i = 0; i < ref->guard; i++) {
        const uint64_t host = ref->host_guard[i], now = device_guard[i];
        const uint64_t host_run = decrypt_entry(host, ref->iters);

        overrun->copy_back |= host_guard[i] != host;
        overrun->any |= now != before[i];
        overrun->copy_in |= now == host || now == host_run;
        overrun->kernel |=
            now == decrypt_entry(before[i], ref->iters) || now == host_run;
    }
    overrun->any |= overrun->copy_back;
    overrun->apart =
        device_guard[0] == before[0] && host_guard[0] == ref->host_guard[0];
}
