/*
 * 11_multi_gpu.c: rules of lab 11. One host thread and several GPUs. Here: a
 * function that did not return, what is left behind, and the table of all
 * cases.
 */
#include <string.h>

#include "11_multi.h"
#include "cipher.h"

static bool is_job(const struct case_run *run, const char *job)
{
    return strstr(run->params, job) != NULL;
}

/* ---- a function that did not return -------------------------------------- */

/* What of the work has reached a GPU before the error? A run that ended has a
 * trace only where it was under the checker. */
static unsigned count_copies(const struct case_run *run)
{
    const struct query copies = {.kinds = QUERY_COPIES};

    return run->traced ? query_count(&run->trace, &copies) : 0;
}

static struct finding explain_outside(const struct case_run *run,
                                      const char *at)
{
    if (!case_is(run, EVEN))
        return mistake_with("part-too-long", "at=%s", at);
    if (count_copies(run) > 0)
        return mistake_with("global-offset", "at=%s", at);
    return mistake_with("outside-the-part", "at=%s", at);
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

static bool is_launch(const struct api_error *error)
{
    return strncmp(error->call, "cudaGetLastError", 16) == 0 ||
           strncmp(error->call, "cudaPeekAtLastError", 19) == 0;
}

static struct finding explain_end(const struct case_run *run)
{
    const struct api_error *const error = &run->error;
    const bool invalid = strcmp(error->name, "cudaErrorInvalidValue") == 0;

    if (strcmp(error->name, "cudaErrorIllegalAddress") == 0 ||
        strcmp(run->late, "cudaErrorIllegalAddress") == 0)
        return explain_fault(run);
    if (strcmp(error->name, "cudaErrorInvalidDevice") == 0)
        return mistake("no-such-gpu");
    /* CUDA 13 on an H200 says InvalidValue to a launch of 0 blocks. */
    if (strcmp(error->name, "cudaErrorInvalidConfiguration") == 0 ||
        (invalid && is_launch(error)))
        return mistake("empty-launch");
    if (strncmp(error->call, "cudaFree", 8) == 0 && is_job(run, "job=memory"))
        return mistake("free-mismatch");
    if (invalid && strncmp(error->call, "cudaMemcpy", 10) == 0 &&
        is_job(run, "job=decrypt"))
        return explain_outside(run, error->at);
    return finding_end(run);
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
        const int from = job ? (int)case_fact(job, "changed_from") : 0;
        const int to = job ? (int)case_fact(job, "changed_to") : 0;
        struct finding found;

        if (by[0] == '\0')
            continue;
        if (case_is_open(run, 6))
            found = finding_open_todo(run->evidence);
        else if (to == 0)
            found =
                mistake_with("device-0-assumed", "by=%s\nfrom=%d", by, from);
        else
            found = mistake_with("device-changed", "by=%s\nto=%d", by, to);
        judge_fail(judgement, found, "%s: GPU %d before, GPU %d after", by,
                   from, to);
        return;
    }
    judge_pass(judgement, "the same before and after each call");
}

static struct finding explain_warning(const struct case_run *run)
{
    const char *const seen =
        run->virtual_run ? text_string(&run->virtual_run->checked.first_warning)
                         : "";

    if (strstr(seen, "is launched into a stream of device"))
        return mistake("stream-of-another-gpu");
    return finding_leak(run);
}

static void judge_tidy(const struct case_run *run, struct judgement *judgement)
{
    for (size_t i = 0; i < JOBS; i++) {
        const struct case_run *const job = case_other(run, jobs[i]);

        if (job && job->ran && !judge_clean(job, judgement)) {
            if (!judgement->finding.id)
                judgement->finding = explain_warning(job);
            return;
        }
    }
    judge_pass(judgement, "no error left, no leak");
}

/* ---- the rules ----------------------------------------------------------- */

#define ENTRIES(n) ((n) * sizeof(uint64_t))

