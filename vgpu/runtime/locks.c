/*
 * locks.c: the C library's locks, conditions and semaphores, as host threads
 * use them (and barriers.c): symbols of the C library, defined here, which the
 * shared C++ library finds, too. pthread_wasm.c is the same in a browser.
 *
 * Who is the next is decided by the virtual clocks (threads.c), and no earlier
 * than he was let go goes on who waits (handover.c). A lock's own memory says
 * whether it is free: the library's function is called that tries, and who does
 * not get it sleeps here. Where there are no other threads, in a host function,
 * and for what processes share, the library's own do all of it.
 *
 * Until a time at the latest: that is one of the virtual clock's, and the
 * others are at work in the machine's. A wait lasts as long in the one as in
 * the other, and where the time has come, it has in both.
 *
 * Source: POSIX.1-2017, <pthread.h>, <semaphore.h>; C11, <threads.h>; futex(2).
 */
#include "rt.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "watcher.h"

#define NS_PER_S 1000000000
#define AGAIN_NS 20000000 /* a lock that somebody let go behind our back */

REAL_LIBRARY(pthread_mutex_lock, (pthread_mutex_t * mutex), mutex)
REAL_LIBRARY(pthread_mutex_trylock, (pthread_mutex_t * mutex), mutex)
REAL_LIBRARY(pthread_mutex_unlock, (pthread_mutex_t * mutex), mutex)
REAL_LIBRARY(pthread_cond_wait,
             (pthread_cond_t * condition, pthread_mutex_t *mutex), condition,
             mutex)
REAL_LIBRARY(pthread_cond_signal, (pthread_cond_t * condition), condition)
REAL_LIBRARY(pthread_cond_broadcast, (pthread_cond_t * condition), condition)
REAL_LIBRARY(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), lock)
REAL_LIBRARY(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), lock)
REAL_LIBRARY(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), lock)
REAL_LIBRARY(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), lock)
REAL_LIBRARY(pthread_rwlock_unlock, (pthread_rwlock_t * lock), lock)
REAL_LIBRARY(pthread_spin_lock, (pthread_spinlock_t * lock), lock)
REAL_LIBRARY(pthread_spin_trylock, (pthread_spinlock_t * lock), lock)
REAL_LIBRARY(pthread_spin_unlock, (pthread_spinlock_t * lock), lock)
REAL_LIBRARY(sem_wait, (sem_t * semaphore), semaphore)
REAL_LIBRARY(sem_trywait, (sem_t * semaphore), semaphore)
REAL_LIBRARY(sem_post, (sem_t * semaphore), semaphore)

/* Somebody may want what the caller has let go: he looks again. */
static void let_go(const volatile void *at)
{
    vgpu_thread_wake(at, INT_MAX);
}

/* ---- until a time at the latest ------------------------------------------ */

struct limit {
    const struct timespec *until; /* of the virtual clock's; NULL: none */
    int64_t left_ns;              /* at the call */
    int64_t end_ns;               /* of the machine's */
};

static bool is_valid(const struct timespec *until)
{
    return !until || (until->tv_nsec >= 0 && until->tv_nsec < NS_PER_S);
}

static struct limit limit_of(const struct timespec *until)
{
    struct limit limit = {until, 0, 0};
    clockid_t clock;

    if (until) {
        limit.left_ns = vgpu_timer_left(until, &clock);
        limit.end_ns = vgpu_real_ns() + limit.left_ns;
    }
    return limit;
}

/* Sleep. Return: false where the time has come. */
static bool sleep_until(const struct limit *limit)
{
    struct vgpu_thread *const thread = vgpu_thread_self();
    bool woken;

    if (!limit->until)
        return vgpu_thread_sleep(-1);
    atomic_store(&thread->timed, true);
    woken = vgpu_thread_sleep(limit->end_ns - vgpu_real_ns());
    atomic_store(&thread->timed, false);
    return woken;
}

/* The same for what may be let go in a way that is not seen. */
static bool sleep_or_look(const volatile void *at, const struct limit *limit)
{
    vgpu_thread_expect(at);
    if (limit->until)
        return sleep_until(limit);
    vgpu_thread_sleep(AGAIN_NS);
    return true;
}

