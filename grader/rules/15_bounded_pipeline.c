/*
 * 15_bounded_pipeline.c: rules of lab 15. A ring of a few slots, more chunks
 * than slots, a consumer in a host function. Judged are the ring alone, what
 * the consumer got, whether it came from the device and through the ring's
 * memory, and the time. What nothing orders tells which event is missing.
 */
#include <string.h>

#include "cipher.h"
#include "cipher_entry.h"
#include "number.h"

#define RING     "the ring"
#define FEW      "fewer chunks than slots"
#define HUNDREDS "hundreds of chunks"
#define AGAIN    "the same ring again"
#define MANY     "three slots, three streams"

enum { HOSTFN = QUERY_KIND(TRACE_KIND_HOSTFN) };

/* ---- the ring alone ------------------------------------------------------ */

/* Everything that the ring needs, and no memory for more chunks than slots. */
static bool judge_ring(const struct case_run *run, struct judgement *judgement)
{
    const int64_t slots = (int64_t)case_param(run, "slots");
    const bool open = case_todo_is_open(run);
    const bool too_large = case_fact(run, "device_bytes") >=
                           (slots + 1) * case_fact(run, "slot_bytes");
    const bool no_host = case_fact(run, "pinned") < slots;
    const struct finding found = mistake_first((struct sign[]){
        {too_large && !open, "ring-too-large"},
        {!case_fact(run, "sizes"), "ring-sizes"},
        {case_fact(run, "device") < slots, "no-device-memory"},
        {no_host && case_fact(run, "host_there"), "staging-pageable"},
        {no_host, "no-host-memory"},
        {case_fact(run, "room") < slots, "slot-too-small"},
        {case_fact(run, "events") < 2 * slots, "no-events"},
        {case_fact(run, "shared") > 0, "slots-shared"}});

    return !found.id ||
           judge_no(
               run, judgement, open ? finding_none() : found,
               finding_is(&found, "ring-too-large")
                   ? "{device_bytes} bytes of the device for {slots} slots "
                     "of {slot_bytes}"
                   : "{device} of {slots} slots on the device, {pinned} in "
                     "pinned memory, {events} of {all_events} events");
}

/* ---- hazards ------------------------------------------------------------- */

/* The host writes what a host function has still to read. */
static bool is_argument_hazard(const struct case_run *run)
{
    return cipher_has_hazard(run, DONE_BY(hostfn),
                             DONE_BY(host) | DONE_BY_STUDENT) ||
           cipher_has_hazard(run, DONE_BY(host), DONE_BY(hostfn));
}

/* Two chunks in one piece of the device's memory. */
static bool is_device_hazard(const struct case_run *run)
{
    const unsigned device = DONE_BY(kernel) | DONE_BY(h2d);

    return cipher_has_hazard(run, device, DONE_BY_ANY) ||
           cipher_has_hazard(run, DONE_BY_ANY, device);
}

/* ---- events in the wrong place ------------------------------------------- */

/* The first chunk's way; call ids tell what came first. */
struct way {
    uint64_t back_call, hostfn_call, delivery; /* delivery: a stream */
    /* The last wait in the stream of the host function that comes before it,
     * and the last record before that wait, or before the host function. */
    const struct trace_call *wait, *copied;
    /* The first record in the host functions' stream, and those elsewhere. */
    const struct trace_call *taken;
    unsigned records_elsewhere;
};

/* The order of the calls, for the operations themselves may run in another. */
static struct way read_way(const struct trace *trace)
{
    const struct trace_op *const back = query_first(trace, QUERY_BACK);
    const struct trace_op *op = NULL;
    const struct trace_call *call = NULL;
    struct way way = {.hostfn_call = UINT64_MAX};

    way.back_call = back ? back->call : 0;
    while ((op = query_next(trace, QUERY_OF(HOSTFN), op)) != NULL)
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
            way.copied = call;
        if (call->stream != way.delivery)
            way.records_elsewhere++;
        else if (!way.taken)
            way.taken = call;
    }
    return way;
}

