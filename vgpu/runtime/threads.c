/*
 * threads.c: several host threads, and still the same run every time.
 *
 * Each thread has a clock of its own. Which of two threads' calls comes first
 * would be up to the operating system, so calls pass a gate: a thread may go
 * on when every other thread is at the gate too, asleep or gone, and its
 * clock is the earliest of those that wait. Between calls threads run as they
 * like.
 *
 * A thread that waits in the C library (a lock, a join, an OpenMP barrier) is
 * known by its state in /proc. Whoever wakes it did so at some time on his
 * own clock: it continues at the latest time that any thread had reached.
 * Where there is no /proc nothing waits at the gate, and runs may differ.
 */
#include "rt.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "watcher.h"

#define POLL_NS   20000 /* first look, doubled up to ... */
#define POLL_MOST 500000
#define LONG_NS   INT64_C(1000000000)
#define BEHIND_NS 50000000 /* who is not the first is woken in time */
#define JOIN_NS   20000000
#define PATIENCE  4000 /* looks at one thread that spins */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int alive = 1;
static int64_t latest_ns;
static atomic_bool is_held; /* see vgpu_threads_hold */

/* No stream of the C library: a thread that slept for one of its locks, which
 * the reader holds, would seem to wait for another's work. */
static bool read_file(int tid, const char *name, char *text, size_t size)
{
    char path[64];
    ssize_t got;
    int file;

    snprintf(path, sizeof path, "/proc/self/task/%d/%s", tid, name);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    got = read(file, text, size - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* Its state by the kernel's letter, 'S' for asleep, or @unknown where there is
 * no /proc. @turns: how often it has run so far. */
static char state_of(const struct vgpu_thread *thread, uint64_t *turns,
                     char unknown)
{
    char text[512];
    const char *at;

    *turns = 0;
    if (!thread->tid)
        return 'R'; /* about to begin */
    if (read_file(thread->tid, "schedstat", text, sizeof text))
        sscanf(text, "%*u %*u %" SCNu64, turns);
    if (!read_file(thread->tid, "stat", text, sizeof text))
        return unknown;
    at = strrchr(text, ')');
    return at && at[1] == ' ' ? at[2] : unknown;
}

/* Take the gate's lock. A thread that has to wait for it sleeps, but not for
 * want of anything from the others: it is on its way. */
static void lock_gate(struct vgpu_thread *thread)
{
    atomic_store(&thread->place, VGPU_PLACE_ARRIVING);
    vgpu_lock(&gate);
}

/* Who is the next to pass, of those at the gate, or NULL. */
static struct vgpu_thread *first_at_gate(void)
{
    struct vgpu_thread *first = NULL;

    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (atomic_load(&t->place) == VGPU_PLACE_GATE &&
            (!first || vgpu_thread_comes_first(t, first)))
            first = t;
    return first;
}

/* Nobody else is woken: of a hundred threads all would look, at each call of
 * each, and find that it is not their turn. */
static void tell_next(void)
{
    struct vgpu_thread *const next = first_at_gate();

    if (next)
        vgpu_cond_signal(&next->moved);
}

static void unlock_gate(struct vgpu_thread *thread)
{
    atomic_store(&thread->place, VGPU_PLACE_RUNNING);
    tell_next();
    vgpu_unlock(&gate);
}

/*
 * May @thread go on? Called with the gate's lock. Looked at twice: a thread
 * that slept at the first look, for a lock that another has let go since, has
 * had a turn by the second or is about to.
 */
static bool look(const struct vgpu_thread *thread, bool again)
{
    if (atomic_load(&is_held) && !thread->between_calls)
        return false;
    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next) {
        int place = atomic_load(&t->place);
        uint64_t turns;

        if (t == thread || place == VGPU_PLACE_GONE ||
            place == VGPU_PLACE_ASLEEP)
            continue;
        if (place == VGPU_PLACE_SERVED && thread->between_calls)
            continue; /* the function may wait for it */
        if (place == VGPU_PLACE_ARRIVING || place == VGPU_PLACE_SERVED)
            return false;
        if (place == VGPU_PLACE_GATE) {
            if (vgpu_thread_comes_first(t, thread))
                return false;
            continue;
        }
        if (state_of(t, &turns, 'S') != 'S' || (again && turns != t->turns))
            return false;
        t->turns = turns;
        if (again)
            t->slept = true;
    }
    return true;
}

static bool may_pass(const struct vgpu_thread *thread)
{
    return look(thread, false) && look(thread, true);
}

/* Who sleeps meanwhile may do so for the runtime's lock, or an emulator's own,
 * and may have done so at the first of the two looks; he has had a turn by the
 * second. */
void vgpu_threads_hold(bool on)
{
    atomic_store(&is_held, on);
}

int64_t vgpu_thread_next_ns(struct vgpu_thread *thread)
{
    int64_t next_ns = INT64_MAX;

    if (!vgpu_thread_several(thread))
        return next_ns;
    lock_gate(thread);
    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (t != thread && atomic_load(&t->place) == VGPU_PLACE_GATE &&
            !vgpu_thread_looked(t) && t->now_ns < next_ns)
            next_ns = t->now_ns;
    unlock_gate(thread);
    return next_ns;
}

bool vgpu_threads_sleep(void)
{
    bool all = true;

    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next) {
        int place = atomic_load(&t->place);
        uint64_t turns;

        if (place == VGPU_PLACE_GONE || place == VGPU_PLACE_ASLEEP)
            continue;
        if (place != VGPU_PLACE_RUNNING)
            return false;
        all = state_of(t, &turns, '?') == 'S' && turns == t->last_turns && all;
        t->last_turns = turns;
    }
    return all;
}

