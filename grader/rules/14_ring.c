/*
 * 14_ring.c: lab 14, one step of each GPU of a ring, and several rounds. What a
 * wrong entry is tells what was mixed; the trace tells which step comes after
 * which, and so which wait is missing, or one too many.
 */
#include "14_ring.h"

#include <stdlib.h>
#include <string.h>

enum {
    KERNELS = QUERY_KIND(TRACE_KIND_KERNEL),
    COPIES = QUERY_KIND(TRACE_KIND_PEER),
};

bool ring_is(const struct case_run *run, const char *param)
{
    return strstr(run->params, param) != NULL;
}

int ring_gpus(const struct case_run *run)
{
    return (int)case_param(run, "gpus");
}

int ring_left(const struct case_run *run, int gpu)
{
    return (gpu + ring_gpus(run) - 1) % ring_gpus(run);
}

int ring_right(const struct case_run *run, int gpu)
{
    return (gpu + 1) % ring_gpus(run);
}

/* ---- data ---------------------------------------------------------------- */

/* What a wrong entry is, in the order in which ring_compare() lists them. */
enum { NOTHING, ITSELF, FROM_RIGHT, OVERWRITTEN, JUST_LEFT, NUM_KNOWN };

/* Right is 3 * own + left. These are what comes of the operands that students
 * take for them. */
static void make_known(const struct case_run *run, uint64_t *known)
{
    const uint64_t each = case_param(run, "entries");
    const uint64_t all = each * case_param(run, "gpus");
    const uint64_t *const input = run->input;

    for (uint64_t i = 0; i < all; i++) {
        const int gpu = (int)(i / each);
        const uint64_t own = input[i], at = i % each;
        const uint64_t left = input[(uint64_t)ring_left(run, gpu) * each + at];
        const uint64_t right =
            input[(uint64_t)ring_right(run, gpu) * each + at];

        known[NOTHING * all + i] = 3 * own;
        known[ITSELF * all + i] = 4 * own;
        known[FROM_RIGHT * all + i] = 3 * own + right;
        known[OVERWRITTEN * all + i] = 4 * left;
        known[JUST_LEFT * all + i] = left;
    }
}

/* From the last GPU down, so that each finds on its left what was there before
 * the round; GPU 0 needs the last one's, which is kept. */
static void make_expected(const struct case_run *run, uint64_t *expected)
{
    const uint64_t each = case_param(run, "entries");
    const uint64_t all = each * case_param(run, "gpus");
    const uint64_t rounds = case_param(run, "rounds");

    memcpy(expected, run->input, run->input_bytes);
    for (uint64_t at = 0; at < each; at++)
        for (uint64_t round = 0; round < rounds; round++) {
            const uint64_t last = expected[all - each + at];

            for (uint64_t i = all - each + at; i >= each; i -= each)
                expected[i] = 3 * expected[i] + expected[i - each];
            expected[at] = 3 * expected[at] + last;
        }
    /* The second way to do it comes to the same. */
    if (run->output_bytes > run->input_bytes)
        memcpy(expected + all, expected, run->input_bytes);
}

void ring_compare(const struct case_run *run, struct difference *found)
{
    const uint64_t all = run->input_bytes / sizeof(uint64_t);
    uint64_t *const expected = malloc(run->output_bytes + 1);
    uint64_t *const known = malloc(NUM_KNOWN * run->input_bytes + 1);
    struct judge_arrays arrays = {
        .type = JUDGE_U64,
        .got = run->output,
        .expected = expected,
        .count = run->output_bytes / sizeof(uint64_t),
        .known = {{"mixed with nothing", known},
                  {"mixed with itself", known + all},
                  {"mixed with its right neighbour's", known + 2 * all},
                  {"overwritten with its left neighbour's, then mixed",
                   known + 3 * all},
                  {"its left neighbour's, not mixed", known + 4 * all}},
        .noun = "value",
    };

    /* After several rounds an entry tells nothing of its way. */
    if (!ring_is(run, "run=step"))
        memset(arrays.known, 0, sizeof arrays.known);
    if (expected && known) {
        make_expected(run, expected);
        make_known(run, known);
        difference_arrays(found, &arrays);
    }
    free(expected);
    free(known);
}

/* All wrong entries are of one GPU at the ring's closing: its number, else -1.
 * Of two GPUs, each is at the closing. */
