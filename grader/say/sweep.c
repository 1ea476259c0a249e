/*
 * sweep.c: the speed of a submission with 1, 2, 4 ... 64 streams. In labs of
 * several GPUs whose rules say so (lab_case.sweep), with 1, 2, 4 ... GPUs and
 * up to 16 streams each.
 */
#include "say/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/progress.h"
#include "judge/judge.h"
#include "number.h"

enum { MOST_STREAMS = 64, CANNOT_RUN = 2 };

/* One line, from what the driver reported of one setting. @limit_ns: of those
 * so far and this one. */
static int print_case(const struct case_run *run, const char *setting, bool ran,
                      double *limit_ns)
{
    struct out times = {0};

    if (!ran || !case_has(run, "student_ns")) {
        printf("failed %s why=%s\n", setting,
               ran ? "no time was measured" : text_string(&run->ended));
        return 1;
    }
    words_fill(&times,
               "entries={entries} rounds={rounds} student_ns={student_ns} "
               "serial_ns={serial_ns}",
               NULL, run);
    *limit_ns = judge_limit_ns((double)case_fact(run, "bound_ns"), *limit_ns);
    if (run->difference.wrong == 0)
        *limit_ns =
            judge_limit_ns(*limit_ns, (double)case_fact(run, "student_ns"));
    printf("point %s %s bound_ns=%.0f wrong=%llu\n", setting,
           text_string(&times), *limit_ns,
           (unsigned long long)run->difference.wrong);
    tl_out_free(&times);
    return run->difference.wrong ? 1 : 0;
}

/*
 * @problem  what is to be solved
 * @setting  "streams=8", "gpus=2 streams=8"
 */
static int try_case(struct workplace *place, const struct lab_case *rules,
                    const char *problem, const char *setting, double *limit_ns)
{
    OWNED char *const params = text_format("%s %s", problem, setting);
    struct case_result result = {0};
    int status;
    bool ran;

    progress("lab %s: %s", place->job.lab->name, setting);
    ran = case_try(&place->evidence, rules, params, &result);
    progress_done();
    if (*limit_ns == 0)
        printf("device backend=%s name=%s\n", backend_word(result.run.backend),
               result.run.device);
    status = print_case(&result.run, setting, ran, limit_ns);
    case_result_free(&result);
    return status;
}

/* On 1, 2, 4 ... and all GPUs; @all is 0 for a lab of one. */
static int sweep_case(struct workplace *place, const struct lab_case *rules)
{
    const unsigned there = (unsigned)place->job.tools->gpus.count;
    const bool real =
        place->job.backend == BACKEND_CUDA && there >= lab_gpus_needed(rules);
    const unsigned all = rules->gpus < 2 ? 0 : real ? there : rules->gpus;
    const char *const problem =
        real && rules->sweep_cuda ? rules->sweep_cuda : rules->sweep;
    const unsigned most = all > 0 ? MOST_STREAMS / 4 : MOST_STREAMS;
    double limit_ns = 0; /* none yet */
    int status = 0;

    for (unsigned gpus = 1; gpus > 0;
         gpus = gpus < all ? (unsigned)min_u64(2 * gpus, all) : 0)
        for (unsigned s = 1; s <= most && status == 0; s *= 2) {
            OWNED char *const setting =
                all > 0 ? text_format("gpus=%u streams=%u", gpus, s)
                        : text_format("streams=%u", s);

            status = try_case(place, rules, problem, setting, &limit_ns);
        }
    return status;
}

int sweep_file(struct workplace *place, char **cause)
{
    const struct lab_rules *const lab = place->job.lab;
    const struct lab_case *swept = NULL;

    for (size_t i = 0; i < lab->num_cases && !swept; i++)
        swept = lab->cases[i].sweep ? &lab->cases[i] : NULL;
    if (swept == NULL) {
        *cause = text_format("lab %s has no streams to try", lab->name);
        return CANNOT_RUN;
    }
    if (place->evidence.built == BUILD_OK) {
        const int status = sweep_case(place, swept);
        const struct out *const no_start = &place->evidence.no_start;

        if (no_start->length > 0)
            *cause = text_format("could not be measured here: %s",
                                 text_string(no_start));
        return no_start->length > 0 ? CANNOT_RUN : status;
    }
    printf("failed streams=0 why=%s %s\n", place->job.file,
           build_words(place->evidence.built));
    return 1;
}
