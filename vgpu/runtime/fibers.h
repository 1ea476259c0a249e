/*
 * fibers.h: host threads as contexts that give way to each other, for a
 * browser: threads_wasm.c runs them, pthread_wasm.c is what programs call.
 */
#ifndef VGPU_FIBERS_H
#define VGPU_FIBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "context.h"
#include "lab_wasm.h"

#define FIBER_KEYS 64

struct vgpu_thread;

/* A host thread: what pthread_t points to. */
struct __pthread {
    struct context context;
    enum {
        FIBER_READY,
        FIBER_AT_GATE,
        FIBER_SLEEPS,
        FIBER_IDLE,
        FIBER_OVER
    } is;
    const void *waits_for; /* FIBER_SLEEPS: what wakes it */
    void *(*body)(void *);
    void *arg, *result;
    struct vgpu_thread *thread; /* NULL: the runtime's own */
    char *stack;
    void *own; /* its thread-local variables, while another runs */
    bool detached;
    void *keys[FIBER_KEYS];
    struct __pthread *next; /* in the order of their turns */
};

struct __pthread *vgpu_fiber_self(void);
/* Others have a turn. */
void vgpu_fiber_yield(void);
/* ... until somebody wakes who sleeps for @what. */
void vgpu_fiber_sleep(const void *what);
void vgpu_fiber_wake(const void *what, bool all);
/* ... until all others sleep. */
void vgpu_fiber_idle(void);
/* ... for ever. */
__attribute__((noreturn)) void vgpu_fiber_over(void *result);
/* Return: NULL without memory. @thread: whom it is, or NULL. */
struct __pthread *vgpu_fiber_make(void *(*body)(void *), void *arg,
                                  struct vgpu_thread *thread);

#endif
