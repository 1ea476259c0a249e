/*
 * 10_kernel_concurrency.c: rules of lab 10. A kernel for any grid, the grid
 * that fills a device, small jobs at once, and what two kernels gain. Numbers
 * that students compute are compared with what is so on the case's device, and
 * a wrong one is named for how one comes to it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cipher_entry.h"
#include "cipher.h"
#include "number.h"

/* Names of cases that other code asks for. */
#define ANY   "any grid"
#define HERE  "resident blocks"
#define GRID  "a grid for a job"
#define SIZES "jobs of all sizes"

enum { BLOCK_THREADS = 256 }; /* as in lab.h */

static uint64_t numbered(const struct case_run *run, const char *key,
                         unsigned number)
{
    return (uint64_t)case_numbered_fact(run, key, number);
}

/* ---- any grid ------------------------------------------------------------ */

enum { STILL_INPUT }; /* difference.kinds */

/* Each grid begins with the same input. */
static void compare_grids(const struct case_run *run, struct difference *found)
{
    const uint64_t n = case_param(run, "n"), iters = case_param(run, "iters");
    const uint64_t count = run->output_bytes / sizeof(uint64_t);
    OWNED uint64_t *const still = malloc(3 * count * sizeof *still);
    uint64_t *const right = still + count, *const twice = right + count;
    const struct judge_arrays arrays = {
        .type = JUDGE_U64,
        .got = run->output,
        .expected = right,
        .count = count,
        .known = {{"still its input", still}, {"decrypted twice", twice}},
        .noun = "value",
    };

    if (!still)
        return;
    for (uint64_t lower = 0; lower < count; lower += n)
        memcpy(still + lower, run->input, n * sizeof *still);
    reference_decrypt(right, still, count, iters);
    reference_decrypt(twice, right, count, iters);
    difference_arrays(found, &arrays);
}

/* What became of the first wrong entry? Decrypted more than once, where all
 * threads do the same as often as there are threads, or in other rounds. */
static const char *find_other_work(const struct case_run *run)
{
    const uint64_t n = case_param(run, "n"), iters = case_param(run, "iters");
    const uint64_t first = run->difference.first;
    const uint64_t *const input = run->input, *const output = run->output;
    const uint64_t entry = input[first % n], got = output[first];
    uint64_t value = decrypt_entry(entry, iters);

    for (uint64_t times = 2; times <= n; times++) {
        value = decrypt_entry(value, iters);
        if (value == got)
            return first < n ? "entries-repeated/one-block"
                             : "entries-repeated";
    }
    for (uint64_t rounds = 1; rounds < 4 * iters; rounds++)
        if (decrypt_entry(entry, rounds) == got)
            return "wrong-rounds";
    return NULL;
}

/* The same entries are left, or done again, by loops that are written in many
 * ways: what came out tells the mistake, not the text. */
static struct finding explain_grids(const struct case_run *run, enum ask failed)
{
    const struct case_run *const checked = run->virtual_run;
    const struct difference *const found = &run->difference;
    const uint64_t n = case_param(run, "n");
    const uint64_t *const input = run->input, *const output = run->output;
    const bool skipped = found->kinds[STILL_INPUT] == found->wrong;
    /* The first grid of all is one block: a second trip through the loop does
     * what is behind its threads. */
    const bool one_trip = memcmp(output + BLOCK_THREADS, input + BLOCK_THREADS,
                                 (n - BLOCK_THREADS) * sizeof *output) == 0;
    const char *const work = find_other_work(run);
    enum { SIXTEEN_BITS = 65536 };

    if (skipped && failed == ASK_RIGHT && found->first == n % SIXTEEN_BITS &&
        !case_todo_is_open(run))
        return mistake_with("too-narrow/16", "missing=%llu",
                            (unsigned long long)(n - found->first));
    return mistake_first(
        (struct sign[]){{case_todo_is_open(run), NULL},
                        {checked && checked->checked.faults > 0, "no-guard"},
                        {failed != ASK_RIGHT, NULL},
                        {skipped && one_trip, "no-grid-stride"},
                        {skipped, "entries-skipped"},
                        {one_trip && work && *work == 'e', "same-entry-again"},
                        {true, work}});
}

