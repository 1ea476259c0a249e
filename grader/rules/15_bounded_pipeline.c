/*
 * 15_bounded_pipeline.c: rules of lab 15. A ring of a few slots, more chunks
 * than slots, a consumer in a host function, and how the mistakes that
 * students make there look.
 */
#include <stdlib.h>
#include <string.h>

#include "cipher_entry.h"
#include "judge.h"

#define TODO    "What to do"
#define RING    "A ring of slots"
#define EVENTS  "Two events for each slot"
#define HOSTFN  "A function in a stream"
#define BOUNDED "What must be bounded"
#define OVERLAP "How much can it gain?"

#define ETA_NEEDED 0.80
#define CHUNK      1000 /* entries, in the cases about right results */

/* ---- data ---------------------------------------------------------------- */

static void compare(const struct case_run *run, struct difference *found)
{
    const uint64_t n = run->input_bytes / sizeof(uint64_t);
    const uint64_t step =
        case_fact(run, "step") > 0 ? (uint64_t)case_fact(run, "step") : 1;
    const uint64_t iters = (uint64_t)case_fact(run, "iters");
    const uint64_t *const input = run->input;
    uint64_t *expected = calloc(n + 1, sizeof *expected);
    uint64_t *still = calloc(n + 1, sizeof *still);
    struct judge_arrays arrays = {JUDGE_U64, run->output,
                                  expected,  n / step + (n % step != 0),
                                  0,         {{"still encrypted", still}},
                                  "result"};

    if (expected && still) {
        for (uint64_t i = 0; i < arrays.count; i++) {
            still[i] = input[i * step];
            expected[i] = decrypt_entry(still[i], iters);
        }
        difference_arrays(found, &arrays);
    }
    free(expected);
    free(still);
}

enum { STILL_ENCRYPTED, ZERO, MOVED, OTHER }; /* difference.kinds */

static uint64_t entries_of(const struct case_run *run)
{
    return run->input_bytes / sizeof(uint64_t);
}

/* ---- what the trace shows ------------------------------------------------ */

static const unsigned kernel_kind = QUERY_KIND(TRACE_KIND_KERNEL);
static const unsigned in_kind = QUERY_KIND(TRACE_KIND_H2D);
static const unsigned back_kind = QUERY_KIND(TRACE_KIND_D2H);

static const struct trace *trace_of(const struct case_run *run)
{
    return run->virtual_run ? &run->virtual_run->trace : NULL;
}

static const struct trace_op *in_default_stream(const struct trace *trace,
                                                unsigned kinds)
{
    const struct query query = {.kinds = kinds, .one_stream = true};

    return query_next(trace, &query, NULL);
}

