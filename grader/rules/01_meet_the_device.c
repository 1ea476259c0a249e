/*
 * 01_meet_the_device.c: rules of lab 01. Facts, conclusions and a grid, for
 * the device at hand and for others, and what they are usually mistaken for.
 */
#include "judge/judge.h"

#include <string.h>

#include "cipher_entry.h"

#define HERE      "facts of this device"
#define GRID_HERE "a grid that fills it"

enum { BLOCK_THREADS = 256, ITERS = 60 }; /* as in lab.h and the driver */

static struct finding todo_or(const struct case_run *run,
                              struct finding finding)
{
    return run->evidence->first_todo > 0 ? finding_open_todo(run->evidence)
                                         : finding;
}

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

static void judge_facts(const struct case_run *run, struct judgement *judgement)
{
    for (int m = 0; m < MEMBERS; m++) {
        const int64_t got = case_fact(run, members[m].key);
        const int64_t is = case_fact(run, members[m].true_key);

        if (got == is)
            continue;
        judge_fail(judgement, todo_or(run, explain_fact(run, m)),
                   "%s is %lld, and should be %lld", members[m].member,
                   (long long)got, (long long)is);
        return;
    }
    if (case_fact(run, "moved")) {
        judge_fail(judgement, mistake("current-device-moved"),
                   "another device is current afterwards");
        return;
    }
    judge_pass(judgement,
               "%lld SMs of %lld threads, %lld copy engine%s, kernels %s, "
               "%s address space%s",
               (long long)case_fact(run, "sms"),
               (long long)case_fact(run, "threads"),
               (long long)case_fact(run, "engines"),
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
    const int64_t is = case_fact(run, "true_mode");

    if (got == is)
        judge_pass(judgement, "%lld: %s", (long long)got,
                   got >= 0 && got < 4 ? modes[got] : "unknown");
    else
        judge_fail(judgement, todo_or(run, mistake("wrong-mode")),
                   "compute_mode is %lld, and should be %lld", (long long)got,
                   (long long)is);
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

    if (one_way == (engines >= 1) && both_ways == (engines >= 2))
        judge_pass(judgement, "%lld copy engine%s: %s", (long long)engines,
                   engines == 1 ? "" : "s",
                   both_ways ? "copies both ways beside kernels"
                   : one_way ? "a copy beside kernels"
                             : "nothing overlaps");
    else
        judge_fail(judgement,
                   todo_or(run, explain_overlap(engines, one_way, both_ways)),
                   "%lld copy engine%s: can_overlap %lld, both ways %lld",
                   (long long)engines, engines == 1 ? "" : "s",
                   (long long)one_way, (long long)both_ways);
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

static struct finding explain_grid(const struct case_run *run)
{
    const struct case_run *const here = case_other(run, GRID_HERE);
    const int64_t blocks = case_fact(run, "blocks");
    const int64_t sms = case_fact(run, "sms");
    const int64_t threads = case_fact(run, "threads");
    const int64_t cores = sms * cores_per_sm(run);

    if (blocks == sms)
        return mistake_with("one-block-per-sm",
                            "threads=%lld\nblock_threads=%d",
                            (long long)threads, BLOCK_THREADS);
    if (blocks == sms * threads)
        return mistake_with("threads-for-blocks", "block_threads=%d",
                            BLOCK_THREADS);
    if (blocks == threads / BLOCK_THREADS)
        return mistake_with("one-sm", "sms=%lld", (long long)sms);
    if (blocks == cores || blocks == cores / BLOCK_THREADS ||
        blocks == sms * (cores_per_sm(run) / BLOCK_THREADS))
        return mistake("grid-from-cores");
    if (blocks == sms * (case_fact(run, "block_limit") / BLOCK_THREADS))
        return mistake("block-limit-for-sm/grid");
    if (blocks == sms * case_fact(run, "block_slots"))
        return mistake_with("block-slots", "block_threads=%d", BLOCK_THREADS);
    if (here && here != run && case_fact(here, "blocks") == blocks)
        return mistake("one-device-assumed/grid");
    return mistake("wrong-grid");
}

static void judge_grid(const struct case_run *run, struct judgement *judgement)
{
    const int64_t sms = case_fact(run, "sms");
    const int64_t threads = case_fact(run, "threads");
    const int64_t blocks = case_fact(run, "blocks");
    const int64_t full = sms * (threads / BLOCK_THREADS);

    if (blocks == full)
        judge_pass(judgement, "%lld SMs of %lld threads: %lld blocks",
                   (long long)sms, (long long)threads, (long long)blocks);
    else
        judge_fail(judgement, todo_or(run, explain_grid(run)),
                   "%lld SMs of %lld threads: %lld blocks, and should be %lld",
                   (long long)sms, (long long)threads, (long long)blocks,
                   (long long)full);
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
        judge_pass(judgement, "%lld blocks, %s",
                   (long long)case_fact(run, "blocks"),
                   case_fact(run, "overlap") ? "in chunks that overlap"
                                             : "one chunk after the other");
}

/* ---- the rules ----------------------------------------------------------- */

enum { USE_BYTES = 1 << 21 };

static const struct lab_case cases[] = {
    {.name = HERE,
     .points = 10,
     .params = "what=facts device=0",
     .judge = judge_facts},
    {.name = "its compute mode",
     .points = 10,
     .params = "what=facts device=0",
     .judge = judge_mode},
    {.name = "what it can overlap",
     .points = 10,
     .params = "what=overlap",
     .judge = judge_overlap},
    {.name = GRID_HERE,
     .points = 10,
     .params = "what=grid",
     .judge = judge_grid},
    {.name = "facts of a C1060",
     .points = 5,
     .params = "what=facts device=0",
     .profile = "c1060",
     .judge = judge_facts},
    {.name = "its overlap",
     .points = 5,
     .params = "what=overlap",
     .profile = "c1060",
     .judge = judge_overlap},
    {.name = "its grid",
     .points = 5,
     .params = "what=grid",
     .profile = "c1060",
     .judge = judge_grid},
    {.name = "a grid for a C2050",
     .points = 5,
     .params = "what=grid",
     .profile = "c2050",
     .judge = judge_grid},
    {.name = "facts of an H200",
     .points = 5,
     .params = "what=facts device=0",
     .profile = "h200",
     .judge = judge_facts},
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
     .judge = judge_grid},
    {.name = "the second of two devices",
     .points = 5,
     .params = "what=facts device=1",
     .gpus = 2,
     .judge = judge_facts},
    {.name = "the report put to use",
     .points = 5,
     .params = "what=use chunks=8",
     .checked = true,
     .drawn = true,
     .needs = GRID_HERE,
     .input_bytes = USE_BYTES,
     .output_bytes = USE_BYTES,
     .compare = compare,
     .judge = judge_use},
};

static const struct lab_rules lab_01 = {
    .name = "01_meet_the_device",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
};

LAB_RULES(lab_01);
