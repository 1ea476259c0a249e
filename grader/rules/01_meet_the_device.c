/*
 * 01_meet_the_device.c: rules of lab 01. Facts, conclusions and a grid, for
 * the device at hand and for others, and what they are usually mistaken for.
 */
#include <stdio.h>
#include <string.h>

#include "cipher.h"

#define HERE        "facts of this device"
#define C1060_FACTS "facts of a C1060"
#define GRID_HERE   "a grid that fills it"

enum { BLOCK_THREADS = 256 }; /* as in lab.h */

/* ---- facts --------------------------------------------------------------- */

/* Facts, by their names in the report. What is so is a fact "true_num_sms". */
static const char *const members[] = {"num_sms",
                                      "threads_per_sm",
                                      "copy_engines",
                                      "concurrent_kernels",
                                      "unified_addressing",
                                      "compute_mode"};

static int64_t fact_of(const struct case_run *run, const char *whose,
                       const char *member)
{
    char name[40];

    snprintf(name, sizeof name, "%s_%s", whose, member);
    return case_fact(run, name);
}

/* The member that has what @member should, and the other way round. */
static const char *find_exchanged(const struct case_run *run,
                                  const char *member)
{
    for (size_t m = 0; m < sizeof members / sizeof *members; m++)
        if (case_fact(run, members[m]) == fact_of(run, "true", member) &&
            case_fact(run, member) == fact_of(run, "true", members[m]))
            return members[m];
    return NULL;
}

/* Was it right here and on a C1060, which says something else? */
static bool is_asked(const struct case_run *run, const char *member)
{
    const struct case_run *const here = case_other(run, HERE);
    const struct case_run *const old = case_other(run, C1060_FACTS);

    return here && here->ran && old && old->ran && old != run &&
           case_fact(here, member) == fact_of(here, "true", member) &&
           case_fact(old, member) == fact_of(old, "true", member) &&
           case_fact(old, member) != case_fact(here, member);
}

/* Whoever writes down what this device says is wrong about the others; whoever
 * asks the first device only, or keeps its answers, about the second. */
static struct finding explain_fact(const struct case_run *run,
                                   const char *member)
{
    const struct case_run *const here = case_other(run, HERE);
    const char *const other = find_exchanged(run, member);
    const int64_t got = case_fact(run, member);
    const struct finding found = mistake_first((struct sign[]){
        {run->evidence->first_todo > 0, NULL},
        {got == -1, "not-set"},
        {other, "members-exchanged"},
        {run->rules->gpus > 1 && got == fact_of(run, "other", member),
         "device-ignored"},
        {strcmp(member, "compute_mode") == 0, "wrong-mode"},
        {strcmp(member, "threads_per_sm") == 0 &&
             got == case_fact(run, "block_limit") &&
             case_fact(here, member) == case_fact(here, "block_limit"),
         "block-limit-for-sm"},
        {strcmp(member, "copy_engines") == 0 && got == 1, "yes-no-for-number"},
        {is_asked(run, member), "fact-changed"},
        {here && here != run && here->ran && case_fact(here, member) == got,
         "one-device-assumed"},
        {true, "wrong-fact"}});

    return mistake_with(found.id, "member=%s\nother=%s", member,
                        other ? other : "");
}

/* A wrong member says more of what is misunderstood than a device that was left
 * current, so that comes last. */
static bool ask_facts(const struct case_run *run, struct judgement *judgement)
{
    /* The mode of a device alone is a check of its own. */
    const size_t asked =
        sizeof members / sizeof *members - (run->rules->gpus < 2);

    for (size_t m = 0; m < asked; m++) {
        const char *const member = members[m];
        const int64_t truth = fact_of(run, "true", member);

        if (case_fact(run, member) == truth)
            continue;
        judge_fail(judgement, explain_fact(run, member),
                   "%s is %s, and should be %lld", member,
                   case_text(run, member), (long long)truth);
        return false;
    }
    return !case_fact(run, "moved") ||
           judge_no(run, judgement, mistake("current-device-moved"),
                    "another device is current afterwards");
}

/* A check of its own: it says who may use the device, not what it is. */
static bool ask_mode(const struct case_run *run, struct judgement *judgement)
{
    return case_fact(run, "compute_mode") ==
               case_fact(run, "true_compute_mode") ||
           judge_no(run, judgement, finding_todo_or(run, mistake("wrong-mode")),
                    "compute_mode is {compute_mode}, and should be "
                    "{true_compute_mode}");
}

/* Whoever asks the device at hand finds what is not asked for where the report
 * is of another one: no function but the first needs CUDA. */
static const struct trace_call *asks_device(const struct case_run *run)
{
    return query_call(&run->trace, "cuda*");
}

/* ---- what overlaps ------------------------------------------------------- */

