/* chunks.c: mistakes in the operations of a chunk, told apart */
#include "chunks.h"

#include <stdio.h>
#include <string.h>

#include "judge/judge.h"
#include "number.h"

/* ---- what a trace shows -------------------------------------------------- */

static void take_place(char to[64], const char *at)
{
    if (to[0] == '\0')
        snprintf(to, 64, "%s", query_place(at));
}

static bool is_copy(const struct trace_op *op)
{
    return op->kind == TRACE_KIND_H2D || op->kind == TRACE_KIND_D2H;
}

static void count_op(struct trace_facts *facts, const struct trace_op *op)
{
    if (op->kind == TRACE_KIND_KERNEL) {
        facts->kernels++;
        if (op->stream == 0) {
            facts->kernels_default++;
            take_place(facts->kernel_at, op->at);
        }
    } else if (is_copy(op)) {
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
            take_place(facts->copy_at, op->at);
        }
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
    const struct trace_call *call = NULL;
    uint64_t last_issue_ns = 0;

    while ((call = query_next_call(trace, "cuda*", call)) != NULL)
        if (is_issue(call))
            last_issue_ns = max_u64(call->start_ns, last_issue_ns);
    while ((call = query_next_call(trace, "cuda*", call)) != NULL) {
        if (strcmp(call->name, "cudaMemcpy") == 0) {
            facts->blocking_copies++;
            take_place(facts->copy_at, call->at);
        }
        facts->waits += is_wait(call);
        if (is_wait(call) && call->end_ns <= last_issue_ns) {
            facts->waits_between++;
            take_place(facts->wait_at, call->at);
        }
    }
}