/* A wait of the host with work queued behind it. */
static const struct trace_call *find_wait_between(const struct trace *trace)
{
    static const char *const names[] = {
        "cudaMemcpy",           "cudaStreamSynchronize",
        "cudaEventSynchronize", "cudaDeviceSynchronize",
        "cudaStreamQuery",      "cudaEventQuery"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (query_calls_before(trace, names[i], "cudaMemcpyAsync") > 0 ||
            query_calls_before(trace, names[i], "cudaLaunchKernel") > 0)
            return query_next_call(trace, names[i], NULL);
    return NULL;
}

/* TODO n of the file is about this case, and still open. */
static bool is_open(const struct case_run *run)
{
    const int first = run->evidence->first_todo;

    return first > 0 && first <= (int)case_param(run, "todo");
}

/* ---- the ring alone ------------------------------------------------------ */

static struct finding explain_ring(const struct case_run *run)
{
    const int64_t slots = (int64_t)case_param(run, "slots");

    if (is_open(run))
        return finding_none();
    if (!case_fact(run, "sizes"))
        return finding_make("ring-sizes", RING,
                            "ring_create notes chunk and num_slots in the "
                            "ring: others read them there.");
    if (case_fact(run, "device") < slots)
        return finding_make("no-device-memory", RING,
                            "Some slots have no memory of the device: "
                            "cudaMalloc, once for each slot.");
    if (case_fact(run, "pinned") < slots && case_fact(run, "host_there"))
        return finding_make("staging-pageable", RING,
                            "slot->host is not pinned. A copy back into "
                            "pageable memory may hold the host until it is "
                            "done: cudaMallocHost.");
    if (case_fact(run, "pinned") < slots)
        return finding_make("no-host-memory", RING,
                            "Some slots have no pinned memory: "
                            "cudaMallocHost, once for each slot.");
    if (case_fact(run, "shared") > 0)
        return finding_make("slots-shared", RING,
                            "Two slots have the same memory. Each needs its "
                            "own, or only one chunk is under way at a time.");
    if (case_fact(run, "device_room") < slots ||
        case_fact(run, "host_room") < slots)
        return finding_make("slot-too-small", RING,
                            "A slot has no room for chunk entries: an entry "
                            "has 8 bytes.");
    return finding_make("no-events", EVENTS,
                        "Not both events of each slot are there: "
                        "cudaEventCreateWithFlags.");
}

/* Memory for more chunks than there are slots? A real device hands out pages of
 * megabytes, and these slots are small: there it cannot be told. */
static bool takes_too_much(const struct case_run *run)
{
    const int64_t slots = (int64_t)case_param(run, "slots");
    const int64_t bytes = (int64_t)case_param(run, "chunk") * 8;

    return run->backend != BACKEND_CUDA &&
           case_fact(run, "device_bytes") >= (slots + 1) * bytes;
}

static void judge_ring(const struct case_run *run, struct judgement *judgement)
{
    const int64_t slots = (int64_t)case_param(run, "slots");

    if (!is_open(run) && takes_too_much(run)) {
        judge_fail(judgement,
                   finding_make("ring-too-large", BOUNDED,
                                "ring_create takes more of the device's memory "
                                "than its slots need. A slot has room for one "
                                "chunk: the ring is all that there is."),
                   "%lld bytes of the device for %lld slots of %lld",
                   (long long)case_fact(run, "device_bytes"), (long long)slots,
                   (long long)case_param(run, "chunk") * 8);
        return;
    }
    if (case_fact(run, "sizes") && case_fact(run, "shared") == 0 &&
        case_fact(run, "device_room") == slots &&
        case_fact(run, "host_room") == slots &&
        case_fact(run, "events") == 2 * slots) {
        if (judge_order(run, judgement) && judge_clean(run, judgement))
            judge_pass(judgement, "%lld slots, and all given back",
                       (long long)slots);
        return;
    }
    judge_fail(judgement, explain_ring(run),
               "%lld of %lld slots on the device, %lld in pinned memory, "
               "%lld of %lld events",
               (long long)case_fact(run, "device"), (long long)slots,
               (long long)case_fact(run, "pinned"),
               (long long)case_fact(run, "events"), (long long)(2 * slots));
}

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
static bool is_host_hazard(const struct case_run *run, bool graders)
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

/* The host writes what a host function has still to read. */
static bool is_argument_hazard(const struct case_run *run)
{
    return is_host_hazard(run, false) ||
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
    const struct query backs = {.kinds = back_kind};
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
        return finding_make("delivered-early", EVENTS,
                            "The host function reads slot->host before the "
                            "copy back has brought the results. Its stream "
                            "must wait for slot->copied first.");
    if (!way.record)
        return finding_make("wait-before-record", EVENTS,
                            "%s: the event is not recorded yet when the stream "
                            "is told to wait for it. Such a wait does nothing, "
                            "and the results are handed over too early. Record "
                            "slot->copied behind the copy back first.",
                            query_place(way.wait->at));
    if (way.record->stream == way.delivery)
        return finding_make("copied-wrong-stream", EVENTS,
                            "%s: slot->copied is recorded in the stream of the "
                            "host functions. It must be in the stream of the "
                            "copy back, behind it.",
                            query_place(way.record->at));
    if (way.record->id < way.back_call)
        return finding_make("copied-early", EVENTS,
                            "%s: slot->copied is recorded ahead of the copy "
                            "back, so it does not cover it. An event stands "
                            "for what is ahead of it in its stream.",
                            query_place(way.record->at));
    return finding_make("delivered-early", EVENTS,
                        "The host function reads slot->host before the copy "
                        "back has brought the results.");
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
        return finding_make("taken-early", EVENTS,
                            "%s: slot->taken is recorded ahead of the host "
                            "function, so it does not cover it.",
                            query_place(call->at));
    if (!call && count_records(trace, way.delivery, false) < 2 * chunks)
        return finding_make("taken-not-recorded", EVENTS,
                            "A copy back overwrites slot->host while the "
                            "consumer may still be reading there: nothing "
                            "says when it is done. Record slot->taken behind "
                            "the host function, and let the copy back wait for "
                            "it.");
    if (!call)
        return finding_make("taken-wrong-stream", EVENTS,
                            "slot->taken is recorded in the stream of the "
                            "chunk, where it does not cover the host function. "
                            "It must be in the host function's stream, behind "
                            "it.");
    return finding_make("host-reused-early", EVENTS,
                        "A copy back overwrites slot->host while the consumer "
                        "may still be reading the results of an earlier chunk. "
                        "Let it wait for slot->taken.");
}

/* ---- wrong --------------------------------------------------------------- */

static struct finding explain_streams(const struct trace *trace)
{
    const struct trace_op *const copy =
        in_default_stream(trace, in_kind | back_kind);
    const struct trace_op *const kernel = in_default_stream(trace, kernel_kind);

    if (copy && query_call_of(trace, copy) &&
        strcmp(query_call_of(trace, copy)->name, "cudaMemcpyAsync") == 0)
        return finding_make("copy-default-stream", RING,
                            "%s: the copy is in the default stream. The stream "
                            "is the last argument.",
                            query_place(copy->at));
    if (kernel)
        return finding_make("kernel-default-stream", RING,
                            "%s: the kernel is in the default stream. The "
                            "stream is the fourth launch argument.",
                            query_place(kernel->at));
    return finding_none();
}

static struct finding explain_hazard(const struct case_run *run)
{
    const struct trace *const trace = trace_of(run);

    if (is_argument_hazard(run))
        return finding_make("argument-reused", HOSTFN,
                            "The host writes a host function's argument again "
                            "before the function has read it: the host is many "
                            "chunks ahead. Each chunk needs an argument of its "
                            "own that stays until its function has run.");
    if (find_hazard(run, SIDE_HOSTFN, SIDE_HOSTFN))
        return finding_make("deliveries-unordered", HOSTFN,
                            "Two host functions call the consumer, and nothing "
                            "orders them: they are in different streams. It "
                            "takes one call at a time, in the order of the "
                            "chunks. Put all of them into job->delivery.");
    if (find_hazard(run, SIDE_BACK, SIDE_HOSTFN))
        return explain_delivered_early(trace);
    if (is_device_hazard(run))
        return finding_make("device-reused-early", EVENTS,
                            "A chunk is copied into slot->device while an "
                            "earlier one may still be in use there, in another "
                            "stream. Let its stream wait for slot->copied.");
    if (find_hazard(run, SIDE_HOSTFN, SIDE_BACK))
        return explain_host_reused(trace);
    return finding_none();
}

static struct finding explain_count(const struct case_run *run)
{
    const uint64_t n = entries_of(run), chunk = case_param(run, "chunk");
    const uint64_t taken = (uint64_t)case_fact(run, "taken_later");

    if (case_fact(run, "strange") > 0)
        return finding_make("argument-gone", HOSTFN,
                            "A host function hands over what makes no sense: "
                            "when it runs, its argument is gone. Memory that "
                            "it points to must stay until it has run: free it "
                            "behind the wait.");
    if (taken > n)
        return finding_make("tail-delivered", TODO,
                            "The consumer got %llu results of %llu: the last "
                            "chunk is shorter than the others, hand over width "
                            "of them.",
                            (unsigned long long)taken, (unsigned long long)n);
    if (taken < n && taken == n / chunk * chunk)
        return finding_make("tail-left-out", TODO,
                            "The last %llu results of %llu are missing: the "
                            "number of chunks is rounded down. Round up.",
                            (unsigned long long)(n - taken),
                            (unsigned long long)n);
    return finding_none();
}

static struct finding explain_wrong(const struct case_run *run)
{
    const struct trace *const trace = trace_of(run);
    const bool argument = is_argument_hazard(run);
    struct finding found = finding_none();

    if (case_fact(run, "calls_later") == 0 && entries_of(run) > 0)
        return finding_make("nothing-delivered", TODO,
                            "The consumer gets nothing: no host function calls "
                            "consumer_take.");
    if (!argument && (is_host_hazard(run, true) ||
                      case_fact(run, "calls") < case_fact(run, "calls_later")))
        return finding_make("not-waited", TODO,
                            "The function returns before the consumer has all "
                            "results. Behind the loop, wait for the stream of "
                            "the host functions: it comes last.");
    if (trace)
        found = explain_streams(trace);
    if (!found.id)
        found = explain_hazard(run);
    if (!found.id)
        found = explain_count(run);
    if (found.id || run->wrong_rounds == 0)
        return found;
    if (run->difference.kinds[STILL_ENCRYPTED] == run->difference.count)
        return finding_make("no-kernel", TODO,
                            "The results are still encrypted: no kernel has "
                            "decrypted them.");
    if (run->difference.kinds[MOVED] > 0)
        return finding_make("out-of-order", HOSTFN,
                            "The consumer gets results of other chunks than "
                            "it should, or in another order.");
    return finding_none();
}

/* ---- right results ------------------------------------------------------- */

/* A warning that is not about a wait for an event without a record: here, a
 * slot that nobody has used yet is rightly free. */
static const char *find_warning(const struct case_run *run, const char *part)
{
    const char *line = NULL;

    if (!run->virtual_run)
        return NULL;
    while ((line = checked_find(&run->virtual_run->checked, "warning", "text",
                                part, line)) != NULL) {
        struct text words = {0};
        bool counts;

        report_take_field(&words, line, "text");
        counts = strstr(text_string(&words), "never recorded") == NULL;
        text_free(&words);
        if (counts)
            return line;
    }
    return NULL;
}

static bool judge_left(const struct case_run *run, struct judgement *judgement)
{
    const char *const call = find_warning(run, "cudaErrorNotPermitted");
    struct text place = {0};

    if (call) {
        report_take_place(&place, call, "at");
        judge_fail(judgement,
                   finding_make("cuda-in-host-function", HOSTFN,
                                "%s: a CUDA call in a host function. It fails "
                                "(cudaErrorNotPermitted), or waits for itself. "
                                "Only host code belongs there.",
                                text_string(&place)),
                   "%s: a CUDA call in a host function", text_string(&place));
        text_free(&place);
        return false;
    }
    if (run->pending[0] || run->late[0] || find_warning(run, ""))
        return judge_clean(run, judgement);
    return true;
}

/* Managed memory is not the device's alone, so it can be had although the
 * device is full. */
static bool judge_managed(const struct case_run *run,
                          struct judgement *judgement)
{
    const struct trace *const trace = trace_of(run);
    const struct trace_call *const call =
        trace ? query_next_call(trace, "cudaMallocManaged", NULL) : NULL;

    if (!call)
        return true;
    judge_fail(judgement,
               finding_make("beyond-the-ring", BOUNDED,
                            "%s: more memory than the ring has. A chunk has "
                            "slot->device, and needs no more.",
                            query_place(call->at)),
               "right, but not in the ring's memory");
    return false;
}

/* How much of the host's pinned memory was used, as the consumer saw it. */
static bool judge_bounded(const struct case_run *run,
                          struct judgement *judgement)
{
    const int64_t places = case_fact(run, "places");
    const int64_t slots = (int64_t)case_param(run, "slots");

    if (places <= slots)
        return true;
    judge_fail(judgement,
               finding_make("staging-unbounded", BOUNDED,
                            "The results arrive in %s%lld different places, "
                            "and the ring has %lld. Memory of the host that "
                            "grows with the data is no ring: use slot->host.",
                            places >= 32 ? "more than " : "",
                            (long long)(places >= 32 ? 31 : places),
                            (long long)slots),
               "right, but not in the ring's memory");
    return false;
}

/* The results are right, but was it the device that decrypted them? */
static bool judge_work(const struct case_run *run, struct judgement *judgement)
{
    const struct query kernels = {.kinds = kernel_kind};
    const struct case_run *const checked = run->virtual_run;
    const struct trace_op *op = NULL;
    double spent_ns = 0, expected_ns;

    if (!checked || entries_of(checked) < 2 * case_param(checked, "chunk"))
        return true;
    expected_ns = (double)case_fact(checked, "kernel_ns") *
                  (double)(entries_of(checked) / case_param(checked, "chunk"));
    while ((op = query_next(&checked->trace, &kernels, op)) != NULL)
        spent_ns += (double)(op->end_ns - op->start_ns);
    if (spent_ns >= 0.4 * expected_ns)
        return true;
    judge_fail(judgement,
               finding_make("host-decrypt", NULL,
                            "The results are right, but they were not "
                            "decrypted on the device: that is what the lab is "
                            "about. Give every chunk to the kernel."),
               "right, but the device did less than half of the work");
    return false;
}

static bool judge_results(const struct case_run *run,
                          struct judgement *judgement)
{
    const struct case_run *const other = run->virtual_run;

    if (judge_right(run, judgement) && judge_order(run, judgement) &&
        (uint64_t)case_fact(run, "taken_later") == entries_of(run))
        return judge_left(run, judgement) && judge_bounded(run, judgement) &&
               judge_managed(run, judgement) && judge_work(run, judgement);
    if (judgement->seen.length == 0)
        judge_fail(judgement, finding_none(),
                   "the consumer got %lld results of %llu",
                   (long long)case_fact(run, "taken_later"),
                   (unsigned long long)entries_of(run));
    if (is_open(run))
        return false;
    if (other && other != run && !other->ran)
        judgement->finding = run->evidence->lab->explain_end(other);
    else if (find_warning(run, "cudaErrorNotPermitted"))
        judge_left(run, judgement);
    else
        judgement->finding = explain_wrong(run);
    return false;
}

static void judge_round(const struct case_run *run, struct judgement *judgement)
{
    const uint64_t n = entries_of(run), chunk = case_param(run, "chunk");
    const uint64_t chunks = n / chunk + (n % chunk != 0);
    const uint64_t slots = case_param(run, "slots");

    if (judge_results(run, judgement))
        judge_pass(judgement, "%llu chunk%s through %llu slot%s",
                   (unsigned long long)chunks, chunks == 1 ? "" : "s",
                   (unsigned long long)slots, slots == 1 ? "" : "s");
}

/* ---- speed --------------------------------------------------------------- */

static struct finding explain_slow(const struct case_run *run)
{
    const struct query in = {.kinds = in_kind};
    const struct query rest = {.kinds = kernel_kind | back_kind};
    const struct query all = {.kinds = in_kind | kernel_kind | back_kind};
    const struct trace *const trace = trace_of(run);
    const struct trace_call *wait;
    struct finding found;

    if (!trace)
        return finding_none();
    found = explain_streams(trace);
    if (found.id)
        return found;
    wait = find_wait_between(trace);
    if (wait && strcmp(wait->name, "cudaMemcpy") == 0)
        return finding_make("blocking-copy", RING,
                            "%s: cudaMemcpy holds the host until it is done, "
                            "and the next chunk with it.",
                            query_place(wait->at));
    if (wait && case_fact(run, "by_host") > 0)
        return finding_make("consumed-by-the-host", HOSTFN,
                            "%s: the host waits for a chunk and hands it over "
                            "itself, and the device has nothing to do "
                            "meanwhile. A host function does it without it.",
                            query_place(wait->at));
    if (wait)
        return finding_make("host-sync", EVENTS,
                            "%s: the host waits here before it queues the "
                            "rest. Let a stream wait for an event instead "
                            "(cudaStreamWaitEvent).",
                            query_place(wait->at));
    if (query_streams(trace, &all) == 1)
        return finding_make("one-stream", OVERLAP,
                            "All chunks are in one stream, so each comes after "
                            "the one before it.");
    if (query_overlap_ns(trace, &in, &rest) == 0)
        return finding_make("ring-of-one", OVERLAP,
                            "Each chunk is copied in only when the one before "
                            "it is back: only one is under way at a time. It "
                            "needs the slot c %% num_slots, and the chunk that "
                            "was there before is the only one to wait for.");
    return finding_none();
}

/*
 * The limit is the longest of the phases. Where the grader's own ring stays far
 * from it, as on devices with a single copy engine, the device does not allow
 * more, and that ring is the limit.
 */
static double take_bound(const struct case_run *run, double serial)
{
    static const char *const phases[] = {"copies_ns", "kernels_ns",
                                         "consumer_ns"};
    const double own = (double)case_median(run, "own_ns");
    double bound = 0;

    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        if ((double)case_median(run, phases[i]) > bound)
            bound = (double)case_median(run, phases[i]);
    if (serial - own < (ETA_NEEDED + 0.05) * (serial - bound))
        return own;
    return bound;
}

static void judge_fast(const struct case_run *run, struct judgement *judgement)
{
    const double serial = (double)case_median(run, "serial_ns");
    const struct judge_speed times = {
        .serial_ns = serial,
        .student_ns = (double)case_median(run, "student_ns"),
        .bound_ns = take_bound(run, serial),
        .eta_needed = ETA_NEEDED,
    };

    if (judge_results(run, judgement) && !judge_speed(run, judgement, &times) &&
        !is_open(run) && !judgement->finding.id)
        judgement->finding = explain_slow(run);
}

/* ---- functions that did not return --------------------------------------- */

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static struct finding explain_end(const struct case_run *run)
{
    const struct api_error *const error = &run->error;
    const uint64_t chunk = case_param(run, "chunk");
    const struct case_run *const even =
        case_other(run, "fewer chunks than slots");

    if (strcmp(error->name, "cudaErrorNotPermitted") == 0)
        return finding_make("cuda-in-host-function", HOSTFN,
                            "%s: a CUDA call in a host function. It fails "
                            "(cudaErrorNotPermitted), or waits for itself. "
                            "Only host code belongs there.",
                            error->at);
    if (strcmp(error->name, "cudaErrorMemoryAllocation") == 0 &&
        !case_param(run, "ring"))
        return finding_make("beyond-the-ring", BOUNDED,
                            "%s: the device has no memory left but what is in "
                            "the ring. A chunk has slot->device, and needs no "
                            "more.",
                            error->at);
    if (strcmp(error->name, "cudaErrorInvalidValue") == 0 &&
        begins(error->call, "cudaMemcpy") && entries_of(run) % chunk != 0 &&
        even && even->ran && even->wrong_rounds == 0)
        return finding_make("tail-copy", TODO,
                            "%s: the copy asks for more than there is. The "
                            "last chunk is shorter: its copies take width "
                            "entries.",
                            error->at);
    return finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

#define ENTRIES(n)                                                             \
    .input_bytes = (n) * sizeof(uint64_t),                                     \
    .output_bytes = ((n) + 1) * sizeof(uint64_t)
#define ROUND(label, worth, open, slots, streams, n)                           \
    .name = label, .points = worth, .checked = true, .needs = "the ring",      \
    .compare = compare, .judge = judge_round, ENTRIES(n),                      \
    .params =                                                                  \
        "chunk=1000 left=4096 slots=" slots " streams=" streams " todo=" open, \
    .params_cuda = "chunk=1000 iters=800 left=67108864 slots=" slots           \
                   " streams=" streams " todo=" open

static const struct lab_case cases[] = {
    {.name = "the ring",
     .points = 10,
     .params = "ring=1 chunk=1000 slots=3 todo=1",
     .checked = true,
     .judge = judge_ring,
     .input_bytes = CHUNK * sizeof(uint64_t),
     .output_bytes = sizeof(uint64_t)},
    {ROUND("fewer chunks than slots", 15, "2", "4", "3", 2 * CHUNK)},
    {ROUND("three slots, three streams", 15, "4", "3", "3", 12 * CHUNK + 345)},
    {ROUND("three slots, two streams", 10, "4", "3", "2", 12 * CHUNK)},
    {ROUND("two slots, three streams", 5, "4", "2", "3", 11 * CHUNK + 1)},
    {ROUND("one slot", 5, "4", "1", "2", 5 * CHUNK - 1)},
    {ROUND("one entry", 3, "2", "3", "2", 1)},
    {ROUND("no entries", 2, "2", "3", "2", 0)},
    {.name = "fast",
     .points = 30,
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = "three slots, three streams",
     .compare = compare,
     .judge = judge_fast,
     .params =
         "timed=1 chunk=32768 left=65536 slots=3 streams=4 most_iters=400 "
         "todo=4",
     .params_cuda = "timed=1 chunk=524288 left=67108864 slots=3 streams=4 "
                    "most_iters=5000 todo=4",
     ENTRIES(20 * 32768 - 1000),
     .input_bytes_cuda = (64 * 524288ull - 1000) * sizeof(uint64_t),
     .output_bytes_cuda = (64 * 524288ull) * sizeof(uint64_t)},
};

static const struct lab_rules lab_15 = {
    .name = "15_bounded_pipeline",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .baseline = "one chunk after the other",
    .explain_end = explain_end,
};

LAB_RULES(lab_15);
