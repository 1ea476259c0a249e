/*
 * calls.h: what a program in the cage may ask of the kernel: calls.def, as a
 * seccomp filter.
 */
#ifndef GRADER_CALLS_H
#define GRADER_CALLS_H

#include <stdbool.h>
#include <stdint.h>

enum call_user { CALLS_PROGRAM = 1, CALLS_GPU = 2, CALLS_COMPILER = 4 };

struct calls {
    unsigned users;  /* of enum call_user: what one of them may, it may */
    const void *env; /* only with this one another program takes its place */
    bool reported;   /* CALLS_FD tells somebody what is refused, who answers */
};

/* Where calls_close puts the descriptor that tells of refused calls. */
enum { CALLS_FD = 60 };

/* For the rest of this process and all that it starts. Needs no_new_privs.
 * Return: false where the kernel has no filters. */
bool calls_close(const struct calls *calls);

/* Has the kernel such filters? */
bool calls_are_there(void);

/* Take what @fd, another process's CALLS_FD, has to tell, refuse it, and say so
 * on stderr. */
void calls_answer(int fd);

#endif
