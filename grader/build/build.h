/* build.h: make a lab program from a student's file */
#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include "base/lab.h"
#include "base/text.h"
#include "base/tools.h"

enum build_result {
    BUILD_OK,
    BUILD_STUDENT,  /* the student's file does not compile */
    BUILD_UNLINKED, /* it does, but calls what is defined nowhere */
    BUILD_REFUSED,  /* the grader does not take it, or its flags */
    BUILD_OWN,      /* the lab's own parts are at fault */
    BUILD_STOPPED,  /* told to stop */
};

struct build {
    int program_fd;       /* the program, its name removed */
    struct text messages; /* of the compiler, shortened */
};

/*
 * Compile @file, link it with the driver and the common parts. Those are kept
 * in build/obj/BACKEND/grade/ and made again only when they are out of date.
 * @folder  private and empty; what is written there may be removed
 */
enum build_result build_program(struct build *build, const struct tools *tools,
                                enum backend backend,
                                const struct lab_rules *lab, const char *file,
                                const char *folder);
void build_free(struct build *build);
/* What a file that is at fault does: "does not compile", ... */
const char *build_words(enum build_result result);

#endif
