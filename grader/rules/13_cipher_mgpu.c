/*
 * 13_cipher_mgpu.c: rules of lab 13, the cipher program on all GPUs. A lab of
 * cases, like lab 09. What goes wrong on one GPU is found on one GPU, so that
 * what then goes wrong on several is a mistake with GPUs. Here: a program that
 * did not return, what is left behind, and the table of all cases.
 */
#include <string.h>

#include "13_mcipher.h"

/* ---- a program that did not return --------------------------------------- */

static bool error_is(const struct case_run *run, const char *name)
{
    return strcmp(run->error.name, name) == 0;
}

/* What CHECK said of a call that concerns a GPU. */
static struct finding explain_gpu_error(const struct case_run *run)
{
    if (error_is(run, "cudaErrorInvalidDevice"))
        return mistake("no-such-gpu");
    if (strncmp(run->error.call, "cudaEventRecord", 15) == 0 ||
        strncmp(run->error.call, "cudaEventElapsedTime", 20) == 0)
        return mistake("event-of-another-gpu");
    if (error_is(run, "cudaErrorInvalidResourceHandle") ||
        error_is(run, "cudaErrorContextIsDestroyed"))
        return mistake("no-such-stream");
    return finding_none();
}

/* Memory was reached that is not there. It all went well on one GPU. */
static struct finding explain_outside(const struct case_run *run)
{
    if (case_is(run, UNEVEN) || case_is(run, EMPTY) || case_is(run, LARGE))
        return mistake("past-the-end");
    if (strstr(text_string(&run->fault), "without peer access"))
        return mistake("gpus-mixed");
    return mistake_with("global-offset", "kernel=%s\ncopy=%s",
                        run->error.at[0] ? run->error.at : "The kernel",
                        run->error.at[0] ? ": this copy " : " ");
}

static struct finding explain_end(const struct case_run *run)
{
    const bool outside = error_is(run, "cudaErrorInvalidValue") ||
                         error_is(run, "cudaErrorInvalidConfiguration") ||
                         run->fault.length > 0 || run->late[0] != '\0';
    struct finding found = cipher_explain_free(run);

    if (found.id == NULL || finding_is(&found, "no-such-stream"))
        found = explain_gpu_error(run).id ? explain_gpu_error(run) : found;
    if (found.id)
        return found;
    if (outside && !case_is(run, ONE) && !case_is(run, PLACES))
        return explain_outside(run);
    return chunks_explain_end(run);
}

/* ---- clean --------------------------------------------------------------- */

static unsigned count_left(const struct case_run *run)
{
    const char *line = NULL;
    unsigned count = 0;

    while (run->virtual_run &&
           (line = checked_find(&run->virtual_run->checked, "warning", "text",
                                "never", line)) != NULL)
        count++;
    return count;
}

static void judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    static const char *const names[] = {ONE, PLACES, EVEN, UNEVEN};
    const struct case_run *const one = case_other(run, ONE);
    const bool one_is_clean = one && one->ran && count_left(one) == 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct case_run *const other = case_other(run, names[i]);

        if (other == NULL || !other->ran)
            continue;
        if (!cipher_judge_tidy(other, judgement,
                               one_is_clean ? "leak-on-other-gpus"
                                            : "leak/destroy"))
            return;
    }
    judge_pass(judgement, "all memory and streams of all GPUs given back");
}

/* ---- the rules ----------------------------------------------------------- */

#define ENTRIES(n) ((n) * sizeof(uint64_t))

/* A K20's link is slow enough that few entries for each of four GPUs show the
 * overlap. The sweep is 16 runs: with half of the rounds that would make the
 * kernel as long as a copy, the processor needs 2 s for it. */
#define LARGE_VGPU (3 * (1 << 18) - 5)
#define LARGE_CUDA ((1 << 25) - 5)

static const struct lab_case cases[] = {
    {.name = PLACES,
     .points = 10,
     .params = "job=places entries=8400 gpus=4 streams=7",
     .input_bytes = ENTRIES(8400),
     .gpus = 4,
     .checked = true,
     .judge = mcipher_judge_places},
    {.name = ONE,
     .points = 5,
     .params = "job=decrypt entries=7000 gpus=1 streams=7 iters=12",
     .input_bytes = 2 * ENTRIES(7000),
     .output_bytes = 2 * ENTRIES(7000),
     .gpus = 4,
     .gpus_needed = 1,
     .checked = true,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = mcipher_judge_job},
    {.name = EVEN,
     .points = 10,
     .params = "job=decrypt entries=8400 gpus=4 streams=7 iters=12",
     .input_bytes = 2 * ENTRIES(8400),
     .output_bytes = 2 * ENTRIES(8400),
     .gpus = 4,
     .checked = true,
     .needs = ONE,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = mcipher_judge_job},
    {.name = UNEVEN,
     .points = 5,
     .params = "job=decrypt entries=10007 gpus=3 streams=5 iters=12 current=3",
     .input_bytes = 2 * ENTRIES(10007),
     .output_bytes = 2 * ENTRIES(10007),
     .gpus = 4,
     .checked = true,
     .needs = EVEN,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = mcipher_judge_job},
    {.name = EMPTY,
     .points = 5,
     .params = "job=decrypt entries=5 gpus=4 streams=2 iters=12",
     .input_bytes = 2 * ENTRIES(5),
     .output_bytes = 2 * ENTRIES(5),
     .gpus = 4,
     .needs = EVEN,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = mcipher_judge_job},
    {.name = "called again",
     .points = 5,
     .params = "job=decrypt entries=1000 gpus=4 streams=2 iters=12 again=1",
     .input_bytes = 2 * ENTRIES(1000),
     .output_bytes = 2 * ENTRIES(1000),
     .gpus = 4,
     .needs = EVEN,
     .compare = cipher_compare_job,
     .work = case_cipher_work,
     .judge = mcipher_judge_job},
    {.name = "clean",
     .points = 10,
     .params = "job=none",
     .needs = ONE,
     .judge = judge_tidy},
    {.name = LARGE,
     .points = 5,
     .params = "job=large entries=786427 streams=4 most_rounds=96",
     .params_cuda = "job=large entries=33554427 streams=8",
     .input_bytes = ENTRIES(LARGE_VGPU),
     .output_bytes = ENTRIES(LARGE_VGPU),
     .input_bytes_cuda = ENTRIES(LARGE_CUDA),
     .output_bytes_cuda = ENTRIES(LARGE_CUDA),
     .gpus = 4,
     .gpus_needed = 2,
     .drawn = true,
     .sweep = "job=point entries=786427 most_rounds=96",
     .sweep_cuda = "job=point entries=33554427",
     .needs = EVEN,
     .seconds = 120,
     .compare = cipher_compare_large,
     .work = case_cipher_work,
     .judge = mcipher_judge_large},
    {.name = "timer",
     .points = 10,
     .params = "job=none",
     .needs = LARGE,
     .judge = mcipher_judge_timer},
    {.name = "sweep",
     .points = 10,
     .params = "job=none",
     .needs = LARGE,
     .judge = mcipher_judge_sweep},
    {.name = "fast",
     .points = 15,
     .params = "job=none",
     .needs = LARGE,
     .judge = mcipher_judge_fast},
    {.name = "program",
     .points = 5,
     .params = "job=main",
     .gpus = 4,
     .gpus_needed = 1,
     .needs = EVEN,
     .judge = cipher_judge_program},
};

static const struct lab_rules lab_13 = {
    .name = "13_cipher_mgpu",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .baseline = "one GPU with overlap",
    .explain_end = explain_end,
};

LAB_RULES(lab_13);
