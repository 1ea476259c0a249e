/*
 * ring_step.c: lab 14, one step of each GPU. What the wrong entries are, and
 * what the mistakes in copies and pointers look like.
 */
#include "ring.h"

#include <stdlib.h>
#include <string.h>

/* ---- data ---------------------------------------------------------------- */

/* What a wrong entry is, in the order in which compare() lists them. */
enum { NOTHING, ITSELF, FROM_RIGHT, OVERWRITTEN, JUST_LEFT, NUM_KNOWN };

static const char *const known_words[] = {
    [NOTHING] = "mixed with nothing",
    [ITSELF] = "mixed with itself",
    [FROM_RIGHT] = "mixed with its right neighbour's",
    [OVERWRITTEN] = "overwritten with its left neighbour's, then mixed",
    [JUST_LEFT] = "its left neighbour's, not mixed",
};

static void make_known(const struct case_run *run, uint64_t *known)
{
    const uint64_t all = run->input_bytes / sizeof(uint64_t);
    const uint64_t each = all / (uint64_t)ring_gpus(run);
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

static void make_expected(const struct case_run *run, uint64_t *expected)
{
    const uint64_t all = run->input_bytes / sizeof(uint64_t);
    const uint64_t each = all / (uint64_t)ring_gpus(run);
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
    const bool one_step = ring_is(run, "run=step");
    uint64_t *const expected = malloc(run->output_bytes + 1);
    uint64_t *const known = malloc(NUM_KNOWN * run->input_bytes + 1);
    struct judge_arrays arrays = {
        .type = JUDGE_U64,
        .got = run->output,
        .expected = expected,
        .count = run->output_bytes / sizeof(uint64_t),
        .noun = "value",
    };

    if (expected && known) {
        make_expected(run, expected);
        make_known(run, known);
        for (int i = 0; one_step && i < NUM_KNOWN; i++) {
            arrays.known[i].words = known_words[i];
            arrays.known[i].values = known + (uint64_t)i * all;
        }
        difference_arrays(found, &arrays);
    }
    free(expected);
    free(known);
}

/* All wrong entries are of one GPU: its number, else -1. */
static int only_wrong_gpu(const struct case_run *run)
{
    const uint64_t each =
        run->input_bytes / sizeof(uint64_t) / (uint64_t)ring_gpus(run);
    const struct difference *const found = &run->difference;

    if (found->wrong == 0 || ring_gpus(run) < 3 ||
        found->first / each != found->last / each)
        return -1;
    return (int)(found->first / each);
}

/* ---- one step ------------------------------------------------------------ */

/* A GPU's copies and its kernel are in different streams: the copy. */
static const struct trace_op *find_stray_copy(const struct trace *trace)
{
    const struct query copies = {.kinds = RING_COPIES};
    const struct trace_op *op = NULL;

    while ((op = query_next(trace, &copies, op)) != NULL) {
        const struct query kernels = {
            .kinds = RING_KERNELS, .one_device = true, .device = op->peer};
        const struct trace_op *const kernel = query_next(trace, &kernels, NULL);

        if (kernel && kernel->stream != op->stream)
            return op;
    }
    return NULL;
}

/* The steps are queued from GPU 0 on: a kernel that is not on its GPU. */
static const struct trace_op *find_stray_kernel(const struct case_run *run,
                                                const struct trace *trace)
{
    const struct query kernels = {.kinds = RING_KERNELS};
    const struct trace_op *op = NULL, *other = NULL;

    if (query_count(trace, &kernels) != (unsigned)ring_gpus(run))
        return NULL;
    while ((op = query_next(trace, &kernels, op)) != NULL) {
        unsigned before = 0;

        while ((other = query_next(trace, &kernels, other)) != NULL)
            before += other->call < op->call;
        if (op->device != before)
            return op;
    }
    return NULL;
}

static struct finding explain_by_host(const struct trace *trace)
{
    const struct trace_op *const copy = ring_op(trace, QUERY_COPIES);

    if (copy)
        return mistake_with("through-host", "at=%s", query_place(copy->at));
    return finding_none();
}

/* A copy that goes anywhere but from a GPU to its right neighbour. */
static struct finding explain_direction(const struct case_run *run,
                                        const struct trace *trace)
{
    const struct query copies = {.kinds = RING_COPIES};
    const struct trace_op *op = NULL;

    while ((op = query_next(trace, &copies, op)) != NULL)
        if ((int)op->peer != ring_right(run, (int)op->device))
            return mistake_with("wrong-neighbour",
                                "at=%s\ndevice=%u\npeer=%u\ndevice2=%d",
                                query_place(op->at), op->device, op->peer,
                                ring_right(run, (int)op->device));
    return finding_none();
}

static struct finding explain_streams(const struct case_run *run,
                                      const struct trace *trace)
{
    const struct trace_call *const call =
        query_next_call(trace, "cudaMemcpyPeer", NULL);
    const struct trace_op *const kernel = find_stray_kernel(run, trace);
    const struct trace_op *const stray = find_stray_copy(trace);

    if (call)
        return mistake_with("peer-copy-without-stream", "at=%s",
                            query_place(call->at));
    if (kernel)
        return mistake_with("kernel-of-another-gpu", "at=%s\ndevice=%u",
                            query_place(kernel->at), kernel->device);
    if (stray)
        return mistake_with(
            "copy-other-stream", "at=%s\nanother=%s", query_place(stray->at),
            stray->stream == 0 ? "the default stream, another" : "another");
    return finding_none();
}

/* Two GPUs at the same bytes within one round: somebody wrote in place. */
static struct finding explain_in_place(const struct case_run *run)
{
    const struct difference *const found = &run->difference;
    const struct case_run *const checked = run->virtual_run;

    if (found->kinds[OVERWRITTEN] + found->kinds[JUST_LEFT] > 0)
        return mistake("own-overwritten");
    if (checked && checked->checked.hazards > 0 &&
        found->kinds[NUM_KNOWN] > 0) /* next is still zero */
        return mistake("in-place");
    return finding_none();
}

static struct finding explain_values(const struct case_run *run)
{
    const struct difference *const found = &run->difference;
    const struct trace *const trace = case_trace(run);
    const struct query peers = {.kinds = RING_COPIES};
    const int gpu = only_wrong_gpu(run);
    const uint64_t bytes = trace ? query_bytes(trace, &peers) : 0;

    if (gpu == 0 || gpu == ring_gpus(run) - 1)
        return mistake_with("ring-open/values", "gpu=%d\nrun=%d", gpu,
                            ring_gpus(run) - 1);
    if (found->kinds[FROM_RIGHT] > 0)
        return mistake("wrong-neighbour/values");
    if (found->kinds[NOTHING] > 0 && bytes > 0 && bytes < run->input_bytes)
        return mistake_with(
            "count-not-bytes", "at=%s\ninput_bytes=%llu",
            query_place(ring_op(trace, RING_COPIES)->at),
            (unsigned long long)(100 * bytes / run->input_bytes));
    if (found->kinds[NOTHING] > 0 && bytes == 0)
        return mistake("no-copy");
    if (found->kinds[NOTHING] > 0)
        return mistake("inbox-empty");
    if (found->kinds[ITSELF] > 0)
        return mistake("mixed-with-itself");
    return finding_none();
}

static struct finding explain_step(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    struct finding found = finding_none();

    if (case_todo_is_open(run))
        return found;
    if (trace)
        found = explain_direction(run, trace);
    if (trace && !found.id)
        found = explain_streams(run, trace);
    if (!found.id)
        found = explain_in_place(run);
    if (!found.id)
        found = explain_values(run);
    return found;
}

/* By the way that the function is for? */
static bool judge_way(const struct case_run *run, struct judgement *judgement)
{
    const struct query peers = {.kinds = RING_COPIES};
    const struct trace *const trace = case_trace(run);
    const bool direct = ring_is(run, "way=direct") && ring_is(run, "access=1");
    struct finding found;

    if (!trace)
        return true;
    found = explain_by_host(trace);
    if (found.id) {
        judge_fail(judgement, found, "right, but through the host");
        return false;
    }
    if (ring_gpus(run) == 1)
        return true;
    if (direct && query_count(trace, &peers) > 0) {
        judge_fail(
            judgement,
            case_todo_is_open(run)
                ? finding_none()
                : mistake_with("copied-anyway", "at=%s",
                               query_place(ring_op(trace, RING_COPIES)->at)),
            "right, but by a copy");
        return false;
    }
    if (!direct && query_count(trace, &peers) == 0) {
        judge_fail(judgement, mistake("no-copy/way"),
                   "right, but not by a copy");
        return false;
    }
    return true;
}

void ring_judge_step(const struct case_run *run, struct judgement *judgement)
{
    if (!judge_right(run, judgement) || !judge_order(run, judgement)) {
        judgement->finding = explain_step(run);
        return;
    }
    if (!judge_way(run, judgement) || !ring_no_wait(run, judgement) ||
        !judge_clean(run, judgement))
        return;
    judge_pass(judgement, "right, on %d GPU%s", ring_gpus(run),
               ring_gpus(run) == 1 ? "" : "s");
}
