/* sweep.c: the speed of a submission with 1, 2, 4 ... 64 streams */
#include "grade.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STREAMS = 64, CANNOT_RUN = 2 };

static void measure(struct workplace *place, struct lab_rules *rules,
                    uint64_t streams)
{
    struct speed_result *speed = &place->evidence.speed;

    run_free(&speed->large);
    text_free(&speed->ended);
    memset(speed, 0, sizeof *speed);
    rules->speed.streams_cuda = streams;
    rules->speed.streams_vgpu = streams;
    grade_speed(&place->evidence, &place->job, place->build.program_fd);
}

/* One line for each measurement; tools/sweep draws them. */
static int print_point(const struct evidence *evidence, uint64_t streams)
{
    const struct speed_result *speed = &evidence->speed;

    if (!speed->measured) {
        printf("failed streams=%llu why=%s\n", (unsigned long long)streams,
               speed->ended.length ? text_string(&speed->ended)
                                   : text_string(&speed->large.ended));
        return 1;
    }
    printf(
        "point streams=%llu entries=%llu rounds=%llu student_ns=%llu "
        "serial_ns=%llu bound_ns=%llu wrong=%llu\n",
        (unsigned long long)streams, (unsigned long long)speed->entries,
        (unsigned long long)speed->iters, (unsigned long long)speed->student_ns,
        (unsigned long long)speed->serial_ns,
        (unsigned long long)speed->bound_ns, (unsigned long long)speed->wrong);
    return speed->wrong ? 1 : 0;
}

static int sweep_it(struct workplace *place,
                    const struct grade_request *request)
{
    struct lab_rules rules = *request->lab;
    int status = 0;

    place->evidence.lab = &rules;
    for (uint64_t streams = 1; streams <= MOST_STREAMS && status == 0;
         streams *= 2) {
        progress("lab %s: %llu streams", request->lab->name,
                 (unsigned long long)streams);
        measure(place, &rules, streams);
        progress_done();
        if (streams == 1)
            printf("device backend=%s name=%s\n",
                   backend_word(request->backend), place->evidence.device);
        status = print_point(&place->evidence, streams);
        fflush(stdout);
    }
    place->evidence.lab = request->lab;
    return status;
}

int sweep_file(const struct grade_request *request, char **cause)
{
    struct workplace place;
    int status = CANNOT_RUN;

    if (request->lab->num_shapes == 0) {
        *cause =
            text_format("lab %s has no streams to try", request->lab->name);
        return CANNOT_RUN;
    }
    if (workplace_open(&place, request, cause) == GRADE_DONE) {
        status = 1;
        if (place.evidence.built == BUILD_OK)
            status = sweep_it(&place, request);
        else
            printf("failed streams=0 why=%s does not compile\n", request->file);
    }
    workplace_close(&place);
    return status;
}
