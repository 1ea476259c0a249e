/*
 * ring_order.c: lab 14, several rounds. The trace tells which step comes after
 * which, and so which wait is missing, or one too many.
 */
#include "ring.h"

#include <string.h>

bool ring_no_wait(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const wait = trace ? ring_wait(trace) : NULL;

    if (!wait)
        return true;
    judge_fail(judgement,
               mistake_with("host-sync", "at=%s", query_place(wait->at)),
               "right, but the host waits");
    return false;
}

enum { MAX_STEPS = 32 };

/* One step of one GPU: its kernel, and what led up to it in its stream. */
struct step {
    const struct trace_op *kernel;
    uint64_t after_call; /* the kernel before, in this stream */
};

struct steps {
    struct step at[RING_MAX_GPUS][MAX_STEPS];
    int rounds;
};

static struct steps read_steps(const struct case_run *run,
                               const struct trace *trace)
{
    struct steps steps = {.rounds = MAX_STEPS};

    for (int gpu = 0; gpu < ring_gpus(run); gpu++) {
        const struct query kernels = {
            .kinds = RING_KERNELS, .one_device = true, .device = (unsigned)gpu};
        const struct trace_op *op = NULL;
        uint64_t before = 0;
        int count = 0;

        while ((op = query_next(trace, &kernels, op)) != NULL)
            if (count < MAX_STEPS) {
                steps.at[gpu][count++] = (struct step){op, before};
                before = op->call;
            }
        steps.rounds = count < steps.rounds ? count : steps.rounds;
    }
    return steps;
}

static const struct trace_op *op_by_id(const struct trace *trace, uint64_t id)
{
    for (size_t i = 0; i < trace->num_ops; i++)
        if (trace->ops[i].id == id)
            return &trace->ops[i];
    return NULL;
}

static bool is_of_step(const struct trace_op *op, const struct step *step)
{
    return (QUERY_KIND(op->kind) & (RING_KERNELS | RING_COPIES)) &&
           op->stream == step->kernel->stream && op->call > step->after_call &&
           op->call <= step->kernel->call;
}

/* Does any operation of @step come right after one of @other? */
static bool step_follows(const struct trace *trace, const struct step *step,
                         const struct step *other)
{
    const struct query all = {.kinds = RING_KERNELS | RING_COPIES};
    const struct trace_op *op = NULL;

    while ((op = query_next(trace, &all, op)) != NULL) {
        const uint64_t *const after = trace_after(trace, op);

        for (size_t i = 0; is_of_step(op, step) && i < op->num_after; i++) {
            const struct trace_op *const first = op_by_id(trace, after[i]);

            if (first && is_of_step(first, other))
                return true;
        }
    }
    return false;
}

struct order {
    int needed;                 /* steps that must wait for both neighbours */
    int left, right;            /* of them do not, for the one on this side */
    int left_0, right_0;        /* of these, where the ring closes */
    const struct step *chained; /* waits for another GPU's step of its round */
};

static struct order read_order(const struct case_run *run,
                               const struct trace *trace)
{
    const struct steps steps = read_steps(run, trace);
    const int n = ring_gpus(run);
    struct order order = {0};

    for (int round = 0; round < steps.rounds; round++)
        for (int gpu = 0; gpu < n; gpu++) {
            const int left = ring_left(run, gpu), right = ring_right(run, gpu);
            const struct step *const step = &steps.at[gpu][round];

            if (step_follows(trace, step, &steps.at[left][round]) ||
                step_follows(trace, step, &steps.at[right][round]))
                order.chained = step;
            if (round == 0)
                continue;
            order.needed++;
            if (!step_follows(trace, step, &steps.at[left][round - 1])) {
                order.left++;
                order.left_0 += gpu == 0;
            }
            if (!step_follows(trace, step, &steps.at[right][round - 1])) {
                order.right++;
                order.right_0 += gpu == n - 1;
            }
        }
    return order;
}

