/*
 * 11_multi_gpu.c: rules of lab 11. One host thread and several GPUs: the parts
 * of the data, memory for them, one run of all GPUs entry by entry, what is
 * left as it was, and what several GPUs gain over one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cipher.h"
#include "number.h"

/* Names of cases that other code asks for. */
#define SPLIT  "parts"
#define MEMORY "memory"
#define EVEN   "equal parts"
#define UNEVEN "uneven parts"
#define FEW    "fewer entries than GPUs"
#define ONE    "one GPU"
#define AGAIN  "called again"
#define LARGE  "large"

enum { MOST_GPUS = 8 };

/* ---- some of the GPUs ---------------------------------------------------- */

/* The GPUs that a case ran on, as the driver reported; a bit for each. */
static unsigned all_gpus(const struct case_run *run)
{
    return (1u << case_fact(run, "gpus")) - 1;
}

static bool is_one(unsigned set)
{
    return (set & (set - 1)) == 0;
}

/* The same mistake with {which_gpus}, "GPU 3" or "GPUs 0, 1 and 2". */
static struct finding with_gpus(struct finding found, unsigned set)
{
    const char *before = is_one(set) ? "GPU " : "GPUs ";
    OWNED_TEXT words = {0};

    for (unsigned g = 0; g < MOST_GPUS; g++)
        if (set >> g & 1) {
            text_printf(&words, "%s%u", before, g);
            before = is_one(set >> g >> 1) ? " and " : ", ";
        }
    found = mistake_with(found.id, "which_gpus=%s\n%s", text_string(&words),
                         found.values);
    return found;
}

/* What is wrong where nothing is written yet is no mistake. */
static struct finding todo_or(const struct case_run *run, int todo,
                              struct finding finding)
{
    return case_is_open(run, todo) ? finding_todo_or(run, finding_none())
                                   : finding;
}

/* ---- parts --------------------------------------------------------------- */

/* Of the row that is judged: the parts of n entries on so many GPUs. */
struct split {
    uint64_t n, gpus;
    struct {
        uint64_t lower, width;
    } part[MOST_GPUS];
};

static struct split split_of(const struct case_run *run)
{
    struct split split = {.n = fact(run, "entries"), .gpus = fact(run, "gpus")};

    for (unsigned g = 0; g < split.gpus; g++) {
        const unsigned i = (unsigned)run->row * MOST_GPUS + g;

        split.part[g].lower = (uint64_t)case_numbered_fact(run, "lower", i);
        split.part[g].width = (uint64_t)case_numbered_fact(run, "width", i);
    }
    return split;
}

/* In how many parts is an entry? Ahead of a part, the difference is huge. */
static unsigned count_parts_with(const struct split *split, uint64_t entry)
{
    unsigned count = 0;

    for (uint64_t g = 0; g < split->gpus; g++)
        count += entry - split->part[g].lower < split->part[g].width;
    return count;
}

/* Each part must end before the last entry: only then can it be counted. */
static struct finding explain_widths(const struct split *split)
{
    for (uint64_t g = 0; g < split->gpus; g++) {
        const uint64_t lower = split->part[g].lower;
        const uint64_t width = split->part[g].width;

        if (width > UINT64_MAX / 2)
            return mistake_with("width-underflow", "gpu=%" PRIu64, g);
        if (width > 0 && (lower > split->n || width > split->n - lower))
            return mistake_with("part-too-long/width", "gpu=%" PRIu64, g);
    }
    return finding_none();
}

/* Each entry must be in one part, whatever the order of the parts; and none may
 * be longer than it needs to be. What is left out by a division that is rounded
 * down is its remainder. More than 32 bits hold come last, and are too many to
 * look at each: there no part may begin in another one. */
static struct finding explain_cover(const struct split *split)
{
    const uint64_t n = split->n, fair = div_up(n, split->gpus);
    uint64_t left = 0, twice = 0, sum = 0, owner = 0, longest, count;
    struct finding found;

