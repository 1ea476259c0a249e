/*
 * own_locks.c: the C library's functions for the virtual GPU itself. Apart from
 * locks.c, so that a program that has the checker alone has no locks of it.
 */
#include "own_locks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

void *vgpu_next_symbol(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found) {
        fprintf(stderr, "vgpu: the C library has no %s\n", name);
        abort();
    }
    return found;
}

VGPU_OWN int vgpu_own_depth;

static OWN_LIBRARY(int, lock, pthread_mutex_lock, (pthread_mutex_t * mutex),
                   mutex) static OWN_LIBRARY(int, unlock, pthread_mutex_unlock,
                                             (pthread_mutex_t * mutex), mutex)

    int vgpu_lock(pthread_mutex_t *mutex)
{
    vgpu_own_depth++;
    return lock(mutex);
}

int vgpu_unlock(pthread_mutex_t *mutex)
{
    vgpu_own_depth--;
    return unlock(mutex);
}

OWN_LIBRARY(int, vgpu_cond_wait, pthread_cond_wait,
            (pthread_cond_t * condition, pthread_mutex_t *mutex), condition,
            mutex)
OWN_LIBRARY(int, vgpu_cond_timedwait, pthread_cond_timedwait,
            (pthread_cond_t * condition, pthread_mutex_t *mutex,
             const struct timespec *until),
            condition, mutex, until)
OWN_LIBRARY(int, vgpu_cond_signal, pthread_cond_signal,
            (pthread_cond_t * condition), condition)
OWN_LIBRARY(int, vgpu_cond_broadcast, pthread_cond_broadcast,
            (pthread_cond_t * condition), condition)
OWN_LIBRARY(int, vgpu_once, pthread_once,
            (pthread_once_t * once, void (*function)(void)), once, function)
OWN_LIBRARY(int, vgpu_sem_wait, sem_wait, (sem_t * semaphore), semaphore)
OWN_LIBRARY(int, vgpu_sem_post, sem_post, (sem_t * semaphore), semaphore)

int vgpu_yield(void)
{
    static long (*real)(long, ...);

    if (!real)
        *(void **)&real = vgpu_next_symbol("syscall");
    return (int)real(SYS_sched_yield);
}