/* Half a million entries for each virtual GPU, behind a slow link: the copies
 * take much longer than the calls that queue them. Few rounds, for it is the
 * processor that runs them. */
#define LARGE_VGPU ((1 << 21) - 5)
#define LARGE_CUDA ((1 << 25) - 5)

#define JOB_OF(n)                                                              \
    .input_bytes = 2 * ENTRIES(n), .output_bytes = 2 * ENTRIES(n),             \
    .compare = cipher_compare_job, .judge = multi_judge_job, .checked = true,  \
    .work = case_cipher_work

static const struct lab_case cases[] = {
    {.name = SPLIT,
     .points = 10,
     .params = "job=parts sizes=9 n0=12 g0=3 n1=10 g1=3 n2=10 g2=7 n3=10007 "
               "g3=4 n4=5 g4=4 n5=3 g5=8 n6=1 g6=2 n7=7 g7=1 n8=0 g8=3",
     .output_bytes = 2 * ENTRIES(3 + 3 + 7 + 4 + 4 + 8 + 2 + 1 + 3),
     .judge = multi_judge_parts},
    {.name = MEMORY,
     .points = 10,
     .params = "job=memory entries=10007 use=3",
     .gpus = 4,
     .gpus_needed = 2,
     .input_bytes = ENTRIES(10007),
     .checked = true,
     .needs = SPLIT,
     .judge = multi_judge_memory},
    {.name = "memory given back",
     .points = 5,
     .params = "job=none",
     .needs = MEMORY,
     .judge = multi_judge_given_back},
    {.name = EVEN, /* 9240 divides by 1 to 8 */
     .points = 15,
     .params = "job=decrypt entries=9240 use=4 iters=12",
     .gpus = 4,
     .gpus_needed = 2,
     .needs = MEMORY,
     JOB_OF(9240)},
    {.name = UNEVEN,
     .points = 5,
     .params = "job=decrypt entries=10007 use=3 iters=12",
     .gpus = 4,
     .gpus_needed = 2,
     .needs = EVEN,
     JOB_OF(10007)},
    {.name = FEW,
     .points = 5,
     .params = "job=decrypt entries=10 use=7 iters=12",
     .gpus = 7,
     .needs = EVEN,
     JOB_OF(10)},
    {.name = "one GPU",
     .points = 5,
     .params = "job=decrypt entries=1000 use=1 iters=12",
     .needs = EVEN,
     JOB_OF(1000)},
    {.name = AGAIN,
     .points = 5,
     .params = "job=decrypt entries=3001 use=3 iters=12 current=1 again=1",
     .gpus = 4,
     .gpus_needed = 2,
     .needs = EVEN,
     JOB_OF(3001)},
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
    {.name = LARGE,
     .points = 5,
     .params = "job=large entries=2097147 rounds=60",
     .params_cuda = "job=large entries=33554427",
     .gpus = 4,
     .gpus_needed = 2,
     .input_bytes = ENTRIES(LARGE_VGPU),
     .output_bytes = ENTRIES(LARGE_VGPU),
     .input_bytes_cuda = ENTRIES(LARGE_CUDA),
     .output_bytes_cuda = ENTRIES(LARGE_CUDA),
     .drawn = true,
     .needs = EVEN,
     .seconds = 60,
     .compare = cipher_compare_large,
     .work = case_cipher_work,
     .judge = multi_judge_large},
    {.name = "fast",
     .points = 20,
     .params = "job=none",
     .needs = LARGE,
     .judge = multi_judge_fast},
};

static const struct lab_rules lab_11 = {
    .name = "11_multi_gpu",
    .virtual_device = "k20",
    .points_builds = 5,
    .cases = cases,
    .num_cases = sizeof cases / sizeof *cases,
    .has_baseline = true,
    .baseline = "one GPU",
    .explain_end = explain_end,
};

LAB_RULES(lab_11);
