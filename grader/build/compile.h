/* compile.h: runs of a compiler, each in a cage, several at once */
#ifndef GRADER_COMPILE_H
#define GRADER_COMPILE_H

#include "base/job.h"
#include "cage/child.h"

enum {
    MAX_ARGS = 64,
    COMPILE_SECONDS = 120,
    COMPILE_MOST = 24,
    COMPILE_LARGEST_MIB = 1024, /* file that is made */
};

/* One run of a compiler. All zero: none. */
struct compile {
    const struct grade_job *job;
    char *argv[MAX_ARGS], *env[16];
    int num_args;
    struct fence fence;
    struct child_spec spec;
    struct child child;
};

/* Begin a command line with the compiler and its options. */
void compile_start(struct compile *compile, const struct grade_job *job,
                   enum backend backend);
/* Add a word to it. */
void compile_add(struct compile *compile, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* It makes an object. @shared: all labs have it, and it sees nothing of this
 * one's. */
void compile_add_object(struct compile *compile, bool shared);
void compile_add_output(struct compile *compile, const char *source,
                        const char *output);

/*
 * Run the command line, as soon as there is a core for it.
 * @compile  it must stay where it is until compile_end()
 * @file     the student's file: only that, the lab's folder and what is
 *           included from there can be read of the labs; NULL: an own part
 */
void compile_begin(struct compile *compile, const char *file);
/* Wait for it, take its words, and leave it all zero. Return: CHILD_EXITED
 * when it succeeded. */
enum child_end compile_end(struct compile *compile, struct out *messages);
/* End it now, if there is one. */
void compile_stop(struct compile *compile);

#endif
