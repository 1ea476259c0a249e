/*
 * watcher.c: the thread that sees whether all of the host's sleep (go_on.c),
 * and the machine's own time. watcher_wasm.c is the same in a browser.
 */
#include "rt.h"

#include <semaphore.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "watcher.h"

static struct vgpu_thread watcher = {.place = VGPU_PLACE_GONE, .number = -1};
static sem_t queued;  /* posted with the first host function */
static bool watching; /* the watcher has been begun */
static bool used;     /* there has been a host function */

/* The library's own and not what a program calls, which tells virtual time;
 * without a system call where it needs none. */
REAL_LIBRARY(clock_gettime, (clockid_t clock, struct timespec *now), clock, now)

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    real_clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t vgpu_real_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t vgpu_used_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void vgpu_real_sleep(int64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

    syscall(SYS_nanosleep, &time, NULL);
}

int vgpu_real_yield(void)
{
    return vgpu_yield();
}

void vgpu_real_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void vgpu_real_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                    int64_t ns)
{
    const int64_t until_ns = vgpu_real_ns() + ns;
    const struct timespec until = {(time_t)(until_ns / 1000000000),
                                   (long)(until_ns % 1000000000)};

    vgpu_cond_timedwait(condition, mutex, &until);
}

/* Nothing is queued, and all threads wait for one another: since when? A thread
 * that waits for input or for another process does not count. */
static void sleep_in_vain(void)
{
    static int64_t since_ns;
    const int64_t now = vgpu_real_ns();
    char text[1024];

    if (vgpu_rt.host_functions || !vgpu_threads_wait(NULL)) {
        since_ns = 0;
    } else if (!since_ns) {
        since_ns = now;
    } else if (now - since_ns >= VGPU_PATIENCE_NS) {
        vgpu_never_ends(
            0, vgpu_stuck_beside(
                   "all host threads sleep until another wakes them", text));
        since_ns = 0; /* somebody else may */
    }
}

static void *watch(void *unused)
{
    bool asleep = false, known;

    (void)unused;
    vgpu_thread_adopt(&watcher);
    while (vgpu_sem_wait(&queued))
        continue;
    vgpu_threads_hold(true); /* but while it sleeps */
    for (;;) {
        vgpu_lock(&vgpu_rt.lock);
        /* Who waits for the lock sleeps, too, but has run since. */
        asleep = asleep && vgpu_threads_sleep();
        known = vgpu_blocked_look();
        if (asleep && vgpu_rt.host_functions)
            vgpu_go_on_next_function();
        else if (asleep && !known)
            sleep_in_vain();
        asleep = asleep && vgpu_rt.host_functions;
        vgpu_unlock(&vgpu_rt.lock);
        if (!asleep) {
            vgpu_threads_hold(false);
            vgpu_real_sleep(vgpu_rt.host_functions ? VGPU_LOOK_NS
                                                   : VGPU_IDLE_NS);
            vgpu_threads_hold(true);
        }
        asleep = vgpu_threads_sleep();
    }
    return NULL;
}

static void begin_watch(bool use)
{
    struct vgpu_thread *const caller = vgpu_thread_self();
    pthread_t id;
    int place;

    if (!watching)
        sem_init(&queued, 0, 0);
    if (use && !used) {
        used = true;
        vgpu_sem_post(&queued);
    }
    if (watching)
        return;
    watcher.agent = vgpu_rt.threads->agent;
    watcher.in_host_function = true; /* makes no call, has no turn */
    /* An emulator has it sleep until the new thread begins. */
    place = atomic_exchange(&caller->place, VGPU_PLACE_ARRIVING);
    watching = !vgpu_thread_create_real(&id, watch, NULL);
    atomic_store(&caller->place, place);
    if (watching)
        pthread_detach(id);
}

void vgpu_go_on_watch(void)
{
    begin_watch(vgpu_rt.host_functions);
}

void vgpu_go_on_watch_waits(void)
{
    if (used)
        return;
    vgpu_lock(&vgpu_rt.lock);
    begin_watch(true);
    vgpu_unlock(&vgpu_rt.lock);
}

/* The next host function begins another one. */
void vgpu_go_on_forked(void)
{
    watching = false;
    used = false;
}
