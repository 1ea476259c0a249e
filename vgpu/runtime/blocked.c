/*
 * blocked.c: host threads that wait for each other for ever in the C library's
 * functions (locks.c, barriers.c, a join), and what each of them waits for.
 *
 * A thread notes what it is about to wait for without a limit, in check mode
 * with the calls that led there. When all have done so and none goes on for
 * some looks (watcher.c), nobody is left to wake one: but a signal's handler or
 * a timer could, and where there is one nothing is told. (Of other processes
 * go_on.c knows.)
 */
#include "rt.h"

#ifdef __GLIBC__
#include <execinfo.h>
#endif
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watcher.h"

#define FRAMES 12
#define LOOKS  ((unsigned)(VGPU_PATIENCE_NS / VGPU_IDLE_NS))

struct vgpu_blocked {
    atomic_uint_least64_t wait; /* the how many-th of all; 0: none */
    uint64_t seen;              /* at the last look */
    enum vgpu_wait_for what;
    const volatile void *at;
    uint64_t pcs[FRAMES]; /* where, from the innermost call out; 0: end */
};

static atomic_uint_least64_t waits;

/* The library's own call may be within another library: the line that the
 * program's author knows is further out. */
static void note_place(struct vgpu_blocked *blocked, uint64_t pc)
{
    void *frames[FRAMES + 2];
    int count = 0;

    memset(blocked->pcs, 0, sizeof blocked->pcs);
#ifdef __GLIBC__
    vgpu_own_depth++;
    if (vgpu_rt.checking) /* it takes longer than the wait, often */
        count = backtrace(frames, FRAMES + 2) - 2;
    vgpu_own_depth--;
#endif
    for (int i = 0; i < count; i++)
        blocked->pcs[i] = (uintptr_t)frames[i + 2];
    if (count <= 0)
        blocked->pcs[0] = pc;
}

void vgpu_blocked_begin(enum vgpu_wait_for what, const volatile void *at,
                        uint64_t pc)
{
    struct vgpu_thread *const thread = vgpu_thread_self();
    struct vgpu_blocked *blocked = thread->blocked;

    if (thread->in_host_function || vgpu_own_depth)
        return;
    if (!blocked)
        blocked = thread->blocked = calloc(1, sizeof *blocked);
    if (!blocked)
        return;
    vgpu_go_on_watch_waits();
    blocked->what = what;
    blocked->at = at;
    note_place(blocked, pc);
    atomic_store(&blocked->wait, atomic_fetch_add(&waits, 1) + 1);
}

void vgpu_blocked_end(void)
{
    struct vgpu_blocked *const blocked = vgpu_thread_self()->blocked;

    if (blocked)
        atomic_store(&blocked->wait, 0);
}

/* ---- is it for ever? ----------------------------------------------------- */

/* Is a line of the file so that @fn says yes? */
static bool any_line(const char *path, bool (*fn)(const char *line))
{
    FILE *const file = fopen(path, "re");
    char line[512];
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file))
        found = fn(line);
    if (file)
        fclose(file);
    return found;
}

/* Of signals that tell no fault. The first is the lowest bit, and 32 and 33 are
 * the C library's. */
static bool is_handled(const char *line)
{
    static const int faults[] = {4, 5, 6, 7, 8, 11, 31, 32, 33};
    uint64_t caught;

    if (sscanf(line, "SigCgt: %" SCNx64, &caught) != 1)
        return false;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        caught &= ~(UINT64_C(1) << (faults[i] - 1));
    return caught != 0;
}

static bool is_timer(const char *line)
{
    return !strncmp(line, "ID:", 3);
}

static bool wakes_from_outside(void)
{
    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (t->blocked && atomic_load(&t->blocked->wait) &&
            t->blocked->what == VGPU_WAIT_PIPE &&
            vgpu_pipe_shared(t->blocked->at))
            return true;
    return any_line("/proc/self/status", is_handled) ||
           any_line("/proc/self/timers", is_timer);
}

/* Return: whether all have waited since the last look. */
static bool all_still_wait(void)
{
    bool all = true;

    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next) {
        struct vgpu_blocked *const blocked = t->blocked;
        const uint64_t wait = blocked ? atomic_load(&blocked->wait) : 0;

        if (atomic_load(&t->place) == VGPU_PLACE_GONE)
            continue;
        all = all && wait && wait == blocked->seen;
        if (blocked)
            blocked->seen = wait;
    }
    return all;
}