/* The host function reads too early: what became of slot->copied? */
static struct finding explain_delivered_early(const struct trace *trace)
{
    const struct way way = read_way(trace);
    const struct trace_call *const wait = way.wait, *const copied = way.copied;
    const struct trace_call *const any =
        query_call(trace, "cudaStreamWaitEvent");
    const char *const at = AT(copied);

    return mistake_first((struct sign[]){
        {!wait && !any, "delivered-early"},
        {!wait, "delivered-early/place", AT(any)},
        {!copied, "wait-before-record", AT(wait)},
        {copied && copied->stream == way.delivery, "copied-wrong-stream", at},
        {copied && copied->id < way.back_call, "copied-early", at},
        {true, "delivered-early/read"}});
}

/* A copy back comes too early: what became of slot->taken? */
static struct finding explain_host_reused(const struct trace *trace)
{
    const struct way way = read_way(trace);

    if (way.taken && way.taken->id < way.hostfn_call)
        return mistake_at("taken-early", way.taken->at);
    if (way.taken)
        return mistake("host-reused-early");
    /* Two records for each chunk, but none where it covers the consumer. */
    return mistake(way.records_elsewhere < 2 * query_count(trace, HOSTFN)
                       ? "taken-not-recorded"
                       : "taken-wrong-stream");
}

/* The first chunk that finds its slot used: the wait ahead of its copy in. */
static const struct trace_call *find_wait(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_op *in = NULL;
    const struct trace_call *wait = NULL;

    while ((in = query_next(trace, QUERY_OF(QUERY_IN), in)) &&
           query_ahead(trace, QUERY_IN, in) != case_param(run, "slots"))
        ;
    while (in && (wait = query_next_call(trace, "cudaStreamWaitEvent", wait)) &&
           (wait->stream != in->stream || wait->id > in->call))
        ;
    return wait;
}

/* One hazard brings others: those first that are the reason of the rest. */
static struct finding explain_hazard(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const bool early =
        trace && cipher_has_hazard(run, DONE_BY(d2h), DONE_BY(hostfn));
    const bool late =
        trace && cipher_has_hazard(run, DONE_BY(hostfn), DONE_BY(d2h));
    const struct finding found = mistake_first((struct sign[]){
        {cipher_has_hazard(run, DONE_BY(free), DONE_BY(hostfn)) ||
             cipher_has_hazard(run, DONE_BY(hostfn), DONE_BY(free)),
         "argument-gone"},
        {is_argument_hazard(run), "argument-reused"},
        {cipher_has_hazard(run, DONE_BY(hostfn), DONE_BY(hostfn)),
         "deliveries-unordered"},
        {case_fact(run, "strays") > 0 &&
             fact(run, "taken_later") == case_param(run, "entries"),
         "wrong-slot"},
        {early || !is_device_hazard(run), NULL},
        SIGN_AT("device-reused-early/waits", find_wait(run)),
        {true, "device-reused-early"}});

    return found.id ? found
           : early  ? explain_delivered_early(trace)
           : late   ? explain_host_reused(trace)
                    : found;
}

/* ---- wrong results ------------------------------------------------------- */

/* The consumer keeps each step-th of the results. */
static uint64_t expect(const struct case_run *run, void *expected)
{
    const uint64_t step = max_u64(fact(run, "step"), 1);
    const uint64_t count = div_up(case_param(run, "entries"), step);
    const uint64_t *const input = run->input;
    uint64_t *const results = expected;

    for (uint64_t i = 0; i < count; i++)
        results[i] = input[i * step];
    reference_decrypt(results, results, count, fact(run, "rounds"));
    return count;
}

enum { STILL_ENCRYPTED, ZERO, MOVED, OTHER }; /* difference.kinds */

