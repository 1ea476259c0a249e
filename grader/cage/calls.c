/* calls.c: calls.def as a seccomp filter */
#include "cage/calls.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define CAGE_ARCH                AUDIT_ARCH_X86_64
#define NUMBER(x86, arm, number) x86
#elif defined(__aarch64__)
#define CAGE_ARCH                AUDIT_ARCH_AARCH64
#define NUMBER(x86, arm, number) arm
#endif

enum { FIRST_OURS = 3, LAST_OURS = 7, MOST_RULES = 2048, MOST_CALLS = 512 };

enum test {
    FREE,
    ABSENT, /* refused, and said not to exist */
    /* only with: */
    SELF,          /* this process, or a thread of it */
    SELF_OR_0,     /* the same, which 0 means, too */
    FIRST_PROGRAM, /* the environment that nobody in there knows */
    THREAD,        /* what is no process */
    UNIX,          /* sockets of this machine */
    FEW_IOCTL,     /* what the C library asks of files */
    PRCTL,         /* a thread's name, and questions */
    /* not with: */
    NO_NAMESPACE, /* another view of the machine */
    NO_CUT_1,     /* a file cut that is opened to be read */
    NO_CUT_2,
    NOT_OURS_0, /* descriptors that are the driver's */
    NOT_OURS_1,
    NO_CODE,  /* a page that becomes code */
    NO_MOVE,  /* pages put over others */
    NO_LOCK,  /* files that others use locked */
    NO_OWNER, /* signals for other processes */
    NO_FLAGS, /* attributes of files, keys for a terminal */
};

enum {
    PROGRAM = CALLS_PROGRAM,
    GPU = CALLS_GPU,
    COMPILER = CALLS_COMPILER,
    LAB = PROGRAM | GPU,
    EVERY = LAB | COMPILER,
    NOBODY = 0,
};

static const struct row {
    int number;
    const char *name, *why; /* one of both */
    unsigned who;
    enum test test;
} rows[] = {
#define WHY(words) {.number = -1, .why = (words)},
#define CALL(x86, arm, called, users, how)                                     \
    {.number = NUMBER(x86, arm, ),                                             \
     .name = #called,                                                          \
     .who = (users),                                                           \
     .test = (how)},
#ifdef CAGE_ARCH
#include "cage/calls.def"
#else
    {.number = -1},
#endif
};

enum { NUM_ROWS = sizeof rows / sizeof *rows };

/* ---- the filter ---------------------------------------------------------- */

struct filter {
    struct sock_filter rules[MOST_RULES];
    unsigned count;
    uint32_t refusal, self, env;
};

static void add(struct filter *filter, unsigned code, uint32_t value,
                unsigned yes, unsigned no)
{
    if (filter->count < MOST_RULES)
        filter->rules[filter->count] = (struct sock_filter){
            (uint16_t)code, (uint8_t)yes, (uint8_t)no, value};
    filter->count++;
}

/* Jumps are over @yes or @no of the rules that follow. */
static void when_equal(struct filter *filter, uint32_t value, unsigned yes,
                       unsigned no)
{
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
}

static void give(struct filter *filter, uint32_t what)
{
    add(filter, BPF_RET | BPF_K, what, 0, 0);
}

