/*
 * words.h: what clang's CUDA front end is told before a program that it judges
 * (judge.c of the compiler driver): nothing of it is ever compiled.
 *
 * CUDA's words become clang's attributes. What is included first is the host's
 * alone, as it is for nvcc; the math library and what device.h and its kin
 * declare is for both sides: which calls exist, the host compiler says.
 */
#ifndef VGPU_JUDGE_WORDS_H
#define VGPU_JUDGE_WORDS_H

#define __host__     __attribute__((host))
#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__  __attribute__((device))
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __forceinline__ __inline__
#define __noinline__    /* stands in attributes, too, which may be empty */
#define __nv_pure__

#include <ctype.h>
#include <limits>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <type_traits>
#include <typeinfo>
#include <utility>
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#endif
#include "cuda_runtime_api.h"

#pragma clang force_cuda_host_device begin
#include <math.h>
#include "vgpu/program.h"
#pragma clang force_cuda_host_device end

__device__ extern const uint3 threadIdx, blockIdx;
__device__ extern const dim3 blockDim, gridDim;

/* What a launch is made of: of CUDA 9.1 and older, and of newer ones. */
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0,
                                 cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                size_t shared = 0,
                                                cudaStream_t stream = 0);

#endif
