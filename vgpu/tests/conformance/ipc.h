/*
 * ipc.h: two processes that talk over pipes: what each sends, the other gets
 */
#ifndef IPC_H
#define IPC_H

#include "fact.h"

static int ipc_up[2], ipc_down[2]; /* to the parent, to the child */

static inline void ipc_move(int fd, void *bytes, size_t count, int writes)
{
    char *at = (char *)bytes;

    while (count) {
        ssize_t n = writes ? write(fd, at, count) : read(fd, at, count);

        if (n <= 0)
            exit(3);
        at += n;
        count -= (size_t)n;
    }
}

/* Neither may have made a CUDA call before. The child's facts come while the
 * parent waits, and the other way round. */
static inline void ipc_run(void (*parent)(void), void (*child)(void))
{
    int status = 0;
    pid_t pid;

    if (pipe(ipc_up) || pipe(ipc_down))
        exit(1);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        close(ipc_up[0]);
        close(ipc_down[1]);
        child();
        fflush(stdout);
        exit(0);
    }
    close(ipc_up[1]);
    close(ipc_down[0]);
    parent();
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        exit(1);
    fact_int("child.status", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

#define IPC_TELL_CHILD(what)  ipc_move(ipc_down[1], &(what), sizeof(what), 1)
#define IPC_FROM_PARENT(what) ipc_move(ipc_down[0], &(what), sizeof(what), 0)
#define IPC_TELL_PARENT(what) ipc_move(ipc_up[1], &(what), sizeof(what), 1)
#define IPC_FROM_CHILD(what)  ipc_move(ipc_up[0], &(what), sizeof(what), 0)

#endif
