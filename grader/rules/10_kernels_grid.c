/*
 * 10_kernels_grid.c: lab 10, the kernel alone. Right with any grid, and
 * compiled for the blocks that it gets.
 */
#include <stdlib.h>

#include "10_kernels.h"
#include "cipher_entry.h"

enum { KERNEL_ITERS = 60 }; /* as in the driver */

struct finding kernels_todo_or(const struct case_run *run,
                               struct finding finding)
{
    return case_todo_is_open(run) ? finding_open_todo(run->evidence) : finding;
}

/* ---- any grid ------------------------------------------------------------ */

enum { STILL_INPUT, DECRYPTED_TWICE, KNOWN_KINDS };

void kernels_compare_grids(const struct case_run *run, struct difference *found)
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
    return mistake_with("entries-repeated", "several=%s\nblock=%s",
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
        return mistake("no-grid-stride");
    if (found->kinds[STILL_INPUT] == found->wrong)
        return mistake("entries-skipped");
    if (times_decrypted(input[found->first % n], output[found->first], (int)n) >
        1)
        return explain_repeated(found->first < n);
    return finding_none();
}

struct finding kernels_explain_guard(void)
{
    return mistake("no-guard");
}

void kernels_judge_grids(const struct case_run *run,
                         struct judgement *judgement)
{
    const struct case_run *const checked = run->virtual_run;

    if (checked && checked->checked.faults > 0) {
        judge_order(run, judgement);
        judgement->finding = kernels_todo_or(run, kernels_explain_guard());
        return;
    }
    if (!judge_right(run, judgement)) {
        judgement->finding = kernels_todo_or(run, explain_grids(run));
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
                   mistake_with("registers-spilled", "spilled=%lld", spilled),
                   "%lld registers, %lld bytes of local memory", registers,
                   spilled);
    else if (2 * resident < most)
        judge_fail(judgement,
                   mistake_with("registers-blown-up",
                                "registers=%lld\nresident=%lld\nmost=%lld",
                                registers, (long long)resident,
                                (long long)most),
                   "%lld registers: %lld threads on a multiprocessor that "
                   "holds %lld",
                   registers, (long long)resident, (long long)most);
    else
        return true;
    return false;
}

void kernels_judge_bounds(const struct case_run *run,
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
        finding = mistake_with("no-launch-bounds", "most=%lld", most);
    else if (most > BLOCK_THREADS)
        finding = mistake_with("loose-bounds", "most=%lld\nblock_threads=%d",
                               most, BLOCK_THREADS);
    else
        finding =
            mistake_with("bounds-too-small", "most=%lld\nblock_threads=%d",
                         most, BLOCK_THREADS);
    judge_fail(judgement, kernels_todo_or(run, finding),
               "blocks of up to %lld threads, and should be %d", most,
               BLOCK_THREADS);
}
