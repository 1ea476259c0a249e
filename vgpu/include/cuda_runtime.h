/*
 * cuda_runtime.h: what vgpucc includes before every program: the C API, and
 * for C++ the launch syntax, device functions and typed overloads.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "vector_functions.h"

static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
    struct cudaExtent extent = {w, h, d};
    return extent;
}

static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos pos = {x, y, z};
    return pos;
}

static inline struct cudaPitchedPtr
make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize, size_t ysize)
{
    struct cudaPitchedPtr pitched = {ptr, pitch, xsize, ysize};
    return pitched;
}

#ifdef __cplusplus

/* What nvcc's programs find without including it, besides what device.h
 * includes. nvcc gives them neither <stdio.h> nor <assert.h>. */
#include <ctype.h>
#include <limits.h>
#include <utility>

#include "vgpu/launch.h"
#include "vgpu/device.h"
#include "vgpu/texture.h"
#include "vgpu/ptx.h"
#include "vgpu/overloads.h"
#include "vgpu/older.h"

#endif
#endif
