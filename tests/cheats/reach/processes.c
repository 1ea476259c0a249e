/* processes.c: attempts on other processes, their limits, and what outlives */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attempts.h"

#define DONE(call) ((call) >= 0 ? 0 : errno)

static int try_signal(const struct outside *out, long value)
{
    return DONE(value ? kill((pid_t)value, 0) : kill(out->victim, 0));
}

static int try_tgkill(const struct outside *out, long value)
{
    (void)value;
    return DONE(syscall(SYS_tgkill, out->victim, out->victim, 0));
}

static int try_tkill(const struct outside *out, long value)
{
    (void)value;
    return DONE(syscall(SYS_tkill, out->victim, 0));
}

static int try_queue(const struct outside *out, long value)
{
    siginfo_t info = {.si_code = SI_QUEUE};

    (void)value;
    return DONE(syscall(SYS_rt_sigqueueinfo, out->victim, 0, &info));
}

static int try_owner(const struct outside *out, long value)
{
    int ends[2], error;

    if (pipe(ends) < 0)
        return errno;
    error = DONE(fcntl(ends[0], (int)value, out->victim));
    close(ends[0]);
    close(ends[1]);
    return error;
}

static int try_pidfd(const struct outside *out, long value)
{
    (void)value;
    return DONE(syscall(434, out->victim, 0));
}

static int try_limit(const struct outside *out, long value)
{
    struct rlimit limit;

    if (prlimit(out->victim, RLIMIT_CORE, NULL, &limit) < 0)
        return errno;
    return value ? DONE(prlimit(out->victim, RLIMIT_CORE, &limit, NULL)) : 0;
}

static int try_affinity(const struct outside *out, long value)
{
    cpu_set_t all;

    (void)value;
    memset(&all, 0xff, sizeof all);
    return DONE(sched_setaffinity(out->victim, sizeof all, &all));
}

static int try_priority(const struct outside *out, long value)
{
    (void)value;
    return DONE(setpriority(PRIO_PROCESS, (id_t)out->victim,
                            getpriority(PRIO_PROCESS, (id_t)out->victim)));
}

static int try_scheduler(const struct outside *out, long value)
{
    const struct sched_param none = {0};

    (void)value;
    return DONE(sched_setscheduler(out->victim, SCHED_OTHER, &none));
}

static int try_io_priority(const struct outside *out, long value)
{
    (void)value;
    return DONE(syscall(SYS_ioprio_set, 1, out->victim, 2 << 13 | 4));
}

static int try_memory(const struct outside *out, long value)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)value, 1};
    const long got =
        syscall(SYS_process_vm_readv, out->victim, &here, 1, &there, 1, 0);

    return got >= 0 || errno == EFAULT ? 0 : errno;
}

static int try_trace(const struct outside *out, long value)
{
    (void)value;
    if (ptrace(PTRACE_SEIZE, out->victim, NULL, NULL) < 0)
        return errno;
    return 0; /* ends with this process */
}

static int try_compare(const struct outside *out, long value)
{
    (void)value;
    return DONE(syscall(SYS_kcmp, out->victim, getpid(), 0, 0, 0));
}

static int try_pages(const struct outside *out, long value)
{
    (void)value;
    return DONE(syscall(SYS_move_pages, out->victim, 0UL, NULL, NULL, NULL, 0));
}

static int try_proc(const struct outside *out, long value)
{
    static const char *const files[] = {"environ", "mem",  "oom_score_adj",
                                        "cmdline", "maps", "fd"};
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)out->victim, files[value]);
    fd = open(path, value == 2 ? O_WRONLY : O_RDONLY);
    return fd < 0 ? errno : (close(fd), 0);
}

static int try_start(const struct outside *out, long value)
{
    const long pid =
        value == 1 ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
        : value == 2
            ? syscall(SYS_clone, CLONE_VM | SIGCHLD | CLONE_VFORK, 0, 0, 0, 0)
            : fork();

    (void)out;
    if (pid == 0)
        _exit(0);
    if (pid < 0)
        return errno;
    waitpid((pid_t)pid, NULL, 0);
    return 0;
}

static int try_system(const struct outside *out, long value)
{
    (void)out;
    (void)value;
    return system("exit 0") == 0 ? 0 : EPERM;
}

static int try_exec(const struct outside *out, long value)
{
    char *const argv[] = {(char *)"/nonexistent/program", NULL};

    (void)out;
    (void)value;
    execve(argv[0], argv, argv);
    return errno == ENOENT ? 0 : errno; /* the kernel looked for it */
}

static int try_group(const struct outside *out, long value)
{
    (void)out;
    (void)value;
    return DONE(kill(-1, 0));
}

