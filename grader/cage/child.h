/*
 * child.h: a program run in a cage: own session, limits on time, memory,
 * output and files, no descendants left behind.
 *
 * Whatever the program does is a recorded end, never the grader's.
 */
#ifndef GRADER_CHILD_H
#define GRADER_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cage/fence.h"
#include "base/text.h"

enum child_end {
    CHILD_RUNNING,
    CHILD_EXITED,      /* @code: exit status */
    CHILD_SIGNALLED,   /* @code: signal */
    CHILD_TIMEOUT,     /* no answer in time; @code: was it asleep? */
    CHILD_FLOOD,       /* printed more than allowed */
    CHILD_MEMORY,      /* used more memory than allowed */
    CHILD_PROCESSES,   /* started other programs */
    CHILD_TAMPERED,    /* answered in its driver's place */
    CHILD_THREADS,     /* left a thread that runs */
    CHILD_INTERRUPTED, /* the grader was told to stop */
    CHILD_NOT_STARTED, /* @code: errno */
    CHILD_CROWD,       /* had more than CHILD_MOST_THREADS at once */
};

/* Those of a lab are a few. Nothing in the kernel bounds those of root. */
enum { CHILD_MOST_THREADS = 512 };

enum child_fd { CHILD_REPLY, CHILD_REPORT, CHILD_OUT, CHILD_ERR, CHILD_FDS };

struct child_spec {
    const char *const *argv;
    const char *const *env;    /* NULL-ended; the whole environment */
    const char *directory;     /* working directory, or NULL */
    int program_fd;            /* run this file, or -1: argv[0] */
    const char *under;         /* run it by this command, free of the cage: no
                                * limits, no fence; or NULL */
    int pass_fds[2];           /* become 5 and 6; -1: none */
    bool talks;                /* 3 commands in, 4 replies out, 7 reports */
    bool bare;                 /* no GPU's driver in it, which starts threads
                                * and loads code when it likes */
    bool may_fork;             /* a compiler may */
    const struct fence *fence; /* the files it sees; NULL: all */
    uint64_t memory_bytes;     /* resident */
    uint64_t file_bytes;       /* largest file it may write */
    uint64_t keep_bytes;       /* of stdout and of stderr, kept */
    uint64_t flood_bytes;      /* more than that on both: ended */
};

struct child {
    pid_t pid; /* 0: none */
    pid_t session;
    struct child *next; /* of all that live */
    enum child_end end;
    int code;
    int command_fd;
    int fds[CHILD_FDS]; /* read ends, by enum child_fd */
    int end_fd;         /* can be read when it has ended; -1: not known */
    int refused_fd;     /* tells of calls that are refused; -1: not wanted */
    char place[128];    /* where it waits for a line: see child_is_back */
    int threads;        /* that it has there */
    bool filtered;      /* the kernel lets it start no process: seen */
    struct out replies, report, out, err;
    uint64_t printed_bytes;
    unsigned ticks;
    const struct child_spec *spec;
};

/*
 * Start a program. @spec must live as long as the child.
 * Return: false when it could not be started; child->end tells.
 */
bool child_start(struct child *child, const struct child_spec *spec);

/*
 * Send one line and wait for one line back.
 * @command    with its newline; NULL: only wait
 * @seconds    limit for the answer; where the machine is so busy that the
 *             program got little of it, up to three times that
 * @answer     the line without its newline; NULL: wait for the end instead
 * Return: true with an answer (or, without @answer, at the end).
 */
bool child_ask(struct child *child, const char *command, double seconds,
               struct out *answer);

/*
 * Wait until it waits for the next line, at the one place in its code and on
 * its stack where it did so before, with no more threads. The first time that
 * place is noted. Code that answers in the driver's stead waits elsewhere, and
 * where it answers before the driver, there are two lines.
 * Return: false when it does not come there, or has more to say: it was ended.
 * Where /proc does not tell, true while it lives and is silent.
 */
bool child_is_back(struct child *child);

/* "NAME=value" of each of @names, which end with NULL, that the grader itself
 * has. Return: how many; each to be freed. */
size_t child_keep_env(char **env, const char *const *names);

/* End it for a cause that its caller found. Return: false. */
bool child_end_as(struct child *child, enum child_end end);

/* End the child and everything it started; reap them. Keeps what it wrote
 * until child_free. */
void child_stop(struct child *child);
void child_free(struct child *child);

/* From now on, say on stderr what the cage refuses a program, by name. */
void child_report_refused(void);
bool child_is_reported(void);

/* Set up once, in main: orphans come to this process; signals end it well. */
void child_init(void);
/* 1 after SIGINT, SIGTERM or SIGHUP. */
bool child_interrupted(void);

/* What a child says on stderr that could not be run, before why. */
#define CAGE_SAYS "the program cannot be run: "

/* cage.c: the child's side, between fork and exec. Does not return. */
struct cage_view;
struct child_pipes {
    int command[2], of[CHILD_FDS][2];
    const struct cage_view *view; /* to be joined, or NULL */
};
void cage_enter(const struct child_spec *spec, const struct child_pipes *pipes)
    __attribute__((noreturn));
/* Limits and fences for this process, for good: see tools/isolation. Return: is
 * it fenced off from the files? */
bool cage_close(const struct child_spec *spec);

#endif
