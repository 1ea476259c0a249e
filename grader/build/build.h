/* build.h: make a lab program from a student's file */
#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include "base/job.h"
#include "base/text.h"

enum build_result {
    BUILD_OK,
    BUILD_STUDENT,  /* the student's file does not compile */
    BUILD_UNLINKED, /* it does, but calls what is defined nowhere */
    BUILD_REFUSED,  /* the grader does not take it, or its flags */
    BUILD_OWN,      /* the lab's own parts are at fault */
    BUILD_STOPPED,  /* told to stop */
};

struct build {
    int program_fd;        /* the program, its name removed; -1: none */
    struct making *making; /* between its beginning and its end */
    struct out messages;   /* of the compiler, shortened */
};

/* Begin to compile the job's file, the driver and the common parts. Those are
 * kept in build/obj/BACKEND/grade/ and made again only when out of date. */
void build_begin(struct build *build, const struct grade_job *job,
                 enum backend backend);
/* Wait for all that, and link it. */
enum build_result build_end(struct build *build);
/* Whatever has been begun or made: it is ended. */
void build_free(struct build *build);
/* What a file that is at fault does: "does not compile", ... */
const char *build_words(enum build_result result);

#endif
