/*
 * team.c: see team.h. Threads are made when first needed and then kept, asleep.
 */
#include "own_locks.h"
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "vgpu_exec.h"

#define MOST_THREADS 16

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* one team's */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static struct {
    vgpu_work_fn *work;
    void *arg;
    int places; /* not taken yet */
    int made;   /* threads */
} team;
static atomic_int busy; /* places not done */

static int create(pthread_t *out, void *(*body)(void *), void *arg)
{
    return vgpu_exec_host.create ? vgpu_exec_host.create(out, body, arg)
                                 : pthread_create(out, NULL, body, arg);
}

int vgpu_team_size(void)
{
    static int size;
    const char *asked = getenv("VGPU_CORES");
    cpu_set_t set;
    int cores = 1;

    if (size)
        return size;
    if (asked && *asked)
        cores = atoi(asked);
    else if (!sched_getaffinity(0, sizeof set, &set))
        cores = CPU_COUNT(&set);
    size = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores;
    return size;
}

static void *thread_main(void *unused)
{
    (void)unused;
    vgpu_lock(&lock);
    for (;;) {
        while (!team.places)
            vgpu_cond_wait(&wanted, &lock);
        team.places--;
        vgpu_unlock(&lock);
        team.work(team.arg, false);
        atomic_fetch_sub(&busy, 1);
        vgpu_lock(&lock);
    }
    return NULL;
}

/* In a child of the process its parent's threads are not there. */
static void forget_threads(void)
{
    team.made = 0;
    team.places = 0;
    atomic_store(&busy, 0);
    pthread_mutex_init(&turn, NULL);
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&wanted, NULL);
}

/* Signals are the program's, but for those that its kernels raise. */
static void make_thread(void)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t others, before;
    pthread_t thread;

    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    if (!team.made)
        pthread_atfork(NULL, NULL, forget_threads);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    if (!create(&thread, thread_main, NULL)) {
        pthread_detach(thread);
        team.made++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Who has not come by the time that the caller is through is not waited for.
 * The caller does not sleep meanwhile: to the others of the program it would
 * seem to wait for them (runtime/threads.c). */
void vgpu_team_work(int threads, vgpu_work_fn *work, void *arg)
{
    vgpu_lock(&turn);
    vgpu_lock(&lock);
    while (team.made < threads - 1) {
        const int before = team.made;

        make_thread();
        if (team.made == before)
            threads = before + 1;
    }
    team.work = work;
    team.arg = arg;
    team.places = threads - 1;
    atomic_store(&busy, threads - 1);
    vgpu_cond_broadcast(&wanted);
    vgpu_unlock(&lock);
    work(arg, true);
    vgpu_lock(&lock);
    atomic_fetch_sub(&busy, team.places);
    team.places = 0;
    vgpu_unlock(&lock);
    while (atomic_load(&busy))
        vgpu_yield();
    vgpu_unlock(&turn);
}
