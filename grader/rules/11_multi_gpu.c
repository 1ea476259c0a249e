/*
 * 11_multi_gpu.c: rules of lab 11. One host thread and several GPUs: the parts
 * of the data, memory for them, one run of all GPUs, what is left as it was,
 * and what several GPUs gain over one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "11_multi.h"
#include "cipher.h"
#include "number.h"

/* Names of cases that other code asks for. */
#define SPLIT  "parts"
#define MEMORY "memory"
#define EVEN   "equal parts"
#define UNEVEN "uneven parts"
#define FEW    "fewer entries than GPUs"
#define AGAIN  "called again"
#define LARGE  "large"

/* ---- some of the GPUs ---------------------------------------------------- */

unsigned multi_gpus(const struct case_run *run)
{
    return (unsigned)case_fact(run, "gpus");
}

static bool is_one(unsigned set)
{
    return (set & (set - 1)) == 0;
}

struct finding multi_with_gpus(struct finding found, unsigned set)
{
    const size_t length = strlen(found.values);
    const char *before = " ";
    struct text words = {0};

    for (unsigned g = 0; g < MULTI_MOST_GPUS; g++)
        if (set >> g & 1) {
            text_printf(&words, "%s%u", before, g);
            before = is_one(set >> g >> 1) ? " and " : ", ";
        }
    snprintf(found.values + length, sizeof found.values - length,
             "%swhich_gpus=%s%s", length > 0 ? "\n" : "",
             is_one(set) ? "GPU" : "GPUs", text_string(&words));
    text_free(&words);
    return found;
}

/* ---- parts --------------------------------------------------------------- */

/* The parts of one number of entries on one number of GPUs. */
struct split {
    uint64_t n, gpus;
    const uint64_t *pairs; /* lower and width of each */
};

/* Of the parameters n0= g0= n1= g1= ... */
static struct split split_of(const struct case_run *run, unsigned i)
{
    char n[16], g[16];

    snprintf(n, sizeof n, "n%u", i);
    snprintf(g, sizeof g, "g%u", i);
    return (struct split){case_param(run, n), case_param(run, g), NULL};
}

static uint64_t count_parts(const struct case_run *run)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < case_param(run, "sizes"); i++)
        count += split_of(run, i).gpus;
    return count;
}

/* @gpu: whose part it is; @count: of the entries that it is about. */
static struct finding split_mistake(const char *name, const struct split *split,
                                    uint64_t gpu, uint64_t count)
{
    return mistake_with(name,
                        "entries=%" PRIu64 "\ngpus=%" PRIu64 "\ngpu=%" PRIu64
                        "\ncount=%" PRIu64 "\nfair=%" PRIu64,
                        split->n, split->gpus, gpu, count,
                        div_up(split->n, split->gpus));
}

static bool is_floor(const struct split *split)
{
    for (uint64_t g = 0; g < split->gpus; g++)
        if (split->pairs[2 * g + 1] != split->n / split->gpus)
            return false;
    return split->n % split->gpus != 0;
}

/* Each part must end before the last entry: only then can it be counted. */
static struct finding explain_width(const struct split *split)
{
    for (uint64_t g = 0; g < split->gpus; g++) {
        const uint64_t lower = split->pairs[2 * g];
        const uint64_t width = split->pairs[2 * g + 1];

        if (width > UINT64_MAX / 2)
            return split_mistake("width-underflow", split, g, width);
        if (width > 0 && (lower > split->n || width > split->n - lower))
            return split_mistake("part-too-long/width", split, g, width);
    }
    return finding_none();
}

/* Each entry must be in one part: @times counts in how many it is. */
static struct finding explain_cover(const struct split *split,
                                    unsigned char *times)
{
    uint64_t left = 0, twice = 0, longest = 0, owner = 0;

    for (uint64_t g = 0; g < split->gpus; g++) {
        const uint64_t lower = split->pairs[2 * g];
        const uint64_t width = split->pairs[2 * g + 1];

        for (uint64_t i = 0; i < width; i++)
            times[lower + i] += times[lower + i] < 2;
        if (width > longest) {
            longest = width;
            owner = g;
        }
    }
    for (uint64_t i = 0; i < split->n; i++) {
        left += times[i] == 0;
        twice += times[i] > 1;
    }
    if (left > 0)
        return split_mistake(is_floor(split) ? "floor-division"
                                             : "entries-left-out",
                             split, 0, left);
    if (twice > 0)
        return split_mistake("parts-overlap", split, 0, twice);
    if (longest > div_up(split->n, split->gpus))
        return split_mistake("unbalanced", split, owner, longest);
    return finding_none();
}

static struct finding explain_split(const struct split *split)
{
    unsigned char *const times = calloc(split->n + 1, 1);
    struct finding found = explain_width(split);

