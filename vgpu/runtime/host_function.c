/*
 * host_function.c: functions and callbacks that a stream calls. They run in
 * one thread of the runtime's own, as with the real runtime, one at a time;
 * whoever made the work happen waits meanwhile. A function is ordered after
 * its stream's earlier work and before its later work, and its accesses are
 * checked as an operation's. It may make no CUDA call.
 */
#include "rt.h"

#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct vgpu_op *current; /* being run, or NULL */
static bool started;

static void run(struct vgpu_op *op)
{
    struct vgpu_thread *thread = vgpu_thread_self();
    cudaError_t status = vgpu_rt.devices[op->device].sticky;
    uint64_t rate = (uint64_t)vgpu_rt.host->host_ops_per_us;
    uint64_t bytes;

    thread->ops = 0;
    thread->slept_ns = 0;
    vgpu_check_op_begin(op->check, -1);
    if (op->host.callback)
        op->host.callback(op->host.handle, status, op->host.user_data);
    else if (!status)
        op->host.function(op->host.user_data);
    vgpu_check_op_end(op->check, &bytes);
    if (rate)
        op->work.fixed_ns = (int64_t)(thread->ops * 1000 / rate);
    op->work.fixed_ns += thread->slept_ns;
    thread->ops = 0;
}

static void *serve(void *data)
{
    vgpu_thread_adopt(data);
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!current)
            pthread_cond_wait(&changed, &lock);
        run(current);
        current = NULL;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

void vgpu_host_function_start(void)
{
    struct vgpu_thread *thread = vgpu_thread_make(0);
    pthread_t id;

    thread->in_host_function = true;
    thread->place = VGPU_PLACE_GONE; /* the gate does not wait for it */
    if (vgpu_thread_create_real(&id, serve, thread)) {
        fprintf(stderr, "vgpu: no thread for host functions\n");
        abort();
    }
    pthread_detach(id);
    started = true;
}

/* A child has no such thread: the next function begins one. */
void vgpu_host_function_forked(void)
{
    started = false;
    current = NULL;
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&changed, NULL);
}

/* The caller sleeps meanwhile, in the middle of a call: no other thread may
 * take that for waiting and pass the gate. */
void vgpu_host_function_do(struct vgpu_op *op)
{
    struct vgpu_thread *caller = vgpu_thread_self();
    int place = atomic_exchange(&caller->place, VGPU_PLACE_ARRIVING);

    pthread_mutex_lock(&lock);
    if (!started)
        vgpu_host_function_start();
    current = op;
    pthread_cond_broadcast(&changed);
    while (current)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    atomic_store(&caller->place, place);
}
