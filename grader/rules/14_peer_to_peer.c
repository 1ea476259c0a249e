/*
 * 14_peer_to_peer.c: rules of lab 14. Access to a peer's memory is judged in
 * 14_peer_access.c, on GPUs that can have it and on GPUs that cannot; a step of
 * each GPU of a ring, and rounds; the program's speed. A wrong entry tells what
 * was mixed, the trace which step comes after which: which wait is missing, or
 * one too many. Cases have the parameters gpus= and, of each GPU, entries=.
 */
#include "14_peer.h"

#include <stdlib.h>
#include <string.h>

#include "judge/words.h"

#define RING "ring of four"

static int right_of(const struct case_run *run, int gpu)
{
    return (gpu + 1) % gpus_of(run);
}

/* ---- data ---------------------------------------------------------------- */

/* What comes of the operands that students take: so many times what the GPU
 * held, and what its neighbours did. Each way to be wrong has another entry. */
enum { NOTHING, ITSELF, FROM_RIGHT, OVERWRITTEN, JUST_LEFT, NUM_WRONG };

static const struct mixture {
    const char *words;
    uint64_t own, left, right;
} mixtures[] = {
    [NOTHING] = {"mixed with nothing", 3, 0, 0},
    [ITSELF] = {"mixed with itself", 4, 0, 0},
    [FROM_RIGHT] = {"mixed with its right neighbour's", 3, 0, 1},
    [OVERWRITTEN] = {"overwritten with its left neighbour's, then mixed", 0, 4,
                     0},
    [JUST_LEFT] = {"its left neighbour's, not mixed", 0, 1, 0},
    [NUM_WRONG] = {"right", 3, 1, 0},
};

static void mix(const struct case_run *run, uint64_t *to, const uint64_t *from,
                const struct mixture *mixture)
{
    const uint64_t each = case_param(run, "entries");
    const uint64_t all = each * case_param(run, "gpus");

    for (uint64_t i = 0; i < all; i++)
        to[i] =
            mixture->own * from[i] +
            mixture->left * from[i < each ? i + all - each : i - each] +
            mixture->right * from[i + each < all ? i + each : i + each - all];
}

/* After several rounds an entry tells nothing of its way, but it may be of an
 * earlier one. The second way to do it comes to the same. */
static void compare(const struct case_run *run, struct difference *found)
{
    const size_t bytes = run->input_bytes;
    const uint64_t all = bytes / sizeof(uint64_t);
    OWNED uint64_t *const expected = malloc(run->output_bytes + 1);
    OWNED uint64_t *const known = malloc(NUM_WRONG * bytes + 1);
    const bool rounds = case_says(run, "run", "rounds");
    struct judge_arrays arrays = {.type = JUDGE_U64,
                                  .got = run->output,
                                  .expected = expected,
                                  .count = run->output_bytes / sizeof(uint64_t),
                                  .noun = "value"};

    if (expected && known) {
        memcpy(expected, run->input, bytes);
        for (uint64_t i = 0; i < case_param(run, "rounds"); i++) {
            uint64_t *const old = known + (rounds ? i * all : 0);

            memcpy(old, expected, bytes);
            mix(run, expected, old, &mixtures[NUM_WRONG]);
            arrays.known[i].words = rounds ? "of an earlier round" : NULL;
            arrays.known[i].values = old;
        }
        if (run->output_bytes > bytes)
            memcpy(expected + all, expected, bytes);
        for (int k = 0; k < NUM_WRONG && case_says(run, "run", "step"); k++) {
            arrays.known[k].words = mixtures[k].words;
            arrays.known[k].values = known + (uint64_t)k * all;
            mix(run, known + (uint64_t)k * all, run->input, &mixtures[k]);
        }
        difference_in_parts(run, &arrays);
        difference_arrays(found, &arrays);
    }
}

/* All wrong entries are of one GPU at the ring's closing: its number, else -1.
 * Of two GPUs, each is at the closing. */
static int wrong_at_closing(const struct case_run *run)
{
    const struct difference *const found = &run->difference;
    const uint64_t each = case_param(run, "entries");
    const int gpu = (int)(found->first / each);

    if (found->wrong == 0 || gpus_of(run) < 3 ||
        found->first / each != found->last / each)
        return -1;
    return gpu == 0 || gpu == gpus_of(run) - 1 ? gpu : -1;
}

/* ---- one step ------------------------------------------------------------ */

