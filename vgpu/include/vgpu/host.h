/*
 * host.h: functions of the host that need not be watched (host_loops.c of the
 * front end writes what needs this). C++11. Included before every program.
 */
#ifndef VGPU_HOST_H
#define VGPU_HOST_H

#include "vgpu/kernel.h"

/* Such a function, whose body @given is, without call-backs. */
template <class F>
__attribute__((noinline, no_sanitize("thread"))) auto
vgpu_host_unwatched(const F *given) -> decltype((*(F *)given)())
{
    F body = *given;

    return body();
}

/* ... and with them where somebody wants to know. */
template <class F>
__attribute__((always_inline)) inline auto vgpu_host_run(const F &given)
    -> decltype((*(F *)&given)())
{
    if (vgpu_host_unseen(&given, sizeof given))
        return vgpu_host_unwatched(&given);
    F body = given;

    return body();
}

#endif
