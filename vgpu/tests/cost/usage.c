/*
 * usage.c: usage [--calls] PROGRAM ARGUMENT...: what a program takes: seconds
 * of the processor, with its children, and KiB of memory; or how many system
 * calls it makes, with those of its first thread alone. Exit status: the
 * program's.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Each stops twice: when it begins and when it ends. */
static long count_calls(pid_t child, int *status)
{
    long stops = 0;
    int pass = 0;

    waitpid(child, status, 0);
    ptrace(PTRACE_SETOPTIONS, child, NULL,
           (void *)(long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    while (!WIFEXITED(*status) && !WIFSIGNALED(*status)) {
        ptrace(PTRACE_SYSCALL, child, NULL, (void *)(long)pass);
        if (waitpid(child, status, 0) < 0)
            return -1;
        pass = 0;
        if (!WIFSTOPPED(*status))
            continue;
        if (WSTOPSIG(*status) == (SIGTRAP | 0x80))
            stops++;
        else if (WSTOPSIG(*status) != SIGTRAP)
            pass = WSTOPSIG(*status);
    }
    return stops / 2;
}

int main(int argc, char **argv)
{
    const int calls = argc > 1 && !strcmp(argv[1], "--calls");
    struct rusage usage;
    int status = 0;
    pid_t child;

    if (argc < 2 + calls)
        return 2;
    child = fork();
    if (child == 0) {
        if (calls && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            return 126;
        execvp(argv[1 + calls], argv + 1 + calls);
        return 127;
    }
    if (calls) {
        fprintf(stderr, "%ld\n", count_calls(child, &status));
    } else {
        wait4(child, &status, 0, &usage);
        fprintf(stderr, "%.4f %ld\n",
                seconds(usage.ru_utime) + seconds(usage.ru_stime),
                usage.ru_maxrss);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
