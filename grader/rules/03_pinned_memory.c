/*
 * 03_pinned_memory.c: rules of lab 03. What the student's memory is, how fast
 * copies from it are, whether they hold the host, and whether all of it is
 * given back the way it was taken.
 */
#include "chunks.h"
#include "judge/judge.h"

#include <string.h>

#define NEW   "new memory is pinned"
#define RIGHT "batches, right"
#define RATE  "batches, at the link's rate"

/* cudaMemoryType, as the driver reports it. */
enum { UNREGISTERED, HOST, DEVICE, MANAGED };

static const double RATE_NEEDED = 0.85, FREE_NEEDED = 0.7;

/* ---- new memory ---------------------------------------------------------- */

/* What was sent comes back. Without a copy there is nothing to compare: such
 * memory is judged by what it is. */
static uint64_t expect(const struct case_run *run, void *expected)
{
    memcpy(expected, run->input, run->output_bytes);
    return case_has(run, "copy_ns") || case_has(run, "fills")
               ? run->output_bytes / sizeof(uint64_t)
               : 0;
}

/* Memory that the host can fill, large enough, and pinned? */
static bool judge_memory(const struct case_run *run,
                         struct judgement *judgement)
{
    const int64_t type = case_fact(run, "type");

    if (case_fact(run, "null"))
        return judge_no(run, judgement, mistake("no-memory"), "a null pointer");
    if (type == DEVICE || type == MANAGED)
        return judge_no(run, judgement, mistake("not-host-memory"),
                        type == DEVICE ? "device memory" : "managed memory");
    if (case_fact(run, "small"))
        return judge_no(
            run, judgement,
            mistake_with("buffer-too-small", "bytes=%zu", run->input_bytes),
            "{bytes} bytes do not fit");
    return type == HOST ||
           judge_no(
               run, judgement,
               mistake(case_is_open(run, 1) ? "open-todo" : "pageable-memory"),
               "pageable memory: a copy takes {copy_ns:ms} ms, from "
               "pinned memory {best_ns:ms}");
}

/* In which share of the copy's time was the host held by no call? */
static double free_part(const struct case_run *run)
{
    const double copy = (double)case_fact(run, "copy_ns");

    return copy > 0 ? 1 - (double)case_fact(run, "held_ns") / copy : 0;
}

static bool judge_host_free(const struct case_run *run,
                            struct judgement *judgement)
{
    const double part = free_part(run);

    if (part >= FREE_NEEDED)
        return true;
    judgement->borderline =
        run->backend == BACKEND_CUDA && part > FREE_NEEDED / 2;
    judge_fail(judgement, finding_none(),
               "the host was free for %.0f %% of the time, needs %.0f %%",
               part > 0 ? 100 * part : 0, 100 * FREE_NEEDED);
    return false;
}

/* Pinned memory is fast, and a copy from it leaves the host free. That it says
 * to be pinned is not enough: both are measured. */
static bool judge_new(const struct case_run *run, struct judgement *judgement)
{
    const double copy = (double)case_fact(run, "copy_ns");
    const double best = (double)case_fact(run, "best_ns");

    if (!judge_near(run, judgement, copy, best, 1 / RATE_NEEDED - 1) ||
        !judge_host_free(run, judgement))
        return false;
    judge_pass(judgement,
               "%.1f GB/s, pinned memory gives %.1f; host free for %.0f %%",
               (double)run->output_bytes / copy,
               (double)run->output_bytes / best, 100 * free_part(run));
    return true;
}

/* A leak says more than the checker's warning at the end. */
static bool judge_free(const struct case_run *run, struct judgement *judgement)
{
    if (case_fact(run, "pinned_after"))
        return judge_no(run, judgement, mistake("leak"),
                        "{pinned_after} of {taken} still pinned");
    return !case_fact(run, "malloced_after") ||
           judge_no(run, judgement, mistake("leak/malloc"),
                    "malloc's is not freed");
}

/* ---- batches ------------------------------------------------------------- */

/* Each batch was filled once and had its host's work. */
static bool judge_calls(const struct case_run *run, struct judgement *judgement)
{
    const int64_t batches = case_fact(run, "batches");
    const bool there = case_fact(run, "elsewhere") == 0;
    const bool filled = there && case_fact(run, "fills") == batches;
    const bool worked = filled && case_fact(run, "works") == batches;

    return (worked && !case_fact(run, "unlike")) ||
           judge_no(run, judgement,
                    mistake(worked   ? "work-missing/number"
                            : filled ? "work-missing"
                            : there  ? "fill-missing"
                                     : "fill-elsewhere"),
                    !there ? "{elsewhere} of {fills} batches are filled into "
                             "other memory than the caller's"
                    : !filled ? "{batches} batches, {fills} filled"
                              : "{batches} batches, {fills} filled, the host's "
                                "work done {works} times");
}

/* Does a copy run on, or is its memory unpinned under it? A real GPU may still
 * be at a blocking copy from pageable memory: the checker's word counts. */
