/* child.c: start a program in its cage, talk with it, end it */
#include "cage/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "cage/calls.h"
#include "cage/undertaker.h"
#include "cage/view.h"

enum {
    CALL_PIDFD_GETFD = 438,
    TICK_MS = 20,
    REPORT_LIMIT = 1 << 20,
    BACK_SECONDS = 3
};

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    (void)number;
    interrupted = 1;
}

/* ---- all that live ------------------------------------------------------- */

static struct child *living; /* and those that are behind it, by next */

static void enter(struct child *child)
{
    child->next = living;
    living = child;
    undertaker_session(child->session, true);
}

static void leave(struct child *child)
{
    struct child **at = &living;

    if (child->session <= 0)
        return;
    while (*at != child)
        at = &(*at)->next;
    *at = child->next;
    undertaker_session(child->session, false);
    child->session = 0;
}

/* By its session, whose number was its process's, too. */
static struct child *find_living(pid_t session)
{
    struct child *child = living;

    while (child && child->session != session)
        child = child->next;
    return child;
}

static bool is_living(pid_t session)
{
    return find_living(session) != NULL;
}

void child_init(void)
{
    struct sigaction action;

    undertaker_start(); /* before orphans come to this process */
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

bool child_interrupted(void)
{
    return interrupted != 0;
}

static bool reporting;

void child_report_refused(void)
{
    reporting = true;
}

bool child_is_reported(void)
{
    return reporting;
}

/* ---- start -------------------------------------------------------------- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool open_pipes(struct child_pipes *pipes)
{
    bool open = pipe2(pipes->command, O_CLOEXEC) == 0;

    for (int i = 0; i < CHILD_FDS; i++)
        open = open && pipe2(pipes->of[i], O_CLOEXEC) == 0;
    return open;
}

/* The parent keeps one end of each; what it reads never blocks it. */
static void keep_ends(struct child *child, struct child_pipes *pipes)
{
    close_fd(&pipes->command[0]);
    child->command_fd = pipes->command[1];
    for (int i = 0; i < CHILD_FDS; i++) {
        close_fd(&pipes->of[i][1]);
        child->fds[i] = pipes->of[i][0];
        fcntl(child->fds[i], F_SETFL, O_NONBLOCK);
    }
}

/* Its own copy of what tells of refused calls; it cannot hand it over, since
 * that takes a call which may be refused. Return: -1 where it has none. */
static int find_refused(const struct child *child)
{
    int fd = -1;

    for (int round = 0; round < 5000 && fd < 0; round++) {
        fd = (int)syscall(CALL_PIDFD_GETFD, child->end_fd, CALLS_FD, 0);
        if (fd < 0 && errno != EBADF)
            break;
        usleep(fd < 0 ? 200 : 0);
    }
    return fd;
}

bool child_start(struct child *child, const struct child_spec *spec)
{
    struct child_pipes pipes;

    memset(&pipes, -1, sizeof pipes); /* no descriptor */
    memset(child, 0, sizeof *child);
    child->spec = spec;
    child->end = CHILD_NOT_STARTED;
    pipes.view = spec->fence && !spec->under ? view_take(spec->fence) : NULL;
    /* The child's setsid() makes a session of its own number: so it is known
     * here, and told to the undertaker, before the child has done anything. */
    if (open_pipes(&pipes))
        child->pid = fork();
    else
        child->pid = -1;
    if (child->pid == 0)
        cage_enter(spec, &pipes);
    child->session = child->pid;
    child->end_fd = child->refused_fd = -1;
    if (child->pid > 0) {
        /* What it writes to is closed a moment before its end can be seen. */
        child->end_fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
        enter(child);
        if (reporting && !spec->under)
            child->refused_fd = find_refused(child);
    }
    if (child->pid < 0) {
        child->code = errno;
        child->pid = 0;
        keep_ends(child, &pipes);
        return false;
    }
    keep_ends(child, &pipes);
    if (!spec->talks)
        close_fd(&child->command_fd);
    child->end = CHILD_RUNNING;
    return true;
}

/* ---- what it writes ----------------------------------------------------- */

/* Read what is there; keep at most @limit bytes. Return: false at the end. */
static bool drain(int *fd, struct out *text, uint64_t limit, uint64_t *count)
{
    char part[16384];
    ssize_t got;
    size_t keep;

    if (*fd < 0)
        return false;
    for (int turn = 0; turn < 64; turn++) {
        got = read(*fd, part, sizeof part);
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (got == 0) {
            close_fd(fd);
            return false;
        }
        *count += (uint64_t)got;
        keep = text->length < limit ? (size_t)(limit - text->length) : 0;
        if (keep > (size_t)got)
            keep = (size_t)got;
        text_add(text, part, keep);
    }
    return true;
}

static void drain_all(struct child *child)
{
    const uint64_t keep = child->spec->keep_bytes;
    uint64_t other = 0;

    if (child->refused_fd >= 0)
        calls_answer(child->refused_fd);
    drain(&child->fds[CHILD_REPLY], &child->replies, REPORT_LIMIT, &other);
    drain(&child->fds[CHILD_REPORT], &child->report, REPORT_LIMIT, &other);
    drain(&child->fds[CHILD_OUT], &child->out, keep, &child->printed_bytes);
    drain(&child->fds[CHILD_ERR], &child->err, keep, &child->printed_bytes);
}

static void wait_for_news(struct child *child)
{
    struct pollfd fds[CHILD_FDS + 2];

    for (int i = 0; i < CHILD_FDS + 2; i++)
        fds[i].events = POLLIN;
    for (int i = 0; i < CHILD_FDS; i++)
        fds[i].fd = child->fds[i];
    fds[CHILD_FDS].fd = child->end_fd;
    fds[CHILD_FDS + 1].fd = child->refused_fd;
    poll(fds, CHILD_FDS + 2, TICK_MS);
}

/* ---- how it ended ------------------------------------------------------- */

static void note_status(struct child *child, int status)
{
    child->pid = 0;
    if (child->end != CHILD_RUNNING)
        return;
    child->end = WIFSIGNALED(status) ? CHILD_SIGNALLED : CHILD_EXITED;
    child->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* Collect everything that ended, adopted orphans too. */
static void reap(void)
{
    struct child *child;
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        child = find_living(pid);
        if (child)
            note_status(child, status);
    }
}

/* Behind the filter a program is alone: nothing else is to be looked for.
 * Without it a student's program may hide what it starts, and a compiler does
 * not. */
static int visit(const struct child *child, bool may_hide, uint64_t *resident)
{
    return child->filtered || child->session <= 0
               ? child->pid > 0
               : process_visit_session(child->session, may_hide, is_living,
                                       resident);
}

void child_stop(struct child *child)
{

    close_fd(&child->command_fd);
    for (int round = 0; round < 2000; round++) {
        if (child->pid > 0)
            kill(-child->pid, SIGKILL);
        reap();
        if (visit(child, child->spec->talks, NULL) == 0 && child->pid == 0)
            break;
        usleep(500);
    }
    leave(child);
    drain_all(child);
    for (int i = 0; i < CHILD_FDS; i++)
        close_fd(&child->fds[i]);
    close_fd(&child->end_fd);
    close_fd(&child->refused_fd);
}

void child_free(struct child *child)
{
    if (child->spec)
        child_stop(child);
    tl_out_free(&child->replies);
    tl_out_free(&child->report);
    tl_out_free(&child->out);
    tl_out_free(&child->err);
}

bool child_end_as(struct child *child, enum child_end end)
{
    if (child->end == CHILD_RUNNING)
        child->end = end;
    child_stop(child);
    return false;
}

/* ---- ask and wait ------------------------------------------------------- */

/* It has answered, so what was set up before it began is there, for good. */
static void note_filter(struct child *child)
{
    if (!child->spec->may_fork && !child->filtered && child->pid > 0)
        child->filtered = process_has_filter(child->pid);
}

/* Take one line from the replies. */
static bool take_line(struct out *replies, struct out *line)
{
    char *const newline =
        replies->data ? memchr(replies->data, '\n', replies->length) : NULL;
    size_t length;

    if (newline == NULL)
        return false;
    length = (size_t)(newline - replies->data);
    text_clear(line);
    text_add(line, replies->data, length);
    memmove(replies->data, newline + 1, replies->length - length);
    replies->length -= length + 1;
    return true;
}

static enum child_end find_excess(struct child *child, double waited_s,
                                  double cpu_s, double limit_s)
{
    const struct child_spec *spec = child->spec;
    uint64_t resident = 0;
    int lived;

    if (child_interrupted())
        return CHILD_INTERRUPTED;
    if (child->printed_bytes > spec->flood_bytes)
        return CHILD_FLOOD;
    if (waited_s > limit_s) {
        /* What is ready to run and gets no processor is given more time. */
        child->code = child->pid > 0 && process_is_asleep(child->pid);
        if (child->code || cpu_s > limit_s / 2 || waited_s > 3 * limit_s)
            return CHILD_TIMEOUT;
    }
    if (child->pid > 0 && process_resident(child->pid) > spec->memory_bytes)
        return CHILD_MEMORY;
    if (child->pid > 0 && !spec->under &&
        process_threads(child->pid) > CHILD_MOST_THREADS)
        return CHILD_CROWD;
    if (++child->ticks % 8 != 0 || child->pid <= 0 || child->filtered)
        return CHILD_RUNNING;
    lived = visit(child, !spec->may_fork, &resident);
    if (!spec->may_fork && lived > 1)
        return CHILD_PROCESSES;
    if (spec->may_fork && resident > spec->memory_bytes)
        return CHILD_MEMORY;
    return CHILD_RUNNING;
}

bool child_is_back(struct child *child)
{
    const double until_s = process_now_s() + BACK_SECONDS;
    char reads[16], now[sizeof child->place];
    bool at_place = false, back = false;

    snprintf(reads, sizeof reads, "%d 0x3 ", SYS_read);
    while (!back && process_now_s() < until_s) {
        const int threads = process_place(child->pid, now, sizeof now);

        if (child->threads == 0 &&
            (now[0] == '\0' || strncmp(now, reads, strlen(reads)) == 0)) {
            strcpy(child->place, now);
            child->threads = threads;
        }
        at_place = strcmp(now, child->place) == 0;
        back = at_place && (!child->spec->bare || threads <= child->threads);
        drain_all(child); /* what it said before it came there */
        reap();
        if (child->pid == 0 || child->replies.length > 0)
            return child_end_as(child, CHILD_TAMPERED);
        if (!back)
            usleep(50);
    }
    return back ||
           child_end_as(child, at_place ? CHILD_THREADS : CHILD_TAMPERED);
}

bool child_ask(struct child *child, const char *command, double seconds,
               struct out *answer)
{
    const double start_s = process_now_s();
    const double cpu_s = child->pid > 0 ? process_cpu_s(child->pid) : 0;
    enum child_end excess;

    if (child->end != CHILD_RUNNING) {
        drain_all(child); /* it may have said more than was taken */
        return answer && take_line(&child->replies, answer);
    }
    if (command) /* if it is gone, reap() tells */
        dprintf(child->command_fd, "%s", command);
    for (;;) {
        const double waited_s = process_now_s() - start_s;

        reap();
        drain_all(child); /* where it is gone, what it said last */
        if (answer && take_line(&child->replies, answer)) {
            note_filter(child);
            return true;
        }
        if (child->pid == 0) {
            child_stop(child);
            return answer == NULL;
        }
        excess = find_excess(
            child, waited_s,
            waited_s > seconds ? process_cpu_s(child->pid) - cpu_s : 0,
            seconds);
        if (excess != CHILD_RUNNING)
            return child_end_as(child, excess);
        wait_for_news(child);
    }
}