    for (uint64_t i = 0; i < n && n <= UINT32_MAX; i++) {
        left += count_parts_with(split, i) == 0;
        twice += count_parts_with(split, i) > 1;
    }
    for (uint64_t g = 0; g < split->gpus; g++) {
        sum += split->part[g].width;
        twice += n > UINT32_MAX && split->part[g].width > 0 &&
                 count_parts_with(split, split->part[g].lower) > 1;
        if (split->part[g].width > split->part[owner].width)
            owner = g;
    }
    longest = split->part[owner].width;
    count = left > 0 ? left : twice > 0 ? twice : longest;
    found = mistake_first((struct sign[]){
        {n > UINT32_MAX && (sum != n || twice > 0), "too-narrow"},
        {left > 0 && left == n % split->gpus && !count_parts_with(split, n - 1),
         "floor-division"},
        {left > 0, "entries-left-out"},
        {twice > 0, "parts-overlap"},
        {longest > fair, "unbalanced"}});
    return mistake_with(found.id,
                        "gpu=%" PRIu64 "\ncount=%" PRIu64 "\nfair=%" PRIu64,
                        owner, count, fair);
}

static bool are_parts_right(const struct case_run *run,
                            struct judgement *judgement)
{
    const struct split split = split_of(run);
    struct finding found = explain_widths(&split);

    if (!found.id)
        found = explain_cover(&split);
    else if (split.n > UINT32_MAX)
        found = mistake("too-narrow");
    return !found.id ||
           judge_no(run, judgement, todo_or(run, 1, found),
                    "{entries} entries on {gpus} GPUs: not each entry once, or "
                    "not evenly");
}

/* ---- memory -------------------------------------------------------------- */

/* GPUs whose letter in @on says that their memory is another GPU's. */
static unsigned find_elsewhere(const char *on)
{
    unsigned set = 0;

    for (unsigned g = 0; on[g]; g++)
        set |=
            (unsigned)(on[g] >= '0' && on[g] <= '9' && on[g] != (char)('0' + g))
            << g;
    return set;
}

/* The driver's letters, "0-2<": see driver_memory_home(). Memory that is not
 * there at all comes first: what the others are says nothing then. */
static bool is_memory_right(const struct case_run *run,
                            struct judgement *judgement)
{
    const char *const on = case_text(run, "memory_on");
    const size_t gpus = strlen(on);
    const unsigned elsewhere = find_elsewhere(on);
    const bool on_one = strspn(on, (const char[]){on[0], '\0'}) == gpus;
    struct finding found = mistake_first((struct sign[]){
        {strpbrk(on, "-h"), "no-memory"},
        {case_fact(run, "beyond") > 0, "too-many-gpus"},
        {elsewhere && on_one, "all-on-one-gpu"},
        {elsewhere, "wrong-gpu"},
        {strchr(on, '<'), "memory-too-small"},
        {cipher_takes_too_much(run), "whole-array-on-each-gpu"}});

    if (!found.id)
        return true;
    found = mistake_with(found.id, "gpu=%c", on[0]);
    found = strspn(on, "-h") == gpus ? todo_or(run, 2, found)
                                     : with_gpus(found, elsewhere);
    return judge_no(run, judgement, found, "not on each GPU for its own part");
}

/* Most often it is the loop that is missing: then one GPU's is given back. */
static bool is_given_back(const struct case_run *memory,
                          struct judgement *judgement)
{
    const unsigned left = (unsigned)case_fact(memory, "left");
    const bool none = left == all_gpus(memory);
    struct finding found =
        mistake(none ? "leak/all-gpus" : "leak-on-some-gpus");

    if (left == 0)
        return true;
    judge_no(memory, judgement, with_gpus(found, left), "not on {which_gpus}");
    judgement->finding = todo_or(memory, 3, judgement->finding);
    return false;
}

/* ---- what each call leaves ----------------------------------------------- */

/* The driver sets the device back after each function, so that the first one to
 * change it is to blame, and no other. */
static bool is_device_kept(const struct case_run *run,
                           struct judgement *judgement)
{
    const bool to_0 = case_fact(run, "changed_to") == 0;
    const struct finding found =
        mistake(to_0 ? "device-0-assumed" : "device-changed");

    return !case_has(run, "changed_by") ||
           judge_no(run, judgement, todo_or(run, 6, found),
                    "{changed_by}: GPU {changed_from} before, GPU {changed_to} "
                    "after");
}

