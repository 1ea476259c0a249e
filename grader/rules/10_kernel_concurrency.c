/*
 * 10_kernel_concurrency.c: rules of lab 10. A kernel for any grid, the grid
 * that fills a device, small jobs at once, and a prediction; and what each of
 * them is usually mistaken for.
 */
#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cipher_entry.h"

#define LOOP     "A kernel for any grid"
#define BOUNDS   "Registers, and launch bounds"
#define RESIDENT "How many blocks are resident"
#define TOGETHER "When kernels overlap"
#define GAIN     "When there is nothing to gain"
#define TODO     "What to do"

#define HERE "resident blocks"
#define GRID "a grid for a job"

/* As in lab.h and the driver. */
enum { BLOCK_THREADS = 256, NUM_SMALL = 8, SMALL_ENTRIES = 64, NUM_JOBS = 12 };
enum { SMALL = NUM_SMALL * SMALL_ENTRIES, NUM_GRIDS = 5, KERNEL_ITERS = 60 };
enum { GAIN_NONE, GAIN_PERHAPS, GAIN_SURE };

#define ETA_NEEDED 0.70

/* Is a TODO open that this case is about, or one before it? */
static bool is_open(const struct case_run *run)
{
    const int first = run->evidence->first_todo;

    return first > 0 && first <= (int)case_param(run, "todo");
}

static struct finding todo_or(const struct case_run *run,
                              struct finding finding)
{
    return is_open(run) ? finding_open_todo(run->evidence) : finding;
}

static int64_t numbered_fact(const struct case_run *run, const char *key, int i)
{
    char name[32];

    snprintf(name, sizeof name, "%s%d", key, i);
    return case_fact(run, name);
}

/* ---- any grid ------------------------------------------------------------ */

enum { STILL_INPUT, DECRYPTED_TWICE, KNOWN_KINDS };

static void compare_grids(const struct case_run *run, struct difference *found)
{
    const uint64_t n = case_param(run, "n");
    const uint64_t count = NUM_GRIDS * n;
    const uint64_t *const input = run->input;
    uint64_t *const values = malloc(3 * count * sizeof *values);
    struct judge_arrays arrays = {JUDGE_U64,
                                  run->output,
                                  values,
                                  count,
                                  0,
                                  {{"still its input", values + count},
                                   {"decrypted twice", values + 2 * count}},
                                  "value"};

    if (!values)
        return;
    for (uint64_t i = 0; i < count; i++) {
        values[i] = decrypt_entry(input[i % n], KERNEL_ITERS);
        values[count + i] = input[i % n];
        values[2 * count + i] = decrypt_entry(values[i], KERNEL_ITERS);
    }
    difference_arrays(found, &arrays);
    free(values);
}

/* How often an entry was decrypted, at most @most times; -1: something else. */
static int times_decrypted(uint64_t input, uint64_t output, int most)
{
    uint64_t value = input;

    for (int times = 0; times <= most; times++) {
        if (value == output)
            return times;
        value = decrypt_entry(value, KERNEL_ITERS);
    }
    return -1;
}

/* With one block, the first of all grids, was an entry done by a second trip
 * through the loop? */
static bool is_second_trip(const struct case_run *run)
{
    const uint64_t n = case_param(run, "n");
    const uint64_t *const input = run->input, *const output = run->output;

    for (uint64_t i = BLOCK_THREADS; i < n; i++)
        if (output[i] != input[i])
            return true;
    return false;
}

static struct finding explain_repeated(bool one_block)
{
    return finding_make("entries-repeated", LOOP,
                        "%s some entries are decrypted more than once: "
                        "threads do each other's work. A thread begins at its "
                        "own number in the grid, and its step is as long as "
                        "the grid, not as %s.",
                        one_block ? "Even with one block,"
                                  : "With one block all is right, with several",
                        one_block ? "the number of blocks" : "a block");
}

static struct finding explain_grids(const struct case_run *run)
{
    const struct difference *const found = &run->difference;
    const uint64_t n = case_param(run, "n");
    const uint64_t *const input = run->input, *const output = run->output;

