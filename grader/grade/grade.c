/* grade.c: one submission, from its file to its verdict */
#include "grade/grade.h"

#include "base/progress.h"
#include "case/case.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run_all(struct workplace *place,
                    const struct grade_request *request)
{
    struct evidence *evidence = &place->evidence;
    const char *const name = request->lab->name;

    if (request->lab->num_cases > 0) {
        progress("lab %s: every case", name);
        grade_cases(evidence, &place->job, place->build.program_fd,
                    workplace_virtual_program(place, request));
    }
    if (request->lab->num_shapes == 0 || evidence->no_start.length > 0)
        return;
    progress("lab %s: every shape", name);
    grade_shapes(evidence, &place->job, place->build.program_fd);
    if (evidence->no_start.length > 0)
        return;
    progress("lab %s: order of the work", name);
    workplace_check_order(place, request);
    if (!evidence->shapes[0].right || evidence->off_device ||
        child_interrupted())
        return;
    progress("lab %s: speed", name);
    grade_speed(evidence, &place->job, place->build.program_fd);
}

enum grade_result grade_file(const struct grade_request *request,
                             struct verdict *verdict, char **cause)
{
    const double start_s = now_s();
    struct workplace place;
    enum grade_result result = workplace_open(&place, request, cause);

    if (result == GRADE_DONE && place.evidence.built == BUILD_OK)
        run_all(&place, request);
    if (result == GRADE_DONE && child_interrupted()) {
        *cause = text_format("interrupted");
        result = GRADE_CANNOT;
    }
    if (result == GRADE_DONE && place.evidence.no_start.length > 0) {
        *cause = text_format("%s", text_string(&place.evidence.no_start));
        result = GRADE_CANNOT;
    }
    if (result == GRADE_DONE) {
        verdict_make(verdict, &place.evidence, request->file);
        verdict->seconds = now_s() - start_s;
    }
    workplace_close(&place);
    return result;
}
