/*
 * 01_meet_the_device.c: rules of lab 01. Facts, conclusions and a grid, for
 * the device at hand and for others, and what they are usually mistaken for.
 */
#include "judge/judge.h"

#include <inttypes.h>
#include <string.h>

#include "cipher_entry.h"

#define HERE      "facts of this device"
#define GRID_HERE "a grid that fills it"

enum { BLOCK_THREADS = 256, ITERS = 60 }; /* as in lab.h and the driver */

/* ---- facts --------------------------------------------------------------- */

static const struct {
    const char *member, *key, *true_key;
} members[] = {
    {"num_sms", "sms", "true_sms"},
    {"threads_per_sm", "threads", "true_threads"},
    {"copy_engines", "engines", "true_engines"},
    {"concurrent_kernels", "kernels", "true_kernels"},
    {"unified_addressing", "unified", "true_unified"},
};
enum { MEMBERS = sizeof members / sizeof *members };

static struct finding explain_fact(const struct case_run *run, int m)
{
    const struct case_run *const here = case_other(run, HERE);
    const char *const member = members[m].member;
    const int64_t got = case_fact(run, members[m].key);

    if (strcmp(member, "threads_per_sm") == 0 &&
        got == case_fact(run, "block_limit"))
        return mistake("block-limit-for-sm");
    if (strcmp(member, "copy_engines") == 0 && got == 1)
        return mistake("yes-no-for-number");
    if (here && here != run && here->ran &&
        case_fact(here, members[m].key) == got)
        return mistake_with("one-device-assumed", "member=%s", member);
    return mistake_with("wrong-fact", "member=%s", member);
}

static bool ask_facts(const struct case_run *run, struct judgement *judgement)
{
    for (int m = 0; m < MEMBERS; m++)
        if (case_fact(run, members[m].key) !=
            case_fact(run, members[m].true_key)) {
            const struct finding finding =
                finding_todo_or(run, explain_fact(run, m));

            judge_fail(judgement, finding, "%s is %s, and should be %s",
                       members[m].member, case_text(run, members[m].key),
                       case_text(run, members[m].true_key));
            return false;
        }
    return !case_fact(run, "moved") ||
           judge_no(run, judgement, mistake("current-device-moved"),
                    "another device is current afterwards");
}

static void judge_facts(const struct case_run *run, struct judgement *judgement)
{
    if (!ask_facts(run, judgement))
        return;
    judge_pass(judgement,
               "%s SMs of %s threads, %s copy engine%s, kernels %s, "
               "%s address space%s",
               case_text(run, "sms"), case_text(run, "threads"),
               case_text(run, "engines"),
               case_fact(run, "engines") == 1 ? "" : "s",
               case_fact(run, "kernels") ? "overlap" : "one at a time",
               case_fact(run, "unified") ? "one" : "two",
               case_fact(run, "unified") ? "" : "s");
}

static void judge_mode(const struct case_run *run, struct judgement *judgement)
{
    static const char *const modes[] = {"default", "exclusive (thread)",
                                        "prohibited", "exclusive (process)"};
    const int64_t got = case_fact(run, "mode");

    if (got != case_fact(run, "true_mode"))
        judge_no(run, judgement, finding_todo_or(run, mistake("wrong-mode")),
                 "compute_mode is {mode}, and should be {true_mode}");
    else
        judge_pass(judgement, "%s: %s", case_text(run, "mode"),
                   got >= 0 && got < 4 ? modes[got] : "unknown");
}

/* ---- what overlaps ------------------------------------------------------- */

static struct finding explain_overlap(int64_t engines, int64_t one_way,
                                      int64_t both_ways)
{
    if (engines == 0)
        return mistake("no-engine");
    if (one_way != 1)
        return mistake("engine-overlooked");
    if (engines == 1 && both_ways)
        return mistake("one-engine-for-two");
    if (engines > 2 && both_ways != 1)
        return mistake("more-than-two");
    return mistake("wrong-overlap");
}

static void judge_overlap(const struct case_run *run,
                          struct judgement *judgement)
{
    const int64_t engines = case_fact(run, "engines");
    const int64_t one_way = case_fact(run, "one_way");
    const int64_t both_ways = case_fact(run, "both_ways");

    if (one_way != (engines >= 1) || both_ways != (engines >= 2))
        judge_no(
            run, judgement,
            finding_todo_or(run, explain_overlap(engines, one_way, both_ways)),
            "{engines} copy engine{engines:s}: can_overlap {one_way}, "
            "both ways {both_ways}");
    else
        judge_yes(run, judgement,
                  both_ways ? "{engines} copy engine{engines:s}: "
                              "copies both ways beside kernels"
                  : one_way ? "{engines} copy engine: a copy beside kernels"
                            : "{engines} copy engines: nothing overlaps");
}

/* ---- the grid ------------------------------------------------------------ */

/* Lanes for single precision of one multiprocessor. Source: the table of
 * arithmetic throughput in the CUDA C++ Programming Guide. */
static int64_t cores_per_sm(const struct case_run *run)
{
    const int64_t minor = case_fact(run, "minor");

    switch (case_fact(run, "major")) {
    case 1:
        return 8;
    case 2:
        return minor == 0 ? 32 : 48;
    case 3:
        return 192;
    case 6:
        return minor == 0 ? 64 : 128;
    case 7:
        return 64;
    case 8:
        return minor == 0 ? 64 : 128;
    default:
        return 128;
    }
}

