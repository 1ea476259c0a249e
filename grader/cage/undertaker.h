/*
 * undertaker.h: a process of the grader's own that outlives it by a moment.
 * When the grader ends, however it does, kill -9 included, the undertaker ends
 * what it started and removes its folder.
 */
#ifndef GRADER_UNDERTAKER_H
#define GRADER_UNDERTAKER_H

#include <stdbool.h>
#include <sys/types.h>

/* Once, before anything else is started. Without it (no memory, no processes)
 * all else works. */
void undertaker_start(void);
/* A session that the grader started or ended; its folder, NULL: removed. */
void undertaker_session(pid_t session, bool lives);
void undertaker_folder(const char *path);

#endif
