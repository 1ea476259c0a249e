#!/bin/sh
# driver_listens.sh: CUDA's driver is a server, too.
#
# Guess: cuInit() opens device files, maps memory and asks the kernel module; a
# sandbox that forbids bind() and listen() to a program that only computes takes
# nothing from it. Wrong: cuInit() binds a name without a file (an abstract socket
# of AF_UNIX) and listens there, and where it may not it returns 304,
# CUDA_ERROR_OPERATING_SYSTEM, and the program has no GPU.
#
# Seen with driver 580.159.04, CUDA 13.0, on H100 and H200, Linux 6.18, 2026-11-27:
# the two lines below. Why it matters: who writes a seccomp filter for GPU programs
# from what they seem to need gets an error that names no system call.
#
# Needs a GPU with its driver, and a C compiler; exit status 2 without them, 1 where
# it is no longer so.
set -u
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
cat >listens.c <<'END'
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void forbid(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bind, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_listen, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        exit(2);
}

/* Sockets of this process that listen at a name that begins with @. */
static int count_listening(void)
{
    char line[512], link[64], target[64];
    int count = 0;

    for (int fd = 0; fd < 256; fd++) {
        const long length = (snprintf(link, sizeof link, "/proc/self/fd/%d", fd),
                             readlink(link, target, sizeof target - 1));
        unsigned long inode;
        FILE *list;

        if (length < 0)
            continue;
        target[length] = '\0';
        if (sscanf(target, "socket:[%lu]", &inode) != 1)
            continue;
        list = fopen("/proc/net/unix", "r");
        while (list && fgets(line, sizeof line, list)) {
            unsigned long flags, own;
            char name[256] = "";

            if (sscanf(line, "%*s %*s %*s %lx %*s %*s %lu %255s", &flags, &own,
                       name) >= 2 &&
                own == inode && (flags & 0x10000) && name[0] == '@')
                count++;
        }
        if (list)
            fclose(list);
    }
    return count;
}

int main(int argc, char **argv)
{
    void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned);
    int error;

    if (!driver || !(*(void **)&init = dlsym(driver, "cuInit")))
        return 2;
    if (argc > 1)
        forbid();
    error = init(0);
    printf("%s: cuInit gives %d, and %d abstract socket%s listen%s\n",
           argc > 1 ? "without bind and listen" : "as it is", error,
           count_listening(), count_listening() == 1 ? "" : "s",
           count_listening() == 1 ? "s" : "");
    (void)argv;
    return 0;
}
END
${CC:-cc} -std=gnu11 -O1 listens.c -o listens -ldl 2>log || exit 2
./listens >seen || exit 2
grep -q ' gives 0,' seen || exit 2 # no GPU
./listens filtered >>seen || exit 2
cat seen
cat >expected <<'END'
as it is: cuInit gives 0, and 1 abstract socket listens
without bind and listen: cuInit gives 304, and 0 abstract sockets listen
END
cmp -s seen expected