    if (found->kinds[STILL_INPUT] == found->wrong && !is_second_trip(run))
        return finding_make("no-grid-stride", LOOP,
                            "With fewer threads than entries, the entries "
                            "behind the last thread are left as they were: "
                            "each thread takes one entry and stops. It must go "
                            "on, in steps as long as the grid.");
    if (found->kinds[STILL_INPUT] == found->wrong)
        return finding_make("entries-skipped", LOOP,
                            "Some entries are done by no thread: the step of "
                            "the loop is longer than the grid, or the loop "
                            "ends too soon. The grid has "
                            "gridDim.x * blockDim.x threads.");
    if (times_decrypted(input[found->first % n], output[found->first], (int)n) >
        1)
        return explain_repeated(found->first < n);
    return finding_none();
}

static struct finding explain_guard(void)
{
    return finding_make("no-guard", LOOP,
                        "The kernel touches entries that are not there. The "
                        "last block may have more threads than there are "
                        "entries left: compare with num_entries before each "
                        "access.");
}

static void judge_grids(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const checked = run->virtual_run;

    if (checked && checked->checked.faults > 0) {
        judge_order(run, judgement);
        judgement->finding = todo_or(run, explain_guard());
        return;
    }
    if (!judge_right(run, judgement)) {
        judgement->finding = todo_or(run, explain_grids(run));
        return;
    }
    if (judge_order(run, judgement) && judge_clean(run, judgement))
        judge_pass(judgement, "%d grids, from one block to more than enough",
                   NUM_GRIDS);
}

/* ---- launch bounds ------------------------------------------------------- */

/* Only nvcc gives registers out. The virtual GPU takes 32 for every kernel. */
static bool judge_registers(const struct case_run *run,
                            struct judgement *judgement)
{
    const long long registers = case_fact(run, "registers");
    const long long spilled = case_fact(run, "spilled");
    const int64_t resident = case_fact(run, "per_sm") * BLOCK_THREADS;
    const int64_t most = case_fact(run, "sm_threads");

    if (run->backend != BACKEND_CUDA)
        return true;
    if (spilled > 0)
        judge_fail(judgement,
                   finding_make("registers-spilled", BOUNDS,
                                "A thread keeps %lld bytes in local memory, "
                                "which is device memory: its registers do not "
                                "suffice, or it has an array with an index "
                                "that is not known before it runs.",
                                spilled),
                   "%lld registers, %lld bytes of local memory", registers,
                   spilled);
    else if (2 * resident < most)
        judge_fail(judgement,
                   finding_make("registers-blown-up", BOUNDS,
                                "With %lld registers for each thread, a "
                                "multiprocessor holds %lld threads of %lld. "
                                "This work needs no more than 32: look for "
                                "an unrolled loop or values kept for long.",
                                registers, (long long)resident,
                                (long long)most),
                   "%lld registers: %lld threads on a multiprocessor that "
                   "holds %lld",
                   registers, (long long)resident, (long long)most);
    else
        return true;
    return false;
}

static void judge_bounds(const struct case_run *run,
                         struct judgement *judgement)
{
    const long long most = case_fact(run, "most_threads");
    struct finding finding;

    if (most == BLOCK_THREADS) {
        if (!judge_registers(run, judgement))
            return;
        if (run->backend == BACKEND_CUDA)
            judge_pass(judgement, "blocks of %lld threads, %lld registers each",
                       most, (long long)case_fact(run, "registers"));
        else
            judge_pass(judgement,
                       "blocks of %lld threads; registers are not known here",
                       most);
        return;
    }
    if (most == case_fact(run, "block_limit"))
        finding = finding_make("no-launch-bounds", BOUNDS,
                               "Nothing tells the compiler how large a block "
                               "is: it may have %lld threads. Say "
                               "__launch_bounds__ with the threads of a block "
                               "between `void` and the kernel's name.",
                               most);
    else if (most > BLOCK_THREADS)
        finding = finding_make("loose-bounds", BOUNDS,
                               "The bounds allow blocks of %lld threads. No "
                               "launch has more than %d: BLOCK_THREADS.",
                               most, BLOCK_THREADS);
    else
        finding = finding_make("bounds-too-small", BOUNDS,
                               "The bounds allow blocks of %lld threads, and "
                               "the launches have %d: they are refused. The "
                               "bound is the most that a launch may have.",
                               most, BLOCK_THREADS);
    judge_fail(judgement, todo_or(run, finding),
               "blocks of up to %lld threads, and should be %d", most,
               BLOCK_THREADS);
}

