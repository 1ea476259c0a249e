/* turn.h: one time at a time on each of a machine's real GPUs */
#ifndef GRADER_TURN_H
#define GRADER_TURN_H

#include <stdbool.h>

enum {
    TURN_MOST_S = 180, /* no grading needs one for so long */
    TURN_TELL_S = 5,   /* who waits is told for whom */
};

/* This grading's turn on the GPUs that a file stands for. */
struct turn {
    const char *const *files; /* the first that can be opened; ends with NULL */
    double most_s, tell_s;
    int depth, fd; /* 0: outside of a turn */
    bool refused;  /* the last one: somebody keeps them */
    char why[400]; /* who, and what to do; "" before any was refused */
};

/*
 * Wait until this grading may use its GPUs: those that CUDA_VISIBLE_DEVICES
 * counts up, or all of them. Where the system has no lock for it, or the user
 * wants to stop, it goes on at once. A turn within a turn is part of it.
 * After @tell_s a line on stderr says who has them.
 * @alone  a time is right only where no other grading has work for them; else
 *         those may that measure nothing either
 * Return: false where one and the same turn of another has lasted @most_s. Who
 * died has none. turn_end() follows in any case.
 */
bool turn_begin(struct turn *turn, bool alone);
void turn_end(struct turn *turn);

/* Take all of them, what has been taken again. Return: false where others have
 * one, or with @wait where a signal came. */
bool turn_take(int fd, bool alone, bool wait);

/*
 * The GPUs that @visible names, a list of numbers as in CUDA_VISIBLE_DEVICES.
 * @visible  may be NULL
 * @gpus     their numbers, @room of them at most
 * Return: how many; 0 where it is not such a list: then take all of them.
 */
unsigned turn_gpus(const char *visible, unsigned char gpus[], unsigned room);

#endif