/* One engine is enough for one way, two for both, and more are no harm. */
static bool ask_overlap(const struct case_run *run, struct judgement *judgement)
{
    const int64_t engines = case_fact(run, "engines");
    const int64_t one_way = case_fact(run, "one_way");
    const int64_t both_ways = case_fact(run, "both_ways");
    const struct sign signs[] = {
        {run->evidence->first_todo > 0, NULL},
        {((one_way | both_ways) & ~(int64_t)1) != 0, "not-yes-or-no"},
        SIGN_AT("report-ignored", asks_device(run)),
        {engines == 0, "no-engine"},
        {one_way != 1, "engine-overlooked"},
        {engines == 1 && both_ways, "one-engine-for-two"},
        {engines > 2 && both_ways != 1, "more-than-two"},
        {true, "wrong-overlap"}};

    if (one_way != (engines >= 1) || both_ways != (engines >= 2))
        return judge_no(run, judgement, mistake_first(signs),
                        "{engines} copy engine{engines:s}: can_overlap "
                        "{one_way}, both ways {both_ways}");
    return judge_yes(run, judgement,
                     both_ways ? "{engines} copy engine{engines:s}: "
                                 "copies both ways beside kernels"
                     : one_way ? "{engines} copy engine: a copy beside kernels"
                               : "{engines} copy engines: nothing overlaps");
}

/* What takes turns is added up; of what does not, the longest counts. Asked
 * with no engine, one and two, each with kernels that may be the limit, and
 * are. In tenths of a millisecond. */
static bool ask_least(const struct case_run *run, struct judgement *judgement)
{
    const int64_t in = (int64_t)case_param(run, "in");
    const int64_t back = (int64_t)case_param(run, "back");
    char words[32];

    for (unsigned n = 0; n < 6; n++) {
        const int64_t kernel =
            (int64_t)case_param(run, "kernel") * (n % 2 ? 4 : 1);
        const int64_t sum = in + kernel + back;
        const int64_t copies = n < 4 ? in + back : in > back ? in : back;
        const int64_t longest = kernel > copies ? kernel : copies;
        const int64_t least = n < 2 ? sum : longest;
        const int64_t got = case_numbered_fact(run, "least", n);
        const struct sign signs[] = {
            {case_is_open(run, 4), "open-todo"},
            SIGN_AT("report-ignored", asks_device(run)),
            {got == sum, "nothing-beside"},
            {got % 10 == 0 && got < least && least < got + 30,
             "wrong-least/whole"},
            {n < 2 && got >= back && got <= longest, "no-engine"},
            {n / 2 == 1 && got > kernel, "one-engine-for-two/time"},
            {n / 2 == 2 && got == in + back, "one-of-two"},
            {got < least, "wrong-least/short"},
            {true, "wrong-least"}};

        if (got == least)
            continue;
        snprintf(words, sizeof words,
                 got == INT64_MIN ? "not a number" : "%.1f", (double)got / 10);
        judge_fail(judgement, mistake_first(signs),
                   "%u copy engine%s; %.1f, %.1f and %.1f ms: %s, and should "
                   "be %.1f",
                   n / 2, n / 2 == 1 ? "" : "s", (double)in / 10,
                   (double)kernel / 10, (double)back / 10, words,
                   (double)least / 10);
        return false;
    }
    return judge_yes(run, judgement,
                     "with no copy engine, with one and with two");
}

/* ---- the grid ------------------------------------------------------------ */

/* Whole blocks on a multiprocessor: what is left of its threads is no block. */
static int64_t full_grid(const struct case_run *run)
{
    return case_fact(run, "sms") * (case_fact(run, "threads") / BLOCK_THREADS);
}

/* So many blocks for each multiprocessor as were right for this device. Some
 * other number of the report may be the same by chance. */
static bool is_as_here(const struct case_run *run)
{
    const struct case_run *const here = case_other(run, GRID_HERE);

    return here && here != run &&
           case_fact(here, "blocks") == full_grid(here) &&
           case_fact(run, "blocks") * case_fact(here, "sms") ==
               case_fact(run, "sms") * case_fact(here, "blocks");
}

/* What the blocks are, if a student mistook one number of the report for
 * another. Several devices are asked, so that no two of these agree on all. */
static struct finding explain_grid(const struct case_run *run)
{
    const struct case_run *const here = case_other(run, GRID_HERE);
    const int64_t blocks = case_fact(run, "blocks");
    const int64_t sms = case_fact(run, "sms");
    const int64_t threads = case_fact(run, "threads");
    const int64_t of_block = case_fact(run, "block_limit") / BLOCK_THREADS;
    const int64_t cores = case_fact(run, "cores_per_sm");
    const struct trace_call *const asks = asks_device(run);