/* ---- resident blocks ----------------------------------------------------- */

static int64_t resident_here(const struct case_run *run)
{
    return case_fact(run, "sms") * case_fact(run, "per_sm");
}

static struct finding explain_resident(const struct case_run *run)
{
    const struct case_run *const here = case_other(run, HERE);
    const int64_t blocks = case_fact(run, "blocks");
    const int64_t sms = case_fact(run, "sms");
    const int64_t threads = case_fact(run, "sm_threads");
    const int64_t per_sm = case_fact(run, "per_sm");

    if (blocks == per_sm)
        return finding_make("one-sm", RESIDENT,
                            "So many blocks are resident on one "
                            "multiprocessor. There are %lld.",
                            (long long)sms);
    if (blocks == sms)
        return finding_make("one-block-per-sm", RESIDENT,
                            "One block on each multiprocessor does not fill "
                            "it: ask the occupancy call how many blocks of "
                            "this kernel it holds.");
    if (blocks == sms * (threads / BLOCK_THREADS))
        return finding_make("threads-not-occupancy", RESIDENT,
                            "That is computed from the threads of a "
                            "multiprocessor. Here the kernel's registers run "
                            "out before that: only the occupancy call knows "
                            "them.");
    if (blocks == sms * threads || blocks == sms * per_sm * BLOCK_THREADS)
        return finding_make("threads-for-blocks", RESIDENT,
                            "That is a number of threads. A launch wants "
                            "blocks, of %d threads each.",
                            BLOCK_THREADS);
    for (int64_t size = 32; size <= case_fact(run, "block_limit"); size *= 2)
        if (size != BLOCK_THREADS && blocks == sms * (threads / size))
            return finding_make("other-block-size", RESIDENT,
                                "So many blocks of %lld threads would fill the "
                                "device. The launches have %d.",
                                (long long)size, BLOCK_THREADS);
    if (here && here != run && case_fact(here, "blocks") == blocks)
        return finding_make("one-device-assumed", RESIDENT,
                            "The same number for every device: ask the "
                            "current one.");
    return finding_make("wrong-residency", RESIDENT,
                        "The blocks that one multiprocessor holds, by "
                        "cudaOccupancyMaxActiveBlocksPerMultiprocessor, times "
                        "the number of multiprocessors.");
}

static void judge_no_block(struct judgement *judgement)
{
    judge_fail(judgement, finding_none(),
               "no block of %d threads fits: look at the launch bounds",
               BLOCK_THREADS);
}

static void judge_resident(const struct case_run *run,
                           struct judgement *judgement)
{
    const long long blocks = case_fact(run, "blocks");
    const long long sms = case_fact(run, "sms");
    const long long per_sm = case_fact(run, "per_sm");

    if (per_sm == 0)
        judge_no_block(judgement);
    else if (blocks == sms * per_sm)
        judge_pass(judgement, "%lld SMs of %lld blocks: %lld", sms, per_sm,
                   blocks);
    else
        judge_fail(judgement, todo_or(run, explain_resident(run)),
                   "%lld SMs of %lld blocks: %lld, and should be %lld", sms,
                   per_sm, blocks, sms * per_sm);
}

/* ---- the grid for a job -------------------------------------------------- */

enum { NUM_SIZES = 8 };

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct finding explain_grid(int64_t n, int64_t grid, int64_t resident)
{
    const int64_t enough = (n + BLOCK_THREADS - 1) / BLOCK_THREADS;

    if (n == 0)
        return finding_make("blocks-for-nothing", RESIDENT,
                            "For no entries, the grid is 0, and nothing is "
                            "launched.");
    if (n > 1 && grid == min64(n, resident))
        return finding_make("one-block-per-element", RESIDENT,
                            "One block for each entry. A block has %d threads, "
                            "and each of them takes an entry: %d of %d threads "
                            "would have nothing to do.",
                            BLOCK_THREADS, BLOCK_THREADS - 1, BLOCK_THREADS);
    if (n > resident && grid == n)
        return finding_make("one-block-per-element", RESIDENT,
                            "One block for each entry, without any limit.");
    if (grid == resident && enough < resident)
        return finding_make("always-full", RESIDENT,
                            "The grid fills the device, whatever the job. "
                            "Blocks without an entry take room from other "
                            "kernels: launch no more than are needed.");
    if (grid == n / BLOCK_THREADS && n % BLOCK_THREADS != 0)
        return finding_make("floor-division", RESIDENT,
                            "The division rounds down, so the last entries "
                            "have no thread of their own: sdiv rounds up.");
    if (grid == enough && enough > resident)
        return finding_make("beyond-residency", RESIDENT,
                            "The grid has a thread for each entry, however "
                            "many there are. Only %lld blocks are resident at "
                            "once. The others wait, and the loop in the kernel "
                            "makes them needless.",
                            (long long)resident);
    if (enough > UINT32_MAX)
        return finding_make("grid-overflow", RESIDENT,
                            "So many blocks do not fit into an unsigned: "
                            "compare 64-bit numbers first, and convert the "
                            "smaller one.");
    return finding_make("wrong-grid", RESIDENT,
                        "A thread for each entry, in blocks of %d, but no more "
                        "blocks than are resident.",
                        BLOCK_THREADS);
}