/* A copy in another stream than the kernel that needs it. */
static bool is_beside_kernel(const struct case_run *run,
                             const struct trace_op *copy)
{
    const struct query kernels = {
        .kinds = QUERY_KERNELS, .one_device = true, .device = copy->peer};
    const struct trace_op *const kernel =
        query_next(case_trace(run), &kernels, NULL);

    return kernel && kernel->stream != copy->stream;
}

/* The steps are queued from GPU 0 on: a kernel that is not on its GPU. */
static bool is_of_another_gpu(const struct case_run *run,
                              const struct trace_op *kernel)
{
    const struct trace_op *op = NULL;
    unsigned before = 0;

    while ((op = query_next(case_trace(run), QUERY_OF(QUERY_KERNELS), op)) !=
           NULL)
        before += op->call < kernel->call;
    return query_count(case_trace(run), QUERY_KERNELS) ==
               (unsigned)gpus_of(run) &&
           kernel->device != before;
}

/* What is wrong with where an operation goes: NULL or the mistake of this rank.
 * The wrong neighbour is the first, because order does not mend it. */
enum { RANKS = 4 };

static const char *find_stray(const struct case_run *run,
                              const struct trace_op *op, int rank)
{
    const struct trace_call *const call = query_call_of(case_trace(run), op);
    const bool kernel = op->kind == TRACE_KIND_KERNEL;
    const struct sign signs[RANKS] = {
        {!kernel && (int)op->peer != right_of(run, (int)op->device),
         "wrong-neighbour"},
        {call && strcmp(call->name, "cudaMemcpyPeer") == 0,
         "peer-copy-without-stream"},
        {kernel && is_of_another_gpu(run, op), "kernel-of-another-gpu"},
        {!kernel && is_beside_kernel(run, op),
         op->stream == 0 ? "copy-other-stream/default" : "copy-other-stream"},
    };

    return signs[rank].seen ? signs[rank].mistake : NULL;
}

static struct finding explain_streams(const struct case_run *run)
{
    const struct trace_op *op = NULL;

    for (int rank = 0; rank < RANKS; rank++)
        while ((op = query_next(case_trace(run),
                                QUERY_OF(QUERY_KERNELS | QUERY_PEER), op)) !=
               NULL)
            if (find_stray(run, op, rank))
                return mistake_with(find_stray(run, op, rank),
                                    "at=%s\nfrom=%u\nto=%u\nright=%d\ngpu=%u",
                                    query_place(op->at), op->device, op->peer,
                                    right_of(run, (int)op->device), op->device);
    return finding_none();
}

/* What says most of how it came about goes first: one GPU alone is wrong by the
 * ring's closing, whatever its values are. */
static struct finding explain_values(const struct case_run *run)
{
    const uint64_t *const kinds = run->difference.kinds;
    const struct trace *const trace = case_trace(run);
    const struct trace_op *const by_host = query_first(trace, QUERY_COPIES);
    const struct trace_op *const copy =
        by_host ? by_host : query_first(trace, QUERY_PEER);
    const uint64_t bytes = query_bytes(trace, QUERY_PEER);
    const bool hazard = case_checked(run)->hazards > 0;
    const char *const seen = run->difference.around[1];
    const int gpu = wrong_at_closing(run);
    const struct sign signs[] = {
        {by_host, "through-host"},
        {kinds[OVERWRITTEN] + kinds[JUST_LEFT] > 0, "own-overwritten"},
        /* Two GPUs at the same bytes in one round, and next is still zero. */
        {hazard && kinds[NUM_WRONG] > 0, "in-place"},
        {run->difference.wrong == run->difference.count && seen &&
             strcmp(seen, "zero") == 0 && query_first(trace, QUERY_KERNELS),
         "result-elsewhere"},
        {gpu >= 0, "ring-open/values"},
        {kinds[FROM_RIGHT] > 0, "wrong-neighbour/values"},
        {kinds[NOTHING] > 0 && bytes == 0, "no-copy"},
        {kinds[NOTHING] > 0 && bytes < run->input_bytes, "count-not-bytes"},
        {kinds[NOTHING] > 0, "inbox-empty"},
        {kinds[ITSELF] > 0, "mixed-with-itself"}};

    return mistake_with(mistake_first(signs).id,
                        "at=%s\ngpu=%d\nlast=%d\npercent=%d",
                        query_place(AT(copy)), gpu, gpus_of(run) - 1,
                        (int)(100 * bytes / run->input_bytes));
}

