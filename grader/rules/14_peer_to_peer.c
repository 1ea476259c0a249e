/*
 * 14_peer_to_peer.c: rules of lab 14. Access to a peer's memory, on GPUs that
 * can have it and on GPUs that cannot; the whole program's speed; what became
 * of a program that did not return. 14_ring.c judges steps and rounds.
 */
#include <string.h>

#include "14_ring.h"
#include "judge/words.h"

/* ---- access -------------------------------------------------------------- */

static bool has_access(int64_t bits, int gpu, int peer)
{
    return bits >> (gpu * RING_MAX_GPUS + peer) & 1;
}

/* Whoever asks for the last error next would find this one, and take it for
 * that of a launch. */
static bool judge_error_left(const struct case_run *run,
                             struct judgement *judgement)
{
    return strcmp(case_text(run, "left"), "cudaSuccess") == 0 ||
           judge_no(run, judgement, mistake("error-left"),
                    "left behind: {left}");
}

/* The access that was asked for is not there. Which one is? */
static struct finding explain_access(const struct case_run *run)
{
    const int64_t enabled = case_fact(run, "enabled");
    const int current = (int)case_param(run, "current");
    const struct sign signs[] = {
        {case_todo_is_open(run) && enabled == 0, NULL},
        {case_param(run, "before"), "access-lost"},
        {has_access(enabled, 1, 0), "wrong-direction"},
        {has_access(enabled, current, 1), "set-device-forgotten"},
        {true, "access-not-enabled"},
    };

    return mistake_first(signs);
}

/* A function that always says no has found out nothing. */
static bool judge_asked(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);

    return !trace || query_calls(trace, "cudaDevice*") > 0 ||
           judge_no(run, judgement,
                    case_todo_is_open(run) ? finding_none()
                                           : mistake("not-asked"),
                    "right, but nothing is asked");
}

/* The function must tell what is so, and make it so where that is possible. */
static void judge_access(const struct case_run *run,
                         struct judgement *judgement)
{
    const bool possible = has_access(case_fact(run, "possible"), 0, 1);
    const bool told = case_fact(run, "told");

    if (possible && !has_access(case_fact(run, "enabled"), 0, 1))
        judge_no(run, judgement, explain_access(run),
                 "GPU 0 has no access to GPU 1");
    else if (possible && !told)
        judge_no(run, judgement, mistake("told-wrong"),
                 "access is there, but it is denied");
    else if (!possible && told)
        judge_no(run, judgement, mistake("access-claimed"),
                 "access is claimed where there is none");
    else if (judge_error_left(run, judgement) &&
             (possible || judge_asked(run, judgement)))
        judge_row(run, judgement);
}

/* ---- the ring's access --------------------------------------------------- */

/* GPUs that have access to the neighbour on one side. */
static int count_links(const struct case_run *run, const char *fact,
                       int (*neighbour)(const struct case_run *run, int gpu))
{
    int count = 0;

    for (int gpu = 0; gpu < ring_gpus(run); gpu++)
        count += has_access(case_fact(run, fact), gpu, neighbour(run, gpu));
    return count;
}

/* Does reads_left say of each GPU what it should? The driver had noted the
 * opposite, so that nobody is right by doing nothing. */
static bool is_noted_right(const struct case_run *run)
{
    const int64_t possible = case_fact(run, "possible");

    for (int gpu = 0; gpu < ring_gpus(run); gpu++)
        if ((case_fact(run, "noted") >> gpu & 1) !=
            has_access(possible, gpu, ring_left(run, gpu)))
            return false;
    return true;
}

/* A loop over pairs of numbers forgets where the ring closes, or that each pair
 * needs two calls. */
static struct finding explain_links(const struct case_run *run, int left,
                                    int right)
{
    const int64_t enabled = case_fact(run, "enabled");
    const int last = ring_gpus(run) - 1;

    if (left + right == 0)
        return case_todo_is_open(run) ? finding_none()
                                      : mistake("access-not-enabled/links");
    if (left + right == 2 * last && !has_access(enabled, 0, last) &&
        !has_access(enabled, last, 0))
        return mistake_with("ring-open", "last=%d", last);
    if (left == 0 || right == 0)
        return mistake(left == 0 ? "one-way/to-right" : "one-way/to-left");
    return mistake_with("access-missing", "to_left=%d\nto_right=%d", left,
                        right);
}