/* ---- in words ------------------------------------------------------------ */

struct text {
    char *at;
    size_t left;
};

static __attribute__((format(printf, 2, 3))) void say(struct text *text,
                                                      const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text->at, text->left, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= text->left)
        n = text->left ? (int)text->left - 1 : 0;
    text->at += n;
    text->left -= (size_t)n;
}

static void say_thread(struct text *text, const struct vgpu_thread *thread)
{
    if (thread->tid == getpid())
        say(text, "the main thread");
    else
        say(text, "thread %d", thread->number);
}

static const struct vgpu_thread *owner_of(const volatile void *mutex)
{
#ifdef __GLIBC__
    const int tid = ((const volatile pthread_mutex_t *)mutex)->__data.__owner;

    for (const struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (tid && t->tid == tid)
            return t;
#else
    (void)mutex;
#endif
    return NULL;
}

static void say_mutex(struct text *text, const struct vgpu_thread *thread)
{
    const struct vgpu_thread *const owner = owner_of(thread->blocked->at);

    say(text, "a mutex");
    if (!owner)
        return;
    say(text, " that ");
    if (owner == thread)
        say(text, "it has itself");
    else
        say_thread(text, owner);
    if (owner != thread)
        say(text, atomic_load(&owner->place) == VGPU_PLACE_GONE
                      ? " had when it ended"
                      : " has");
}

static void say_end(struct text *text, const volatile void *end)
{
    say(text, "the end of ");
    for (const struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (t->end == end) {
            say_thread(text, t);
            return;
        }
    say(text, "another thread");
}

static uint64_t own_pc(const struct vgpu_blocked *blocked)
{
    for (int i = 0; i < FRAMES && blocked->pcs[i]; i++)
        if (vgpu_is_own_line(blocked->pcs[i]))
            return blocked->pcs[i];
    return 0;
}

static void say_wait(struct text *text, const struct vgpu_thread *thread)
{
    static const char *const things[] = {
        [VGPU_WAIT_LOCK] = "a lock that another thread has",
        [VGPU_WAIT_CONDITION] = "a condition variable to be signalled",
        [VGPU_WAIT_SEMAPHORE] = "a semaphore to be posted",
        [VGPU_WAIT_BARRIER] = "a barrier to which not all come",
        [VGPU_WAIT_PIPE] =
            "a pipe that it reads, and only this process has its "
            "other end",
        [VGPU_WAIT_ATOMIC] = "a future, or for an atomic to be notified",
    };
    const struct vgpu_blocked *const blocked = thread->blocked;
    const uint64_t pc = own_pc(blocked);
    char line[256];

    say_thread(text, thread);
    if (pc)
        say(text, " at %s", vgpu_line_format(pc, line, sizeof line));
    say(text, " waits for ");
    if (blocked->what == VGPU_WAIT_MUTEX)
        say_mutex(text, thread);
    else if (blocked->what == VGPU_WAIT_END)
        say_end(text, blocked->at);
    else
        say(text, "%s", things[blocked->what]);
}

/* The first thread last made comes first in the list: people count upwards. */
static uint64_t say_all(struct text *text)
{
    uint64_t pc = 0;
    bool any = false;

    for (int number = 0; number < vgpu_rt.thread_count; number++)
        for (const struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next) {
            if (t->number != number ||
                atomic_load(&t->place) == VGPU_PLACE_GONE)
                continue;
            say(text, any ? ", " : "all host threads wait: ");
            say_wait(text, t);
            pc = pc ? pc : own_pc(t->blocked);
            any = true;
        }
    return pc;
}

bool vgpu_blocked_look(void)
{
    static unsigned looks;
    char words[900];
    struct text text = {words, sizeof words};
    uint64_t pc;

    looks = all_still_wait() && !vgpu_rt.host_functions ? looks + 1 : 0;
    if (looks < LOOKS)
        return looks > 0;
    looks = 0;
    if (wakes_from_outside())
        return true;
    pc = say_all(&text);
    vgpu_never_ends(pc, words);
    return true;
}
