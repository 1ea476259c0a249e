/*
 * host_function.c: functions and callbacks that a stream calls. They run in
 * one thread of the runtime's own, as with the real runtime, one at a time;
 * whoever made the work happen waits meanwhile. A function is ordered after
 * its stream's earlier work and before its later work, and its accesses are
 * checked as an operation's. It may make no CUDA call, but ask for events
 * (observed: host_func_permitted).
 *
 * A function that wants a lock which the thread has that waits for it sleeps
 * for ever, and so do all: that is told.
 */
#include "rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watcher.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static struct vgpu_op *current; /* being run, or NULL */
static struct vgpu_thread *server;
static bool started;

static void run(struct vgpu_op *op)
{
    struct vgpu_thread *thread = vgpu_thread_self();
    cudaError_t status = vgpu_rt.devices[op->device].sticky;
    const int64_t begin_ns = thread->now_ns;
    uint64_t bytes;

    memset(&thread->look, 0, sizeof thread->look);
    thread->ops = 0;
    thread->ops_rest = 0;
    vgpu_check_op_begin(op->check, -1);
    if (!vgpu_check_loan_tell(op, op->check, VGPU_READ))
        vgpu_check_loan_end(op); /* the function may free its data itself */
    if (op->host.callback)
        op->host.callback(op->host.handle, status, op->host.user_data);
    else if (!status)
        op->host.function(op->host.user_data);
    vgpu_check_op_end(op->check, &bytes);
    vgpu_thread_settle(thread);
    op->work.fixed_ns = thread->now_ns - begin_ns;
}

struct vgpu_op *vgpu_host_function_now(const struct vgpu_thread *thread)
{
    return thread == server ? current : NULL;
}

static void *serve(void *data)
{
    vgpu_thread_adopt(data);
    server->tid = vgpu_thread_tid();
    vgpu_lock(&lock);
    for (;;) {
        while (!current)
            vgpu_cond_wait(&changed, &lock);
        vgpu_unlock(&lock); /* who waits looks at it meanwhile */
        run(current);
        vgpu_lock(&lock);
        current = NULL;
        vgpu_cond_broadcast(&changed);
    }
    return NULL;
}

void vgpu_host_function_start(void)
{
    pthread_t id;

    vgpu_real_cond_init(&changed);
    server = vgpu_thread_make(0, vgpu_rt.threads->agent); /* its operations' */
    server->in_host_function = true;
    server->place = VGPU_PLACE_GONE; /* the gate does not wait for it */
    if (vgpu_thread_create_real(&id, serve, server)) {
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
}

void vgpu_host_function_sleeps(void)
{
    if (current)
        vgpu_never_ends(current->pc,
                        "the host function of this call sleeps until another "
                        "thread wakes it, and all of those wait for the "
                        "function");
}

/* Does the function sleep in vain? As long as who waits for input, or works,
 * might wake it, it does not. */
static void see_to_it(struct vgpu_thread *caller, int64_t *since_ns)
{
    const int64_t now_ns = vgpu_real_ns();

    if (!vgpu_thread_waits_still(server) || !vgpu_threads_wait(caller))
        *since_ns = now_ns;
    if (now_ns - *since_ns < VGPU_PATIENCE_NS)
        return;
    vgpu_host_function_sleeps();
    *since_ns = now_ns;
}

/* The caller sleeps meanwhile, in the middle of a call: no other thread may
 * take that for waiting and pass the gate. */
void vgpu_host_function_do(struct vgpu_op *op)
{
    struct vgpu_thread *caller = vgpu_thread_self();
    int place = atomic_exchange(&caller->place, VGPU_PLACE_SERVED);
    int64_t since_ns = vgpu_real_ns();

    vgpu_lock(&lock);
    if (!started)
        vgpu_host_function_start();
    current = op;
    vgpu_cond_broadcast(&changed);
    for (;;) {
        vgpu_real_wait(&changed, &lock, VGPU_IDLE_NS);
        if (!current)
            break;
        see_to_it(caller, &since_ns);
    }
    vgpu_unlock(&lock);
    atomic_store(&caller->place, place);
}