static bool judge_waited(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct case_run *const seen = seen_run(run);

    return (!case_fact(seen, "running") &&
            !checked_find(&seen->checked, REPORTED(freed_at_work), "call",
                          "Unregister", NULL)) ||
           judge_no(run, judgement, mistake("no-final-wait"),
                    "a copy still runs when it is no longer waited for");
}

/* Where the checker does not look, wrong entries may have any reason. */
static struct finding explain_batches(const struct case_run *run,
                                      enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    const bool looked = run->virtual_run != NULL;
    const bool right = failed != ASK_RIGHT;

    if (!right && looked && run->difference.whole_parts &&
        run->virtual_run->checked.hazards == 0 &&
        run->evidence->first_todo == 0)
        return finding_parts(&run->difference);
    return mistake_first((struct sign[]){
        /* Of the last copy no event tells. */
        SIGN_AT("recorded-early",
                query_calls_before(trace, "cudaEventRecord*", "cudaMemcpy*") <
                        query_calls(trace, "cudaEventRecord*")
                    ? NULL
                    : query_call(trace, "cudaEventSynchronize")),
        {failed == ASK_ORDER && run->virtual_run->checked.hazards > 0,
         case_fact(run, "buffers") > 1 ? "refilled-too-early/two"
                                       : "refilled-too-early"},
        {right || (!case_fact(run, "running") && run->evidence->first_todo > 0),
         NULL},
        {case_fact(run, "running") && !looked, "no-final-wait"},
        {looked && query_bytes(trace, QUERY_IN) == run->output_bytes,
         "entries-elsewhere"},
        {true, looked ? "entries-left-out" : "refilled-too-early"}});
}

/* From pinned memory, and not the owner's? The case under the checker tells. */
static bool is_staged(const struct case_run *run)
{
    static const struct query pinned = {.mems = QUERY_MEM(TRACE_MEM_PINNED)};
    const struct trace *const trace = case_trace(case_other(run, RIGHT));

    return query_calls(trace, "cudaHostRegister") == 0 &&
           query_next(trace, &pinned, NULL) != NULL;
}

/* Pinning takes longer than a copy: done for each batch it is as slow as not
 * done at all. The case under the checker shows what was called. */
static struct finding explain_rate(const struct case_run *run, enum ask failed)
{
    const struct query pageable = {.mems = QUERY_MEM(TRACE_MEM_PAGEABLE)};
    const struct case_run *const right = case_other(run, RIGHT);
    const struct trace *const trace = case_trace(right);
    const unsigned registered = query_calls(trace, "cudaHostRegister");
    const unsigned pinned = registered + query_calls(trace, "cudaMallocHost") +
                            query_calls(trace, "cudaHostAlloc");

    return mistake_first((struct sign[]){
        {case_is_open(run, 3), NULL},
        {failed == ASK_RIGHT, "entries-left-out"},
        {failed != ASK_SPEED, NULL},
        {right && pinned > 1 && pinned >= case_param(right, "batches"),
         "pinned-in-loop"},
        {is_staged(run), "staged"},
        {registered == 0, "not-registered"},
        {query_calls_before(trace, "cudaHostUnregister", "cudaMemcpy*") > 0,
         "unregistered-too-early"},
        SIGN_AT("staged/pageable", query_next(trace, &pageable, NULL))});
}

/* Of a large batch some entries are looked at, but all of it must be there. */
static bool judge_copies(const struct case_run *run,
                         struct judgement *judgement)
{
    const uint64_t copied = query_bytes(&run->trace, QUERY_IN);
    const uint64_t bytes = case_param(run, "entries") *
                           case_param(run, "batches") * sizeof(uint64_t);

    if (!judge_calls(run, judgement) || !judge_waited(run, judgement))
        return false;
    if (case_param(run, "two") == 0 && is_staged(run))
        return judge_no(run, judgement, mistake("staged"),
                        "from other pinned memory than the owner's");
    return !run->traced || copied >= bytes ||
           judge_no(run, judgement,
                    mistake_with("entries-left-out", "share=%.0f",
                                 100 * (double)copied / (double)bytes),
                    "{share} % of the bytes are copied");
}

/* Right, and no faster: the host is held by the copy, or waits for it before it
 * has done its own work, or filled the other of two buffers. */
static struct finding explain_held(const struct case_run *run, enum ask failed)
{
    const bool two = case_param(run, "two") > 0;
    const struct trace_call *const copy = query_call(
        case_trace(two ? run : case_other(run, RIGHT)), "cudaMemcpy");

    if (two ? case_is_open(run, 5) : run->evidence->first_todo > 0)
        return finding_none();
    if (failed != ASK_SPEED)
        return two && failed != ASK_CLEAN ? explain_batches(run, failed)
                                          : finding_none();
    return mistake_first(
        (struct sign[]){SIGN_AT("blocking-copy", copy),
                        {!two, "wait-before-work"},
                        {case_fact(run, "buffers") < 2, "one-buffer"},
                        {true, "wait-before-fill"}});
}

