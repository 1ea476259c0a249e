/*
 * 17_stream_ordered_memory.c: rules of lab 17. Batches of any size, each in
 * memory of the device's default pool. Judged are the results and their order,
 * where the memory comes from, how much of it is held in a round, between two
 * rounds and at the end, and the time.
 */
#include <stdlib.h>
#include <string.h>

#include "cipher.h"

#define RIGHT "batches in three streams"
#define BOUND "three batches at once"
#define KEPT  "kept from round to round"
#define FAST  "fast"

/* ---- calls --------------------------------------------------------------- */

/* The first call of @name in @stream. */
static const struct trace_call *first_in(const struct trace *trace,
                                         const char *name, uint64_t stream)
{
    const struct trace_call *call = NULL;

    while ((call = query_next_call(trace, name, call)) != NULL)
        if (call->stream == stream)
            return call;
    return NULL;
}

/* The two that are there come one after the other? */
static bool is_after(const struct trace_call *later,
                     const struct trace_call *earlier)
{
    return later && earlier && later->id > earlier->id;
}

/* ---- where the memory comes from ----------------------------------------- */

/* A round needs some: what is not from the pool is from somewhere else. */
static struct finding explain_source(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const taken = query_call(trace, "cudaMalloc");

    if (case_is_open(run, 1))
        return finding_none();
    return mistake_first((struct sign[]){
        SIGN_AT("another-pool", query_call(trace, "cudaMemPoolCreate")),
        SIGN_AT("memory-of-its-own/managed",
                query_call(trace, "cudaMallocManaged")),
        {taken &&
             query_calls(trace, "cudaMalloc") >= case_param(run, "batches") &&
             query_call(trace, "cudaFree*"),
         "malloc-for-each", AT(taken)},
        SIGN_AT("memory-of-its-own", taken)});
}

static bool judge_pool(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const taken = query_call(trace, "cudaMalloc");

    if (fact(run, "used_high") < fact(run, "most_bytes"))
        return judge_no(run, judgement, explain_source(run),
                        "{used_high} bytes were taken from the pool, and the "
                        "largest batch has {most_bytes}");
    return !taken ||
           judge_no(
               run, judgement,
               finding_todo_or(run, mistake_at("memory-of-its-own", taken->at)),
               "not all memory of the device is the pool's");
}

/* All of it was freed by the time a round returned. A pool counts as used what
 * cudaFree frees. */
static bool judge_freed(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const freed = query_call(trace, "cudaFree");
    const bool each =
        query_calls(trace, "cudaFree") >= case_param(run, "batches");
    const struct finding found = mistake_first(
        (struct sign[]){{case_is_open(run, 1), NULL},
                        {freed && each, "cuda-free", AT(freed)},
                        {query_calls(trace, "cudaFree*") > 0, "not-freed/some"},
                        {true, "not-freed"}});

    return fact(run, "used_after") == 0 ||
           judge_no(run, judgement, found,
                    "{used_after} bytes are in use when the round is over");
}

/* ---- how much is held ---------------------------------------------------- */

/* A real pool takes pieces of 32 MiB, with gaps; the virtual one here such of
 * 512 bytes. */
static uint64_t allowed(const struct case_run *run, uint64_t bytes)
{
    return run->backend == BACKEND_CUDA ? bytes + (64u << 20) : bytes;
}

/* Calls of @name before @end. */
static unsigned count_before(const struct trace *trace, const char *name,
                             const struct trace_call *end)
{
    const struct trace_call *call = NULL;
    unsigned count = 0;

    while ((call = query_next_call(trace, name, call)) != NULL)
        count += is_after(end, call);
    return count;
}

/* An allocation has what was freed in its stream, ahead of it. */
static struct finding explain_growth(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const taken = query_call(trace, "cudaMalloc*");
    const struct trace_call *const freed = query_call(trace, "cudaFree*");
    const struct trace_call *const wait =
        taken ? first_in(trace, "cudaStreamWaitEvent", taken->stream) : NULL;
    const unsigned before = count_before(trace, "cudaMalloc*", freed);

    if (!taken || !freed || case_is_open(run, 2))
        return finding_none();
    return mistake_first((struct sign[]){
        {query_calls(trace, "cudaMalloc*") < case_param(run, "batches"),
         "memory-of-its-own/places", taken->at},
        {before >= case_param(run, "batches"), "freed-at-the-end", freed->at},
        {before > case_param(run, "at_once"), "freed-too-late", freed->at},
        SIGN_AT("cuda-free", query_call(trace, "cudaFree")),
        {taken->stream != freed->stream && !wait, "reuse-without-order",
         freed->at},
        {taken->stream != freed->stream, "freed-elsewhere", freed->at},
        {fact(run, "held_high") >= 4 * fact(run, "at_once_bytes"),
         "memory-too-long", taken->at}});
}