static void judge_connect(const struct case_run *run,
                          struct judgement *judgement)
{
    const int possible = count_links(run, "possible", ring_left);
    const int left = count_links(run, "enabled", ring_left);
    const int right = count_links(run, "enabled", ring_right);

    if (left < possible || right < possible)
        judge_fail(judgement, explain_links(run, left, right),
                   "access to the left: %d of %d GPUs, to the right: %d", left,
                   possible, right);
    else if (!is_noted_right(run))
        judge_no(run, judgement, mistake("not-noted"), "reads_left is wrong");
    else if (judge_error_left(run, judgement))
        judge_row(run, judgement);
}

/* ---- the whole program --------------------------------------------------- */

static bool both_ways(const struct case_run *run, const char *fact)
{
    return has_access(case_fact(run, fact), 0, 1) &&
           has_access(case_fact(run, fact), 1, 0);
}

/* Copies between GPUs without access are right, and go through the host. */
static struct finding explain_here(const struct case_run *run, enum ask failed)
{
    if (failed == ASK_SPEED && !both_ways(run, "enabled"))
        return mistake("access-not-enabled/here");
    return finding_none();
}

/* Where no access is to be had, there is nothing to be faster with. */
static bool judge_possible(const struct case_run *run,
                           struct judgement *judgement)
{
    if (both_ways(run, "possible"))
        return true;
    judge_yes(run, judgement,
              "no peer access between these GPUs: all copies go through the "
              "host, and it works; not gradable for speed here");
    return false;
}

/* On real GPUs it is worth seeing which of the two ways is faster there. */
static void judge_here(const struct case_run *run, struct judgement *judgement)
{
    judge_row(run, judgement);
    if (judgement->passed && both_ways(run, "possible") &&
        run->backend == BACKEND_CUDA)
        words_fill(&judgement->seen,
                   "; by kernel {direct_ns:ms} ms, by copy {student_ns:ms} ms",
                   NULL, run);
}

/* ---- functions that did not return --------------------------------------- */

/* A kernel's error is found by a later call, or by none of the student's. */
static bool is_error(const struct case_run *run, const char *name)
{
    return strcmp(run->error.name, name) == 0 || strcmp(run->late, name) == 0;
}

/* An access that is refused ends the process: all that is left to go by is
 * what the case had asked for, and the virtual GPU's word. */
static struct finding explain_address(const struct case_run *run)
{
    if (ring_is(run, "access=0") && ring_is(run, "direct"))
        return mistake("direct-without-access");
    if (strstr(text_string(&run->fault), "peer access"))
        return mistake("no-access-there");
    return mistake_with("illegal-address", "fault=%s",
                        text_string(&run->fault));
}

static struct finding explain_end(const struct case_run *run)
{
    const bool unsupported = is_error(run, "cudaErrorPeerAccessUnsupported");
    const struct sign signs[] = {
        {unsupported && ring_gpus(run) == 1, "ring-of-one"},
        {unsupported && ring_is(run, "access=0"), "access-assumed"},
        {unsupported && ring_is(run, "access=1"),
         "set-device-forgotten/itself"},
        {unsupported, "access-unsupported"},
        {is_error(run, "cudaErrorPeerAccessAlreadyEnabled"),
         "already-enabled-fatal"},
        {is_error(run, "cudaErrorPeerAccessNotEnabled"), "not-enabled-fatal"},
        {is_error(run, "cudaErrorInvalidDevice"), "no-such-gpu"},
        {is_error(run, "cudaErrorInvalidValue") && ring_is(run, "run=access"),
         "flags"},
        {case_failed(run, "cudaEventRecord*", "cudaErrorInvalidResourceHandle"),
         "event-of-another-gpu"},
        {true, NULL},
    };
    const struct finding found = is_error(run, "cudaErrorIllegalAddress")
                                     ? explain_address(run)
                                     : mistake_first(signs);