/* The consumer got what it should not, or too much, or too little. */
static struct finding explain_count(const struct case_run *run)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t taken = fact(run, "taken_later");
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t chunk = case_param(run, "chunk"), chunks = div_up(n, chunk);
    const uint64_t first = run->difference.first,
                   at = first * fact(run, "step");
    const bool copied = query_count(case_trace(run), QUERY_IN) >= chunks;
    const bool narrow =
        at >= 65536 &&
        output[first] == decrypt_entry(input[at % 65536], fact(run, "rounds"));

    return mistake_first((struct sign[]){
        {narrow, "too-narrow/begin"},
        {case_fact(run, "strange") > 0, "argument-gone"},
        {case_fact(run, "beyond") > 0, "count-beyond-slot"},
        {taken < n && (n - taken) % 65536 == 0, "too-narrow/16"},
        {taken > n && run->wrong_rounds == 0, "tail-delivered"},
        {taken < n && fact(run, "calls_later") == chunks, "results-left-out"},
        {taken < n && taken == n / chunk * chunk && !copied, "tail-left-out"},
        {taken < n, "chunk-left-out"}});
}

/* Of less than a chunk, nothing is what is left if the tail is left out. */
static bool is_nothing_delivered(const struct case_run *run)
{
    const struct case_run *const many = case_other(run, MANY);
    const uint64_t n = case_param(run, "entries");

    return n > 0 && case_fact(run, "calls_later") == 0 &&
           (n >= case_param(run, "chunk") || many == NULL ||
            case_fact(many, "calls_later") == 0);
}

/* It waits for a stream in which nothing is: host functions are in one of those
 * that work. */
static bool is_wait_for_nothing(const struct trace *trace)
{
    const struct trace_op *const handed = query_first(trace, HOSTFN);
    const struct trace_call *call = NULL, *last = NULL;
    struct query in = {.one_stream = true};
    bool nothing;

    while ((call = query_next_call(trace, "cudaStreamSynchronize", call)))
        last = call;
    if (!last || !handed)
        return false;
    in.stream = last->stream;
    nothing = !query_next(trace, &in, NULL);
    in.stream = handed->stream;
    in.kinds = QUERY_KERNELS;
    return nothing && query_next(trace, &in, NULL);
}

/* First what is not waited for, then order: both explain any result. */
static struct finding explain_wrong(const struct case_run *run)
{
    const uint64_t *const kinds = run->difference.kinds;
    const uint64_t at = run->difference.first * max_u64(fact(run, "step"), 1);
    struct finding found = trace_explain_default(case_trace(run));

    if (is_nothing_delivered(run))
        return mistake("nothing-delivered");
    if (!is_argument_hazard(run) &&
        (cipher_has_hazard(run, DONE_BY(hostfn),
                           DONE_BY(host) | DONE_BY_GRADER) ||
         case_fact(run, "calls") < case_fact(run, "calls_later")))
        return mistake(is_wait_for_nothing(case_trace(run))
                           ? "delivered-elsewhere"
                           : "not-waited");
    if (run->wrong_rounds > 0 && case_fact(run, "by_host") > 0)
        return mistake("delivered-early/host");
    if (!found.id)
        found = explain_hazard(run);
    if (!found.id)
        found = explain_count(run);
    if (found.id || run->wrong_rounds == 0)
        return found;
    if (kinds[STILL_ENCRYPTED] == run->difference.wrong)
        return run->difference.whole_parts
                   ? finding_parts(&run->difference)
                   : mistake(query_first(case_trace(run), QUERY_KERNELS)
                                 ? "entries-missed"
                                 : "no-kernel");
    return mistake_first(
        (struct sign[]){{kinds[MOVED] > 0, "out-of-order"},
                        {cipher_is_other_rounds(run, at), "wrong-rounds"}});
}

/* ---- slow results -------------------------------------------------------- */

/* The reason first, then what the host does, then the shape of it all. */
static struct finding explain_slow(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct finding found = trace_explain_slow(trace);
    const struct trace_call *wait = query_wait(trace, true);
    const bool by_host = case_fact(run, "by_host") > 0;

    if (found.id || !trace)
        return found;
    if (!wait)
        wait = query_call_between(trace, "cuda*Query");
    return mistake_first((struct sign[]){
        SIGN_AT(by_host ? "consumed-by-the-host" : "host-sync", wait),
        {query_streams(trace, QUERY_KERNELS | QUERY_COPIES) == 1, "one-stream"},
        {!query_overlap(trace, QUERY_IN, QUERY_KERNELS | QUERY_BACK),
         "ring-of-one"}});
}

