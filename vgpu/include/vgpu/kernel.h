/*
 * kernel.h: what the front end writes into a program for each kernel, and
 * what the runtime and the device library read. C and C++, no CUDA names.
 */
#ifndef VGPU_KERNEL_H
#define VGPU_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include "vgpu/caller.h"
#include "vgpu/own.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct vgpu_kernel {
    const char *name; /* "decrypt" */
    const char *file; /* where it is defined */
    int line;
    int max_threads_per_block; /* __launch_bounds__, or 0 */
    int min_blocks_per_sm;     /* __launch_bounds__, or 0; changes nothing */
    int cluster[3]; /* __cluster_dims__; 0: none, -1: the launch says it */
};

struct vgpu_block; /* a block while it runs (device/) */

/* Runs threads of @block until none is left to start. */
typedef void vgpu_run_fn(void *closure, struct vgpu_block *block);

/* Copies a closure of the kernel's type, and frees such a copy. */
typedef void *vgpu_clone_fn(const void *closure);
typedef void vgpu_drop_fn(void *closure);

/* What a block does shows in which order they ran; only memory shows it, by
 * what atomics leave; only by those that are the last thing that a thread does.
 */
enum { VGPU_BODY_ORDERED = 1, VGPU_BODY_ATOMICS, VGPU_BODY_SUMS };

/* A kernel's body, as functions of a closure: the arguments by value. */
struct vgpu_body {
    vgpu_clone_fn *clone;
    vgpu_drop_fn *drop;
    vgpu_run_fn *run;
    /* The same without the checker's call-backs; or NULL. Blocks may then run
     * in any order and several at once, unless it is @ordered: one of those
     * above, or 0. */
    vgpu_run_fn *unwatched;
    int ordered;
    /* The parameters' sizes, where the front end knows their names. */
    const size_t *sizes;
    size_t num_sizes;
};

/*
 * `kernel<<<grid, block, shared, stream>>>` has been evaluated; the call of
 * the kernel's stub that follows launches with it. Kept per host thread.
 * @stream  a cudaStream_t; NULL: the default stream, as the file that defines
 *          the kernel was compiled to have it
 */
void vgpu_config_push(const uint32_t grid[3], const uint32_t block[3],
                      size_t dynamic_shared_bytes, void *stream, uint64_t pc);

/*
 * The same with what a cudaLaunchConfig_t says.
 * Return: a cudaError_t, latched: cudaErrorNotSupported for an attribute that
 * promises what is not here. Nothing is pushed then.
 */
int vgpu_config_push_all(const void *config, void *stream, uint64_t pc);

/*
 * A kernel's stub was called: enqueue the launch with the configuration
 * pushed last. Called by what the front end writes. The runtime owns the
 * clone it makes and frees it with @drop. Errors go to cudaGetLastError.
 * @default_stream  what NULL stands for: cudaStreamLegacy, or
 *                  cudaStreamPerThread. nvcc too puts that into the stub, so
 *                  the file with the kernel decides and not the launch's.
 * @arguments       the parameters, as many as body->num_sizes: what a node of a
 *                  graph can be asked for
 */
void vgpu_launch(const struct vgpu_kernel *kernel, void *default_stream,
                 const void *closure, const struct vgpu_body *body,
                 const void *const *arguments);

/* What a kernel is given, and a name of a type that is made of its stub, from
 * which the C++ ABI's name for the kernel can be read; NULL: not known. */
struct vgpu_signature {
    const char *type;
    const size_t *sizes; /* of the parameters */
    const size_t *aligns;
    size_t count;
};

/*
 * A kernel is known by its stub's address, for calls that take a function
 * pointer (occupancy, attributes, cudaLaunchKernel).
 * @apply  calls the stub with arguments from an array of pointers to them
 */
void vgpu_kernel_register(const void *stub, const struct vgpu_kernel *kernel,
                          void (*apply)(void **args),
                          const struct vgpu_signature *signature);

/*
 * A kernel has static __shared__ variables, @bytes with an alignment. Static
 * objects of what the front end writes say so before main, once for each
 * declaration. What it calls has its own, of which nothing is known before.
 */
void vgpu_kernel_add_shared(const struct vgpu_kernel *kernel, size_t bytes,
                            size_t align);

/*
 * A __device__ or __constant__ variable, said by a static object, too.
 * @name      as it is declared
 * @room_end  from the variable's end to here nothing lies; or NULL
 */
void vgpu_variable_register(const void *at, size_t bytes, const char *name,
                            const void *room_end);

/*
 * Need nobody look at what a function of the host does, which has @given? Not
 * where reports are asked for or a program reads what happens, where an
 * operation runs it, or where one of the words in @given is an address that the
 * host may not use.
 */
int vgpu_host_unseen(const void *given, size_t bytes);

/* Host or device code did @ops source-level operations. */
void vgpu_cost_add(uint64_t ops);

/* A loop of device code that only looks has gone round: see frontend/idle.c.
 * @ops    counts what its function does, of which a round does @step
 * @waits  whom the loop waits for in each round */
enum vgpu_idle_waits {
    VGPU_IDLE_ALONE,
    VGPU_IDLE_VOTES,    /* for others of the warp */
    VGPU_IDLE_BARRIERS, /* for others of the block */
    VGPU_IDLE_ROUNDS,   /* the host's: it counts, or its reads tell */
};
void vgpu_idle(uint64_t ops, unsigned step, enum vgpu_idle_waits waits);
/* The round's end, where it may have done more. */
void vgpu_idle_end(uint64_t ops);

/*
 * ... or called math functions: of @slots instructions, each the time of one
 * in single precision, and of @doubles more in double precision.
 */
void vgpu_math_add(uint64_t slots, uint64_t doubles);

/* Where the kernel that the calling host thread runs counts operations, slots
 * and doubles, in this order, or NULL. */
extern VGPU_OWN uint64_t *vgpu_kernel_ops;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
