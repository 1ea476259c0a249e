/*
 * 12_mgpu_work.c: one run of mgpu_decrypt: which streams it used, what it
 * waited for, and the verdict on it
 */
#include <stdlib.h>
#include <string.h>

#include "12_mgpu.h"
#include "chunks.h"

/* ---- waiting ------------------------------------------------------------- */

uint64_t mgpu_device_of_stream(const struct trace *trace, uint64_t stream)
{
    for (size_t i = 0; i < trace->num_ops; i++)
        if (trace->ops[i].stream == stream)
            return trace->ops[i].device;
    return TRACE_MAX_DEVICES;
}

/* The student's waits for each GPU, and for how many of its streams. */
struct waits {
    unsigned of_gpu[TRACE_MAX_DEVICES + 1], total, others;
};

static void waits_count(struct waits *waits, const struct trace *trace)
{
    const struct trace_call *call = NULL;

    memset(waits, 0, sizeof *waits);
    while ((call = query_next_call(trace, "cuda*", call))) {
        if (strcmp(call->name, "cudaStreamSynchronize") == 0)
            waits->of_gpu[mgpu_device_of_stream(trace, call->stream)]++;
        else if (strcmp(call->name, "cudaDeviceSynchronize") == 0)
            waits->of_gpu[call->device]++;
        else if (strcmp(call->name, "cudaEventSynchronize") == 0)
            waits->others++;
        else
            continue;
        waits->total++;
    }
}

static struct finding explain_waits(const struct mgpu_view *v)
{
    const struct case_run *const seen = v->run->virtual_run;
    unsigned waited = 0, which = 0;
    struct waits waits;

    if (seen == NULL || !seen->traced)
        return finding_none();
    waits_count(&waits, &seen->trace);
    if (waits.total == 0)
        return mistake("no-final-sync");
    for (unsigned g = 0; g < v->gpus; g++)
        if (waits.of_gpu[g] > 0) {
            waited++;
            which = g;
        }
    if (waited == 1 && which == v->gpus - 1 && waits.others == 0)
        return mistake_with("last-gpu-only", "which=%u", which);
    if (waited == 1 && waits.others == 0)
        return mistake_with("one-gpu-only", "which=%u", which);
    return mistake("partial-sync");
}

/* ---- streams of another GPU -----------------------------------------------
 */

static struct finding foreign_stream(const char *at, enum trace_kind kind,
                                     unsigned stream, unsigned memory)
{
    const char *const place = query_place(at);

    if (kind == TRACE_KIND_KERNEL)
        return mistake_with("foreign-stream", "place=%s\nmemory=%u\nstream=%u",
                            place, memory, stream);
    return mistake_with("foreign-stream/copy",
                        "place=%s\nback=%s\nmemory=%u\nstream=%u", place,
                        kind == TRACE_KIND_H2D ? "in" : "back", memory, stream);
}

static const struct trace_op *op_by_id(const struct trace *trace, uint64_t id)
{
    for (size_t i = 0; id > 0 && i < trace->num_ops; i++)
        if (trace->ops[i].id == id)
            return &trace->ops[i];
    return NULL;
}

/* Two operations on the same memory, in streams of different GPUs. One of them
 * is a kernel, so it is a GPU's memory, and the kernel's own GPU's. */
static struct finding explain_hazard(const struct trace *trace)
{
    for (size_t i = 0; i < trace->num_hazards; i++) {
        const struct trace_hazard *const hazard = &trace->hazards[i];
        const struct trace_op *one = op_by_id(trace, hazard->first_op);
        const struct trace_op *other = op_by_id(trace, hazard->second_op);

        if (one == NULL || other == NULL || one->device == other->device)
            continue;
        if (one->kind == TRACE_KIND_KERNEL && other->kind != TRACE_KIND_KERNEL)
            return foreign_stream(other->at, other->kind, other->device,
                                  one->device);
        if (other->kind == TRACE_KIND_KERNEL && one->kind != TRACE_KIND_KERNEL)
            return foreign_stream(one->at, one->kind, one->device,
                                  other->device);
    }
    return finding_none();
}

/* A kernel on GPU @user met memory of GPU @owner. Was its stream or its
 * pointer the wrong one? The GPU that was current tells which one was meant. */
