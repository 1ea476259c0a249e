/* build.h: make a lab program from a student's file */
#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include "base/lab.h"
#include "base/text.h"
#include "base/tools.h"

enum build_result {
    BUILD_OK,
    BUILD_STUDENT, /* the student's file is at fault */
    BUILD_OWN,     /* the lab's own parts are */
    BUILD_STOPPED, /* told to stop */
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

#endif