static int wrong_at_closing(const struct case_run *run)
{
    const struct difference *const found = &run->difference;
    const uint64_t each = case_param(run, "entries");
    const int gpu = (int)(found->first / each);

    if (found->wrong == 0 || ring_gpus(run) < 3 ||
        found->first / each != found->last / each)
        return -1;
    return gpu == 0 || gpu == ring_gpus(run) - 1 ? gpu : -1;
}

/* ---- one step ------------------------------------------------------------ */

/* A copy that goes anywhere but from a GPU to its right neighbour. */
static bool goes_wrong_way(const struct case_run *run,
                           const struct trace_op *copy)
{
    return (int)copy->peer != ring_right(run, (int)copy->device);
}

/* A copy in another stream than the kernel that needs it. */
static bool is_beside_kernel(const struct case_run *run,
                             const struct trace_op *copy)
{
    const struct query kernels = {
        .kinds = KERNELS, .one_device = true, .device = copy->peer};
    const struct trace_op *const kernel =
        query_next(case_trace(run), &kernels, NULL);

    return kernel && kernel->stream != copy->stream;
}

/* The steps are queued from GPU 0 on: a kernel that is not on its GPU. */
static bool is_of_another_gpu(const struct case_run *run,
                              const struct trace_op *kernel)
{
    const struct query kernels = {.kinds = KERNELS};
    const struct trace_op *op = NULL;
    unsigned count = 0, before = 0;

    while ((op = query_next(case_trace(run), &kernels, op)) != NULL) {
        count++;
        before += op->call < kernel->call;
    }
    return count == (unsigned)ring_gpus(run) && kernel->device != before;
}

static const struct trace_op *
find_op(const struct case_run *run, unsigned kinds,
        bool (*is_it)(const struct case_run *run, const struct trace_op *op))
{
    const struct query query = {.kinds = kinds};
    const struct trace_op *op = NULL;

    while ((op = query_next(case_trace(run), &query, op)) != NULL)
        if (is_it(run, op))
            break;
    return op;
}

/* The wrong neighbour first: order does not mend it. */
static struct finding explain_streams(const struct case_run *run)
{
    const struct trace_op *const astray = find_op(run, COPIES, goes_wrong_way);
    const struct trace_call *const call =
        query_next_call(case_trace(run), "cudaMemcpyPeer", NULL);
    const struct trace_op *const kernel =
        find_op(run, KERNELS, is_of_another_gpu);
    const struct trace_op *const copy = find_op(run, COPIES, is_beside_kernel);

    if (astray)
        return mistake_with("wrong-neighbour",
                            "at=%s\nfrom=%u\nto=%u\nright=%d",
                            query_place(astray->at), astray->device,
                            astray->peer, ring_right(run, (int)astray->device));
    if (call)
        return mistake_at("peer-copy-without-stream", call->at);
    if (kernel)
        return mistake_with("kernel-of-another-gpu", "at=%s\ngpu=%u",
                            query_place(kernel->at), kernel->device);
    if (copy)
        return mistake_at(copy->stream == 0 ? "copy-other-stream/default"
                                            : "copy-other-stream",
                          copy->at);
    return finding_none();
}

static struct finding explain_values(const struct case_run *run)
{
    const uint64_t *const kinds = run->difference.kinds;
    const struct trace *const trace = case_trace(run);
    const struct query copies = {.kinds = COPIES};
    const struct case_run *const checked = run->virtual_run;
    const uint64_t bytes = query_bytes(trace, &copies);
    const int gpu = wrong_at_closing(run);
    const struct sign signs[] = {
        {kinds[FROM_RIGHT] > 0, "wrong-neighbour/values"},
        {kinds[NOTHING] > 0 && bytes == 0, "no-copy"},
        {kinds[NOTHING] > 0, "inbox-empty"},
        {kinds[ITSELF] > 0, "mixed-with-itself"},
        {true, NULL},
    };

    /* What says most of how it came about goes first: one GPU alone is wrong
     * by the ring's closing, whatever its values are. */
    if (kinds[OVERWRITTEN] + kinds[JUST_LEFT] > 0)
        return mistake("own-overwritten");
    /* Two GPUs at the same bytes within one round, and next is still zero. */
    if (checked && checked->checked.hazards > 0 && kinds[NUM_KNOWN] > 0)
        return mistake("in-place");
    if (gpu >= 0)
        return mistake_with("ring-open/values", "gpu=%d\nlast=%d", gpu,
                            ring_gpus(run) - 1);
    if (kinds[FROM_RIGHT] == 0 && kinds[NOTHING] > 0 && bytes > 0 &&
        bytes < run->input_bytes)
        return mistake_with("count-not-bytes", "at=%s\npercent=%d",
                            query_place(query_first(trace, COPIES)->at),
                            (int)(100 * bytes / run->input_bytes));
    return mistake_first(signs);
}

