/* compile.h: one run of a compiler, in a cage */
#ifndef GRADER_COMPILE_H
#define GRADER_COMPILE_H

#include "cage/child.h"
#include "build/flags.h"
#include "base/lab.h"
#include "base/tools.h"

enum { MAX_ARGS = 64, COMPILE_SECONDS = 120 };

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
/* The same for one file to an object. */
void compile_start(struct maker *maker);
/* Takes @arg over. */
void compile_add(struct maker *maker, char *arg);
void compile_add_output(struct maker *maker, const char *source,
                        const char *output);
void compile_clear(struct maker *maker);

/*
 * Run it.
 * @file  the student's file: only that, the lab's folder and what is included
 *        from there can be read of the labs; NULL: an own part
 * Return: CHILD_EXITED when it succeeded.
 */
enum child_end compile_run(struct maker *maker, const char *file,
                           struct text *messages);

#endif