static void judge_grid(const struct case_run *run, struct judgement *judgement)
{
    const int64_t resident = resident_here(run);

    if (resident == 0) {
        judge_no_block(judgement);
        return;
    }
    for (int i = 0; i < NUM_SIZES; i++) {
        const int64_t n = numbered_fact(run, "n", i);
        const int64_t grid = numbered_fact(run, "grid", i);
        const int64_t right =
            min64((n + BLOCK_THREADS - 1) / BLOCK_THREADS, resident);

        if (grid == right)
            continue;
        judge_fail(judgement, todo_or(run, explain_grid(n, grid, resident)),
                   "a grid for %lld entr%s: %lld, and should be %lld",
                   (long long)n, n == 1 ? "y" : "ies", (long long)grid,
                   (long long)right);
        return;
    }
    judge_pass(judgement, "from none to %lld blocks, as many as are resident",
               (long long)resident);
}

/* ---- jobs ---------------------------------------------------------------- */

static const unsigned kernel_kind = QUERY_KIND(TRACE_KIND_KERNEL);

static const struct trace *trace_of(const struct case_run *run)
{
    return run->virtual_run ? &run->virtual_run->trace : NULL;
}

/* Of the large jobs only some entries are looked at: on a fast GPU the host
 * would take much longer than the device for all of them. */
enum { SAMPLE = 61 };

static void compare_pass(const struct case_run *run, const uint64_t *output,
                         struct difference *found)
{
    const uint64_t *const input = run->input;
    const uint64_t half_at = SMALL;
    const uint64_t full_at = half_at + (uint64_t)case_fact(run, "half_entries");
    const uint64_t small_iters = (uint64_t)case_fact(run, "small_iters");
    const uint64_t half_iters = (uint64_t)case_fact(run, "half_iters");
    const uint64_t full_iters = (uint64_t)case_fact(run, "full_iters");

    found->count = full_at + (uint64_t)case_fact(run, "full_entries");
    for (uint64_t i = 0; i < found->count; i += i < SMALL ? 1 : SAMPLE) {
        const uint64_t iters = i < half_at   ? small_iters
                               : i < full_at ? half_iters
                                             : full_iters;

        if (output[i] == decrypt_entry(input[i], iters))
            continue;
        if (found->wrong++ == 0)
            found->first = i;
        found->last = i;
    }
}

/* The run that was timed, with all work done; if that is right, the one whose
 * outcome was looked at as soon as the function returned. */
static void compare_jobs(const struct case_run *run, struct difference *found)
{
    const uint64_t *const output = run->output;

    memset(found, 0, sizeof *found);
    found->noun = "value";
    compare_pass(run, output, found);
    if (found->wrong == 0)
        compare_pass(run, output + found->count, found);
}

/* The first kernel of the student's in the legacy default stream. */
static const struct trace_op *find_default(const struct trace *trace)
{
    const struct query query = {.one_stream = true, .stream = 0};
    const struct trace_op *op = NULL;

    while ((op = query_next(trace, &query, op)) != NULL)
        if (strstr(op->at, "grader/drivers/") == NULL &&
            op->kind != TRACE_KIND_SYNC)
            break;
    return op;
}

