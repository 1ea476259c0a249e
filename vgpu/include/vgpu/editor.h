/*
 * editor.h: what an editor needs to understand a CUDA file on any machine.
 *
 * clangd (and clang -x cuda) reads kernels and launches by itself, but takes
 * these names from the CUDA Toolkit, which a laptop does not have. Here they
 * are in words of clang's own, on top of the virtual GPU's headers. Nothing is
 * ever built with this file: for vgpucc, its front end does away with these
 * words (see launch.h).
 */
#ifndef VGPU_EDITOR_H
#define VGPU_EDITOR_H

/* All that these headers declare may be called by kernels, too: printf and
 * assert as well. clang knows __syncthreads by itself. */
#pragma clang force_cuda_host_device begin
#include <assert.h>
#include <stdio.h>
#define __syncthreads() vgpu_editor_syncthreads()
#include <cuda_runtime.h>
#undef __syncthreads
#pragma clang force_cuda_host_device end

#define __CUDACC__ 1
#define __VGPU__   1

/* ---- qualifiers ---------------------------------------------------------- */

#define __global__             __attribute__((global))
#define __device__             __attribute__((device))
#define __host__               __attribute__((host))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __managed__            __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    /* system headers have the word in attributes */

/* ---- built-in variables -------------------------------------------------- */

extern __device__ const uint3 threadIdx;
extern __device__ const uint3 blockIdx;
extern __device__ const dim3 blockDim;
extern __device__ const dim3 gridDim;

/* The virtual GPU's is a macro that names a variable of the front end's. */
#undef clock64
__device__ long long clock64();

/* ---- launches ------------------------------------------------------------ */

/* What clang takes `kernel<<<grid, block, bytes, stream>>>` for: the first by
 * default, the second where it found an older or no CUDA Toolkit. */
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                size_t bytes = 0,
                                                cudaStream_t stream = 0);
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block,
                                         size_t bytes = 0,
                                         cudaStream_t stream = 0);

#endif
