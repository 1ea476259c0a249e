/*
 * cuda_runtime_api.h: the CUDA runtime API as the virtual GPU provides it.
 *
 * Source: NVIDIA's CUDA Runtime API manual; every function has the name,
 * arguments and error codes described there. Sizes are in bytes, times that
 * the API returns in milliseconds (float). A function not declared here is
 * not supported: the compiler says so.
 *
 * Differs: time is virtual, work is done lazily (as late as the ordering
 * rules allow); what a manual leaves open with "may" is chosen so that it
 * hurts. See docs/virtual-gpu.md.
 */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "driver_types.h"
#include "vgpu/refused.h"

#ifdef __cplusplus
#define VGPU_OR(value) = value
extern "C" {
#else
#define VGPU_OR(value)
#endif
#pragma GCC visibility push(default)

/* nvcc --default-stream per-thread: stream 0 is the thread's own. Each call
 * that a default stream matters to has a twin, as in NVIDIA's library. */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define VGPU_NULL_STREAM  cudaStreamPerThread
#define VGPU_LINKED(NAME) __asm__(#NAME)
#else
#define VGPU_NULL_STREAM cudaStreamLegacy
#define VGPU_LINKED(NAME)
#endif

#define VGPU_CALL(NAME, PARAMETERS, ...) cudaError_t NAME PARAMETERS;
#define VGPU_TWINS(NAME, SUFFIX, PARAMETERS, ...)                              \
    cudaError_t NAME PARAMETERS VGPU_LINKED(NAME##SUFFIX);
#define VGPU_OTHER(TYPE, NAME, PARAMETERS, SHOWN) TYPE NAME PARAMETERS;
#define VGPU_LACKS(NAME, WHY)                     VGPU_REFUSED(cudaError_t, NAME, WHY)
#include "vgpu/api.def"

/* ---- internal ------------------------------------------------------------ */

/* What the C++ overload of cudaOccupancyMaxPotentialBlockSize calls. */
cudaError_t vgpu_occupancy_best(int *min_grid, int *block_size,
                                const void *function, size_t shared_bytes,
                                int limit);
/* What the C++ forms of cudaBindTexture and its kin call (references.h).
 * @object    the reference's; 0: bound to nothing
 * @resource  NULL: unbind
 * @texture   NULL: a surface */
cudaError_t vgpu_texture_bind(const char *name, unsigned long long *object,
                              const struct cudaResourceDesc *resource,
                              const struct cudaTextureDesc *texture);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#else
#include "vgpu/older.h"
#endif
#endif
