/*
 * timed_waits.c: waiting for others until a time at the latest. The time is one
 * of the virtual clock's (host_timers.c), and the others are at work in the
 * machine's: a wait lasts as long in the one as in the other, and where the
 * time has come, it has in both.
 *
 * What waits for a descriptor is the same; without any it is a sleep, which
 * takes no time of the machine's.
 *
 * Symbols of the C library, defined here; the shared C++ library's condition
 * variables and semaphores find them too. In a browser only one thread runs at
 * a time, and a wait is over once the others have had a turn
 * (pthread_wasm.c).
 */
#include "rt.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <threads.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#define NS_PER_S 1000000000

struct timed {
    struct vgpu_thread *thread;
    int64_t left_ns;
    struct timespec until; /* of the machine's clock */
};

static bool is_valid(const struct timespec *until)
{
    return until->tv_nsec >= 0 && until->tv_nsec < NS_PER_S;
}

static struct timed begin(const struct timespec *until)
{
    struct timed timed = {vgpu_thread_self(), 0, *until};
    clockid_t clock;
    int64_t ns;

    if (!is_valid(until))
        return timed; /* the library's own says what is wrong */
    timed.left_ns = vgpu_timer_left(until, &clock);
    syscall(SYS_clock_gettime, clock, &timed.until);
    ns = timed.until.tv_nsec + timed.left_ns % NS_PER_S;
    timed.until.tv_sec += timed.left_ns / NS_PER_S + ns / NS_PER_S;
    timed.until.tv_nsec = (long)(ns % NS_PER_S);
    atomic_store(&timed.thread->timed, true);
    return timed;
}

static void end(const struct timed *timed)
{
    atomic_store(&timed->thread->timed, false);
}

int vgpu_real_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                        const struct timespec *until)
{
    static int (*real)(pthread_cond_t *, pthread_mutex_t *,
                       const struct timespec *);

    if (!real)
        *(void **)&real = vgpu_next_symbol("pthread_cond_timedwait");
    return real(condition, mutex, until);
}

/* The time has come. A host function that is due by then may want the mutex:
 * who waits has not got it back yet. */
static void passed(const struct timed *timed, pthread_mutex_t *mutex,
                   uint64_t pc)
{
    pthread_mutex_unlock(mutex);
    vgpu_go_on_waited(timed->left_ns, pc);
    pthread_mutex_lock(mutex);
}

VGPU_PUBLIC int pthread_cond_timedwait(pthread_cond_t *condition,
                                       pthread_mutex_t *mutex,
                                       const struct timespec *until)
{
    const struct timed timed = begin(until);
    const int error = vgpu_real_timedwait(condition, mutex, &timed.until);

    end(&timed);
    if (error == ETIMEDOUT)
        passed(&timed, mutex, VGPU_PC);
    return error;
}

/* Of newer C libraries; std::condition_variable's. */
VGPU_PUBLIC int pthread_cond_clockwait(pthread_cond_t *condition,
                                       pthread_mutex_t *mutex, clockid_t clock,
                                       const struct timespec *until);
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           clockid_t clock, const struct timespec *until)
{
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, clockid_t,
                       const struct timespec *);
    const struct timed timed = begin(until);
    int error;

    if (!real)
        *(void **)&real = vgpu_next_symbol("pthread_cond_clockwait");
    error = real(condition, mutex, clock, &timed.until);
    end(&timed);
    if (error == ETIMEDOUT)
        passed(&timed, mutex, VGPU_PC);
    return error;
}

/* A host function that is due by then may have done what is waited for. */
static int semaphore_ended(const struct timed *timed, int error,
                           sem_t *semaphore, uint64_t pc)
{
    end(timed);
    if (!error || errno != ETIMEDOUT)
        return error;
    vgpu_go_on_waited(timed->left_ns, pc);
    error = sem_trywait(semaphore);
    if (error)
        errno = ETIMEDOUT;
    return error;
}

VGPU_PUBLIC int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    static int (*real)(sem_t *, const struct timespec *);
    const struct timed timed = begin(until);

    if (!real)
        *(void **)&real = vgpu_next_symbol("sem_timedwait");
    return semaphore_ended(&timed, real(semaphore, &timed.until), semaphore,
                           VGPU_PC);
}

VGPU_PUBLIC int sem_clockwait(sem_t *semaphore, clockid_t clock,
                              const struct timespec *until);
int sem_clockwait(sem_t *semaphore, clockid_t clock,
                  const struct timespec *until)
{
    static int (*real)(sem_t *, clockid_t, const struct timespec *);
    const struct timed timed = begin(until);

    if (!real)
        *(void **)&real = vgpu_next_symbol("sem_clockwait");
    return semaphore_ended(&timed, real(semaphore, clock, &timed.until),
                           semaphore, VGPU_PC);
}