/* The owner of the memory did not pin it. */
static bool judge_after(const struct case_run *run, struct judgement *judgement)
{
    return case_fact(run, "type") == UNREGISTERED ||
           judge_no(run, judgement,
                    finding_todo_or(run, mistake("not-unregistered")),
                    "the owner's memory is still pinned");
}

/* ---- a function that did not return -------------------------------------- */

/* Each way to pinned memory has its own way back, and memory that is not taken
 * back that way is met again: malloc hands out the same addresses. */
static struct finding explain_end(const struct case_run *run)
{
    const bool twice = case_failed(run, NULL, "HostMemoryAlreadyRegistered");
    const bool again = twice && case_param(run, "calls") > 1;
    const bool upload = case_param(run, "batches") > 0;
    const bool crash = !upload && finding_is_memory(run);
    const bool outside =
        upload && case_failed(run, "cudaMemcpy*", "InvalidValue");
    return mistake_first((struct sign[]){
        {again && run->evidence->first_todo > 0, "open-todo"},
        {again, "not-unregistered"},
        {twice && case_param(run, "two"), "registered-twice/two"},
        {case_is(run, NEW) && case_failed(run, "cudaHostRegister", NULL),
         "registered-twice/new"},
        {twice, upload ? "registered-twice" : "not-unregistered/freed"},
        {upload && case_failed(run, "cudaFreeHost", NULL), "registered-freed"},
        {outside && query_first(&run->trace, QUERY_IN),
         "wrong-place"}, /* the first batch was copied */
        {outside, "registered-part"},
        {case_failed(run, "cudaHostUnregister", NULL),
         "not-registered/unregister"},
        {case_failed(run, "cudaFree*", NULL), "free-mismatch"},
        {crash && run->evidence->first_todo == 2, "open-todo"},
        {crash, "free-mismatch/crash"}});
}

/* ---- the rules ----------------------------------------------------------- */

static const struct case_data buffer = {.expect = expect};
/* Of each batch so many entries are looked at. */
static const struct case_data batches = {.entries = "marks",
                                         .times = "batches",
                                         .expect = expect,
                                         .part = "batch",
                                         .part_entries = "marks",
                                         .parts = "batches"};

#define UPLOAD      "what=upload entries=131072 marks=64 timed=1 batches="
#define UPLOAD_CUDA "what=upload entries=2097152 marks=64 timed=1 batches="
#define UPLOAD_TIMED(more)                                                     \
    .params = UPLOAD "16" more, .params_cuda = UPLOAD_CUDA "8" more,           \
    .data = &batches, .looked = true, .timed = true,                           \
    .asks = LAB_ASKS(judge_right, judge_copies)

static const struct lab_case cases[] = {
    {.name = NEW,
     .points = 10,
     .params = "what=buffer entries=131072",
     .params_cuda = "what=buffer entries=8388608",
     .data = &buffer,
     .timed = true,
     .asks = LAB_ASKS(judge_memory, judge_right, judge_new)},
    {.name = "and given back",
     .points = 10,
     .params = "what=free entries=10007 times=3",
     .checked = true,
     .needs = NEW,
     .asks = LAB_ASKS(judge_free, judge_order, judge_clean),
     .passed = "taken and given back {taken} times"},
    {.name = RIGHT,
     .points = 10,
     .params = "what=upload entries=1009 batches=5 marks=1009",
     .data = &batches,
     .checked = true,
     /* Who fills too little is wrong by that. */
     .asks = LAB_ASKS(judge_calls, judge_order, judge_right, judge_waited),
     .explain = explain_batches,
     .passed = "{batches} batches of {entries} entries"},
    {.name = RATE,
     .points = 20,
     UPLOAD_TIMED(""),
     .needs = RIGHT,
     /* Who leaves the memory pinned has that to hear, not that he is fast. */
     .speed = {"pageable_ns", "ns", "pinned_ns", .least = "copies_ns",
               .eta_needed = 0.8},
     .explain = explain_rate},
    {.name = "the host free meanwhile",
     .points = 20,
     UPLOAD_TIMED(" work=1"),
     .drawn = true,
     .needs = RATE,
     .speed = {"pinned_ns", "ns", "beside_ns", .least = "copies_ns",
               .eta_needed = 0.7},
     .explain = explain_held},
    {.name = "the owner's memory, after",
     .points = 10,
     .params = "what=upload entries=1009 batches=3 marks=1009 calls=2",
     .data = &batches,
     .checked = true,
     .needs = RATE,
     .asks = LAB_ASKS(judge_after, judge_calls, judge_right, judge_clean),
     .passed = "pageable again"},
    {.name = "two buffers",
     .points = 15,
     .params = UPLOAD "15 two=1 work=1", /* odd: the last has no pair */
     .params_cuda = UPLOAD_CUDA "9 two=1 work=1",
     .data = &batches,
     .checked = true,
     .timed = true,
     .asks = LAB_ASKS(judge_order, judge_right, judge_clean, judge_copies),
     .speed = {"pinned_ns", "ns", "beside_ns", .eta_needed = 0.7},
     .explain = explain_held},
};

LAB_RULES(.name = "03_pinned_memory", .explain_end = explain_end);
