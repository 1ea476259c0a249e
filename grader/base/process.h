/* process.h: what /proc tells about processes; one of its own; the clock */
#ifndef GRADER_PROCESS_H
#define GRADER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Resident memory in bytes, 0 where it cannot be told. */
uint64_t process_resident(pid_t pid);

/* Processor time used so far, seconds. */
double process_cpu_s(pid_t pid);

/* How many it has, 0 where it cannot be told. */
int process_threads(pid_t pid);

/*
 * Where a process waits in the kernel: the call, the first three values that it
 * got, the stack and the code that it came from; "running" where it does not
 * wait, "" where nobody may know. Return: how many threads it has.
 */
int process_place(pid_t pid, char *place, size_t size);

/* Did a signal stop it? False where it cannot be seen. */
bool process_is_stopped(pid_t pid);

/* Does each of its threads wait for something other than a disk? */
bool process_is_asleep(pid_t pid);

/*
 * Count the processes of a session that live, with every orphan: a child of
 * this process that is of another session than its own. What is looked at is
 * what began after the session did, and not all that the machine runs.
 * @whole      all of it, all the same: whoever starts processes until their
 *             numbers begin anew hides from the other way
 * @is_spared  whether a session is that of a child which lives beside the one
 *             that is looked at, and so no orphan; NULL: there are none
 * @resident   their memory is added to it; NULL: they are killed
 * Return: how many lived.
 */
int process_visit_session(pid_t session, bool whole,
                          bool (*is_spared)(pid_t session), uint64_t *resident);

/* Did a child set up a filter of calls (seccomp) that this process has not? */
bool process_has_filter(pid_t pid);

/*
 * Have @make fill @answer, of up to PIPE_BUF @bytes, in a process of its own,
 * where what it loads stays until this one ends. Return: false where nothing
 * came back; the answer is then as it was.
 */
bool process_apart(void (*make)(void *answer), void *answer, size_t bytes);

/* Seconds on a clock that nobody sets. */
double process_now_s(void);

#endif
