/*
 * call.h: how every call of the API begins and ends.
 *
 * A call's name, its manner and its cost are in api.def, from which calls.c
 * makes what programs call. What a call does is a function of its own, with the
 * runtime's lock held:
 *
 *     API(cudaStreamDestroy, cudaStream_t stream)
 *     {
 *         return ...;
 *     }
 *
 * @call in it is the call under way. For its twin (api.def) @stream is the
 * thread's own default stream where the program gave 0, and call->null_stream
 * is what 0 means where no argument is a stream.
 */
#ifndef VGPU_RUNTIME_CALL_H
#define VGPU_RUNTIME_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_runtime_api.h"
#include "profile.h"
#include "vgpu/caller.h"

struct vgpu_given;
struct vgpu_thread;
struct vgpu_stream;

#define API(name, ...)                                                         \
    cudaError_t vgpu_do_##name(struct vgpu_call *call __attribute__((unused)), \
                               ##__VA_ARGS__)

enum vgpu_call_manner {
    VGPU_CALL_PLAIN = 0,
    VGPU_CALL_CONTEXT = 1,     /* creates the context; fails with the
                                  context's error */
    VGPU_CALL_UNSAFE = 2 | 1,  /* not while a capture is under way, too */
    VGPU_CALL_PAID = 4 | 1,    /* a context, and the host pays before anything
                                  is done, also for a call that fails */
    VGPU_CALL_KNOWN = 16,      /* a fact that is still known after main, and
                                    within a host function */
    VGPU_CALL_BUILT = 32 | 16, /* also where there is no device */
    VGPU_CALL_INSIDE = 64,     /* allowed within a host function */
    VGPU_CALL_EVENT = 64 | 1,  /* ... and with a context */
    VGPU_CALL_LATER = 8,       /* begins when its function says so, or is only
                                  another call's front */
};

/* What api.def says of a call. */
struct vgpu_entry {
    const char *name;
    enum vgpu_call_manner manner;
    size_t cost;            /* where a profile has it; 0: none */
    const char *parameters; /* "(cudaStream_t stream)"; NULL: not known */
};
#define NS(what) offsetof(struct vgpu_profile, host_##what##_ns)
#define NOTHING  0

struct vgpu_call {
    const struct vgpu_entry *entry;
    const char *name;
    uint64_t pc;
    uint64_t id;
    int64_t start_ns;
    int64_t cost_ns; /* what it will have taken the host */
    struct vgpu_thread *thread;
    struct vgpu_stream *stream; /* for the trace; may be NULL */
    cudaStream_t null_stream;
    const void *frame; /* where that of the caller ends */
    int asked;         /* device it asks about; -1: about none */
    bool begun;        /* else vgpu_call_end has nothing to end */
    bool locked;       /* not inside a host function */
};

/* What each call does. */
#define VGPU_CALL(NAME, PARAMETERS, ...)                                       \
    cudaError_t vgpu_do_##NAME VGPU_WITH_CALL PARAMETERS;
#define VGPU_CALL0(NAME, ...)                                                  \
    cudaError_t vgpu_do_##NAME(struct vgpu_call *call);
#define VGPU_TWINS(NAME, SUFFIX, ...) VGPU_CALL(NAME, __VA_ARGS__)
#define VGPU_WITH_CALL(...)           (struct vgpu_call * call, __VA_ARGS__)
#include "vgpu/api.def"

#define VGPU_PC ((uint64_t)(uintptr_t)VGPU_CALLER())

/*
 * Take the lock and start a call; null_stream is the caller's to set.
 * Return: cudaSuccess, cudaErrorNotPermitted inside a host function, or the
 * error that ended the context. vgpu_call_end must be called in any case.
 */
cudaError_t vgpu_call_begin(struct vgpu_call *call,
                            const struct vgpu_entry *entry, uint64_t pc);
/* The same of a call whose manner is LATER, in this one. */
cudaError_t vgpu_call_late(struct vgpu_call *call,
                           enum vgpu_call_manner manner);
/* Spend its cost, record the call, latch @error, drop the lock.
 * Return: @error. */
cudaError_t vgpu_call_end(struct vgpu_call *call, cudaError_t error);
/*
 * Return: @error, and say which of its reasons it is: words that go on from
 * "cudaX failed with cudaErrorY (n): ". Looked at where the call
 * under way returns it, and calls that fail are told (vgpu_rt.explains).
 */
cudaError_t vgpu_because(cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* ... of the commonest one. */
#define vgpu_invalid(...) vgpu_because(cudaErrorInvalidValue, __VA_ARGS__)
/* For such words: "lab.cu:31", "" without VGPU_CHECK=1; and "4 MiB". Good until
 * some more are asked for. */
const char *vgpu_at(uint64_t pc);
const char *vgpu_amount(uint64_t bytes);
/* ... "1 MiB of device memory, allocated at lab.cu:9", or that CUDA knows none
 * there; "stream 1 of device 0", or that it is none. */
const char *vgpu_memory_words(const void *address);
const char *vgpu_stream_words(cudaStream_t stream);
const char *vgpu_event_words(cudaEvent_t event);
/* With VGPU_CHECK=1, before vgpu_call_end: a call returns @error: tell it.
 * @values  where its arguments are, in the order of the entry's parameters */
void vgpu_call_failed(const struct vgpu_call *call, cudaError_t error,
                      const void *const values[]);
/* ... whose arguments are told by the caller. */
void vgpu_call_failed_with(const struct vgpu_call *call, const char *name,
                           cudaError_t error, const struct vgpu_given *given);
/* ... at its end, if nobody has told it. */
void vgpu_call_ended(const struct vgpu_call *call, cudaError_t error);
/* ... of the driver's that has not come to one of the runtime's. */
void vgpu_driver_failed(cudaError_t error);
/* A call is not modelled: a warning says @why. Return: cudaErrorNotSupported.
 */
cudaError_t vgpu_call_refuse(struct vgpu_call *call, const char *why);

#endif
