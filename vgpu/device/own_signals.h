/*
 * own_signals.h: the C library's functions for handlers of signals: those that
 * a program calls are own_signals.c's, and ask guard.c first.
 */
#ifndef VGPU_OWN_SIGNALS_H
#define VGPU_OWN_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Set with the first kernel: the program calls sigaction; it asks for its
 * thread's stack for signals, or sets another. */
extern struct vgpu_signal_asks {
    int (*action)(int number, const struct sigaction *action,
                  struct sigaction *old);
    void (*stack)(void);
} vgpu_signal_asks;

/* The C library's own. */
int vgpu_sigaction(int number, const struct sigaction *action,
                   struct sigaction *old);
int vgpu_sigaltstack(const stack_t *stack, stack_t *old);

/* Are those of own_signals.c what a program calls? Not where Python has loaded
 * a library with kernels. */
bool vgpu_signals_are_seen(void);

#endif
