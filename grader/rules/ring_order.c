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
               finding_make("host-sync", ORDER,
                            "%s: the host waits here, and meanwhile it queues "
                            "nothing for any GPU. Let a stream wait for an "
                            "event instead (cudaStreamWaitEvent), of another "
                            "GPU too.",
                            query_place(wait->at)),
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
        return finding_make("ring-open", ORDER,
                            "The order is missing between the last GPU and "
                            "GPU 0 only. They are neighbours too: the ring is "
                            "closed.");
    if (order->left == 0)
        return finding_make("right-not-waited", ORDER,
                            "A GPU overwrites what its right neighbour still "
                            "has to read: next was now one round before, and "
                            "the neighbour reads it then. So each GPU must "
                            "wait for its right neighbour too.");
    if (order->right == 0)
        return finding_make("left-not-waited", ORDER,
                            "A GPU reads what its left neighbour has not "
                            "written yet. Each GPU must wait for the left "
                            "neighbour's kernel of the round before.");
    return finding_make("event-early", ORDER,
                        "There are waits, but not for the neighbours' steps of "
                        "the round before: look at which events they wait for, "
                        "and where those are recorded. An event stands for "
                        "what is ahead of it in its stream.");
}

static struct finding explain_gpus(const struct case_run *run,
                                   const struct trace *trace)
{
    const struct query kernels = {.kinds = RING_KERNELS};
    const unsigned devices = query_devices(trace, &kernels);

    if (devices > 0 && devices < (unsigned)ring_gpus(run))
        return finding_make("not-all-gpus", RING,
                            "Not every GPU makes its own steps: kernels run on "
                            "%u of %d. A kernel runs on the GPU of its "
                            "*stream*.",
                            devices, ring_gpus(run));
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
        return finding_make("not-exchanged", TODO,
                            "Behind a round, now and next change places. In "
                            "run_ring they do not: one of the two buffers is "
                            "lost.");
    if (case_todo_is_open(run) || !trace || ring_gpus(run) < 2)
        return finding_none();
    found = explain_gpus(run, trace);
    if (found.id)
        return found;
    if (wait)
        return finding_make("one-gpu-synchronised", ORDER,
                            "%s: the host waits here, but not for all GPUs: "
                            "%s is for %s. Let the streams of the neighbours "
                            "wait, by events: then the host need not.",
                            query_place(wait->at), wait->name,
                            strstr(wait->name, "Device") ? "the current one"
                                                         : "one only");
    if (query_calls(trace, "cudaStreamWaitEvent") == 0)
        return finding_make(
            query_calls(trace, "cudaEventRecord*") ? "no-wait" : "no-order",
            ORDER,
            "Nothing makes one GPU wait for another: the streams of different "
            "GPUs know nothing of each other. %s",
            query_calls(trace, "cudaEventRecord*")
                ? "The events are recorded, but no stream waits for them."
                : "Record an event in each, and let the neighbours wait.");
    if (query_calls(trace, "cudaEventRecord*") == 0)
        return finding_make("not-recorded", ORDER,
                            "The streams wait for events that nobody records. "
                            "Such a wait does nothing.");
    early = find_early_wait(trace);
    if (early)
        return finding_make("wait-before-record", ORDER,
                            "%s: the wait comes before some of the records of "
                            "this round. It takes the latest record at the "
                            "time of its own call, so it waits for nothing, or "
                            "for the round before. Record in all streams "
                            "first, in a loop of its own.",
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
               finding_make("chained", ORDER,
                            "%s: this step waits for another GPU's step of the "
                            "*same* round, so the GPUs take turns like a "
                            "chain. It needs the round before only: queue all "
                            "waits of a round before the first step.",
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
