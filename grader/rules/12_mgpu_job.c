/*
 * 12_mgpu_job.c: lab 12, one run of mgpu_decrypt, entry by entry. What lies
 * where, on the host and on each GPU, tells which offset or width is wrong. The
 * trace tells what is in a stream of another GPU, and what is waited for.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "12_mgpu.h"
#include "chunks.h"
#include "cipher_entry.h"
#include "number.h"

/* ---- what there is to see ------------------------------------------------ */

/* Layout as the driver's part has it: the host's entries and their guard, then
 * the room of each GPU. A GPU has room for all entries, so that an offset of
 * the host's harms nobody there, and shows. */
struct view {
    const struct case_run *run;
    const struct case_run *seen; /* under the checker, with a trace; or NULL */
    struct trace_facts trace;
    uint64_t n, gpus, streams, iters, guard, room;
    uint64_t stream_chunk, gpu_chunk;
    const uint64_t *in, *out;  /* the host's */
    struct cells host, device; /* of the GPUs: part after part */
};

static struct view sizes_of(const struct case_run *run)
{
    struct view v = {.run = run,
                     .n = case_param(run, "entries"),
                     .gpus = case_param(run, "gpus"),
                     .streams = case_param(run, "streams"),
                     .iters = case_param(run, "iters"),
                     .guard = case_param(run, "guard"),
                     .in = run->input,
                     .out = run->output};

    v.stream_chunk = div_up(v.n, v.gpus * v.streams);
    v.gpu_chunk = v.stream_chunk * v.streams;
    v.room = v.n + v.gpu_chunk + v.guard;
    return v;
}

uint64_t mgpu_count(const struct case_run *run)
{
    const struct view v = sizes_of(run);

    return v.n + v.guard + v.gpus * v.room;
}

/* What a GPU's memory held before and after. */
static const uint64_t *before(const struct view *v, uint64_t gpu)
{
    return v->in + v->n + v->guard + gpu * v->room;
}

static const uint64_t *after(const struct view *v, uint64_t gpu)
{
    return v->out + v->n + v->guard + gpu * v->room;
}

/* A GPU's part of the data. */
static uint64_t part_lower(const struct view *v, uint64_t gpu)
{
    return min_u64(gpu * v->gpu_chunk, v->n);
}

static uint64_t part_entries(const struct view *v, uint64_t gpu)
{
    return part_lower(v, gpu + 1) - part_lower(v, gpu);
}

/* What each entry is, on the host and on the GPU whose part it is in. */
static void compare_cells(struct view *v)
{
    OWNED uint64_t *const expected = malloc(3 * (v->n + 1) * sizeof *expected);
    uint64_t *const old = expected + v->n, *const new = old + v->n;
    const struct reference ref = {.entries = v->n,
                                  .iters = v->iters,
                                  .plain = expected,
                                  .cipher = v->in,
                                  .device = old};

    if (expected == NULL)
        return;
    reference_decrypt(expected, v->in, v->n, v->iters);
    for (uint64_t i = 0; i < v->n; i++) {
        old[i] = before(v, i / v->gpu_chunk)[i % v->gpu_chunk];
        new[i] = after(v, i / v->gpu_chunk)[i % v->gpu_chunk];
    }
    reference_compare(&ref, v->out, &v->host);
    reference_compare(&ref, new, &v->device);
}

static struct view view_of(const struct case_run *run)
{
    struct view v = sizes_of(run);

    compare_cells(&v);
    if (run->virtual_run && run->virtual_run->traced) {
        v.seen = run->virtual_run;
        trace_facts_take(&v.trace, &v.seen->trace);
    }
    return v;
}

static uint64_t decrypted(const struct view *v, uint64_t value)
{
    return decrypt_entry(value, v->iters);
}

/* What must come out for an entry of the data. */
static uint64_t plain(const struct view *v, uint64_t at)
{
    return decrypted(v, v->in[at]);
}

