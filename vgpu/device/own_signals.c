/*
 * own_signals.c: how a program sets handlers of signals: functions of the C
 * library, defined here. Apart from guard.c, so that a program that has the
 * checker alone has no kernels.
 */
#include "own_signals.h"

#include <dlfcn.h>
#include <string.h>

#include "own_locks.h"

struct vgpu_signal_asks vgpu_signal_asks;

typedef void (*signal_fn)(int);

static OWN_LIBRARY(signal_fn, real_signal, signal,
                   (int number, signal_fn handler), number, handler)
    OWN_LIBRARY(int, vgpu_sigaction, sigaction,
                (int number, const struct sigaction *action,
                 struct sigaction *old),
                number, action, old)
        OWN_LIBRARY(int, vgpu_sigaltstack, sigaltstack,
                    (const stack_t *stack, stack_t *old), stack, old)

#pragma GCC visibility push(default)

            int sigaction(int number, const struct sigaction *action,
                          struct sigaction *old)
{
    return (vgpu_signal_asks.action ? vgpu_signal_asks.action
                                    : vgpu_sigaction)(number, action, old);
}

signal_fn signal(int number, signal_fn handler)
{
    struct sigaction action, old;

    if (!vgpu_signal_asks.action || handler == SIG_ERR)
        return real_signal(number, handler);
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    return vgpu_signal_asks.action(number, &action, &old) ? SIG_ERR
                                                          : old.sa_handler;
}

int sigaltstack(const stack_t *stack, stack_t *old)
{
    if (vgpu_signal_asks.stack)
        vgpu_signal_asks.stack();
    return vgpu_sigaltstack(stack, old);
}

#pragma GCC visibility pop

bool vgpu_signals_are_seen(void)
{
    int (*const own)(int, const struct sigaction *, struct sigaction *) =
        sigaction;
    static int known; /* 1: no, 2: yes */

    if (!known)
        known = 1 + (dlsym(RTLD_DEFAULT, "sigaction") == *(void *const *)&own);
    return known == 2;
}