static int try_hide(const struct outside *out, long value)
{
    (void)out;
    return prctl((int)value, 0, 0, 0, 0) < 0
               ? errno
               : (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
}

/* ---- what outlives the program --------------------------------------------
 */

/* The runner looks whether its own system has one of that key. */
static int try_object(const struct outside *out, long value)
{
    const int id = value == 0   ? msgget(out->key, IPC_CREAT | 0600)
                   : value == 1 ? semget(out->key, 1, IPC_CREAT | 0600)
                                : shmget(out->key, 4096, IPC_CREAT | 0600);

    return DONE(id);
}

/* One that another submission has left. */
static int try_left(const struct outside *out, long value)
{
    (void)value;
    return DONE(shmget(out->key + 1, 0, 0));
}

static int try_mailbox(const struct outside *out, long value)
{
    char name[40];
    mqd_t queue;

    (void)value;
    snprintf(name, sizeof name, "/reach.%d", out->key);
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, NULL);
    if (queue == (mqd_t)-1)
        return errno;
    mq_unlink(name); /* seen from in here is what counts: see runner.c */
    return 0;
}

static int try_shared(const struct outside *out, long value)
{
    char name[40];
    int fd;

    (void)value;
    snprintf(name, sizeof name, "/reach.%d", out->key);
    fd = shm_open(name, O_CREAT | O_RDWR, 0600);
    if (fd < 0)
        return errno;
    close(fd);
    shm_unlink(name);
    return 0;
}

static int try_key(const struct outside *out, long value)
{
    const long key = syscall(SYS_add_key, "user", "reach", "x", 1, value);

    (void)out;
    if (key < 0)
        return errno;
    syscall(SYS_keyctl, 3 /* revoke */, key);
    return 0;
}

static int try_write(const struct outside *out, long value)
{
    static const char *const folders[] = {"/tmp", "/var/tmp",  "/dev/shm",
                                          "/run", "/var/lock", "/"};
    char path[64];
    int fd;

    snprintf(path, sizeof path, "%s/reach.%d", folders[value], out->key);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    return fd < 0 ? errno : (close(fd), unlink(path), 0);
}

const struct attempt process_attempts[] = {
    {"processes", "signal another", try_signal, 0},
    {"processes", "signal the first", try_signal, 1},
    {"processes", "signal all", try_group, 0},
    {"processes", "signal a thread of another", try_tgkill, 0},
    {"processes", "signal by a thread's number", try_tkill, 0},
    {"processes", "queue a signal", try_queue, 0},
    {"processes", "have the kernel signal another", try_owner, F_SETOWN},
    {"processes", "hold another by a descriptor", try_pidfd, 0},
    {"processes", "read another's memory", try_memory, 4096},
    {"processes", "trace another", try_trace, 0},
    {"processes", "compare with another", try_compare, 0},
    {"processes", "move another's pages", try_pages, 0},
    {"processes", "read another's environment", try_proc, 0},
    {"processes", "open another's memory", try_proc, 1},
    {"processes", "read another's command line", try_proc, 3},
    {"processes", "read another's map", try_proc, 4},
    {"processes", "list another's descriptors", try_proc, 5},
    {"processes", "fork", try_start, 0},
    {"processes", "clone", try_start, 1},
    {"processes", "vfork", try_start, 2},
    {"processes", "system()", try_system, 0},
    {"processes", "execve", try_exec, 0},
    {"processes", "hide from the grader", try_hide, PR_SET_DUMPABLE},
    {"limits", "ask for another's limits", try_limit, 0},
    {"limits", "set another's limits", try_limit, 1},
    {"limits", "set another's processors", try_affinity, 0},
    {"limits", "set another's priority", try_priority, 0},
    {"limits", "set another's scheduler", try_scheduler, 0},
    {"limits", "set another's turn at the disk", try_io_priority, 0},
    {"limits", "have another killed first", try_proc, 2},
    {"left behind", "a message queue", try_object, 0},
    {"left behind", "semaphores", try_object, 1},
    {"left behind", "shared memory", try_object, 2},
    {"left behind", "find shared memory of another", try_left, 0},
    {"left behind", "a POSIX message queue", try_mailbox, 0},
    {"left behind", "a POSIX shared memory object", try_shared, 0},
    {"left behind", "a key of the user's", try_key, -4},
    {"left behind", "a key of the session's", try_key, -3},
    {"left behind", "a file in /tmp", try_write, 0},
    {"left behind", "a file in /var/tmp", try_write, 1},
    {"left behind", "a file in /dev/shm", try_write, 2},
    {"left behind", "a file in /run", try_write, 3},
    {"left behind", "a file in /var/lock", try_write, 4},
    {"left behind", "a file in the root folder", try_write, 5},
    {NULL, NULL, NULL, 0},
};
