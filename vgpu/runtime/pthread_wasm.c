/*
 * pthread_wasm.c: the C library's threads in a browser, whose own are stubs:
 * what its C++ library, the runtime and programs use of them, on fibers.h. A
 * thread gives way only where it waits, so no lock needs an atomic.
 *
 * Source: POSIX.1-2017, <pthread.h>, <semaphore.h>.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "fibers.h"
#include "rt.h"

void vgpu_thread_end(void *result) __attribute__((noreturn));
void vgpu_keys_end(void);

#pragma GCC visibility push(default)

/* ---- threads ------------------------------------------------------------- */

pthread_t pthread_self(void)
{
    return vgpu_fiber_self();
}

int pthread_detach(pthread_t thread)
{
    thread->detached = true;
    return 0;
}

void pthread_exit(void *result)
{
    vgpu_thread_end(result);
}

/* ---- locks ----------------------------------------------------------------
 */

struct lock {
    int kind; /* PTHREAD_MUTEX_... */
    struct __pthread *owner;
    int count;
};
_Static_assert(sizeof(struct lock) <= sizeof(pthread_mutex_t), "fits");

int pthread_mutex_init(pthread_mutex_t *restrict mutex,
                       const pthread_mutexattr_t *restrict attr)
{
    *(struct lock *)mutex = (struct lock){attr ? attr->__attr & 3 : 0, NULL, 0};
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static int try_lock(struct lock *lock)
{
    struct __pthread *self = vgpu_fiber_self();

    if (lock->owner == self && lock->kind == PTHREAD_MUTEX_RECURSIVE) {
        lock->count++;
        return 0;
    }
    if (lock->owner)
        return EBUSY;
    lock->owner = self;
    lock->count = 1;
    return 0;
}

VGPU_OWN int vgpu_own_depth; /* of the checker's alone */

int vgpu_lock(pthread_mutex_t *mutex)
{
    while (try_lock((struct lock *)mutex))
        vgpu_fiber_sleep(mutex);
    return 0;
}

int vgpu_unlock(pthread_mutex_t *mutex)
{
    struct lock *lock = (struct lock *)mutex;

    if (lock->owner != vgpu_fiber_self())
        return EPERM;
    if (!--lock->count) {
        lock->owner = NULL;
        vgpu_fiber_wake(lock, true);
    }
    return 0;
}

/* Who finds it taken again and again lets others go on. */
int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    int error;

    vgpu_handover_turn();
    error = try_lock((struct lock *)mutex);
    if (error)
        vgpu_fiber_yield();
    else
        vgpu_handover_take(mutex);
    return error;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct lock *lock = (struct lock *)mutex;

    if (lock->kind == PTHREAD_MUTEX_ERRORCHECK &&
        lock->owner == vgpu_fiber_self())
        return EDEADLK;
    vgpu_handover_turn();
    while (try_lock(lock)) {
        vgpu_fiber_sleep(lock);
        vgpu_handover_take(lock);
        vgpu_handover_turn();
    }
    vgpu_handover_take(lock);
    return 0;
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex,
                            const struct timespec *restrict until)
{
    (void)until;
    return pthread_mutex_trylock(mutex) ? ETIMEDOUT : 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    vgpu_handover_turn();
    vgpu_handover_give(mutex);
    return vgpu_unlock(mutex);
}

/* ---- conditions -----------------------------------------------------------
 */

int pthread_cond_init(pthread_cond_t *restrict condition,
                      const pthread_condattr_t *restrict attr)
{
    (void)condition;
    (void)attr;
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

int vgpu_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    vgpu_unlock(mutex);
    vgpu_fiber_sleep(condition);
    return vgpu_lock(mutex);
}

int vgpu_cond_signal(pthread_cond_t *condition)
{
    vgpu_fiber_wake(condition, false);
    return 0;
}

int vgpu_cond_broadcast(pthread_cond_t *condition)
{
    vgpu_fiber_wake(condition, true);
    return 0;
}

int pthread_cond_wait(pthread_cond_t *restrict condition,
                      pthread_mutex_t *restrict mutex)
{
    vgpu_handover_turn();
    pthread_mutex_unlock(mutex);
    vgpu_fiber_sleep(condition);
    vgpu_handover_take(condition);
    return pthread_mutex_lock(mutex);
}

/* Time passes by what the others do, and so once all that can have had a turn.
 */
