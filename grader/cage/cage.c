/*
 * cage.c: the child's side, between fork and exec: its own session, its
 * limits, its descriptors, and no leave to start other programs.
 */
#include "cage/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST_FD = 3, LAST_FD = 7, PARK_FD = 40, CALL_CLOSE_RANGE = 436 };

static void limit(int what, rlim_t value)
{
    const struct rlimit both = {value, value};

    setrlimit(what, &both);
}

static void set_limits(const struct child_spec *spec)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, spec->file_bytes);
    limit(RLIMIT_NOFILE, 1024);
    limit(RLIMIT_CPU, 600); /* a last line: see child_ask */
}

/* ---- no other programs -------------------------------------------------- */

#if defined(__x86_64__)
#define CAGE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CAGE_ARCH AUDIT_ARCH_AARCH64
#endif

#define LOAD(field)                                                            \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value, skip)                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define GIVE(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSE      (SECCOMP_RET_ERRNO | EPERM)

/* Only with this value, a process's or a pointer's. */
#define ONLY_WITH(call, arg, value)                                            \
    SKIP_UNLESS(call, 4), LOAD(args[arg]), SKIP_UNLESS((value), 1),            \
        GIVE(SECCOMP_RET_ALLOW), GIVE(REFUSE)
/* Not with descriptors that are the driver's. */
#define NOT_OURS(call, arg)                                                    \
    SKIP_UNLESS(call, 5), LOAD(args[arg]),                                     \
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_FD, 0, 2),                   \
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_FD, 1, 0), GIVE(REFUSE),      \
        GIVE(SECCOMP_RET_ALLOW)
/* Not with any of these bits. */
#define NOT_WITH(call, arg, bits)                                              \
    SKIP_UNLESS(call, 4), LOAD(args[arg]),                                     \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), GIVE(REFUSE),      \
        GIVE(SECCOMP_RET_ALLOW)
#define NEVER(call) SKIP_UNLESS(call, 1), GIVE(REFUSE)

/*
 * fork, vfork and clone without CLONE_THREAD fail; threads are free. clone3
 * is said not to exist, so that the C library takes clone, whose flags a
 * filter can see. Signals reach nobody but itself, nor does a debugger's
 * hand. No other program takes this one's place: only @env, an address that
 * nobody in there knows, lets the first one begin. Its descriptors stay what
 * they are, and in a @bare one no page that was written becomes code. Where the
 * kernel has no filters, child.c's count of processes is what is left.
 */
