/*
 * 03_pinned_memory.c: rules of lab 03. What the student's memory is, how fast
 * copies from it are, whether they hold the host, and whether all of it is
 * given back the way it was taken.
 */
#include "judge/judge.h"

#include <string.h>

#define NEW        "new memory is pinned"
#define RIGHT      "batches, right"
#define RATE       "batches, at the link's rate"
#define BACK_AGAIN "the owner's memory, after"

/* cudaMemoryType, as the driver reports it. */
enum { UNREGISTERED, HOST, DEVICE, MANAGED };

static const double RATE_NEEDED = 0.85, FREE_NEEDED = 0.7;

/* ---- new memory ---------------------------------------------------------- */

static void compare(const struct case_run *run, struct difference *found)
{
    const struct judge_arrays arrays = {.type = JUDGE_U64,
                                        .got = run->output,
                                        .expected = run->input,
                                        .count = run->output_bytes /
                                                 sizeof(uint64_t)};

    if (!case_has(run, "copy_ns") && !case_has(run, "fills"))
        return; /* judged by what the memory is */
    difference_arrays(found, &arrays);
}

static bool judge_memory(const struct case_run *run,
                         struct judgement *judgement)
{
    const int64_t type = case_fact(run, "type");

    if (case_fact(run, "null"))
        judge_fail(judgement, mistake("no-memory"), "a null pointer");
    else if (type == DEVICE || type == MANAGED)
        judge_fail(judgement, mistake("not-host-memory"), "%s memory",
                   type == DEVICE ? "device" : "managed");
    else if (case_fact(run, "small"))
        judge_fail(judgement, mistake("buffer-too-small"),
                   "%zu bytes do not fit", run->input_bytes);
    else if (type != HOST)
        judge_fail(judgement,
                   run->evidence->first_todo == 1
                       ? finding_open_todo(run->evidence)
                       : mistake("pageable-memory"),
                   "pageable memory: a copy takes %.3f ms, from pinned memory "
                   "%.3f",
                   (double)case_fact(run, "copy_ns") / 1e6,
                   (double)case_fact(run, "best_ns") / 1e6);
    else
        return true;
    return false;
}

static void judge_new(const struct case_run *run, struct judgement *judgement)
{
    const double copy = (double)case_fact(run, "copy_ns");
    const double best = (double)case_fact(run, "best_ns");
    const double held = (double)case_fact(run, "held_ns");

    if (!judge_memory(run, judgement) || !judge_right(run, judgement) ||
        !judge_near(run, judgement, copy, best, 1 / RATE_NEEDED - 1) ||
        !judge_host_free(run, judgement, held, copy, FREE_NEEDED))
        return;
    judge_pass(judgement,
               "%.1f GB/s, pinned memory gives %.1f; host free for %.0f %%",
               (double)run->output_bytes / copy,
               (double)run->output_bytes / best, 100 * (1 - held / copy));
}

static void judge_free(const struct case_run *run, struct judgement *judgement)
{
    if (case_fact(run, "pinned_after"))
        judge_fail(judgement, mistake("leak"), "%lld of %llu still pinned",
                   (long long)case_fact(run, "pinned_after"),
                   2 * (unsigned long long)case_param(run, "times"));
    else if (judge_order(run, judgement) && judge_clean(run, judgement))
        judge_pass(judgement, "taken and given back %llu times",
                   2 * (unsigned long long)case_param(run, "times"));
}

/* ---- batches ------------------------------------------------------------- */

/* Each batch was filled once and had its host's work. */
static bool judge_calls(const struct case_run *run, struct judgement *judgement)
{
    const int64_t batches = (int64_t)case_param(run, "batches");

    const int64_t calls =
        case_param(run, "calls") ? (int64_t)case_param(run, "calls") : 1;
    const int64_t fills = case_fact(run, "fills");
    const int64_t works = case_fact(run, "works");

    if (fills == batches * calls && works == batches * calls)
        return true;
    judge_fail(
        judgement,
        mistake(fills == batches * calls ? "work-missing" : "fill-missing"),
        "%lld batches, %lld filled, the host's work done %lld times",
        (long long)(batches * calls), (long long)fills, (long long)works);
    return false;
}

