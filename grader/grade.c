/* grade.c: one submission, from its file to its verdict */
#include "grade.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The checker is the virtual GPU's, whatever the backend of the grade. */
static void run_order(struct workplace *place,
                      const struct grade_request *request)
{
    struct evidence *evidence = &place->evidence;
    struct build build = {.program_fd = -1};
    char *why = NULL;

    evidence->order_available =
        tools_choose(request->tools, BACKEND_VGPU, &why) == BACKEND_VGPU;
    free(why);
    if (!evidence->order_available)
        return;
    if (evidence->backend == BACKEND_VGPU) {
        evidence->order_built = true;
        grade_order(evidence, &place->job, place->build.program_fd);
        return;
    }
    evidence->order_built =
        build_program(&build, request->tools, BACKEND_VGPU, request->lab,
                      request->file, place->folder) == BUILD_OK;
    if (evidence->order_built)
        grade_order(evidence, &place->job, build.program_fd);
    build_free(&build);
}

static void run_all(struct workplace *place,
                    const struct grade_request *request)
{
    struct evidence *evidence = &place->evidence;
    const char *const name = request->lab->name;

    progress("lab %s: every shape", name);
    grade_shapes(evidence, &place->job, place->build.program_fd);
    if (evidence->no_start.length > 0)
        return;
    progress("lab %s: order of the work", name);
    run_order(place, request);
    if (!evidence->shapes[0].right || child_interrupted())
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