struct finding ring_explain_step(const struct case_run *run, enum ask failed)
{
    const struct finding found = explain_streams(run);

    (void)failed; /* a hazard and what is wrong by it have one reason */
    if (case_todo_is_open(run))
        return finding_none();
    return found.id ? found : explain_values(run);
}

static bool judge_no_wait(const struct case_run *run,
                          struct judgement *judgement)
{
    const struct trace_call *const wait = query_wait(case_trace(run), false);

    return !wait || judge_no(run, judgement, mistake_at("host-sync", wait->at),
                             "right, but the host waits");
}

/* By the way that the function is for? */
static bool judge_way(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const bool direct = ring_is(run, "way=direct") && ring_is(run, "access=1");
    const struct trace_op *const by_host = query_first(trace, QUERY_COPIES);
    const struct trace_op *const copy = query_first(trace, COPIES);

    if (by_host)
        return judge_no(run, judgement, mistake_at("through-host", by_host->at),
                        "right, but through the host");
    if (direct && copy)
        return judge_no(run, judgement,
                        case_todo_is_open(run)
                            ? finding_none()
                            : mistake_at("copied-anyway", copy->at),
                        "right, but by a copy");
    if (trace && !direct && !copy)
        return judge_no(run, judgement, mistake("no-copy/way"),
                        "right, but not by a copy");
    return true;
}

/* Asked of right results only: which way they came, and who waited for them. */
bool ring_judge_step(const struct case_run *run, struct judgement *judgement)
{
    return judge_way(run, judgement) && judge_no_wait(run, judgement) &&
           judge_clean(run, judgement);
}

/* ---- several rounds ------------------------------------------------------ */

/* One step of one GPU: its kernel, and what led up to it in its stream. */
struct step {
    const struct trace_op *kernel;
    uint64_t after_call; /* the kernel before, in this stream */
};

/* A step's copies were queued behind the kernel before: call ids tell. */
static struct step find_step(const struct trace *trace, int gpu, int round)
{
    const struct query kernels = {
        .kinds = KERNELS, .one_device = true, .device = (unsigned)gpu};
    struct step step = {.kernel = query_next(trace, &kernels, NULL)};

    for (; step.kernel && round > 0; round--) {
        step.after_call = step.kernel->call;
        step.kernel = query_next(trace, &kernels, step.kernel);
    }
    return step;
}

static bool is_of_step(const struct trace_op *op, const struct step *step)
{
    return step->kernel && (QUERY_KIND(op->kind) & (KERNELS | COPIES)) &&
           op->stream == step->kernel->stream && op->call > step->after_call &&
           op->call <= step->kernel->call;
}

/* A trace tells by their ids what an operation comes after. */
static bool id_is_of_step(const struct trace *trace, uint64_t id,
                          const struct step *step)
{
    for (size_t i = 0; i < trace->num_ops; i++)
        if (trace->ops[i].id == id)
            return is_of_step(&trace->ops[i], step);
    return false;
}

/* Does any operation of @step come right after one of that GPU's step? */
static bool step_follows(const struct trace *trace, const struct step *step,
                         int gpu, int round)
{
    const struct step other = find_step(trace, gpu, round);
    const struct query all = {.kinds = KERNELS | COPIES};
    const struct trace_op *op = NULL;

    while ((op = query_next(trace, &all, op)) != NULL) {
        const uint64_t *const after = trace_after(trace, op);

        for (size_t i = 0; is_of_step(op, step) && i < op->num_after; i++)
            if (id_is_of_step(trace, after[i], &other))
                return true;
    }
    return false;
}

enum { LEFT, RIGHT };

struct order {
    int missing[2]; /* steps that do not wait for this neighbour */
    int closing[2]; /* of these, where the ring closes */
    const struct trace_op *chained; /* waits for a neighbour's same round */
};

/* Each step but those of the first round must wait for both neighbours' steps
 * of the round before. */
