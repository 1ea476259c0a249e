/*
 * sweep.c: the speed of a submission with 1, 2, 4 ... 64 streams. In labs of
 * several GPUs whose rules say so (lab_case.sweep), with 1, 2, 4 ... GPUs and
 * up to 16 streams each.
 */
#include "grade/grade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "grade/cases.h"
#include "say/output.h"

enum { MOST_STREAMS = 64, CANNOT_RUN = 2 };

/* One line, from what the driver reported of one setting. */
static int print_case(const struct case_run *run, unsigned gpus,
                      uint64_t streams, bool ran)
{
    if (!ran || !case_has(run, "student_ns")) {
        printf("failed streams=%llu why=%s\n", (unsigned long long)streams,
               ran ? "no time was measured" : text_string(&run->ended));
        return 1;
    }
    printf("point");
    if (gpus > 0)
        printf(" gpus=%u", gpus);
    printf(" streams=%llu entries=%llu rounds=%lld student_ns=%lld "
           "serial_ns=%lld bound_ns=%lld wrong=%llu\n",
           (unsigned long long)streams,
           case_has(run, "entries")
               ? (unsigned long long)case_fact(run, "entries")
               : (unsigned long long)case_param(run, "entries"),
           (long long)case_fact(run, "rounds"),
           (long long)case_fact(run, "student_ns"),
           (long long)case_fact(run, "serial_ns"),
           (long long)case_fact(run, "bound_ns"),
           (unsigned long long)run->difference.wrong);
    return run->difference.wrong ? 1 : 0;
}

/*
 * @problem  what is to be solved
 * @gpus     0: a lab of one GPU
 */
static int try_case(struct workplace *place,
                    const struct grade_request *request,
                    const struct lab_case *rules, const char *problem,
                    unsigned gpus, uint64_t streams, bool first)
{
    char *const params = text_format("%s gpus=%u streams=%llu", problem, gpus,
                                     (unsigned long long)streams);
    struct case_result result = {0};
    int status;
    bool ran;

    progress("lab %s: %u GPU%s, %llu streams", request->lab->name,
             gpus > 0 ? gpus : 1, gpus > 1 ? "s" : "",
             (unsigned long long)streams);
    ran = case_try(&place->evidence, &place->job, rules, params, &result);
    progress_done();
    if (first)
        printf("device backend=%s name=%s\n", backend_word(result.run.backend),
               result.run.device);
    status = print_case(&result.run, gpus, streams, ran);
    if (!output_flush())
        status = CANNOT_RUN;
    case_result_free(&result);
    free(params);
    return status;
}

/* 1, 2, 4 ... and all of them; 0 behind the last. */
static unsigned next_gpus(unsigned gpus, unsigned all)
{
    if (gpus >= all)
        return 0;
    return 2 * gpus < all ? 2 * gpus : all;
}

static int sweep_case(struct workplace *place,
                      const struct grade_request *request,
                      const struct lab_case *rules)
{
    const unsigned there = (unsigned)request->tools->gpus.count;
    const unsigned needed =
        rules->gpus_needed > 0 ? rules->gpus_needed : rules->gpus;
    const bool real = request->backend == BACKEND_CUDA && there >= needed;
    const unsigned all = rules->gpus < 2 ? 0 : real ? there : rules->gpus;
    const char *const problem =
        real && rules->sweep_cuda ? rules->sweep_cuda : rules->sweep;
    const uint64_t most = all > 0 ? MOST_STREAMS / 4 : MOST_STREAMS;
    unsigned gpus = all > 0 ? 1 : 0;
    bool first = true;
    int status = 0;

    do {
        for (uint64_t s = 1; s <= most && status == 0; s *= 2) {
            status = try_case(place, request, rules, problem, gpus, s, first);
            first = false;
        }
        gpus = next_gpus(gpus, all);
    } while (gpus > 0 && status == 0);
    return status;
}

static const struct lab_case *swept_case(const struct lab_rules *lab)
{
    for (size_t i = 0; i < lab->num_cases; i++)
        if (lab->cases[i].sweep)
            return &lab->cases[i];
    return NULL;
}

int sweep_file(const struct grade_request *request, char **cause)
{
    const struct lab_case *const swept = swept_case(request->lab);
    struct workplace place;
    int status = CANNOT_RUN;

    if (swept == NULL) {
        *cause =
            text_format("lab %s has no streams to try", request->lab->name);
        return CANNOT_RUN;
    }
    if (workplace_open(&place, request, cause) == GRADE_DONE) {
        status = 1;
        if (place.evidence.built == BUILD_OK)
            status = sweep_case(&place, request, swept);
        else
            printf("failed streams=0 why=%s %s\n", request->file,
                   build_words(place.evidence.built));
    }
    workplace_close(&place);
    return status;
}