    return found.id ? found : finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

static const struct case_data one_way = {
    .inputs = 1, .outputs = 1, .times = "gpus", .compare = ring_compare};
/* By copies, then without: each has an output of its own. */
static const struct case_data both = {
    .inputs = 1, .outputs = 2, .times = "gpus", .compare = ring_compare};

/* Few machines have several GPUs, and fewer some that lack peer access: most
 * cases are on virtual ones wherever they run. */
#define WITH    "h200"
#define WITHOUT "c1060"

#define CASE(label, worth, model, gpus_, text)                                 \
    .name = label, .points = worth, .profile = model, .gpus = gpus_,           \
    .params = "gpus=" #gpus_ " " text, .checked = true
#define ACCESS_CASE(label, worth, model, gpus_, text)                          \
    CASE(label, worth, model, gpus_, "run=access todo=1 " text),               \
        .judge = judge_access, .asks = ASK_CLEAN
#define CONNECT_CASE(label, worth, model, gpus_, text)                         \
    CASE(label, worth, model, gpus_, "run=connect todo=2 " text),              \
        .judge = judge_connect, .asks = ASK_CLEAN
#define STEP_CASE(label, worth, model, gpus_, text)                            \
    CASE(label, worth, model, gpus_, "run=step rounds=1 entries=1009 " text),  \
        .data = &one_way, .asks = ASK_RIGHT | ASK_ORDER,                       \
        .also = ring_judge_step, .explain = ring_explain_step,                 \
        .passed = "right, on {gpus} GPU{gpus:s}"
#define ROUNDS_CASE(label, worth, gpus_, text)                                 \
    CASE(label, worth, WITH, gpus_,                                            \
         "run=rounds access=1 todo=5 entries=1009 " text),                     \
        .data = &one_way, .judge = ring_judge_ordered, .asks = ASK_RIGHT,      \
        .also = ring_judge_rounds, .explain = ring_explain_rounds,             \
        .passed = "{rounds} rounds, right and in order"

static const struct lab_case cases[] = {
    {ACCESS_CASE("access", 10, WITH, 3, "current=2 access=1"),
     .passed = "GPU 0 can use GPU 1's memory"},
    {ACCESS_CASE("access that is there", 8, WITH, 2,
                 "current=1 before=1 access=1"),
     .needs = "access", .passed = "it was there, and that is fine"},
    {ACCESS_CASE("no access to be had", 7, WITHOUT, 2, "current=1 access=0"),
     .passed = "none is claimed, no error is left"},
    {CONNECT_CASE("ring of four", 7, WITH, 4, "access=1"), .needs = "access",
     .passed = "all neighbours, both ways"},
    {CONNECT_CASE("ring of two", 4, WITH, 2, "access=1"),
     .needs = "ring of four", .passed = "all neighbours, both ways"},
    {CONNECT_CASE("ring without access", 3, WITHOUT, 3, "access=0"),
     .needs = "ring of four", .passed = "none is there, and none is claimed"},
    {STEP_CASE("step by copy", 8, WITH, 4, "way=copy access=1 todo=3")},
    {STEP_CASE("the same without access", 4, WITHOUT, 3,
               "way=copy access=0 todo=3"),
     .needs = "step by copy"},
    {STEP_CASE("step by kernel", 8, WITH, 4, "way=direct access=1 todo=4")},
    {STEP_CASE("by kernel without access", 5, WITHOUT, 3,
               "way=direct access=0 todo=4"),
     .needs = "step by kernel"},
    {ROUNDS_CASE("rounds by copy", 9, 4, "way=copy rounds=5"),
     .needs = "step by copy"},
    {ROUNDS_CASE("rounds by kernel", 8, 4, "way=direct rounds=5"),
     .needs = "step by kernel"},
    {ROUNDS_CASE("a GPU alone", 2, 1, "way=direct rounds=3"),
     .needs = "rounds by kernel"},
    {.name = "two GPUs here",
     .points = 12,
     .gpus = 2,
     .params = "gpus=2 run=speed rounds=3 todo=5 entries=1048576",
     .params_cuda = "gpus=2 run=speed rounds=3 todo=5 entries=16777216",
     .data = &both,
     .timed = true,
     .drawn = true,
     .needs = "rounds by copy",
     .judge = judge_here,
     .also = judge_possible,
     .speed = {"serial_ns", "student_ns", "bound_ns", .eta_needed = 0.80},
     .explain = explain_here},
};

LAB_RULES(.name = "14_peer_to_peer", .virtual_device = "h200",
          .baseline = "through the host", .explain_end = explain_end);