/* When the host waits, a pool gives back what is free, not what will be. */
static struct finding explain_kept(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *call = NULL, *freed = NULL;

    while ((call = query_next_call(trace, "cudaFree*", call)) != NULL)
        freed = call;
    return freed && fact(run, "threshold") <= case_param(run, "keep")
               ? mistake_at("freed-after-wait", freed->at)
               : mistake("keeps-too-much");
}

static bool judge_bound(const struct case_run *run, struct judgement *judgement)
{
    const bool later =
        fact(run, "held_later") > allowed(run, fact(run, "later_bytes"));

    if (fact(run, "held_high") <= allowed(run, fact(run, "at_once_bytes")) &&
        later)
        return judge_no(run, judgement,
                        fact(run, "held_after") >
                                allowed(run, case_param(run, "keep"))
                            ? explain_kept(run)
                            : mistake("number-of-first-round"),
                        "in round 2 the pool took {held_later} bytes, and "
                        "{then} batches need {later_bytes}");
    return fact(run, "held_high") <= allowed(run, fact(run, "at_once_bytes")) ||
           judge_no(run, judgement, explain_growth(run),
                    "the pool took {held_high} bytes, and {at_once} batches "
                    "need {at_once_bytes}");
}

static struct finding explain_emptied(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const trim =
        query_call(trace, "cudaMemPoolTrimTo");

    if (!trace || case_is_open(run, 3))
        return finding_none();
    return mistake_first((struct sign[]){
        {query_calls_before(trace, "cudaMemPoolTrimTo", "cudaMalloc*") > 0,
         "trimmed-in-between", AT(trim)},
        {query_calls(trace, "cudaMemPoolSetAttribute") == 0, "pool-emptied"},
        {fact(run, "threshold") == (uint32_t)case_param(run, "keep"),
         "threshold-cut"},
        {true, "pool-emptied/threshold"}});
}

/* Is all that the device lacks after a round in the pool? */
static bool judge_outside(const struct case_run *run,
                          struct judgement *judgement)
{
    return fact(run, "taken_after") <= allowed(run, fact(run, "held_after")) ||
           judge_no(run, judgement, mistake("memory-of-its-own/between"),
                    "after a round {taken_after} bytes of the device are "
                    "missing, and the pool holds {held_after}");
}

/* Between two rounds: something, and not too much. */
static bool judge_between(const struct case_run *run,
                          struct judgement *judgement)
{
    const uint64_t keep = case_param(run, "keep");
    const uint64_t held = fact(run, "held_after");

    if (fact(run, "first_threshold") > 0)
        return judge_no(run, judgement, mistake("pool-of-another-gpu"),
                        "GPU 1 is current, and the pool of GPU 0 is told to "
                        "keep {first_threshold} bytes");
    if (keep >= fact(run, "at_once_bytes") &&
        fact(run, "held_least") < fact(run, "most_bytes"))
        return judge_no(run, judgement, explain_emptied(run),
                        "after a round the pool holds {held_least} bytes");
    if (strtoull(case_text(run, "threshold"), NULL, 10) < keep)
        return judge_no(run, judgement, explain_emptied(run),
                        "the pool is told to keep {threshold} bytes");
    if (held > allowed(run, keep))
        return judge_no(run, judgement, explain_kept(run),
                        "after a round the pool holds {held_after} bytes, and "
                        "may hold {keep}");
    return judge_outside(run, judgement);
}

static struct finding explain_left(const struct case_run *run)
{
    const struct trace_call *const trim =
        query_call(case_trace(run), "cudaMemPoolTrimTo");

    if (case_is_open(run, 4))
        return finding_none();
    return mistake_first(
        (struct sign[]){{fact(run, "left_in_pool") == 0, "leak"},
                        SIGN_AT("not-given-back/trim", trim),
                        {true, "not-given-back"}});
}