static int mutex_ended(const struct timed *timed, int error,
                       pthread_mutex_t *mutex, uint64_t pc)
{
    end(timed);
    if (error != ETIMEDOUT)
        return error;
    vgpu_go_on_waited(timed->left_ns, pc);
    return pthread_mutex_trylock(mutex) ? error : 0;
}

VGPU_PUBLIC int pthread_mutex_timedlock(pthread_mutex_t *mutex,
                                        const struct timespec *until)
{
    static int (*real)(pthread_mutex_t *, const struct timespec *);
    const struct timed timed = begin(until);

    if (!real)
        *(void **)&real = vgpu_next_symbol("pthread_mutex_timedlock");
    return mutex_ended(&timed, real(mutex, &timed.until), mutex, VGPU_PC);
}

VGPU_PUBLIC int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                        const struct timespec *until);
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                            const struct timespec *until)
{
    static int (*real)(pthread_mutex_t *, clockid_t, const struct timespec *);
    const struct timed timed = begin(until);

    if (!real)
        *(void **)&real = vgpu_next_symbol("pthread_mutex_clocklock");
    return mutex_ended(&timed, real(mutex, clock, &timed.until), mutex,
                       VGPU_PC);
}

/* C11's, whose objects are those of POSIX. */
VGPU_PUBLIC int cnd_timedwait(cnd_t *condition, mtx_t *mutex,
                              const struct timespec *until)
{
    const int error = pthread_cond_timedwait((pthread_cond_t *)condition,
                                             (pthread_mutex_t *)mutex, until);

    return !error               ? thrd_success
           : error == ETIMEDOUT ? thrd_timedout
                                : thrd_error;
}

VGPU_PUBLIC int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    const int error = pthread_mutex_timedlock((pthread_mutex_t *)mutex, until);

    return !error               ? thrd_success
           : error == ETIMEDOUT ? thrd_timedout
                                : thrd_error;
}

/* ---- waiting for descriptors --------------------------------------------- */

static int64_t ns_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * NS_PER_S + time->tv_nsec;
}

/* A wait of @ns (below 0: without end) brought @ready. */
static int descriptors_ended(int ready, int64_t ns)
{
    if (!ready && ns > 0)
        vgpu_go_on_waited(ns, 0);
    return ready;
}

VGPU_PUBLIC int poll(struct pollfd *files, nfds_t count, int ms)
{
    static int (*real)(struct pollfd *, nfds_t, int);
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

    if (!count && ms >= 0)
        return nanosleep(&time, NULL);
    if (!real)
        *(void **)&real = vgpu_next_symbol("poll");
    return descriptors_ended(real(files, count, ms), (int64_t)ms * 1000000);
}

VGPU_PUBLIC int ppoll(struct pollfd *files, nfds_t count,
                      const struct timespec *time, const sigset_t *mask)
{
    static int (*real)(struct pollfd *, nfds_t, const struct timespec *,
                       const sigset_t *);

    if (!real)
        *(void **)&real = vgpu_next_symbol("ppoll");
    return descriptors_ended(real(files, count, time, mask),
                             time ? ns_of(time) : -1);
}

VGPU_PUBLIC int select(int count, fd_set *in, fd_set *out, fd_set *other,
                       struct timeval *time)
{
    static int (*real)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
    struct timespec whole = {0};

    if (time)
        whole = (struct timespec){time->tv_sec, time->tv_usec * 1000L};
    if (time && !in && !out && !other) {
        *time = (struct timeval){0};
        return nanosleep(&whole, NULL);
    }
    if (!real)
        *(void **)&real = vgpu_next_symbol("select");
    return descriptors_ended(real(count, in, out, other, time),
                             time ? ns_of(&whole) : -1);
}

VGPU_PUBLIC int pselect(int count, fd_set *in, fd_set *out, fd_set *other,
                        const struct timespec *time, const sigset_t *mask)
{
    static int (*real)(int, fd_set *, fd_set *, fd_set *,
                       const struct timespec *, const sigset_t *);

    if (!real)
        *(void **)&real = vgpu_next_symbol("pselect");
    return descriptors_ended(real(count, in, out, other, time, mask),
                             time ? ns_of(time) : -1);
}

VGPU_PUBLIC int epoll_pwait(int file, struct epoll_event *events, int most,
                            int ms, const sigset_t *mask)
{
    static int (*real)(int, struct epoll_event *, int, int, const sigset_t *);

    if (!real)
        *(void **)&real = vgpu_next_symbol("epoll_pwait");
    return descriptors_ended(real(file, events, most, ms, mask),
                             (int64_t)ms * 1000000);
}

VGPU_PUBLIC int epoll_wait(int file, struct epoll_event *events, int most,
                           int ms)
{
    return epoll_pwait(file, events, most, ms, NULL);
}