/* Nothing was copied here; a kernel may have been. */
static bool is_stale(const struct view *v, uint64_t gpu, uint64_t at)
{
    return after(v, gpu)[at] == before(v, gpu)[at] ||
           after(v, gpu)[at] == decrypted(v, before(v, gpu)[at]);
}

/* The entry of the data that this is, encrypted, decrypted or that twice; the
 * number of entries for none. */
static uint64_t origin(const struct view *v, uint64_t value)
{
    for (uint64_t i = 0; i < v->n; i++)
        if (value == v->in[i] || value == plain(v, i) ||
            value == decrypted(v, plain(v, i)))
            return i;
    return v->n;
}

/* Host entries [from, to) are still encrypted and no others. */
static bool host_left(const struct view *v, uint64_t from, uint64_t to)
{
    return cells_cover(&v->host, CELL_CIPHER, from, to);
}

/* ---- offsets ------------------------------------------------------------- */

/* On GPU 1, at the place where its entries begin in the *host's* data: nobody
 * has anything to do there. */
static struct finding explain_global(const struct view *v)
{
    static const char *const names[] = {NULL,
                                        "global-offset/copy-in",
                                        "global-offset/kernel",
                                        "global-offset/copy-in-and-kernel",
                                        "global-offset/copy-back",
                                        "global-offset/copies",
                                        "global-offset/kernel-and-copy-back",
                                        "global-offset"};
    const uint64_t lower = part_lower(v, 1);
    uint64_t old, new;
    bool in, kernel, back;

    if (part_entries(v, 1) == 0)
        return finding_none();
    old = before(v, 1)[lower];
    new = after(v, 1)[lower];
    in = new == v->in[lower] || new == plain(v, lower);
    kernel = new == decrypted(v, old) || new == plain(v, lower);
    /* Right entries come back from there only if they were made there. */
    back =
        v->out[lower] == old || v->out[lower] == decrypted(v, old) ||
        (in && kernel && v->out[lower] == plain(v, lower) && is_stale(v, 1, 0));
    return mistake(names[in + 2 * kernel + 4 * back]);
}

/* Each stream copies its GPU's part, or all of it: right, but too much, and a
 * hazard as soon as one of them is quicker. */
static struct finding explain_bytes(const struct view *v)
{
    return v->trace.in.bytes > v->n * sizeof(uint64_t) * 3 / 2
               ? mistake(v->trace.back.copies ? "too-much-copied"
                                              : "copied-in-twice")
               : finding_none();
}

/* The second stream of GPU 0: did it get its own chunk, to its own place? */
static struct finding explain_stream_offset(const struct view *v)
{
    const uint64_t at = v->stream_chunk;
    const bool worked = after(v, 0)[0] != before(v, 0)[0];
    const bool all_queued = v->trace.in.copies >= v->gpus * v->streams;

    return mistake_first((struct sign[]){
        {part_entries(v, 0) <= at || !worked || !all_queued, NULL},
        {is_stale(v, 0, at), "stream-offset-on-gpu"},
        {after(v, 0)[at] == v->in[at] && after(v, 0)[0] != v->in[0],
         "stream-offset-on-gpu/kernel"},
        {origin(v, after(v, 0)[at]) == 0, "stream-offset-on-host"}});
}

/* Which entry of the host did GPU 1 get first? */
static struct finding explain_gpu_lower(const struct view *v)
{
    const uint64_t right = part_lower(v, 1);
    const uint64_t from = origin(v, after(v, 1)[0]);
    const struct finding found = mistake_first((struct sign[]){
        {part_entries(v, 1) == 0 || from == right || from == v->n, NULL},
        {from == 0, "local-offset"},
        {from == div_up(v->n, v->gpus) || from == v->n / v->gpus,
         "gpu-chunk-not-whole/second-gpu"},
        {from == v->stream_chunk, "one-chunk-a-gpu/second-gpu"},
        {true, "gpu-begins-elsewhere"},
    });