    if (times && !found.id)
        found = explain_cover(split, times);
    free(times);
    return found;
}

static void judge_parts(const struct case_run *run, struct judgement *judgement)
{
    const uint64_t *pairs = run->output;

    for (unsigned i = 0; i < case_param(run, "sizes"); i++) {
        struct split split = split_of(run, i);
        struct finding found;

        split.pairs = pairs;
        pairs += 2 * split.gpus;
        found = explain_split(&split);
        if (!found.id)
            continue;
        judge_no(run, judgement, found,
                 "{entries} entries on {gpus} GPUs: not each entry once, or "
                 "not evenly");
        if (case_is_open(run, 1))
            judgement->finding = finding_open_todo(run->evidence);
        return;
    }
    judge_yes(run, judgement, "{sizes} sizes, each entry in one part");
}

/* ---- memory -------------------------------------------------------------- */

static bool is_on_one(const struct case_run *run)
{
    for (unsigned g = 1; g < multi_gpus(run); g++)
        if (case_numbered_fact(run, "device", g) !=
            case_numbered_fact(run, "device", 0))
            return false;
    return true;
}

/* Which GPUs' memory is not there, is elsewhere, is too small? */
static struct finding explain_memory(const struct case_run *run)
{
    const unsigned gpus = multi_gpus(run);
    unsigned none = 0, wrong = 0, small = 0;

    for (unsigned g = 0; g < gpus; g++) {
        const int64_t device = case_numbered_fact(run, "device", g);

        none |= (unsigned)(device < 0) << g;
        wrong |= (unsigned)(device >= 0 && device != g) << g;
        small |= (unsigned)(device == g && !case_numbered_fact(run, "room", g))
                 << g;
    }
    if (none == (1u << gpus) - 1 && case_is_open(run, 2))
        return finding_open_todo(run->evidence);
    if (none)
        return mistake("no-memory");
    if (case_fact(run, "beyond") > 0)
        return mistake("too-many-gpus");
    if (wrong)
        return multi_with_gpus(is_on_one(run) ? mistake("all-on-one-gpu")
                                              : mistake("wrong-gpu"),
                               wrong);
    return small ? mistake("memory-too-small") : finding_none();
}

static void judge_memory(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct finding found = explain_memory(run);

    if (found.id)
        judge_no(run, judgement, found, "not on each GPU for its own part");
    else
        judge_row(run, judgement);
}

static void judge_given_back(const struct case_run *run,
                             struct judgement *judgement)
{
    const struct case_run *const memory = case_other(run, MEMORY);
    const unsigned gpus = multi_gpus(memory);
    struct finding found;
    unsigned left = 0;

    for (unsigned g = 0; g < gpus; g++)
        left |= (unsigned)(case_numbered_fact(memory, "left", g) != 0) << g;
    if (left == 0) {
        judge_yes(memory, judgement, "on all {gpus} GPUs");
        return;
    }
    found = mistake(left == (1u << gpus) - 1 ? "leak/all-gpus"
                                             : "leak-on-some-gpus");
    found = multi_with_gpus(found, left);
    judge_no(run, judgement, found, "not on {which_gpus}");
    if (case_is_open(run, 3))
        judgement->finding = finding_open_todo(run->evidence);
}

/* ---- judged from what others saw ----------------------------------------- */

static const char *const jobs[] = {MEMORY, EVEN, UNEVEN, FEW, AGAIN};
enum { JOBS = sizeof jobs / sizeof *jobs };

static void judge_current(const struct case_run *run,
                          struct judgement *judgement)
{
    for (size_t i = 0; i < JOBS; i++) {
        const struct case_run *const job = case_other(run, jobs[i]);
        const char *const by = job ? case_text(job, "changed_by") : "";
        struct finding found;

        if (by[0] == '\0')
            continue;
        found = mistake_with(
            case_fact(job, "changed_to") == 0 ? "device-0-assumed"
                                              : "device-changed",
            "by=%s\nfrom=%s\nto=%s", by, case_text(job, "changed_from"),
            case_text(job, "changed_to"));
        judge_no(run, judgement, found,
                 "{by}: GPU {from} before, GPU {to} after");
        if (case_is_open(run, 6))
            judgement->finding = finding_open_todo(run->evidence);
        return;
    }
    judge_yes(run, judgement, "the same before and after each call");
}

static void judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    for (size_t i = 0; i < JOBS; i++) {
        const struct case_run *const job = case_other(run, jobs[i]);

        if (!job || !job->ran || judge_clean(job, judgement))
            continue;
        if (!judgement->finding.id &&
            checked_find(&job->virtual_run->checked, "warning", "text",
                         "is launched into a stream of device", NULL))
            judgement->finding = mistake("stream-of-another-gpu");
        return;
    }
    judge_yes(run, judgement, "no error left, no leak");
}

