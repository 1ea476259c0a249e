/*
 * error.c: error names and strings, the last error, errors that end a context.
 *
 * Three kinds are kept apart (guide, "Error Checking"). A call's own error is
 * returned and becomes the thread's last error until somebody asks. "Not ready"
 * is no error. And what a kernel did wrong ends the context: it is sticky,
 * every later call returns it, and only the process's end clears it.
 */
#include "rt.h"

#include <stdio.h>
#include <string.h>

struct text {
    cudaError_t code;
    const char *name;
    const char *string;
};

static const struct text texts[] = {
#define VGPU_ERROR(NAME, NUMBER, TEXT) {NAME, #NAME, TEXT},
#include "vgpu/errors.def"
};

static const struct text *find(cudaError_t error)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].code == error)
            return &texts[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const struct text *text = find(error);

    return text ? text->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const struct text *text = find(error);

    return text ? text->string : "unrecognized error code";
}

/* The first fault is the one that is told: later ones follow from it. No device
 * that has no context gets one any more. */
void vgpu_error_fault(const struct vgpu_op *op, cudaError_t error)
{
    if (!vgpu_rt.ended.pc)
        vgpu_rt.ended =
            (struct vgpu_ended){vgpu_op_actor(op, NULL).kernel, op->pc, false};
    for (int i = 0; i < vgpu_rt.device_count; i++)
        if (!vgpu_rt.devices[i].sticky)
            vgpu_rt.devices[i].sticky = vgpu_rt.devices[i].has_context
                                            ? error
                                            : cudaErrorDevicesUnavailable;
}

/* The call and its line are kept for the warning at the end of a program that
 * drops the code. */
void vgpu_error_latch(struct vgpu_thread *thread, cudaError_t error,
                      const char *call, uint64_t pc)
{
    thread->last_error = error;
    thread->error_call = call;
    thread->error_pc = pc;
    thread->error_at = thread->calls;
}

/* What came after the first may follow from it. That the runtime has ended is
 * no more to anybody than that. */
void vgpu_error_unasked(struct vgpu_thread *thread, cudaError_t error,
                        const char *call, uint64_t pc)
{
    if (!thread->unasked.error && error != cudaErrorCudartUnloading)
        thread->unasked = (struct vgpu_unasked){error, pc, call};
}

/* A launch in a spoiled capture, or without a device, has no code of its own,
 * but the calls that follow return the same. */
void vgpu_error_again(struct vgpu_thread *thread, cudaError_t error)
{
    const bool spreads = (error >= cudaErrorStreamCaptureUnsupported &&
                          error <= cudaErrorStreamCaptureWrongThread) ||
                         error == cudaErrorNoDevice ||
                         error == cudaErrorDevicesUnavailable;

    if (spreads && thread->unasked.error == error && !thread->unasked.call)
        thread->unasked.error = cudaSuccess;
}

/* The name of a call may go on where it stands for a stream of the thread's. A
 * function of the program's own knows itself what it returns. */
VGPU_PUBLIC void vgpu_note_dropped(const char *call, cudaError_t error);

void vgpu_note_dropped(const char *call, cudaError_t error)
{
    struct vgpu_thread *thread = vgpu_thread_self();

    if (error == thread->last_error && thread->error_call &&
        !strncmp(call, thread->error_call, strlen(thread->error_call)))
        vgpu_error_unasked(thread, error, thread->error_call, thread->error_pc);
}

/* A check right behind the call that failed needs no words; one further on is
 * taken for that of another call, and what a kernel did shows in any. */
static void tell_whose(const struct vgpu_thread *thread, uint64_t pc)
{
    const cudaError_t error = thread->last_error;
    const bool ended = vgpu_error_ended(error);
    char kernel[96], from[256];

    if (!vgpu_rt.explains || !error || !thread->error_call ||
        (!ended && thread->error_at == thread->calls))
        return;
    snprintf(kernel, sizeof kernel, "kernel %.80s",
             ended && vgpu_rt.ended.kernel ? vgpu_rt.ended.kernel : "?");
    vgpu_line_format(ended ? vgpu_rt.ended.pc : thread->error_pc, from,
                     sizeof from);
    vgpu_warn(error_shown, pc,
              .call = ended && vgpu_rt.ended.kernel ? kernel
                      : strcmp(thread->error_call, "cudaLaunchKernel")
                          ? thread->error_call
                          : "the launch",
              .from = from, .error = cudaGetErrorName(error), .code = error);
}

/* Whoever looks has noticed: an error that nobody can have looked at is warned
 * of at the end (finish.c). */
static cudaError_t last_error(bool clear, uint64_t pc)
{
    struct vgpu_thread *thread = vgpu_thread_self();
    cudaError_t error = thread->last_error;

    tell_whose(thread, pc);
    thread->error_call = NULL; /* somebody looked */
    thread->unasked.error = cudaSuccess;
    if (clear)
        thread->last_error = cudaSuccess;
    return error;
}

cudaError_t cudaGetLastError(void)
{
    return last_error(true, VGPU_PC);
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error(false, VGPU_PC);
}