static void forbid_processes(const void *env, bool bare)
{
#ifdef CAGE_ARCH
    const uint32_t self = (uint32_t)getpid(), code = bare ? PROT_EXEC : 0;
    struct sock_filter rules[] = {
        LOAD(arch),
        SKIP_UNLESS(CAGE_ARCH, 1),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        GIVE(REFUSE),
#ifdef __NR_fork
        NEVER(__NR_fork),
        NEVER(__NR_vfork),
#endif
        /* No network: only sockets of this machine. */
        SKIP_UNLESS(__NR_socket, 5),
        LOAD(args[0]),
        SKIP_UNLESS(AF_INET, 1),
        GIVE(REFUSE),
        SKIP_UNLESS(AF_INET6, 1),
        GIVE(REFUSE),
        LOAD(nr),
        NEVER(__NR_ptrace),
        NEVER(__NR_execve),
        ONLY_WITH(__NR_execveat, 3, (uint32_t)(uintptr_t)env),
#ifdef __NR_dup2
        NOT_OURS(__NR_dup2, 1),
#endif
        NOT_OURS(__NR_dup3, 1),
        NOT_OURS(__NR_close, 0),
        NEVER(CALL_CLOSE_RANGE),
        NOT_WITH(__NR_mprotect, 2, code),
        NOT_WITH(__NR_pkey_mprotect, 2, code),
        NOT_WITH(__NR_mremap, 3, code ? MREMAP_FIXED : 0),
        NEVER(__NR_process_vm_writev),
        NEVER(__NR_pidfd_send_signal),
        ONLY_WITH(__NR_kill, 0, self),
        ONLY_WITH(__NR_tgkill, 0, self),
        ONLY_WITH(__NR_rt_sigqueueinfo, 0, self),
        ONLY_WITH(__NR_rt_tgsigqueueinfo, 0, self),
        SKIP_UNLESS(__NR_clone3, 1),
        GIVE(SECCOMP_RET_ERRNO | ENOSYS),
        SKIP_UNLESS(__NR_clone, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        GIVE(REFUSE),
        GIVE(SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};

    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#endif
}

/* ---- descriptors -------------------------------------------------------- */

static void place_fd(int parked, int wanted)
{
    if (parked >= 0)
        dup2(parked, wanted);
    else
        close(wanted);
}

static int park(int fd)
{
    return fd < 0 ? -1 : fcntl(fd, F_DUPFD, PARK_FD);
}

/* Return: where the program's own descriptor went, or -1. */
static int arrange_fds(const struct child_spec *spec,
                       const struct child_pipes *pipes)
{
    const int in = open("/dev/null", O_RDONLY);
    const int wanted[] = {in,
                          pipes->of[CHILD_OUT][1],
                          pipes->of[CHILD_ERR][1],
                          spec->talks ? pipes->command[0] : -1,
                          spec->talks ? pipes->of[CHILD_REPLY][1] : -1,
                          spec->pass_fds[0],
                          spec->pass_fds[1],
                          spec->talks ? pipes->of[CHILD_REPORT][1] : -1};
    int parked[LAST_FD + 1];
    const int program = park(spec->program_fd);

    for (int i = 0; i <= LAST_FD; i++)
        parked[i] = park(wanted[i]);
    for (int i = 0; i <= LAST_FD; i++)
        place_fd(parked[i], i);
    if (program >= 0)
        dup2(program, LAST_FD + 1);
    for (int fd = LAST_FD + (program >= 0 ? 2 : 1); fd < 256; fd++)
        close(fd);
    if (program < 0)
        return -1;
    fcntl(LAST_FD + 1, F_SETFD, FD_CLOEXEC);
    return LAST_FD + 1;
}

/* The grader reads it from stderr: what cannot be run is no student's fault. */
static void __attribute__((noreturn)) give_up(int status)
{
    dprintf(STDERR_FILENO, CAGE_SAYS "%s\n", strerror(errno));
    _exit(status);
}

/* A shell takes the command's words apart; the program's name is their last. */
static void run_under(const struct child_spec *spec, int program)
{
    char name[40];
    char *const command = text_format("exec %s \"$0\"", spec->under);
    char *const argv[] = {"sh", "-c", command, name, NULL};

    snprintf(name, sizeof name, "/proc/self/fd/%d", program);
    fcntl(program, F_SETFD, 0);
    execve("/bin/sh", argv, (char *const *)spec->env);
}

/* Both fences want no_new_privs, without which the kernel takes none from a
 * user: a program with more rights could be run behind them. */
bool cage_close(const struct child_spec *spec)
{
    bool entered;

    set_limits(spec);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    entered = spec->fence && fence_enter(spec->fence);
    if (!spec->may_fork)
        forbid_processes(spec->env, spec->bare);
    return entered;
}

/* A tool that runs the program (--under) starts others and reads what it likes:
 * it goes before any fence is up. */
void cage_enter(const struct child_spec *spec, const struct child_pipes *pipes)
{
    sigset_t none;
    int program;

    setsid(); /* all that it starts can be found by it: process.c */
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    program = arrange_fds(spec, pipes);
    if (spec->directory && chdir(spec->directory) != 0)
        give_up(126);
    if (program >= 0 && spec->under) {
        run_under(spec, program);
        _exit(127);
    }
    cage_close(spec);
    if (program >= 0)
        fexecve(program, (char *const *)spec->argv, (char *const *)spec->env);
    else
        execve(spec->argv[0], (char *const *)spec->argv,
               (char *const *)spec->env);
    give_up(127);
}