/* ---- locks ----------------------------------------------------------------
 */

typedef int try_fn(void *lock);

static enum vgpu_wait_for sort_of(try_fn *try);

/*
 * Get @lock by @try, which returns EBUSY while somebody else has it. @wait is
 * the library's own, and gets it where there is nobody to keep turns with.
 * Return: their error; ETIMEDOUT.
 */
static int lock_by(void *lock, try_fn *try, try_fn *wait,
                   const struct limit *limit, uint64_t pc)
{
    const bool turns = vgpu_handover_turn();
    int error = try(lock);

    if (error == EBUSY && !limit->until)
        vgpu_blocked_begin(sort_of(try), lock, pc);
    while (error == EBUSY && (turns || limit->until)) {
        if (!sleep_or_look(lock, limit)) {
            vgpu_go_on_waited(limit->left_ns, pc);
            error = try(lock);
            error = error == EBUSY ? ETIMEDOUT : error;
            break;
        }
        vgpu_handover_take(lock);
        vgpu_handover_turn();
        error = try(lock);
    }
    if (error == EBUSY)
        error = wait(lock);
    vgpu_blocked_end();
    if (!error)
        vgpu_handover_take(lock);
    return error;
}

static int unlock_by(void *lock, try_fn *unlock)
{
    int error;

    vgpu_handover_turn();
    vgpu_handover_give(lock);
    error = unlock(lock);
    let_go(lock);
    return error;
}

static const struct limit for_ever;

#define LOCK_FUNCTIONS(name, type)                                             \
    static int name##_by(void *lock)                                           \
    {                                                                          \
        return real_##name((type *)lock);                                      \
    }
LOCK_FUNCTIONS(pthread_mutex_lock, pthread_mutex_t)
LOCK_FUNCTIONS(pthread_mutex_trylock, pthread_mutex_t)
LOCK_FUNCTIONS(pthread_mutex_unlock, pthread_mutex_t)
LOCK_FUNCTIONS(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK_FUNCTIONS(pthread_rwlock_tryrdlock, pthread_rwlock_t)
LOCK_FUNCTIONS(pthread_rwlock_wrlock, pthread_rwlock_t)
LOCK_FUNCTIONS(pthread_rwlock_trywrlock, pthread_rwlock_t)
LOCK_FUNCTIONS(pthread_rwlock_unlock, pthread_rwlock_t)
LOCK_FUNCTIONS(pthread_spin_lock, pthread_spinlock_t)
LOCK_FUNCTIONS(pthread_spin_trylock, pthread_spinlock_t)
LOCK_FUNCTIONS(pthread_spin_unlock, pthread_spinlock_t)

/* What glibc's locks hold; other libraries do not say. */
#ifdef __GLIBC__
/* The caller's own, and no recursive one: the library says what is wrong, or
 * waits for ever. */
static bool is_own(const pthread_mutex_t *mutex)
{
    return mutex->__data.__owner == vgpu_thread_self()->tid &&
           (mutex->__data.__kind & 3) != PTHREAD_MUTEX_RECURSIVE;
}

/* Of processes: the lowest bit of what counts who waits. */
static bool is_shared(const pthread_cond_t *condition)
{
    return condition->__data.__wrefs & 1;
}
#else
static bool is_own(const pthread_mutex_t *mutex)
{
    (void)mutex;
    return false;
}

static bool is_shared(const pthread_cond_t *condition)
{
    (void)condition;
    return false;
}
#endif

static int mutex_lock(pthread_mutex_t *mutex, const struct limit *limit,
                      uint64_t pc)
{
    int error;

    if (vgpu_handover_off(pc))
        return real_pthread_mutex_lock(mutex);
    if (!limit->until && is_own(mutex)) {
        vgpu_blocked_begin(VGPU_WAIT_MUTEX, mutex, pc);
        error = real_pthread_mutex_lock(mutex);
        vgpu_blocked_end();
        return error;
    }
    return lock_by(mutex, pthread_mutex_trylock_by, pthread_mutex_lock_by,
                   limit, pc);
}

VGPU_PUBLIC int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return mutex_lock(mutex, &for_ever, VGPU_PC);
}

