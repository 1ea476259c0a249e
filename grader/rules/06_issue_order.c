/*
 * 06_issue_order.c: rules of lab 06. The same work in two orders, on devices
 * that differ, and how the mistakes that students make there look.
 */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

#define STREAMS 2    /* NUM_STREAMS of lab.h */
#define SLACK   0.05 /* a good order takes so much longer at most */

/* As enum issue_order of lab.h. */
enum { DEPTH, BREADTH };

#define ORDER_CASE  "depth-first"
#define ORDER2_CASE "breadth-first"

/* ---- data ---------------------------------------------------------------- */

/* Whole numbers, so that every sum is exact. Large ones tell elements apart,
 * but leave no room for many rounds. */
static bool fill(struct case_run *run, void *input)
{
    const uint32_t values = case_param(run, "percent") == 0 ? 1 << 20 : 100;
    const size_t count = run->input_bytes / sizeof(float);
    float *const entries = input;

    if (!case_fill_random(run, input))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t random;

        memcpy(&random, &entries[i], sizeof random);
        entries[i] = (float)(random % values + 1);
    }
    return true;
}

static void compare(const struct case_run *run, struct difference *found)
{
    const uint64_t n = run->output_bytes / sizeof(float);
    const float *const a = run->input;
    const uint64_t rounds = case_has(run, "rounds")
                                ? (uint64_t)case_fact(run, "rounds")
                                : case_param(run, "rounds");
    float *expected = malloc((n + 1) * sizeof(float));
    struct judge_arrays arrays = {JUDGE_F32, run->output, expected, n,
                                  0,         {{0}},       NULL};

    if (expected == NULL)
        return;
    for (uint64_t i = 0; i < n; i++)
        expected[i] = (float)rounds * (a[i] + a[n + i]);
    difference_arrays(found, &arrays);
    free(expected);
}

/* ---- what the trace of an order shows ------------------------------------ */

struct issued {
    unsigned in, kernels, back;
    unsigned in_before_back;   /* copies in issued before the first copy back */
    unsigned in_before_kernel; /* and before the first kernel */
    unsigned queries, late;    /* all; behind the last operation */
    const struct trace_call *wait;
};

/* The first call that made an operation of a kind. */
static uint64_t first_call(const struct trace *trace, unsigned kinds)
{
    const struct query query = {.kinds = kinds};
    const struct trace_op *op = NULL;
    uint64_t first = UINT64_MAX;

    while ((op = query_next(trace, &query, op)) != NULL)
        first = op->call < first ? op->call : first;
    return first;
}

static unsigned count_before(const struct trace *trace, unsigned kinds,
                             uint64_t call)
{
    const struct query query = {.kinds = kinds};
    const struct trace_op *op = NULL;
    unsigned count = 0;

    while ((op = query_next(trace, &query, op)) != NULL)
        count += op->call < call;
    return count;
}

static void count_queries(const struct trace *trace, struct issued *issued)
{
    static const char *const names[] = {"cudaStreamQuery", "cudaEventQuery"};
    const struct query all = {0};
    const struct trace_op *op = NULL;
    uint64_t last = 0;

    while ((op = query_next(trace, &all, op)) != NULL)
        last = op->call > last ? op->call : last;
    for (int i = 0; i < 2; i++) {
        const struct trace_call *call = NULL;

        while ((call = query_next_call(trace, names[i], call)) != NULL) {
            issued->queries++;
            issued->late += call->id > last;
        }
    }
}

static struct issued read_issued(const struct trace *trace)
{
    const unsigned in = QUERY_KIND(TRACE_KIND_H2D);
    const unsigned back = QUERY_KIND(TRACE_KIND_D2H);
    const unsigned kernel = QUERY_KIND(TRACE_KIND_KERNEL);
    struct issued issued = {0};

