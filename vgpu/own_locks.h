/*
 * own_locks.h: the C library's locks for the virtual GPU itself, in all of its
 * parts. The functions that a program calls are the runtime's (locks.c): they
 * hand the virtual time on from thread to thread, and these do not.
 *
 * What each returns is what the C library's function of that name does.
 */
#ifndef VGPU_OWN_LOCKS_H
#define VGPU_OWN_LOCKS_H

#include <pthread.h>
#include <semaphore.h>

#include "vgpu/own.h"

/* How many of its own locks the calling thread has. What the C library's malloc
 * does for it then, another library may have made its own, with locks: these
 * are not the program's. */
extern VGPU_OWN int vgpu_own_depth;

int vgpu_lock(pthread_mutex_t *mutex);
int vgpu_unlock(pthread_mutex_t *mutex);
int vgpu_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int vgpu_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                        const struct timespec *until);
int vgpu_cond_signal(pthread_cond_t *condition);
int vgpu_cond_broadcast(pthread_cond_t *condition);
int vgpu_once(pthread_once_t *once, void (*function)(void));
int vgpu_sem_wait(sem_t *semaphore);
int vgpu_sem_post(sem_t *semaphore);
/* Not what the program calls: that is a look at a flag (go_on.c). */
int vgpu_yield(void);

/* The C library's own function of this name, behind the program's. */
void *vgpu_next_symbol(const char *name);
/* own(parameters): the library's function @name, with these arguments. */
#define OWN_LIBRARY(result, own, name, parameters, ...)                        \
    result own parameters                                                      \
    {                                                                          \
        static result(*library) parameters;                                    \
                                                                               \
        if (!library)                                                          \
            *(void **)&library = vgpu_next_symbol(#name);                      \
        return library(__VA_ARGS__);                                           \
    }

/* real_NAME(): the same, for the file that has a function of that name itself.
 */
#define REAL_LIBRARY(name, ...)                                                \
    static OWN_LIBRARY(int, real_##name, name, __VA_ARGS__)

#endif
