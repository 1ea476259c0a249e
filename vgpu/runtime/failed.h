/*
 * failed.h: errors: the last one, those that nobody asked for, what has ended
 * the contexts, and calls that fail in words; a part of rt.h.
 */
#ifndef VGPU_RUNTIME_FAILED_H
#define VGPU_RUNTIME_FAILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_runtime_api.h"

struct vgpu_op;
struct vgpu_thread;

#define VGPU_WORDS_ROOMS 8 /* texts that go into one sentence */

/* Which of an error's reasons it is: see vgpu_because. */
struct vgpu_reason {
    cudaError_t error;
    bool told; /* or is not to be */
    char text[512];
};

/* An error that nobody can have seen. */
struct vgpu_unasked {
    cudaError_t error;
    uint64_t pc;
    const char *call; /* NULL: a launch */
};

/* What has ended the contexts. */
struct vgpu_ended {
    const char *kernel; /* or NULL: a copy, or the like; */
    uint64_t pc;        /* enqueued there; */
    bool told;          /* and somebody was told */
};

/* ---- error.c ------------------------------------------------------------- */

/* A fault of @op ends the contexts of all devices of the process. */
void vgpu_error_fault(const struct vgpu_op *op, cudaError_t error);
void vgpu_error_latch(struct vgpu_thread *thread, cudaError_t error,
                      const char *call, uint64_t pc);
/* @call, or a launch (NULL), failed, and the program has no code of it. */
void vgpu_error_unasked(struct vgpu_thread *thread, cudaError_t error,
                        const char *call, uint64_t pc);

/* A call returns @error: whoever looks at that need not ask for a launch's. */
void vgpu_error_again(struct vgpu_thread *thread, cudaError_t error);

/* ---- failed.c, argument.c ------------------------------------------------ */

/* Is @error what has ended the contexts? Then every call returns it. */
bool vgpu_error_ended(cudaError_t error);
/* What a call was given, in words. */
struct vgpu_given {
    char text[640]; /* "; with bytes: 4 MiB; stream: stream 1 of device 0", or
                       nothing */
    char dead[200]; /* "stream is no handle of a stream", or nothing */
    char null[64];  /* "value is NULL": the first that may not be; or nothing */
};
/* @parameters  "(size_t bytes, cudaStream_t stream)", or NULL
 * @values      where each of them is */
void vgpu_arguments_words(struct vgpu_given *given, const char *parameters,
                          const void *const values[]);

/* The runtime had ended when the call came: what it would have given back is
 * not left behind. */
void vgpu_arguments_excuse(const char *parameters, const void *const values[]);

#endif