/* Kernels of the student's among the small ones: the first 8 that start. */
static unsigned small_streams(const struct trace *trace)
{
    const struct query query = {.kinds = kernel_kind};
    const struct trace_op *op = NULL;
    uint64_t seen[NUM_SMALL];
    unsigned num_seen = 0;

    for (int k = 0; k < NUM_SMALL; k++) {
        unsigned s = 0;

        op = query_next(trace, &query, op);
        if (op == NULL)
            break;
        while (s < num_seen && seen[s] != op->stream)
            s++;
        if (s == num_seen)
            seen[num_seen++] = op->stream;
    }
    return num_seen;
}

/* A wait between the first and the last launch of the small jobs. */
static const struct trace_call *find_wait(const struct trace *trace)
{
    static const char *const names[] = {"cudaStreamSynchronize",
                                        "cudaDeviceSynchronize",
                                        "cudaEventSynchronize", "cudaMemcpy"};
    const struct trace_call *launch = NULL;

    for (int k = 0; k < NUM_SMALL; k++) {
        const struct trace_call *const next =
            query_next_call(trace, "cudaLaunchKernel", launch);

        if (next == NULL)
            break;
        launch = next;
    }
    for (size_t i = 0; launch && i < sizeof names / sizeof *names; i++) {
        const struct trace_call *const wait =
            query_next_call(trace, names[i], NULL);

        if (wait && wait->end_ns <= launch->start_ns)
            return wait;
    }
    return NULL;
}

static struct finding explain_slow(const struct case_run *run)
{
    const struct trace *const trace = trace_of(run);
    const struct trace_op *op;
    const struct trace_call *wait;
    unsigned streams;

    if (!trace)
        return finding_none();
    op = find_default(trace);
    if (op)
        return finding_make("default-stream", TOGETHER,
                            "%s: this is in the default stream, and what is "
                            "there runs alone. Name a stream of its own for "
                            "each job.",
                            query_place(op->at));
    streams = small_streams(trace);
    if (streams == 1)
        return finding_make("one-stream", TOGETHER,
                            "All jobs are in the same stream, and a stream is "
                            "a queue: they run one after the other. Each job "
                            "needs a stream of its own.");
    wait = find_wait(trace);
    if (wait)
        return finding_make("sync-in-loop", TOGETHER,
                            "%s: the host waits here before it launches the "
                            "next job. Launch all of them, then wait.",
                            query_place(wait->at));
    if (streams < NUM_SMALL)
        return finding_make("few-streams", TOGETHER,
                            "%d jobs are in %u streams. Those that share one "
                            "run one after the other.",
                            NUM_SMALL, streams);
    return finding_none();
}

/* Wrong, or read before it was there. */
static struct finding explain_jobs(const struct case_run *run)
{
    const struct trace *const trace = trace_of(run);
    const struct query kernels = {.kinds = kernel_kind};
    unsigned launched;

    if (!trace)
        return finding_none();
    launched = query_count(trace, &kernels);
    if (launched < NUM_JOBS)
        return finding_make("job-left-out", TODO,
                            "%d jobs were given, and %u kernels were launched.",
                            NUM_JOBS, launched);
    /* The grader looks as soon as the function returns. */
    if (strstr(text_string(&run->virtual_run->checked.first_hazard),
               "the grader"))
        return finding_make("not-waited", TOGETHER,
                            "The function returns before all jobs are done: "
                            "wait for every stream that has one.");
    return finding_none();
}

/* The blocks of a job that needs one. With more than one, a small job fills
 * the device, and its time says nothing about jobs at the same time. */
static int64_t small_grid(const struct case_run *run)
{
    const struct case_run *const grid = case_other(run, GRID);

    return grid ? numbered_fact(grid, "grid", 2) : 1;
}

static struct finding explain_small_grid(void)
{
    return finding_make("small-job-spread", RESIDENT,
                        "One block has a thread for each entry of a small job. "
                        "With more, it takes the room of its neighbours, and "
                        "its time does not tell what ran at the same time. "
                        "Mend the grid for a job first.");
}