struct finding mgpu_explain_unreachable(const struct case_run *run,
                                        unsigned owner, unsigned user)
{
    const struct trace *const trace = run->traced ? &run->trace : NULL;
    bool meant_owner = false, meant_user = false, by_default = false;
    const char *at = "";

    for (size_t i = 0; trace && i < trace->num_ops; i++) {
        const struct trace_op *const op = &trace->ops[i];
        const struct trace_call *const call = query_call_of(trace, op);

        if (op->kind != TRACE_KIND_KERNEL || op->device != user || !call)
            continue;
        meant_user |= call->device == user;
        by_default |= op->stream == 0;
        if (op->stream == 0 || call->device == owner) {
            meant_owner = true;
            at = op->at;
        }
    }
    if (by_default)
        return mistake_with("default-stream/memory", "at=%s\nuser=%u\nowner=%u",
                            query_place(at), user, owner);
    if (meant_owner && (owner != 0 || !meant_user))
        return foreign_stream(at, TRACE_KIND_KERNEL, user, owner);
    if (meant_user)
        return mistake_with("foreign-memory", "user=%u\nowner=%u", user, owner);
    return mistake_with("stream-and-memory", "user=%u\nowner=%u", user, owner);
}

/* ---- even chunks, uneven chunks, empty GPUs -------------------------------
 */

void mgpu_compare_job(const struct case_run *run, struct difference *found)
{
    struct mgpu_view v;

    if (!mgpu_view_open(&v, run))
        return;
    difference_arrays(
        found, &(struct judge_arrays){.type = JUDGE_U64,
                                      .got = v.out,
                                      .expected = v.plain,
                                      .count = v.n,
                                      .known = {{"still encrypted", v.in}},
                                      .noun = "entry"});
    mgpu_view_close(&v);
}

static bool is_untouched(const struct mgpu_view *v)
{
    return memcmp(v->in, v->out,
                  (v->n + v->guard + v->gpus * v->room) * sizeof *v->in) == 0;
}

/* What one GPU alone could have got wrong as well. */
static struct finding explain_as_one(const struct mgpu_view *v)
{
    const struct chunks chunks = {.idea = OFFSETS,
                                  .task = TASK,
                                  .entries = v->n,
                                  .streams = v->gpus * v->streams,
                                  .trace = &v->trace,
                                  .trace_entries = v->n,
                                  .trace_streams = v->gpus * v->streams};
    uint64_t *const both = malloc(2 * (v->n + 1) * sizeof *both);
    struct run_result result = {.ran = true};
    struct finding found = finding_none();

    if (both && v->n % (v->gpus * v->streams) == 0) {
        struct reference ref = {.entries = v->n,
                                .iters = v->iters,
                                .plain = v->plain,
                                .cipher = (uint64_t *)v->in,
                                .device = both + v->n};

        for (uint64_t i = 0; i < v->n; i++) {
            both[i] = mgpu_after(v, i / v->gpu_chunk, i % v->gpu_chunk);
            both[v->n + i] = mgpu_before(v, i / v->gpu_chunk, i % v->gpu_chunk);
        }
        reference_compare(&ref, v->out, &result.host);
        reference_compare(&ref, both, &result.device);
        found = chunks_explain_wrong(&chunks, &result);
    }
    free(both);
    return found;
}

static const struct trace_call *next_copy_in(const struct trace *trace,
                                             const struct trace_call *call)
{
    const struct trace_op *op = NULL;

    while ((call = query_next_call(trace, "cudaMemcpy*", call))) {
        for (size_t i = 0; i < trace->num_ops && !op; i++)
            if (trace->ops[i].call == call->id)
                op = &trace->ops[i];
        if (op && op->kind == TRACE_KIND_H2D)
            return call;
        op = NULL;
    }
    return NULL;
}

/* Is the nth kernel in another stream of the same GPU than the nth copy? */
static struct finding explain_split(const struct mgpu_view *v)
{
    const struct case_run *const seen = v->run->virtual_run;
    const struct trace_call *copy = NULL, *kernel = NULL;

