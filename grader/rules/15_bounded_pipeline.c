/*
 * 15_bounded_pipeline.c: rules of lab 15. A ring of a few slots, more chunks
 * than slots, a consumer in a host function. Here: the ring alone, a function
 * that did not return, and the table of all cases.
 */
#include <string.h>

#include "15_pipe.h"

#define CHUNK 1000 /* entries, in the cases about right results */

/* ---- the ring alone ------------------------------------------------------ */

static struct finding explain_ring(const struct case_run *run)
{
    const int64_t slots = (int64_t)case_param(run, "slots");

    if (case_todo_is_open(run))
        return finding_none();
    if (!case_fact(run, "sizes"))
        return mistake("ring-sizes");
    if (case_fact(run, "device") < slots)
        return mistake("no-device-memory");
    if (case_fact(run, "pinned") < slots && case_fact(run, "host_there"))
        return mistake("staging-pageable");
    if (case_fact(run, "pinned") < slots)
        return mistake("no-host-memory");
    if (case_fact(run, "shared") > 0)
        return mistake("slots-shared");
    if (case_fact(run, "device_room") < slots ||
        case_fact(run, "host_room") < slots)
        return mistake("slot-too-small");
    return mistake("no-events");
}

/* Memory for more chunks than there are slots? */
static bool takes_too_much(const struct case_run *run)
{
    const int64_t slots = (int64_t)case_param(run, "slots");
    const int64_t bytes = (int64_t)case_param(run, "chunk") * 8;

    return case_fact(run, "device_bytes") >= (slots + 1) * bytes;
}

static void judge_ring(const struct case_run *run, struct judgement *judgement)
{
    const int64_t slots = (int64_t)case_param(run, "slots");

    if (!case_todo_is_open(run) && takes_too_much(run)) {
        judge_fail(judgement, mistake("ring-too-large"),
                   "%lld bytes of the device for %lld slots of %lld",
                   (long long)case_fact(run, "device_bytes"), (long long)slots,
                   (long long)case_param(run, "chunk") * 8);
        return;
    }
    if (case_fact(run, "sizes") && case_fact(run, "shared") == 0 &&
        case_fact(run, "device_room") == slots &&
        case_fact(run, "host_room") == slots &&
        case_fact(run, "events") == 2 * slots) {
        if (judge_order(run, judgement) && judge_clean(run, judgement))
            judge_pass(judgement, "%lld slots, and all given back",
                       (long long)slots);
        return;
    }
    judge_fail(judgement, explain_ring(run),
               "%lld of %lld slots on the device, %lld in pinned memory, "
               "%lld of %lld events",
               (long long)case_fact(run, "device"), (long long)slots,
               (long long)case_fact(run, "pinned"),
               (long long)case_fact(run, "events"), (long long)(2 * slots));
}

/* ---- functions that did not return --------------------------------------- */

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static struct finding explain_end(const struct case_run *run)
{
    const struct api_error *const error = &run->error;
    const uint64_t chunk = case_param(run, "chunk");
    const struct case_run *const even =
        case_other(run, "fewer chunks than slots");

    if (strcmp(error->name, "cudaErrorNotPermitted") == 0)
        return mistake("cuda-in-host-function");
    if (strcmp(error->name, "cudaErrorMemoryAllocation") == 0 &&
        !case_param(run, "ring"))
        return mistake("beyond-the-ring");
    if (strcmp(error->name, "cudaErrorInvalidValue") == 0 &&
        begins(error->call, "cudaMemcpy") && pipe_entries(run) % chunk != 0 &&
        even && even->ran && even->wrong_rounds == 0)
        return mistake("tail-copy");
    return finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

#define ENTRIES(n)                                                             \
    .input_bytes = (n) * sizeof(uint64_t),                                     \
    .output_bytes = ((n) + 1) * sizeof(uint64_t)
/* A real device hands out pages of megabytes: there is no telling so few
 * entries from fewer, and filling it takes half a second. */
#define ROUND(label, worth, open, slots, streams, n)                           \
    .name = label, .points = worth, .checked = true, .needs = "the ring",      \
    .compare = pipe_compare, .judge = pipe_judge_round, ENTRIES(n),            \
    .params =                                                                  \
        "chunk=1000 left=4096 slots=" slots " streams=" streams " todo=" open, \
    .params_cuda =                                                             \
        "chunk=1000 iters=800 slots=" slots " streams=" streams " todo=" open

static const struct lab_case cases[] = {
    {.name = "the ring",
     .points = 10,
     .params = "ring=1 chunk=1000 slots=3 todo=1",
     /* A real device hands out pages of megabytes. */
     .params_cuda = "ring=1 chunk=4194304 slots=3 todo=1",
     .checked = true,
     .judge = judge_ring,
     .input_bytes = CHUNK * sizeof(uint64_t),
     .input_bytes_cuda = 4194304 * sizeof(uint64_t),
     .output_bytes = sizeof(uint64_t)},
    {ROUND("fewer chunks than slots", 15, "2", "4", "3", 2 * CHUNK)},
    {ROUND("three slots, three streams", 15, "4", "3", "3", 12 * CHUNK + 345)},
    {ROUND("three slots, two streams", 10, "4", "3", "2", 12 * CHUNK)},
    {ROUND("two slots, three streams", 5, "4", "2", "3", 11 * CHUNK + 1)},
    {ROUND("one slot", 5, "4", "1", "2", 5 * CHUNK - 1)},
    {ROUND("one entry", 3, "2", "3", "2", 1)},
    {ROUND("no entries", 2, "2", "3", "2", 0)},
    {.name = "fast",
     .points = 30,
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = "three slots, three streams",
     .compare = pipe_compare,
     .judge = pipe_judge_fast,
     .params =
         "timed=1 chunk=32768 left=65536 slots=3 streams=4 most_iters=400 "
         "todo=4",
     .params_cuda = "timed=1 chunk=524288 left=67108864 slots=3 streams=4 "
                    "most_iters=5000 todo=4",
     ENTRIES(20 * 32768 - 1000),
     .input_bytes_cuda = (64 * 524288ull - 1000) * sizeof(uint64_t),
     .output_bytes_cuda = (64 * 524288ull) * sizeof(uint64_t)},
};

static const struct lab_rules lab_15 = {
    .name = "15_bounded_pipeline",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .baseline = "one chunk after the other",
    .explain_end = explain_end,
};

LAB_RULES(lab_15);