    return mistake_with(found.id, "from=%" PRIu64 "\nright=%" PRIu64, from,
                        right);
}

/* The GPUs hold what they should, but the host does not. */
static struct finding explain_copy_back(const struct view *v)
{
    const uint64_t lower = part_lower(v, 1), at = v->stream_chunk;

    return mistake_first((struct sign[]){
        {!cells_all(&v->device, CELL_RIGHT, v->n), NULL},
        {v->trace.there && v->trace.back.copies == 0, "no-copy-back"},
        {host_left(v, lower, v->n), "local-offset/copy-back"},
        {at < lower && v->out[at] == v->in[at] && v->out[0] != v->in[0],
         "stream-offset-on-host/copy-back"},
        {at < lower && v->out[at] == plain(v, 0),
         "stream-offset-on-gpu/copy-back"}});
}

/* ---- what is left out, and what is too much ------------------------------ */

/* The last stream chunk of GPU 0 is full, though others may not be. */
static bool is_end_dropped(const struct view *v)
{
    const uint64_t last = v->gpu_chunk - 1;
    const uint64_t first = v->gpu_chunk - v->stream_chunk;

    return v->streams > 1 && v->out[0] == plain(v, 0) &&
           v->out[first] == v->in[first] && v->out[last] == v->in[last];
}

/* Nothing is in the memory of a GPU that has entries: the first such one, or 0.
 */
static uint64_t find_idle_gpu(const struct view *v)
{
    const struct cells *const device = &v->device;
    const uint64_t first = device->first[CELL_UNTOUCHED];
    const uint64_t gpu = first / v->gpu_chunk;

    return first == part_lower(v, gpu) &&
                   device->count[CELL_UNTOUCHED] >= part_entries(v, gpu)
               ? gpu
               : 0;
}

/* Where all offsets are right, a loop or a width ends too early. */
static struct finding explain_left_out(const struct view *v)
{
    const uint64_t chunks = v->gpus * v->streams, floor = v->n / chunks;
    const uint64_t whole = v->n / v->stream_chunk * v->stream_chunk;
    const struct finding found = mistake_first((struct sign[]){
        {find_idle_gpu(v) > 0, "gpu-without-work"},
        {floor != v->stream_chunk && host_left(v, floor * chunks, v->n),
         "floor-division/left-out"},
        {host_left(v, whole, v->n), "tail-dropped"},
        {is_end_dropped(v), "end-of-gpu-dropped"}});

    return mistake_with(found.id,
                        "gpu=%" PRIu64 "\nleft=%" PRIu64 "\nothers=%" PRIu64,
                        find_idle_gpu(v), v->n - floor * chunks, v->gpus - 1);
}

/* Behind the last entry, on the last GPU that has any and on the host. */
static struct finding explain_overrun(const struct view *v)
{
    const uint64_t gpu = (v->n - 1) / v->gpu_chunk;
    const uint64_t end = part_entries(v, gpu);
    const struct reference ref = {.entries = end,
                                  .guard = v->guard,
                                  .iters = v->iters,
                                  .host_guard = v->in + v->n,
                                  .device = before(v, gpu)};
    struct overrun overrun;

    chunks_find_overrun(&ref, v->out + v->n, after(v, gpu) + end, &overrun);
    return mistake_first(
        (struct sign[]){{overrun.copy_in, "tail-copy-in"},
                        {overrun.kernel, "tail-kernel"},
                        {overrun.copy_back, "tail-copy-back"}});
}

/* Entries of a GPU's memory that are not its own, or the host's guard. */
static bool is_overrun(const struct view *v)
{
    if (memcmp(v->in + v->n, v->out + v->n, v->guard * sizeof *v->in) != 0)
        return true;
    for (uint64_t g = 0; g < v->gpus; g++)
        for (uint64_t i = part_entries(v, g); i < v->room; i++)
            if (after(v, g)[i] != before(v, g)[i])
                return true;
    return false;
}