/* ---- why ----------------------------------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const struct case_run *const few = case_other(run, FEW);
    const bool few_are_right = few && few->ran && few->wrong_rounds == 0;
    const bool has_tail =
        case_param(run, "entries") % case_param(run, "chunk") != 0;
    const char *const access = case_reported(run, REPORTED(host_access));

    return mistake_first((struct sign[]){
        {case_is(run, AGAIN), "second-job"},
        {case_is(run, HUNDREDS) && finding_is_memory(run),
         "room-for-few-chunks"},
        {case_is(run, HUNDREDS) &&
             case_failed(run, NULL, "InvalidResourceHandle"),
         "room-for-few-chunks/handle"},
        {case_failed(run, NULL, "NotPermitted"), "cuda-in-host-function"},
        {chunks_is_empty_launch(run), "empty-launch"},
        {access && report_is_drivers(access, "at") &&
             report_holds(access, "verb", "reads"),
         "results-not-the-hosts"},
        {case_failed(run, NULL, "MemoryAllocation") && !case_param(run, "ring"),
         "beyond-the-ring"},
        {case_failed(run, "cudaMemcpy*", "InvalidValue") && has_tail &&
             few_are_right,
         "tail-copy"}});
}

/* A hazard and what is wrong by it have one reason. */
static struct finding explain(const struct case_run *run, enum ask failed)
{
    if (case_todo_is_open(run))
        return finding_none();
    if (case_is(run, AGAIN))
        return mistake("second-job");
    return failed == ASK_SPEED ? explain_slow(run) : explain_wrong(run);
}

/* ---- right results ------------------------------------------------------- */

/* A warning that is not about a wait for an event without a record: here, a
 * slot that nobody has used yet is rightly free. */
static const char *find_warning(const struct case_run *run)
{
    return checked_find(case_checked(run),
                        REPORTED_WARNINGS & ~REPORTED(event_unrecorded), NULL,
                        NULL, NULL);
}

/* A host function whose CUDA call has failed, and nobody looked. */
static bool judge_host_functions(const struct case_run *run,
                                 struct judgement *judgement)
{
    const char *const line =
        checked_find(case_checked(run), REPORTED(code_dropped), "error",
                     "cudaErrorNotPermitted", NULL);

    return cipher_judge_warning(line, "cuda-in-host-function", judgement);
}

/* In the ring's memory? Managed memory is not the device's alone, so it can be
 * had although the device is full; pinned memory shows where results arrive. */
static bool judge_bounded(const struct case_run *run,
                          struct judgement *judgement)
{
    const struct trace_call *const call =
        query_call(case_trace(run), "cudaMallocManaged");
    const int64_t places = case_fact(run, "places");
    const struct finding found = mistake_first((struct sign[]){
        /* The driver counts no further. */
        {places >= 32, "staging-unbounded/many"},
        {places > (int64_t)case_param(run, "slots"), "staging-unbounded"},
        SIGN_AT("beyond-the-ring/allocation", call)});

    return !found.id || judge_no(run, judgement, found,
                                 "right, but not in the ring's memory");
}

static bool judge_rest(const struct case_run *run, struct judgement *judgement)
{
    if (fact(run, "spoilt"))
        return judge_no(run, judgement, mistake("data-spoilt"),
                        "right, but data_host is not as it was");
    if (fact(run, "taken_later") != case_param(run, "entries"))
        return judge_no(run, judgement, explain(run, ASK_RIGHT),
                        "the consumer got {taken_later} results of {entries}");
    if (!judge_host_functions(run, judgement))
        return false;
    if ((run->pending[0] || run->late[0] || find_warning(run)) &&
        !judge_clean(run, judgement))
        return false;
    return judge_bounded(run, judgement);
}