/* What the blocks are, if a student mistook one number of the report for
 * another. Several devices are asked, so that no two of these agree on all. */
static struct finding explain_grid(const struct case_run *run)
{
    const struct case_run *const here = case_other(run, GRID_HERE);
    const int64_t blocks = case_fact(run, "blocks");
    const int64_t sms = case_fact(run, "sms");
    const int64_t threads = case_fact(run, "threads");
    const int64_t cores = sms * cores_per_sm(run);

    if (blocks == sms)
        return mistake("one-block-per-sm");
    if (blocks == sms * threads)
        return mistake("threads-for-blocks");
    if (blocks == threads / BLOCK_THREADS)
        return mistake("one-sm");
    if (blocks == cores || blocks == cores / BLOCK_THREADS ||
        blocks == sms * (cores_per_sm(run) / BLOCK_THREADS))
        return mistake("grid-from-cores");
    if (blocks == sms * (case_fact(run, "block_limit") / BLOCK_THREADS))
        return mistake("block-limit-for-sm/grid");
    if (blocks == sms * case_fact(run, "block_slots"))
        return mistake("block-slots");
    if (here && here != run && case_fact(here, "blocks") == blocks)
        return mistake("one-device-assumed/grid");
    return mistake("wrong-grid");
}

static bool ask_grid(const struct case_run *run, struct judgement *judgement)
{
    const int64_t full =
        case_fact(run, "sms") * (case_fact(run, "threads") / BLOCK_THREADS);

    if (case_fact(run, "blocks") == full)
        return true;
    judge_fail(judgement, finding_todo_or(run, explain_grid(run)),
               "%s SMs of %s threads: %s blocks, and should be %" PRId64,
               case_text(run, "sms"), case_text(run, "threads"),
               case_text(run, "blocks"), full);
    return false;
}

/* ---- the report put to use ----------------------------------------------- */

static void compare(const struct case_run *run, struct difference *found)
{
    const uint64_t *const input = run->input, *const output = run->output;

    memset(found, 0, sizeof *found);
    found->noun = "value";
    found->count = run->output_bytes / sizeof *output;
    for (uint64_t i = 0; i < found->count; i++) {
        if (output[i] == decrypt_entry(input[i], ITERS))
            continue;
        if (found->wrong++ == 0)
            found->first = i;
        found->last = i;
    }
}

static void judge_use(const struct case_run *run, struct judgement *judgement)
{
    if (judge_right(run, judgement) && judge_order(run, judgement))
        judge_yes(run, judgement,
                  case_fact(run, "overlap")
                      ? "{blocks} blocks, in chunks that overlap"
                      : "{blocks} blocks, one chunk after the other");
}

/* ---- the rules ----------------------------------------------------------- */

static const struct case_data values = {
    .inputs = 1, .outputs = 1, .entries = "values", .compare = compare};

#define FACTS .params = "what=facts device=0", .judge = judge_facts
#define GRID                                                                   \
    .also = ask_grid, .asks = ASK_ALSO,                                        \
    .passed = "{sms} SMs of {threads} threads: {blocks} blocks"

static const struct lab_case cases[] = {
    {.name = HERE, .points = 10, FACTS},
    {.name = "its compute mode",
     .points = 10,
     .params = "what=facts device=0",
     .judge = judge_mode},
    {.name = "what it can overlap",
     .points = 10,
     .params = "what=overlap",
     .judge = judge_overlap},
    {.name = GRID_HERE, .points = 10, .params = "what=grid", GRID},
    {.name = "facts of a C1060", .points = 5, .profile = "c1060", FACTS},
    {.name = "its overlap",
     .points = 5,
     .params = "what=overlap",
     .profile = "c1060",
     .judge = judge_overlap},
    {.name = "its grid",
     .points = 5,
     .params = "what=grid",
     .profile = "c1060",
     GRID},
    {.name = "a grid for a C2050",
     .points = 5,
     .params = "what=grid",
     .profile = "c2050",
     GRID},
    {.name = "facts of an H200", .points = 5, .profile = "h200", FACTS},
    {.name = "six copy engines",
     .points = 5,
     .params = "what=overlap",
     .profile = "rtx2070mq-wddm",
     .judge = judge_overlap},
    {.name = "no copy engine",
     .points = 5,
     .params = "what=overlap engines=0",
     .judge = judge_overlap},
    {.name = "two copy engines",
     .points = 5,
     .params = "what=overlap engines=2",
     .judge = judge_overlap},
    {.name = "a grid for 768 threads",
     .points = 5,
     .params = "what=grid sms=16 threads=768",
     GRID},
    {.name = "the second of two devices",
     .points = 5,
     .params = "what=facts device=1",
     .gpus = 2,
     .judge = judge_facts},
    {.name = "the report put to use",
     .points = 5,
     .params = "what=use chunks=8 values=262144",
     .data = &values,
     .checked = true,
     .drawn = true,
     .needs = GRID_HERE,
     .judge = judge_use},
};

LAB_RULES(.name = "01_meet_the_device");