static bool judge_waited(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct case_run *const checked = run->virtual_run;

    if (!case_fact(run, "running") &&
        !(checked && (case_fact(checked, "running") ||
                      checked_find(&checked->checked, "warning", "text",
                                   "Unregister", NULL))))
        return true;
    judge_fail(judgement, mistake("no-final-wait"),
               "a copy still runs when it is no longer waited for");
    return false;
}

/* A buffer that is filled too early is wrong as well, but that is not why. */
static bool judge_batches_order(const struct case_run *run,
                                struct judgement *judgement)
{
    if (judge_order(run, judgement))
        return true;
    if (run->virtual_run->checked.hazards > 0)
        judgement->finding = mistake("refilled-too-early");
    return false;
}

static void judge_batches(const struct case_run *run,
                          struct judgement *judgement)
{
    if (judge_calls(run, judgement) && judge_batches_order(run, judgement))
        judge_row(run, judgement);
}

static struct finding explain_batches(const struct case_run *run,
                                      enum ask failed)
{
    if (failed == ASK_RIGHT && case_fact(run, "running"))
        return mistake("no-final-wait");
    if (failed == ASK_RIGHT && run->evidence->first_todo == 0)
        return mistake("refilled-too-early");
    return finding_none();
}

/* How often the student registered memory in the case under the checker. */
static unsigned registrations(const struct case_run *run, const char *name)
{
    const struct case_run *const right = case_other(run, RIGHT);

    return right && right->virtual_run && right->virtual_run->traced
               ? query_calls(&right->virtual_run->trace, name)
               : 0;
}

static struct finding explain_rate(const struct case_run *run, enum ask failed)
{
    const struct case_run *const right = case_other(run, RIGHT);
    const unsigned pinned = registrations(run, "cudaHostRegister") +
                            registrations(run, "cudaMallocHost") +
                            registrations(run, "cudaHostAlloc");

    if (failed != ASK_SPEED)
        return finding_none();
    if (run->evidence->first_todo > 0 && run->evidence->first_todo <= 3)
        return finding_open_todo(run->evidence);
    if (right && pinned > 1 && pinned >= case_param(right, "batches"))
        return mistake("pinned-in-loop");
    if (registrations(run, "cudaHostRegister") == 0)
        return mistake("not-registered");
    return finding_none();
}

/* Of a large batch some entries are looked at, but all of it must be there. */
static bool judge_copies(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const uint64_t bytes = case_param(run, "entries") *
                           case_param(run, "batches") * sizeof(uint64_t);

    if (!run->traced || query_bytes(&run->trace, &in) >= bytes)
        return true;
    judge_fail(judgement, mistake("entries-left-out"),
               "%.0f %% of the bytes are copied",
               100 * (double)query_bytes(&run->trace, &in) / (double)bytes);
    return false;
}

static bool judge_calls_and_copies(const struct case_run *run,
                                   struct judgement *judgement)
{
    return judge_calls(run, judgement) && judge_copies(run, judgement);
}

static struct finding explain_held(const struct case_run *run, enum ask failed)
{
    const struct case_run *const right = case_other(run, RIGHT);
    const struct trace_call *copy = NULL;

    if (failed != ASK_SPEED)
        return finding_none();
    if (run->evidence->first_todo > 0)
        return finding_open_todo(run->evidence);
    if (right && right->virtual_run && right->virtual_run->traced)
        copy = query_next_call(&right->virtual_run->trace, "cudaMemcpy", NULL);
    if (copy)
        return mistake_at("blocking-copy", copy->at);
    return mistake("wait-before-work");
}

static struct finding explain_kept(const struct case_run *run)
{
    if (run->evidence->first_todo > 0)
        return finding_open_todo(run->evidence);
    return mistake("not-unregistered");
}