static struct finding explain_step(const struct case_run *run, enum ask failed)
{
    const struct finding found = explain_streams(run);

    (void)failed; /* a hazard and what is wrong by it have one reason */
    if (case_todo_is_open(run))
        return finding_none();
    return found.id ? found : explain_values(run);
}

/* By copies, whole ones: what a kernel fetches for itself in place of a part of
 * the copy is no copy. */
static struct wrong copied_in_part(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct case_run *const seen = run->virtual_run;
    const bool copies =
        !case_says(run, "way", "direct") || case_says(run, "access", "0");
    const uint64_t bytes = query_bytes(trace, QUERY_PEER);
    const uint64_t all =
        seen ? case_param(seen, "rounds") * seen->input_bytes : 0;

    return (struct wrong){
        trace && copies && gpus_of(run) > 1 && bytes < all,
        mistake_with("copied-in-part", "at=%s\npercent=%d",
                     query_place(AT(query_first(trace, QUERY_PEER))),
                     all > 0 ? (int)(100 * bytes / all) : 0),
        "right, but not by a copy of all entries"};
}

/* Of right results only: how did they come, and who waited for them? */
static bool judge_step(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);
    const bool direct =
        case_says(run, "way", "direct") && !case_says(run, "access", "0");
    const struct trace_op *const by_host = query_first(trace, QUERY_COPIES);
    const struct trace_op *const copy = query_first(trace, QUERY_PEER);
    const struct trace_call *const wait = query_wait(trace, false);
    const struct wrong wrongs[] = {
        {by_host, mistake_at("through-host", AT(by_host)),
         "right, but through the host"},
        {direct && query_bytes(trace, QUERY_PEER) >
                       case_param(run, "copies") * case_param(run, "entries") *
                           sizeof(uint64_t),
         case_todo_is_open(run) ? finding_none()
                                : mistake_at("copied-anyway", AT(copy)),
         "right, but by a copy"},
        {trace && !direct && !copy, mistake("no-copy/way"),
         "right, but not by a copy"},
        copied_in_part(run),
        {wait, mistake_at("host-sync", AT(wait)), "right, but the host waits"},
        {0},
    };

    return peer_judge_list(run, judgement, wrongs) &&
           judge_clean(run, judgement);
}

/* ---- several rounds ------------------------------------------------------ */

/* A step is a kernel and what was queued ahead of it in its stream. The GPU and
 * the round that an operation's step is of: */
static int gpu_of(const struct trace_op *op)
{
    return (int)(op->kind == TRACE_KIND_KERNEL ? op->device : op->peer);
}

static int round_of(const struct trace *trace, const struct trace_op *op)
{
    const struct query kernels = {.kinds = QUERY_KERNELS,
                                  .one_device = true,
                                  .device = (unsigned)gpu_of(op),
                                  .one_stream = true,
                                  .stream = op->stream};
    const struct trace_op *kernel = NULL;
    int round = 0;

    while ((kernel = query_next(trace, &kernels, kernel)) != NULL)
        round += kernel->call < op->call;
    return round;
}

/* Does anything of the step that ends with @kernel come right after something
 * of the step that @gpu makes in @round? */
