/*
 * slow.c: preloaded, it makes a thread lose its core now and then while it
 * holds a lock, and each look at a thread's state take long, as on a machine
 * that is loaded. Whoever waits, or is looked at, goes on meanwhile.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#define EVERY 3 /* of a thread's locks */

/* A thread without a core is still ready to run, and so does not sleep here.
 * Not the library's function, which tells virtual time. */
static long now_us(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static void lose_core(long us)
{
    const long until = now_us() + us;

    while (now_us() < until)
        continue;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static int (*real)(pthread_mutex_t *);
    static __thread int unlocks;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    if (++unlocks % EVERY == 0)
        lose_core(2000);
    return real(mutex);
}

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "open");
    if (!strncmp(path, "/proc/self/task/", 16))
        lose_core(100);
    return real(path, flags, 0600);
}