static void judge_jobs(const struct case_run *run, struct judgement *judgement)
{
    const struct judge_speed times = {
        .serial_ns = (double)case_median(run, "small_serial_ns"),
        .student_ns = (double)case_median(run, "small_ns"),
        .bound_ns = (double)case_median(run, "small_bound_ns"),
        .eta_needed = ETA_NEEDED,
    };
    const int64_t half_ns = case_median(run, "half_ns");
    const int64_t full_ns = case_median(run, "full_ns");

    if (!judge_right(run, judgement) || !judge_order(run, judgement)) {
        judgement->finding = todo_or(run, explain_jobs(run));
        return;
    }
    if (!judge_clean(run, judgement))
        return;
    if (small_grid(run) > 1) {
        judge_fail(judgement, todo_or(run, explain_small_grid()),
                   "%lld blocks for %d entries, and should be 1",
                   (long long)small_grid(run), BLOCK_THREADS);
        return;
    }
    if (!judge_speed(run, judgement, &times)) {
        judgement->finding = todo_or(run, explain_slow(run));
        return;
    }
    if (half_ns > 0 && full_ns > 0)
        text_printf(
            &judgement->seen,
            "; two that fill half of the device %.2fx, all of it %.2fx",
            (double)case_median(run, "half_serial_ns") / (double)half_ns,
            (double)case_median(run, "full_serial_ns") / (double)full_ns);
}

/* ---- predictions --------------------------------------------------------- */

/* As in the driver: a half of what is resident is the fifth. */
enum { HALF = 4, NUM_PREDICTIONS = 8 };

static const char *const gain_words[] = {"none", "perhaps", "sure"};

static int true_gain(const struct case_run *run, int64_t blocks)
{
    if (case_fact(run, "concurrent") == 0 || blocks >= resident_here(run))
        return GAIN_NONE;
    return 2 * blocks <= case_fact(run, "sms") ? GAIN_SURE : GAIN_PERHAPS;
}

static struct finding explain_no_gain(const struct case_run *run,
                                      int64_t blocks)
{
    const double measured = (double)case_fact(run, "full_permille") / 1000;

    if (case_fact(run, "concurrent") == 0)
        return finding_make("no-concurrent-kernels", GAIN,
                            "This device runs one kernel at a time: "
                            "cudaDevAttrConcurrentKernels is 0. No grid gains "
                            "anything there.");
    if (blocks == resident_here(run) &&
        numbered_fact(run, "gain", NUM_PREDICTIONS - 1) == GAIN_NONE)
        return finding_make("exactly-full", GAIN,
                            "%lld blocks are just as many as are resident: "
                            "the device is full, and no block of another "
                            "kernel finds room.",
                            (long long)blocks);
    return finding_make("full-device-gain", GAIN,
                        "One kernel of %lld blocks fills the device, and the "
                        "other waits until it leaves room, in whatever stream "
                        "it is: measured here, both together are %.2fx as fast "
                        "as one after the other.",
                        (long long)resident_here(run), measured);
}

static struct finding explain_gain(const struct case_run *run, int64_t blocks,
                                   int64_t got)
{
    const int64_t sms = case_fact(run, "sms");
    const double half = (double)case_fact(run, "half_permille") / 1000;
    const int right = true_gain(run, blocks);

    if (right == GAIN_NONE)
        return explain_no_gain(run, blocks);
    if (got == GAIN_NONE)
        return finding_make("gain-missed", GAIN,
                            "%lld blocks do not fill this device, which holds "
                            "%lld: there is room for another kernel.",
                            (long long)blocks, (long long)resident_here(run));
    if (right == GAIN_SURE)
        return finding_make("too-careful", GAIN,
                            "%lld multiprocessors, and 2 times %lld blocks: "
                            "each block has one of its own, so the gain is "
                            "sure.",
                            (long long)sms, (long long)blocks);
    if (blocks <= sms && numbered_fact(run, "gain", HALF) != GAIN_SURE)
        return finding_make("one-kernel-counted", GAIN,
                            "%lld multiprocessors are enough for the %lld "
                            "blocks of one kernel. There are two kernels.",
                            (long long)sms, (long long)blocks);
    return finding_make("room-is-not-gain", GAIN,
                        "There is room for blocks of the second kernel, but "
                        "they share multiprocessors that are busy already. "
                        "Measured here, two kernels of half a device each "
                        "are %.2fx as fast together: overlap is not gain.",
                        half);
}