/* ---- resident blocks ----------------------------------------------------- */

/* Blocks of how many threads would fill the device so? 0: of none. */
static int64_t other_size(const struct case_run *run)
{
    for (int64_t size = 32; size <= case_fact(run, "block_limit"); size *= 2)
        if (size != BLOCK_THREADS &&
            case_fact(run, "blocks") ==
                case_fact(run, "sms") * (case_fact(run, "sm_threads") / size))
            return size;
    return 0;
}

static unsigned asked_of(const struct trace_call *call)
{
    return call->asked == TRACE_NO_DEVICE ? call->device : call->asked;
}

/* The trace says which device was asked. Whoever asks about several may know
 * what for, but has come to a wrong number. */
static const struct trace_call *find_other_asked(const struct case_run *run)
{
    static const char *const names[] = {
        "cudaDeviceGetAttribute", "cudaGetDeviceProperties*", "cudaOccupancy*"};
    const struct trace *const trace = run->traced ? &run->trace : NULL;
    const struct trace_call *call = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        while ((call = query_next_call(trace, names[i], call)) != NULL)
            if (asked_of(call) != case_param(run, "current"))
                return call;
    return NULL;
}

/* Each sign is the number that one nearly right thought leads to. On some
 * devices two of them are alike: then the likelier thought goes first. */
static struct finding explain_resident(const struct case_run *run)
{
    const struct case_run *const here = case_other(run, HERE);
    const int64_t blocks = case_fact(run, "blocks");
    const int64_t sms = case_fact(run, "sms");
    const int64_t threads = case_fact(run, "sm_threads");
    const int64_t size = other_size(run);
    const struct trace_call *const call = find_other_asked(run);
    const struct sign signs[] = {
        {case_todo_is_open(run), NULL},
        {call != NULL, "other-device-asked"},
        {run->rules->gpus > 1 && blocks == case_fact(run, "other_resident"),
         "answer-kept"},
        {blocks == case_fact(run, "per_sm"), "one-sm"},
        {blocks == sms && run->traced &&
             query_call(&run->trace, "cudaOccupancy*"),
         "occupancy-of-another-launch"},
        {blocks == sms, "one-block-per-sm"},
        {blocks == sms * (threads / BLOCK_THREADS), "threads-not-occupancy"},
        {blocks == sms * threads, "threads-for-blocks"},
        {blocks == case_fact(run, "resident") * BLOCK_THREADS,
         "threads-for-blocks"},
        {blocks == sms * case_fact(run, "block_slots") &&
             !query_call(&run->trace, "cudaOccupancy*"),
         "block-slots"},
        {size > 0, "other-block-size"},
        {here && here != run && case_fact(here, "blocks") == blocks,
         "one-device-assumed"},
        {true, "wrong-residency"},
    };

    return mistake_with(
        mistake_first(signs).id, "other_threads=%" PRId64 "\nat=%s\nasked=%u",
        size, call ? query_place(call->at) : "", call ? asked_of(call) : 0);
}

static bool is_resident(const struct case_run *run, struct judgement *judgement)
{
    return case_fact(run, "blocks") == case_fact(run, "resident") ||
           judge_no(run, judgement, explain_resident(run),
                    "{sms} SMs with room for {per_sm} blocks each: {resident} "
                    "blocks, and yours says {blocks}");
}

/* ---- the grid for a job -------------------------------------------------- */

/* One of several numbers of entries: the driver reports a row for each. */
static bool is_grid_right(const struct case_run *run,
                          struct judgement *judgement)
{
    const uint64_t resident = fact(run, "resident");
    const uint64_t n = fact(run, "n"), grid = fact(run, "grid");
    const uint64_t enough = div_up(n, BLOCK_THREADS);
    const uint64_t right = min_u64(enough, resident);
    const struct sign signs[] = {
        {case_todo_is_open(run), NULL},
        {n == 0, grid == resident ? "always-full" : "blocks-for-nothing"},
        {n == BLOCK_THREADS && grid == min_u64(n, resident),
         "one-block-per-element"},
        {n > resident && grid == n, "one-block-per-element/grid"},
        {grid == resident && enough < resident, "always-full"},
        {grid < enough && grid == n / BLOCK_THREADS, "floor-division"},
        {numbered(run, "grid", 6) == 50 * resident, "beyond-residency"},
        {enough > UINT32_MAX, "grid-overflow"},
        {grid > right, "wrong-grid/more"},
        {true, "wrong-grid"},
    };

