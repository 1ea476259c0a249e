/* attempts.h: what is tried from within the cage, in tables */
#ifndef ATTEMPTS_H
#define ATTEMPTS_H

#include <sys/types.h>

/* What the runner has put outside, for the attempts to reach. */
struct outside {
    char folder[400]; /* with next/lab.cu, tree/solution.cu, home/secret */
    pid_t victim;     /* a process of the same user */
    int port, key;    /* a TCP port that listens; System V's key */
};

struct attempt {
    const char *kind, *name;
    /* Return: 0 it got through, else why not: an errno. */
    int (*try)(const struct outside *outside, long value);
    long value;
};

extern const struct attempt file_attempts[], process_attempts[],
    machine_attempts[]; /* each ends with no name */

/* A path outside, in a buffer that the next call uses again but one. */
const char *outside_path(const struct outside *outside, const char *name);

#endif