static void judge_predict(const struct case_run *run,
                          struct judgement *judgement)
{
    for (int i = 0; i < NUM_PREDICTIONS; i++) {
        const int64_t blocks = numbered_fact(run, "blocks", i);
        const int64_t got = numbered_fact(run, "gain", i);
        const int right = true_gain(run, blocks);

        if (got == right)
            continue;
        judge_fail(judgement, todo_or(run, explain_gain(run, blocks, got)),
                   "two kernels of %lld block%s: %s, and should be %s",
                   (long long)blocks, blocks == 1 ? "" : "s",
                   got >= GAIN_NONE && got <= GAIN_SURE ? gain_words[got]
                                                        : "no such answer",
                   gain_words[right]);
        return;
    }
    judge_pass(judgement,
               "measured: two of 1 block %.2fx, of %lld %.2fx, of %lld %.2fx",
               (double)case_median(run, "one_permille") / 1000,
               (long long)case_fact(run, "resident") / 2,
               (double)case_median(run, "half_permille") / 1000,
               (long long)case_fact(run, "resident"),
               (double)case_median(run, "full_permille") / 1000);
}

/* ---- the end of a run ---------------------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const struct finding end = finding_end(run);
    const char *const error = run->error.name;

    if (!end.id || strcmp(end.id, "cuda-error") != 0 ||
        !strstr(run->params, "what=kernel"))
        return end;
    if (strcmp(error, "cudaErrorIllegalAddress") == 0)
        return todo_or(run, explain_guard());
    if (strcmp(error, "cudaErrorInvalidValue") == 0 ||
        strcmp(error, "cudaErrorInvalidConfiguration") == 0 ||
        strcmp(error, "cudaErrorLaunchOutOfResources") == 0)
        return finding_make("launch-refused", BOUNDS,
                            "A launch of the kernel with blocks of %d threads "
                            "was refused (%s): its launch bounds must allow "
                            "for so many threads.",
                            BLOCK_THREADS, error);
    return end;
}

/* ---- the rules ----------------------------------------------------------- */

enum { KERNEL_ENTRIES = 5000, FULL_ENTRIES = 320 * 1024 };

#define ANY "any grid"
#define PREDICT(label, where, full_us)                                         \
    .name = label, .points = 5, .profile = where, .needs = ANY,                \
    .params =                                                                  \
        "what=predict us=300 full_us=" full_us " rounds=80000000 todo=6",      \
    .judge = judge_predict

static const struct lab_case cases[] = {
    {.name = ANY,
     .points = 15,
     .params = "what=kernel n=5000 todo=1",
     .checked = true,
     .input_bytes = KERNEL_ENTRIES * sizeof(uint64_t),
     .output_bytes = NUM_GRIDS * KERNEL_ENTRIES * sizeof(uint64_t),
     .compare = compare_grids,
     .judge = judge_grids},
    {.name = "launch bounds",
     .points = 5,
     .params = "what=bounds todo=2",
     .judge = judge_bounds},
    {.name = HERE,
     .points = 10,
     .params = "what=resident todo=3",
     .judge = judge_resident},
    {.name = "resident on a C1060",
     .points = 5,
     .params = "what=resident todo=3",
     .profile = "c1060",
     .judge = judge_resident},
    {.name = "resident on a C2050",
     .points = 5,
     .params = "what=resident todo=3",
     .profile = "c2050",
     .judge = judge_resident},
    {.name = GRID,
     .points = 15,
     .params = "what=grid todo=4",
     .judge = judge_grid},
    {.name = "small jobs together",
     .points = 20,
     .params = "what=jobs us=400 full_us=150 rounds=48000000 todo=5",
     .params_cuda = "what=jobs us=3000 full_us=1000 todo=5",
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = ANY,
     .input_bytes = (SMALL + 3 * FULL_ENTRIES) * sizeof(uint64_t),
     .output_bytes = 2 * (SMALL + 3 * FULL_ENTRIES) * sizeof(uint64_t),
     .compare = compare_jobs,
     .judge = judge_jobs},
    {PREDICT("predicted here", NULL, "100"), .timed = true,
     .params_cuda = "what=predict us=3000 full_us=1000 todo=6"},
    {PREDICT("predicted for a C1060", "c1060", "200")},
    {PREDICT("predicted for a C2050", "c2050", "200")},
    {PREDICT("predicted for an H200", "h200", "8")},
};

static const struct lab_rules lab_10 = {
    .name = "10_kernel_concurrency",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .explain_end = explain_end,
};

LAB_RULES(lab_10);