static int mutex_lock_until(pthread_mutex_t *mutex,
                            const struct timespec *until, uint64_t pc)
{
    const struct limit limit = limit_of(until);

    return is_valid(until) ? mutex_lock(mutex, &limit, pc) : EINVAL;
}

VGPU_PUBLIC int pthread_mutex_timedlock(pthread_mutex_t *mutex,
                                        const struct timespec *until)
{
    return mutex_lock_until(mutex, until, VGPU_PC);
}

VGPU_PUBLIC int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                        const struct timespec *until);
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                            const struct timespec *until)
{
    (void)clock; /* they are years apart */
    return mutex_lock_until(mutex, until, VGPU_PC);
}

static int try_by(void *lock, try_fn *try, uint64_t pc)
{
    int error;

    if (vgpu_handover_off(pc))
        return try(lock);
    vgpu_handover_turn();
    error = try(lock);
    if (!error)
        vgpu_handover_take(lock);
    return error;
}

VGPU_PUBLIC int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return try_by(mutex, pthread_mutex_trylock_by, VGPU_PC);
}

VGPU_PUBLIC int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return vgpu_handover_off(VGPU_PC)
               ? real_pthread_mutex_unlock(mutex)
               : unlock_by(mutex, pthread_mutex_unlock_by);
}

#define LOCKED(type, lock_name, try_name)                                      \
    VGPU_PUBLIC int lock_name(type *lock)                                      \
    {                                                                          \
        return vgpu_handover_off(VGPU_PC)                                      \
                   ? real_##lock_name(lock)                                    \
                   : lock_by((void *)lock, try_name##_by, lock_name##_by,      \
                             &for_ever, VGPU_PC);                              \
    }                                                                          \
    VGPU_PUBLIC int try_name(type *lock)                                       \
    {                                                                          \
        return try_by((void *)lock, try_name##_by, VGPU_PC);                   \
    }

#define UNLOCKED(type, unlock_name)                                            \
    VGPU_PUBLIC int unlock_name(type *lock)                                    \
    {                                                                          \
        return vgpu_handover_off(VGPU_PC)                                      \
                   ? real_##unlock_name(lock)                                  \
                   : unlock_by((void *)lock, unlock_name##_by);                \
    }

LOCKED(pthread_rwlock_t, pthread_rwlock_rdlock, pthread_rwlock_tryrdlock)
LOCKED(pthread_rwlock_t, pthread_rwlock_wrlock, pthread_rwlock_trywrlock)
UNLOCKED(pthread_rwlock_t, pthread_rwlock_unlock)
LOCKED(pthread_spinlock_t, pthread_spin_lock, pthread_spin_trylock)
UNLOCKED(pthread_spinlock_t, pthread_spin_unlock)

/* ---- conditions -----------------------------------------------------------
 */

/* What a host function signals reaches who sleeps in the library, and who does
 * so here. */
static int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                          const struct limit *limit, uint64_t pc)
{
    bool woken;

    vgpu_handover_turn();
    vgpu_thread_expect(condition);
    unlock_by(mutex, pthread_mutex_unlock_by);
    if (!limit->until)
        vgpu_blocked_begin(VGPU_WAIT_CONDITION, condition, pc);
    woken = sleep_until(limit);
    vgpu_blocked_end();
    if (!woken)
        vgpu_go_on_waited(limit->left_ns, pc);
    else
        vgpu_handover_take(condition);
    mutex_lock(mutex, &for_ever, pc);
    return woken ? 0 : ETIMEDOUT;
}

VGPU_PUBLIC int pthread_cond_wait(pthread_cond_t *condition,
                                  pthread_mutex_t *mutex)
{
    if (vgpu_handover_off(VGPU_PC) || is_shared(condition))
        return real_pthread_cond_wait(condition, mutex);
    return condition_wait(condition, mutex, &for_ever, VGPU_PC);
}

static int condition_wait_until(pthread_cond_t *condition,
                                pthread_mutex_t *mutex,
                                const struct timespec *until, uint64_t pc)
{
    struct limit limit;

    if (!is_valid(until))
        return EINVAL;
    limit = limit_of(until);
    return condition_wait(condition, mutex, &limit, pc);
}

VGPU_PUBLIC int pthread_cond_timedwait(pthread_cond_t *condition,
                                       pthread_mutex_t *mutex,
                                       const struct timespec *until)
{
    return condition_wait_until(condition, mutex, until, VGPU_PC);
}

/* Of newer C libraries; std::condition_variable's. */
VGPU_PUBLIC int pthread_cond_clockwait(pthread_cond_t *condition,
                                       pthread_mutex_t *mutex, clockid_t clock,
                                       const struct timespec *until);
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           clockid_t clock, const struct timespec *until)
{
    (void)clock;
    return condition_wait_until(condition, mutex, until, VGPU_PC);
}

