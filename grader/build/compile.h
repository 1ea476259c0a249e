/* compile.h: runs of a compiler, each in a cage, several at once */
#ifndef GRADER_COMPILE_H
#define GRADER_COMPILE_H

#include "cage/child.h"
#include "build/flags.h"
#include "base/lab.h"
#include "base/tools.h"

enum { MAX_ARGS = 64, COMPILE_SECONDS = 120, COMPILE_MOST = 24 };

/* One run of a compiler. All zero: none. */
struct compile {
    char *argv[MAX_ARGS], *env[16];
    struct fence fence;
    struct child_spec spec;
    struct child child;
};

/* What stays the same for all compiler runs of one program. */
struct maker {
    const struct tools *tools;
    enum backend backend;
    const struct lab_rules *rules;
    const char *lab;
    char *labs, *folder;
    struct flags flags; /* for the student's file */
    char *argv[MAX_ARGS];
    int num_args;
};

/* Begin a command line with the compiler and its options. */
void compile_start_command(struct maker *maker);
/* The same for one file to an object. @shared: all labs have it, and it sees
 * nothing of this one's. */
void compile_start(struct maker *maker, bool shared);
/* Takes @arg over. */
void compile_add(struct maker *maker, char *arg);
void compile_add_output(struct maker *maker, const char *source,
                        const char *output);
void compile_clear(struct maker *maker);

/*
 * Run the command line, as soon as there is a core for it.
 * @compile  all zero; it must stay where it is until compile_end()
 * @file     the student's file: only that, the lab's folder and what is
 *           included from there can be read of the labs; NULL: an own part
 */
void compile_begin(struct compile *compile, struct maker *maker,
                   const char *file);
/* Wait for it, take its words, and leave it all zero. Return: CHILD_EXITED
 * when it succeeded. */
enum child_end compile_end(struct compile *compile, struct text *messages);
/* End it now, if there is one. */
void compile_stop(struct compile *compile);
/* From its beginning to its end. */
enum child_end compile_run(struct maker *maker, const char *file,
                           struct text *messages);

#endif
