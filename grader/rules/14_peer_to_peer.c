/*
 * 14_peer_to_peer.c: rules of lab 14. Access to a peer's memory, a ring of
 * GPUs with and without it, and how the mistakes that students make there
 * look. Steps and rounds are in ring_step.c and ring_order.c.
 */
#include <string.h>

#include "ring.h"

#define ETA_NEEDED 0.80

/* ---- access -------------------------------------------------------------- */

static bool has_access(int64_t bits, int gpu, int peer)
{
    return bits >> (gpu * RING_MAX_GPUS + peer) & 1;
}

static const char *error_left(const struct case_run *run)
{
    const char *const name = case_text(run, "left");

    return strcmp(name, "cudaSuccess") == 0 ? NULL : name;
}

static bool judge_error_left(const struct case_run *run,
                             struct judgement *judgement)
{
    const char *const name = error_left(run);

    if (name == NULL)
        return true;
    judge_fail(judgement, mistake_with("error-left", "name=%s", name),
               "left behind: %s", name);
    return false;
}

/* The access that was asked for is not there. Which one is? */
static struct finding explain_access(const struct case_run *run)
{
    const int64_t enabled = case_fact(run, "enabled");
    const int current = (int)case_param(run, "current");

    if (case_todo_is_open(run) && enabled == 0)
        return finding_none();
    if (case_param(run, "before"))
        return mistake("access-lost");
    if (has_access(enabled, 1, 0))
        return mistake("wrong-direction");
    if (has_access(enabled, current, 1))
        return mistake_with("set-device-forgotten", "current=%d", current);
    return mistake("access-not-enabled");
}

static void judge_possible(const struct case_run *run,
                           struct judgement *judgement)
{
    if (!has_access(case_fact(run, "enabled"), 0, 1)) {
        judge_fail(judgement, explain_access(run),
                   "GPU 0 has no access to GPU 1");
    } else if (!case_fact(run, "told")) {
        judge_fail(judgement, mistake("told-wrong"),
                   "access is there, but it is denied");
    } else if (judge_error_left(run, judgement) &&
               judge_clean(run, judgement)) {
        judge_pass(judgement, case_param(run, "before")
                                  ? "it was there, and that is fine"
                                  : "GPU 0 can use GPU 1's memory");
    }
}

/* A function that always says no has found out nothing. */
static bool judge_asked(const struct case_run *run, struct judgement *judgement)
{
    const struct trace *const trace = case_trace(run);

    if (!trace || query_calls(trace, "cudaDevice*") > 0)
        return true;
    judge_fail(judgement,
               case_todo_is_open(run) ? finding_none() : mistake("not-asked"),
               "right, but nothing is asked");
    return false;
}

static void judge_access(const struct case_run *run,
                         struct judgement *judgement)
{
    if (has_access(case_fact(run, "possible"), 0, 1)) {
        judge_possible(run, judgement);
    } else if (case_fact(run, "told")) {
        judge_fail(judgement, mistake("access-claimed"),
                   "access is claimed where there is none");
    } else if (judge_error_left(run, judgement) &&
               judge_asked(run, judgement) && judge_clean(run, judgement)) {
        judge_pass(judgement, "none is claimed, no error is left");
    }
}

/* ---- the ring's access --------------------------------------------------- */

struct links {
    int to_left, to_right; /* GPUs that have access there */
    int possible;          /* GPUs that can have access on their left */
    int across;            /* of the four at the ring's closing, 0 to 2 */
    bool noted_right;      /* reads_left is as it should be */
};

static struct links read_links(const struct case_run *run)
{
    const int64_t enabled = case_fact(run, "enabled");
    const int64_t possible = case_fact(run, "possible");
    const int n = ring_gpus(run);
    struct links links = {.noted_right = true};

    for (int gpu = 0; gpu < n; gpu++) {
        const bool can = has_access(possible, gpu, ring_left(run, gpu));
        const bool noted = case_fact(run, "noted") >> gpu & 1;

        links.to_left += has_access(enabled, gpu, ring_left(run, gpu));
        links.to_right += has_access(enabled, gpu, ring_right(run, gpu));
        links.possible += can;
        links.noted_right = links.noted_right && noted == can;
    }
    links.across =
        has_access(enabled, 0, n - 1) + has_access(enabled, n - 1, 0);
    return links;
}