static bool judge_end(const struct case_run *run, struct judgement *judgement)
{
    return fact(run, "left") <= allowed(run, 0) ||
           judge_no(run, judgement, explain_left(run),
                    "at the end {left} bytes of the device are missing");
}

/* What the virtual GPU counts to the byte, and the GPU that was asked for. */
static bool judge_both(const struct case_run *run, struct judgement *judgement,
                       bool (*judge)(const struct case_run *run,
                                     struct judgement *judgement))
{
    const struct case_run *const other = run->virtual_run;

    return (!other || other == run || !other->ran || judge(other, judgement)) &&
           judge(run, judgement);
}

static bool judge_source(const struct case_run *run,
                         struct judgement *judgement)
{
    return judge_both(run, judgement, judge_pool) &&
           judge_both(run, judgement, judge_freed) &&
           (!case_is(run, BOUND) || judge_both(run, judgement, judge_bound)) &&
           (!case_is(run, FAST) || judge_both(run, judgement, judge_outside));
}

static bool judge_session(const struct case_run *run,
                          struct judgement *judgement)
{
    return judge_source(run, judgement) &&
           judge_both(run, judgement, judge_between) &&
           (case_is(run, KEPT) || judge_both(run, judgement, judge_end));
}

/* ---- order --------------------------------------------------------------- */

/* Something uses memory, and nothing orders that with the free. */
static bool has_free_hazard(const struct case_run *seen)
{
    return cipher_has_hazard(seen, DONE_BY(free), DONE_BY_ANY) ||
           cipher_has_hazard(seen, DONE_BY_ANY, DONE_BY(free));
}

/* Is @later in another stream, which waits for no event behind @earlier? */
static bool is_unordered(const struct trace *trace,
                         const struct trace_call *later,
                         const struct trace_call *earlier)
{
    const size_t events = trace->num_events;

    if (!later || !earlier || later->stream == earlier->stream)
        return false;
    for (size_t i = 0; i < trace->num_waits * events; i++) {
        const struct trace_wait *const wait = &trace->waits[i / events];
        const struct trace_event *const event = &trace->events[i % events];

        if (wait->event == event->id && event->stream == earlier->stream &&
            event->call > earlier->id && wait->stream == later->stream &&
            wait->call < later->id)
            return false;
    }
    return true;
}

/* Of the run under the checker. A batch's steps first: the memory is freed
 * behind the last of them, and what is wrong there is wrong by it. */
static struct finding explain_order(const struct case_run *seen)
{
    const struct trace *const trace = &seen->trace;
    const uint64_t bytes = case_param(seen, "entries") * sizeof bytes;
    struct finding found = trace_explain_default(trace);
    struct trace_facts facts;
    const struct trace_call *const taken = query_call(trace, "cudaMalloc*");
    const struct trace_call *const in = query_call(trace, "cudaMemcpy*");
    const struct trace_call *const kernel =
        query_call(trace, "cudaLaunchKernel*");
    const struct trace_call *const back =
        kernel ? query_next_call(trace, "cudaMemcpy*", kernel) : NULL;
    const struct trace_call *const sync = query_call(trace, "cudaFree");
    const struct trace_call *const async = query_call(trace, "cudaFreeAsync");
    const struct trace_call *const record =
        back ? first_in(trace, "cudaEventRecord*", back->stream) : NULL;
    const bool is_freed =
        has_free_hazard(seen) || case_reported(seen, REPORTED(after_free));

    trace_facts_take(&facts, trace);
    if (!found.id)
        found = trace_explain_bytes(&facts, fact(seen, "most_bytes"));
    if (found.id)
        return found;
    return mistake_first((struct sign[]){
        {seen->ran && query_bytes(trace, QUERY_IN) != bytes, "other-batch-size",
         AT(in)},
        {seen->ran && query_bytes(trace, QUERY_BACK) != bytes,
         "other-batch-size/back", AT(back)},
        {case_reported(seen, REPORTED(past_end)), "other-batch-size/kernel",
         AT(kernel)},
        {is_unordered(trace, in, taken), "used-before-allocated", AT(taken)},
        {is_unordered(trace, kernel, in), "kernel-too-early", AT(kernel)},
        {is_unordered(trace, back, kernel), "copied-back-early", AT(back)},
        {is_freed && sync, "freed-early/now", AT(sync)},
        {is_freed && async && back && async->stream != back->stream &&
             is_after(back, record),
         "freed-early/record", AT(record)},
        {is_freed && is_after(async, back) && !is_unordered(trace, async, back),
         "freed-early/other", AT(async)},
        {is_freed, "freed-early", AT(async)},
        {seen->checked.by_driver, "not-waited"}});
}

