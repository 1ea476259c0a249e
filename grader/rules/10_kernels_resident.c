/*
 * 10_kernels_resident.c: lab 10, numbers of blocks. How many are resident on a
 * device, and how many a job gets.
 */
#include "10_kernels.h"

/* ---- resident blocks ----------------------------------------------------- */

int64_t kernels_resident(const struct case_run *run)
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

static unsigned asked_of(const struct trace_call *call)
{
    return call->asked == TRACE_NO_DEVICE ? call->device : call->asked;
}

/*
 * Virtual GPUs are all of one kind, so another device's numbers are no other
 * numbers. The trace says which device was asked. Whoever asks about several
 * may know what for: only who never asks about the current one is wrong.
 */
static const struct trace_call *
find_other_asked(const struct trace *trace, const char *name, unsigned current)
{
    const struct trace_call *call = NULL, *other = NULL;

    while ((call = query_next_call(trace, name, call)) != NULL) {
        if (asked_of(call) == current)
            return NULL;
        if (!other)
            other = call;
    }
    return other;
}

static struct finding explain_asked(const struct trace_call *call,
                                    unsigned current)
{
    return finding_make("other-device-asked", RESIDENT,
                        "%s asks device %u, and device %u is the current one. "
                        "Here they are alike; where they are not, that is "
                        "another device's number. cudaGetDevice tells which "
                        "device is current.",
                        query_place(call->at), asked_of(call), current);
}

static bool judge_asked(const struct case_run *run, struct judgement *judgement)
{
    static const char *const names[] = {
        "cudaDeviceGetAttribute", "cudaGetDeviceProperties*", "cudaOccupancy*"};
    const unsigned current = (unsigned)case_param(run, "current");
    const struct trace_call *call = NULL;

    for (size_t i = 0; !call && i < sizeof names / sizeof *names; i++)
        call = run->traced ? find_other_asked(&run->trace, names[i], current)
                           : NULL;
    if (!call)
        return true;
    judge_fail(judgement, kernels_todo_or(run, explain_asked(call, current)),
               "device %u was asked, and device %u is current", asked_of(call),
               current);
    return false;
}

static void judge_no_block(struct judgement *judgement)
{
    judge_fail(judgement, finding_none(),
               "no block of %d threads fits: look at the launch bounds",
               BLOCK_THREADS);
}

void kernels_judge_resident(const struct case_run *run,
                            struct judgement *judgement)
{
    const long long blocks = case_fact(run, "blocks");
    const long long sms = case_fact(run, "sms");
    const long long per_sm = case_fact(run, "per_sm");

    if (per_sm == 0)
        judge_no_block(judgement);
    else if (blocks != sms * per_sm)
        judge_fail(judgement, kernels_todo_or(run, explain_resident(run)),
                   "%lld SMs of %lld blocks: %lld, and should be %lld", sms,
                   per_sm, blocks, sms * per_sm);
    else if (judge_asked(run, judgement))
        judge_pass(judgement, "%lld SMs of %lld blocks: %lld", sms, per_sm,
                   blocks);
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

void kernels_judge_grid(const struct case_run *run, struct judgement *judgement)
{
    const int64_t resident = kernels_resident(run);

    if (resident == 0) {
        judge_no_block(judgement);
        return;
    }
    for (int i = 0; i < NUM_SIZES; i++) {
        const int64_t n = case_numbered_fact(run, "n", i);
        const int64_t grid = case_numbered_fact(run, "grid", i);
        const int64_t right =
            min64((n + BLOCK_THREADS - 1) / BLOCK_THREADS, resident);

        if (grid == right)
            continue;
        judge_fail(
            judgement, kernels_todo_or(run, explain_grid(n, grid, resident)),
            "a grid for %lld entr%s: %lld, and should be %lld", (long long)n,
            n == 1 ? "y" : "ies", (long long)grid, (long long)right);
        return;
    }
    judge_pass(judgement, "from none to %lld blocks, as many as are resident",
               (long long)resident);
}
