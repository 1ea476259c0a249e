/*
 * 10_kernels_resident.c: lab 10, numbers of blocks. How many are resident on a
 * device, and how many a job gets.
 */
#include "10_kernels.h"
#include "number.h"

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
        return mistake_with("one-sm", "sms=%lld", (long long)sms);
    if (blocks == sms)
        return mistake("one-block-per-sm");
    if (blocks == sms * (threads / BLOCK_THREADS))
        return mistake("threads-not-occupancy");
    if (blocks == sms * threads || blocks == sms * per_sm * BLOCK_THREADS)
        return mistake_with("threads-for-blocks", "block_threads=%d",
                            BLOCK_THREADS);
    for (int64_t size = 32; size <= case_fact(run, "block_limit"); size *= 2)
        if (size != BLOCK_THREADS && blocks == sms * (threads / size))
            return mistake_with("other-block-size",
                                "size=%lld\nblock_threads=%d", (long long)size,
                                BLOCK_THREADS);
    if (here && here != run && case_fact(here, "blocks") == blocks)
        return mistake("one-device-assumed");
    return mistake("wrong-residency");
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
    return mistake_with("other-device-asked", "at=%s\ncall=%u\ncurrent=%u",
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

static struct finding explain_grid(int64_t n, int64_t grid, int64_t resident)
{
    const int64_t enough = (n + BLOCK_THREADS - 1) / BLOCK_THREADS;

    if (n == 0)
        return mistake("blocks-for-nothing");
    if (n > 1 && grid == min_i64(n, resident))
        return mistake_with("one-block-per-element",
                            "block_threads=%d\nblock_threads2=%d",
                            BLOCK_THREADS, BLOCK_THREADS - 1);
    if (n > resident && grid == n)
        return mistake("one-block-per-element/grid");
    if (grid == resident && enough < resident)
        return mistake("always-full");
    if (grid == n / BLOCK_THREADS && n % BLOCK_THREADS != 0)
        return mistake("floor-division");
    if (grid == enough && enough > resident)
        return mistake_with("beyond-residency", "resident=%lld",
                            (long long)resident);
    if (enough > UINT32_MAX)
        return mistake("grid-overflow");
    return mistake_with("wrong-grid", "block_threads=%d", BLOCK_THREADS);
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
            min_i64((n + BLOCK_THREADS - 1) / BLOCK_THREADS, resident);

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