    if (seen == NULL || !seen->traced || seen->checked.hazards == 0)
        return finding_none();
    while (
        (kernel = query_next_call(&seen->trace, "cudaLaunchKernel", kernel)) &&
        (copy = next_copy_in(&seen->trace, copy)))
        if (copy->stream != kernel->stream &&
            mgpu_device_of_stream(&seen->trace, copy->stream) ==
                mgpu_device_of_stream(&seen->trace, kernel->stream))
            return mistake_with(
                "chunk-in-two-streams", "at=%s\nat2=%s\nstream=%u",
                query_place(copy->at), query_place(kernel->at),
                (unsigned)mgpu_device_of_stream(&seen->trace, kernel->stream));
    return finding_none();
}

static struct finding explain_places(const struct mgpu_view *v)
{
    struct finding found = mgpu_explain_global(v);

    if (found.id == NULL && v->trace.there &&
        v->trace.bytes_in > v->n * sizeof(uint64_t) * 3 / 2)
        return mistake("too-much-copied");
    if (found.id == NULL)
        found = explain_split(v);
    if (found.id == NULL)
        found = mgpu_explain_stream_offset(v);
    if (found.id == NULL)
        found = mgpu_explain_gpu_lower(v);
    return found;
}

/* From what is on the GPUs to what is on the host, as the data go. */
static struct finding explain_job(const struct mgpu_view *v)
{
    const struct case_run *const seen = v->run->virtual_run;
    struct finding found = finding_none();

    if (v->n == 0 || is_untouched(v))
        return finding_none();
    found = explain_places(v);
    if (found.id == NULL && seen && seen->checked.hazards > 0)
        found = explain_hazard(&seen->trace);
    if (found.id == NULL && seen && seen->checked.by_driver)
        found = explain_waits(v);
    if (found.id == NULL)
        found = mgpu_explain_overrun(v);
    if (found.id == NULL && mgpu_parts_right(v))
        found = mgpu_explain_copy_back(v);
    if (found.id == NULL)
        found = mgpu_explain_left_out(v);
    if (found.id == NULL)
        found = explain_as_one(v);
    return found;
}

/* A chunk's operations are not all in one stream. */
static struct finding explain_order(const struct mgpu_view *v)
{
    const struct finding found = explain_job(v);

    if (found.id)
        return found;
    return mistake("hazard");
}

/* Entries of a GPU's memory that are not its own, or the host's guard. */
static bool is_overrun(const struct mgpu_view *v)
{
    for (uint64_t i = 0; i < v->guard; i++)
        if (v->out[v->n + i] != v->in[v->n + i])
            return true;
    for (uint64_t g = 0; g < v->gpus; g++)
        for (uint64_t i = mgpu_part_entries(v, g); i < v->room; i++)
            if (mgpu_after(v, g, i) != mgpu_before(v, g, i))
                return true;
    return false;
}

/* It works today, and did not with the toolkits that the books are about. */
static const char *remark(const struct case_run *run)
{
    const struct case_run *const seen = run->virtual_run;

    return seen && checked_find(&seen->checked, "warning", "text",
                                "older toolkits refused", NULL)
               ? "; older toolkits refuse a launch while another GPU is current"
               : "";
}

static void judge_view(const struct mgpu_view *v, struct judgement *judgement)
{
    const struct case_run *const run = v->run;

    if (run->pending[0])
        judge_clean(run, judgement);
    else if (!judge_right(run, judgement))
        judgement->finding = explain_job(v);
    else if (is_overrun(v))
        judge_fail(judgement, explain_job(v),
                   "the entries are right, but memory behind a chunk was "
                   "touched");
    else if (!judge_order(run, judgement))
        judgement->finding = explain_order(v);
    else if (v->n > 0 && v->trace.there && v->trace.kernels == 0)
        judge_fail(judgement, mistake("host-decrypt"), "no kernel ran");
    else
        judge_pass(judgement, "%llu entries, %llu GPUs, %llu streams each%s%s",
                   (ull)v->n, (ull)v->gpus, (ull)v->streams,
                   run->virtual_run ? ", no hazard" : "", remark(run));
}

void mgpu_judge_job(const struct case_run *run, struct judgement *judgement)
{
    struct mgpu_view v;

    if (mgpu_view_open(&v, run))
        judge_view(&v, judgement);
    mgpu_view_close(&v);
}