/* ---- the wait ------------------------------------------------------------ */

/* GPUs whose parts were still encrypted when the grader read them: the virtual
 * GPU runs what nothing waits for as late as it may. */
static unsigned not_waited(const struct case_run *seen)
{
    const uint64_t *const input = seen->input, *const output = seen->output;
    const uint64_t n = case_param(seen, "entries");
    unsigned set = 0;

    for (unsigned g = 0; all_gpus(seen) >> g; g++) {
        const uint64_t lower = (uint64_t)case_numbered_fact(seen, "lower", g);

        if (case_numbered_fact(seen, "width", g) > 0 && lower < n &&
            output[lower] == input[lower])
            set |= 1u << g;
    }
    return set;
}

/* cudaDeviceSynchronize waits for the current device: who calls it once, or in
 * a loop without cudaSetDevice, has waited for one GPU and is right by luck
 * where the others were quicker. */
static struct finding explain_wait(const struct case_run *run)
{
    static const char name[] = "cudaDeviceSynchronize";
    const struct trace *const trace = case_trace(run);
    const unsigned waits = query_calls(trace, name);
    const unsigned set = not_waited(run->virtual_run);
    const int only = trace_only_waited(trace, name);
    struct finding found;

    if (set == all_gpus(run))
        return todo_or(run, 5, mistake("no-final-sync"));
    found = mistake_first((struct sign[]){
        {only >= 0 && waits > 1, "same-gpu-waited"},
        {only >= 0, "one-gpu-waited"},
        {set, "partial-sync"},
        {true, "partial-sync/somewhere"},
    });
    return with_gpus(mistake_with(found.id, "gpu=%d\nwaits=%u", only, waits),
                     set);
}

/* ---- wrong entries ------------------------------------------------------- */

/* What is wrong is on no GPU: most often it is the end of the array. */
static struct finding explain_left_out(const struct chunks_left *left,
                                       uint64_t n, uint64_t part)
{
    const struct cells *const host = &left->host;
    const uint64_t first = host->first[CELL_CIPHER];

    if (host->wrong != host->count[CELL_CIPHER] || host->wrong == 0 ||
        host->wrong == n ||
        !cells_all(&left->device, CELL_UNTOUCHED, host->wrong))
        return finding_none();
    return mistake(host->last[CELL_CIPHER] + 1 < n ? "gpus-left-out"
                   : first == part                 ? "only-gpu-0"
                   : n - first <= part             ? "last-gpu-left-out"
                                                   : "gpus-left-out");
}

/* Half as much again as there is: not each GPU its own part. */
static bool copies_too_much(const struct case_run *run, uint64_t bytes)
{
    return bytes > case_param(run, "entries") * sizeof(uint64_t) * 3 / 2;
}

/* One GPU copies in what is another one's part, and copied back by that: a
 * hazard of the two copies. */
static struct finding explain_copies_meet(const struct case_run *run)
{
    const uint64_t bytes = query_bytes(case_trace(run), QUERY_IN);

    if (!cipher_has_hazard(run, DONE_BY(d2h), DONE_BY(h2d)))
        return finding_none();
    return mistake(copies_too_much(run, bytes)
                       ? "whole-array"
                       : "copy-in-host-offset/copies-meet");
}

/* What one GPU alone could have got wrong as well, chunks.h knows: each GPU has
 * one chunk. */
static struct finding explain_wrong(const struct case_run *run)
{
    const uint64_t n = case_param(run, "entries");
    const uint64_t gpus = max_u64(fact(run, "gpus"), 1);
    struct chunks_left left = {.pending = run->pending};
    struct trace_facts facts;
    const struct chunks chunks = {.entries = n,
                                  .streams = gpus,
                                  .trace = &facts,
                                  .trace_entries = n,
                                  .trace_streams = gpus};
    struct finding found;

