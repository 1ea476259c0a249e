/*
 * 06_issue_order.c: rules of lab 06. The same work in two orders, on devices
 * that differ, and how the mistakes that students make there look.
 */
#include <string.h>

#include "judge/judge.h"

#define STREAMS 2    /* NUM_STREAMS of lab.h */
#define SLACK   0.08 /* a good order takes so much longer at most */

/* As enum issue_order of lab.h. */
enum { DEPTH, BREADTH };

#define ORDER_CASE  "depth-first"
#define ORDER2_CASE "breadth-first"
#define ONE_ENGINE  "one copy engine"

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

/* As many rounds as the driver found to suit the device, or the case says. */
static uint64_t expect(const struct case_run *run, void *expected)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t steps = case_param(run, "steps");
    const float rounds =
        (float)(case_has(run, "rounds") ? (uint64_t)case_fact(run, "rounds")
                                        : case_param(run, "rounds"));
    const float *const a = run->input, *const b = a + n;
    float *const sums = expected;

    for (uint64_t i = 0; i < n; i++)
        sums[i] =
            steps > 0 ? a[i] + (float)steps * rounds : rounds * (a[i] + b[i]);
    return n;
}

/* ---- what the trace of an order shows ------------------------------------ */

/* How many of @kinds, less two for each of @others that is ahead as well, are
 * ahead of one of @others where there are most? */
static int most_ahead(const struct trace *trace, unsigned kinds,
                      unsigned others)
{
    const struct trace_op *op = NULL;
    int most = 0;

    while ((op = query_next(trace, QUERY_OF(others), op))) {
        const int ahead = (int)query_ahead(trace, kinds, op) -
                          2 * (int)query_ahead(trace, others, op);

        most = ahead > most ? ahead : most;
    }
    return most;
}

/* Of each group of segments, one for each stream: are all of @kinds, @each of
 * them for a segment, ahead of the first of @others? The group that is not full
 * may be the first or the last one. */
static bool is_row_by_row(const struct trace *trace, unsigned kinds,
                          unsigned each, unsigned others)
{
    const unsigned all = query_count(trace, kinds), group = each * STREAMS;
    const unsigned less = group - 1 - (all + group - 1) % group;
    const struct trace_op *op = NULL;
    bool last = true, first = true;

    while ((op = query_next(trace, QUERY_OF(others), op))) {
        const unsigned done = each * query_ahead(trace, others, op);
        const unsigned there = query_ahead(trace, kinds, op);
        const unsigned wanted = (done / group + 1) * group;

        last &= there >= (wanted < all ? wanted : all);
        first &= there >= ((done + less) / group + 1) * group - less;
    }
    return last || first;
}

/* ---- the orders ---------------------------------------------------------- */

/* A stream has buffers for one segment: two copies in for each stream are what
 * there is room for. */
static struct finding explain_order(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    const struct difference *const found = &run->difference;
    const unsigned kernels = query_count(trace, QUERY_KERNELS),
                   back = query_count(trace, QUERY_BACK);
    const unsigned in = query_count(trace, QUERY_IN);
    const uint64_t segments = case_param(run, "segments");
    const bool nothing = kernels + back + in == 0;
    const struct trace_op *const first = query_first(trace, QUERY_BACK);

    /* One or two at the end have words of their own. */
    if (failed == ASK_RIGHT && found->whole_parts && kernels > 0 &&
        kernels < segments &&
        (found->last + 1 < found->count ||
         found->wrong > 2 * (found->count / segments + 1)))
        return finding_parts(found);
    return mistake_first((struct sign[]){
        {failed != ASK_RIGHT || (nothing && run->evidence->first_todo > 0),
         NULL},
        {nothing, "nothing-queued"},
        {kernels == 0, "no-kernel"},
        {back == 0, "no-copy-back"},
        {most_ahead(trace, QUERY_IN, QUERY_KERNELS) > 2 * STREAMS,
         "memory-reused"},
        {kernels < segments,
         case_is(run, ORDER_CASE) ? "last-segment/depth" : "last-segment"},
        {in < 2 * segments, "copy-in-missing"},
        {back < segments, "copy-back-missing"},
        {first && query_ahead(trace, QUERY_KERNELS, first) == 0,
         "sums-not-there"},
        /* As many as there are segments, and yet not one for each. */
        {failed == ASK_RIGHT, "other-segment"}});
}

/* Is it the order that the function is named after? Depth-first has only the
 * copies in of its own segment ahead of a copy back, breadth-first those of all
 * streams ahead of a group's first kernel, and its kernels ahead of that
 * copy. */