    issued.in = count_before(trace, in, UINT64_MAX);
    issued.kernels = count_before(trace, kernel, UINT64_MAX);
    issued.back = count_before(trace, back, UINT64_MAX);
    issued.in_before_back = count_before(trace, in, first_call(trace, back));
    issued.in_before_kernel =
        count_before(trace, in, first_call(trace, kernel));
    issued.wait = query_wait(trace, false);
    if (issued.wait == NULL)
        issued.wait = query_next_call(trace, "cudaMemcpy", NULL);
    count_queries(trace, &issued);
    return issued;
}

/* ---- the orders ---------------------------------------------------------- */

static struct finding explain_wrong(const struct case_run *run,
                                    const struct issued *issued)
{
    const struct difference *found = &run->difference;
    const uint64_t segments = case_param(run, "segments");

    if (issued->kernels + issued->in + issued->back == 0)
        return run->evidence->first_todo > 0 ? finding_none()
                                             : mistake("nothing-queued");
    if (issued->kernels == 0)
        return mistake("no-kernel");
    if (issued->back == 0)
        return mistake("no-copy-back");
    if (issued->in_before_kernel > 2 * STREAMS)
        return mistake("memory-reused");
    if (issued->kernels < segments + 1 && found->last + 1 == found->count)
        return mistake("last-segment");
    return finding_none();
}

static struct finding explain_order(const struct case_run *run, enum ask failed)
{
    const struct issued issued = run->virtual_run
                                     ? read_issued(&run->virtual_run->trace)
                                     : (struct issued){0};

    return failed == ASK_RIGHT ? explain_wrong(run, &issued) : finding_none();
}

/* Is it the order that the function is named after? */
static bool ask_sequence(const struct case_run *run,
                         struct judgement *judgement)
{
    const bool depth = case_is(run, ORDER_CASE);
    struct issued issued;

    if (run->virtual_run == NULL)
        return true;
    issued = read_issued(&run->virtual_run->trace);
    if (issued.wait) {
        judge_fail(judgement, mistake_at("host-waits", issued.wait->at),
                   "%s waits", issued.wait->name);
        return false;
    }
    if (issued.kernels == 0)
        return judge_no(run, judgement, mistake("host-add"),
                        "right, but not from the device");
    if (depth && issued.in_before_back > 2)
        return judge_no(run, judgement, mistake("not-depth-first"),
                        "right, but not depth-first");
    return depth || issued.in_before_back >= 2 * STREAMS ||
           judge_no(run, judgement, mistake("copy-back-first"),
                    "right, but not breadth-first");
}

/* ---- devices ------------------------------------------------------------- */

static struct finding explain_choice(const struct case_run *run, bool breadth)
{
    if (!breadth && case_is(run, "one copy engine"))
        return mistake("one-order");
    if (breadth && case_is(run, "delayed signals"))
        return mistake("one-order/one-queue");
    return mistake("wrong-choice");
}

/* The orders' own traces tell where the flushes are. */
static struct finding explain_flush(const struct case_run *run, bool breadth)
{
    const struct case_run *const other =
        case_other(run, breadth ? ORDER2_CASE : ORDER_CASE);
    struct issued issued;

    if (!other || !other->virtual_run)
        return finding_none();
    issued = read_issued(&other->virtual_run->trace);
    if (issued.queries == 0 && run->evidence->first_todo > 0)
        return finding_none();
    if (issued.queries == 0)
        return mistake("no-flush");
    if (issued.queries <= issued.late + 2)
        return mistake("flush-late");
    return mistake("flush-place");
}

static const char *winner(double depth_ns, double breadth_ns)
{
    if (depth_ns < breadth_ns * (1 - SLACK))
        return "depth-first is faster";
    if (breadth_ns < depth_ns * (1 - SLACK))
        return "breadth-first is faster";
    return "no difference";
}