static struct finding explain_links(const struct case_run *run,
                                    const struct links *links)
{
    const int n = ring_gpus(run);

    if (links->to_left + links->to_right == 0)
        return case_todo_is_open(run) ? finding_none()
                                      : mistake("access-not-enabled/links");
    if (links->across == 0 && links->to_left + links->to_right == 2 * n - 2)
        return mistake_with("ring-open", "n=%d", n - 1);
    if (links->to_left == 0 || links->to_right == 0)
        return mistake_with("one-way", "right=%s\nleft=%s",
                            links->to_left ? "left" : "right",
                            links->to_left ? "right" : "left");
    return mistake_with("access-missing", "to_left=%d\nn=%d\nto_right=%d",
                        links->to_left, n, links->to_right);
}

static void judge_connect(const struct case_run *run,
                          struct judgement *judgement)
{
    const struct links links = read_links(run);

    if (links.to_left < links.possible || links.to_right < links.possible)
        judge_fail(judgement, explain_links(run, &links),
                   "access to the left: %d of %d GPUs, to the right: %d",
                   links.to_left, links.possible, links.to_right);
    else if (!links.noted_right)
        judge_fail(judgement, mistake("not-noted"), "reads_left is wrong");
    else if (judge_error_left(run, judgement) && judge_clean(run, judgement))
        judge_pass(judgement, links.possible
                                  ? "all neighbours, both ways"
                                  : "none is there, and none is claimed");
}

/* ---- the whole program --------------------------------------------------- */

static bool both_ways(int64_t bits)
{
    return has_access(bits, 0, 1) && has_access(bits, 1, 0);
}

static void judge_here(const struct case_run *run, struct judgement *judgement)
{
    const bool possible = both_ways(case_fact(run, "possible"));
    const struct judge_speed times = {
        .serial_ns = (double)case_fact(run, "serial_ns"),
        .student_ns = (double)case_fact(run, "student_ns"),
        .bound_ns = (double)case_fact(run, "bound_ns"),
        .eta_needed = ETA_NEEDED,
    };

    if (!judge_right(run, judgement) || !judge_order(run, judgement) ||
        !judge_clean(run, judgement))
        return;
    if (!possible) {
        judge_pass(judgement,
                   "no peer access between these GPUs: all copies go through "
                   "the host, and it works; not gradable for speed here");
        return;
    }
    if (!judge_speed(run, judgement, &times)) {
        if (!both_ways(case_fact(run, "enabled")))
            judgement->finding = mistake("access-not-enabled/here");
        return;
    }
    if (run->backend == BACKEND_CUDA)
        text_printf(&judgement->seen, "; by kernel %.3f ms, by copy %.3f ms",
                    (double)case_fact(run, "direct_ns") / 1e6,
                    times.student_ns / 1e6);
}

/* ---- functions that did not return --------------------------------------- */

static bool is_error(const struct case_run *run, const char *name)
{
    return strcmp(run->error.name, name) == 0 || strcmp(run->late, name) == 0;
}

static struct finding explain_unsupported(const struct case_run *run)
{
    const char *const at = run->error.at;

    if (ring_gpus(run) == 1)
        return mistake_with("ring-of-one", "at=%s", at);
    if (ring_is(run, "access=0"))
        return mistake_with("access-assumed", "at=%s", at);
    if (ring_is(run, "access=1"))
        return mistake_with("set-device-forgotten/itself", "at=%s", at);
    return mistake_with("access-unsupported", "at=%s", at);
}

static struct finding explain_address(const struct case_run *run)
{
    if (ring_is(run, "access=0") && ring_is(run, "direct"))
        return mistake("direct-without-access");
    if (strstr(text_string(&run->fault), "peer"))
        return mistake("no-access-there");
    return mistake_with("illegal-address", "fault=%s",
                        text_string(&run->fault));
}

static struct finding explain_end(const struct case_run *run)
{
    const struct api_error *const error = &run->error;

