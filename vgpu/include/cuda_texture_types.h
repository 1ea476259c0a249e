/* cuda_texture_types.h: for programs of CUDA 11 that name it; vgpu/references.h
 * has it all. */
#ifndef __CUDA_TEXTURE_TYPES_H__
#define __CUDA_TEXTURE_TYPES_H__

#include "cuda_runtime.h"

#if VGPU_CUDA_VERSION >= 12000
#error "CUDA 12 took this header away: set VGPU_CUDA=11 or add -DVGPU_CUDA=11"
#endif

#endif
