/*
 * watcher_wasm.c: watcher.c in a browser, where a host thread that sleeps is
 * known to: the watcher is woken once all do (threads_wasm.c).
 */
#include "rt.h"

#include <wasi/api.h>

#include "fibers.h"
#include "watcher.h"

static struct vgpu_thread watcher = {.place = VGPU_PLACE_GONE, .number = -1};
static bool watching;
static int64_t skipped_ns; /* short sleeps, which take no time here */

int64_t vgpu_real_ns(void)
{
    __wasi_timestamp_t now = 0;

    (void)!__wasi_clock_time_get(__WASI_CLOCKID_MONOTONIC, 1, &now);
    return (int64_t)now + skipped_ns;
}

/* No more is known there. */
int64_t vgpu_used_ns(void)
{
    return vgpu_real_ns();
}

/* Nobody else works meanwhile: only who waits for long is to be seen to. */
void vgpu_real_sleep(int64_t ns)
{
    if (ns > VGPU_PATIENCE_NS)
        lab_sleep((double)ns / 1e6);
    else
        skipped_ns += ns;
}

int vgpu_real_yield(void)
{
    vgpu_fiber_yield();
    return 0;
}

void vgpu_real_cond_init(pthread_cond_t *condition)
{
    pthread_cond_init(condition, NULL);
}

void vgpu_real_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                    int64_t ns)
{
    (void)ns;
    vgpu_cond_wait(condition, mutex);
}

static void *watch(void *unused)
{
    (void)unused;
    vgpu_thread_adopt(&watcher);
    for (;;) {
        vgpu_fiber_idle();
        vgpu_host_function_sleeps();
        vgpu_lock(&vgpu_rt.lock);
        if (vgpu_rt.host_functions)
            vgpu_go_on_next_function();
        else
            vgpu_never_ends(0, "all host threads sleep until another wakes "
                               "them");
        vgpu_unlock(&vgpu_rt.lock);
    }
    return NULL;
}

void vgpu_go_on_watch(void)
{
    pthread_t id;

    if (watching)
        return;
    watcher.agent = vgpu_rt.threads->agent;
    watcher.in_host_function = true; /* makes no call, has no turn */
    watching = !vgpu_thread_create_real(&id, watch, NULL);
}

void vgpu_go_on_forked(void)
{
}