/* A CUDA call in a host function fails, and what is wrong then is wrong by it:
 * so it is asked for first, unless there is still something to be written. */
static bool judge_first(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const checked = run->virtual_run;

    return case_todo_is_open(run) || !checked || !checked->ran ||
           judge_host_functions(run, judgement);
}

/* ---- the rules ----------------------------------------------------------- */

static const struct case_data ring_data = {.entries = "chunk"};
#define RESULTS                                                                \
    .expect = expect, .still = "still encrypted", .noun = "result", CIPHER_WORK
static const struct case_data sampled_data = {RESULTS};
static const struct case_data entries_data = {RESULTS, .part = "chunk",
                                              .part_entries = "chunk"};

/* Under the checker with so few bytes of the device left. A real device hands
 * out pages of megabytes, and filling it takes half a second. */
#define ROUND_AFTER(label, worth, before, chunk, sizes)                        \
    .name = label, .points = worth, .checked = true, .needs = before,          \
    .params = "chunk=" #chunk " left=4096 " sizes,                             \
    .params_cuda = "chunk=" #chunk " iters=800 " sizes, .data = &entries_data, \
    .asks = LAB_ASKS(judge_first, judge_right, judge_order, judge_rest),       \
    .explain = explain,                                                        \
    .passed = "{chunks} chunk{chunks:s} through {slots} slot{slots:s}"
#define ROUND(label, worth, chunk, sizes)                                      \
    ROUND_AFTER(label, worth, RING, chunk, sizes)

static const struct lab_case cases[] = {
    {.name = RING,
     .points = 10,
     .params = "ring=1 chunk=1000 slots=3 streams=1 todo=1",
     .params_cuda = "ring=1 chunk=4194304 slots=3 streams=1 todo=1",
     .data = &ring_data,
     .alone = true,
     .checked = true,
     .asks = LAB_ASKS(judge_ring, judge_order, judge_clean),
     .passed = "{slots} slots, and all given back"},
    {ROUND(FEW, 15, 1000, "slots=4 streams=3 entries=2000 todo=2")},
    {ROUND(MANY, 15, 1000, "slots=3 streams=3 entries=12345 todo=4")},
    {ROUND("three slots, two streams", 10, 1000,
           "slots=3 streams=2 entries=12000 todo=4")},
    {ROUND("two slots, three streams", 5, 1000,
           "slots=2 streams=3 entries=11001 todo=4")},
    /* More than 16 bits count. */
    {ROUND("one slot", 5, 70000, "slots=1 streams=2 entries=141000 todo=4")},
    {ROUND("one entry", 3, 1000, "slots=3 streams=2 entries=1 todo=2")},
    {ROUND("no entries", 2, 1000, "slots=3 streams=2 entries=0 todo=2")},
    /* More than an array holds that is not made for so many. Each takes a turn
     * of host threads, so not thousands. */
    {ROUND_AFTER(HUNDREDS, 2, MANY, 4,
                 "slots=3 streams=3 entries=2001..2399 todo=4")},
    {ROUND_AFTER(AGAIN, 2, MANY, 1000,
                 "again=1 slots=3 streams=3 entries=12345 todo=4")},
    {.name = "fast",
     .points = 26,
     .params = "timed=1 chunk=65536 left=131072 slots=3 streams=4 "
               "most_iters=400 entries=1308720 todo=4",
     .params_cuda = "timed=1 chunk=524288 left=67108864 slots=3 streams=4 "
                    "most_iters=5000 entries=16776216 todo=4",
     .seconds = 30,
     .data = &sampled_data,
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = MANY,
     .asks = LAB_ASKS(judge_first, judge_right, judge_order, judge_rest),
     .speed = {"serial_ns", "student_ns", "bound_ns", .eta_needed = 0.80},
     .explain = explain},
};

LAB_RULES(.name = "15_bounded_pipeline",
          .baseline = "one chunk after the other", .explain_end = explain_end);
