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

/* Resident memory of all processes of a session. */
uint64_t process_session_resident(pid_t session);

/* Processes of a session that live. */
int process_count_session(pid_t session);

/* From now on ask this whether a session is that of a child which lives beside
 * the one that is looked at: it is no orphan. */
void process_spare(bool (*is_living)(pid_t session));

/*
 * Kill every process of a session, and with @orphans every child of this
 * process that is not of its own session nor spared. Return: how many lived.
 */
int process_kill_session(pid_t session, bool orphans);

/*
 * Have @make fill @answer, of @bytes bytes, in a process of its own: what it
 * loads, fences off or breaks is gone with that. Return: false where nothing
 * came back; the answer is then not to be used.
 */
bool process_apart(void (*make)(void *answer), void *answer, size_t bytes);

/* Seconds on a clock that nobody sets. */
double process_now_s(void);

#endif