static void give_and_wake(const volatile void *at, int most)
{
    vgpu_thread_self()->spins = false;
    vgpu_handover_turn();
    vgpu_handover_give(at);
    vgpu_thread_wake(at, most);
}

VGPU_PUBLIC int pthread_cond_signal(pthread_cond_t *condition)
{
    if (!vgpu_handover_off(VGPU_PC))
        give_and_wake(condition, 1);
    return real_pthread_cond_signal(condition);
}

VGPU_PUBLIC int pthread_cond_broadcast(pthread_cond_t *condition)
{
    if (!vgpu_handover_off(VGPU_PC))
        give_and_wake(condition, INT_MAX);
    return real_pthread_cond_broadcast(condition);
}

/* ---- semaphores -----------------------------------------------------------
 */

/* As the locks' functions return. */
static int sem_trywait_by(void *semaphore)
{
    const int error = real_sem_trywait((sem_t *)semaphore) ? errno : 0;

    return error == EAGAIN ? EBUSY : error;
}

static int sem_wait_by(void *semaphore)
{
    return real_sem_wait((sem_t *)semaphore) ? errno : 0;
}

static enum vgpu_wait_for sort_of(try_fn *try)
{
    return try == pthread_mutex_trylock_by ? VGPU_WAIT_MUTEX
           : try == sem_trywait_by         ? VGPU_WAIT_SEMAPHORE
                                           : VGPU_WAIT_LOCK;
}

static int result_of(int error)
{
    if (!error)
        return 0;
    errno = error == EBUSY ? EAGAIN : error;
    return -1;
}

VGPU_PUBLIC int sem_wait(sem_t *semaphore)
{
    if (vgpu_handover_off(VGPU_PC))
        return real_sem_wait(semaphore);
    return result_of(
        lock_by(semaphore, sem_trywait_by, sem_wait_by, &for_ever, VGPU_PC));
}

VGPU_PUBLIC int sem_trywait(sem_t *semaphore)
{
    return result_of(try_by(semaphore, sem_trywait_by, VGPU_PC));
}

static int semaphore_wait_until(sem_t *semaphore, const struct timespec *until,
                                uint64_t pc)
{
    struct limit limit;

    if (!is_valid(until))
        return result_of(EINVAL);
    limit = limit_of(until);
    return result_of(
        lock_by(semaphore, sem_trywait_by, sem_wait_by, &limit, pc));
}

VGPU_PUBLIC int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    return semaphore_wait_until(semaphore, until, VGPU_PC);
}

VGPU_PUBLIC int sem_clockwait(sem_t *semaphore, clockid_t clock,
                              const struct timespec *until);
int sem_clockwait(sem_t *semaphore, clockid_t clock,
                  const struct timespec *until)
{
    (void)clock;
    return semaphore_wait_until(semaphore, until, VGPU_PC);
}

VGPU_PUBLIC int sem_post(sem_t *semaphore)
{
    int error;

    if (vgpu_handover_off(VGPU_PC))
        return real_sem_post(semaphore);
    vgpu_thread_self()->spins = false;
    vgpu_handover_turn();
    vgpu_handover_give(semaphore);
    error = real_sem_post(semaphore);
    let_go(semaphore);
    return error;
}

/* ---- C11's, whose objects are those of POSIX ------------------------------
 */

static int c11_of(int error)
{
    return !error               ? thrd_success
           : error == ETIMEDOUT ? thrd_timedout
           : error == EBUSY     ? thrd_busy
                                : thrd_error;
}