/* Does it sleep in what the C library's locks, and all that is built of them,
 * sleep in? Not where it goes on by itself. */
static bool is_in_futex(const struct vgpu_thread *thread)
{
    char text[128];
    int call;

    if (atomic_load(&thread->timed))
        return false;
    if (atomic_load(&thread->place) == VGPU_PLACE_ASLEEP)
        return true;
    return read_file(thread->tid, "syscall", text, sizeof text) &&
           sscanf(text, "%d", &call) == 1 && call == SYS_futex;
}

/* Is it at the gate and will pass? Not into a call, as long as a host function
 * runs. */
static bool will_pass(const struct vgpu_thread *thread)
{
    if (atomic_load(&thread->place) != VGPU_PLACE_GATE)
        return false;
    for (const struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (atomic_load(&t->place) == VGPU_PLACE_SERVED)
            return thread->between_calls;
    return true;
}

/* Does @thread wait for the host function that asks? Between two looks whether
 * it has ended it may be seen awake. */
static bool is_served_by(const struct vgpu_thread *thread,
                         const struct vgpu_thread *asks)
{
    return asks && asks->in_host_function &&
           atomic_load(&thread->place) == VGPU_PLACE_SERVED;
}

bool vgpu_threads_wait(const struct vgpu_thread *but)
{
    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (t != but && atomic_load(&t->place) != VGPU_PLACE_GONE &&
            !is_served_by(t, but) && !vgpu_thread_in_vain(t) &&
            (will_pass(t) || !is_in_futex(t)))
            return false;
    return true;
}

bool vgpu_thread_waits_still(struct vgpu_thread *thread)
{
    const uint64_t last = thread->last_turns;

    if (atomic_load(&thread->place) == VGPU_PLACE_ASLEEP)
        return is_in_futex(thread);
    return state_of(thread, &thread->last_turns, '?') == 'S' &&
           thread->last_turns == last && is_in_futex(thread);
}

/* Whoever woke it did so no later than the latest time that any thread has
 * reached. */
static void catch_up(struct vgpu_thread *thread)
{
    if (thread->slept && latest_ns > thread->now_ns)
        thread->now_ns = latest_ns;
    thread->slept = false;
}

bool vgpu_thread_several(const struct vgpu_thread *thread)
{
    return atomic_load(&alive) > 1 && !thread->in_host_function;
}

void vgpu_thread_pass_gate(struct vgpu_thread *thread)
{
    int64_t wait_ns = POLL_NS;

    lock_gate(thread);
    catch_up(thread);
    atomic_store(&thread->place, VGPU_PLACE_GATE);
    if (first_at_gate() != thread)
        tell_next();
    for (int i = 0; i < PATIENCE;) {
        if (first_at_gate() != thread) {
            vgpu_real_wait(&thread->moved, &gate, BEHIND_NS);
            continue;
        }
        if (may_pass(thread))
            break;
        vgpu_real_wait(&thread->moved, &gate, wait_ns);
        if (wait_ns < POLL_MOST)
            wait_ns *= 2;
        i++;
    }
    if (thread->now_ns > latest_ns)
        latest_ns = thread->now_ns;
    atomic_store(&thread->place, VGPU_PLACE_RUNNING);
    vgpu_unlock(&gate);
}

void vgpu_thread_left(struct vgpu_thread *thread)
{
    if (atomic_load(&alive) < 2)
        return;
    lock_gate(thread);
    if (thread->now_ns > latest_ns)
        latest_ns = thread->now_ns;
    unlock_gate(thread);
}

/* ---- sleep ----------------------------------------------------------------
 */

static atomic_int sleepers; /* whose waits_for is set */

void vgpu_thread_expect(const volatile void *at)
{
    static uint64_t sleeps;
    struct vgpu_thread *const thread = vgpu_thread_self();
    const int place = atomic_exchange(&thread->place, VGPU_PLACE_ARRIVING);

    vgpu_lock(&gate);
    thread->waits_for = at;
    thread->sleep = ++sleeps;
    atomic_fetch_add(&sleepers, 1);
    atomic_store(&thread->place, place);
    vgpu_unlock(&gate);
}

static void awake(struct vgpu_thread *thread)
{
    thread->waits_for = NULL;
    atomic_fetch_sub(&sleepers, 1);
}

bool vgpu_thread_sleep(int64_t ns)
{
    struct vgpu_thread *const thread = vgpu_thread_self();
    const int place = atomic_exchange(&thread->place, VGPU_PLACE_ARRIVING);
    const int64_t until_ns = ns < 0 ? INT64_MAX : vgpu_real_ns() + ns;
    int64_t left_ns;
    bool woken;

    vgpu_lock(&gate);
    if (thread->waits_for)
        atomic_store(&thread->place, VGPU_PLACE_ASLEEP);
    tell_next();
    while (thread->waits_for && (left_ns = until_ns - vgpu_real_ns()) > 0)
        vgpu_real_wait(&thread->moved, &gate, min_i64(left_ns, LONG_NS));
    woken = !thread->waits_for;
    if (!woken)
        awake(thread);
    atomic_store(&thread->place, place);
    vgpu_unlock(&gate);
    return woken;
}

static struct vgpu_thread *longest_asleep(const volatile void *at)
{
    struct vgpu_thread *first = NULL;

    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (t->waits_for == at && (!first || t->sleep < first->sleep))
            first = t;
    return first;
}

void vgpu_thread_wake(const volatile void *at, int most)
{
    struct vgpu_thread *const thread = vgpu_thread_self(), *sleeper;
    int place;

    if (!atomic_load(&sleepers))
        return;
    place = atomic_exchange(&thread->place, VGPU_PLACE_ARRIVING);
    vgpu_lock(&gate);
    while (most-- > 0 && (sleeper = longest_asleep(at))) {
        int asleep = VGPU_PLACE_ASLEEP;

        awake(sleeper);
        atomic_compare_exchange_strong(&sleeper->place, &asleep,
                                       VGPU_PLACE_ARRIVING);
        vgpu_cond_signal(&sleeper->moved);
    }
    atomic_store(&thread->place, place);
    vgpu_unlock(&gate);
}

int vgpu_thread_tid(void)
{
    return (int)syscall(SYS_gettid);
}

/* ---- threads begin and end -------------------------------------------------
 */

struct birth {
    void *(*body)(void *);
    void *arg;
    struct vgpu_thread *thread;
    bool for_host_function;
};

static void thread_gone(void *data)
{
    struct vgpu_thread *thread = data;

    vgpu_thread_settle(thread);
    lock_gate(thread);
    if (thread->now_ns > latest_ns)
        latest_ns = thread->now_ns;
    unlock_gate(thread);
    atomic_store(&thread->place, VGPU_PLACE_GONE);
    atomic_fetch_sub(&alive, 1);
}

static const void *end_of(pthread_t thread)
{
    return (const void *)(uintptr_t)thread;
}

/* Who joins it knows what it did. A library's threads act as who made them. */
static void thread_ends(void *data)
{
    struct vgpu_thread *const thread = data;

    vgpu_handover_forget(end_of(pthread_self()));
    vgpu_handover_give(end_of(pthread_self()));
    vgpu_thread_wake(end_of(pthread_self()), INT_MAX);
    thread_gone(thread);
    if (thread->acts_alone)
        vgpu_agent_end(thread->agent);
}

/* Of a system's folders, and so none that the program brings. */
static bool is_systems(const char *file)
{
    return !strncmp(file, "/lib", 4) || !strncmp(file, "/usr/lib", 8);
}

/* What the program's threads run and call is its own, or the C++ library's,
 * which calls what is. Those of other libraries order each other by means that
 * are not seen, as an OpenMP library's do. */
static bool find_programs(uint64_t pc)
{
    Dl_info theirs, own;

    if (!dladdr((void *)(uintptr_t)pc, &theirs) || !dladdr(&vgpu_rt, &own))
        return true; /* a program without libraries */
    return theirs.dli_fbase == own.dli_fbase || !theirs.dli_fname ||
           strstr(theirs.dli_fname, "c++") || !is_systems(theirs.dli_fname);
}

#define CODE_PAGES 256

bool vgpu_is_programs(uint64_t pc)
{
    static atomic_uint_least64_t known[CODE_PAGES]; /* page, and the answer */
    const uint64_t page = pc >> 12;
    atomic_uint_least64_t *const slot = &known[page % CODE_PAGES];
    uint64_t entry = atomic_load(slot);

    if (entry >> 1 != page) {
        entry = page << 1 | find_programs(pc);
        atomic_store(slot, entry);
    }
    return entry & 1;
}

static void *thread_body(void *data)
{
    struct birth birth = *(struct birth *)data;
    void *result;

    free(data);
    vgpu_thread_adopt(birth.thread);
    birth.thread->tid = vgpu_thread_tid();
    birth.thread->end = end_of(pthread_self());
    /* It acts for the function, ordered as that is: nothing is known of it. */
    if (birth.for_host_function)
        vgpu_check_unwatched_begin(-1);
    pthread_cleanup_push(thread_ends, birth.thread);
    result = birth.body(birth.arg);
    pthread_cleanup_pop(1);
    return result;
}

static int (*real_create)(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);

static void find_real_create(void)
{
    if (!real_create)
        *(void **)&real_create = vgpu_next_symbol("pthread_create");
}

int vgpu_thread_create_real(pthread_t *out, void *(*body)(void *), void *arg)
{
    find_real_create();
    return real_create(out, NULL, body, arg);
}

/* The program's own calls and those of the C++ and OpenMP libraries. */
VGPU_PUBLIC int pthread_create(pthread_t *out, const pthread_attr_t *attr,
                               void *(*body)(void *), void *arg)
{
    struct vgpu_thread *parent = vgpu_thread_self();
    struct birth *birth = malloc(sizeof *birth);
    bool alone;
    int error;

    find_real_create();
    if (!birth)
        return 11; /* EAGAIN */
    vgpu_thread_settle(parent);
    birth->body = body;
    birth->arg = arg;
    birth->for_host_function = parent->in_host_function;
    vgpu_handover_start();
    alone = !parent->in_host_function && vgpu_is_programs((uintptr_t)body);
    birth->thread =
        vgpu_thread_make(parent->now_ns, alone ? NULL : parent->agent);
    birth->thread->acts_alone = alone;
    vgpu_handover_begin(birth->thread, parent);
    atomic_fetch_add(&alive, 1);
    vgpu_own_depth++; /* a library may have made its stack's memory its own */
    error = real_create(out, attr, thread_body, birth);
    vgpu_own_depth--;
    if (error) {
        thread_gone(birth->thread);
        free(birth);
        return error;
    }
    return 0;
}

typedef int join_fn(pthread_t, void **);

/* Sleep until @thread says that it ends, which it may have done just now. */
static int join_asleep(pthread_t thread, void **result, join_fn *join)
{
    int error;

    do {
        vgpu_thread_expect(end_of(thread));
        error = pthread_tryjoin_np(thread, result);
        if (vgpu_thread_sleep(error == EBUSY ? JOIN_NS : 0) && error == EBUSY)
            error = join(thread, result);
    } while (error == EBUSY);
    return error;
}

/* Who joins a thread goes on at the time that it had reached. */
VGPU_PUBLIC int pthread_join(pthread_t thread, void **result)
{
    static join_fn *real;
    struct vgpu_thread *joiner = vgpu_thread_self();
    int error;

    if (!real)
        *(void **)&real = vgpu_next_symbol("pthread_join");
    vgpu_thread_settle(joiner);
    vgpu_blocked_begin(VGPU_WAIT_END, end_of(thread), VGPU_PC);
    error = vgpu_thread_several(joiner) ? join_asleep(thread, result, real)
                                        : real(thread, result);
    vgpu_blocked_end();
    if (error || joiner->in_host_function) /* which has no turn */
        return error;
    vgpu_handover_take(end_of(thread));
    return 0;
}

void vgpu_threads_at_fork(void (*in_child)(void))
{
    pthread_atfork(NULL, NULL, in_child);
}

/* A child has one thread, by another number, and whatever lock another thread
 * held at the time is nobody's. */
void vgpu_threads_forked(void)
{
    struct vgpu_thread *const self = vgpu_thread_self();

    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (t != self)
            atomic_store(&t->place, VGPU_PLACE_GONE);
    vgpu_rt.forked = true;
    self->tid = vgpu_thread_tid();
    atomic_store(&alive, 1);
    atomic_store(&sleepers, 0);
    atomic_store(&is_held, false);
    pthread_mutex_init(&gate, NULL);
    vgpu_real_cond_init(&self->moved);
}

/* ---- OpenMP regions (gcc's library) ----------------------------------------
 */

/* Threads of a team are kept between regions: in each they begin when the
 * region does, and the one that opened it goes on when the last has ended. */
struct region {
    void (*body)(void *);
    void *data;
    int64_t begin_ns;
};

static void region_body(void *data)
{
    struct region *region = data;
    struct vgpu_thread *thread = vgpu_thread_self();

    vgpu_thread_settle(thread);
    lock_gate(thread);
    thread->slept = false;
    if (thread->now_ns < region->begin_ns)
        thread->now_ns = region->begin_ns;
    unlock_gate(thread);
    region->body(region->data);
    vgpu_thread_settle(thread);
    lock_gate(thread);
    if (thread->now_ns > latest_ns)
        latest_ns = thread->now_ns;
    unlock_gate(thread);
}

VGPU_PUBLIC void GOMP_parallel(void (*body)(void *), void *data,
                               unsigned threads, unsigned flags);
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags)
{
    static void (*real)(void (*)(void *), void *, unsigned, unsigned);
    struct vgpu_thread *thread = vgpu_thread_self();
    struct region region = {body, data, 0};

    if (!real)
        *(void **)&real = vgpu_next_symbol("GOMP_parallel");
    vgpu_thread_settle(thread);
    region.begin_ns = thread->now_ns;
    real(region_body, &region, threads, flags);
    lock_gate(thread);
    thread->slept = true;
    catch_up(thread);
    unlock_gate(thread);
}
