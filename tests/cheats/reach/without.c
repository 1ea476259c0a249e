/*
 * without.c: run a command as on a kernel that lacks some of the cage's fences.
 *
 *   without [landlock] [seccomp] [namespaces] [processes] -- COMMAND...
 *
 * "processes": on one where no more can be started.
 * Calls that such a kernel does not have fail as they do there, for the command
 * and all that it starts. A filter cannot be taken back, so the grader and its
 * programs are in it alike; a program that a grader runs cannot put up one.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 32, CALL_LANDLOCK = 444, CALL_CLONE3 = 435 };

static struct sock_filter rules[MOST];
static unsigned short count;

static void add(unsigned code, unsigned value, unsigned yes, unsigned no)
{
    rules[count++] = (struct sock_filter){
        (unsigned short)code, (unsigned char)yes, (unsigned char)no, value};
}

static void lose(int number, int error)
{
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error, 0, 0);
}

static void lose_processes(void)
{
    lose(SYS_clone, EAGAIN);
    lose(CALL_CLONE3, EAGAIN);
#ifdef SYS_fork
    lose(SYS_fork, EAGAIN);
    lose(SYS_vfork, EAGAIN);
#endif
}

static int lose_fence(const char *name)
{
    if (strcmp(name, "landlock") == 0)
        lose(CALL_LANDLOCK, ENOSYS);
    else if (strcmp(name, "seccomp") == 0)
        lose(SYS_seccomp, EINVAL);
    else if (strcmp(name, "namespaces") == 0)
        lose(SYS_unshare, EPERM);
    else if (strcmp(name, "processes") == 0)
        lose_processes();
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    const struct sock_fprog program = {0, rules};
    struct sock_fprog used = program;
    int i = 1;

    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    while (i < argc && strcmp(argv[i], "--") != 0)
        if (!lose_fence(argv[i++]))
            return 2;
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    used.len = count;
    if (i + 1 >= argc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &used, 0, 0) != 0) {
        fprintf(stderr, "without: %s\n", strerror(errno));
        return 2;
    }
    execvp(argv[i + 1], argv + i + 1);
    fprintf(stderr, "without: %s: %s\n", argv[i + 1], strerror(errno));
    return 127;
}
