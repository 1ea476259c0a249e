/*
 * call.c: entry and exit of every API function: the lock, the virtual clock,
 * the context's error, the last error, the trace.
 */
#include "rt.h"
#include "capture.h"

VGPU_PUBLIC void vgpu_call_site(const void *pc);

void vgpu_call_site(const void *pc)
{
    vgpu_thread_self()->site_pc = (uint64_t)(uintptr_t)pc;
}

/*
 * The gate comes before the lock: a thread that waits for its turn must not
 * keep those from going on that it waits for. The first call that needs a
 * context pays for making it, as with the real runtime, and the error that
 * ended one is returned by every later call.
 */
static cudaError_t enter(struct vgpu_call *call, enum vgpu_call_manner manner)
{
    struct vgpu_thread *thread = call->thread;
    struct vgpu_device *device;

    call->locked = !thread->in_host_function;
    if (thread->site_pc)
        call->pc = thread->site_pc;
    thread->site_pc = 0;
    if (!call->locked)
        return manner & (VGPU_CALL_KNOWN | VGPU_CALL_INSIDE)
                   ? cudaSuccess
                   : vgpu_because(cudaErrorNotPermitted,
                                  "a host function may call nothing of CUDA");
    vgpu_thread_settle(thread);
    vgpu_thread_gate(thread);
    vgpu_lock(&vgpu_rt.lock);
    vgpu_go_on_called(thread, call->pc);
    vgpu_environment_settle();
    call->id = ++vgpu_rt.next_call;
    call->stream = NULL;
    call->asked = -1;
    call->start_ns = thread->now_ns;
    thread->calling = call;
    if (vgpu_rt.unloaded && !(manner & VGPU_CALL_KNOWN))
        return vgpu_because(
            cudaErrorCudartUnloading,
            "the program is ending, and the runtime has ended: that comes "
            "before static objects and atexit functions that are older than "
            "the first call of CUDA; give back what they have before main "
            "ends");
    if (vgpu_rt.no_device && manner != VGPU_CALL_BUILT)
        return vgpu_because(vgpu_rt.no_device,
                            "CUDA_VISIBLE_DEVICES leaves the program no "
                            "device");
    if (manner == VGPU_CALL_UNSAFE) {
        cudaError_t error = vgpu_capture_unsafe(thread);

        if (error)
            return error;
    }
    if (!(manner & VGPU_CALL_CONTEXT))
        return cudaSuccess;
    thread->has_context = true;
    device = &vgpu_rt.devices[thread->device];
    if (!device->has_context && !device->sticky) {
        vgpu_connect();
        device->has_context = true;
        vgpu_thread_spend(thread, vgpu_rt.host->host_first_call_ns);
    }
    return device->sticky;
}

cudaError_t vgpu_call_late(struct vgpu_call *call, enum vgpu_call_manner manner)
{
    const size_t at = call->entry->cost;
    cudaError_t error;

    call->begun = true;
    call->thread = vgpu_thread_self();
    call->thread->calls++;
    error = enter(call, manner);
    call->cost_ns =
        at ? *(const int64_t *)((const char *)vgpu_rt.host + at) : 0;
    if (manner == VGPU_CALL_PAID) {
        vgpu_thread_spend(call->thread, call->cost_ns);
        call->cost_ns = 0;
    }
    return error;
}

cudaError_t vgpu_call_begin(struct vgpu_call *call,
                            const struct vgpu_entry *entry, uint64_t pc)
{
    struct vgpu_reason *const reason = &vgpu_thread_self()->reason;

    call->entry = entry;
    call->name = entry->name;
    call->pc = pc;
    call->begun = false;
    reason->error = cudaSuccess;
    reason->told = false;
    return entry->manner == VGPU_CALL_LATER
               ? cudaSuccess
               : vgpu_call_late(call, entry->manner);
}

/* "Not ready" is an answer and does not become the thread's last error (manual,
 * cudaStreamQuery). */
cudaError_t vgpu_call_end(struct vgpu_call *call, cudaError_t error)
{
    if (!call->begun)
        return error;
    if (!call->locked) { /* inside a host function */
        if (error)
            vgpu_error_latch(call->thread, error, call->name, call->pc);
        return error;
    }
    vgpu_thread_spend(call->thread, call->cost_ns);
    if (vgpu_rt.tracing)
        vgpu_trace_call(call);
    if (vgpu_order.is_kept)
        vgpu_order_call(call);
    call->thread->calling = NULL;
    if (error && vgpu_rt.explains)
        vgpu_call_ended(call, error);
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        vgpu_error_again(call->thread, error);
        vgpu_error_latch(call->thread, error, call->name, call->pc);
    }
    vgpu_unlock(&vgpu_rt.lock);
    vgpu_thread_left(call->thread);
    return error;
}

cudaError_t vgpu_call_refuse(struct vgpu_call *call, const char *why)
{
    call->cost_ns = 0;
    vgpu_warn(refused, call->pc, .call = call->name, .reason = why);
    return cudaErrorNotSupported;
}
