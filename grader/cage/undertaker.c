/* undertaker.c: a process that outlives the grader by a moment */
#include "cage/undertaker.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/process.h"

enum { MAX_SESSIONS = 32, KILL_ROUNDS = 2000 };

static int note_fd = -1;

/* ---- the undertaker ------------------------------------------------------ */

static pid_t sessions[MAX_SESSIONS];
static char folder[PATH_MAX + 2];

static void replace(pid_t old, pid_t new)
{
    for (int i = 0; i < MAX_SESSIONS; i++)
        if (sessions[i] == old) {
            sessions[i] = new;
            return;
        }
}

static void take_note(const char *line)
{
    const pid_t session = (pid_t)atol(line + 1);

    if (line[0] == '+')
        replace(0, session);
    else if (line[0] == '-')
        replace(session, 0);
    else
        snprintf(folder, sizeof folder, "%s", line + 1);
}

static void clean_up(void)
{
    for (int i = 0; i < MAX_SESSIONS; i++)
        for (int round = 0; sessions[i] > 0 && round < KILL_ROUNDS; round++) {
            if (process_visit_session(sessions[i], VISIT_KILL, NULL) == 0)
                break;
            usleep(1000);
        }
    if (folder[0])
        files_remove_tree(folder);
}

/* A byte at a time: the pipe's end may come behind any of them, and half a note
 * is none. Until then this process does nothing, and no signal but one that
 * nobody can refuse takes it away. */
static void watch(int fd)
{
    char line[PATH_MAX + 2];
    size_t length = 0;

    setsid(); /* a terminal's Ctrl-C is not for this one */
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    while (read(fd, line + length, 1) == 1) {
        if (line[length] == '\n') {
            line[length] = '\0';
            take_note(line);
            length = 0;
        } else if (length < sizeof line - 1) {
            length++;
        }
    }
    clean_up();
    _exit(0);
}

/* ---- the grader ---------------------------------------------------------- */

/* Nobody's child: the grader ends all children of its own. */
void undertaker_start(void)
{
    int fds[2];
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) != 0)
        return;
    pid = fork();
    if (pid == 0) {
        if (fork() != 0)
            _exit(0);
        close(fds[1]);
        for (int fd = 0; fd < 3; fd++) /* a pipe that waits for its end */
            dup2(fds[0], fd);
        watch(fds[0]);
    }
    close(fds[0]);
    if (pid < 0) {
        close(fds[1]);
        return;
    }
    waitpid(pid, NULL, 0);
    note_fd = fds[1];
}

static void note(char sign, const char *words)
{
    char line[PATH_MAX + 2];
    const int length = snprintf(line, sizeof line, "%c%s\n", sign, words);

    if (note_fd >= 0 && length < (int)sizeof line &&
        write(note_fd, line, (size_t)length) != length)
        note_fd = -1;
}

void undertaker_session(pid_t session, bool lives)
{
    char number[24];

    snprintf(number, sizeof number, "%ld", (long)session);
    note(lives ? '+' : '-', number);
}

void undertaker_folder(const char *path)
{
    note('=', path ? path : "");
}