static void load(struct filter *filter, size_t offset)
{
    add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The lower half of a value, on machines that are little-endian: all that the
 * kernel takes of a flag, a descriptor or a process. */
static void load_value(struct filter *filter, unsigned which)
{
    load(filter, offsetof(struct seccomp_data, args) + 8 * which);
}

/* Allow one of @values, which end with 0; or, not @allowed, refuse them and
 * allow the rest. */
static void among(struct filter *filter, unsigned which, const uint32_t *values,
                  bool allowed)
{
    load_value(filter, which);
    for (; *values; values++) {
        when_equal(filter, *values, 0, 1);
        give(filter, allowed ? SECCOMP_RET_ALLOW : filter->refusal);
    }
    give(filter, allowed ? filter->refusal : SECCOMP_RET_ALLOW);
}

static void only(struct filter *filter, unsigned which, uint32_t value)
{
    load_value(filter, which);
    when_equal(filter, value, 1, 0);
    give(filter, filter->refusal);
    give(filter, SECCOMP_RET_ALLOW);
}

/* Of @mask exactly these @bits, or, not @allowed, anything else. */
static void bits(struct filter *filter, unsigned which, uint32_t mask,
                 uint32_t bits, bool allowed)
{
    load_value(filter, which);
    add(filter, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    when_equal(filter, bits, 0, 1);
    give(filter, allowed ? SECCOMP_RET_ALLOW : filter->refusal);
    give(filter, allowed ? filter->refusal : SECCOMP_RET_ALLOW);
}

static void not_ours(struct filter *filter, unsigned which)
{
    load_value(filter, which);
    add(filter, BPF_JMP | BPF_JGE | BPF_K, FIRST_OURS, 0, 2);
    add(filter, BPF_JMP | BPF_JGT | BPF_K, LAST_OURS, 1, 0);
    give(filter, filter->refusal);
    give(filter, SECCOMP_RET_ALLOW);
}

#define NAMESPACES                                                             \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |             \
     CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

static const uint32_t few_ioctl[] = {TCGETS,   TIOCGWINSZ, FIONREAD, FIOCLEX,
                                     FIONCLEX, FIONBIO,    0};
static const uint32_t flag_ioctl[] = {FS_IOC_SETFLAGS,
                                      FS_IOC_FSSETXATTR,
                                      FS_IOC_SETVERSION,
                                      FIFREEZE,
                                      FITHAW,
                                      FIOSETOWN,
                                      TIOCSTI,
                                      TIOCLINUX,
                                      TIOCSETD,
                                      TIOCSCTTY,
                                      0};
/* PR_SET_VMA names memory, as the C library does. */
static const uint32_t few_prctl[] = {PR_SET_NAME,
                                     PR_GET_NAME,
                                     PR_GET_DUMPABLE,
                                     PR_GET_PDEATHSIG,
                                     PR_GET_SECCOMP,
                                     PR_GET_NO_NEW_PRIVS,
                                     PR_GET_TIMERSLACK,
                                     PR_GET_THP_DISABLE,
                                     PR_CAPBSET_READ,
                                     0x53564d41 /* PR_SET_VMA */,
                                     0};
static const uint32_t owner_fcntl[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG,
                                       F_NOTIFY, 0};
static const uint32_t lock_fcntl[] = {
    F_SETOWN, F_SETOWN_EX, F_SETSIG,    F_NOTIFY,     F_SETLEASE,
    F_SETLK,  F_SETLKW,    F_OFD_SETLK, F_OFD_SETLKW, 0};

/* What is left of the filter for a call with this test: it ends in there. */
static void add_test(struct filter *filter, enum test test)
{
    const uint32_t self_or_0[] = {filter->self, 0};

    switch (test) {
    case SELF:
        return only(filter, 0, filter->self);
    case SELF_OR_0:
        load_value(filter, 0);
        when_equal(filter, 0, 2, 0);
        when_equal(filter, self_or_0[0], 1, 0);
        give(filter, filter->refusal);
        return give(filter, SECCOMP_RET_ALLOW);
    case FIRST_PROGRAM:
        return only(filter, 3, filter->env);
    case THREAD:
        return bits(filter, 0, CLONE_THREAD | NAMESPACES, CLONE_THREAD, true);
    case NO_NAMESPACE:
        return bits(filter, 0, NAMESPACES, 0, true);
    case UNIX:
        return only(filter, 0, AF_UNIX);
    case FEW_IOCTL:
        return among(filter, 1, few_ioctl, true);
    case NO_FLAGS:
        return among(filter, 1, flag_ioctl, false);
    case PRCTL:
        return among(filter, 0, few_prctl, true);
    case NO_LOCK:
        return among(filter, 1, lock_fcntl, false);
    case NO_OWNER:
        return among(filter, 1, owner_fcntl, false);
    case NO_CUT_1:
        return bits(filter, 1, O_ACCMODE | O_TRUNC, O_TRUNC, false);
    case NO_CUT_2:
        return bits(filter, 2, O_ACCMODE | O_TRUNC, O_TRUNC, false);
    case NOT_OURS_0:
        return not_ours(filter, 0);
    case NOT_OURS_1:
        return not_ours(filter, 1);
    case NO_CODE:
        return bits(filter, 2, PROT_EXEC, PROT_EXEC, false);
    case NO_MOVE:
        return bits(filter, 3, MREMAP_FIXED, MREMAP_FIXED, false);
    case ABSENT:
        return give(filter, SECCOMP_RET_ERRNO | ENOSYS);
    case FREE:
        return give(filter, SECCOMP_RET_ALLOW);
    }
}

/* What counts for @users of the row's calls; NULL: not theirs. */
static const struct row *find_row(int number, unsigned users)
{
    const struct row *found = NULL;

    for (int i = 0; i < NUM_ROWS; i++)
        if (rows[i].number == number && number >= 0 &&
            ((rows[i].who & users) || rows[i].test == ABSENT))
            found = &rows[i];
    return found;
}

/* A call whose values are looked at, or that is said not to exist. */
static void add_tested(struct filter *filter, int number, enum test test)
{
    const unsigned at = filter->count;

    when_equal(filter, (uint32_t)number, 0, 0);
    add_test(filter, test);
    if (at < MOST_RULES)
        filter->rules[at].jf = (uint8_t)(filter->count - at - 1);
}

/* All others that are free, as ranges of numbers. */
static void add_free(struct filter *filter, const bool *is_free)
{
    for (int first = 0, last; first < MOST_CALLS; first = last + 1) {
        last = first;
        if (!is_free[first])
            continue;
        while (last + 1 < MOST_CALLS && is_free[last + 1])
            last++;
        add(filter, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)first, 0, 2);
        add(filter, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)last, 1, 0);
        give(filter, SECCOMP_RET_ALLOW);
    }
}