VGPU_PUBLIC int mtx_lock(mtx_t *mutex)
{
    return c11_of(mutex_lock((pthread_mutex_t *)mutex, &for_ever, VGPU_PC));
}

VGPU_PUBLIC int mtx_trylock(mtx_t *mutex)
{
    return c11_of(pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

VGPU_PUBLIC int mtx_unlock(mtx_t *mutex)
{
    return c11_of(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

VGPU_PUBLIC int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    return c11_of(mutex_lock_until((pthread_mutex_t *)mutex, until, VGPU_PC));
}

VGPU_PUBLIC int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return c11_of(pthread_cond_wait((pthread_cond_t *)condition,
                                    (pthread_mutex_t *)mutex));
}

VGPU_PUBLIC int cnd_signal(cnd_t *condition)
{
    return c11_of(pthread_cond_signal((pthread_cond_t *)condition));
}

VGPU_PUBLIC int cnd_broadcast(cnd_t *condition)
{
    return c11_of(pthread_cond_broadcast((pthread_cond_t *)condition));
}

VGPU_PUBLIC int cnd_timedwait(cnd_t *condition, mtx_t *mutex,
                              const struct timespec *until)
{
    return c11_of(condition_wait_until(
        (pthread_cond_t *)condition, (pthread_mutex_t *)mutex, until, VGPU_PC));
}

VGPU_PUBLIC void call_once(once_flag *once, void (*function)(void))
{
    pthread_once((pthread_once_t *)once, function);
}

/* C11's threads end with an int. */
struct c11_thread {
    thrd_start_t body;
    void *arg;
};

static void *c11_body(void *data)
{
    const struct c11_thread thread = *(struct c11_thread *)data;

    free(data);
    return (void *)(intptr_t)thread.body(thread.arg);
}

VGPU_PUBLIC int thrd_create(thrd_t *out, thrd_start_t body, void *arg)
{
    struct c11_thread *const thread = malloc(sizeof *thread);
    int error;

    if (!thread)
        return thrd_nomem;
    *thread = (struct c11_thread){body, arg};
    error = pthread_create(out, NULL, c11_body, thread);
    if (error)
        free(thread);
    return c11_of(error);
}

VGPU_PUBLIC int thrd_join(thrd_t thread, int *out)
{
    void *result;
    const int error = pthread_join(thread, &result);

    if (!error && out)
        *out = (int)(intptr_t)result;
    return c11_of(error);
}

/* ---- what std::future and std::atomic wait by -----------------------------
 */

static long futex_wait(const volatile int *at, int value, bool relative,
                       const struct timespec *time, uint64_t pc)
{
    struct timespec until;
    struct limit limit = for_ever;
    bool woken;

    if (time && relative) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec +=
            time->tv_sec + (until.tv_nsec + time->tv_nsec) / NS_PER_S;
        until.tv_nsec = (until.tv_nsec + time->tv_nsec) % NS_PER_S;
        time = &until;
    }
    if (time)
        limit = limit_of(time);
    vgpu_handover_turn();
    if (*at != value)
        return result_of(EAGAIN);
    if (!time)
        vgpu_blocked_begin(VGPU_WAIT_ATOMIC, at, pc);
    woken = sleep_or_look(at, &limit);
    vgpu_blocked_end();
    if (!woken) {
        vgpu_go_on_waited(limit.left_ns, pc);
        return result_of(ETIMEDOUT);
    }
    vgpu_handover_take(at);
    return 0; /* which need not mean that it has changed */
}

static long (*real_syscall)(long, ...);

/* Six words are passed on, whatever the call has: some may be none of the
 * caller's. */
VGPU_PUBLIC __attribute__((no_sanitize_address)) long syscall(long number, ...)
{
    long a[6];
    va_list rest;

    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(rest, long);
    va_end(rest);
    if (!real_syscall)
        *(void **)&real_syscall = vgpu_next_symbol("syscall");
    if (number != SYS_futex || vgpu_handover_off(VGPU_PC))
        return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return futex_wait((const volatile int *)a[0], (int)a[2],
                          (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT,
                          (const struct timespec *)a[3], VGPU_PC);
    case FUTEX_WAKE:
        give_and_wake((const volatile void *)a[0], (int)a[2]);
    }
    return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