static bool ask_sequence(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *wait = query_wait(trace, false);
    const struct finding found = mistake_first((struct sign[]){
        {!is_row_by_row(trace, QUERY_IN, 2, QUERY_BACK), "copy-back-first"},
        {!is_row_by_row(trace, QUERY_IN, 2, QUERY_KERNELS), "kernel-first"},
        {!is_row_by_row(trace, QUERY_KERNELS, 1, QUERY_BACK),
         "copy-back-first/kernel"}});

    if (trace == NULL)
        return true;
    if (wait == NULL)
        wait = query_call(trace, "cudaMemcpy");
    if (wait) {
        judge_fail(judgement,
                   mistake_at(query_is_wait(wait) ? "host-waits" : "host-polls",
                              wait->at),
                   "%s waits", wait->name);
        return false;
    }
    if (query_count(trace, QUERY_KERNELS) == 0)
        return judge_no(run, judgement, mistake("host-add"),
                        "right, but not from the device");
    if (case_is(run, ORDER_CASE))
        return most_ahead(trace, QUERY_IN, QUERY_BACK) <= 2 ||
               judge_no(run, judgement, mistake("not-depth-first"),
                        "right, but not depth-first");
    return !found.id ||
           judge_no(run, judgement, found, "right, but not breadth-first");
}

/* ---- devices ------------------------------------------------------------- */

/* The orders' own traces tell where the flushes are: a query is one. One or two
 * while the work is queued are as good as none. */
static struct finding explain_flush(const struct case_run *run, bool breadth)
{
    const struct trace *const trace =
        case_trace(case_other(run, breadth ? ORDER2_CASE : ORDER_CASE));
    const unsigned asked = query_calls(trace, "cuda*Query");
    const unsigned early =
        query_calls_before(trace, "cuda*Query", "cudaMemcpyAsync");

    return mistake_first((struct sign[]){
        {!trace || (asked == 0 && run->evidence->first_todo > 0), NULL},
        {asked == 0, "no-flush"},
        /* More questions than work: it waits by asking. */
        {asked > 2 * query_count(trace, QUERY_IN | QUERY_KERNELS | QUERY_BACK),
         "host-polls"},
        {early <= 2, "flush-late"},
        {asked > 2 * query_count(trace, QUERY_KERNELS), "flush-place/often"},
        {true, "flush-place"}});
}

/* What is closer than a good order may be off is not told apart. */
static const char *winner(double depth_ns, double breadth_ns)
{
    if (depth_ns < breadth_ns * (1 - SLACK))
        return "depth-first is faster";
    if (breadth_ns < depth_ns * (1 - SLACK))
        return "breadth-first is faster";
    return "no difference";
}

/* By the student's orders and the driver's own, each on this device. */
static bool ask_device(const struct case_run *run, struct judgement *judgement)
{
    const double own_depth = (double)case_fact(run, "own_depth_ns");
    const double own_breadth = (double)case_fact(run, "own_breadth_ns");
    const double best = own_depth < own_breadth ? own_depth : own_breadth;
    const double depth = (double)case_fact(run, "depth_ns");
    const double breadth = (double)case_fact(run, "breadth_ns");
    const bool chosen = case_fact(run, "order") == BREADTH;
    const double mine = chosen ? breadth : depth;
    const double other = chosen ? depth : breadth;
    const double same = chosen ? own_breadth : own_depth;
    const struct finding flush = explain_flush(run, chosen);
    const struct case_run *const first = case_other(run, ONE_ENGINE);
    const struct case_run *const seen =
        case_other(run, chosen ? ORDER2_CASE : ORDER_CASE);
    const bool twice = seen && query_count(case_trace(seen), QUERY_KERNELS) >
                                   case_param(seen, "segments");
    /* Two models are there because they punish one of the orders. */
    const struct sign signs[] = {
        {twice, "queued-twice"},
        {mine > same * (1 + SLACK), "order-slow/own"},
        {other == 0 || other > best * (1 + SLACK), "order-slow"},
        {!chosen && case_is(run, ONE_ENGINE), "one-order"},
        {!chosen && case_is(run, "and kernels at once"), "other-attribute"},
        {chosen && case_is(run, "delayed signals"), "one-order/one-queue"},
        {true, "wrong-choice"}};

    if (case_has(run, "order_0") && first && first->ran &&
        case_fact(run, "order_0") != case_fact(first, "order")) {
        judge_no(run, judgement, mistake("answer-kept"),
                 "device 0 is one with a single copy engine, and is not "
                 "answered as that");
    } else if (judge_near(run, judgement, mine, best, SLACK)) {
        judge_yes(run, judgement,
                  "depth-first {depth_ns:ms} ms, breadth-first "
                  "{breadth_ns:ms} ms: ");
        text_printf(&judgement->seen, "%s; yours takes %s",
                    winner(depth, breadth),
                    chosen ? "breadth-first" : "depth-first");
    } else if (case_is(run, "batching driver") ||
               finding_is(&flush, "host-polls")) {
        judgement->finding = flush;
    } else if (run->evidence->first_todo == 0) {
        judgement->finding = mistake_first(signs);
    }
    return judgement->passed;
}