/* ---- streams ------------------------------------------------------------- */

/* The calls' order is the source's; that of the operations may be any. */
static const struct trace_call *next_copy_in(const struct trace *trace,
                                             const struct trace_call *call)
{
    while ((call = query_next_call(trace, "cudaMemcpy*", call)))
        for (size_t i = 0; i < trace->num_ops; i++)
            if (trace->ops[i].call == call->id &&
                trace->ops[i].kind == TRACE_KIND_H2D)
                return call;
    return NULL;
}

/* Is the nth kernel in another stream of the same GPU than the nth copy? */
static struct finding explain_split(const struct view *v)
{
    const struct trace *const trace = v->seen ? &v->seen->trace : NULL;
    const struct trace_call *copy = NULL, *kernel = NULL;

    if (!trace || v->seen->checked.hazards == 0)
        return finding_none();
    while ((kernel = query_next_call(trace, "cudaLaunchKernel", kernel)) &&
           (copy = next_copy_in(trace, copy))) {
        const unsigned gpu = query_home(trace, kernel);

        if (copy->stream != kernel->stream && query_home(trace, copy) == gpu)
            return mistake_with(
                "chunk-in-two-streams", "copy_at=%s\nkernel_at=%s\ngpu=%u",
                query_place(copy->at), query_place(kernel->at), gpu);
    }
    return finding_none();
}