    if (is_error(run, "cudaErrorIllegalAddress"))
        return explain_address(run);
    if (is_error(run, "cudaErrorPeerAccessUnsupported"))
        return explain_unsupported(run);
    if (is_error(run, "cudaErrorPeerAccessAlreadyEnabled"))
        return mistake("already-enabled-fatal");
    if (is_error(run, "cudaErrorPeerAccessNotEnabled"))
        return mistake("not-enabled-fatal");
    if (is_error(run, "cudaErrorInvalidDevice"))
        return mistake("no-such-gpu");
    if (is_error(run, "cudaErrorInvalidValue") && ring_is(run, "run=access"))
        return mistake("flags");
    if (is_error(run, "cudaErrorInvalidResourceHandle") &&
        strncmp(error->call, "cudaEventRecord", 15) == 0)
        return mistake("event-of-another-gpu");
    return finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

#define WITH    "h200"
#define WITHOUT "c1060"

#define ENTRIES 1009 /* of each GPU */
#define BYTES(gpus_, entries, ways)                                            \
    .input_bytes = (gpus_) * (entries) * sizeof(uint64_t),                     \
    .output_bytes = (ways) * (gpus_) * (entries) * sizeof(uint64_t)
#define CASE(label, worth, model, gpus_, text, judge_fn)                       \
    .name = label, .points = worth, .profile = model, .gpus = gpus_,           \
    .params = "gpus=" #gpus_ " " text, .checked = true, .judge = judge_fn
#define DATA(gpus_) BYTES(gpus_, ENTRIES, 1), .compare = ring_compare

#define SPEED      (1 << 20)
#define SPEED_CUDA (1 << 24)

static const struct lab_case cases[] = {
    {CASE("access", 10, WITH, 3, "run=access current=2 access=1 todo=1",
          judge_access)},
    {CASE("access that is there", 8, WITH, 2,
          "run=access current=1 before=1 access=1 todo=1", judge_access),
     .needs = "access"},
    {CASE("no access to be had", 7, WITHOUT, 2,
          "run=access current=1 access=0 todo=1", judge_access)},
    {CASE("ring of four", 7, WITH, 4, "run=connect access=1 todo=2",
          judge_connect),
     .needs = "access"},
    {CASE("ring of two", 4, WITH, 2, "run=connect access=1 todo=2",
          judge_connect),
     .needs = "ring of four"},
    {CASE("ring without access", 3, WITHOUT, 3, "run=connect access=0 todo=2",
          judge_connect),
     .needs = "ring of four"},
    {CASE("step by copy", 8, WITH, 4,
          "run=step way=copy access=1 rounds=1 todo=3", ring_judge_step),
     DATA(4)},
    {CASE("the same without access", 4, WITHOUT, 3,
          "run=step way=copy access=0 rounds=1 todo=3", ring_judge_step),
     DATA(3), .needs = "step by copy"},
    {CASE("step by kernel", 8, WITH, 4,
          "run=step way=direct access=1 rounds=1 todo=4", ring_judge_step),
     DATA(4)},
    {CASE("by kernel without access", 5, WITHOUT, 3,
          "run=step way=direct access=0 rounds=1 todo=4", ring_judge_step),
     DATA(3), .needs = "step by kernel"},
    {CASE("rounds by copy", 9, WITH, 4,
          "run=rounds way=copy access=1 rounds=5 todo=5", ring_judge_rounds),
     DATA(4), .needs = "step by copy"},
    {CASE("rounds by kernel", 8, WITH, 4,
          "run=rounds way=direct access=1 rounds=5 todo=5", ring_judge_rounds),
     DATA(4), .needs = "step by kernel"},
    {CASE("a GPU alone", 2, WITH, 1,
          "run=rounds way=direct access=1 rounds=3 todo=5", ring_judge_rounds),
     DATA(1), .needs = "rounds by kernel"},
    {.name = "two GPUs here",
     .points = 12,
     .gpus = 2,
     .params = "gpus=2 run=speed rounds=3 todo=5",
     .needs = "rounds by copy",
     BYTES(2, SPEED, 2),
     .input_bytes_cuda = 2 * SPEED_CUDA * sizeof(uint64_t),
     .output_bytes_cuda = 4 * SPEED_CUDA * sizeof(uint64_t),
     .timed = true,
     .drawn = true,
     .compare = ring_compare,
     .judge = judge_here},
};

static const struct lab_rules lab_14 = {
    .name = "14_peer_to_peer",
    .virtual_device = "h200",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .baseline = "through the host",
    .explain_end = explain_end,
};

LAB_RULES(lab_14);