    return grid == right ||
           judge_no(
               run, judgement,
               mistake_with(mistake_first(signs).id, "right=%" PRIu64, right),
               n == 1 ? "a grid for 1 entry: {grid}, and should be {right}"
                      : "a grid for {n} entries: {grid}, and should be "
                        "{right}");
}

/* ---- jobs of all sizes --------------------------------------------------- */

/* As in the driver's part. */
static uint64_t job_entries(const struct case_run *run, uint64_t j)
{
    return j == case_param(run, "empty")
               ? 0
               : 1 + j * 379 % case_param(run, "most");
}

static uint64_t job_iters(const struct case_run *run, uint64_t j)
{
    return case_param(run, "iters") + j % 7;
}

static uint64_t room_of_jobs(const struct case_run *run)
{
    return case_param(run, "jobs") * case_param(run, "most");
}

enum { BEYOND = 1, BY_FIRST }; /* difference.kinds, after STILL_INPUT */

static void compare_sizes(const struct case_run *run, struct difference *found)
{
    const uint64_t most = case_param(run, "most"), count = room_of_jobs(run);
    const uint64_t *const input = run->input;
    OWNED uint64_t *const right = malloc(3 * count * sizeof *right);
    uint64_t *const first = right + count, *const all = first + count;
    struct judge_arrays arrays = {
        .type = JUDGE_U64,
        .got = run->output,
        .expected = right,
        .count = count,
        .known = {{"still encrypted", input},
                  {"decrypted, but belongs to no job", all},
                  {"decrypted in the rounds of job 0", first}},
        .noun = "entry"};

    if (!right)
        return;
    memcpy(right, input, count * sizeof *right);
    reference_decrypt(first, input, count, job_iters(run, 0));
    for (uint64_t j = 0; j < case_param(run, "jobs"); j++) {
        const uint64_t at = j * most;

        reference_decrypt(all + at, input + at, most, job_iters(run, j));
        memcpy(right + at, all + at, job_entries(run, j) * sizeof *right);
    }
    difference_in_parts(run, &arrays);
    difference_arrays(found, &arrays);
}

/* Entries of job @j that are no longer as they were. */
static uint64_t job_done(const struct case_run *run, uint64_t j)
{
    const uint64_t at = j * case_param(run, "most");
    const uint64_t *const input = run->input, *const output = run->output;
    uint64_t done = 0;

    for (uint64_t i = at; i < at + case_param(run, "most"); i++)
        done += input[i] != output[i];
    return done;
}

/* What is done of each job tells. */
static struct finding explain_sizes(const struct case_run *run, enum ask failed)
{
    const struct difference *const found = &run->difference;
    const uint64_t jobs = case_param(run, "jobs");
    const uint64_t job = found->first / case_param(run, "most");
    uint64_t done = 0, left = 0, gaps = 0, by_first = 0;

    for (uint64_t j = 0; failed == ASK_RIGHT && j < jobs; j++) {
        const uint64_t n = job_done(run, j);

        left += n == 0 && job_entries(run, j) > 0;
        done = n > 0 ? j + 1 : done;
        gaps = n > 0 ? left : gaps;
        by_first += n == job_entries(run, 0);
    }
    const struct sign signs[] = {
        {case_todo_is_open(run), NULL},
        {failed == ASK_CLEAN &&
             strncmp(run->pending, "cudaErrorInvalid", 16) == 0,
         "empty-job-launched"},
        {failed == ASK_CLEAN, NULL},
        {case_checked(run)->by_driver, "not-waited"},
        {failed != ASK_RIGHT, NULL},
        {left > 0 && gaps == 0 && done == case_param(run, "empty"),
         "stops-at-empty-job"},
        {left > 0 && done > 0 && gaps == 0, "first-jobs-only"},
        {left > 0, "jobs-left"},
        {found->kinds[BY_FIRST] > 0, "rounds-of-first-job"},
        {by_first >= jobs - 1, "entries-of-first-job"},
        {found->kinds[BEYOND] > 0, "beyond-the-job"},
        {found->kinds[STILL_INPUT] > 0, "entries-of-job-left"},
    };