/* ---- time ---------------------------------------------------------------- */

/* The first copy in that comes after the copy back of one of the at_once
 * batches before it: these may all be under way, but for the first of them. */
static const struct trace_op *first_behind_newer(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_op *in = NULL, *back = NULL;

    while ((in = query_next(trace, QUERY_OF(QUERY_IN), in)) != NULL)
        while ((back = query_next(trace, QUERY_OF(QUERY_BACK), back)) != NULL)
            if (trace_comes_after(trace, in, back) &&
                query_ahead(trace, QUERY_BACK, in) <
                    query_ahead(trace, QUERY_BACK, back) +
                        case_param(run, "at_once"))
                return in;
    return NULL;
}

static struct finding explain_slow(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    struct finding found = trace_explain_slow(trace);
    const struct case_run *const kept = case_other(run, KEPT);
    const struct trace_call *const wait = query_wait(trace, true);
    const unsigned waits = query_calls(trace, "cudaStreamSynchronize") +
                           query_calls(trace, "cudaDeviceSynchronize") +
                           query_calls(trace, "cudaEventSynchronize");
    const struct trace_op *const kernel = query_first(trace, QUERY_KERNELS);
    const struct trace_call *const among =
        kernel ? first_in(trace, "cudaFreeAsync", kernel->stream) : NULL;

    if (found.id || !trace)
        return found;
    found = mistake_first((struct sign[]){
        SIGN_AT("malloc-for-each", query_call(trace, "cudaMalloc")),
        SIGN_AT("cuda-free", query_call(trace, "cudaFree")),
        {waits > 2 * case_param(run, "repeat"), "host-sync", AT(wait)},
        {kept && fact(kept, "held_least") < fact(kept, "most_bytes"),
         "pool-emptied"},
        {!query_overlap(trace, QUERY_IN, QUERY_KERNELS | QUERY_BACK),
         "one-at-a-time"},
        SIGN_AT("free-among-kernels", among),
        SIGN_AT("waits-for-newer", first_behind_newer(run))});
    return finding_is(&found, "pool-emptied") ? explain_emptied(kept) : found;
}

/* ---- why ----------------------------------------------------------------- */

/* A device is lost by the use of memory that is not there: under the checker,
 * or only where addresses are given out again. */
static struct finding explain_end(const struct case_run *run)
{
    const struct case_run *const seen = seen_run(run);

    /* There is no pool yet. */
    if ((run->evidence->todos & LAB_TODO(3)) &&
        case_failed(seen, "cudaMemPool*", NULL))
        return mistake("open-todo/undone");
    if (!case_todo_is_open(run) && case_failed(seen, "cudaFree*", NULL))
        return mistake("freed-twice");
    return case_failed(seen, NULL, "IllegalAddress") ||
                   case_failed(run, NULL, "IllegalAddress")
               ? explain_order(seen)
               : finding_none();
}

/* Batches that are still encrypted, of which the first entry tells. */
static struct finding explain_batches(const struct case_run *run)
{
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t batches = case_param(run, "batches");
    struct difference left = {.part = "batch", .num_parts = batches};
    uint64_t count = 0;

    for (uint64_t b = 0; b < batches; b++) {
        const int64_t at = case_numbered_fact(run, "begin", (unsigned)b);

        if (input[at] != output[at])
            continue;
        difference_add_part(&left, b);
        count++;
    }
    return count > 0 && count < batches ? finding_parts(&left) : finding_none();
}