/* ---- fast ---------------------------------------------------------------- */

static struct finding explain_copies(const struct trace *trace, uint64_t bytes)
{
    const struct query in = {.kinds = QUERY_KIND(TRACE_KIND_H2D)};
    const struct query back = {.kinds = QUERY_KIND(TRACE_KIND_D2H)};
    const struct query pageable = {.kinds = QUERY_COPIES,
                                   .mems = QUERY_MEM(TRACE_MEM_PAGEABLE)};
    const struct query between = {.kinds = QUERY_KIND(TRACE_KIND_PEER)};
    const struct trace_call *const blocking =
        query_next_call(trace, "cudaMemcpy", NULL);

    if (query_count(trace, &between) > 0)
        return mistake("through-another-gpu");
    if (blocking)
        return mistake_at("blocking-copy", blocking->at);
    if (query_count(trace, &pageable) > 0)
        return mistake("pageable-memory");
    if (query_bytes(trace, &in) > bytes * 3 / 2 ||
        query_bytes(trace, &back) > bytes * 3 / 2)
        return mistake("whole-array/copies");
    return finding_none();
}

/* A GPU that computes, and whose copies are all in the queues of others. The
 * order is right, since such a copy waits in the queues of both. */
static bool has_other_queues(const struct trace *trace, unsigned gpus,
                             enum trace_kind kind)
{
    for (unsigned g = 0; g < gpus; g++) {
        const struct query kernels = {.kinds = QUERY_KIND(TRACE_KIND_KERNEL),
                                      .one_device = true,
                                      .device = g};
        const struct query copies = {
            .kinds = QUERY_KIND(kind), .one_device = true, .device = g};

        if (query_count(trace, &kernels) > 0 &&
            query_count(trace, &copies) == 0)
            return true;
    }
    return false;
}

/* What the case of equal parts shows: there the checker was looking. */
static struct finding explain_slow(const struct case_run *run, enum ask failed)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct trace *const trace = case_trace(even);
    const struct trace_call *wait;
    struct finding found;

    if (failed != ASK_SPEED || trace == NULL)
        return finding_none();
    found =
        explain_copies(trace, case_param(even, "entries") * sizeof(uint64_t));
    if (found.id)
        return found;
    if (has_other_queues(trace, multi_gpus(even), TRACE_KIND_H2D))
        return mistake("queue-of-another-gpu");
    if (has_other_queues(trace, multi_gpus(even), TRACE_KIND_D2H))
        return mistake("queue-of-another-gpu/back");
    wait = query_wait(trace, true);
    if (wait)
        return mistake_at("sync-in-loop", wait->at);
    if (query_calls(trace, "cudaMalloc*") + query_calls(trace, "cudaFree*") > 0)
        return mistake("allocates-each-time");
    return finding_none();
}

/* ---- a function that did not return -------------------------------------- */

static bool is_job(const struct case_run *run, const char *job)
{
    return strstr(run->params, job) != NULL;
}

/* Has a copy reached a GPU before the error? A run that ended has a trace only
 * where it was under the checker. */
static bool is_under_way(const struct case_run *run)
{
    const struct query copies = {.kinds = QUERY_COPIES};

    return run->traced && query_count(&run->trace, &copies) > 0;
}

static struct finding explain_outside(const struct case_run *run,
                                      const char *at)
{
    return mistake_at(!case_is(run, EVEN) ? "part-too-long"
                      : is_under_way(run) ? "global-offset"
                                          : "outside-the-part",
                      at);
}

static struct finding explain_fault(const struct case_run *run)
{
    const char *const fault = text_string(&run->fault);

    if (strstr(fault, "without peer access"))
        return mistake("wrong-gpu-launch");
    if (strstr(fault, "past the end") || strstr(fault, "no memory"))
        return explain_outside(run, "decrypt_gpu");
    return mistake("illegal-address");
}

static struct finding explain_end(const struct case_run *run)
{
    const char *const invalid = "cudaErrorInvalidValue";

    if (case_failed(run, NULL, "cudaErrorIllegalAddress") ||
        strcmp(run->late, "cudaErrorIllegalAddress") == 0)
        return explain_fault(run);
    if (case_failed(run, NULL, "cudaErrorInvalidDevice"))
        return mistake("no-such-gpu");
    /* CUDA 13 on an H200 says InvalidValue to a launch of 0 blocks. */
    if (case_failed(run, NULL, "cudaErrorInvalidConfiguration") ||
        case_failed(run, "cudaGetLastError", invalid) ||
        case_failed(run, "cudaPeekAtLastError", invalid))
        return mistake("empty-launch");
    if (case_failed(run, "cudaFree*", NULL) && is_job(run, "job=memory"))
        return mistake("free-mismatch");
    if (case_failed(run, "cudaMemcpy*", invalid) && is_job(run, "job=decrypt"))
        return explain_outside(run, run->error.at);
    return finding_end(run);
}

