/*
 * crash.h: what is said of host code that crashed.
 */
#ifndef VGPU_CRASH_H
#define VGPU_CRASH_H

#include <signal.h>
#include <stdbool.h>

/* @full: its stack was. */
static inline const char *crash_words(int number, bool full)
{
    if (number == SIGFPE)
        return "host code divides by zero";
    if (number == SIGILL)
        return "host code ends in a trap";
    if (full)
        return "the host's stack is full";
    return "host code uses an address that is not its own";
}

#endif