/* A hazard and what is wrong by it have one reason. */
static struct finding explain(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    const struct case_run *const seen = seen_run(run);
    struct finding found;

    if (case_todo_is_open(run))
        return finding_none();
    if (failed == ASK_SPEED)
        return explain_slow(run);
    /* The round that has another number, and no other one. */
    if (failed == ASK_RIGHT && case_is(run, BOUND) && run->difference.wrong &&
        2 * run->difference.first >= case_param(run, "entries"))
        return mistake("number-of-first-round");
    if (failed == ASK_CLEAN) {
        found = explain_source(run);
        return found.id ? found
                        : mistake_first((struct sign[]){
                              {fact(run, "used_after") > 0, "not-freed"},
                              {checked_find(&seen->checked,
                                            REPORTED(event_unrecorded), NULL,
                                            NULL, NULL),
                               case_param(run, "batches") <
                                       case_param(run, "at_once")
                                   ? "places-unused"
                                   : "places-unused/beyond"}});
    }
    if (failed == ASK_RIGHT && trace && query_count(trace, QUERY_KERNELS) == 0)
        return mistake("no-kernel");
    found = explain_order(seen);
    if (!found.id && failed == ASK_RIGHT && run->difference.kinds[0] > 0)
        found = explain_batches(run);
    return !found.id && failed == ASK_RIGHT &&
                   cipher_is_other_rounds(run, run->difference.first)
               ? mistake("wrong-rounds")
               : found;
}

/* ---- the rules ----------------------------------------------------------- */

#define ROUND(label, worth, sizes)                                             \
    .name = label, .points = worth, .checked = true,                           \
    .params = "iters=40 repeat=1 " sizes,                                      \
    .params_checked = "iters=40 repeat=1 " sizes, .data = &cipher_host_data,   \
    .asks = LAB_ASKS(JUDGE_ALL, judge_source), .explain = explain,             \
    .passed = "all entries, batches: {batches}"
/* Memory is looked at, so nobody else should take any. */
#define MEMORY(label, worth, judge)                                            \
    .name = label, .points = worth, .checked = true, .alone = true,            \
    .data = &cipher_host_data, .asks = LAB_ASKS(JUDGE_ALL, judge),             \
    .explain = explain

static const struct lab_case cases[] = {
    {ROUND(RIGHT, 20, "batches=7 at_once=3 entries=12345 todo=1")},
    {ROUND("one at a time", 4, "batches=3 at_once=1 entries=4999 todo=1"),
     .needs = RIGHT},
    {ROUND("one entry", 4, "batches=1 at_once=3 entries=1 todo=1"),
     .needs = RIGHT},
    {ROUND("no batches", 2, "batches=0 at_once=3 entries=0 todo=1"),
     .needs = RIGHT},
    {MEMORY(BOUND, 20, judge_source),
     .params = "iters=40 repeat=2 batches=24 at_once=3 then=2 entries=48000 "
               "keep=0 todo=2",
     .params_cuda = "iters=40 repeat=2 batches=24 at_once=3 then=2 "
                    "entries=50331648 keep=0 todo=2",
     .needs = RIGHT, .passed = "{held_high} bytes for {batches} batches"},
    {MEMORY(KEPT, 15, judge_session),
     .params = "iters=40 repeat=4 batches=5 at_once=3 entries=20000 "
               "keep=4294967296..4294969344/512 todo=3",
     .params_cuda = "iters=40 repeat=4 batches=5 at_once=3 "
                    "entries=10485760 keep=4294967296..4294969344/512 "
                    "todo=3",
     .needs = RIGHT, .passed = "{held_after} bytes of {keep}"},
    /* On the second of two GPUs, so that its pool is not the first's. */
    {MEMORY("and given back", 10, judge_session), .gpus = 2, .gpus_needed = 1,
     .params = "iters=40 repeat=3 batches=5 at_once=3 swell=1 current=1 "
               "entries=40000 keep=10000 todo=4",
     .params_cuda = "iters=40 repeat=3 batches=5 at_once=3 swell=1 "
                    "current=1 entries=25165824 keep=16777216 todo=4",
     .needs = RIGHT,
     .passed = "{held_after} bytes of {keep} in between, {left} at the end"},
    {.name = FAST,
     .points = 20,
     .params = "timed=1 repeat=3 batches=10 at_once=4 most_rounds=400 "
               "entries=1965600 keep=16777216 todo=4",
     .params_cuda = "timed=1 repeat=3 batches=20 at_once=4 most_rounds=5000 "
                    "entries=31456800 keep=1073741824 todo=4",
     .seconds = 30,
     .data = &cipher_large_data,
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = RIGHT,
     .asks = LAB_ASKS(judge_right, judge_order, judge_source),
     .speed = {"serial_ns", "student_ns", "bound_ns", .eta_needed = 0.70},
     .explain = explain},
};

LAB_RULES(.name = "17_stream_ordered_memory",
          .baseline = "one batch after the other", .explain_end = explain_end);