/* A kernel for each step, and no longer than the driver's own rows of steps. */
static bool ask_chains(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const wait = query_wait(trace, false);
    const bool each = query_count(trace, QUERY_KERNELS) ==
                      case_param(run, "steps") * case_param(run, "entries");

    if (trace && !each)
        return judge_no(run, judgement, mistake("chain-incomplete"),
                        "right, but not by a kernel for each step");
    if (judge_near(run, judgement, (double)case_fact(run, "student_ns"),
                   (double)case_fact(run, "rows_ns"), SLACK))
        return !wait ||
               judge_no(run, judgement, mistake_at("host-waits/end", wait->at),
                        "right, but the host waits");
    judgement->finding = mistake_first(
        (struct sign[]){{run->evidence->first_todo > 0, NULL, NULL},
                        SIGN_AT("host-waits", query_wait(trace, true)),
                        {true, "chain-by-chain"}});
    return false;
}

/* The kernel before it failed, so it should not have returned. */
static bool ask_nothing(const struct case_run *run, struct judgement *judgement)
{
    return judge_no(run, judgement,
                    finding_todo_or(run, mistake("error-ignored")),
                    "flush returns, though the kernel before it failed");
}

/* ---- functions that did not return --------------------------------------- */

/* lab.h queues what it is told: what fails in its lines is a segment that is
 * not there. */
static struct finding explain_end(const struct case_run *run)
{
    return mistake_first((struct sign[]){
        {case_failed(run, NULL, "NotReady"), "not-ready-checked"},
        {text_matches(run->error.at, "lab.h*") &&
             case_failed(run, NULL, "InvalidValue"),
         "no-such-segment"}});
}

/* ---- the rules ----------------------------------------------------------- */

/* So many operations as a round of the cipher has are little for an addition.
 * Of orders and chains it is asked alone: elsewhere devices are compared. */
static uint64_t work(const struct case_run *run)
{
    return run->output_bytes / sizeof(float) * case_param(run, "rounds");
}

#define SUMS                                                                   \
    .inputs = 2, .entry_bytes = sizeof(float), .fill = fill, .expect = expect, \
    .part = "segment", .parts = "segments",                                    \
    .part_begin = 1 /* the job of one segment */
static const struct case_data sums = {SUMS};
static const struct case_data device_sums = {SUMS, .work = work};

#define ORDER(word)                                                            \
    .points = 10,                                                              \
    .params = "issue=" word " entries=10007 segments=19..27/2 rounds=3",       \
    .data = &device_sums, .checked = true,                                     \
    .asks = LAB_ASKS(JUDGE_ALL, ask_sequence), .explain = explain_order,       \
    .passed = "right, with 0, 1 and {segments} segments"
#define DEVICE(order, sizes)                                                   \
    .needs = order, .params = sizes " most=1000", .data = &sums,               \
    .asks = LAB_ASKS(judge_right, ask_device)

/* Sizes: large enough that the host's calls are not the limit, else as small
 * as can be, for the processor does the adding. */
static const struct lab_case cases[] = {
    {.name = ORDER_CASE, ORDER("depth")},
    {.name = ORDER2_CASE, ORDER("breadth")},
    {.name = ONE_ENGINE,
     .points = 10,
     .profile = "c1060",
     DEVICE(ORDER2_CASE, "entries=262144 segments=8 percent=100")},
    /* By no other attribute is this one like the C1060. */
    {.name = "and kernels at once",
     .points = 5,
     .profile = "gtx580",
     DEVICE(ONE_ENGINE, "entries=131072 segments=8 percent=100")},
    {.name = "delayed signals",
     .points = 15,
     .profile = "c1060,c2050", /* whose facts are asked? */
     .gpus = 2,
     DEVICE(ORDER_CASE, "device=1 entries=131072 segments=8 percent=100")},
    {.name = "many queues",
     .points = 10,
     .profile = "k20",
     DEVICE(ORDER_CASE, "entries=131072 segments=8 percent=50")},
    {.name = "batching driver",
     .points = 10,
     .profile = "rtx2070mq-wddm",
     DEVICE(ORDER_CASE, "entries=786432 segments=6 percent=50")},
    {.name = "more streams than connections",
     .points = 10,
     .profile = "h200",
     .params = "steps=3..6 entries=13..23/2 rounds=200000 todo=5",
     .data = &device_sums,
     .checked = true,
     .asks = LAB_ASKS(judge_right, judge_order, ask_chains),
     .mistake = "chain-incomplete",
     .passed = "{entries} streams: chain by chain {chains_ns:ms} ms, yours "
               "{student_ns:ms} ms"},
    {.name = "an error before the flush",
     .points = 5,
     .profile = "k20",
     .params = "flush=1",
     .ends = true,
     .asks = LAB_ASKS(ask_nothing),
     .passed = "flush ends the program"},
    {.name = "this device",
     .points = 10,
     DEVICE(ORDER_CASE, "entries=262144 segments=8 percent=100 drawn=1"),
     .params_cuda =
         "entries=16777216 segments=16 percent=100 most=30000 drawn=1",
     .timed = true,
     .drawn = true},
};

LAB_RULES(.name = "06_issue_order", .explain_end = explain_end);
