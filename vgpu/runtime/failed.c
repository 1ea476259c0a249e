/*
 * failed.c: a call that returns an error is told, once for each place
 *
 * An error has a number, and often several reasons. Who returns it knows which
 * one it is and says so (vgpu_because); where nobody did, the number's own text
 * stands. A note: a program may well ask for an error, and look at it.
 */
#include "rt.h"
#include "cuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

cudaError_t vgpu_because(cudaError_t error, const char *format, ...)
{
    struct vgpu_reason *reason;
    va_list arguments;

    if (!vgpu_rt.explains)
        return error;
    reason = &vgpu_thread_self()->reason;
    reason->error = error;
    va_start(arguments, format);
    vsnprintf(reason->text, sizeof reason->text, format, arguments);
    va_end(arguments);
    return error;
}

bool vgpu_error_ended(cudaError_t error)
{
    return vgpu_rt.ended.pc && error && error == vgpu_device_current()->sticky;
}

/* The first call that returns it tells what has ended the context; that all
 * later ones return it, too, is no news. */
static const char *reason_ended(char *text, size_t size)
{
    const char *const kernel = vgpu_rt.ended.kernel;

    vgpu_rt.ended.told = true;
    snprintf(text, size,
             "%s%s, %s at %s, has ended the context, and from now on every "
             "call returns this",
             kernel ? "kernel " : "the copy or memset", kernel ? kernel : "",
             kernel ? "launched" : "enqueued", vgpu_at(vgpu_rt.ended.pc));
    return text;
}

/* The driver's numbers are the runtime's, their names are not. */
static const char *name_of(cudaError_t error, bool driver)
{
    const char *name;

    if (driver && !cuGetErrorName((CUresult)error, &name))
        return name;
    return cudaGetErrorName(error);
}

/* What can be said where nobody has given a reason: of a number that has only
 * one, and of a handle that stands for nothing; else NULL. */
static const char *reason_of(cudaError_t error, const struct vgpu_given *given,
                             char *text, size_t size)
{
    if ((error == cudaErrorInvalidResourceHandle ||
         error == cudaErrorInvalidValue) &&
        given->dead[0])
        return given->dead;
    if (error == cudaErrorInvalidValue && given->null[0])
        return given->null;
    if (error == cudaErrorInvalidDevice && !vgpu_rt.no_device) {
        snprintf(text, size,
                 vgpu_rt.device_count == 1
                     ? "the program sees one device, number 0"
                     : "the program sees %d devices, with numbers from 0 on",
                 vgpu_rt.device_count);
        return text;
    }
    return NULL;
}

/* "Not ready" of a query is its answer, and nobody gives a reason for it. */
static void tell(struct vgpu_thread *thread, const char *name, uint64_t pc,
                 cudaError_t error, const struct vgpu_given *given)
{
    const bool driver = thread->driver_call;
    const bool ended = vgpu_error_ended(error);
    const char *why;
    char text[400];

    thread->reason.told = true;
    if (thread->reason.error == error)
        why = thread->reason.text;
    else if (error == cudaErrorNotReady || (ended && vgpu_rt.ended.told))
        return;
    else if (ended)
        why = reason_ended(text, sizeof text);
    else
        why = reason_of(error, given, text, sizeof text);
    vgpu_warn(call_failed, driver ? thread->driver_pc : pc,
              .call = driver ? thread->driver_call : name,
              .error = name_of(error, driver), .code = error,
              .reason = why ? why : cudaGetErrorString(error), .why = why,
              .given = given->text);
}

void vgpu_driver_failed(cudaError_t error)
{
    if (vgpu_rt.explains)
        tell(vgpu_thread_self(), "", 0, error,
             &(struct vgpu_given){.text = ""});
}

void vgpu_call_failed_with(const struct vgpu_call *call, const char *name,
                           cudaError_t error, const struct vgpu_given *given)
{
    tell(call->thread, name, call->pc, error, given);
}

/* Of a call that is only another one's front that one has told. */
void vgpu_call_failed(const struct vgpu_call *call, cudaError_t error,
                      const void *const values[])
{
    struct vgpu_given given = {.text = ""};

    if (!call->begun ||
        (error == cudaErrorNotReady && call->thread->reason.error != error))
        return;
    if (error == cudaErrorCudartUnloading)
        vgpu_arguments_excuse(call->entry->parameters, values);
    vgpu_arguments_words(&given, call->entry->parameters, values);
    tell(call->thread, call->name, call->pc, error, &given);
}

void vgpu_call_ended(const struct vgpu_call *call, cudaError_t error)
{
    if (!call->thread->reason.told && !call->thread->caught)
        tell(call->thread, call->name, call->pc, error,
             &(struct vgpu_given){.text = ""});
}
