/* grade.c: one submission, from its file to its verdict */
#include "grade/grade.h"

#include "base/process.h"
#include "base/progress.h"
#include "grade/cases.h"

#include <stdlib.h>
#include <string.h>

enum grade_result grade_file(const struct grade_request *request,
                             struct verdict *verdict, char **cause)
{
    const double start_s = process_now_s();
    struct workplace place;
    enum grade_result result = workplace_open(&place, request, cause);

    if (result == GRADE_DONE && place.evidence.built == BUILD_OK) {
        progress("lab %s: every case", request->lab->name);
        grade_cases(&place.evidence, &place.job);
    }
    if (result == GRADE_DONE && child_interrupted()) {
        *cause = text_format("interrupted");
        result = GRADE_CANNOT;
    }
    if (result == GRADE_DONE && place.evidence.no_start.length > 0) {
        *cause = text_format("could not be graded here: %s",
                             text_string(&place.evidence.no_start));
        result = GRADE_CANNOT;
    }
    if (result == GRADE_DONE) {
        verdict_make(verdict, &place.evidence, request->file);
        verdict->seconds = process_now_s() - start_s;
    }
    workplace_close(&place);
    return result;
}
