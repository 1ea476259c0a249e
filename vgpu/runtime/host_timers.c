/*
 * host_timers.c: the host's timers read the virtual clock, so that a program
 * that times itself tells virtual time. Symbols of the C library, defined here:
 * the shared C++ library's std::chrono finds them too.
 *
 * Processor time is what the host's own code and its calls take, without the
 * time in which it waits for a device.
 *
 * The day on which every run begins is fixed, so that runs are alike.
 */
#include "rt.h"

#include <sys/time.h>
#include <time.h>

#define EPOCH_S  1767225600 /* 2026-01-01, the realtime clock */
#define NS_PER_S 1000000000
#define UPTIME_S 1000 /* the monotonic clocks */

static int64_t now_ns(void)
{
    struct vgpu_thread *thread = vgpu_thread_self();

    vgpu_thread_settle(thread);
    return thread->now_ns;
}

/* What the thread used of a processor. That it was asked stands in the trace,
 * as a call: it is no measure of work that a device does. */
static int64_t processor_ns(const char *name)
{
    struct vgpu_call call;
    int64_t ns;

    vgpu_call_begin(&call, name, VGPU_PC, VGPU_CALL_PLAIN);
    ns = call.thread->now_ns - call.thread->asleep_ns;
    vgpu_call_end(&call, cudaSuccess, 0);
    return ns;
}

VGPU_PUBLIC int clock_gettime(clockid_t id, struct timespec *out)
{
#ifdef CLOCK_PROCESS_CPUTIME_ID /* a browser has none */
    const bool used =
        id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID;
#else
    const bool used = false;
#endif
    int64_t ns = used ? processor_ns("clock_gettime") : now_ns();
    int64_t base = used ? 0 : id == CLOCK_REALTIME ? EPOCH_S : UPTIME_S;

    out->tv_sec = (time_t)(base + ns / NS_PER_S);
    out->tv_nsec = (long)(ns % NS_PER_S);
    return 0;
}

VGPU_PUBLIC int gettimeofday(struct timeval *out, void *zone)
{
    int64_t ns = now_ns();

    (void)zone;
    out->tv_sec = (time_t)(EPOCH_S + ns / NS_PER_S);
    out->tv_usec = (suseconds_t)(ns % NS_PER_S / 1000);
    return 0;
}

/* In microseconds, though a C library may have finer units. */
VGPU_PUBLIC clock_t clock(void)
{
    return (clock_t)(processor_ns("clock") / 1000) * (CLOCKS_PER_SEC / 1000000);
}

VGPU_PUBLIC time_t time(time_t *out)
{
    time_t now = (time_t)(EPOCH_S + now_ns() / NS_PER_S);

    if (out)
        *out = now;
    return now;
}

VGPU_PUBLIC double omp_get_wtime(void);
double omp_get_wtime(void)
{
    return (double)now_ns() / NS_PER_S;
}