    return mistake_first((struct sign[]){
        {run->evidence->first_todo > 0, NULL},
        {blocks == sms, "one-block-per-sm"},
        {blocks == sms * threads, "threads-for-blocks"},
        {blocks == threads / BLOCK_THREADS, "one-sm"},
        {is_as_here(run), "one-device-assumed/sm"},
        {blocks == sms * cores || blocks == sms * cores / BLOCK_THREADS ||
             blocks == sms * (cores / BLOCK_THREADS),
         "grid-from-cores"},
        {blocks == sms * (threads / 32), "warps-for-blocks"},
        {blocks == sms * of_block, "block-limit-for-sm/grid"},
        {blocks == sms * case_fact(run, "block_slots"), "block-slots"},
        {here != run && asks, "report-ignored", AT(asks)},
        {here && here != run && case_fact(here, "blocks") == blocks,
         "one-device-assumed/grid"},
        {true, "wrong-grid"}});
}

static bool ask_grid(const struct case_run *run, struct judgement *judgement)
{
    const int64_t full = full_grid(run);

    if (case_fact(run, "blocks") == full)
        return true;
    judge_no(run, judgement, explain_grid(run),
             "{sms} SMs with room for {threads} threads each: your grid has "
             "{blocks} blocks, and the one that fills them has ");
    text_printf(&judgement->seen, "%d", (int)full);
    return false;
}

/* ---- the rules ----------------------------------------------------------- */

static const struct case_data data = {CIPHER_ENTRIES};

#define FACTS(device)                                                          \
    .params = "what=facts device=" device, .asks = LAB_ASKS(ask_facts),        \
    .passed =                                                                  \
        "{num_sms} SMs of {threads_per_sm} threads, {copy_engines} copy "      \
        "engine{copy_engines:s}, kernels {kernels}, {spaces}"
#define OVERLAP(engines)                                                       \
    .params = "what=overlap" engines, .asks = LAB_ASKS(ask_overlap),           \
    .looked = true
#define GRID(sizes)                                                            \
    .params = "what=grid" sizes, .asks = LAB_ASKS(ask_grid), .looked = true,   \
    .passed = "{sms} SMs of {threads} threads: {blocks} blocks"

static const struct lab_case cases[] = {
    {.name = HERE, .points = 5, FACTS("0")},
    {.name = "its compute mode",
     .points = 5,
     .params = "what=facts device=0",
     .asks = LAB_ASKS(ask_mode),
     .passed = "{compute_mode}: {mode}"},
    {.name = "what it can overlap", .points = 10, OVERLAP("")},
    {.name = "the least time",
     .points = 15,
     .profile = "k20", /* so that calls are seen, on a real GPU's machine too */
     .params = "what=least in=111..199/2 kernel=211..299/2 back=311..399/2",
     .looked = true,
     .asks = LAB_ASKS(ask_least)},
    {.name = GRID_HERE, .points = 5, GRID("")},
    {.name = C1060_FACTS, .points = 5, .profile = C1060, FACTS("0")},
    {.name = "its overlap", .points = 5, .profile = C1060, OVERLAP("")},
    {.name = "its grid", .points = 5, .profile = C1060, GRID("")},
    {.name = "a grid for a C2050", .points = 5, .profile = C2050, GRID("")},
    {.name = "facts of an H200", .points = 5, .profile = H200, FACTS("0")},
    {.name = "six copy engines",
     .points = 5,
     .profile = "rtx2070mq-wddm",
     OVERLAP("")},
    {.name = "no copy engine", .points = 5, OVERLAP(" engines=0")},
    {.name = "two copy engines", .points = 5, OVERLAP(" engines=2")},
    {.name = "a grid of an invented one",
     .points = 5,
     .profile = "k20",
     GRID(" sms=17..29/2 threads=896..1920/512")},
    /* Of two kinds, which differ in all that is asked: a C2050 is exclusive,
     * and to a program of 32 bits it has two address spaces. */
    {.name = "the second of two devices",
     .points = 5,
     .profile = C2050 ":unified_addressing=0," C1060,
     .gpus = 2,
     FACTS("1")},
    {.name = "the report put to use",
     .points = 5,
     .params = "what=use chunks=8 entries=262144 iters=60",
     /* Enough for chunks to gain: less is over before the host queued it. */
     .params_cuda = "what=use chunks=8 entries=16777216 iters=400",
     .data = &data,
     .checked = true,
     .drawn = true,
     .needs = GRID_HERE,
     /* That nothing is left behind is not asked: the driver made it all. */
     .asks = LAB_ASKS(judge_right, judge_order),
     .passed = "{blocks} blocks, chunks {how}"},
};

LAB_RULES(.name = "01_meet_the_device",
          .virtual_device = "k20:sms=12..14:compute_mode=0..3/3");