static void judge_after(const struct case_run *run, struct judgement *judgement)
{
    if (case_fact(run, "type") != UNREGISTERED)
        judge_fail(judgement, explain_kept(run),
                   "the owner's memory is still pinned");
    else if (judge_calls(run, judgement) && judge_right(run, judgement) &&
             judge_clean(run, judgement))
        judge_pass(judgement, "pageable again");
}

/* ---- a function that did not return -------------------------------------- */

static bool called(const struct case_run *run, const char *name)
{
    return strcmp(run->error.call, name) == 0;
}

static bool is_upload(const struct case_run *run)
{
    return case_param(run, "batches") > 0;
}

static struct finding explain_end(const struct case_run *run)
{
    if (strcmp(run->error.name, "cudaErrorHostMemoryAlreadyRegistered") == 0) {
        if (case_param(run, "calls") > 1)
            return explain_kept(run);
        if (!is_upload(run))
            return mistake("not-unregistered/freed");
        return mistake("registered-twice");
    }
    if (is_upload(run) && called(run, "cudaFreeHost"))
        return mistake("registered-freed");
    if (is_upload(run) && strncmp(run->error.call, "cudaMemcpy", 10) == 0 &&
        strcmp(run->error.name, "cudaErrorInvalidValue") == 0)
        return mistake("registered-part");
    if (called(run, "cudaHostUnregister"))
        return mistake("not-registered/unregister");
    if (called(run, "cudaFreeHost"))
        return mistake("free-mismatch");
    if (!is_upload(run) && run->end == CHILD_SIGNALLED) {
        if (run->evidence->first_todo == 2)
            return finding_open_todo(run->evidence);
        return mistake("free-mismatch/crash");
    }
    return finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

static const struct case_data buffer = {
    .inputs = 1, .outputs = 1, .compare = compare};
/* Of each batch so many entries are looked at. */
static const struct case_data batches = {.inputs = 1,
                                         .outputs = 1,
                                         .entries = "marks",
                                         .times = "batches",
                                         .compare = compare};

static const struct lab_case cases[] = {
    {.name = NEW,
     .points = 15,
     .params = "what=buffer entries=131072",
     .params_cuda = "what=buffer entries=8388608",
     .data = &buffer,
     .timed = true,
     .judge = judge_new},
    {.name = "and given back",
     .points = 15,
     .params = "what=free entries=10007 times=3",
     .checked = true,
     .needs = NEW,
     .judge = judge_free},
    {.name = RIGHT,
     .points = 10,
     .params = "what=upload entries=1009 batches=5 marks=1009",
     .data = &batches,
     .checked = true,
     .judge = judge_batches,
     .asks = ASK_RIGHT,
     .also = judge_waited,
     .explain = explain_batches,
     .passed = "{batches} batches of {entries} entries"},
    {.name = RATE,
     .points = 20,
     .params = "what=upload entries=131072 batches=16 marks=64 timed=1",
     .params_cuda = "what=upload entries=2097152 batches=8 marks=64 timed=1",
     .data = &batches,
     .looked = true,
     .timed = true,
     .needs = RIGHT,
     .asks = ASK_RIGHT,
     .also = judge_calls_and_copies,
     .speed = {"pageable_ns", "ns", "pinned_ns", .eta_needed = 0.8},
     .explain = explain_rate},
    {.name = "the host free meanwhile",
     .points = 20,
     .params = "what=upload entries=131072 batches=16 marks=64 timed=1 work=1",
     .params_cuda =
         "what=upload entries=2097152 batches=8 marks=64 timed=1 work=1",
     .data = &batches,
     .looked = true,
     .timed = true,
     .drawn = true,
     .needs = RATE,
     .asks = ASK_RIGHT,
     .also = judge_calls_and_copies,
     .speed = {"pinned_ns", "ns", "beside_ns", .eta_needed = 0.7},
     .explain = explain_held},
    {.name = BACK_AGAIN,
     .points = 15,
     .params = "what=upload entries=1009 batches=3 marks=1009 calls=2",
     .data = &batches,
     .checked = true,
     .needs = RATE,
     .judge = judge_after},
};

LAB_RULES(.name = "03_pinned_memory", .explain_end = explain_end);