static void note_step(struct order *order, const struct case_run *run, int gpu,
                      int round)
{
    const struct trace *const trace = case_trace(run);
    const struct step step = find_step(trace, gpu, round);

    for (int side = LEFT; side <= RIGHT; side++) {
        const int other =
            side == LEFT ? ring_left(run, gpu) : ring_right(run, gpu);

        if (step_follows(trace, &step, other, round))
            order->chained = step.kernel;
        if (round == 0 || step_follows(trace, &step, other, round - 1))
            continue;
        order->missing[side]++;
        order->closing[side] += (side == LEFT ? gpu : other) == 0;
    }
}

static struct order read_order(const struct case_run *run)
{
    const struct query kernels = {.kinds = KERNELS};
    const int steps = (int)query_count(case_trace(run), &kernels);
    struct order order = {0};

    for (int i = 0; i < steps; i++)
        note_step(&order, run, i % ring_gpus(run), i / ring_gpus(run));
    return order;
}

/* A wait with a record behind it and no work in between. */
static const struct trace_call *find_early_wait(const struct trace *trace)
{
    const struct trace_call *call = NULL, *wait = NULL, *early = NULL;

    while ((call = query_next_call(trace, "cuda*", call)) != NULL) {
        if (query_is_issue(call) && early)
            return early;
        if (query_is_issue(call))
            wait = NULL;
        else if (strcmp(call->name, "cudaStreamWaitEvent") == 0 && !wait)
            wait = call;
        else if (text_matches(call->name, "cudaEventRecord*"))
            early = wait;
    }
    return NULL;
}

/* Of two neighbours, the left one is read from, the right one reads. */
static struct finding explain_order(const struct case_run *run)
{
    const struct order order = read_order(run);
    const int left = order.missing[LEFT], right = order.missing[RIGHT];
    const struct sign signs[] = {
        {left + right == 0, NULL},
        {left == order.closing[LEFT] && right == order.closing[RIGHT],
         "ring-open/waits"},
        {left == 0, "right-not-waited"},
        {right == 0, "left-not-waited"},
        {true, "event-early"},
    };

    return mistake_first(signs);
}

/* A kernel goes to its stream's GPU, whichever is the current one. */
static struct finding explain_gpus(const struct case_run *run)
{
    const struct query kernels = {.kinds = KERNELS};
    const unsigned devices = query_devices(case_trace(run), &kernels);

    if (devices > 0 && devices < (unsigned)ring_gpus(run))
        return mistake_with("not-all-gpus", "devices=%u", devices);
    return finding_none();
}

struct finding ring_explain_rounds(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const wait = query_wait(trace, false);
    const struct trace_call *const early = find_early_wait(trace);
    const struct finding found = explain_gpus(run);

    (void)failed; /* as for one step */
    if (!case_fact(run, "exchanged"))
        return mistake("not-exchanged");
    if (case_todo_is_open(run) || !trace || ring_gpus(run) < 2)
        return finding_none();
    if (found.id)
        return found;
    if (wait && strstr(wait->name, "Device"))
        return mistake_at("one-gpu-synchronised/current", wait->at);
    if (wait)
        return mistake_with("one-gpu-synchronised", "at=%s\nwait=%s",
                            query_place(wait->at), wait->name);
    /* Without waits, or without records, there is no order to look at. */
    if (query_calls(trace, "cudaStreamWaitEvent") == 0)
        return mistake(query_calls(trace, "cudaEventRecord*") ? "no-wait"
                                                              : "no-order");
    if (query_calls(trace, "cudaEventRecord*") == 0)
        return mistake("not-recorded");
    if (early)
        return mistake_at("wait-before-record", early->at);
    return explain_order(run);
}

/* A step that waits for the same round elsewhere makes a chain of the ring. */
static bool judge_together(const struct case_run *run,
                           struct judgement *judgement)
{
    const struct finding found = explain_gpus(run);
    const struct trace_op *chained;

    if (found.id)
        return judge_no(run, judgement, found, "right, but not by all GPUs");
    chained = ring_gpus(run) < 2 ? NULL : read_order(run).chained;
    return !chained ||
           judge_no(run, judgement, mistake_at("chained", chained->at),
                    "right, but one GPU after the other");
}

bool ring_judge_rounds(const struct case_run *run, struct judgement *judgement)
{
    return judge_no_wait(run, judgement) && judge_together(run, judgement) &&
           judge_clean(run, judgement);
}

/* The hazard first: it says more than values that are wrong by it. */
void ring_judge_ordered(const struct case_run *run, struct judgement *judgement)
{
    if (judge_order(run, judgement))
        judge_row(run, judgement);
    else
        judgement->finding = ring_explain_rounds(run, ASK_ORDER);
}