    if (!cipher_compare_cells(run, &left.host, &left.device))
        return finding_none();
    trace_facts_take(&facts, case_trace(run));
    found = explain_left_out(&left, n, div_up(n, gpus));
    if (!found.id && !cells_all(&left.device, CELL_RIGHT, n))
        found = explain_copies_meet(run);
    if (!found.id)
        found = cipher_explain_again(run, chunks_explain_wrong(&chunks, &left));
    return finding_is(&found, "nothing-done") ? todo_or(run, 4, found) : found;
}

/* Entries that the grader itself read too early are no matter of places. */
static struct finding explain_job(const struct case_run *run, enum ask failed)
{
    struct finding found;

    if (case_checked(run)->by_driver)
        return explain_wait(run);
    if (failed == ASK_RIGHT)
        return explain_wrong(run);
    found = explain_copies_meet(run);
    if (!found.id && case_checked(run)->hazards > 0)
        found = mistake("hazard");
    return found;
}

/* The entries are right. Were they decrypted on all GPUs? Of few entries, some
 * may have none; that there was no kernel is another mistake. */
static bool is_by_all(const struct case_run *run, struct judgement *judgement)
{
    const unsigned used = query_devices(case_trace(run), QUERY_KERNELS);

    return used == 0 || used >= fact(run, "gpus") ||
           case_param(run, "entries") < 100 ||
           judge_no(run, judgement, mistake_with("one-gpu", "used=%u", used),
                    "right, but not by all GPUs");
}

/* ---- fast ---------------------------------------------------------------- */

/* What the case of equal parts shows: there the checker was looking. First what
 * holds the host, since no order of the calls helps against it. */
static struct finding explain_slow(const struct case_run *run, enum ask failed)
{
    const struct case_run *const even = case_other(run, EVEN);
    const struct trace *const trace = case_trace(even);
    const unsigned used = query_devices(trace, QUERY_KERNELS);
    struct trace_facts facts;

    if (failed != ASK_SPEED || trace == NULL)
        return finding_none();
    trace_facts_take(&facts, trace);
    return mistake_first((struct sign[]){
        {query_first(trace, QUERY_PEER), "through-another-gpu"},
        SIGN_AT("blocking-copy", query_call(trace, "cudaMemcpy")),
        {facts.pageable > 0, "pageable-memory"},
        {copies_too_much(even, max_u64(facts.in.bytes, facts.back.bytes)),
         "whole-array/copies"},
        /* Some GPU's copies are in the queues of others. The order is right,
         * since such a copy waits in the queues of both. */
        {query_devices(trace, QUERY_IN) < used, "queue-of-another-gpu"},
        {query_devices(trace, QUERY_BACK) < used, "queue-of-another-gpu/back"},
        {facts.waits_between > 0, "sync-in-loop", facts.wait_at},
        SIGN_AT("few-threads", facts.few_threads)});
}

/* ---- a function that did not return -------------------------------------- */

/* Whether a copy reached a GPU before the error tells which offset it was. Of a
 * kernel nothing tells whether it began or ended beyond its part. */
static struct finding explain_end(const struct case_run *run)
{
    const bool illegal = chunks_is_illegal_address(run);
    const bool kernel =
        illegal && case_reported(run, REPORTED(past_end) | REPORTED(no_buffer));
    const bool copy = !illegal && case_param(run, "iters") > 0 &&
                      case_failed(run, "cudaMemcpy*", "InvalidValue");
    const bool outside = kernel || copy;
    const struct trace *const trace = run->traced ? &run->trace : NULL;
    const bool under_way = copy && query_first(trace, QUERY_COPIES) != NULL;
    const char *const at = kernel ? "decrypt_gpu" : run->error.at;
    const struct trace_call *call = NULL;
    bool beyond = false;

    while ((call = query_next_call(trace, "cudaMemcpy*", call)) != NULL)
        beyond |= call->device >= case_param(run, "use");
    return mistake_first((struct sign[]){
        {illegal && case_reported(run, REPORTED(no_peer_access)),
         "wrong-gpu-launch"},
        {outside && beyond, "too-many-gpus/work", at},
        {outside && !case_is(run, EVEN), "part-too-long", at},
        {under_way, "global-offset", at},
        {outside, "outside-the-part", at},
        {illegal, "illegal-address"},
        {case_failed(run, NULL, "InvalidDevice"), "no-such-gpu"},
        {case_failed(run, "cudaEvent*", "InvalidResourceHandle"),
         "event-of-another-gpu"},
        {chunks_is_empty_launch(run), "empty-launch"}});
}