int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                           pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until)
{
    clockid_t clock;
    const int64_t left_ns = vgpu_timer_left(until, &clock);

    (void)condition;
    pthread_mutex_unlock(mutex);
    vgpu_fiber_yield();
    vgpu_go_on_waited(left_ns, VGPU_PC);
    pthread_mutex_lock(mutex);
    return ETIMEDOUT;
}

static void give(const void *at)
{
    vgpu_thread_self()->spins = false;
    vgpu_handover_turn();
    vgpu_handover_give(at);
}

int pthread_cond_signal(pthread_cond_t *condition)
{
    give(condition);
    return vgpu_cond_signal(condition);
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
    give(condition);
    return vgpu_cond_broadcast(condition);
}

/* ---- once, and values of threads ------------------------------------------
 */

static void once_by(pthread_once_t *once, void (*function)(void), bool gives)
{
    enum { NEW, BEGUN, DONE };

    while (*once == BEGUN)
        vgpu_fiber_sleep(once);
    if (*once == DONE)
        return;
    *once = BEGUN;
    function();
    if (gives)
        vgpu_handover_give(once);
    *once = DONE;
    vgpu_fiber_wake(once, true);
}

int vgpu_once(pthread_once_t *once, void (*function)(void))
{
    once_by(once, function, false);
    return 0;
}

int pthread_once(pthread_once_t *once, void (*function)(void))
{
    vgpu_handover_turn();
    once_by(once, function, true);
    vgpu_handover_take(once);
    return 0;
}

static void (*ends[FIBER_KEYS])(void *);
static bool used[FIBER_KEYS];

int pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
    for (unsigned i = 0; i < FIBER_KEYS; i++) {
        if (used[i])
            continue;
        used[i] = true;
        ends[i] = end;
        *key = i;
        return 0;
    }
    return EAGAIN;
}

int pthread_key_delete(pthread_key_t key)
{
    used[key] = false;
    return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
    return vgpu_fiber_self()->keys[key];
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    vgpu_fiber_self()->keys[key] = (void *)(uintptr_t)value;
    return 0;
}

void vgpu_keys_end(void)
{
    struct __pthread *self = vgpu_fiber_self();

    for (int i = 0; i < FIBER_KEYS; i++) {
        void *value = self->keys[i];

        self->keys[i] = NULL;
        if (used[i] && ends[i] && value)
            ends[i](value);
    }
}

/* ---- semaphores, barriers --------------------------------------------------
 */

struct counter {
    int value;
};

int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    (void)shared;
    ((struct counter *)semaphore)->value = (int)value;
    return 0;
}

int sem_destroy(sem_t *semaphore)
{
    (void)semaphore;
    return 0;
}

int sem_trywait(sem_t *semaphore)
{
    struct counter *counter = (struct counter *)semaphore;

    vgpu_handover_turn();
    if (counter->value) {
        counter->value--;
        vgpu_handover_take(semaphore);
        return 0;
    }
    vgpu_fiber_yield();
    errno = EAGAIN;
    return -1;
}

int sem_wait(sem_t *semaphore)
{
    struct counter *counter = (struct counter *)semaphore;

    vgpu_handover_turn();
    while (!counter->value) {
        vgpu_fiber_sleep(counter);
        vgpu_handover_take(counter);
        vgpu_handover_turn();
    }
    counter->value--;
    vgpu_handover_take(counter);
    return 0;
}

int sem_post(sem_t *semaphore)
{
    give(semaphore);
    ((struct counter *)semaphore)->value++;
    vgpu_fiber_wake(semaphore, true);
    return 0;
}

struct meeting {
    unsigned wanted, arrived, round;
};

int pthread_barrier_init(pthread_barrier_t *restrict barrier,
                         const pthread_barrierattr_t *restrict attr,
                         unsigned count)
{
    (void)attr;
    *(struct meeting *)barrier = (struct meeting){count, 0, 0};
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    (void)barrier;
    return 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct meeting *meeting = (struct meeting *)barrier;
    unsigned round;

    give(barrier);
    round = meeting->round;
    if (++meeting->arrived == meeting->wanted) {
        meeting->arrived = 0;
        meeting->round++;
        vgpu_handover_take(barrier);
        vgpu_fiber_wake(meeting, true);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    while (meeting->round == round)
        vgpu_fiber_sleep(meeting);
    vgpu_handover_take(barrier);
    return 0;
}

#pragma GCC visibility pop