static bool step_follows(const struct trace *trace,
                         const struct trace_op *kernel, int gpu, int round)
{
    const struct query all = {.kinds = QUERY_KERNELS | QUERY_PEER};
    const struct query own = {
        .kinds = all.kinds, .one_stream = true, .stream = kernel->stream};
    const struct trace_op *op = NULL, *other = NULL;

    while ((op = query_next(trace, &own, op)) != NULL)
        while ((other = query_next(trace, &all, other)) != NULL)
            if (trace_comes_after(trace, op, other) && gpu_of(other) == gpu &&
                round_of(trace, other) == round &&
                round_of(trace, op) == round_of(trace, kernel))
                return true;
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
static struct order read_order(const struct case_run *run)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_op *step = NULL;
    struct order order = {0};

    while ((step = query_next(trace, QUERY_OF(QUERY_KERNELS), step)) != NULL) {
        const int gpu = gpu_of(step), round = round_of(trace, step);
        const int gpus = gpus_of(run);
        const int sides[] = {(gpu + gpus - 1) % gpus, right_of(run, gpu)};

        for (int side = LEFT; side <= RIGHT; side++) {
            if (step_follows(trace, step, sides[side], round))
                order.chained = step;
            if (round == 0 || step_follows(trace, step, sides[side], round - 1))
                continue;
            order.missing[side]++;
            order.closing[side] += (side == LEFT ? gpu : sides[RIGHT]) == 0;
        }
    }
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

/* A kernel goes to its stream's GPU, whichever is the current one. Return: on
 * how many GPUs they are where some have none, else 0. */
static unsigned few_gpus(const struct case_run *run)
{
    const unsigned devices = query_devices(case_trace(run), QUERY_KERNELS);

    return devices < (unsigned)gpus_of(run) ? devices : 0;
}

/* Of two neighbours, the left one is read from, the right one reads. Without
 * waits, or without records, there is no order to look at. */
static struct finding explain_rounds(const struct case_run *run,
                                     enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    const struct trace_call *const held = query_wait(trace, false);
    const struct trace_call *const early = find_early_wait(trace);
    const struct trace_call *const call = held ? held : early;
    const bool waits = query_calls(trace, "cudaStreamWaitEvent") > 0;
    const bool records = query_calls(trace, "cudaEventRecord*") > 0;
    const struct order order = read_order(run);
    const int left = order.missing[LEFT], right = order.missing[RIGHT];
    /* All that is wrong is what there was after so many rounds. */
    const uint64_t *const after = run->difference.kinds;
    const uint64_t wrong =
        case_says(run, "run", "rounds") ? run->difference.wrong : 0;
    const struct sign signs[] = {
        {!case_fact(run, "exchanged"), "not-exchanged"},
        {wrong && after[case_param(run, "rounds") - 1] == wrong,
         "round-missing"},
        {wrong && (after[0] == wrong || after[1] == wrong),
         "not-exchanged/each"},
        {wrong && case_fact(run, "unmoved") > 0, "not-exchanged/some"},
        {case_todo_is_open(run) || !trace || gpus_of(run) < 2, NULL},
        {few_gpus(run) > 0, "not-all-gpus"},
        {held && strstr(held->name, "Device"), "one-gpu-synchronised/current"},
        {held, "one-gpu-synchronised"},
        {!waits, records ? "no-wait" : "no-order"},
        {!records, "not-recorded"},
        {query_calls(trace, "cudaEventRecord*") == (unsigned)gpus_of(run),
         "ordered-once"},
        {early, "wait-before-record"},
        {left + right == 0, NULL},
        {left == order.closing[LEFT] && right == order.closing[RIGHT],
         "ring-open/waits"},
        {left == 0, "right-not-waited"},
        {right == 0, "left-not-waited"},
        {true, "event-early"},
    };

    (void)failed; /* as for one step */
    return mistake_with(mistake_first(signs).id, "at=%s\nwait=%s\ndevices=%u",
                        query_place(AT(call)), call ? call->name : "",
                        few_gpus(run));
}

/* A step that waits for the same round elsewhere makes a chain of the ring. */
static bool judge_rounds(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct trace_call *const wait = query_wait(case_trace(run), false);
    const struct trace_op *const chained =
        gpus_of(run) > 1 ? read_order(run).chained : NULL;
    const struct wrong wrongs[] = {
        {wait, mistake_at("host-sync", AT(wait)), "right, but the host waits"},
        {few_gpus(run) > 0,
         mistake_with("not-all-gpus", "devices=%u", few_gpus(run)),
         "right, but not by all GPUs"},
        {chained, mistake_at("chained", AT(chained)),
         "right, but one GPU after the other"},
        copied_in_part(run),
        {0},
    };

    return peer_judge_list(run, judgement, wrongs) &&
           judge_clean(run, judgement);
}

/* ---- the whole program --------------------------------------------------- */

/* As the small rings are asked: copies and order, which a step may have left
 * out where there is much to do. */
static bool judge_here(const struct case_run *run, struct judgement *judgement)
{
    const struct wrong wrongs[] = {
        copied_in_part(run),
        {case_fact(run, "early") > 0, mistake("no-order/late"),
         "right, but not when one of the GPUs is late: {early} entries wrong"},
        {0}};

    return peer_judge_list(run, judgement, wrongs);
}

/* Copies between GPUs without access are right, and go through the host. */
static struct finding explain_here(const struct case_run *run, enum ask failed)
{
    if (failed == ASK_ORDER || failed == ASK_RIGHT)
        return explain_rounds(run, failed);
    if (failed == ASK_SPEED && case_fact(run, "to_left") < 2)
        return mistake("access-not-enabled/here");
    return finding_none();
}

/* Where no access is to be had, there is nothing to be faster with. */
static bool judge_possible(const struct case_run *run,
                           struct judgement *judgement)
{
    if (case_fact(run, "possible") == 2)
        return true;
    judge_yes(run, judgement,
              "no peer access between these GPUs: all copies go through the "
              "host, and it works; not gradable for speed here");
    return false;
}

/* On real GPUs it is worth seeing which of the two ways is faster there. */
static bool say_ways(const struct case_run *run, struct judgement *judgement)
{
    if (run->backend == BACKEND_CUDA)
        words_fill(&judgement->seen,
                   "; by kernel {direct_ns:ms} ms, by copy {student_ns:ms} ms",
                   NULL, run);
    return true;
}

/* ---- functions that did not return --------------------------------------- */

/* A kernel's error is found by a later call, or by none of the student's. */
static bool is_error(const struct case_run *run, const char *name)
{
    return strcmp(run->error.name, name) == 0 || strcmp(run->late, name) == 0;
}

/* An access that is refused ends the process: all that is left to go by is
 * what the case had asked for, and the virtual GPU's word. */
static struct finding explain_end(const struct case_run *run)
{
    const bool unsupported = is_error(run, "cudaErrorPeerAccessUnsupported");
    const bool illegal = is_error(run, "cudaErrorIllegalAddress");
    const bool denied = illegal && case_reported(run, REPORTED(no_peer_access));
    /* It is the student's ring here, and what that one lacks has its words. */
    const struct case_run *const ring =
        case_says(run, "run", "speed") ? case_other(run, RING) : NULL;
    const struct sign signs[] = {
        /* By copies, when all had been timed: see count_early() there. */
        {illegal && case_has(run, "direct_ns"), "copied-in-part/large"},
        {illegal && !case_says(run, "access", "1") &&
             case_says(run, "way", "direct"),
         "direct-without-access"},
        {denied, "no-access-there"},
        {illegal, "illegal-address"},
        {unsupported && gpus_of(run) == 1, "ring-of-one"},
        {unsupported && case_says(run, "access", "0"), "access-assumed"},
        {unsupported && case_says(run, "access", "1"),
         "set-device-forgotten/itself"},
        {unsupported, "access-unsupported"},
        {is_error(run, "cudaErrorPeerAccessAlreadyEnabled"),
         "already-enabled-fatal"},
        {is_error(run, "cudaErrorPeerAccessNotEnabled"), "not-enabled-fatal"},
        {is_error(run, "cudaErrorInvalidDevice"), "no-such-gpu"},
        {is_error(run, "cudaErrorInvalidValue") &&
             case_says(run, "run", "access"),
         "flags"},
        {case_failed(run, "cudaEventRecord*", "InvalidResourceHandle"),
         "event-of-another-gpu"}};
    const char *const name = mistake_first(signs).id;

    if (denied && !case_has(run, "direct_ns") && ring &&
        peer_missing_links(ring) > 0)
        return peer_explain_links(ring);
    return name ? mistake_with(name, "fault=%s", text_string(&run->fault))
                : finding_none();
}

/* ---- the rules ----------------------------------------------------------- */

#define IN_GPUS                                                                \
    .part = "GPU", .part_entries = "entries", .parts = "gpus",                 \
    .part_again = true
static const struct case_data one_way = {
    .times = "gpus", .compare = compare, IN_GPUS};
/* By copies, then without: each has an output of its own. */
static const struct case_data both = {
    .outputs = 2, .times = "gpus", .compare = compare, IN_GPUS};

/* Few machines have several GPUs, and fewer some that lack peer access: most
 * cases are on virtual ones wherever they run. */
#define WITH    "h200"
#define WITHOUT "c1060"
#define SOME    "h200;0-1,2>1,2-3"

#define CASE(label, worth, model, gpus_, text)                                 \
    .name = label, .points = worth, .profile = model, .gpus = gpus_,           \
    .params = "gpus=" #gpus_ " " text, .checked = true
#define ACCESS_CASE(label, worth, model, gpus_, text)                          \
    CASE(label, worth, model, gpus_, "run=access todo=1 " text),               \
        .asks = LAB_ASKS(peer_judge_access)
#define CONNECT_CASE(label, worth, model, gpus_, text)                         \
    CASE(label, worth, model, gpus_, "run=connect todo=2 " text),              \
        .asks = LAB_ASKS(peer_judge_connect)
#define STEP_CASE(label, worth, model, gpus_, text)                            \
    CASE(label, worth, model, gpus_, "run=step rounds=1 entries=1009 " text),  \
        .data = &one_way,                                                      \
        .asks = LAB_ASKS(judge_right, judge_order, judge_step),                \
        .explain = explain_step, .passed = "right, on {gpus} GPU{gpus:s}"
#define ROUNDS_CASE(label, worth, model, gpus_, text)                          \
    CASE(label, worth, model, gpus_,                                           \
         "run=rounds todo=5 entries=1003..1019 " text),                        \
        .data = &one_way,                                                      \
        .asks = LAB_ASKS(judge_order, judge_right, judge_rounds),              \
        .explain = explain_rounds,                                             \
        .passed = "{rounds} rounds, right and in order"

static const struct lab_case cases[] = {
    {ACCESS_CASE("access", 10, WITH, 3, "current=2 access=1"),
     .passed = "GPU 0 can use GPU 1's memory"},
    {ACCESS_CASE("access that is there", 8, WITH, 2,
                 "current=1 before=1 access=1"),
     .needs = "access", .passed = "it was there, and that is fine"},
    {ACCESS_CASE("no access to be had", 7, WITHOUT, 2, "current=1 access=0"),
     .passed = "none is claimed, no error is left"},
    {CONNECT_CASE(RING, 5, WITH, 4, "access=1"), .needs = "access",
     .passed = "all neighbours, both ways"},
    {CONNECT_CASE("ring of two", 3, WITH, 2, "access=1"), .needs = RING,
     .passed = "all neighbours, both ways"},
    {CONNECT_CASE("ring of some links", 3, SOME, 4, "access=some"),
     .needs = RING, .passed = "where it is possible"},
    {CONNECT_CASE("ring without access", 3, WITHOUT, 3, "access=0"),
     .needs = RING, .passed = "none is there, and none is claimed"},
    {STEP_CASE("step by copy", 8, WITH, 4, "way=copy access=1 todo=3")},
    {STEP_CASE("the same without access", 4, WITHOUT, 3,
               "way=copy access=0 todo=3"),
     .needs = "step by copy"},
    {STEP_CASE("step by kernel", 8, WITH, 4, "way=direct access=1 todo=4")},
    {STEP_CASE("by kernel without access", 3, WITHOUT, 3,
               "way=direct access=0 todo=4"),
     .needs = "step by kernel"},
    {STEP_CASE("by kernel on some links", 2, SOME, 4,
               "way=direct access=some copies=1 todo=4"),
     .needs = "by kernel without access"},
    {ROUNDS_CASE("rounds by copy", 7, WITH, 4, "way=copy access=1 rounds=5"),
     .needs = "step by copy"},
    {ROUNDS_CASE("rounds by kernel", 6, WITH, 5,
                 "way=direct access=1 rounds=5"),
     .needs = "step by kernel"},
    {ROUNDS_CASE("rounds of two GPUs", 2, WITH, 2,
                 "way=copy access=1 rounds=5"),
     .needs = "rounds by copy"},
    {ROUNDS_CASE("a GPU alone", 2, WITH, 1, "way=direct access=1 rounds=3"),
     .needs = "rounds by kernel"},
    {ROUNDS_CASE("rounds without access", 2, WITHOUT, 3,
                 "way=direct access=0 rounds=5"),
     .needs = "rounds by copy"},
    {.name = "two GPUs here",
     .points = 12,
     .gpus = 2,
     .params = "gpus=2 run=speed rounds=3 todo=5 entries=980000..1117152",
     .params_cuda = "gpus=2 run=speed rounds=3 todo=5 entries=8388608",
     .seconds = 30,
     .data = &both,
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = "rounds of two GPUs",
     .asks =
         LAB_ASKS(JUDGE_ALL, judge_here, judge_possible, judge_fast, say_ways),
     .speed = {"serial_ns", "student_ns", "bound_ns", .eta_needed = 0.80},
     .explain = explain_here},
};

LAB_RULES(.name = "14_peer_to_peer", .virtual_device = "h200",
          .baseline = "through the host", .explain_end = explain_end);