    return mistake_with(mistake_first(signs).id,
                        "job=%" PRIu64 "\nlast=%" PRIu64 "\nleft=%" PRIu64, job,
                        done - 1, left);
}

/* ---- small jobs at once -------------------------------------------------- */

enum { NUM_SMALL = 8, NUM_JOBS = 12 }; /* small ones, and all: the driver's */

/* Small jobs, those that fill half of the device, and those that fill it. Of
 * the large ones only some entries are looked at: on a fast GPU the host would
 * take much longer than the device for all of them. */
enum { NUM_SETS = 3, SAMPLE = 61 };

static uint64_t work(const struct case_run *run)
{
    uint64_t rounds = 0;

    for (unsigned s = 0; s < NUM_SETS; s++)
        rounds += numbered(run, "entries", s) * numbered(run, "iters", s);
    return rounds;
}

/* The output is that of the run that was timed, with all work done, and then of
 * one whose outcome was looked at as soon as the function returned. */
static void compare_jobs(const struct case_run *run, struct difference *found)
{
    const uint64_t *const input = run->input, *const output = run->output;
    OWNED uint64_t *const plain = malloc(run->input_bytes + 1);
    uint64_t lower = 0;

    *found = (struct difference){.noun = "value", .wrong = !plain};
    for (unsigned s = 0; s < NUM_SETS; s++)
        found->count += numbered(run, "entries", s);
    for (unsigned s = 0; plain && s < NUM_SETS; s++) {
        const uint64_t step = s == 0 ? 1 : SAMPLE;
        const uint64_t end = lower + numbered(run, "entries", s);
        uint64_t count = 0;

        for (uint64_t i = lower; i < end; i += step)
            plain[count++] = input[i];
        reference_decrypt(plain, plain, count, numbered(run, "iters", s));
        for (uint64_t i = lower; i < end; i += step) {
            const uint64_t right = plain[(i - lower) / step];

            if (output[i] == right && output[found->count + i] == right)
                continue;
            if (found->wrong++ == 0)
                found->first = i;
            found->last = i;
        }
        lower = end;
    }
}

/* Did they not run together? The small jobs tell: they come first, so what
 * belongs to them ends with the last of their kernels and launches. */
static struct finding explain_slow_jobs(const struct trace *trace)
{
    const struct trace_op *op =
        query_first_default(trace, ~QUERY_KIND(TRACE_KIND_SYNC));
    const struct trace_call *call = NULL, *wait;
    struct trace small = *trace;
    unsigned streams;

    if (op)
        return mistake_at("default-stream", op->at);
    for (int k = 0; k < NUM_SMALL; k++) {
        op = query_next(trace, QUERY_OF(QUERY_KERNELS), op);
        call = query_next_call(trace, "cudaLaunchKernel", call);
        if (!op || !call)
            break;
        small.num_ops = (size_t)(op - trace->ops) + 1;
        small.num_calls = (size_t)(call - trace->calls) + 1;
    }
    streams = query_streams(&small, QUERY_KERNELS);
    if (streams == 1)
        return mistake("one-stream");
    wait = query_wait(&small, true);
    if (!wait)
        wait = query_call_between(&small, "cudaMemcpy");
    if (wait)
        return mistake_at("sync-in-loop", wait->at);
    return streams < NUM_SMALL
               ? mistake_with("few-streams", "streams=%u", streams)
               : finding_none();
}

/* Wrong, or read before it was there, or slow. */
static struct finding explain_jobs(const struct case_run *run, enum ask failed)
{
    const struct trace *const trace = case_trace(run);
    const unsigned launched = query_count(trace, QUERY_KERNELS);
    const uint64_t *const input = run->input, *const output = run->output;

    if (!trace || failed == ASK_CLEAN || case_todo_is_open(run))
        return finding_none();
    if (failed == ASK_SPEED)
        return explain_slow_jobs(trace);
    if (launched < NUM_JOBS)
        return mistake_with("job-left-out", "launched=%u", launched);
    if (run->wrong_rounds > 0 &&
        input[run->difference.last] == output[run->difference.last])
        return mistake("job-left-out/twice");
    return case_checked(run)->by_driver ? mistake("not-waited")
                                        : finding_none();
}