void trace_facts_take(struct trace_facts *facts, const struct trace *trace)
{
    const struct query work = {.kinds = QUERY_KIND(TRACE_KIND_KERNEL) |
                                        QUERY_COPIES};
    const struct query of_default = {.kinds = work.kinds, .one_stream = true};
    const struct trace_op *op = NULL;

    memset(facts, 0, sizeof *facts);
    facts->there = true;
    while ((op = query_next(trace, &work, op)) != NULL)
        count_op(facts, op);
    facts->streams =
        query_streams(trace, &work) - query_streams(trace, &of_default);
    count_calls(facts, trace);
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

static struct finding explain_error(const struct chunks *chunks,
                                    const struct api_error *error)
{
    if (strncmp(error->call, "cudaMemcpy", 10) == 0 &&
        strcmp(error->name, "cudaErrorInvalidValue") == 0)
        return finding_make(
            "outside-the-array", chunks->idea,
            "%s: this copy reaches beyond the array. A pointer to uint64_t "
            "moves by entries: offsets count entries. The size of a copy and "
            "the size of memory count bytes.",
            error->at);
    return finding_make("cuda-error", NULL,
                        "%s returned %s at %s, and CHECK ended the program.",
                        error->call, error->name, error->at);
}

struct finding chunks_explain_end(const struct chunks *chunks,
                                  const struct case_run *run)
{
    if (run->error.at[0] != '\0')
        return explain_error(chunks, &run->error);
    if (run->end == CHILD_MEMORY)
        return finding_make("too-much-memory", NULL,
                            "The program takes more and more memory: nothing "
                            "needs to be allocated here.");
    if (run->end != CHILD_TIMEOUT && run->end != CHILD_FLOOD &&
        (run->late[0] != '\0' || run->fault.length > 0))
        return finding_make("outside-the-array", chunks->idea,
                            "The kernel reaches beyond the array: it starts "
                            "at the chunk's first entry and takes the "
                            "chunk's entries, counted in entries.");
    return finding_end(run);
}

/* ---- not waited for ------------------------------------------------------ */

struct finding chunks_explain_not_waited(const struct chunks *chunks)
{
    const struct trace_facts *trace = chunks->trace;

    if (trace->copies_default > 0 && trace->waits > 0)
        return finding_make(
            "copy-default-stream", chunks->idea,
            "%s: the copy is in the default stream, not in the chunk's, and "
            "nothing waits for it there. The stream is the last argument.",
            trace->copy_at);
    if (trace->kernels_default > 0 && trace->waits > 0)
        return finding_make(
            "kernel-default-stream", chunks->idea,
            "%s: the kernel is in the default stream, not in the chunk's, "
            "and nothing waits for it there. The stream is the fourth launch "
            "argument.",
            trace->kernel_at);
    if (trace->waits > 0)
        return finding_make("partial-sync", chunks->task,
                            "The function waits for some of its streams "
                            "only: wait for every one.");
    return finding_make("no-final-sync", chunks->task,
                        "The function returns before its work is done. Its "
                        "calls only queue: wait for the streams at the "
                        "end.");
}

/* ---- wrong entries ------------------------------------------------------- */

static struct finding explain_nothing_done(const struct chunks *chunks)
{
    if (chunks->first_todo > 0)
        return finding_make("open-todo", chunks->task,
                            "TODO %d is the first that is still open: nothing "
                            "is decrypted yet.",
                            chunks->first_todo);
    return finding_make("nothing-done", chunks->task,
                        "No chunk is copied to the device, decrypted or "
                        "copied back.");
}

/* Each copy took an eighth of its chunk. */
static struct finding explain_bytes(const struct chunks *chunks,
                                    const struct chunks_left *left,
                                    uint64_t chunk)
{
    const struct cells *device = &left->device;
    const uint64_t eighth = chunk / sizeof(uint64_t);

    if (eighth > 0 && ((device->count[CELL_UNTOUCHED_RUN] > 0 &&
                        device->first[CELL_UNTOUCHED_RUN] == eighth) ||
                       (device->wrong == 0 && left->host.wrong > 0 &&
                        left->host.count[CELL_CIPHER] == left->host.wrong &&
                        left->host.first_wrong == eighth)))
        return finding_make("bytes-not-entries", chunks->idea,
                            "Only the first eighth of each chunk is copied: "
                            "the size of a copy is in bytes, and an entry "
                            "has 8 of them.");
    return finding_none();
}

/* The device's buffer is as it should be; the host's is not. */
static struct finding explain_copy_back(const struct chunks *chunks,
                                        const struct chunks_left *left,
                                        uint64_t chunk, uint64_t entries)
{
    if (cells_all(&left->host, CELL_CIPHER, entries) &&
        chunks->trace->copies_back > 0)
        return chunks_explain_not_waited(chunks);
    if (cells_all(&left->host, CELL_CIPHER, entries))
        return finding_make("no-copy-back", chunks->task,
                            "The device holds the right entries, but nothing "
                            "is copied back to the host.");
    if (cells_cover(&left->host, CELL_CIPHER, chunk, entries))
        return finding_make(
            "copy-back-host-offset", chunks->idea,
            "Every chunk is copied back to the start of the host's array: "
            "add the chunk's offset to the destination of the copy back.");
    if (left->host.count[CELL_MOVED] > 0 || left->host.count[CELL_UNKNOWN] > 0)
        return finding_make(
            "copy-back-device-offset", chunks->idea,
            "Every chunk of the host gets the start of the device's array: "
            "add the chunk's offset to the source of the copy back.");
    return finding_none();
}

static struct finding explain_kernel(const struct chunks *chunks,
                                     const struct chunks_left *left,
                                     uint64_t chunk, uint64_t entries)
{
    const struct cells *device = &left->device;

    if (cells_all(device, CELL_CIPHER, entries))
        return finding_make("no-kernel", chunks->task,
                            "The entries are copied to the device and back, "
                            "still encrypted: no kernel decrypts them.");
    if (device->count[CELL_CIPHER] > 0 && device->first[CELL_CIPHER] >= chunk &&
        device->count[CELL_RIGHT] < entries - device->count[CELL_CIPHER] + 1)
        return finding_make(
            "kernel-offset", chunks->idea,
            "Only the start of the device's array is decrypted, over and "
            "over: the kernel's pointer needs the chunk's offset.");
    if (device->count[CELL_ROUNDS] > 0)
        return finding_make("wrong-rounds", chunks->task,
                            "The entries are decrypted with another number "
                            "of rounds: hand `num_iters` to the kernel.");
    if (device->count[CELL_AGAIN] > 0)
        return finding_make(
            "decrypted-again", chunks->idea,
            "Entries are decrypted more than once: each kernel must get the "
            "entries of its own chunk, no more.");
    return finding_none();
}

static struct finding explain_copy_in(const struct chunks *chunks,
                                      const struct chunks_left *left,
                                      uint64_t chunk, uint64_t entries)
{
    const struct cells *device = &left->device;
    const uint64_t stale =
        device->count[CELL_UNTOUCHED_RUN] + device->count[CELL_UNTOUCHED];

    if (stale == entries && device->count[CELL_UNTOUCHED_RUN] > 0)
        return finding_make("no-copy-in", chunks->task,
                            "The kernel decrypts memory that nothing was "
                            "copied to: copy the chunk in first.");
    if (stale > 0 && stale >= entries - chunk &&
        device->count[CELL_UNTOUCHED_RUN] > 0)
        return finding_make(
            "copy-in-device-offset", chunks->idea,
            "Every chunk is copied to the start of the device's array: add "
            "the chunk's offset to the destination of the copy in.");
    if (device->count[CELL_MOVED] + device->count[CELL_AGAIN] +
                device->count[CELL_UNKNOWN] >
            0 &&
        device->first_wrong >= chunk && stale == 0)
        return finding_make(
            "copy-in-host-offset", chunks->idea,
            "Every chunk gets the start of the host's array: add the "
            "chunk's offset to the source of the copy in.");
    return finding_none();
}

struct finding chunks_explain_wrong(const struct chunks *chunks,
                                    const struct chunks_left *left)
{
    const uint64_t entries = chunks->entries;
    const uint64_t chunk = entries / chunks->streams;
    struct finding found;

    if (left->pending && left->pending[0] != '\0')
        return finding_make("cuda-error", NULL,
                            "A CUDA call failed with %s and nobody looked: "
                            "wrap every call in CHECK.",
                            left->pending);
    if (cells_all(&left->device, CELL_UNTOUCHED, entries) &&
        cells_all(&left->host, CELL_CIPHER, entries))
        return explain_nothing_done(chunks);
    if (left->running)
        return chunks_explain_not_waited(chunks);
    found = explain_bytes(chunks, left, chunk);
    if (found.id)
        return found;
    if (cells_all(&left->device, CELL_RIGHT, entries))
        return explain_copy_back(chunks, left, chunk, entries);
    found = explain_copy_in(chunks, left, chunk, entries);
    if (found.id == NULL)
        found = explain_kernel(chunks, left, chunk, entries);
    return found;
}

/* ---- order --------------------------------------------------------------- */

struct finding chunks_explain_order(const struct chunks *chunks,
                                    const struct checked *checked)
{
    if (checked->by_driver)
        return chunks_explain_not_waited(chunks);
    if (checked->hazards > 0)
        return finding_make("hazard", chunks->idea,
                            "Two operations on the same entries are in "
                            "different streams. The copy in, the kernel and "
                            "the copy back of a chunk belong in one stream.");
    return finding_none();
}

/* ---- speed --------------------------------------------------------------- */

static struct finding explain_streams(const struct chunks *chunks)
{
    const struct trace_facts *trace = chunks->trace;
    const uint64_t bytes = chunks->trace_entries * sizeof(uint64_t);

    if (trace->kernels_default > 0)
        return finding_make("kernel-default-stream", chunks->idea,
                            "%s: the kernel is in the default stream, which "
                            "waits for all other streams and holds them. The "
                            "stream is the fourth launch argument.",
                            trace->kernel_at);
    if (trace->copies_default > 0)
        return finding_make("copy-default-stream", chunks->idea,
                            "%s: the copy is in the default stream, which "
                            "waits for all other streams and holds them. The "
                            "stream is the last argument.",
                            trace->copy_at);
    if (trace->bytes_in > bytes * 3 / 2 || trace->bytes_back > bytes * 3 / 2)
        return finding_make("whole-array", chunks->idea,
                            "More is copied than there is: each chunk must "
                            "copy its own entries, not the whole array.");
    if (trace->waits_between > 0)
        return finding_make("sync-in-loop", chunks->idea,
                            "%s: the host waits before it queues the next "
                            "chunk, so nothing overlaps. Wait once, after "
                            "the loop.",
                            trace->wait_at);
    if (trace->streams < chunks->trace_streams)
        return finding_make("few-streams", chunks->idea,
                            "Only %u of %u streams get work. Each chunk has "
                            "a stream of its own.",
                            trace->streams, (unsigned)chunks->trace_streams);
    return finding_none();
}

struct finding chunks_explain_slow(const struct chunks *chunks)
{
    const struct trace_facts *trace = chunks->trace;

    if (!trace->there)
        return finding_none();
    if (trace->kernels == 0)
        return finding_make("host-decrypt", chunks->task,
                            "The entries are right, but no kernel ran: they "
                            "were not decrypted on the device.");
    if (trace->blocking_copies > 0)
        return finding_make("blocking-copy", chunks->idea,
                            "%s: cudaMemcpy holds the host until the copy is "
                            "done. Use cudaMemcpyAsync in the chunk's stream.",
                            trace->copy_at);
    return explain_streams(chunks);
}
