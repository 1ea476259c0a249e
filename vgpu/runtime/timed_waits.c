/*
 * timed_waits.c: waiting for descriptors, until a time at the latest: as long
 * on the machine as by the virtual clock (locks.c says why). Without any it is
 * a sleep, which takes no time of the machine's.
 *
 * Symbols of the C library, defined here.
 */
#include "rt.h"

#include <poll.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/select.h>

#define NS_PER_S 1000000000

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
