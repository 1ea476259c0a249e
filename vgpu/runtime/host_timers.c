/*
 * host_timers.c: the host's timers read the virtual clock, so that a program
 * that times itself tells virtual time. Symbols of the C library, defined here:
 * the shared C++ library's std::chrono finds them too.
 *
 * Processor time is what the host's own code and its calls take, without the
 * time in which it waits for a device.
 *
 * Who reads a clock again and again waits for a time to come. Code that vgpucc
 * compiled gets there by what it costs; a library's costs nothing, and it would
 * read the same time for ever. So after a few readings in a row the next ones
 * are as far apart as they are on a machine. No farther: a library that waits
 * for another process gives up after about as long as it would elsewhere.
 *
 * The day on which every run begins is fixed, so that runs are alike.
 */
#include "rt.h"

#include <sys/time.h>
#include <time.h>

#define EPOCH_S  1767225600 /* 2026-01-01, the realtime clock */
#define NS_PER_S 1000000000
#define UPTIME_S 1000 /* the monotonic clocks */
#define READ_NS  25   /* from one reading to the next, after ... */
#define FREE     16   /* ... so many that were closer */

#define LOOKS 1024 /* readings without a call: it waits, and ... */
#define FEW   64   /* ... of several threads, fewer times */

/* Who waits for a time to come may wait for something else, too, that the
 * device does meanwhile. */
static void go_on(struct vgpu_thread *thread)
{
    const unsigned often = vgpu_thread_several(thread) ? LOOKS * FEW : LOOKS;

    if (!thread->in_host_function && !(++thread->look.readings % often))
        vgpu_go_on_waited(0, 0);
}

/* Who takes the time now and then is not to pay for it: one that is read at the
 * end of a part and at the beginning of the next is the same. */
static void space_readings(struct vgpu_thread *thread)
{
    const int64_t since_ns = thread->now_ns - thread->read_ns;

    if (since_ns >= READ_NS)
        thread->close_readings = 0;
    else if (++thread->close_readings > FREE)
        thread->now_ns += READ_NS - since_ns;
    thread->read_ns = thread->now_ns;
    if (vgpu_order.is_kept && vgpu_rt.checking)
        vgpu_order_read(thread);
}

static int64_t now_ns(void)
{
    struct vgpu_thread *thread = vgpu_thread_self();

    vgpu_thread_settle(thread);
    go_on(thread);
    space_readings(thread);
    return thread->now_ns;
}

/* What the thread used of a processor. That it was asked stands in the trace,
 * as a call: it is no measure of work that a device does. */
static int64_t processor_ns(const char *name)
{
    const struct vgpu_entry entry = {name, VGPU_CALL_PLAIN, NOTHING, NULL};
    struct vgpu_thread *const thread = vgpu_thread_self();
    struct vgpu_call call;
    struct vgpu_look look;
    int64_t ns;

    go_on(thread);
    look = thread->look; /* this call is no work for a device */
    vgpu_call_begin(&call, &entry, VGPU_PC);
    space_readings(thread);
    ns = thread->now_ns - thread->asleep_ns;
    vgpu_call_end(&call, cudaSuccess);
    thread->look = look;
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

/* The C library's own asks the system and not clock_gettime. */
VGPU_PUBLIC int timespec_get(struct timespec *out, int base)
{
    if (base != TIME_UTC)
        return 0;
    clock_gettime(CLOCK_REALTIME, out);
    return base;
}

int64_t vgpu_timer_left(const struct timespec *until, clockid_t *clock)
{
    const bool is_date = until->tv_sec > EPOCH_S / 2;
    int64_t s = until->tv_sec - (is_date ? EPOCH_S : UPTIME_S);
    int64_t left_ns;

    *clock = is_date ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    if (s > EPOCH_S)
        s = EPOCH_S; /* for ever, and no more than a number holds */
    left_ns = s * NS_PER_S + until->tv_nsec - now_ns();
    return left_ns > 0 ? left_ns : 0;
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
