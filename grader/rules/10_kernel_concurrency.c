/*
 * 10_kernel_concurrency.c: rules of lab 10. A kernel for any grid, the grid
 * that fills a device, small jobs at once, and a prediction. Here: a function
 * that did not return, and the table of all cases.
 */
#include <string.h>

#include "10_kernels.h"

/* ---- the end of a run ---------------------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const struct finding end = finding_end(run);
    const char *const error = run->error.name;

    if (!end.id || !finding_is(&end, "cuda-error") ||
        !strstr(run->params, "what=kernel"))
        return end;
    if (strcmp(error, "cudaErrorIllegalAddress") == 0)
        return kernels_todo_or(run, kernels_explain_guard());
    if (strcmp(error, "cudaErrorInvalidValue") == 0 ||
        strcmp(error, "cudaErrorInvalidConfiguration") == 0 ||
        strcmp(error, "cudaErrorLaunchOutOfResources") == 0)
        return mistake_with("launch-refused", "block_threads=%d\nerror=%s",
                            BLOCK_THREADS, error);
    return end;
}

/* ---- the rules ----------------------------------------------------------- */

enum { FULL_ENTRIES = 320 * 1024 };

#define ANY "any grid"
/* Of all jobs that are timed. */
static uint64_t work(const struct case_run *run)
{
    return SMALL * (uint64_t)case_fact(run, "small_iters") +
           (uint64_t)(case_fact(run, "half_entries") *
                      case_fact(run, "half_iters")) +
           (uint64_t)(case_fact(run, "full_entries") *
                      case_fact(run, "full_iters"));
}

/* Room for the jobs of the largest device: the driver takes what it needs. */
static uint64_t count_jobs(const struct case_run *run)
{
    (void)run;
    return SMALL + 3 * FULL_ENTRIES;
}

/* One input, and what each grid makes of it. */
static const struct case_data grids = {.inputs = 1,
                                       .outputs = NUM_GRIDS,
                                       .entries = "n",
                                       .compare = kernels_compare_grids};
/* The run that is timed, then the one that is looked at as it returns. */
static const struct case_data jobs = {.inputs = 1,
                                      .outputs = 2,
                                      .count = count_jobs,
                                      .compare = kernels_compare_jobs,
                                      .work = work};

#define PREDICT(label, where, full_us)                                         \
    .name = label, .points = 5, .profile = where, .needs = ANY,                \
    .params =                                                                  \
        "what=predict us=300 full_us=" full_us " rounds=80000000 todo=6",      \
    .judge = kernels_judge_predict

static const struct lab_case cases[] = {
    {.name = ANY,
     .points = 15,
     .params = "what=kernel n=5000 todo=1",
     .data = &grids,
     .checked = true,
     .judge = kernels_judge_grids},
    {.name = "launch bounds",
     .points = 5,
     .params = "what=bounds todo=2",
     .judge = kernels_judge_bounds},
    {.name = HERE,
     .points = 10,
     .params = "what=resident todo=3",
     .judge = kernels_judge_resident},
    {.name = "resident on a C1060",
     .points = 5,
     .params = "what=resident todo=3",
     .profile = "c1060",
     .judge = kernels_judge_resident},
    {.name = "resident on a C2050",
     .points = 5,
     .params = "what=resident current=1 todo=3",
     .profile = "c2050",
     .gpus = 2,
     .looked = true,
     .judge = kernels_judge_resident},
    {.name = GRID,
     .points = 15,
     .params = "what=grid todo=4",
     .judge = kernels_judge_grid},
    {.name = "small jobs together",
     .points = 20,
     .params = "what=jobs us=400 full_us=150 rounds=48000000 todo=5",
     .params_cuda = "what=jobs us=3000 full_us=1000 todo=5",
     .data = &jobs,
     .checked = true,
     .timed = true,
     .drawn = true,
     .needs = ANY,
     .judge = kernels_judge_jobs},
    {PREDICT("predicted here", NULL, "100"), .timed = true,
     .params_cuda = "what=predict us=3000 full_us=1000 todo=6"},
    {PREDICT("predicted for a C1060", "c1060", "200")},
    {PREDICT("predicted for a C2050", "c2050", "200")},
    {PREDICT("predicted for an H200", "h200", "8")},
};

LAB_RULES(.name = "10_kernel_concurrency", .explain_end = explain_end);
