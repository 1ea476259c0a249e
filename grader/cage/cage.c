/*
 * cage.c: the child's side, between fork and exec: its own session, its
 * limits, its descriptors, and what it may ask of the kernel.
 */
#include "cage/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cage/calls.h"
#include "cage/view.h"

enum { LAST_FD = 7, PARK_FD = 40 };

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

/* ---- what it may ask ----------------------------------------------------- */

/* Rights that root has are root's no more: what is left is a user's that owns
 * root's files. A compiler keeps the one to read a tree that is not root's. */
static void drop_rights(bool compiler)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct kept[2] = {{0, 0, 0}, {0, 0, 0}};

    if (syscall(SYS_capget, &head, kept) != 0)
        return;
    kept[0].permitted &= compiler ? UINT32_C(1) << CAP_DAC_OVERRIDE : 0;
    kept[0].effective = kept[0].permitted;
    kept[1].effective = kept[1].permitted = 0;
    kept[0].inheritable = kept[1].inheritable = 0;
    syscall(SYS_capset, &head, kept);
}

static bool forbid_calls(const struct child_spec *spec)
{
    const unsigned lab = CALLS_PROGRAM | (spec->bare ? 0 : CALLS_GPU);
    const unsigned compiler = spec->may_fork ? CALLS_COMPILER : 0;
    const struct calls calls = {
        .users = (spec->talks || !compiler ? lab : 0) | compiler,
        .env = spec->env,
        .reported = child_is_reported(),
    };

    return calls_close(&calls);
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
    drop_rights(spec->may_fork);
    forbid_calls(spec);
    return entered;
}

/* A tool that runs the program (--under) starts others and reads what it likes:
 * it goes before any fence is up. */
void cage_enter(const struct child_spec *spec, const struct child_pipes *pipes)
{
    sigset_t none;
    bool joined;
    int program;

    setsid(); /* all that it starts can be found by it: process.c */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    joined = !pipes->view || view_join(pipes->view);
    program = arrange_fds(spec, pipes);
    if (!joined)
        give_up(126);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
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