static void judge_device(const struct case_run *run,
                         struct judgement *judgement)
{
    const double own_depth = (double)case_fact(run, "own_depth_ns");
    const double own_breadth = (double)case_fact(run, "own_breadth_ns");
    const double best = own_depth < own_breadth ? own_depth : own_breadth;
    const double depth = (double)case_fact(run, "depth_ns");
    const double breadth = (double)case_fact(run, "breadth_ns");
    const bool chosen = case_fact(run, "order") == BREADTH;
    const double mine = chosen ? breadth : depth;
    const double other = chosen ? depth : breadth;

    if (!judge_right(run, judgement) || !judge_order(run, judgement))
        return;
    if (judge_near(run, judgement, mine, best, SLACK)) {
        judge_pass(judgement,
                   "depth-first %.3f ms, breadth-first %.3f ms: %s; yours "
                   "takes %s",
                   depth / 1e6, breadth / 1e6, winner(depth, breadth),
                   chosen ? "breadth-first" : "depth-first");
        return;
    }
    if (case_is(run, "batching driver"))
        judgement->finding = explain_flush(run, chosen);
    else if (other > 0 && other <= best * (1 + SLACK) &&
             run->evidence->first_todo == 0)
        judgement->finding = explain_choice(run, chosen);
}

/* ---- functions that did not return --------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const struct api_error *const error = &run->error;

    if (strcmp(error->name, "cudaErrorNotReady") == 0)
        return mistake("not-ready-checked");
    if (strncmp(error->at, "lab.h", 5) == 0 &&
        strcmp(error->name, "cudaErrorInvalidValue") == 0)
        return mistake("no-such-segment");
    return finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

/* So many operations as a round of the cipher has are little for an addition.
 * Of the orders it is asked alone: elsewhere devices are compared. */
static uint64_t work(const struct case_run *run)
{
    return run->output_bytes / sizeof(float);
}

#define SUMS                                                                   \
    .inputs = 2, .outputs = 1, .entry_bytes = sizeof(float), .fill = fill,     \
    .compare = compare
static const struct case_data sums = {SUMS};
static const struct case_data sums_by_device = {SUMS, .work = work};

#define ORDER(word)                                                            \
    .points = 15,                                                              \
    .params = "issue=" word " entries=10007 segments=7 rounds=3",              \
    .data = &sums_by_device, .checked = true, .also = ask_sequence,            \
    .explain = explain_order,                                                  \
    .passed = "right, with 0, 1 and {segments} segments"
#define DEVICE .data = &sums, .judge = judge_device

/* Sizes: large enough that the host's calls are not the limit, else as small
 * as can be, for the processor does the adding. */
static const struct lab_case cases[] = {
    {.name = ORDER_CASE, ORDER("depth")},
    {.name = ORDER2_CASE, ORDER("breadth")},
    {.name = "one copy engine",
     .points = 15,
     .profile = "c1060",
     .needs = ORDER2_CASE,
     .params = "entries=262144 segments=8 percent=100 most=1000",
     DEVICE},
    {.name = "delayed signals",
     .points = 15,
     .profile = "c2050",
     .needs = ORDER_CASE,
     .params = "entries=131072 segments=8 percent=100 most=1000",
     DEVICE},
    {.name = "many queues",
     .points = 10,
     .profile = "k20",
     .needs = ORDER_CASE,
     .params = "entries=131072 segments=8 percent=50 most=1000",
     DEVICE},
    {.name = "batching driver",
     .points = 15,
     .profile = "rtx2070mq-wddm",
     .needs = ORDER_CASE,
     .params = "entries=786432 segments=6 percent=50 most=1000",
     DEVICE},
    {.name = "this device",
     .points = 10,
     .params = "entries=262144 segments=8 percent=100 most=1000 drawn=1",
     .params_cuda =
         "entries=16777216 segments=16 percent=100 most=30000 drawn=1",
     .needs = ORDER_CASE,
     .timed = true,
     .drawn = true,
     DEVICE},
};

LAB_RULES(.name = "06_issue_order", .explain_end = explain_end);
