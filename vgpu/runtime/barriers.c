/*
 * barriers.c: the C library's barriers, and what is done once; as locks.c.
 */
#include "rt.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

REAL_LIBRARY(pthread_barrier_init,
             (pthread_barrier_t * barrier, const pthread_barrierattr_t *attr,
              unsigned count),
             barrier, attr, count)
REAL_LIBRARY(pthread_barrier_wait, (pthread_barrier_t * barrier), barrier)
REAL_LIBRARY(pthread_once, (pthread_once_t * once, void (*function)(void)),
             once, function)

/* The library's barrier does not tell how many it waits for. */
struct gathering {
    const pthread_barrier_t *at;
    unsigned wanted, arrived;
    unsigned round;
    struct gathering *next;
};

static struct gathering *gatherings;
static pthread_mutex_t gatherings_lock = PTHREAD_MUTEX_INITIALIZER;

static struct gathering *gathering_of(const pthread_barrier_t *barrier)
{
    struct gathering *found;

    vgpu_lock(&gatherings_lock);
    for (found = gatherings; found && found->at != barrier; found = found->next)
        continue;
    vgpu_unlock(&gatherings_lock);
    return found;
}

VGPU_PUBLIC int pthread_barrier_init(pthread_barrier_t *barrier,
                                     const pthread_barrierattr_t *attr,
                                     unsigned count)
{
    const int error = real_pthread_barrier_init(barrier, attr, count);
    int shared = PTHREAD_PROCESS_PRIVATE;
    struct gathering *gathering;

    if (attr)
        pthread_barrierattr_getpshared(attr, &shared);
    if (error || shared == PTHREAD_PROCESS_SHARED)
        return error;
    gathering = gathering_of(barrier);
    if (!gathering) {
        gathering = calloc(1, sizeof *gathering);
        if (!gathering)
            return ENOMEM;
        vgpu_lock(&gatherings_lock);
        gathering->next = gatherings;
        gatherings = gathering;
        vgpu_unlock(&gatherings_lock);
    }
    gathering->at = barrier;
    gathering->wanted = count;
    gathering->arrived = 0;
    return 0;
}

VGPU_PUBLIC int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct gathering *const gathering = gathering_of(barrier);
    unsigned round;

    if (!gathering || !vgpu_handover_turn())
        return real_pthread_barrier_wait(barrier);
    vgpu_handover_give(barrier);
    round = gathering->round;
    if (++gathering->arrived == gathering->wanted) {
        gathering->arrived = 0;
        gathering->round++;
        vgpu_handover_take(barrier);
        vgpu_thread_wake(barrier, INT_MAX);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    vgpu_blocked_begin(VGPU_WAIT_BARRIER, barrier, VGPU_PC);
    vgpu_thread_expect(barrier);
    while (gathering->round == round)
        vgpu_thread_sleep(-1);
    vgpu_blocked_end();
    vgpu_handover_take(barrier);
    return 0;
}

static VGPU_OWN struct {
    pthread_once_t *once;
    void (*function)(void);
} doing;

static void do_once(void)
{
    pthread_once_t *const once = doing.once;

    doing.function();
    vgpu_handover_give(once);
}

VGPU_PUBLIC int pthread_once(pthread_once_t *once, void (*function)(void))
{
    int error;

    if (vgpu_handover_off(VGPU_PC))
        return real_pthread_once(once, function);
    vgpu_handover_turn();
    doing.once = once;
    doing.function = function;
    error = real_pthread_once(once, do_once);
    vgpu_handover_take(once);
    return error;
}

/* A function's static object is made once, too. */
VGPU_PUBLIC void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard)
{
    static void (*real)(uint64_t *);

    if (!real)
        *(void **)&real = vgpu_next_symbol("__cxa_guard_release");
    if (!vgpu_handover_off(VGPU_PC))
        vgpu_handover_give(guard);
    real(guard);
}