/* ---- the rules ----------------------------------------------------------- */

#define JOB                                                                    \
    .data = &cipher_job_data, .checked = true,                                 \
    .asks = LAB_ASKS(judge_right, judge_order, is_by_all),                     \
    .explain = explain_job,                                                    \
    .passed = "{entries} entries on {gpus} GPU{gpus:s}{no_hazard}"

static const struct lab_case cases[] = {
    {.name = SPLIT,
     .points = 10,
     .params = "job=parts unknown=2001..2999",
     .asks = LAB_ASKS(are_parts_right),
     .passed = "{rows} sizes, each entry in one part"},
    {.name = MEMORY,
     .points = 10,
     .params = "job=memory entries=3145733 use=3 current=3",
     .gpus = 4,
     .gpus_needed = 2,
     .checked = true,
     .needs = SPLIT,
     .asks = LAB_ASKS(judge_order, is_memory_right),
     .passed = "on each of {gpus} GPUs for its part"},
    {.name = "memory given back",
     .points = 5,
     .of = LAB_CASES(MEMORY),
     .asks = LAB_ASKS(is_given_back),
     .passed = "on all {gpus} GPUs"},
    {JOB, .name = EVEN, /* 9240 divides by 1 to 8 */
     .points = 15, .params = "job=decrypt entries=9240 use=4 iters=12",
     .gpus = 4, .gpus_needed = 2, .needs = MEMORY},
    {JOB, .name = UNEVEN, .points = 5,
     .params = "job=decrypt entries=10007 use=3 iters=12", .gpus = 4,
     .gpus_needed = 2, .needs = EVEN},
    {JOB, .name = FEW, .points = 5,
     .params = "job=decrypt entries=10 use=7 iters=12", .gpus = 7,
     .needs = EVEN},
    {JOB, .name = ONE, .points = 5, /* and another one is current */
     .params = "job=decrypt entries=1000 use=1 iters=12 current=1", .gpus = 2,
     .needs = EVEN},
    {JOB, .name = AGAIN, .points = 5,
     .params = "job=decrypt entries=3001 use=3 iters=12 current=1 again=1",
     .gpus = 4, .gpus_needed = 2, .needs = EVEN},
    {.name = "current device",
     .points = 5,
     .needs = EVEN,
     .of = LAB_CASES(MEMORY, EVEN, UNEVEN, FEW, ONE, AGAIN),
     .asks = LAB_ASKS(is_device_kept),
     .passed = "the same before and after each call"},
    {.name = "clean",
     .points = 5,
     .needs = EVEN,
     .of = LAB_CASES(MEMORY, EVEN, UNEVEN, FEW, ONE, AGAIN),
     .asks = LAB_ASKS(judge_clean),
     .passed = "no error left, no leak"},
    /* Half a million entries for each virtual GPU, behind a slow link: the
     * copies take much longer than the calls that queue them. Few rounds, for
     * it is the processor that runs them. */
    {.name = LARGE,
     .points = 5,
     .params = "job=large entries=2097147 rounds=60",
     .params_cuda = "job=large entries=33554427",
     .data = &cipher_large_data,
     .gpus = 4,
     .gpus_needed = 2,
     .drawn = true,
     .needs = EVEN,
     .seconds = 60,
     .asks = LAB_ASKS(judge_right),
     .passed = "one GPU {one_ns:ms} ms, {gpus} GPUs {student_ns:ms} ms; all at "
               "once: copy in {h2d_ns:ms}, kernel {kernel_ns:ms}, copy back "
               "{d2h_ns:ms} ms"},
    {.name = "fast",
     .points = 20,
     .of = LAB_CASES(LARGE),
     .speed = {"one_ns", "student_ns", "limit_ns", "h2d_ns|kernel_ns|d2h_ns",
               .eta_needed = 0.80},
     .explain = explain_slow},
};

LAB_RULES(.name = "11_multi_gpu", .baseline = "one GPU",
          .explain_end = explain_end);
