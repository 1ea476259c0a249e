/* plate.h: whose turn it is on a GPU, and since when */
#ifndef GRADER_PLATE_H
#define GRADER_PLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All zero: nobody who can be seen. */
struct plate {
    pid_t pid;        /* 0: of another container */
    int64_t since_ms; /* of plate_now_ms() */
};

/* A clock that all processes of a machine share and nobody sets. */
int64_t plate_now_ms(void);

/*
 * Hang out that this process has a GPU from now on, until @fd is closed.
 * @fd     of the file that the locks are in
 * @gpu    its number, or PLATE_ALL
 * @alone  and whether it has it for itself
 */
enum { PLATE_ALL = 128 };
void plate_hang(int fd, unsigned gpu, bool alone);

/* The plate of another process that keeps this one from that GPU, the oldest of
 * them. Return: false without any; then @plate is zero. */
bool plate_find(int fd, unsigned gpu, bool alone, struct plate *plate);

/* "process 4711 of ann has had the GPU since 14:02 and is stopped: ...", and
 * what can be done about it. */
void plate_describe(const struct plate *plate, int64_t seen_ms, char *words,
                    size_t size);

#endif