/* A wait with a record behind it and no work in between. */
static const struct trace_call *find_early_wait(const struct trace *trace)
{
    const struct query work = {.kinds = RING_KERNELS | RING_COPIES};
    const struct trace_call *wait = NULL;

    while ((wait = query_next_call(trace, "cudaStreamWaitEvent", wait)) !=
           NULL) {
        const struct trace_call *record = NULL;
        const struct trace_op *op = NULL;
        uint64_t next = UINT64_MAX;

        while ((op = query_next(trace, &work, op)) != NULL)
            if (op->call > wait->id && op->call < next)
                next = op->call;
        while ((record = query_next_call(trace, "cudaEventRecord*", record)) !=
               NULL)
            if (record->id > wait->id && record->id < next &&
                next != UINT64_MAX)
                return wait;
    }
    return NULL;
}

static struct finding explain_waits(const struct order *order)
{
    if (order->left == 0 && order->right == 0)
        return finding_none();
    if (order->left == order->left_0 && order->right == order->right_0)
        return mistake("ring-open/waits");
    if (order->left == 0)
        return mistake("right-not-waited");
    if (order->right == 0)
        return mistake("left-not-waited");
    return mistake("event-early");
}

static struct finding explain_gpus(const struct case_run *run,
                                   const struct trace *trace)
{
    const struct query kernels = {.kinds = RING_KERNELS};
    const unsigned devices = query_devices(trace, &kernels);

    if (devices > 0 && devices < (unsigned)ring_gpus(run))
        return mistake_with("not-all-gpus", "devices=%u\nrun=%d", devices,
                            ring_gpus(run));
    return finding_none();
}

static struct finding explain_rounds(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const wait = trace ? ring_wait(trace) : NULL;
    const struct trace_call *early;
    struct finding found;
    struct order order;

    if (!case_fact(run, "exchanged"))
        return mistake("not-exchanged");
    if (case_todo_is_open(run) || !trace || ring_gpus(run) < 2)
        return finding_none();
    found = explain_gpus(run, trace);
    if (found.id)
        return found;
    if (wait)
        return mistake_with("one-gpu-synchronised", "at=%s\nname=%s\nonly=%s",
                            query_place(wait->at), wait->name,
                            strstr(wait->name, "Device") ? "the current one"
                                                         : "one only");
    if (query_calls(trace, "cudaStreamWaitEvent") == 0)
        return mistake(query_calls(trace, "cudaEventRecord*") ? "no-wait"
                                                              : "no-order");
    if (query_calls(trace, "cudaEventRecord*") == 0)
        return mistake("not-recorded");
    early = find_early_wait(trace);
    if (early)
        return mistake_with("wait-before-record", "at=%s",
                            query_place(early->at));
    order = read_order(run, trace);
    return explain_waits(&order);
}

static bool judge_together(const struct case_run *run,
                           struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    struct finding found;
    struct order order;

    if (!trace || ring_gpus(run) < 2)
        return true;
    found = explain_gpus(run, trace);
    if (found.id) {
        judge_fail(judgement, found, "right, but not by all GPUs");
        return false;
    }
    order = read_order(run, trace);
    if (!order.chained)
        return true;
    judge_fail(judgement,
               mistake_with("chained", "at=%s",
                            query_place(order.chained->kernel->at)),
               "right, but one GPU after the other");
    return false;
}

void ring_judge_rounds(const struct case_run *run, struct judgement *judgement)
{
    /* The hazard first: it says more than values that are wrong by it. */
    if (!judge_order(run, judgement) || !judge_right(run, judgement)) {
        judgement->finding = explain_rounds(run);
        return;
    }
    if (!ring_no_wait(run, judgement) || !judge_together(run, judgement) ||
        !judge_clean(run, judgement))
        return;
    judge_pass(judgement, "%u rounds, right and in order",
               (unsigned)case_param(run, "rounds"));
}