/* Kernels that did at least half of what a small job is, by the operations of
 * the cipher: one that did nothing counts for no job. */
static unsigned count_working(const struct case_run *run,
                              const struct trace *trace)
{
    const struct case_run *const seen = run->virtual_run;
    const uint64_t job = seen ? numbered(seen, "entries", 0) / NUM_SMALL *
                                    numbered(seen, "iters", 0)
                              : 0;
    const struct trace_op *op = NULL;
    unsigned working = 0;

    while ((op = query_next(trace, QUERY_OF(QUERY_KERNELS), op)) != NULL)
        working += op->work >= WORK_LEAST_OPS * job;
    return working;
}

/* With more than one block, a small job fills the device, and its time says
 * nothing about jobs at the same time: the driver asked for such a grid. Nor
 * does that of a kernel which does several jobs. */
static bool is_small(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const grid = case_other(run, GRID);
    const uint64_t blocks = grid ? numbered(grid, "grid", 2) : 1;
    const struct trace *const trace = case_trace(run);
    const unsigned kernels = query_count(trace, QUERY_KERNELS);
    const unsigned working = count_working(run, trace);
    const char *const name = case_todo_is_open(run) ? NULL : "small-job-spread";

    if (blocks > 1)
        return judge_no(run, judgement,
                        mistake_with(name, "blocks=%" PRIu64, blocks),
                        "{blocks} blocks for {block_threads} entries, and "
                        "should be 1");
    return !trace || working >= NUM_JOBS ||
           judge_no(run, judgement,
                    mistake_with(kernels < NUM_JOBS ? "job-left-out"
                                                    : "sham-kernels",
                                 "launched=%u\nworking=%u", kernels, working),
                    "right, but not by a kernel for each job");
}

/* ---- predictions --------------------------------------------------------- */

enum { GAIN_NONE, GAIN_PERHAPS, GAIN_SURE }; /* as in lab.h */

/* One of several numbers of blocks: the driver reports a row for each. */
static bool is_gain_right(const struct case_run *run,
                          struct judgement *judgement)
{
    static const char *const words[] = {"none", "perhaps", "sure"};
    const uint64_t blocks = fact(run, "blocks"), got = fact(run, "gain");
    const uint64_t resident = fact(run, "resident"), sms = fact(run, "sms");
    const bool concurrent = fact(run, "concurrent");
    const uint64_t right = !concurrent || blocks >= resident ? GAIN_NONE
                           : 2 * blocks <= sms               ? GAIN_SURE
                                                             : GAIN_PERHAPS;
    /* What is said of half of the blocks that are resident, and of far more. */
    const int64_t of_half = case_numbered_fact(run, "gain", 4);
    const int64_t of_many = case_numbered_fact(run, "gain", 7);
    const struct trace_call *const call = find_other_asked(run);
    const struct sign signs[] = {
        {case_todo_is_open(run), NULL},
        {call != NULL, "other-device-asked"},
        {!concurrent, "no-concurrent-kernels"},
        {blocks == resident && of_many == GAIN_NONE, "exactly-full"},
        {right == GAIN_NONE, "full-device-gain"},
        {got == GAIN_NONE, "gain-missed"},
        {right == GAIN_SURE, "too-careful"},
        {blocks <= sms && of_half != GAIN_SURE, "one-kernel-counted"},
        {true, "room-is-not-gain"},
    };

    return got == right ||
           judge_no(
               run, judgement,
               mistake_with(mistake_first(signs).id,
                            "said=%s\nright=%s\nat=%s\nasked=%u",
                            got <= GAIN_SURE ? words[got] : "no such answer",
                            words[right], call ? query_place(call->at) : "",
                            call ? asked_of(call) : 0),
               "two kernels of {blocks} block{blocks:s}: {said}, and "
               "should be {right}");
}