/* @gpu: that the stream belongs to; @memory: the one whose memory it is. */
static struct finding foreign_stream(const char *at, enum trace_kind kind,
                                     unsigned gpu, unsigned memory)
{
    return mistake_with(kind == TRACE_KIND_KERNEL ? "foreign-stream"
                        : kind == TRACE_KIND_H2D  ? "foreign-stream/copy-in"
                                                  : "foreign-stream/copy-back",
                        "at=%s\nmemory_gpu=%u\nstream_gpu=%u", query_place(at),
                        memory, gpu);
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
static struct finding explain_hazard(const struct view *v)
{
    const struct trace *const trace = v->seen ? &v->seen->trace : NULL;

    for (size_t i = 0; trace && i < trace->num_hazards; i++) {
        const struct trace_hazard *const hazard = &trace->hazards[i];
        const struct trace_op *const first = op_by_id(trace, hazard->first_op);
        const struct trace_op *const second =
            op_by_id(trace, hazard->second_op);
        const bool turned = first && first->kind == TRACE_KIND_KERNEL;
        const struct trace_op *const kernel = turned ? first : second;
        const struct trace_op *const copy = turned ? second : first;

        if (copy && kernel && copy->device != kernel->device &&
            kernel->kind == TRACE_KIND_KERNEL &&
            copy->kind != TRACE_KIND_KERNEL)
            return foreign_stream(copy->at, copy->kind, copy->device,
                                  kernel->device);
    }
    return finding_none();
}

/* Was the kernel's stream or its pointer the wrong one? The GPU that was
 * current tells which one was meant. */
struct finding mgpu_explain_unreachable(const struct case_run *run,
                                        unsigned owner, unsigned user)
{
    const struct trace *const trace = run->traced ? &run->trace : NULL;
    bool meant_owner = false, meant_user = false, by_default = false;
    const char *at = "", *name;

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
    if (!by_default && meant_owner && (owner != 0 || !meant_user))
        return foreign_stream(at, TRACE_KIND_KERNEL, user, owner);
    name = by_default   ? "default-stream/memory"
           : meant_user ? "foreign-memory"
                        : "stream-and-memory";
    return mistake_with(name, "at=%s\nkernel_gpu=%u\nmemory_gpu=%u",
                        query_place(at), user, owner);
}

/* ---- waiting ------------------------------------------------------------- */

/* Which GPUs does the student wait for? */
static struct finding explain_waits(const struct view *v)
{
    struct finding found;
    int only;

    if (!v->seen || !v->seen->checked.by_driver)
        return finding_none();
    only = trace_only_waited(&v->seen->trace, "cuda*");
    found = mistake_first((struct sign[]){
        {v->trace.waits == 0, "no-final-sync"},
        {v->trace.kernels_default > 0, "default-stream/not-made"},
        {v->trace.copies_default > 0, "copy-default-stream"},
        {only < 0, "partial-sync"},
        {(uint64_t)only == v->gpus - 1, "last-gpu-only"},
        {true, "one-gpu-only"},
    });
    return mistake_with(found.id, "gpu=%d\nat=%s", only,
                        query_place(v->trace.copy_at));
}

/* ---- all of it ----------------------------------------------------------- */

/* What one GPU alone could have got wrong as well, where all chunks are of one
 * size: chunks.h knows no others. */
static struct finding explain_as_one(const struct view *v)
{
    const uint64_t streams = v->gpus * v->streams;
    const struct chunks chunks = {.entries = v->n,
                                  .streams = streams,
                                  .trace = &v->trace,
                                  .trace_entries = v->n,
                                  .trace_streams = streams};
    const struct chunks_left left = {.host = v->host, .device = v->device};

    return v->n % streams == 0 ? chunks_explain_wrong(&chunks, &left)
                               : finding_none();
}

/* From what is on the GPUs to what is on the host, as the data go: the first
 * mistake on that way explains what comes after it. */
struct finding mgpu_explain_job(const struct case_run *run, enum ask failed)
{
    static struct finding (*const looks[])(const struct view *) = {
        explain_global,        explain_bytes,     explain_split,
        explain_stream_offset, explain_gpu_lower, explain_hazard,
        explain_waits,         explain_overrun,   explain_copy_back,
        explain_left_out,      explain_as_one,
    };
    const struct view v = view_of(run);
    struct finding found = finding_none();

    /* Nothing is done yet: that is a matter of TODOs. */
    if (memcmp(v.in, v.out, run->output_bytes) == 0)
        return found;
    for (size_t i = 0; !found.id && i < sizeof looks / sizeof *looks; i++)
        found = looks[i](&v);
    /* A chunk's operations are not all in one stream. */
    return found.id || failed != ASK_ORDER ? found : mistake("hazard");
}

/* Right and well ordered; in nobody else's memory, and on all GPUs? */
bool mgpu_stays_inside(const struct case_run *run, struct judgement *judgement)
{
    const struct view v = view_of(run);
    const uint64_t with_entries = div_up(v.n, v.gpu_chunk);
    const unsigned used =
        v.seen ? query_devices(&v.seen->trace, QUERY_KERNELS) : 0;

    if (is_overrun(&v))
        return judge_no(run, judgement, mgpu_explain_job(run, ASK_NONE),
                        "the entries are right, but memory beyond a chunk was "
                        "touched");
    return used == 0 || used >= with_entries ||
           judge_no(run, judgement,
                    mistake_with("few-gpus", "gpus_used=%u\ngpus=%" PRIu64,
                                 used, with_entries),
                    "right, but not by all GPUs");
}

/* An error that nobody looked at goes before what is wrong by it. */
bool mgpu_no_error(const struct case_run *run, struct judgement *judgement)
{
    return !run->pending[0] || judge_clean(run, judgement);
}

/* What the checker remarks works today, and did not with the toolkits that the
 * books are about. */
bool mgpu_say_job(const struct case_run *run, struct judgement *judgement)
{
    judge_yes(run, judgement,
              "{entries} entries, {gpus} GPUs, {streams} streams "
              "each{no_hazard}");
    if (checked_find(case_checked(run), REPORTED(foreign_stream), NULL, NULL,
                     NULL))
        text_printf(&judgement->seen, "; older toolkits refuse a launch while "
                                      "another GPU is current");
    return true;
}
