/*
 * 13_mcipher_job.c: lab 13, one run of cipher_decrypt. What is waited for, what
 * the wrong entries are, and whether the mistake is one with GPUs.
 */
#include <string.h>

#include "13_mcipher.h"

/* ---- the operations, as a trace shows them ------------------------------- */

/* The run that a case is judged by: its own, or that of the even chunks. */
static const struct case_run *seen_of(const struct case_run *run)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct case_run *const one = case_other(run, ONE);

    if (run->virtual_run && run->virtual_run->traced)
        return run->virtual_run;
    if (even && even->virtual_run && even->virtual_run->traced)
        return even->virtual_run;
    return one && one->virtual_run && one->virtual_run->traced
               ? one->virtual_run
               : NULL;
}

static uint64_t chunks_of(const struct case_run *run)
{
    return case_param(run, "gpus") * case_param(run, "streams");
}

struct chunks mcipher_view(const struct case_run *run,
                           struct trace_facts *trace)
{
    const struct case_run *const seen = seen_of(run);

    memset(trace, 0, sizeof *trace);
    if (seen)
        trace_facts_take(trace, &seen->trace);
    return (struct chunks){
        .entries = case_param(run, "entries"),
        .streams = chunks_of(run),
        .trace = trace,
        .trace_entries = seen ? case_param(seen, "entries") : 0,
        .trace_streams = seen ? chunks_of(seen) : 0,
        .first_todo = run->evidence->first_todo,
    };
}

static unsigned kernel_devices(const struct case_run *run)
{
    const struct case_run *const seen = seen_of(run);

    return seen ? query_devices(
                      &seen->trace,
                      &(struct query){.kinds = QUERY_KIND(TRACE_KIND_KERNEL)})
                : 0;
}

/* ---- one run of a program's job ------------------------------------------ */

/* The TODO of lab.cu that is about the wait. */
enum { TODO_WAIT = 5 };

/* GPUs that the host waited for, once all work was queued, as bits. */
static unsigned waited_devices(const struct trace *trace)
{
    const struct trace_op *last = NULL, *op = NULL;
    const struct trace_call *call = NULL;
    unsigned devices = 0;
    uint64_t queued_ns = 0;

    while ((op = query_next(trace, &(struct query){0}, op)) != NULL)
        if (query_call_of(trace, op) &&
            query_call_of(trace, op)->start_ns > queued_ns) {
            queued_ns = query_call_of(trace, op)->start_ns;
            last = op;
        }
    while (last && (call = query_next_call(trace, "cudaDeviceSynchronize",
                                           call)) != NULL)
        if (call->start_ns > queued_ns)
            devices |= 1u << call->device;
    return devices;
}

static struct finding explain_not_waited(const struct case_run *run,
                                         const struct chunks *chunks)
{
    const struct case_run *const seen = seen_of(run);
    const unsigned waited = seen ? waited_devices(&seen->trace) : 0;

    if (run->evidence->first_todo > 0 && run->evidence->first_todo <= TODO_WAIT)
        return finding_open_todo(run->evidence);
    if (case_param(run, "gpus") < 2 || chunks->trace->waits == 0 ||
        chunks->trace->kernels_default + chunks->trace->copies_default > 0)
        return chunks_explain_not_waited(chunks);
    for (unsigned gpu = 0; waited && gpu < case_param(run, "gpus"); gpu++)
        if (waited == 1u << gpu)
            return mistake_with("one-gpu-waited", "gpu=%u", gpu);
    return mistake("partial-sync");
}

/* Right on one GPU, wrong on several. */
static struct finding explain_gpus(const struct case_run *run,
                                   const struct chunks_left *left)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t part = n / case_param(run, "gpus");
    const unsigned devices = kernel_devices(run);

    if (cells_cover(&left->host, CELL_CIPHER, part, n) && devices == 1)
        return run->evidence->first_todo > 0 ? finding_open_todo(run->evidence)
                                             : mistake("one-gpu-works");
    if (left->host.count[CELL_CIPHER] > 0 &&
        left->host.first[CELL_CIPHER] >= part)
        return mistake("gpu-offset-missing");
    if (left->device.first_wrong >= part &&
        (left->host.count[CELL_UNTOUCHED_RUN] > 0 ||
         left->host.count[CELL_UNTOUCHED] > 0))
        return mistake("device-offset");
    return finding_none();
}

/* Wrong on one GPU, and streams that come into each other's way. */
static struct finding explain_streams_share(const struct chunks *chunks,
                                            const struct chunks_left *left)
{
    const uint64_t chunk = chunks->entries / chunks->streams;

    if (cells_cover(&left->device, CELL_UNTOUCHED, chunk, chunks->entries))
        return mistake("stream-offset-missing");
    return mistake("hazard");
}

static struct finding explain_job(const struct case_run *run)
{
    struct trace_facts trace;
    const struct chunks chunks = mcipher_view(run, &trace);
    struct chunks_left left = {0};
    struct finding found = finding_none();

    if (!cipher_compare_cells(run, &left.host, &left.device))
        return finding_none();
    if (run->virtual_run && run->virtual_run->checked.by_driver)
        return explain_not_waited(run, &chunks);
    if (case_is(run, ONE))
        found = chunks_explain_wrong(&chunks, &left);
    if (case_is(run, ONE) && found.id == NULL && run->virtual_run &&
        run->virtual_run->checked.hazards > 0)
        found = explain_streams_share(&chunks, &left);
    if (case_is(run, EVEN))
        found = explain_gpus(run, &left);
    if (found.id == NULL && case_is(run, UNEVEN))
        found = cipher_explain_tail(chunks.entries, chunks.streams, &left.host);
    return found;
}

/* A hazard between two GPUs or within one? */
static struct finding explain_order(const struct case_run *run,
                                    const struct chunks *chunks)
{
    const struct checked *const checked = &run->virtual_run->checked;

    if (checked->by_driver)
        return explain_not_waited(run, chunks);
    if (case_is(run, UNEVEN) || case_is(run, EMPTY))
        return mistake("parts-overlap");
    if (case_is(run, EVEN))
        return mistake("gpus-share-entries");
    return chunks_explain_order(chunks, checked);
}

void mcipher_judge_job(const struct case_run *run, struct judgement *judgement)
{
    struct trace_facts trace;
    const struct chunks chunks = mcipher_view(run, &trace);

    if (!judge_right(run, judgement)) {
        judgement->finding = explain_job(run);
        return;
    }
    if (!judge_order(run, judgement)) {
        judgement->finding = explain_order(run, &chunks);
        return;
    }
    if (trace.there && trace.kernels == 0) {
        judge_fail(judgement, chunks_explain_slow(&chunks), "no kernel ran");
        return;
    }
    judge_pass(judgement, "%llu entries, %llu GPU%s, %llu streams each%s",
               ULL(chunks.entries), ULL(case_param(run, "gpus")),
               case_param(run, "gpus") == 1 ? "" : "s",
               ULL(case_param(run, "streams")),
               run->virtual_run ? ", no hazard" : "");
}