/* ---- a function that did not return -------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const bool refused = case_failed(run, NULL, "Invalid[CV]*") ||
                         case_failed(run, NULL, "LaunchOutOfResources");

    return mistake_first((struct sign[]){
        {case_is(run, SIZES) && finding_is_memory(run), "room-for-few-jobs"},
        {case_is(run, SIZES) && case_failed(run, NULL, "InvalidResourceHandle"),
         "room-for-few-jobs/handle"},
        {case_is(run, SIZES) && case_failed(run, NULL, "Invalid[CV]*"),
         "empty-job-launched"},
        {!case_is(run, ANY), NULL},
        {case_failed(run, NULL, "IllegalAddress"),
         case_todo_is_open(run) ? "open-todo" : "no-guard"},
        {refused, "launch-refused"}});
}

/* ---- the rules ----------------------------------------------------------- */

/* One input, and what each of five grids makes of it. */
static const struct case_data grids = {
    .outputs = 5, .entries = "n", .compare = compare_grids};
/* All jobs have room for as many. */
static const struct case_data sizes = {.count = room_of_jobs,
                                       .compare = compare_sizes,
                                       .part = "job",
                                       .part_entries = "most",
                                       .parts = "jobs"};
/* The run that is timed, then the one that is looked at as it returns. The room
 * is for the largest device: the driver takes what it needs. */
static const struct case_data jobs = {
    .outputs = 2, .entries = "room", .compare = compare_jobs, .work = work};

#define RESIDENT                                                               \
    .asks = LAB_ASKS(is_resident), .looked = true,                             \
    .passed = "{sms} SMs of {per_sm} blocks: {blocks}"
#define PREDICT(label, where, full_us)                                         \
    .name = label, .points = 5, .profile = where, .needs = ANY,                \
    .params =                                                                  \
        "what=predict us=250..350 full_us=" full_us " rounds=80000000 todo=5", \
    .asks = LAB_ASKS(is_gain_right),                                           \
    .passed = "measured: two of 1 block {one_gain}x, of {half} {half_gain}x, " \
              "of {resident} {full_gain}x"

static const struct lab_case cases[] = {
    {.name = ANY,
     .points = 20,
     /* More than 16 bits count. */
     .params = "what=kernel n=70001 iters=6 todo=1",
     .data = &grids,
     .checked = true,
     .explain = explain_grids,
     .passed = "5 grids, from one block to more than enough"},
    {RESIDENT, .name = HERE, .points = 10, .params = "what=resident todo=2"},
    {RESIDENT, .name = "resident on a C1060", .points = 5,
     .params = "what=resident todo=2", .profile = C1060},
    {RESIDENT, .name = "resident on a C2050", .points = 5,
     .params = "what=resident current=1 todo=2", .profile = "k20:name=D," C2050,
     .gpus = 2},
    {.name = GRID,
     .points = 15,
     .params = "what=grid todo=3",
     .asks = LAB_ASKS(is_grid_right),
     .passed = "from none to {resident} blocks, as many as are resident"},
    {.name = SIZES,
     .points = 5,
     .params = "what=sizes jobs=110..140 most=600..900 empty=20..60 "
               "iters=20..40 todo=4",
     .data = &sizes,
     .checked = true,
     .needs = ANY,
     .explain = explain_sizes,
     .passed = "{jobs} jobs, job {empty} has no entries"},
    {.name = "small jobs together",
     .points = 15,
     .params =
         "what=jobs us=350..450 full_us=150 rounds=48000000 room=983552 todo=4",
     .params_cuda = "what=jobs us=2700..3300 full_us=1000 room=983552 todo=4",
     .data = &jobs,
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = ANY,
     .asks = LAB_ASKS(JUDGE_ALL, is_small),
     /* Several host threads launch more quickly than the driver does. */
     .speed = {"small_serial_ns", "small_ns", "small_bound_ns",
               .least = "small_least_ns", .eta_needed = 0.70},
     .explain = explain_jobs,
     .passed = "; two that fill half of the device {half_gain}x, all of it "
               "{full_gain}x"},
    {PREDICT("predicted here", NULL, "100"), .timed = true,
     .params_cuda = "what=predict us=2600..3400 full_us=1000 todo=5"},
    {PREDICT("predicted for a C1060", C1060, "200")},
    {PREDICT("predicted for a C2050", "h200:name=D," C2050, "200 current=1"),
     .gpus = 2, .looked = true},
    {PREDICT("predicted for an H200", H200, "8")},
};

LAB_RULES(.name = "10_kernel_concurrency", .explain_end = explain_end);