/* A program of another architecture has other numbers. Where all that a filter
 * needs to know is the number, the kernel remembers what it said. */
static void make_filter(struct filter *filter, const struct calls *calls)
{
    bool is_free[MOST_CALLS] = {false};
    const struct row *row;
    int last = 0;

#ifdef CAGE_ARCH
    load(filter, offsetof(struct seccomp_data, arch));
    when_equal(filter, CAGE_ARCH, 1, 0);
    give(filter, SECCOMP_RET_ERRNO | EPERM);
#endif
    load(filter, offsetof(struct seccomp_data, nr));
    add(filter, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    give(filter, SECCOMP_RET_ERRNO | EPERM); /* x32's */
    for (int number = 0; number < MOST_CALLS; number++) {
        row = find_row(number, calls->users);
        is_free[number] = row && row->test == FREE;
        if (row && row->test != FREE)
            add_tested(filter, number, row->test);
    }
    add_free(filter, is_free);
    for (int i = 0; i < NUM_ROWS; i++)
        last = rows[i].number > last ? rows[i].number : last;
    add(filter, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)last, 0, 1);
    give(filter, SECCOMP_RET_ERRNO | ENOSYS);
    give(filter, filter->refusal);
}

bool calls_close(const struct calls *calls)
{
    static struct filter filter;
    const struct sock_fprog *program;
    unsigned flags = 0;
    long fd;

    filter = (struct filter){.refusal = SECCOMP_RET_ERRNO | EPERM,
                             .self = (uint32_t)getpid(),
                             .env = (uint32_t)(uintptr_t)calls->env};
#ifdef SECCOMP_FILTER_FLAG_NEW_LISTENER
    if (calls->reported) {
        flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
        filter.refusal = SECCOMP_RET_USER_NOTIF;
    }
#endif
    make_filter(&filter, calls);
    program = &(struct sock_fprog){(unsigned short)filter.count, filter.rules};
    if (filter.count > MOST_RULES || NUM_ROWS == 1)
        return false;
    fd = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
    if (flags && fd >= 0)
        dup2((int)fd, CALLS_FD);
    return fd >= 0;
}

bool calls_are_there(void)
{
    const uint32_t action = SECCOMP_RET_ERRNO;

    return NUM_ROWS > 1 &&
           syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* ---- what was refused ---------------------------------------------------- */

/* The words above a row. */
static const char *why_of(const struct row *row)
{
    while (row > rows && row->why == NULL)
        row--;
    return row->why ? row->why : "";
}

static void tell_refused(const struct seccomp_data *data)
{
    const struct row *named = NULL;

    for (int i = 0; i < NUM_ROWS; i++)
        if (rows[i].number == data->nr && data->nr >= 0)
            named = &rows[i];
    fprintf(stderr, "grade: refused: %s", named ? named->name : "call");
    if (named == NULL)
        fprintf(stderr, " %d", data->nr);
    fprintf(stderr, "(%llx, %llx, %llx): %s\n",
            (unsigned long long)data->args[0],
            (unsigned long long)data->args[1],
            (unsigned long long)data->args[2], named ? why_of(named) : "");
}

void calls_answer(int fd)
{
#ifdef SECCOMP_FILTER_FLAG_NEW_LISTENER
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    struct seccomp_notif asked = {0};
    struct seccomp_notif_resp answer = {0};

    while (poll(&ready, 1, 0) == 1 && (ready.revents & POLLIN)) {
        memset(&asked, 0, sizeof asked);
        if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
            return;
        tell_refused(&asked.data);
        answer.id = asked.id;
        answer.error = -EPERM;
        ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
#else
    (void)fd;
#endif
}