/* ---- the rules ----------------------------------------------------------- */

static const struct case_data pairs = {
    .outputs = 2, .count = count_parts, .entry_bytes = sizeof(uint64_t)};
static const struct case_data host_in = {.inputs = 1};
/* The host's entries, then those of the GPUs. */
static const struct case_data job = {.inputs = 2,
                                     .outputs = 2,
                                     .compare = cipher_compare_job,
                                     .work = case_cipher_work};
static const struct case_data large = {.inputs = 1,
                                       .outputs = 1,
                                       .compare = cipher_compare_large,
                                       .work = case_cipher_work};

#define JOB                                                                    \
    .data = &job, .checked = true, .asks = ASK_RIGHT | ASK_ORDER,              \
    .explain = multi_explain_job, .also = multi_is_by_all,                     \
    .passed = "{entries} entries on {gpus} GPU{gpus:s}{no_hazard}"

static const struct lab_case cases[] = {
    {.name = SPLIT,
     .points = 10,
     .params = "job=parts sizes=9 n0=12 g0=3 n1=10 g1=3 n2=10 g2=7 n3=10007 "
               "g3=4 n4=5 g4=4 n5=3 g5=8 n6=1 g6=2 n7=7 g7=1 n8=0 g8=3",
     .data = &pairs,
     .judge = judge_parts},
    {.name = MEMORY,
     .points = 10,
     .params = "job=memory entries=10007 use=3",
     .data = &host_in,
     .gpus = 4,
     .gpus_needed = 2,
     .checked = true,
     .needs = SPLIT,
     .judge = judge_memory,
     .asks = ASK_ORDER,
     .passed = "on each of {gpus} GPUs for its part"},
    {.name = "memory given back",
     .points = 5,
     .params = "job=none",
     .needs = MEMORY,
     .judge = judge_given_back},
    {JOB, .name = EVEN, /* 9240 divides by 1 to 8 */
     .points = 15, .params = "job=decrypt entries=9240 use=4 iters=12",
     .gpus = 4, .gpus_needed = 2, .needs = MEMORY},
    {JOB, .name = UNEVEN, .points = 5,
     .params = "job=decrypt entries=10007 use=3 iters=12", .gpus = 4,
     .gpus_needed = 2, .needs = EVEN},
    {JOB, .name = FEW, .points = 5,
     .params = "job=decrypt entries=10 use=7 iters=12", .gpus = 7,
     .needs = EVEN},
    {JOB, .name = "one GPU", .points = 5,
     .params = "job=decrypt entries=1000 use=1 iters=12", .needs = EVEN},
    {JOB, .name = AGAIN, .points = 5,
     .params = "job=decrypt entries=3001 use=3 iters=12 current=1 again=1",
     .gpus = 4, .gpus_needed = 2, .needs = EVEN},
    {.name = "current device",
     .points = 5,
     .params = "job=none",
     .needs = EVEN,
     .judge = judge_current},
    {.name = "clean",
     .points = 5,
     .params = "job=none",
     .needs = EVEN,
     .judge = judge_tidy},
    /* Half a million entries for each virtual GPU, behind a slow link: the
     * copies take much longer than the calls that queue them. Few rounds, for
     * it is the processor that runs them. */
    {.name = LARGE,
     .points = 5,
     .params = "job=large entries=2097147 rounds=60",
     .params_cuda = "job=large entries=33554427",
     .data = &large,
     .gpus = 4,
     .gpus_needed = 2,
     .drawn = true,
     .needs = EVEN,
     .seconds = 60,
     .asks = ASK_RIGHT,
     .passed = "one GPU {one_ns:ms} ms, {gpus} GPUs {student_ns:ms} ms; all at "
               "once: copy in {h2d_ns:ms}, kernel {kernel_ns:ms}, copy back "
               "{d2h_ns:ms} ms"},
    {.name = "fast",
     .points = 20,
     .needs = LARGE,
     .of = LAB_CASES(LARGE),
     .asks = ASK_ALSO,
     .speed = {"one_ns", "student_ns", "h2d_ns+kernel_ns+d2h_ns",
               "h2d_ns|d2h_ns", .eta_needed = 0.80},
     .explain = explain_slow},
};

LAB_RULES(.name = "11_multi_gpu", .baseline = "one GPU",
          .explain_end = explain_end);
